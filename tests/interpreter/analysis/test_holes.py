"""`partition ?`: every choice is priced with the whole plan, the cheapest is taken and offered."""

SPEC = """
mesh a = 4
dim B = 64, I = 128, O = 32
input x[B, I] partition {x} on a
weight w[I, O] partition {w} on a
layer y: y[B, O] = x * w partition {clause} on a
output y partition {y} on a
"""


def bytes_moved(analysis):
    return sum(move.per_device for move in analysis.moves)


def test_the_choice_is_the_cheapest_of_all(analyzed):
    for x in "BI":
        for w in "IO":
            for y in "BO":
                places = {"x": x, "w": w, "y": y}
                chosen = analyzed(SPEC.format(clause="?", **places))
                tried = {
                    clause: bytes_moved(analyzed(SPEC.format(clause=clause, **places)))
                    for clause in ("B", "I", "O", "none")
                }
                assert bytes_moved(chosen) == min(tried.values())
                (found,) = [f for f in chosen.findings if f.name == "hole"]
                assert dict(dict(found.data)["choices"]) == tried
                assert tried[dict(found.data)["dim"]] == min(tried.values())


def test_the_fix_writes_the_choice(analyzed):
    spec = SPEC.format(x="I", w="I", clause="?", y="B")
    analysis = analyzed(spec)
    (found,) = [f for f in analysis.findings if f.name == "hole"]
    (fix,) = found.fixes
    (edit,) = fix.edits
    ((_, document),) = analysis.model.documents
    start = document.start_of(edit.site.chunk)
    span = edit.site.span
    mended = spec[: start + span.start] + edit.text + spec[start + span.end :]
    assert mended == SPEC.format(x="I", w="I", clause="I", y="B")


def test_a_pattern_is_one_choice_for_all_its_layers(analyzed):
    analysis = analyzed(
        """
mesh N = 4
dim B = 64, D = 16, F = 32
input x[B, D] partition B on N
weight v[D, F], w[F, D]
layer up: h[B, F] = x * v
layer down: y[B, D] = h * w
output y partition B on N
for *: partition ? on N
"""
    )
    assert {dict(layer.partition)["N"] for layer in analysis.layers} == {"B"}
    assert [f.name for f in analysis.findings if f.name == "hole"] == ["hole"]
    assert bytes_moved(analysis) == 0

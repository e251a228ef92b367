"""`partition ?`: every choice is priced with the whole plan, the cheapest is taken and offered."""

import pytest

from parspec.interpreter.analysis import holes
from parspec.interpreter.diagnostics.catalogue import message

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


ROOM = """
device small {{ memory = {memory} MB  flops = 1 Tflop/s  hbm = 1 TB/s }}
mesh a = 4 on 4 small
dim B = 64, I = 1024, O = 1024
input x[B, I] partition B on a
weight w[I, O]
layer y: y[B, O] = x * w partition ? on a
output y partition B on a
"""


def test_what_does_not_fit_is_the_last_choice(analyzed):
    """Along B nothing moves, but each device has all of w: 2.1 MB."""
    found = {}
    for memory in (3, 2):
        (hole,) = [f for f in analyzed(ROOM.format(memory=memory)).findings if f.name == "hole"]
        data = dict(hole.data)
        found[memory] = data["dim"], data["too_large"]
    assert found == {3: ("B", ()), 2: ("O", ("B", "none"))}


PAIR = """
mesh tp = 4
dim B = 64, D = 32, F = 128
input x[B, D]
weight w[D, F], v[F, D]
layer up: h[B, F] = x * w partition ? on tp
layer dn: y[B, D] = h * v partition ? on tp
output y replicated on tp
"""


def chosen_in(analysis):
    """What the holes of a plan are filled with, by layer."""
    found = [dict(f.data) for f in analysis.findings if f.name == "hole"]
    return {data["layer"]: data["dim"] for data in found}, found


def test_without_a_device_bytes_count_and_it_is_told_which_choices_repeat_work(analyzed):
    analysis = analyzed(PAIR)
    chosen, (up, dn) = chosen_in(analysis)
    assert chosen == {"up": "none", "dn": "none"}
    assert up["repeating"] == dn["repeating"] == ("none",)
    assert dict(up["choices"])["none"] == 0
    said = message(next(f for f in analysis.findings if f.name == "hole"))
    assert ", though it repeats work (" in said
    assert "repeated_work" in {finding.name for finding in analysis.findings}


def test_where_times_are_known_work_may_be_repeated(analyzed):
    """A millisecond to gather y is more than to compute all of it everywhere."""
    slow = """
link wire { bandwidth = 1 GB/s  latency = 1 ms }
device quick { memory = 80 GB  flops = 1000 Tflop/s  hbm = 1 TB/s }
mesh tp = 4 over wire on 4 quick
"""
    chosen, found = chosen_in(analyzed(PAIR.replace("mesh tp = 4\n", slow.lstrip())))
    assert chosen == {"up": "none", "dn": "none"}
    assert [each["unit"] for each in found] == ["s", "s"]
    assert [each["repeating"] for each in found] == [(), ()]


@pytest.mark.parametrize(
    ("budget", "dim", "breaking"),
    [
        ("expect memory <= 1 GB", "B", ()),
        ("expect memory <= 20 kB", "F", ("B", "D", "none")),
        ("expect weights < 16 kB", "F", ("B", "none")),
        ("expect memory <= 1 kB", "B", ("B", "F", "D", "none")),
        ("expect memory <= 1", "B", ()),
    ],
)
def test_what_breaks_a_budget_of_memory_is_chosen_after_what_keeps_it(
    analyzed, budget, dim, breaking
):
    """Along B each device has all of w and v: 16.4 kB."""
    spec = PAIR.replace("h * v partition ?", "h * v partition B")
    _, (up,) = chosen_in(analyzed(f"{spec}{budget}\n"))
    assert (up["dim"], up["over_budget"]) == (dim, breaking)


def test_more_holes_than_can_be_searched_are_told_and_take_their_first_choice(
    analyzed, monkeypatch
):
    monkeypatch.setattr("parspec.interpreter.analysis.holes.HOLES", 2)
    layers = "".join(f"layer l{n}: y{n}[B] = gelu(y{n - 1}) partition ? on a\n" for n in (1, 2, 3))
    analysis = analyzed(f"mesh a = 4\ndim B = 64\ninput y0[B]\n{layers}output y3\n")
    assert [f.name for f in analysis.findings] == ["hole", "hole", "over_limit"]
    assert dict(analysis.findings[-1].data)["limit"] == 2
    chosen = [layer.assignments[0].dim for layer in analysis.model.items]
    assert chosen == ["B", "B", "B"]


def test_a_choice_is_tried_without_looking_again_at_the_parts_that_it_does_not_touch(
    analyzed, monkeypatch
):
    filled = []
    fill = holes._filled
    monkeypatch.setattr(holes, "_filled", lambda *given: filled.append(given) or fill(*given))
    layers = "".join(
        f"layer l{n}: y{n}[B] = gelu(y{n - 1}) partition ? on a\n" for n in range(1, 101)
    )
    analyzed(f"mesh a = 4\ndim B = 64\ninput y0[B]\n{layers}output y100\n")
    assert len(filled) < 100 * 2 * 2 * 2  # holes, choices, sweeps, and back again; not times parts

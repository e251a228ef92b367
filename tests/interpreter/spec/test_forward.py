"""Names of variables that are read before they are made."""

from parspec.interpreter.analysis.analyze import analyze
from parspec.interpreter.diagnostics.catalogue import message
from parspec.interpreter.fixes.fixes import fixes
from parspec.interpreter.spec.readers import DiskReader
from parspec.interpreter.spec.resolve import resolve

HEAD = "dim B = 8, D = 16, L = 4\nmesh tp = 2\ninput x[B, D]\nweight w[D, D]\n"


def findings(body):
    model = resolve("forward.par", HEAD + body, DiskReader())
    return model, analyze(model).findings


def test_what_is_made_further_down_is_said_to_be():
    text = "layer b: z[B, D] = y\nlayer a: y[B, D] = x * w[D, D]\noutput z\n"
    model, found = findings(text.replace("x * w[D, D]", "x"))
    early = next(one for one in found if one.name == "unknown_name")
    assert dict(early.data)["made"] == "below"
    assert "is read before it is made" in message(early)
    [made] = early.related
    start = model.documents[0][1].start_of(made.site.chunk) + made.site.span.start
    assert (HEAD + text)[start:].startswith("y[B, D] = x")
    assert fixes(early, model) == ()


def test_what_is_read_too_early_is_not_unused():
    _, found = findings("layer b: z[B, D] = y\nlayer a: y[B, D] = x\noutput z\n")
    assert [one for one in found if dict(one.data).get("name") == "y"] == [
        one for one in found if one.name == "unknown_name"
    ]


def test_inside_a_stack():
    _, found = findings(
        "stack s[L]: x -> c {\n    layer b: z[B, D] = y\n    layer a: y[B, D] = x\n"
        "    layer c: c[B, D] = x + y\n}\noutput c\n"
    )
    early = [dict(one.data) for one in found if one.name == "unknown_name"]
    assert [(one["name"], one.get("made")) for one in early] == [("y", "below")]


def test_what_nobody_makes_stays_unknown():
    _, found = findings("layer b: z[B, D] = q\noutput z\n")
    [unknown] = [dict(one.data) for one in found if one.name == "unknown_name"]
    assert "made" not in unknown


def test_a_name_of_another_scope_is_not_meant():
    _, found = findings(
        "layer b: z[B, D] = y\n"
        "stack s[L]: x -> c {\n    layer a: y[B, D] = x\n    layer c: c[B, D] = y\n}\n"
        "output z\n"
    )
    [unknown] = [dict(one.data) for one in found if one.name == "unknown_name"]
    assert "made" not in unknown

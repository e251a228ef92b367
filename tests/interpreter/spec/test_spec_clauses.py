"""Clauses and patterns given to layers and weights, axis by axis."""

from __future__ import annotations

import pytest
from reading import clean, layers, model, names, only, said, stacks, tensors, written

from parspec.interpreter.diagnostics import catalogue

HEAD = """
mesh pp = 2, dp = 2, tp = 4
axis ep = dp * tp
dim B = 8, D = 16, F = 32, L = 4
dim D2 = D
input x[B, D]
"""
BODY = """
stack s[L]: x -> y {
  weight w[D, F], v[F, D2]
  layer up: h[B, F] = gelu(x * w)
  layer down: y[B, D2] = h * v
}
output y
"""


def spec(clauses: str, body: str = BODY) -> str:
    return f"{HEAD}{body}{clauses}\n"


def test_own_clauses_beat_patterns_axis_by_axis() -> None:
    body = BODY.replace("gelu(x * w)", "gelu(x * w) partition F on tp")
    read = clean(spec("for *: partition B on dp, D on tp", body))
    assert said(layers(read)["s.up"]) == {"dp": "B", "tp": "F"}
    assert said(layers(read)["s.up.1"]) == {"dp": "B", "tp": "F"}
    assert said(layers(read)["s.down"]) == {"dp": "B"}  # it has D2, not D


def test_later_patterns_beat_earlier_ones() -> None:
    read = clean(spec("for *: partition B on tp\nfor s.{up,down}: partition F on tp"))
    assert [said(layer) for layer in layers(read).values()] == [{"tp": "F"}] * 3


def test_a_plan_has_the_last_word() -> None:
    text = spec("for *: partition B on tp\nplan p { for s.up: partition none on tp }")
    assert said(layers(clean(text))["s.up"]) == {"tp": "B"}
    assert said(layers(clean(text, plan="p"))["s.up"]) == {"tp": "none"}


def test_a_stacks_own_name_takes_its_dimension_and_passes_on_the_rest() -> None:
    read = clean(spec("for s: partition L on pp, B on dp uneven\nfor s.up: recompute at pp[1]"))
    stack = stacks(read)["s"]
    assert [(a.axis, a.dim, a.origin) for a in stack.assignments] == [("pp", "L", "pattern")]
    assert stack.uneven
    up, inner = layers(read)["s.up"], layers(read)["s.up.1"]
    assert (said(up), up.recompute, inner.recompute) == ({"dp": "B"}, True, True)
    assert up.stage is not None
    assert (up.stage.axis, up.stage.index) == ("pp", 1)


def test_a_star_is_one_level_but_any_depth_at_the_end() -> None:
    body = """
block f(a[B, D]) -> z { layer g: z = gelu(a) }
layer l: y = f(x)
output y
"""
    text = f"{HEAD}{body}".replace("F = 32, L = 4", "F = 32").replace(", F = 32", "")
    text = text.replace("dim D2 = D\n", "")
    assert said(layers(clean(text + "for *: partition B on dp"))["l.g"]) == {"dp": "B"}
    assert said(layers(clean(text + "for *.g: partition B on dp"))["l.g"]) == {"dp": "B"}
    assert only(model(text + "for *.f: partition B on dp"), "unmatched_pattern") == {
        "pattern": "*.f",
        "near": (),
        "there": ("g",),
    }


def test_inner_beats_outer() -> None:
    body = """
block f(a[B, D]) -> z { layer g: z = gelu(a)  layer unread: q = gelu(a) partition D on tp
  layer r: t = gelu(q) }
layer l: y = f(x) partition B on tp
output y
"""
    read = model(f"{HEAD}{body}for l.r: partition D on dp\nfor l: partition B on dp")
    assert said(layers(read)["l.unread"]) == {"dp": "B", "tp": "D"}
    assert said(layers(read)["l.g"]) == {"dp": "B", "tp": "B"}
    assert said(layers(read)["l.r"]) == {"dp": "D", "tp": "B"}


def test_several_axes_on_one_dimension_keep_their_order() -> None:
    read = clean(spec("for *: partition B on tp zigzag * dp"))
    assert [(a.axis, a.sequence, a.dealt) for a in layers(read)["s.up"].assignments] == [
        ("tp", ("tp", "dp"), "zigzag"),
        ("dp", ("tp", "dp"), None),
    ]
    half = clean(spec("for *: partition B on tp * dp\nfor s.up: partition F on tp"))
    assert {a.axis: a.sequence for a in layers(half)["s.up"].assignments} == {
        "dp": ("dp",),
        "tp": ("tp",),
    }


def test_product_dims_and_views_keep_their_names() -> None:
    read = clean(
        "mesh dp = 2, tp = 4\naxis ep = dp * tp\ndim B = 8, G = 2, R = 4\ndim H = G * R\n"
        "input x[B, H], k[B, G]\nlayer a: y = x partition H on ep\n"
        "layer b: z = k partition H on tp\noutput y\noutput z\n"
    )
    assert said(layers(read)["a"]) == {"ep": "H"}
    assert said(layers(read)["b"]) == {"tp": "H"}


def test_stores_and_frozen_name_weights_or_the_weights_of_layers() -> None:
    read = clean(spec("for s.w: frozen\nfor s.down: store F on dp * tp\nfor *: store on pp"))
    w, v = tensors(read)["s.w"], tensors(read)["s.v"]
    assert (w.frozen, v.frozen) == (True, False)
    assert [(a.axis, a.saying, a.dim) for a in w.rest] == [("pp", "store", None)]
    assert [(a.axis, a.dim, a.sequence) for a in v.rest] == [
        ("dp", "F", ("dp", "tp")),
        ("tp", "F", ("dp", "tp")),
        ("pp", None, ("pp",)),
    ]


def test_at_rest_the_declaration_beats_patterns() -> None:
    body = BODY.replace("v[F, D2]", "v[F, D2] partition F on tp replicated on dp frozen at pp[0]")
    read = clean(spec("for *: store on dp", body))
    w, v = tensors(read)["s.w"], tensors(read)["s.v"]
    assert [(a.axis, a.saying) for a in v.rest] == [("tp", "partition"), ("dp", "replicated")]
    assert [(a.axis, a.saying) for a in w.rest] == [("tp", "partition"), ("dp", "replicated")]
    assert v.frozen
    assert v.stage is not None


def test_states_at_the_ends() -> None:
    read = clean(
        HEAD.replace(", F = 32, L = 4", "").replace("dim D2 = D\n", "")
        + "input p[B] partial max on tp partition B on dp\n"
        "layer a: y[B, D] = x * p centralized on pp\noutput y partition D on tp\n"
        "plan q { output y replicated on dp at pp[1] }\n",
        plan="q",
    )
    assert [(a.axis, a.saying, a.kind) for a in tensors(read)["p"].rest] == [
        ("tp", "partial", "max"),
        ("dp", "partition", None),
    ]
    assert said(layers(read)["a"]) == {"pp": "centralized"}
    (output,) = read.outputs
    assert [(a.axis, a.saying) for a in output.rest] == [("dp", "replicated")]
    assert output.stage is not None


@pytest.mark.parametrize(
    ("clause", "name", "facts"),
    [
        ("partition B on tq", "unknown_name", {"kind": "axis"}),
        ("partition Q on tp", "unknown_name", {"kind": "dimension"}),
        ("partition D2 on tp", "dim_not_in_layer", {"name": "a", "dims": ("B", "D")}),
        ("partition B on tp, D on tp", "axis_reused", {"axis": "tp", "dim": "D", "other": "B"}),
        (
            "partition B on tp replicated on tp",
            "conflicting_states",
            {"first": "partition B", "second": "replicated"},
        ),
        ("uneven", "misplaced", {"statement": "uneven", "place": "on a layer"}),
        ("partial mix on tp", "unknown_name", {"kind": "kind of partial"}),
        ("at pp[1.5]", "bad_size", {"name": "pp"}),
    ],
)
def test_what_is_wrong_with_a_clause(clause: str, name: str, facts: dict[str, object]) -> None:
    text = HEAD.replace(", F = 32, L = 4", "").replace("dim D2 = D", "dim D2 = D\ninput z[D2]")
    read = model(f"{text}layer a: y = x {clause}\noutput y\noutput z\n")
    found = only(read, name)
    assert {key: found[key] for key in facts} == facts


def test_a_pattern_that_reaches_nothing_warns() -> None:
    read = model(
        spec("for s.{up,down}, nope, s.down: partition B on dp\nfor s: partition D2 on pp")
    )
    assert only(read, "unmatched_pattern") == {"pattern": "nope", "near": (), "there": ("s",)}
    lacking = model(spec("for s.up: partition D2 on dp"))
    assert only(lacking, "unmatched_pattern") == {"pattern": "s.up", "near": (), "lacks": ("D2",)}
    close = model(spec("for s.upp: partition B on dp"))
    assert only(close, "unmatched_pattern") == {"pattern": "s.upp", "near": ("s.up",)}


WEIGHTLESS = """
block f(a[B, D], p[D]) -> z {{ layer g: z[B, D] = a * p }}
weight m[D]
layer one: c = gelu(x) {one}
layer two: b = f(c, m) {two}
stack s[L]: b -> y {stack} {{ layer act: y[B, D] = gelu(b) }}
output y
"""


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("weight u[F] store D on tp", "weight u has no dimension D; it has F"),
        ("weight u[L, F] store D on tp", "weight u has no dimension D; it has F"),
        ("input i[B] partition D on tp", "input i has no dimension D; it has B"),
        ("layer a: z[B, D2] = y partition F on tp", "layer a has no dimension F; it has B, D2"),
        (
            "stack t[L]: y -> q partition E on tp { layer g: q[B, D2] = gelu(y) }",
            "stack t has no layer with dimension E",
        ),
        ("output y partition F on tp", "output y has no dimension F; it has B, D2"),
    ],
)
def test_what_lacks_a_dimension_is_called_by_what_it_is(statement: str, told: str) -> None:
    head = HEAD.replace("L = 4", "L = 4, E = 4")
    body = BODY.removesuffix("output y\n") if statement.startswith("output") else BODY
    found = model(f"{head}{body}{statement}\n").findings
    assert told in [catalogue.message(finding) for finding in found]


@pytest.mark.parametrize(
    ("clauses", "told"),
    [
        ({"one": "frozen"}, [("frozen", "on layer one, which reads no weight")]),
        ({"one": "store on dp"}, [("store", "on layer one, which reads no weight")]),
        ({"stack": "frozen"}, [("frozen", "on stack s, which reads no weight")]),
        ({"two": "frozen store on dp"}, []),
        ({"one": "recompute at pp[0]"}, []),
    ],
)
def test_a_clause_about_weights_where_none_is_read_is_told(
    clauses: dict[str, str], told: list[tuple[str, str]]
) -> None:
    body = WEIGHTLESS.format_map({"one": "", "two": "", "stack": ""} | clauses)
    found = [f for f in model(spec("", body)).findings if f.name == "misplaced"]
    assert [(dict(f.data)["statement"], dict(f.data)["place"]) for f in found] == told
    assert all(dict(f.data)["idle"] for f in found)
    assert all(catalogue.severity(f) == "warning" for f in found)


@pytest.mark.parametrize("pattern", ["*", "s.*", "s.up"])
def test_what_a_stack_repeats_along_is_partitioned_by_the_stacks_own_name(pattern: str) -> None:
    read = model(spec(f"for {pattern}: partition L on pp"))
    (finding,) = read.findings
    assert dict(finding.data) == {"pattern": pattern, "near": ("s",), "lacks": ("L",)}
    assert [fix.title for fix in finding.fixes] == [f"Replace `{pattern}` with `s`"]
    clean(spec("for s: partition L on pp"))


def test_of_many_names_the_first_are_told() -> None:
    many = "".join(f"layer n{k:02}: m{k:02} = x\noutput m{k:02}\n" for k in range(20))
    read = model(spec(f"{many}for zzz: partition B on dp"))
    assert only(read, "unmatched_pattern")["there"] == (*(f"n{k:02}" for k in range(11)), "…")


def unmatched(clauses: str, body: str = BODY) -> list[tuple[object, ...]]:
    """What stands at each pattern or alternative that matches nothing, with its data."""
    read = model(spec(clauses, body))
    return [
        (written(read, finding), *dict(finding.data).values())
        for finding in read.findings
        if finding.name == "unmatched_pattern"
    ]


@pytest.mark.parametrize(
    ("clauses", "found"),
    [
        (
            "for s.{upp,dwn,down}: partition B on dp",
            [("upp", "s.upp", ("up",)), ("dwn", "s.dwn", (), ("down", "up"))],
        ),
        (
            "for s.{upp,dwn}: partition B on dp",
            [("upp", "s.upp", ("up",)), ("dwn", "s.dwn", ("down",))],
        ),
        ("for {s,t}.up: partition B on dp", [("t", "t.up", (), ("s",))]),
        (
            "for {s,z}.{up,q}: partition B on dp",
            [("z", "z.{q,up}", (), ("s",)), ("q", "{s,z}.q", (), ("down", "up"))],
        ),
        ("for t.{up,down}: partition B on dp", [("t.{up,down}", "t.{up,down}", (), ("s",))]),
        ("for s.{up,down}: partition D2 on dp", []),  # up lacks D2: it is skipped
        ("for s.{w,v}: store D on dp", []),
        ("for s.{w,u}: frozen", [("u", "s.u", (), ("down", "up"))]),
        ("for s.{*,nope}: partition B on dp", []),
    ],
)
def test_an_alternative_that_names_nothing_warns_where_it_stands(
    clauses: str, found: list[tuple[object, ...]]
) -> None:
    assert unmatched(clauses) == found


def test_alternatives_may_be_wrong_or_lost() -> None:
    wrong = BODY.replace("gelu(x * w)", "gleu(x * w)")
    assert unmatched("for s.{up,down}: partition F on tp", wrong) == []
    lost = BODY.replace("layer up: h[B, F] =", "layer up: h[B, F =")
    assert unmatched("for s.{up,down}: partition B on dp", lost) == []


def test_a_pattern_on_a_layer_that_is_wrong_does_not_warn() -> None:
    body = BODY.replace("gelu(x * w)", "gleu(x * w)")
    assert names(model(spec("for s.up: partition F on tp", body))) == ["unknown_name"]


def test_axes_that_only_plans_declare_are_not_unknown() -> None:
    text = "dim B = 8\ninput x[B]\nlayer a: y = x partition B on dp\noutput y\n"
    text += "plan p { mesh dp = 2 }\n"
    assert said(layers(clean(text))["a"]) == {}
    assert said(layers(clean(text, plan="p"))["a"]) == {"dp": "B"}

"""Unknown names of two letters: what is unused beside them is meant."""

from __future__ import annotations

import pytest
from reading import Files, model

from parspec.interpreter.spec.resolve import Known, resolve

HEAD = """mesh tp = 4
dim B = 64, D = 32, F = 128
input x[B, D]
"""
PAIR = """layer q: q[B, F] = x * {}
layer k: k[B, F] = x * {}
layer s: s[B, F] = q + k
output s
"""


def told(text: str) -> list[tuple[object, object]]:
    """What is said of the names of a text: unknown ones with those that may be meant, unused ones
    with nothing."""
    facts = [dict(finding.data) for finding in model(text).findings]
    return [(data["name"], data.get("near")) for data in facts]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("weight wq[D, F]\nlayer q: q[B, F] = x * wg\noutput q\n", [("wg", ("wq",))]),
        ("weight wq[D, F], wk[D, F]\n" + PAIR.format("wq", "wh"), [("wh", ("wk",))]),
        (
            "weight wq[D, F], wk[D, F]\n" + PAIR.format("wg", "wh"),
            [("wq", None), ("wk", None), ("wg", ()), ("wh", ())],
        ),
        ("weight wq[D, F]\n" + PAIR.format("wq", "wg"), [("wg", ())]),
        ("layer q: q[B, F] = x * wg\nweight wq[D, F]\noutput q\n", [("wg", ()), ("wq", None)]),
        ("weight a[D, F]\nlayer q: q[B, F] = x * b\noutput q\n", [("a", None), ("b", ())]),
        (
            "weight w_up[D, F], w_us[D, F]\n" + PAIR.format("w_us", "w_ux"),
            [("w_ux", ("w_up", "w_us"))],
        ),
    ],
)
def test_a_variable_that_nobody_reads_is_meant_where_it_is_the_only_one(
    text: str, expected: list[tuple[object, object]]
) -> None:
    assert told(HEAD + text) == expected


@pytest.mark.parametrize(
    ("mesh", "axis", "near"),
    [
        ("tp = 4", "pt", ("tp",)),
        ("tp = 4, dp = 2", "tq", ("tp",)),
        ("tp = 4", "ep", ()),
        ("ta = 4, tb = 2", "tc", ()),
    ],
)
def test_an_axis_keeps_its_first_letter(mesh: str, axis: str, near: tuple[str, ...]) -> None:
    text = f"mesh {mesh}\ndim B = 64\ninput x[B] partition B on {axis}\noutput x\n"
    assert told(text) == [(axis, near)]


def test_a_dimension_that_nobody_reads_is_meant_in_all_places() -> None:
    text = "dim B = 8, FD = 16\ninput x[B, FF]\nlayer a: a[B, FF] = gelu(x)\noutput a\n"
    (found,) = model(text).findings
    assert (found.name, dict(found.data)["near"]) == ("unknown_name", ("FD",))
    (fix,) = found.fixes
    assert fix.title == "Replace `FF` with `FD`"
    assert [edit.text for edit in fix.edits] == ["FD"] * 2


def test_a_variable_of_another_body_is_not_meant() -> None:
    bodies = """block m(u[B, D]) -> v {{
  weight w{}[D, F], wo[F, D]
  layer up: h[B, F] = u * wa
  layer dn: v[B, D] = h * w{}
}}
block n(u[B, D]) -> v {{
  layer up: v[B, D] = u * w{}
}}
layer a: y[B, D] = m(x)
layer b: z[B, D] = n(y)
output z
"""
    assert told(HEAD + bodies.format("a", "i", "j")) == [("wi", ("wo",)), ("wj", ())]


def test_the_same_is_said_after_an_edit_as_at_a_first_look() -> None:
    text = HEAD + "weight wq[D, F], wk[D, F]\n" + PAIR.format("wq", "wk")
    known = Known()
    resolve("main.par", text, Files(), known=known)
    for old, new in (("x * wk", "x * wg"), ("x * wq", "x * wk"), ("x * wg", "x * wq")):
        text = text.replace(old, new)
        again = resolve("main.par", text, Files(), known=known)
        assert again.findings == resolve("main.par", text, Files()).findings

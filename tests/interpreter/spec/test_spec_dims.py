from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parspec.interpreter.spec.dims import Dims, resolve_dims
from parspec.interpreter.spec.readers import Reader, Unread
from parspec.interpreter.spec.sources import gather
from parspec.interpreter.theory.formulas import Amount, symbol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from parspec.interpreter.diagnostics.findings import Finding

AXES: dict[str, Amount] = {"tp": 8}


@dataclass(frozen=True)
class Shelf(Reader):
    """A reader that knows one file, `model.par`."""

    model: str

    def read(self, file: str) -> str | Unread:
        return self.model if file == "model.par" else Unread("missing")


def resolved(
    text: str,
    plan: str | None = None,
    model: str = "",
    overrides: Mapping[str, int] | None = None,
    skipped: frozenset[str] = frozenset(),
) -> tuple[Dims, tuple[Finding, ...]]:
    """The dims of a text, which may import `model.par`."""
    spec = gather("main.par", text, Shelf(model), plan)
    assert spec.findings == ()
    return resolve_dims(spec.statements, AXES, overrides or {}, skipped)


def clean(
    text: str,
    plan: str | None = None,
    model: str = "",
    overrides: Mapping[str, int] | None = None,
) -> Dims:
    """The dims of a text without a mistake."""
    dims, findings = resolved(text, plan, model, overrides)
    assert findings == ()
    assert dims.poisoned == frozenset()
    return dims


def only(found: tuple[Dims, tuple[Finding, ...]]) -> tuple[str, dict[str, object]]:
    """The one finding's name and data."""
    (finding,) = found[1]
    return finding.name, dict(finding.data)


def test_sized_and_symbolic() -> None:
    dims = clean("dim B = 4096, D\ndim S = 8Ki")
    assert [dim.name for dim in dims.items] == ["B", "D", "S"]
    assert [dims.size(name) for name in "BDS"] == [4096, symbol("D"), 8192]
    assert dims.extent("B") == 4096
    assert dims.find("X") is None
    assert dims.size("X") is None


def test_a_product_is_its_factors_major_first() -> None:
    dims = clean("dim I = H * K\ndim H = G * R\ndim G = 8, R = 4, K = 128 unit 128")
    assert dims.leaves("H") == ("G", "R")
    assert dims.leaves("I") == ("G", "R", "K")
    assert dims.size("I") == 4096
    assert dims.leaves("G") == ("G",)
    kv = dims.find("K")
    assert kv is not None
    assert kv.unit == 128


def test_a_product_of_symbols_is_a_formula() -> None:
    dims = clean("dim G, R\ndim H = G * R")
    assert dims.size("H") == symbol("G") * symbol("R")
    assert dims.leaves("H") == ("G", "R")


@pytest.mark.parametrize(
    ("size", "value"),
    [("4 * D", 64), ("T + D", 22), ("3 * D / 2", 24), ("D * tp", 128), ("D * D", 256)],
)
def test_arithmetic_is_a_leaf(size: str, value: int) -> None:
    dims = clean(f"dim F = {size}\ndim D = 16, T = 6")
    assert dims.size("F") == value
    assert dims.leaves("F") == ("F",)
    dim = dims.find("F")
    assert dim is not None
    assert dim.positions == "F"


def test_a_second_index_over_the_same_positions() -> None:
    dims = clean("dim U = T\ndim T = S\ndim S = 8193 uneven unit 2\ndim D2 = D\ndim D")
    assert [dims.size(name) for name in ("S", "T", "U", "D2")] == [8193] * 3 + [symbol("D")]
    same = [dim.positions for dim in dims.items]
    assert same == ["S", "S", "S", "D", "D"]
    t = dims.find("T")
    assert t is not None
    assert (t.factors, t.uneven, t.unit) == (("T",), True, 2)


def test_padding_rounds_the_extent_up() -> None:
    dims = clean("dim V = 50257 padded to 128 * tp, W = V, X = 48 padded to tp, Y padded to tp")
    assert [dims.size(name) for name in "VWX"] == [50257, 50257, 48]
    assert [dims.extent(name) for name in "VWX"] == [51200, 51200, 48]
    assert [dim.padded for dim in dims.items] == [True] * 4
    assert dims.extent("Y") == symbol("Y")


def test_a_product_of_padded_dims_is_padded() -> None:
    dims = clean("dim A = 5 padded to 4, B = 3\ndim C = A * B")
    assert dims.size("C") == 15
    assert dims.extent("C") == 24


def test_capacity() -> None:
    text = "dim C = capacity(tokens = B * S, experts = E, top = 2, factor = 1.25)\ndim "
    assert clean(f"{text}B = 4, S = 25, E = 8").size("C") == 32
    per_expert = symbol("B") * symbol("S") * Fraction(5, 16)
    assert clean(f"{text}B, S, E = 8").size("C") == per_expert
    assert clean(f"{text}B, S, E = 8").leaves("C") == ("C",)


@pytest.mark.parametrize(
    ("arguments", "got"),
    [
        ("tokens = 8, experts = 2", ("tokens", "experts")),
        ("tokens = 8, experts = 2, topk = 1", ("tokens", "experts", "topk")),
        ("tokens = 8, tokens = 8, experts = 2, top = 1", ("tokens", "tokens", "experts", "top")),
    ],
)
def test_wrong_arguments(arguments: str, got: tuple[str, ...]) -> None:
    assert only(resolved(f"dim C = capacity({arguments})")) == (
        "wrong_arguments",
        {
            "function": "capacity",
            "wants": ("tokens", "experts", "top", "factor"),
            "got": got,
            "optional": ("factor",),
        },
    )


def test_an_importing_file_sizes_a_symbolic_dim() -> None:
    dims = clean(
        'import "model.par"\ndim B = 16, V = 50257 padded to 128',
        model="dim B, V  # sequences, vocabulary",
    )
    assert dims.size("B") == 16
    assert dims.extent("V") == 50304
    first = dims.items[0]
    assert (first.name, first.site.file, first.note) == ("B", "model.par", "sequences")


def test_the_sizes_may_stand_in_front_of_the_import() -> None:
    dims = clean('dim B = 16\nimport "model.par"', model="dim B\ndim F = 4 * B")
    assert dims.size("F") == 64


def test_sized_twice() -> None:
    dims, findings = resolved('import "model.par"\ndim B = 16', model="dim B = 4 * 2")
    assert only((dims, findings)) == ("resized", {"name": "B", "size": 16, "before": 8})
    assert dims.size("B") == 8
    assert findings[0].site.file == "main.par"
    assert findings[0].related[0].site.file == "model.par"


@pytest.mark.parametrize(
    "text", ["dim B\ndim B", "dim B = 4\ndim B", "dim B, B", "dim B\ndim B = 4"]
)
def test_declared_twice(text: str) -> None:
    assert only(resolved(text)) == ("duplicate_name", {"kind": "dimension", "name": "B"})


def test_a_plan_sizes_anew_once() -> None:
    text = "dim B = 16 uneven, D\nplan big { dim B = 32, D = 8, E = 4 }"
    assert clean(text).size("B") == 16
    dims = clean(text, plan="big")
    assert [dims.size(name) for name in "BDE"] == [32, 8, 4]
    assert dims.items[0].uneven
    twice = "dim B = 16\nplan big { dim B = 32\n dim B = 64 }"
    assert only(resolved(twice, plan="big")) == ("resized", {"name": "B", "size": 64, "before": 32})


def test_overrides() -> None:
    dims = clean(
        "dim B = 16, D = 64\ndim F = 4 * D, G = 2, R = 4, T = D\ndim H = G * R",
        overrides={"D": 8, "R": 3, "T": 5},
    )
    assert [dims.size(name) for name in "BDFHT"] == [16, 8, 32, 6, 5]
    t = dims.find("T")
    assert t is not None
    assert t.positions == "T"


def test_an_overridden_dim_needs_nothing_of_its_size() -> None:
    assert clean("dim F = 4 * Q", overrides={"F": 8}).size("F") == 8


@pytest.mark.parametrize(
    ("overrides", "name", "text"), [({"B": 0}, "B", "0"), ({"H": 12}, "H", "12")]
)
def test_overrides_that_cannot_be(overrides: dict[str, int], name: str, text: str) -> None:
    code, data = only(resolved("dim H = G * R\ndim B = 4, G = 2, R = 3", overrides=overrides))
    assert code == "bad_size"
    assert (data["name"], data["text"]) == (name, text)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("dim B = 0", "0"),
        ("dim B = 4 - 6", "4 - 6"),
        ("dim B = 3 / 2", "3 / 2"),
        ("dim B = 1.5", "1.5"),
        ("dim B = 4 / 0", "4 / 0"),
        ("dim B = 1e31", "1e31"),
        ("dim B = 1e30 * 1e30", "1e30 * 1e30"),
        ("dim B = 8 unit 0", "0"),
        ("dim B = 8 padded to 1 / 2", "1 / 2"),
        ("dim G = 2, R = 2, B = G * R padded to 4", "4"),
    ],
)
def test_bad_sizes(text: str, written: str) -> None:
    dims, findings = resolved(text)
    name, data = only((dims, findings))
    assert name == "bad_size"
    assert (data["name"], data["text"]) == ("B", written)
    assert data["reason"]
    assert dims.poisoned == {"B"}


@pytest.mark.parametrize(
    ("size", "clause"), [("= 0", "="), ("= 8 unit 0", "unit"), ("= 8 padded to 0", "padded to")]
)
def test_the_part_of_a_dim_that_is_wrong(size: str, clause: str) -> None:
    assert only(resolved(f"dim B {size}"))[1]["clause"] == clause


def test_the_largest_size() -> None:
    assert clean("dim B = 1e30").size("B") == 10**30


def test_an_unknown_name_is_one_finding() -> None:
    dims, findings = resolved("dim Size = 4\ndim F = 4 * Sise\ndim G = 2 * F\ndim H = G * F")
    assert only((dims, findings)) == (
        "unknown_name",
        {"kind": "dimension", "name": "Sise", "near": ("Size",)},
    )
    assert findings[0].fixes[0].edits[0].text == "Size"
    assert dims.poisoned == {"F", "G", "H"}
    assert dims.leaves("H") == ("G", "F")
    assert dims.size("G") == symbol("G")


def test_skipped_names_are_not_reported() -> None:
    dims, findings = resolved("dim F = 4 * Q", skipped=frozenset({"Q"}))
    assert findings == ()
    assert dims.poisoned == {"F"}


def test_a_skipped_name_that_is_declared_elsewhere_keeps_its_size() -> None:
    dims, findings = resolved("dim B = 4, D", skipped=frozenset({"B", "D"}))
    assert findings == ()
    assert dims.size("B") == 4
    assert dims.poisoned == {"D"}


def test_cycles() -> None:
    text = "dim A = B, B = A\ndim C = 2 * A\ndim D = D\ndim E = 1 + F, F = G, G = E"
    dims, findings = resolved(text)
    assert [(f.name, dict(f.data)["cycle"]) for f in findings] == [
        ("size_cycle", ("A", "B", "A")),
        ("size_cycle", ("D", "D")),
        ("size_cycle", ("E", "F", "G", "E")),
    ]
    assert dims.poisoned == set("ABCDEFG")


def test_long_chains() -> None:
    chain = ", ".join(f"D{n} = D{n + 1}" for n in range(5000))
    assert clean(f"dim {chain}, D5000 = 7").size("D0") == 7


@given(
    st.permutations(["A = 2", "B = A + 1", "C = A * B", "D = 4 * C", "E = D", "F = E padded to 7"])
)
def test_the_order_of_declarations_does_not_matter(items: list[str]) -> None:
    dims = clean("\n".join(f"dim {item}" for item in items))
    assert [dims.size(name) for name in "ABCDEF"] == [2, 3, 6, 24, 24, 24]
    assert dims.extent("F") == 28
    assert dims.leaves("C") == ("A", "B")


def test_a_size_that_breaks_off_at_an_error_is_not_trusted() -> None:
    statements = gather("main.par", "dim A = 4, F = 6.4k\ndim G = 64 oops", Shelf("")).statements
    dims, findings = resolve_dims(statements, {}, {}, frozenset())
    assert (dims.size("A"), dims.size("F"), dims.size("G")) == (4, symbol("F"), 64)
    assert (dims.poisoned, findings) == ({"F"}, ())


@pytest.mark.parametrize(
    ("axes", "name", "facts"),
    [
        ({}, "tp", {"kind": "axis", "name": "tp", "near": ()}),
        ({"tp": 8}, "tpp", {"kind": "axis", "name": "tpp", "near": ("tp",)}),
        ({"tp": 8}, "Vs", {"kind": "dimension", "name": "Vs", "near": ("V",)}),
    ],
)
def test_what_is_padded_to_is_mostly_an_axis(
    axes: dict[str, Amount], name: str, facts: dict[str, object]
) -> None:
    spec = gather("main.par", f"dim T = 4\ndim V = 50257 padded to 128 * {name}", Shelf(""))
    _, findings = resolve_dims(spec.statements, axes, {}, frozenset())
    assert [(f.name, dict(f.data)) for f in findings] == [("unknown_name", facts)]

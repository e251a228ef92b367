"""Expects: budgets and pins with their names resolved and their bounds in base units."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from parspec.grammar.expressions import Arithmetic, Name, Number
from parspec.grammar.span import Span
from parspec.grammar.syntax import BudgetExpect, ExpectStatement, PrimitiveExpect, StateExpect
from parspec.grammar.values import value
from parspec.interpreter.diagnostics.findings import Edit, Finding, Fix
from parspec.interpreter.spec.clauses import PARTIAL_KINDS, axes_of
from parspec.interpreter.spec.model import Expect
from parspec.interpreter.spec.names import near
from parspec.interpreter.spec.paths import one
from parspec.interpreter.spec.scopes import Here, Notes, Scope
from parspec.interpreter.spec.sizes import (
    COUNTS,
    TOO_LONG,
    UNITS,
    Kind,
    Problem,
    computed,
    missing_factor,
    quantity,
    shortened,
)
from parspec.interpreter.spec.sources import of_kind
from parspec.interpreter.spec.unitless import with_unit
from parspec.interpreter.theory.formulas import Amount, is_number
from parspec.interpreter.theory.primitives import PRIMITIVES

if TYPE_CHECKING:
    from parspec.grammar.expressions import Size
    from parspec.grammar.syntax import GradientUse, StateWord
    from parspec.interpreter.spec.paths import Names
    from parspec.interpreter.spec.scopes import World
    from parspec.interpreter.spec.sources import Placed, Statements

FIGURES: Mapping[str, tuple[Kind, ...]] = {
    "traffic": ("bytes",),
    "memory": ("bytes",),
    "weights": ("bytes",),
    "gradients": ("bytes",),
    "optimizer": ("bytes",),
    "activations": ("bytes",),
    "cache": ("bytes",),
    "buffers": ("bytes",),
    "time": ("s",),
    "step": ("s",),
    "compute": ("s",),
    "communication": ("s",),
    "bubble": ("share", "s"),
    "mfu": ("share",),
    "throughput": ("count",),
    "parameters": ("count",),
    "flops": ("flop",),
}
"""What a budget may be about, with the kinds of its bound (the first is the usual one)."""
OF_TRAINING = frozenset({"bubble", "mfu", "throughput"})
"""Figures of a whole optimizer step."""

STATES = ("P", "R", "C")
_ROUNDED = re.compile(r"[0-9_]+(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?\s*([kMBT])?")
PARTITIONED = frozenset(("partitioned", "sharded", "split"))
"""What others call the state P."""
_BY_DIM = "it is `P(d)`, by dimension"
_ALL_STATES = "they are P(d), R, R(partial) and C(k)"
_USUAL: Mapping[Kind, str] = {"bytes": "GB", "s": "ms", "flop": "Tflop"}
"""The unit in which bounds of a kind are mostly given."""


def resolve_expects(
    statements: Statements, names: Names, world: World, notes: Notes
) -> tuple[Expect, ...]:
    """The budgets and pins of a spec; one that is wrong, or that is about something that has been
    left out, is left out.

    Findings: `unknown_name`, `budget_without_unit`, `unit_mismatch`, `bad_size`.
    """
    found: list[Expect] = []
    for statement, placed in of_kind(statements, ExpectStatement):
        resolving = _Resolving(names, Here(world, Scope(), placed, notes))
        expect = resolving.expect(statement)
        if expect is not None:
            found.append(expect)
    return tuple(found)


def text_of(placed: Placed) -> str:
    """A statement as written, on one line and without comments."""
    return " ".join(re.sub(r"#[^\r\n]*", " ", placed.chunk.text).split())


@value
class _Resolving:
    """One `expect`."""

    names: Names
    here: Here

    def expect(self, statement: ExpectStatement) -> Expect | None:
        condition = statement.condition
        paths = condition.scope.within
        if isinstance(condition, BudgetExpect):
            paths = (*condition.arguments, *paths)
        sound = self.sound(condition)
        places = [one(self.names.layers, "layer", path, (), self.here) for path in paths]
        axes = axes_of(condition.scope.axes, self.here)
        use = None if isinstance(condition, BudgetExpect) else condition.tensor
        inside = [place[0] for place in places if place is not None]
        tensor = None if use is None else self.tensor(use, inside)
        bound = self.bound(condition) if isinstance(condition, BudgetExpect) else None
        lost = None in places or axes is None or (use is not None and tensor is None)
        if lost or axes is None or not sound:
            return None
        if isinstance(condition, BudgetExpect) and bound is None:
            return None
        if any(place is not None and not place[1] for place in places):
            return None
        text = text_of(self.here.placed)
        site = self.here.at(_whole(self.here.placed))
        within = tuple(inside) if places else None
        slack = self.slack(condition) if isinstance(condition, BudgetExpect) else Fraction(0)
        return Expect(statement, text, tensor, within, axes, bound, slack, site)

    def tensor(self, use: GradientUse, inside: Sequence[str]) -> str | None:
        """The unique name of the variable that a pin is about."""
        if not inside and self.names.is_kept(use.path.text):
            return use.path.text
        fits = one(self.names.tensors, "tensor", use.path, inside, self.here)
        return None if fits is None or not self.names.is_kept(fits[1][0]) else fits[1][0]

    def sound(self, condition: BudgetExpect | PrimitiveExpect | StateExpect) -> bool:
        """Are the words of a condition known? Says which is not."""
        match condition:
            case BudgetExpect(figure=figure):
                return self.chosen("figure", figure, FIGURES, f"they are {', '.join(FIGURES)}")
            case PrimitiveExpect(primitive=Name() as primitive):
                return self.known("primitive", primitive, PRIMITIVES)
            case StateExpect(state=state):
                sharded = state.head.text.casefold() in PARTITIONED
                told = _BY_DIM if sharded else _ALL_STATES
                return self.chosen("state", state.head, STATES, told) and self.state(state)
        return True

    def known(self, kind: str, name: Name, names: Iterable[str]) -> bool:
        known = tuple(names)
        if name.text not in known:
            self.here.report_unknown(kind, name, known)
        return name.text in known

    def chosen(self, kind: str, name: Name, names: Iterable[str], told: str) -> bool:
        """Is a word one of a few? Where none is close to it, all are told."""
        if near(name.text, names) or self.here.is_quiet(kind, name):
            return self.known(kind, name, names)
        data = (("kind", kind), ("name", name.text), ("near", ()), ("here", told))
        self.here.notes.found.append(Finding("unknown_name", self.here.at(name.span), data))
        return False

    def state(self, state: StateWord) -> bool:
        """Are the names in the parentheses of a state what they must be?"""
        names = [part for part in state.arguments if isinstance(part, Name)]
        match state.head.text:
            case "P":
                dims = tuple(dim.name for dim in self.here.world.dims.items)
                known = [self.known("dimension", name, dims) for name in names]
                return all(known)
            case "R":
                kinds = ("partial", *PARTIAL_KINDS)
                known = [self.known("state", name, kinds) for name in names]
                return all(known)
        return True

    # -- bounds

    def bound(self, budget: BudgetExpect) -> Amount | None:
        """The bound in base units; None, after saying why, where it is of another kind."""
        kinds = FIGURES.get(budget.figure.text)
        value = None if kinds is None else self.value(budget.bound, kinds[0])
        if kinds is None or value is None:
            return None
        amount, kind = value
        if kind in kinds or (kind == "count" and (amount == 0 or "share" in kinds)):
            return amount
        span = budget.bound.span
        if kind == "count":
            text = self.here.placed.text(span)
            usual = _USUAL[kinds[0]]
            suggestion = f"{text} {usual}"
            if is_number(amount):
                suggestion = with_unit(text, Fraction(amount), usual)
            fixes = (Fix(f"Write `{suggestion}`", (Edit(self.here.at(span), suggestion),)),)
            data = (("text", text), ("suggestion", suggestion))
            finding = Finding("budget_without_unit", self.here.at(span), data, fixes=fixes)
            self.here.notes.found.append(finding)
        else:
            factor = missing_factor(kinds[0], kind)
            figure = budget.figure.text
            self.here.report(
                "unit_mismatch", span, name=figure, wants=kinds[0], got=kind, factor=factor
            )
        return None

    def slack(self, budget: BudgetExpect) -> Fraction:
        """Half of what the last digit of a count stands for: a figure equals a bound in fewer
        digits where it rounds to it. Whole numbers are exact."""
        if FIGURES[budget.figure.text][0] != "count" or not isinstance(budget.bound, Number):
            return Fraction(0)
        written = _ROUNDED.fullmatch(self.here.placed.text(budget.bound.span))
        if written is None or not any(written.groups()):
            return Fraction(0)
        digits, exponent, unit = written.groups(default="")
        places = int(exponent or 0) - len(digits)
        return Fraction(f"1e{places}") * COUNTS.get(unit, 1) / 2

    def value(self, size: Size, wants: Kind) -> tuple[Amount, Kind] | None:
        """A bound's value and kind; names are dimensions."""
        match size:
            case Number(unit=str(letter)) if wants == "count" and letter in COUNTS:
                count = size.value * COUNTS[letter]
                return (count.numerator if count.denominator == 1 else count), "count"
            case Number():
                written = quantity(size)
                if isinstance(written, Problem):
                    unit = Name(written.name, written.span)
                    self.here.report_unknown("unit", unit, tuple(UNITS))
                    return None
                value = written.value
                return (value.numerator if value.denominator == 1 else value), written.kind
            case Name():
                known = self.here.world.dims.size(size.text)
                if known is None:
                    self.here.report_unknown("dimension", size, self.here.dim_names())
                return None if known is None else (known, "count")
            case Arithmetic():
                return self.computed(size, wants)
        return None

    def computed(self, size: Arithmetic, wants: Kind) -> tuple[Amount, Kind] | None:
        """Arithmetic on bounds: sums of one kind, products with plain numbers."""
        left, right = self.value(size.left, wants), self.value(size.right, wants)
        if left is None or right is None:
            return None
        (a, kind), (b, other) = left, right
        if size.operator == "/" and b == 0:
            self.bad(size, Problem("zero", size.right.span).sentence)
            return None
        match size.operator:
            case "+" | "-" if kind == other:
                result = kind
            case "*" if "count" in (kind, other):
                result = other if kind == "count" else kind
            case "/" if other == "count":
                result = kind
            case _:
                wants = kind if size.operator in "+-" else "count"
                data = {"name": size.operator, "wants": wants, "got": other, "factor": ""}
                self.here.report("unit_mismatch", size.right.span, **data)
                return None
        value = computed(size, a, b)
        if value is None:
            self.bad(size, TOO_LONG)
            return None
        return value, result

    def bad(self, size: Arithmetic, reason: str) -> None:
        """Says why arithmetic has no value."""
        text = shortened(self.here.placed.text(size.span))
        self.here.report("bad_size", size.span, name="bound", text=text, reason=reason)


def _whole(placed: Placed) -> Span:
    """A statement from its first character to its last."""
    text = placed.chunk.text
    end = len(text)
    for line in reversed(text.splitlines(keepends=True)):
        code = line.partition("#")[0].rstrip()
        end -= len(line)
        if code:
            return Span(0, end + len(code))
    return Span(0, len(text))

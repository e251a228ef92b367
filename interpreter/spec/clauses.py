"""Clauses: what a statement says of each axis, before it is given to layers and variables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Literal, TypeAlias

from parspec.grammar.expressions import Name
from parspec.grammar.syntax import (
    AtClause,
    AxisUse,
    Clause,
    Cut,
    FlagClause,
    PartitionClause,
    StateClause,
    StoreClause,
    UnevenClause,
)
from parspec.grammar.values import changed, value
from parspec.interpreter.spec.model import Assignment, Stage

if TYPE_CHECKING:
    from parspec.grammar.expressions import Path
    from parspec.grammar.span import Span
    from parspec.interpreter.spec.scopes import Here

Bearer: TypeAlias = Literal[
    "layer", "stack", "pattern", "input", "weight", "cache", "var", "output"
]

TAKES: Mapping[Bearer, frozenset[str]] = {
    "layer": frozenset({"partition", "state", "store", "at", "recompute", "frozen"}),
    "stack": frozenset({"partition", "state", "store", "at", "recompute", "frozen", "uneven"}),
    "pattern": frozenset({"partition", "state", "store", "at", "recompute", "frozen", "uneven"}),
    "input": frozenset({"partition", "state", "at"}),
    "weight": frozenset({"partition", "state", "store", "at", "frozen"}),
    "cache": frozenset({"partition", "state", "at"}),
    "var": frozenset({"partition", "state"}),
    "output": frozenset({"partition", "state", "at"}),
}
"""The clauses that may stand on each bearer; `state` is a layout in words (`replicated`)."""
PARTIAL_KINDS = ("sum", "max", "min", "logsumexp")


@value
class Said:
    """What the clauses of one statement say.

    `assignments` of how something is computed or lies, `stores` of how weights lie at rest.
    `sound` is False where a part was left out because of a mistake that has been reported.
    """

    assignments: tuple[Assignment, ...] = ()
    stores: tuple[Assignment, ...] = ()
    stage: Stage | None = None
    frozen: bool = False
    recompute: bool = False
    uneven: bool = False
    sound: bool = True


NOTHING = Said()


def said(clauses: Iterable[Clause], bearer: Bearer, name: str, here: Here) -> Said:
    """What clauses say of a layer, a stack, a variable, or what a pattern matches, called `name`.

    Findings: `unknown_name` (axes, dimensions), `axis_reused`, `conflicting_states`, `misplaced`.
    """
    result = NOTHING
    for clause in clauses:
        word = _word(clause)
        if word not in TAKES[bearer]:
            keyword = clause.state if isinstance(clause, StateClause) else word
            here.report("misplaced", clause.span, statement=keyword, place=f"on {_a(bearer)}")
            result = changed(result, sound=False)
            continue
        match clause:
            case PartitionClause() | StateClause() | StoreClause():
                result = _assigned(result, clause, here)
            case AtClause():
                result = _staged(result, clause, here)
            case FlagClause(flag="frozen"):
                result = changed(result, frozen=True)
            case FlagClause():
                result = changed(result, recompute=True)
            case UnevenClause():
                result = changed(result, uneven=True)
    return _without_contradictions(result, bearer, name, here)


def _word(clause: Clause) -> str:
    match clause:
        case PartitionClause():
            return "partition"
        case StateClause():
            return "state"
        case StoreClause():
            return "store"
        case AtClause():
            return "at"
        case FlagClause(flag=flag):
            return flag
        case UnevenClause():
            return "uneven"


def _a(bearer: Bearer) -> str:
    return f"an {bearer}" if bearer in ("input", "output") else f"a {bearer}"


def _assigned(
    result: Said, clause: PartitionClause | StateClause | StoreClause, here: Here
) -> Said:
    match clause:
        case PartitionClause(cuts=cuts):
            made = [part for cut in cuts for part in _cut(cut, here)]
        case StateClause():
            made = list(_state(clause, here))
        case StoreClause():
            made = list(_store(clause, here))
    known = tuple(part for part in made if part is not None)
    sound = result.sound and len(known) == len(made)
    if isinstance(clause, StoreClause):
        return changed(result, stores=result.stores + known, sound=sound)
    return changed(result, assignments=result.assignments + known, sound=sound)


def _cut(cut: Cut, here: Here) -> Iterator[Assignment | None]:
    sequence = tuple(use.path.text for use in cut.axes)
    known = not isinstance(cut.dim, Name) or _known_dim(cut.dim, here)
    for use in cut.axes:
        if not (_known_axis(use.path, here) and known):
            yield None
        elif isinstance(cut.dim, Name):
            dim = cut.dim.text
            yield Assignment(
                use.path.text, "partition", dim, sequence, use.dealt, site=here.at(cut.span)
            )
        else:
            saying: Literal["none", "hole"] = "none" if cut.dim == "none" else "hole"
            yield Assignment(use.path.text, saying, site=here.at(cut.span))


def _state(clause: StateClause, here: Here) -> Iterator[Assignment | None]:
    kind = None
    if clause.state == "partial":
        kind = "sum" if clause.kind is None else clause.kind.text
    known = clause.kind is None or kind in PARTIAL_KINDS
    if clause.kind is not None and not known:
        here.report_unknown("kind of partial", clause.kind, PARTIAL_KINDS)
    for use in clause.axes:
        if not (_known_axis(use.path, here) and known):
            yield None
        else:
            yield Assignment(use.path.text, clause.state, kind=kind, site=here.at(clause.span))


def _store(clause: StoreClause, here: Here) -> Iterator[Assignment | None]:
    sequence = tuple(use.path.text for use in clause.axes)
    known = clause.dim is None or _known_dim(clause.dim, here)
    dim = None if clause.dim is None else clause.dim.text
    for use in clause.axes:
        if not (_known_axis(use.path, here) and known):
            yield None
        else:
            yield Assignment(use.path.text, "store", dim, sequence, site=here.at(clause.span))


def _staged(result: Said, clause: AtClause, here: Here) -> Said:
    index = clause.stage.value
    if not _known_axis(clause.axis, here):
        return changed(result, sound=False)
    if index.denominator != 1:
        reason = "stages are counted from 0 in whole numbers"
        axis, text = clause.axis.text, str(index)
        here.report("bad_size", clause.stage.span, name=axis, text=text, reason=reason)
        return changed(result, sound=False)
    stage = Stage(clause.axis.text, index.numerator, here.at(clause.span))
    return changed(result, stage=stage)


def _known_axis(path: Path, here: Here) -> bool:
    if here.world.has_axis(path.text):
        return True
    here.report_unknown("axis", Name(path.text, path.span), here.world.axes)
    return False


def _known_dim(dim: Name, here: Here) -> bool:
    if here.leaves(dim.text) is not None or dim.text in here.world.template_dims:
        return True
    here.report_unknown("dimension", dim, here.dim_names())
    return False


def axes_of(uses: Iterable[AxisUse], here: Here) -> tuple[str, ...] | None:
    """The names of axes; None, after saying why, where one is unknown."""
    uses = tuple(uses)
    known = [_known_axis(use.path, here) for use in uses]
    return tuple(use.path.text for use in uses) if all(known) else None


def _without_contradictions(result: Said, bearer: Bearer, name: str, here: Here) -> Said:
    """Each axis once: what a statement says of an axis for the second time is a finding."""
    every = (*result.assignments, *result.stores)
    if len({part.axis for part in every}) == len(every):
        return result
    kept: dict[str, Assignment] = {}
    sound = result.sound
    for part in every:
        first = kept.setdefault(part.axis, part)
        if first is part:
            continue
        sound = False
        if {first.saying, part.saying} <= {"partition", "store"}:
            here.report(
                "axis_reused",
                part.site.span,
                axis=part.axis,
                dim=part.dim,
                other=first.dim,
                layer=name,
                bearer=bearer,
            )
        else:
            span: Span = part.site.span
            first_text, second_text = _text(first), _text(part)
            here.report(
                "conflicting_states", span, axis=part.axis, first=first_text, second=second_text
            )
    held = tuple(kept.values())
    return changed(
        result,
        assignments=tuple(part for part in held if part.saying != "store"),
        stores=tuple(part for part in held if part.saying == "store"),
        sound=sound,
    )


def _text(part: Assignment) -> str:
    match part.saying:
        case "partition" | "store":
            return f"{part.saying} {part.dim}" if part.dim else part.saying
        case "none":
            return "partition none"
        case "hole":
            return "partition ?"
    return part.saying

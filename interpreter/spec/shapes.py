"""Shapes: which dimensions an operator's result has, and what is wrong with those it was given.

Only a product of tensors sums over what its result lacks. Everything else keeps the dimensions
of its operands, but for those that its function takes away.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from parspec.grammar.span import Span
from parspec.grammar.values import value
from parspec.interpreter.diagnostics.findings import Edit, Finding, Fix, Related
from parspec.interpreter.spec.mends import Mend, reindexed, swapped
from parspec.interpreter.theory.operators import Operator

if TYPE_CHECKING:
    from parspec.grammar.expressions import Name
    from parspec.interpreter.diagnostics.findings import Datum
    from parspec.interpreter.spec.indices import Reading
    from parspec.interpreter.spec.scopes import Here

Kind: TypeAlias = Literal[
    "einsum",
    "sum",
    "pointwise",
    "along",
    "lookup",
    "crossentropy",
    "dispatch",
    "combine",
    "scale",
    "copy",
]
Leaves: TypeAlias = tuple[str, ...]


@lru_cache(maxsize=1 << 12)
def _operator(
    kind: Kind,
    inputs: tuple[Leaves, ...],
    output: Leaves,
    function: str,
    over: Leaves,
    masked: bool,
) -> Operator:
    """An operator; layers that compute alike share one."""
    return Operator(kind, inputs, output, function, over, masked)


@value
class Draft:
    """An operator with its operands, its result still to be named.

    `keeps`: whether a function along dimensions leaves them in its result. `offset` is added
    to a sum. `fixed`: the result's dimensions where the operator itself says them (a template's).
    `template` and `bound`: the op that it was made from, with its dims and what they stand for.
    """

    kind: Kind
    readings: tuple[Reading, ...]
    span: Span
    function: str = ""
    over: Leaves = ()
    masked: bool = False
    keeps: bool = True
    offset: Fraction = Fraction(0)
    fixed: Leaves | None = None
    template: str | None = None
    bound: tuple[tuple[str, str], ...] = ()

    def operator(self, output: Leaves) -> Operator:
        """The operator with this result."""
        inputs = tuple(reading.leaves for reading in self.readings)
        return _operator(self.kind, inputs, output, self.function, self.over, self.masked)

    @property
    def assumed(self) -> bool:
        """Whether the dimensions of an operand are only assumed."""
        return any(reading.assumed for reading in self.readings)

    @property
    def leaves(self) -> Leaves:
        """Every dimension of the operands once."""
        return union([reading.leaves for reading in self.readings])


def union(groups: Iterable[Iterable[str]]) -> Leaves:
    """Every name once, in order."""
    return tuple(dict.fromkeys(chain.from_iterable(groups)))


def natural(draft: Draft) -> Leaves | None:
    """The dimensions that the result has when nobody says them; None where that is open."""
    if draft.fixed is not None:
        return draft.fixed
    operands = [reading.leaves for reading in draft.readings]
    match draft.kind:
        case "einsum":
            first = operands[0]
            return first if all(set(leaves) == set(first) for leaves in operands) else None
        case "lookup":
            table = draft.readings[1].dims.groups
            return union((operands[0], *table[1:]))
        case "crossentropy":
            return tuple(leaf for leaf in operands[1] if leaf not in draft.over)
        case "dispatch" | "combine":
            return None
        case "along" if not draft.keeps:
            return tuple(leaf for leaf in draft.leaves if leaf not in draft.over)
        case "sum" | "pointwise" if not any(set(draft.leaves) == set(each) for each in operands):
            return None
    return draft.leaves


def inner(
    draft: Draft, wanted: Leaves | None, beside: frozenset[str], fresh: Leaves
) -> Leaves | None:
    """The dimensions of an unnamed result; None where they cannot be told.

    A product keeps what the layer's result (`wanted`) has, and what one of its factors alone shares
    with what it is multiplied by (`beside`). `fresh` are dimensions of the layer's result that
    no operand has.
    """
    if draft.fixed is not None or wanted is None:
        return natural(draft)
    operands = [reading.leaves for reading in draft.readings]
    if draft.kind == "einsum":
        alone = {d for d in beside if sum(d in leaves for leaves in operands) == 1}
        kept = set(wanted) | alone
        return tuple(
            leaf for leaf in union((wanted, *operands)) if leaf in kept & set(draft.leaves)
        )
    if draft.kind == "dispatch":
        tokens, scores = operands
        experts = [leaf for leaf in scores if leaf not in tokens]
        return (*experts, *fresh, *(leaf for leaf in tokens if leaf not in scores))
    if draft.kind == "combine":
        slots, scores = operands
        return tuple(leaf for leaf in union((scores, slots)) if leaf in wanted)
    if draft.kind == "crossentropy":
        return tuple(leaf for leaf in operands[1] if leaf in wanted)
    return natural(draft)


@value
class Written:
    """A result as it is written: its name, where that stands, and its dimensions, if any."""

    name: str
    span: Span
    dims: tuple[Name, ...] = ()

    def with_dims(self, added: Sequence[str], order: Sequence[str]) -> Sequence[str]:
        """The result's dimensions with further ones, put where they stand in `order`."""
        names = [dim.text for dim in self.dims]
        for dim in added:
            before = [name for name in order[: order.index(dim)] if name in names]
            names.insert(names.index(before[-1]) + 1 if before else 0, dim)
        return names

    def rewritten(self, dims: Iterable[str], here: Here) -> Fix:
        """The fix that writes other dimensions in the place of those that are written."""
        text = ", ".join(dims)
        where = here.at(Span(self.dims[0].span.start, self.dims[-1].span.end))
        return Fix(f"Write `{self.name}[{text}]`", (Edit(where, text),))


def check(draft: Draft, result: Written, output: Leaves, here: Here) -> bool:
    """Does a result with these dimensions follow from the operands? Says why not, unless an
    operand is only assumed: `dim_without_operand`, `missing_sum`, or `wrong_arguments` where a
    function's operands are not what it takes, with a fix where there is one."""
    name = result.name
    if _fits(draft, output, here):
        if draft.kind == "einsum" and not draft.assumed:
            _report_summed_alone(draft, result, output, here)
        return True
    if draft.assumed:
        return False
    extra = _unexplained(draft, output, here)
    if draft.kind in ROLES and ((mend := _swap(draft, output, here)) or not _routes(draft, output)):
        _report_roles(draft, name, output, mend, here)
    elif extra is not None:
        _report_unexplained(draft, result, output, extra, here)
    else:
        _report_missing_sum(draft, result, _lost(draft, output), here)
    return False


def lacks(draft: Draft, output: Leaves, here: Here) -> bool:
    """Is all that is wrong with a result that it lacks dimensions?"""
    return _comes_of(draft, output, here) and bool(_lost(draft, output))


def _fits(draft: Draft, output: Leaves, here: Here) -> bool:
    """Does a result with these dimensions follow from the operands?"""
    return _comes_of(draft, output, here) and not _lost(draft, output)


def _comes_of(draft: Draft, output: Leaves, here: Here) -> bool:
    """Do the operands have all that the result has, and what their function needs?"""
    return _unexplained(draft, output, here) is None and _routes(draft, output)


ROLES: Mapping[Kind, str] = {
    "lookup": "indices and a table, as in `x[B, D] = lookup(tokens[B], emb[V, D])`",
    "dispatch": "tokens and their scores for experts, as in "
    "`xe[E, C, D] = dispatch(x[B, D], r[B, E])`",
    "combine": "what experts made and the scores of tokens, as in "
    "`y[B, D] = combine(ye[E, C, D], r[B, E])`",
}
"""What functions take whose two operands are different things."""


def _swap(draft: Draft, output: Leaves, here: Here) -> Mend | None:
    """The operands in each other's places, if that fits."""
    mend = swapped(draft, here)
    return mend if _fits(mend.draft, output, here) else None


def _report_roles(draft: Draft, name: str, output: Leaves, mend: Mend | None, here: Here) -> None:
    given = " and ".join(f"[{', '.join(r.dims.names)}]" for r in draft.readings)
    got = f"{given} for {name}[{', '.join(output)}]"
    data = (("function", draft.kind), ("wants", ROLES[draft.kind]), ("got", got))
    fixes = () if mend is None else (mend.fix,)
    here.notes.found.append(Finding("wrong_arguments", here.at(draft.span), data, fixes=fixes))


def _report_unexplained(
    draft: Draft, result: Written, output: Leaves, extra: str, here: Here
) -> None:
    """`dim_without_operand`, with the operand that may be read with the dimension, or else the
    result with the dimensions that it has of itself."""
    data: tuple[tuple[str, Datum], ...] = (("name", result.name), ("dim", extra))
    fixes: tuple[Fix, ...] = ()
    if found := _reread(draft, output, extra, here):
        like, mend = found
        data = (*data, ("like", like), ("suggestion", mend.text))
        fixes = (mend.fix,)
    elif result.dims and draft.kind != "einsum" and (own := natural(draft)):
        fixes = (result.rewritten(_as_written(own, draft.readings), here),)
    place = here.at(result.span)
    here.notes.found.append(Finding("dim_without_operand", place, data, fixes=fixes))


def _reread(draft: Draft, output: Leaves, extra: str, here: Here) -> tuple[str, Mend] | None:
    """An operand read with a dimension that the result has beyond the operands, in place of the one
    that is given beside."""
    mends = reindexed(draft, extra, here)
    return next(((old, mend) for old, mend in mends if _fits(mend.draft, output, here)), None)


def _routes(draft: Draft, output: Leaves) -> bool:
    """Has a dispatch or a combine what it needs: experts that scores have and tokens lack, which
    come first in what is dispatched, and slots for them?"""
    if draft.kind not in ("dispatch", "combine"):
        return True
    first, scores = (reading.leaves for reading in draft.readings)
    tokens, slots = (first, output) if draft.kind == "dispatch" else (output, first)
    experts = [leaf for leaf in scores if leaf not in tokens]
    if not experts or all(leaf in tokens or leaf == experts[0] for leaf in slots):
        return False
    hidden = [place for place, leaf in enumerate(slots) if leaf in tokens and leaf not in scores]
    places = [place for place, leaf in enumerate(slots) if leaf in experts]
    return not hidden or not places or places[0] < hidden[0]


def _report_summed_alone(draft: Draft, result: Written, output: Leaves, here: Here) -> None:
    """Warns of a dimension that a product sums away though only one factor has it: it contracts
    nothing, and is mostly another factor's index misnamed. Where two factors have one each, these
    may be meant to be the same."""
    alone = [
        (reading, dim)
        for reading in draft.readings
        for dim in reading.leaves
        if dim not in output and sum(dim in other.leaves for other in draft.readings) == 1
    ]
    if len(alone) == 2 and alone[0][0] is not alone[1][0]:
        _report_unlike(draft, alone[0], alone[1], here)
        return
    for reading, dim in alone:
        data = (("tensor", here.placed.text(reading.span)), ("dim", dim))
        meant = _contracted(draft, result, dim, reading, here) if len(alone) == 1 else None
        if meant is None and (widened := _widened(result, (dim,), draft.readings, here)):
            meant = widened.fix
        fixes = () if meant is None else (meant,)
        site = here.at(reading.span)
        here.notes.found.append(Finding("summed_alone", site, data, fixes=fixes))


def _report_unlike(
    draft: Draft, one: tuple[Reading, str], other: tuple[Reading, str], here: Here
) -> None:
    """`summed_alone` of two factors, each with a dimension of its own: if these are as large, one
    of the factors is read with the dimension of the other."""
    (reading, dim), (second, beside) = one, other
    text, site = here.placed.text, here.at(reading.span)
    also = here.at(second.span)
    data = (("tensor", text(reading.span)), ("dim", dim))
    unlike = (("other", text(second.span)), ("other_dim", beside))
    mends = (mend for old, mend in reindexed(draft, dim, here) if old == beside)
    fixes = tuple(mend.fix for mend in mends)
    related = (Related(also, f"{beside} of {text(second.span)} is summed away, too"),)
    here.notes.found.append(Finding("summed_alone", site, (*data, *unlike), related, fixes))


def _contracted(
    draft: Draft, result: Written, lost: str, reading: Reading, here: Here
) -> Fix | None:
    """The result of a product that sums over nothing that its factors share, with the dimension
    that it lost in place of the last of its own that they share: there that one is summed over."""
    factors = [other.dims.names for other in draft.readings]
    shared = [dim for dim in reading.dims.names if sum(dim in names for names in factors) > 1]
    written = {dim.text: dim for dim in result.dims}
    if not shared or lost not in reading.dims.names or not written.keys() >= set(shared):
        return None
    summed = next(dim for dim in reversed(written) if dim in shared)
    text = ", ".join(lost if dim == summed else dim for dim in written)
    edit = Edit(here.at(written[summed].span), lost)
    return Fix(f"Write `{result.name}[{text}]`", (edit,))


def _unexplained(draft: Draft, output: Leaves, here: Here) -> str | None:
    """A dimension of the result that comes from nowhere."""
    have = set(chain.from_iterable([reading.leaves for reading in draft.readings]))
    gone = set() if draft.keeps and draft.kind == "along" else set(draft.over)
    if draft.kind == "crossentropy":
        have = set(draft.readings[1].leaves)
    if draft.kind == "dispatch":
        fresh = [leaf for leaf in output if leaf not in have]
        return fresh[1] if len(fresh) > 1 else None
    if have.issuperset(output) and gone.isdisjoint(output):
        return None
    return next(
        (
            leaf
            for leaf in output
            if leaf in gone or (leaf not in have and not _repeats(leaf, have, here))
        ),
        None,
    )


def _repeats(leaf: str, have: set[str], here: Here) -> bool:
    """Is it a new factor of a product dim of which the operands have another?"""
    return any(
        leaf in factors and not have.isdisjoint(factors) for _, factors in here.world.products
    )


def _lost(draft: Draft, output: Leaves) -> Leaves:
    """The operands' dimensions that the result lacks though nothing takes them away."""
    if draft.kind == "einsum":
        return ()
    operands = [reading.leaves for reading in draft.readings]
    lacking = [leaf for leaf in draft.leaves if leaf not in output]
    match draft.kind:
        case "along" if not draft.keeps:
            return tuple(leaf for leaf in lacking if leaf not in draft.over)
        case "crossentropy":
            meant = {*draft.over, *operands[1]}
            return tuple(leaf for leaf in lacking if leaf not in meant)
        case "lookup":
            rows = _rows(operands[0], operands[1], output)
            return tuple(leaf for leaf in lacking if leaf not in rows)
        case "dispatch":
            tokens, scores = operands
            return tuple(leaf for leaf in lacking if (leaf in tokens) != (leaf in scores))
        case "combine":
            slots, scores = operands
            others = [leaf for leaf in lacking if leaf not in slots or leaf not in scores]
            capacity = next((leaf for leaf in others if leaf in slots), None)
            return tuple(leaf for leaf in others if leaf != capacity)
    return tuple(lacking)


def _rows(indices: Leaves, table: Leaves, output: Leaves) -> set[str]:
    """The dimensions of a table that a lookup goes into: its first ones that are not kept."""
    rows: set[str] = set()
    for leaf in table:
        if leaf not in output and leaf not in indices:
            rows.add(leaf)
        elif rows:
            break
    return rows


def _report_missing_sum(draft: Draft, result: Written, lost: Leaves, here: Here) -> None:
    """`missing_sum`, with the mends: the result with the dimensions, or the sum written out around
    what has them, unless a function works along them: what it makes is not meant to be summed."""
    holders = [reading for reading in draft.readings if set(lost) & set(reading.leaves)]
    dims = _as_written(lost, draft.readings)
    data: tuple[tuple[str, Datum], ...] = (("name", result.name), ("dims", dims))
    fixes: tuple[Fix, ...] = ()
    widened = _widened(result, dims, holders[:1], here)
    if widened is not None and _routes(draft, _leaves_of(widened.dims, here)):
        data = (*data, ("result", widened.text))
        fixes = (widened.fix,)
    if not fixes or set(lost).isdisjoint(draft.over):
        edits = tuple(_summed(draft, lost, dims, holders, here))
        texts = tuple(edit.text for edit in edits)
        data = (*data, ("suggestion", " and ".join(texts)))
        fixes = (*fixes, Fix(f"Write `{'` and `'.join(texts)}`", edits))
    here.notes.found.append(Finding("missing_sum", here.at(result.span), data, fixes=fixes))


def _summed(
    draft: Draft, lost: Leaves, dims: Sequence[str], holders: Sequence[Reading], here: Here
) -> Iterator[Edit]:
    """The sum written out: around all of it where all of it has the dimensions, or a function makes
    it, else around each operand that has some of them."""
    every = len(holders) == len(draft.readings) > 1
    alike = every and all(set(lost) <= set(reading.leaves) for reading in holders)
    made = draft.kind not in ("sum", "copy", "scale")
    if (alike or made) and not draft.offset:
        yield _sum_over(dims, draft.span, here)
        return
    for reading in holders:
        own = tuple(leaf for leaf in lost if leaf in reading.leaves)
        yield _sum_over(_as_written(own, (reading,)), reading.span, here)


def _sum_over(dims: Sequence[str], span: Span, here: Here) -> Edit:
    return Edit(here.at(span), f"sum over {', '.join(dims)} ({here.placed.text(span)})")


def _leaves_of(dims: Sequence[str], here: Here) -> Leaves:
    return tuple(leaf for dim in dims for leaf in here.leaves(dim) or (dim,))


class _Widened(NamedTuple):
    """A result with further dimensions: all of them, how it is written, and the fix for it."""

    dims: Sequence[str]
    text: str
    fix: Fix


def _widened(
    result: Written, added: Sequence[str], like: Sequence[Reading], here: Here
) -> _Widened | None:
    """The result written with further dimensions, which stand as they do in operands; None where
    it is written without any, or they do not."""
    order = list(dict.fromkeys(chain.from_iterable(reading.dims.names for reading in like)))
    if not result.dims or not set(added) <= set(order):
        return None
    names = result.with_dims(added, order)
    text = f"{result.name}[{', '.join(names)}]"
    return _Widened(names, text, result.rewritten(names, here))


def _as_written(leaves: Leaves, readings: Sequence[Reading]) -> tuple[str, ...]:
    """Leaves under the names of the dims that they were written as, where all of one are there."""
    names: list[str] = []
    left = list(leaves)
    for reading in readings:
        for name, group in zip(reading.dims.names, reading.dims.groups, strict=True):
            if group and set(group) <= set(left):
                names.append(name)
                left = [leaf for leaf in left if leaf not in group]
    return (*names, *left)

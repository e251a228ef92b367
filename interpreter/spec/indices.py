"""Indices: the dimensions of a tensor where it is declared, and how they are renamed by position
where it is read.

Products of dims are spelled out on both sides before positions are counted; along the stacks
around it a weight or a cache has one slice for each turn, so their dimensions are dropped first.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field
from fractions import Fraction
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, TypeAlias

from parspec.grammar.expressions import Name, Number, TensorUse
from parspec.grammar.span import Span
from parspec.grammar.values import changed, value
from parspec.interpreter.spec.limits import SIZE_TERMS, TENSOR_DIMS
from parspec.interpreter.spec.model import Operand
from parspec.interpreter.spec.names import near
from parspec.interpreter.spec.scopes import Broken, Here, Seen
from parspec.interpreter.spec.sizes import datum

if TYPE_CHECKING:
    from parspec.interpreter.diagnostics.findings import Datum

Groups: TypeAlias = tuple[tuple[str, ...], ...]


@value
class Dimensions:
    """Dimensions as written, with the leaves of each."""

    names: tuple[str, ...] = ()
    groups: Groups = ()
    leaves: tuple[str, ...] = field(init=False, repr=False, compare=False)  # all, in order

    def __post_init__(self) -> None:
        object.__setattr__(self, "leaves", tuple(chain.from_iterable(self.groups)))

    def without(self, dims: Iterable[str]) -> Dimensions:
        """The others."""
        dropped = set(dims)
        if dropped.isdisjoint(self.names):
            return self
        kept = [(n, g) for n, g in zip(self.names, self.groups, strict=True) if n not in dropped]
        return dimensions(tuple(n for n, _ in kept), tuple(g for _, g in kept))


@lru_cache(maxsize=2048)
def dimensions(names: tuple[str, ...], groups: Groups) -> Dimensions:
    """Dimensions; equal ones are one value, as most tensors of a model are alike."""
    return Dimensions(names, groups)


@value
class Reading:
    """An operand with the dimensions in which it is read: those of `operand.leaves` that are not
    None. `span` is where it is written; `assumed`: its dimensions are not known, because what gives
    it is broken or its name is wrong, and were assumed to be those that it needs or is written
    with."""

    operand: Operand
    dims: Dimensions
    span: Span
    assumed: bool = False

    @property
    def leaves(self) -> tuple[str, ...]:
        """The dimensions that it brings to an operator."""
        return self.dims.leaves

    def times(self, factor: Fraction) -> Reading:
        """The same, `factor` times as large."""
        if factor == 1:
            return self
        operand = changed(self.operand, factor=self.operand.factor * factor)
        return changed(self, operand=operand)


def spelled(name: str, dims: Iterable[Name], here: Here) -> Dimensions | None:
    """The dimensions of a tensor called `name`; None, after saying why, where one is unknown or
    stands twice."""
    names: list[str] = []
    groups: list[tuple[str, ...]] = []
    seen: set[str] = set()
    sound = True
    dims = tuple(dims)
    for dim in dims:
        leaves = here.leaves(dim.text)
        if leaves is None:
            here.report_unknown("dimension", dim, here.dim_names())
            sound = False
            continue
        if not seen.isdisjoint(leaves):
            repeated = next(leaf for leaf in leaves if leaf in seen)
            here.report("repeated_dim", dim.span, name=name, dim=repeated)
            sound = False
        seen.update(leaves)
        names.append(dim.text)
        groups.append(leaves)
    return (
        _within_limits(name, dimensions(tuple(names), tuple(groups)), dims, here) if sound else None
    )


def _within_limits(
    name: str, dimensions: Dimensions, dims: tuple[Name, ...], here: Here
) -> Dimensions | None:
    """The dimensions of a tensor, unless they are more than anybody needs (`over_limit`)."""
    leaves = dimensions.leaves
    if len(leaves) > TENSOR_DIMS:
        what, limit = "dimensions of one tensor", TENSOR_DIMS
    elif here.world.terms(leaves) > SIZE_TERMS:
        what, limit = f"terms in the formula of the size of {name}", SIZE_TERMS
    else:
        return dimensions
    here.report("over_limit", Span(dims[0].span.start, dims[-1].span.end), what=what, limit=limit)
    return None


def read(use: TensorUse, here: Here) -> Reading | None:
    """What an expression reads where it names a tensor; None, after saying why, where that cannot
    be told."""
    entry = here.scope.tensor(tuple([part.text for part in use.path.parts]))
    if entry is None:
        name = Name(use.path.text, use.path.span)
        close = near(name.text, here.scope.tensor_names())
        here.report_meant("tensor", name, (*here.scope.paths_to(name.text), *close)[:3])
    else:
        here.notes.read.add(entry.site)
    if entry is None or isinstance(entry, Broken) or not _within_turns(entry, use, here):
        return None
    if not entry.settled:
        place = "before the layer that gives it"
        here.report("misplaced", use.span, statement=use.path.text, place=place)
        return None
    if use.indices is not None:
        return _read_by_index(entry, use, here.unheard() if entry.doubted else here)
    operand = Operand(entry.tensor, entry.leaves, site=here.at(use.span))
    return Reading(operand, entry.dims, use.span, entry.doubted)


def _within_turns(seen: Seen, use: TensorUse, here: Here) -> bool:
    """Says so where a tensor with a slice for each turn is read outside its stack, or one that
    has none is indexed by the turns of a stack around it."""
    around = here.scope.turns
    if not (around or seen.turns):
        return True
    outside = next((dim for dim in seen.turns if dim not in around), None)
    if outside is not None:
        place = f"outside the stack along `{outside}`"
        here.report("misplaced", use.span, statement=use.path.text, place=place)
        return False
    written = use.indices or ()
    inside = next((index.name for index in written if _is_turn(index.name, here)), None)
    turn = inside.text if isinstance(inside, Name) and not seen.turns else None
    turn = turn or next((dim for dim in seen.dims.names if dim in around), None)
    if turn is not None:
        here.report("misplaced", use.span, statement=turn, place="as an index inside its stack")
    return turn is None


def _is_turn(name: Name | Number, here: Here) -> bool:
    return isinstance(name, Name) and name.text in here.scope.turns


def _read_by_index(seen: Seen, use: TensorUse, here: Here) -> Reading | None:
    """A tensor read with its indices written out."""
    dims = seen.dims
    indices = [index for index in use.indices or () if not _is_turn(index.name, here)]
    names = [index.name for index in indices if isinstance(index.name, Name)]
    written = spelled(use.path.text, names, here)
    if written is None:
        return None
    by_dim = len(indices) == len(dims.names)
    groups = iter(written.groups)
    slots: list[str | None] = []
    for place, index in enumerate(indices):
        if isinstance(index.name, Name):
            slots.extend(next(groups))
        else:
            slots.extend([None] * (len(dims.groups[place]) if by_dim else 1))
    if len(slots) != len(dims.leaves):
        _report_rank(use.path.text, dims, tuple(_shown(i.name) for i in indices), use.span, here)
        return None
    visible = iter(slots)
    leaves = tuple(None if leaf is None else next(visible) for leaf in seen.leaves)
    sound = same_sizes(use.path.text, dims.leaves, slots, use.span, here)
    for place, index in enumerate(indices):
        if isinstance(index.name, Number):
            dim = dims.names[place] if by_dim else None
            sound = _slice_exists(use.path.text, dim, index.name, here) and sound
    operand = Operand(seen.tensor, leaves, site=here.at(use.span))
    return Reading(operand, written, use.span, seen.doubted) if sound else None


def _shown(name: Name | Number) -> str:
    return name.text if isinstance(name, Name) else str(name.value)


def _slice_exists(name: str, dim: str | None, number: Number, here: Here) -> bool:
    """Is a number an index that the dimension at its place has? Says so where it is not."""
    size = None if dim is None else here.world.size(dim)
    reason = None
    if number.value.denominator != 1 or number.value < 0:
        reason = "an index is a whole number from 0"
    elif isinstance(size, int) and number.value >= size:
        reason = f"`{dim}` has the indices 0 to {size - 1}"
    if reason is not None:
        here.report("bad_size", number.span, name=name, text=str(number.value), reason=reason)
    return reason is None


def _report_rank(
    name: str, declared: Dimensions, written: tuple[str, ...], span: Span, here: Here
) -> None:
    here.report(
        "rank_mismatch",
        span,
        name=name,
        declared=declared.names,
        written=written,
        wants=len(declared.names),
        got=len(written),
    )


def matches(name: str, declared: Dimensions, written: Dimensions, span: Span, here: Here) -> bool:
    """May `written` stand for `declared`, position by position? Says why not: `rank_mismatch` or
    `global_size_mismatch`."""
    if len(declared.leaves) != len(written.leaves):
        _report_rank(name, declared, written.names, span, here)
        return False
    return same_sizes(name, declared.leaves, written.leaves, span, here)


def same_sizes(
    name: str,
    declared: Iterable[str],
    written: Iterable[str | None],
    span: Span,
    here: Here,
) -> bool:
    """Have the leaves equal sizes by position? Says so of the first that have not."""
    for place, (old, new) in enumerate(zip(declared, written, strict=True), 1):
        if new is not None and not here.world.same_size(old, new):
            here.report(
                "global_size_mismatch",
                span,
                name=name,
                position=place,
                dim=new,
                size=_size(new, here),
                other=old,
                other_size=_size(old, here),
            )
            return False
    return True


def _size(leaf: str, here: Here) -> Datum:
    size = here.world.size(leaf)
    return leaf if size is None else datum(size)


def renamed(reading: Reading, dims: Dimensions) -> Reading:
    """An operand read with other names for its dimensions, by position."""
    names = iter(dims.leaves)
    old = reading.operand
    leaves = tuple(None if leaf is None else next(names) for leaf in old.leaves)
    return changed(reading, operand=changed(old, leaves=leaves), dims=dims)

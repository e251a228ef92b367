"""Paths: what `output`, `stages` and `expect` name, at any depth where only one thing fits."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

from parspec.grammar.expressions import Name
from parspec.grammar.values import value
from parspec.interpreter.spec.drafts import layers_of
from parspec.interpreter.spec.ledger import Ledger
from parspec.interpreter.spec.memo import Row
from parspec.interpreter.spec.scopes import Entry, Seen

if TYPE_CHECKING:
    from parspec.grammar.expressions import Path
    from parspec.interpreter.spec.scopes import Here, Scope
    from parspec.interpreter.spec.walk import Walked
    from parspec.interpreter.spec.walks import Drafts


@dataclass(frozen=True, eq=False)
class Shelf:
    """Names by path, with what they mean, and by the ends of their paths."""

    names: Mapping[str, tuple[str, ...]]
    ends: Mapping[str, Sequence[str]]


def shelf(names: Iterable[tuple[str, tuple[str, ...]]]) -> Shelf:
    """A shelf of names; the first meaning of each holds."""
    meant: dict[str, tuple[str, ...]] = {}
    ends: dict[str, list[str]] = {}
    for path, meaning in names:
        if path in meant:
            continue
        meant[path] = meaning
        parts = path.split(".")
        for start in range(1, len(parts)):
            ends.setdefault(".".join(parts[start:]), []).append(path)
    return Shelf(meant, ends)


@value
class Index:
    """Names on shelves, earlier ones first: the first meaning of a name holds."""

    shelves: tuple[Shelf, ...]

    def meaning(self, path: str) -> tuple[str, ...] | None:
        """What a full path means; None where nothing is called that."""
        return next((each.names[path] for each in self.shelves if path in each.names), None)

    def find(self, path: str, within: Iterable[str]) -> tuple[str, ...]:
        """The full paths that fit: inside one of `within`, else around it, else anywhere."""
        inside = tuple(within)
        ends = [full for each in self.shelves for full in each.ends.get(path, ())]
        exact = self._known(f"{outer}.{path}" for outer in inside)
        deep = [full for full in ends if any(full.startswith(f"{outer}.") for outer in inside)]
        beside = (f"{outer}.{path}" for outer in _around(inside))
        known = self._known((*beside, path))
        return tuple(exact or self._once(deep) or known[:1] or self._once(ends))

    def short(self) -> Iterator[str]:
        """All that names may be called: their paths, and the ends that only one path has."""
        ends: dict[str, set[str]] = {}
        for each in self.shelves:
            yield from each.names
            for end, paths in each.ends.items():
                ends.setdefault(end, set()).update(paths)
        yield from (end for end, paths in ends.items() if len(paths) == 1)

    def _known(self, paths: Iterable[str]) -> list[str]:
        return [path for path in paths if self.meaning(path) is not None]

    def _once(self, paths: list[str]) -> list[str]:
        """Paths that mean different things, each thing once."""
        meant: dict[tuple[str, ...] | None, str] = {}
        for path in paths:
            meant.setdefault(self.meaning(path), path)
        return list(meant.values())


def _around(paths: Iterable[str]) -> Iterator[str]:
    """The paths around these, innermost first."""
    for path in paths:
        while "." in path:
            path = path.rpartition(".")[0]
            yield path


class Shelves:
    """The shelves of each passage, of layers and of variables, under one plan."""

    def __init__(self) -> None:
        self.layers: Row[Drafts, Shelf] = Row()
        self.tensors: Row[Drafts, tuple[Shelf, ...]] = Row()


@dataclass(frozen=True)
class Names:
    """The names of a whole model, worked out when somebody asks. `dropped`: the variables that the
    walk has made and that are not in the model; `known`: what was worked out before."""

    walked: Walked
    dropped: frozenset[str]
    known: Shelves

    @cached_property
    def layers(self) -> Index:
        """Layers and stacks with the layers that each stands for; a stack for itself, what was
        left out for nothing."""
        broken = self.walked.building.broken
        return Index(self.shelves.layers.of(lambda each: _layers(each, broken), self.walked.drafts))

    @cached_property
    def tensors(self) -> Index:
        """Variables with their unique names: by these, by what else they answer to, and by what
        scopes call them."""
        each = self.shelves.tensors.of(self._tensors, self.walked.drafts)
        return Index(tuple(chain.from_iterable(zip(*each, strict=True))))

    @property
    def shelves(self) -> Shelves:
        """What still holds of what was worked out before."""
        return Shelves() if self.walked.changed is None else self.known

    def is_stack(self, name: str) -> bool:
        """Is a path that of a stack, and of none that is broken?"""
        unit = self.walked.building.units.get(name)
        return unit is not None and unit.kind == "stack" and not self.is_broken(name)

    def is_broken(self, name: str) -> bool:
        """Is a path that of a layer or stack that was left out?"""
        return name in self.walked.building.broken

    def is_kept(self, tensor: str) -> bool:
        """Is a variable in the model?"""
        return tensor in self.walked.building.tensors and tensor not in self.dropped

    def _tensors(self, drafts: Drafts) -> tuple[Shelf, ...]:
        """What a passage calls variables, as of now."""
        scope, tensors = self.walked.scope, self.walked.building.tensors
        called = scope.tensors
        entries, inner = drafts.log("entries"), drafts.log("inner")
        assert isinstance(called, Ledger)
        assert isinstance(tensors, Ledger)

        own = tensors.present(drafts.tensors)
        names = [name for name in entries.written if called.present([name])]
        seen = zip(names, called.present(names), strict=True)
        by_name = {tensor.name: (tensor.name,) for tensor in own}
        in_scopes = chain(_called(scope, seen), *map(_seen, inner.written.values()))
        return (
            shelf(by_name.items()),
            shelf((alias, by_name[tensor.name]) for tensor in own for alias in tensor.aliases),
            shelf(entry for entry in in_scopes if entry[0] not in by_name),
        )


def _layers(drafts: Drafts, broken: Container[str]) -> Shelf:
    """The layers and stacks of a passage."""
    inside: dict[str, list[str]] = {}
    for draft in layers_of(drafts.items):
        for unit in draft.chain:
            inside.setdefault(unit.name, []).append(draft.layer.name)
    return shelf(
        (
            name,
            (name,) if unit.kind == "stack" and name not in broken else tuple(inside.get(name, ())),
        )
        for name, unit in drafts.log("units").written.items()
    )


def _called(scope: Scope, entries: Iterable[tuple[str, Entry]]) -> Iterator[tuple[str, tuple[str]]]:
    """What variables are called in a scope, broken ones by path."""
    for name, entry in entries:
        path = scope.unique(name)
        yield path, (entry.tensor if isinstance(entry, Seen) else path,)


def _seen(scope: Scope) -> Iterator[tuple[str, tuple[str]]]:
    """What variables are called in a scope and in those inside it."""
    yield from _called(scope, scope.tensors.items())
    for inner in scope.inner.values():
        yield from _seen(inner)


def one(
    index: Index, kind: str, path: Path, within: Iterable[str], here: Here
) -> tuple[str, tuple[str, ...]] | None:
    """The full path that a path stands for, and what that means; None, after saying so, where
    nothing or more than one thing fits."""
    fits = index.find(path.text, within)
    if len(fits) == 1:
        return fits[0], index.meaning(fits[0]) or ()
    if fits:
        close = fits[:3]
        here.report("unknown_name", path.span, kind=kind, name=path.text, near=close)
    elif kind == "tensor" and (gradient := _gradient(index, path.text, within)):
        here.report_meant(kind, Name(path.text, path.span), (gradient,))
    else:
        here.report_unknown(kind, Name(path.text, path.span), tuple(index.short()))
    return None


def _gradient(index: Index, path: str, within: Iterable[str]) -> str | None:
    """The gradient that is meant by a path like `w.grad`."""
    tensor, _, last = path.rpartition(".")
    return f"grad({tensor})" if last == "grad" and index.find(tensor, within) else None

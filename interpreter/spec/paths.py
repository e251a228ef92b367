"""Paths: what `output`, `stages` and `expect` name, at any depth where only one thing fits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from parspec.grammar.syntax import Name
from parspec.interpreter.spec.drafts import layers_of
from parspec.interpreter.spec.scopes import Seen

if TYPE_CHECKING:
    from parspec.grammar.syntax import Path
    from parspec.interpreter.spec.building import Building
    from parspec.interpreter.spec.drafts import DraftItem
    from parspec.interpreter.spec.scopes import Here, Scope


@dataclass(slots=True)
class Index:
    """Names by path, and by the ends of their paths."""

    names: dict[str, tuple[str, ...]] = field(default_factory=dict)
    ends: dict[str, list[str]] = field(default_factory=dict)

    def add(self, path: str, meant: tuple[str, ...]) -> None:
        """A path and what it means; the first meaning holds."""
        if path in self.names:
            return
        self.names[path] = meant
        parts = path.split(".")
        for start in range(1, len(parts)):
            self.ends.setdefault(".".join(parts[start:]), []).append(path)

    def find(self, path: str, within: Iterable[str]) -> tuple[str, ...]:
        """The full paths that fit: inside one of `within`, else around it, else anywhere."""
        inside = tuple(within)
        exact = [f"{outer}.{path}" for outer in inside if f"{outer}.{path}" in self.names]
        deep = [
            full
            for full in self.ends.get(path, ())
            if any(full.startswith(f"{outer}.") for outer in inside)
        ]
        beside = [f"{outer}.{path}" for outer in _around(inside)]
        known = [full for full in (*beside, path) if full in self.names]
        anywhere = self._once(self.ends.get(path, []))
        return tuple(exact or self._once(deep) or known[:1] or anywhere)

    def _once(self, paths: list[str]) -> list[str]:
        """Paths that mean different things, each thing once."""
        meant: dict[tuple[str, ...], str] = {}
        for path in paths:
            meant.setdefault(self.names[path], path)
        return list(meant.values())


def _around(paths: Iterable[str]) -> Iterator[str]:
    """The paths around these, innermost first."""
    for path in paths:
        while "." in path:
            path = path.rpartition(".")[0]
            yield path


@dataclass(frozen=True, slots=True)
class Names:
    """The names of a whole model: layers and stacks with the layers that each stands for (a stack
    for itself, what was left out for nothing), those of them that are broken, variables with their
    unique names, of which those in `kept` are in the model."""

    layers: Index
    tensors: Index
    stacks: frozenset[str]
    broken: frozenset[str]
    kept: frozenset[str]


def names_of(
    items: tuple[DraftItem, ...], building: Building, scope: Scope, kept: Iterable[str]
) -> Names:
    """The names of everything that the walk has made, in the outermost scope and inside; `kept`
    are the variables of the model."""
    layers, tensors = Index(), Index()
    stacks = frozenset(
        name for name, unit in building.units.items() if unit.kind == "stack"
    ) - frozenset(building.broken)
    inside: dict[str, list[str]] = {}
    for draft in layers_of(items):
        for unit in draft.chain:
            inside.setdefault(unit.name, []).append(draft.layer.name)
    for name in building.units:
        layers.add(name, (name,) if name in stacks else tuple(inside.get(name, ())))
    for tensor in building.tensors.values():
        tensors.add(tensor.name, (tensor.name,))
    for tensor in building.tensors.values():
        for alias in tensor.aliases:
            tensors.add(alias, (tensor.name,))
    for path, meant in _seen(scope):
        tensors.add(path, (meant,))
    return Names(layers, tensors, stacks, frozenset(building.broken), frozenset(kept))


def _seen(scope: Scope) -> Iterator[tuple[str, str]]:
    """What variables are called in a scope and in those inside it, broken ones by path."""
    for name, entry in scope.tensors.items():
        path = scope.unique(name)
        yield path, entry.tensor if isinstance(entry, Seen) else path
    for inner in scope.inner.values():
        yield from _seen(inner)


def one(
    index: Index, kind: str, path: Path, within: Iterable[str], here: Here
) -> tuple[str, tuple[str, ...]] | None:
    """The full path that a path stands for, and what that means; None, after saying so, where
    nothing or more than one thing fits."""
    fits = index.find(path.text, within)
    if len(fits) == 1:
        return fits[0], index.names[fits[0]]
    if fits:
        close = fits[:3]
        here.report("unknown_name", path.span, kind=kind, name=path.text, near=close)
    else:
        here.report_unknown(kind, Name(path.text, path.span), tuple(_short(index)))
    return None


def _short(index: Index) -> Iterator[str]:
    yield from index.names
    yield from (end for end, paths in index.ends.items() if len(paths) == 1)

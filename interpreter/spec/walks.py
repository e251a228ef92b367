"""Walks: what the walk over each passage made, kept so that after an edit only passages near it are
walked again.

Passages depend on one another, and on facts, through ledgers alone. Where a passage would read
what it read before, it makes what it made before; where only some facts and passages have changed,
those that read what has changed are walked as well, and no others.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from parspec.interpreter.spec.building import Building, Expansion
from parspec.interpreter.spec.drafts import DraftItem, DraftLayer, Unit, layers_of
from parspec.interpreter.spec.ledger import NOTHING, Ledger, Log
from parspec.interpreter.spec.memo import Memo
from parspec.interpreter.spec.scopes import Callee, Entry, Scope, Seen, World

if TYPE_CHECKING:
    from parspec.interpreter.diagnostics.findings import Finding, Site
    from parspec.interpreter.spec.clauses import Said
    from parspec.interpreter.spec.model import Template, Tensor
    from parspec.interpreter.spec.sources import Passage

NO_LOG = Log()


@dataclass(frozen=True, eq=False)
class Drafts:
    """What the walk makes of one passage: items in order, what is wrong, the declarations that are
    read and may not be its alone, its own ones that it does not read itself, by where they are, the
    ops and blocks in bodies, and what is said of its variables where they are declared. `logs`:
    what it read and wrote, by the names of ledgers; `layers`, `expanded`: how much it counts
    towards the limits; `whole`: it met none. It stays the very same value while the passage does
    and reads the same."""

    items: tuple[DraftItem, ...]
    found: tuple[Finding, ...]
    read_elsewhere: frozenset[Site]
    unread: Mapping[Site, str]
    callees: tuple[Callee, ...]
    templates: tuple[Template, ...]
    said: Mapping[str, Said]
    logs: Mapping[str, Log]
    layers: int
    expanded: int
    whole: bool

    @cached_property
    def weight_readers(self) -> Mapping[str, tuple[DraftLayer, ...]]:
        """The layers that read each weight."""
        own = self.log("tensors").written.values()
        weights = {*self._weights_seen, *(one.name for one in own if one.role == "weight")}
        readers: dict[str, list[DraftLayer]] = {}
        for draft in layers_of(self.items):
            for name in dict.fromkeys(operand.tensor for operand in draft.layer.operands):
                if name in weights:
                    readers.setdefault(name, []).append(draft)
        return {name: tuple(drafts) for name, drafts in readers.items()}

    def log(self, ledger: str) -> Log:
        """What it read from and wrote to a ledger, by the ledger's name."""
        return self.logs.get(ledger, NO_LOG)

    def reads(self, changed: Mapping[str, Set[Any]]) -> bool:
        """Does it read one of these keys of ledgers?"""
        for name, keys in changed.items():
            log = self.logs.get(name)
            if log is not None and log.concerns(keys):
                return True
        return False

    @cached_property
    def tensors(self) -> tuple[str, ...]:
        """The variables that it declares."""
        log = self.log("tensors")
        return tuple(name for name in log.written if log.read.get(name, NOTHING) is NOTHING)

    @cached_property
    def weights_elsewhere(self) -> Mapping[str, tuple[DraftLayer, ...]]:
        """Its layers that read each weight that others declare."""
        seen, readers = self._weights_seen, self.weight_readers
        return {name: drafts for name, drafts in readers.items() if name in seen}

    @property
    def _weights_seen(self) -> set[str]:
        """The weights that others declare, as far as it has looked."""
        entries = list(self.log("entries").read.values())
        scopes = [scope for scope in self.log("inner").read.values() if scope is not NOTHING]
        for scope in scopes:
            entries += scope.tensors.values()
            scopes += scope.inner.values()
        return {e.tensor for e in entries if isinstance(e, Seen) and e.role == "weight"}


class Walker(Protocol):
    """Who walks passages."""

    building: Building
    callees: list[Callee]

    def passage(self, passage: Passage) -> Drafts:
        """Walks a passage."""
        ...

    def room(self, known: Drafts) -> bool:
        """Is there room to make again what was made before?"""
        ...

    def would_read(self, known: Drafts) -> bool:
        """Would now be read what was read then?"""
        ...

    def repeat(self, known: Drafts) -> None:
        """Makes again what was made before."""
        ...


class Walks:
    """What earlier walks over the same spec made, under one plan. `changed`: the keys at which
    ledgers hold something else since the last walk than since the one before, None where it cannot
    tell; `given`: those that no passage writes, facts and callees. `ledgers`: everything through
    which passages depend on one another, by name: facts, what scopes share, what is made."""

    def __init__(self) -> None:
        self.world: World | None = None
        self.facts: Mapping[str, Ledger[Any, Any]] = {}
        self.before: Mapping[str, Ledger[Any, Any]] = {}
        self.given: Mapping[str, Set[Any]] = {}
        self.callees: Memo[Callee] = Memo()
        self.alone: Memo[Drafts] = Memo()
        self.order: tuple[tuple[Passage, Drafts], ...] = ()
        self.changed: Mapping[str, Set[Any]] | None = None
        self.entries: Ledger[str, Entry] = Ledger()
        self.layers: Ledger[str, Site] = Ledger()
        self.named: Ledger[str, Callee] = Ledger(same=_same_callee)
        self.inner: Ledger[str, Scope] = Ledger()
        self.tensors: Ledger[str, Tensor] = Ledger(same=_same_tensor)
        self.units: Ledger[str, Unit] = Ledger(same=_same_name)
        self.broken: Ledger[str, None] = Ledger()
        self.scope = Scope(
            tensors=self.entries, layers=self.layers, callees=self.named, inner=self.inner
        )
        self.shared: Mapping[str, Ledger[Any, Any]] = {
            "entries": self.entries,
            "layers": self.layers,
            "named": self.named,
            "inner": self.inner,
        }
        self.made: Mapping[str, Ledger[Any, Any]] = {
            "tensors": self.tensors,
            "units": self.units,
            "broken": self.broken,
        }
        self.ledgers: Mapping[str, Ledger[Any, Any]] = {}

    def begin(self, world: World) -> Building:
        """A new walk; nothing that was made in another world is made the same in this one."""
        if world != self.world:
            self.alone, self.order = Memo(), ()
        self.callees.turn()
        self.alone.turn()
        self.before = {**self.facts, "named": self.named.copy()}
        self.world, self.facts = world, world.facts.ledgers
        self.ledgers = {**self.facts, **self.shared, **self.made}
        self.named.reset()
        return Building(self.tensors, self.units, self.broken)

    def drafts_of(self, passages: tuple[Passage, ...], walker: Walker) -> tuple[Drafts, ...]:
        """The drafts of passages."""
        ledgers = self.ledgers
        given = {name: ledgers[name].new_since(then) for name, then in self.before.items()}
        self.given = {name: keys for name, keys in given.items() if keys}
        self.changed = None
        near = self._near_edit(passages, walker) if self.order else None
        self.order = near or self._all(passages, walker)
        for ledger in ledgers.values():
            ledger.hide(frozenset())
        return tuple(drafts for _, drafts in self.order)

    def _all(
        self, passages: tuple[Passage, ...], walker: Walker
    ) -> tuple[tuple[Passage, Drafts], ...]:
        """The drafts of all passages, one after the other; each as before where it would read what
        it read before."""
        before = {id(passage): drafts for passage, drafts in self.order}
        for ledger in (*self.shared.values(), *self.made.values()):
            if ledger is not self.named:
                ledger.reset()
        walker.building.layers, walker.building.expansion = 0, Expansion()
        order: list[tuple[Passage, Drafts]] = []
        for passage in passages:
            drafts = before.get(id(passage))
            if drafts is not None and walker.room(drafts) and walker.would_read(drafts):
                walker.repeat(drafts)
            else:
                drafts = walker.passage(passage)
            order.append((passage, drafts))
            self._own(drafts)
        return tuple(order)

    def _near_edit(
        self, passages: tuple[Passage, ...], walker: Walker
    ) -> tuple[tuple[Passage, Drafts], ...] | None:
        """The drafts of passages some of which stand in place of others: only these are walked,
        and those that read what has changed. None where that cannot be told apart: a name that two
        passages write, or a limit that is near."""
        before = [passage for passage, _ in self.order]
        head = _alike(before, passages)
        tail = _alike(before[head:][::-1], passages[head:][::-1])
        behind = len(self.order) - tail
        gone = [drafts for _, drafts in self.order[head:behind]]
        rest = [*self.order[:head], *self.order[behind:]]
        building = walker.building
        building.layers = sum(drafts.layers for _, drafts in rest)
        building.expansion.every = sum(drafts.expanded for _, drafts in rest)
        if self._disputed or not all(drafts.whole for _, drafts in rest):
            return None
        for drafts in gone:
            self._disown(drafts)
        changed = {name: {*keys} for name, keys in self.given.items()}
        first = next((n for n, (_, each) in enumerate(rest[:head]) if each.reads(changed)), head)
        later = {id(drafts) for _, drafts in rest[first:]}
        for ledger in self.ledgers.values():
            ledger.hide(later)
        made = self._again(rest[first:head], changed, later, walker)
        new = [(p, self._walked(p, walker)) for p in passages[head : len(passages) - tail]]
        _add(changed, self._changed(gone, [drafts for _, drafts in new]))
        made += [*new, *self._again(rest[head:], changed, later, walker)]
        if self._disputed or not all(drafts.whole for _, drafts in made):
            return None
        self.changed = changed
        return (*rest[:first], *made)

    def _again(
        self,
        order: Iterable[tuple[Passage, Drafts]],
        changed: dict[str, set[Any]],
        later: set[int],
        walker: Walker,
    ) -> list[tuple[Passage, Drafts]]:
        """Passages with their drafts; those that read what has changed are walked again, and what
        they change is added to it."""
        found = []
        for passage, drafts in order:
            later.discard(id(drafts))
            if drafts.reads(changed):
                self._disown(drafts)
                walker.building.layers -= drafts.layers
                walker.building.expansion.every -= drafts.expanded
                made = self._walked(passage, walker)
                _add(changed, self._changed([drafts], [made]))
                drafts = made
            found.append((passage, drafts))
        return found

    def _walked(self, passage: Passage, walker: Walker) -> Drafts:
        drafts = walker.passage(passage)
        self._own(drafts)
        return drafts

    def _own(self, drafts: Drafts) -> None:
        for name, log in drafts.logs.items():
            self.ledgers[name].own(log, id(drafts))

    def _disown(self, drafts: Drafts) -> None:
        for name, log in drafts.logs.items():
            self.ledgers[name].disown(log)

    @property
    def _disputed(self) -> bool:
        return any(ledger.disputed for ledger in self.ledgers.values())

    def _changed(self, old: Iterable[Drafts], new: Iterable[Drafts]) -> dict[str, set[Any]]:
        """The keys of each ledger at which drafts that stand in place of others write otherwise."""
        wrote, write = _written(old), _written(new)
        found = {
            name: self.ledgers[name].differs(wrote.get(name, {}), write.get(name, {}))
            for name in {*wrote, *write}
        }
        return {name: keys for name, keys in found.items() if keys}


def _add(changed: dict[str, set[Any]], more: Mapping[str, Set[Any]]) -> None:
    for name, keys in more.items():
        changed.setdefault(name, set()).update(keys)


def _same_tensor(one: Tensor, other: Tensor) -> bool:
    """Are they alike in what comparisons leave out, too?"""
    return one == other and (one.site, one.note) == (other.site, other.note)


def _same_name(one: Unit, other: Unit) -> bool:
    """Is the name taken by the same kind of thing? Nothing else of another unit is asked."""
    return one.kind == other.kind


def _same_callee(one: Callee, other: Callee) -> bool:
    """Is one as good as the other to those who call it?"""
    same = one.placed == other.placed and one.scope is other.scope
    return same and one.sound == other.sound


def _written(every: Iterable[Drafts]) -> dict[str, dict[Any, Any]]:
    """What drafts write to each ledger."""
    written: dict[str, dict[Any, Any]] = {}
    for drafts in every:
        for name, log in drafts.logs.items():
            if log.written:
                written.setdefault(name, {}).update(log.written)
    return written


def _alike(one: Sequence[object], other: Sequence[object]) -> int:
    """How many values two rows begin with alike, by identity."""
    return [*map(operator.is_, one, other), False].index(False)

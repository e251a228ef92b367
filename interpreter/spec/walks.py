"""Walks: what the walk over each passage made, kept so that after an edit only passages near it are
walked again.

Passages depend on one another through ledgers alone. Where a passage would read what it read
before, it makes what it made before; where only some have changed, those behind them that read
what has changed are walked as well, and no others.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from parspec.interpreter.spec.building import Building, Expansion
from parspec.interpreter.spec.drafts import DraftItem, DraftLayer, Unit, layers_of
from parspec.interpreter.spec.ledger import Ledger, Log
from parspec.interpreter.spec.memo import Memo
from parspec.interpreter.spec.scopes import Callee, Entry, Scope, Seen, World

if TYPE_CHECKING:
    from parspec.interpreter.diagnostics.findings import Finding, Site
    from parspec.interpreter.spec.clauses import Said
    from parspec.interpreter.spec.model import Template, Tensor
    from parspec.interpreter.spec.sources import Passage

NO_LOG = Log()
ENTRIES, INNER, TENSORS, UNITS = 6, 9, 10, 11  # places of ledgers among all


@dataclass(frozen=True, eq=False)
class Drafts:
    """What the walk makes of one passage: items in order, what is wrong, the declarations that are
    read, the ops and blocks in bodies, what is said of its variables where they are declared, and
    where that is. `logs`: what it read and wrote, by ledger; `layers`, `expanded`: how much it
    counts towards the limits; `whole`: it met none; `places`: the files and keys of its
    chunks. It stays the very same value while the passage
    does and reads the same."""

    items: tuple[DraftItem, ...]
    found: tuple[Finding, ...]
    read: frozenset[Site]
    callees: tuple[Callee, ...]
    templates: tuple[Template, ...]
    said: Mapping[str, Said]
    declared: Mapping[Site, str]
    logs: Mapping[int, Log]
    layers: int
    expanded: int
    whole: bool
    places: frozenset[tuple[str, int]]

    @cached_property
    def readers(self) -> Mapping[str, tuple[DraftLayer, ...]]:
        """The layers that read each variable."""
        readers: dict[str, list[DraftLayer]] = {}
        for draft in layers_of(self.items):
            for name in dict.fromkeys(operand.tensor for operand in draft.layer.operands):
                readers.setdefault(name, []).append(draft)
        return {name: tuple(drafts) for name, drafts in readers.items()}

    def log(self, ledger: int) -> Log:
        """What it read from and wrote to a ledger, by the ledger's place among all."""
        return self.logs.get(ledger, NO_LOG)

    def reads(self, changed: Mapping[int, Set[Any]]) -> bool:
        """Does it read one of these keys of ledgers?"""
        for place, keys in changed.items():
            log = self.logs.get(place)
            if log is not None and log.concerns(keys):
                return True
        return False

    @cached_property
    def tensors(self) -> tuple[str, ...]:
        """The variables that it declares."""
        log = self.log(TENSORS)
        return tuple(name for name in log.written if name not in log.read)

    @cached_property
    def weights_elsewhere(self) -> Mapping[str, tuple[DraftLayer, ...]]:
        """Its layers that read each weight that others declare."""
        entries = list(self.log(ENTRIES).read.values())
        scopes = list(self.log(INNER).read.values())
        for scope in scopes:
            entries += scope.tensors.values()
            scopes += scope.inner.values()
        weights = {e.tensor for e in entries if isinstance(e, Seen) and e.role == "weight"}
        return {name: drafts for name, drafts in self.readers.items() if name in weights}

    @cached_property
    def read_elsewhere(self) -> frozenset[Site]:
        """The declarations that it reads and may not be the only one to have."""
        return frozenset(
            site
            for site in self.read
            if site not in self.declared or (site.file, site.chunk) not in self.places
        )

    @cached_property
    def unread(self) -> Mapping[Site, str]:
        """Its own declarations that it does not read itself."""
        return {site: name for site, name in self.declared.items() if site not in self.read}

    @cached_property
    def unread_sites(self) -> frozenset[Site]:
        """Where these stand."""
        return frozenset(self.unread)


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
    """What earlier walks over the same spec made, under one plan. `changed`: the keys at which the
    last walk wrote otherwise to ledgers than the one before, with those that it wrote anew; None
    where it cannot tell."""

    def __init__(self) -> None:
        self.world: World | None = None
        self.facts: tuple[Ledger[Any, Any], ...] = ()
        self.same: frozenset[int] = frozenset()
        self.callees: Memo[Callee] = Memo()
        self.drafts: Memo[Drafts] = Memo()
        self.alone: Memo[Drafts] = Memo()
        self.order: tuple[tuple[Passage, Drafts], ...] = ()
        self.registered: tuple[Callee, ...] = ()
        self.changed: Mapping[int, Set[Any]] | None = None
        self.entries: Ledger[str, Entry] = Ledger()
        self.layers: Ledger[str, Site] = Ledger()
        self.named: Ledger[str, Callee] = Ledger()
        self.inner: Ledger[str, Scope] = Ledger()
        self.tensors: Ledger[str, Tensor] = Ledger(same=operator.is_)
        self.units: Ledger[str, Unit] = Ledger(same=operator.is_)
        self.broken: Ledger[str, None] = Ledger()
        self.scope = Scope(
            tensors=self.entries, layers=self.layers, callees=self.named, inner=self.inner
        )

    @property
    def ledgers(self) -> tuple[Ledger[Any, Any], ...]:
        """Everything through which passages depend on one another, facts first."""
        shared = (self.entries, self.layers, self.named, self.inner)
        return (*self.facts, *shared, self.tensors, self.units, self.broken)

    def begin(self, world: World) -> Building:
        """A new walk; nothing that was made in another world is made the same in this one. `same`
        are the places of ledgers of facts that have not changed since the last."""
        if world != self.world:
            self.drafts, self.alone, self.order = Memo(), Memo(), ()
        self.callees.turn()
        self.alone.turn()
        facts = world.facts.ledgers
        pairs = enumerate(zip(facts, self.facts, strict=False))
        self.same = frozenset(place for place, (now, then) in pairs if now.equals(then))
        self.world, self.facts = world, facts
        self.named.reset()
        return Building(self.tensors, self.units, self.broken)

    def drafts_of(self, passages: tuple[Passage, ...], walker: Walker) -> tuple[Drafts, ...]:
        """The drafts of passages."""
        callees = tuple(walker.callees)
        same_facts = len(self.same) == len(self.facts)
        same = bool(self.order) and same_facts and callees == self.registered
        self.changed = None
        order = (self._near_edit(passages, walker) if same else None) or self._all(passages, walker)
        for ledger in self.ledgers:
            ledger.hide(frozenset())
        self.order, self.registered = order, callees
        return tuple(drafts for _, drafts in order)

    def _all(
        self, passages: tuple[Passage, ...], walker: Walker
    ) -> tuple[tuple[Passage, Drafts], ...]:
        """The drafts of all passages, one after the other; each as before where it would read what
        it read before."""
        self.drafts.turn()
        shared = self.ledgers[len(self.facts) :]
        for ledger in shared:
            if ledger is not self.named:
                ledger.reset()
        walker.building.layers, walker.building.expansion = 0, Expansion()
        order: list[tuple[Passage, Drafts]] = []
        for passage in passages:
            known = self.drafts.known(passage)
            if known is not None and walker.room(known) and walker.would_read(known):
                walker.repeat(known)
            else:
                known = self.drafts.keep(walker.passage(passage), passage)
            order.append((passage, known))
            self._own(known)
        return tuple(order)

    def _near_edit(
        self, passages: tuple[Passage, ...], walker: Walker
    ) -> tuple[tuple[Passage, Drafts], ...] | None:
        """The drafts of passages some of which stand in place of others: only these are walked,
        and behind them those that read what has changed. None where that cannot be told apart: a
        name that two passages write, or a limit that is near."""
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
        later = {id(drafts) for _, drafts in self.order[behind:]}
        for ledger in self.ledgers:
            ledger.hide(later)
        made = [(p, self._walked(p, walker)) for p in passages[head : len(passages) - tail]]
        changed = self._changed(gone, [drafts for _, drafts in made])
        for passage, drafts in self.order[behind:]:
            later.discard(id(drafts))
            if not drafts.reads(changed):
                made.append((passage, drafts))
                continue
            self._disown(drafts)
            building.layers -= drafts.layers
            building.expansion.every -= drafts.expanded
            made.append((passage, self._walked(passage, walker)))
            for place, keys in self._changed([drafts], [made[-1][1]]).items():
                changed.setdefault(place, set()).update(keys)
        if self._disputed or not all(drafts.whole for _, drafts in made):
            return None
        self.changed = changed
        for passage, _ in self.order[head:behind]:
            self.drafts.forget(passage)
        for passage, drafts in made:
            self.drafts.keep(drafts, passage)
        return (*self.order[:head], *made)

    def _walked(self, passage: Passage, walker: Walker) -> Drafts:
        drafts = walker.passage(passage)
        self._own(drafts)
        return drafts

    def _own(self, drafts: Drafts) -> None:
        ledgers = self.ledgers
        for place, log in drafts.logs.items():
            ledgers[place].own(log, id(drafts))

    def _disown(self, drafts: Drafts) -> None:
        ledgers = self.ledgers
        for place, log in drafts.logs.items():
            ledgers[place].disown(log)

    @property
    def _disputed(self) -> bool:
        return any(ledger.disputed for ledger in self.ledgers)

    def _changed(self, old: Iterable[Drafts], new: Iterable[Drafts]) -> dict[int, set[Any]]:
        """The keys of each ledger at which drafts that stand in place of others write otherwise."""
        wrote, write = _written(old), _written(new)
        ledgers = self.ledgers
        found = {
            place: ledgers[place].differs(wrote.get(place, {}), write.get(place, {}))
            for place in {*wrote, *write}
        }
        return {place: keys for place, keys in found.items() if keys}


def _written(every: Iterable[Drafts]) -> dict[int, dict[Any, Any]]:
    """What drafts write to each ledger."""
    written: dict[int, dict[Any, Any]] = {}
    for drafts in every:
        for place, log in drafts.logs.items():
            if log.written:
                written.setdefault(place, {}).update(log.written)
    return written


def _alike(one: Sequence[object], other: Sequence[object]) -> int:
    """How many values two rows begin with alike, by identity."""
    pairs = enumerate(zip(one, other, strict=False))
    most = min(len(one), len(other))
    return next((place for place, (left, right) in pairs if left is not right), most)

"""Ledgers: mappings that note what is read from them and written to them.

What a passage of statements does depends on what it reads, and all that it does for others is
what it writes. With both noted it can be done again by writing, as long as it would read the same.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Set
from dataclasses import dataclass, field
from typing import Any, TypeVar, overload

K = TypeVar("K")
V = TypeVar("V")
D = TypeVar("D")

NOTHING = object()
"""What stands at a key that is not there."""
_HOLES = 4  # of so many entries at most one was taken out, before the others close up


@dataclass(slots=True)
class Log:
    """What was read from a ledger before it was written, NOTHING at keys that were not there; what
    was written to it, and the keys that were taken away; `whole`: all its keys were looked at."""

    read: dict[Any, Any] = field(default_factory=dict)
    written: dict[Any, Any] = field(default_factory=dict)
    gone: Set[Any] = frozenset()
    whole: bool = False

    @property
    def empty(self) -> bool:
        """Was nothing read or written?"""
        return not (self.whole or self.read or self.written or self.gone)

    def concerns(self, keys: Set[Any]) -> bool:
        """Was one of these keys looked at?"""
        return self.whole or not self.read.keys().isdisjoint(keys)


class Ledger(MutableMapping[K, V]):
    """A mapping with a log."""

    def __init__(
        self, content: Mapping[K, V] | None = None, same: Callable[[V, V], object] = operator.eq
    ) -> None:
        """`same`: when a value is as good as another to those who read it."""
        self._content: dict[Any, V] = {} if content is None else dict(content)
        self._same = same
        self._owners: dict[Any, int] = {}
        self._later: Set[int] = frozenset()
        self._taken = 0
        self.log = Log()
        self.disputed = False

    def begin(self) -> None:
        """Begins a new log."""
        self.log = Log()

    def end(self) -> Log:
        """The log, which ends here."""
        log, self.log = self.log, Log()
        return log

    def would_read(self, log: Log) -> bool:
        """Would somebody read now what was read then?"""
        content: dict[Any, Any] = self._content
        return not log.whole and all(
            self._as_good(content.get(key, NOTHING), value) for key, value in log.read.items()
        )

    def replay(self, log: Log) -> None:
        """Writes what was written then."""
        self._content.update(log.written)
        for key in log.gone:
            self._content.pop(key, None)

    # -- who wrote what --------------------------------------------------------------------------

    def reset(self) -> None:
        """Empties it."""
        self._content.clear()
        self._owners.clear()
        self._later, self.disputed = frozenset(), False

    def own(self, log: Log, owner: int) -> None:
        """What was written is its owner's. It is `disputed` from now on where another has written
        the same key, or where somebody took a key away."""
        owners = self._owners
        before = len(owners)
        owners.update(dict.fromkeys(log.written, owner))
        self.disputed |= bool(log.gone) or len(owners) - before != len(log.written)

    def disown(self, log: Log) -> None:
        """What was written is taken out again."""
        for key in log.written:
            self._content.pop(key, None)
            self._owners.pop(key, None)
        self._taken += len(log.written)
        if self._taken > len(self._content) // _HOLES:  # what is taken out leaves room behind
            self._content, self._owners = dict(self._content), dict(self._owners)
            self._taken = 0

    def hide(self, owners: Set[int]) -> None:
        """What these have written is not there for those who read."""
        self._later = owners

    def differs(self, old: Mapping[Any, Any], new: Mapping[Any, Any]) -> set[Any]:
        """The keys at which others read something else, where `new` was written, not `old`."""
        pairs = ((key, old.get(key, NOTHING), new.get(key, NOTHING)) for key in {*old, *new})
        return {key for key, one, other in pairs if not self._as_good(one, other)}

    def _as_good(self, one: Any, other: Any) -> bool:
        if one is other:
            return True
        return one is not NOTHING and other is not NOTHING and bool(self._same(one, other))

    def _visible(self, key: object) -> Any:
        value = self._content.get(key, NOTHING)
        if self._later and self._owners.get(key) in self._later:
            return NOTHING
        return value

    # -- comparing -------------------------------------------------------------------------------

    def copy(self) -> Ledger[K, V]:
        """A ledger of the same content."""
        return Ledger(self._content, self._same)

    def new_since(self, then: Ledger[K, V]) -> set[Any]:
        """The keys at which others read something else here than in the ledger as it was."""
        if self._content == then._content:
            return set()
        return self.differs(then._content, self._content)

    def present(self, keys: Iterable[K]) -> tuple[V, ...]:
        """The values at those keys that are there; nothing is noted."""
        content = self._content
        return tuple([content[key] for key in keys if key in content])

    def _read(self, key: object) -> Any:
        """What stands at a key, which is noted."""
        value = self._visible(key)
        log = self.log
        if key not in log.written and key not in log.gone:
            log.read[key] = value
        return value

    def __getitem__(self, key: K) -> V:
        value: Any = self._read(key)
        if value is NOTHING:
            raise KeyError(key)
        found: V = value
        return found

    @overload
    def get(self, key: K, /) -> V | None: ...
    @overload
    def get(self, key: K, /, default: V | D) -> V | D: ...
    def get(self, key: K, /, default: D | None = None) -> V | D | None:
        """The value at a key, `default` where there is none."""
        value: Any = self._read(key)
        return default if value is NOTHING else value

    def __contains__(self, key: object) -> bool:
        return self._read(key) is not NOTHING

    def __setitem__(self, key: K, value: V) -> None:
        self.log.written[key] = value
        if self.log.gone:
            self.log.gone -= {key}
        self._content[key] = value

    def __delitem__(self, key: K) -> None:
        del self._content[key]
        self.log.written.pop(key, None)
        self.log.gone |= {key}

    def __iter__(self) -> Iterator[K]:
        self.log.whole = True
        if not self._later:
            return iter(self._content)
        return (key for key in self._content if self._visible(key) is not NOTHING)

    def __len__(self) -> int:
        self.log.whole = True
        return len(self._content)

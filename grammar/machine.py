"""The parser's machine: lark's LALR table for par.lark, run token by token.

Lark reads the grammar and computes the table; this runs it, so that lexer and parser meet without
going through lark's parse loop, and so that a state can be asked what may follow without being
changed. Feeding a token that cannot follow is an answer, not an exception.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple, TypeAlias

from parspec.grammar.builder import builders
from parspec.grammar.expressions import name_of
from parspec.grammar.keywords import normal
from parspec.grammar.lexer import END, Lexer, Token
from parspec.grammar.shaping import Build, shaped
from parspec.grammar.span import span_of
from parspec.grammar.tables import Tables, tables


class _Reduction(NamedTuple):
    """So many parts become one, as a rule says; `build` is None where a part stays what it is."""

    size: int
    rule: str
    build: Build | None


_Row: TypeAlias = dict[str, Any]  # by terminal and rule: the state to go to, or a _Reduction


class Machine(dict[int, _Row]):
    """The tables, one for all texts: for each state what terminals and rules do there, go to
    another state or reduce. A state's row is made ready when it is first visited."""

    def __init__(self, tables: Tables) -> None:
        super().__init__()
        self.start, self.end = tables.start, tables.end
        self.lexer = Lexer(tables)
        self.kept = frozenset(tables.kept)
        self._tables = tables
        self._builders = builders()
        self._reductions: dict[int, _Reduction] = {}

    def __missing__(self, state: int) -> _Row:
        row = self[state] = {
            name: step if step >= 0 else self._reduction(-1 - step)
            for name, step in self._tables.states[state].items()
        }
        return row

    def _reduction(self, number: int) -> _Reduction:
        known = self._reductions.get(number)
        if known is None:
            rule = self._tables.rules[number]
            known = _Reduction(rule.size, rule.name, shaped(rule, self._builders))
            self._reductions[number] = known
        return known


@cache
def machine() -> Machine:
    """The machine of par.lark."""
    return Machine(tables())


class Run:
    """One run of the machine."""

    def __init__(self) -> None:
        self._machine = machine()
        self._states = [self._machine.start]
        self._values: list[Any] = []

    @property
    def result(self) -> Any:
        """What was built, once END has been fed."""
        return self._values[-1]

    def tokens(self, text: str) -> Iterator[Token]:
        """The tokens of `text`; each has to be fed before the next is asked for."""
        kind, start, end = self._next(text, 0)
        while kind != END:
            yield Token(kind, text[start:end], span_of(start, end))
            kind, start, end = self._next(text, end)

    def read(self, text: str) -> bool:
        """Feed all of `text`; False as soon as something cannot follow.

        The same as feeding `tokens` one by one, in one loop: most of a cold start goes by here.
        """
        rows, states, values = self._machine, self._states, self._values
        next_token, kept, final = rows.lexer.next_token, rows.kept, rows.end
        state, end = states[-1], 0
        while True:
            row = rows[state]
            kind, start, end = next_token(text, end, state, row)
            while type(step := row.get(kind)) is _Reduction:
                size, rule, build = step
                if size == 1:
                    if build is not None:
                        values[-1] = build(values[-1])
                    state = states[-1] = rows[states[-2]][rule]
                else:
                    first = len(values) - size
                    if build is not None:
                        values[first:] = (build(*values[first:]),)
                    del states[first + 1 :]
                    state = rows[states[-1]][rule]
                    states.append(state)
                if state == final and kind == END:
                    return True
                row = rows[state]
            if step is None:
                return False
            state = step
            states.append(step)
            if kind == "NAME":
                values.append(name_of(normal(text[start:end]), span_of(start, end)))
            elif kind in kept:
                values.append(Token(kind, text[start:end], span_of(start, end)))
            else:
                values.append(None)

    def _next(self, text: str, position: int) -> tuple[str, int, int]:
        state = self._states[-1]
        return self._machine.lexer.next_token(text, position, state, self._machine[state])

    def feed(self, token: Token) -> bool:
        """Take one token; False where it cannot follow, after which the run is spoilt."""
        rows, states, values, kind = self._machine, self._states, self._values, token.type
        while True:
            step = rows[states[-1]].get(kind)
            if step is None:
                return False
            if isinstance(step, int):
                states.append(step)
                values.append(token)
                return True
            size, rule, build = step
            first = len(values) - size
            if build is not None:
                values[first:] = (build(*values[first:]),)
            del states[first + 1 :]
            states.append(rows[states[-1]][rule])
            if states[-1] == rows.end and kind == END:
                return True

    def after(self, kind: str) -> int | None:
        """The state in which the machine would stand after a token; None if it cannot follow."""
        rows, states = self._machine, list(self._states)
        while (step := rows[states[-1]].get(kind)) is not None:
            if isinstance(step, int):
                return step
            if step.size:
                del states[-step.size :]
            states.append(rows[states[-1]][step.rule])
            if states[-1] == rows.end and kind == END:
                return states[-1]
        return None

    def takes(self, kind: str) -> bool:
        """Can a token of this type follow?"""
        return self.after(kind) is not None

    def accepted(self) -> tuple[str, ...]:
        """The types of the tokens that can follow."""
        row = self._machine[self._states[-1]]
        return tuple(kind for kind in row if (kind.isupper() or kind == END) and self.takes(kind))

    def name_rules(self) -> tuple[str, ...]:
        """The rules of par.lark that a NAME could turn into here."""
        state = self.after("NAME")
        steps = self._machine[state].values() if state is not None else ()
        return tuple(sorted({step.rule for step in steps if isinstance(step, _Reduction)}))

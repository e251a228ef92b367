"""What an entry of the catalogue is, and the words that messages are built from.

A message is one line made from a finding's data; every name and number in it comes from there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal, TypeAlias

from parspec.grammar.values import value
from parspec.interpreter.diagnostics.findings import Datum
from parspec.interpreter.diagnostics.readable import bytes_text, digits

Severity: TypeAlias = Literal["error", "warning", "info", "hint"]
Facts: TypeAlias = Mapping[str, Datum]

_LISTED = 12  # a longer list is cut in the middle of a sentence


@value
class Entry:
    """One kind of diagnostic.

    `message` makes its line from data; `raised` gives the severity where data decides it.
    `example` is a spec that has this diagnostic and no other; `mend` says what to write there in
    place of what, so that it checks clean. `beside` are further files that it imports, by name.
    """

    code: str
    name: str
    severity: Severity
    message: Callable[[Facts], str]
    explanation: str
    example: str
    mend: tuple[tuple[str, str], ...]
    raised: Callable[[Facts], Severity] | None = None
    beside: tuple[tuple[str, bytes], ...] = ()

    @property
    def corrected(self) -> str:
        """The example, mended."""
        text = self.example
        for old, new in self.mend:
            text = text.replace(old, new)
        return text


def items(value: Datum) -> tuple[Datum, ...]:
    """A datum as a list: itself if it is one, none for what is missing."""
    if value is None:
        return ()
    return value if isinstance(value, tuple) else (value,)


def word(value: Datum) -> str:
    """A datum as it stands in a sentence."""
    if isinstance(value, tuple):
        return f"({', '.join(map(word, value))})"
    if isinstance(value, float):
        return digits(value)
    return str(value)


def listed(value: Datum) -> str:
    """`1, 2, 4`; a long list keeps its beginning and its end."""
    words = [word(item) for item in items(value)]
    if len(words) > _LISTED:
        words = [*words[: _LISTED - 2], "…", words[-1]]
    return ", ".join(words)


def axes(value: Datum) -> str:
    """`dp, tp` of `dp,tp`, as data name axes that are taken together."""
    return ", ".join(name.strip() for name in word(value).split(","))


def choice(value: Datum) -> str:
    """`a`, `a or b`, `a, b or c`."""
    return _joined(value, "or")


def enumeration(value: Datum) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return _joined(value, "and")


def chain(value: Datum) -> str:
    """`a -> b -> a`."""
    return " -> ".join(map(word, items(value)))


def near(facts: Facts) -> str:
    """`; did you mean a or b?` where there are close names."""
    names = items(facts.get("near"))
    return f"; did you mean {choice(names)}?" if names else ""


def nearest(facts: Facts) -> str:
    """`51 or 54`, the sizes `below` and `above` that would do; "" where there are none."""
    return choice(tuple(facts[key] for key in ("below", "above") if facts.get(key)))


def plural(count: Datum, noun: str) -> str:
    """`1 layer`, `2 layers`, `2 branches`."""
    ending = "es" if noun.endswith("ch") else "s"
    return f"{word(count)} {noun}{'' if count == 1 else ending}"


def layer(value: Datum) -> str:
    """`layer up`; `layer up.1 (a step inside layer up)` for one that has no name of its own."""
    name = word(value)
    outer, _, last = name.rpartition(".")
    inside = f" (a step inside layer {outer})" if outer and last.isdecimal() else ""
    return f"layer {name}{inside}"


def size_in_bytes(value: Datum) -> str:
    """A number of bytes as people read it; anything else as it is."""
    return bytes_text(value) if isinstance(value, (int, float)) else word(value)


def _joined(value: Datum, conjunction: str) -> str:
    *first, last = [word(item) for item in items(value)] or [""]
    return f"{', '.join(first)} {conjunction} {last}" if first else last

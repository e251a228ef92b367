"""Markup: elements of HTML and SVG in which text is text.

`Html` is the only string that goes into a page as it is; every other string is escaped, code points
that would steer a reader's screen shown as what they are. What is made here is well-formed XML too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape
from typing import TypeAlias

from parspec.interpreter.output.terminal.cells import safe

Attributes: TypeAlias = Mapping[str, str | float]

_VOID = frozenset({"meta", "br", "rect", "path", "circle", "line"})


class Html(str):
    """Markup that is safe to put into a page."""

    __slots__ = ()


NOTHING = Html("")


def element(name: str, attributes: Attributes, *children: str) -> Html:
    """An element with its children, in their order; those that are text are escaped."""
    written = "".join(f' {key}="{_attribute(value)}"' for key, value in attributes.items())
    if name in _VOID and not children:
        return Html(f"<{name}{written}/>")
    return Html(f"<{name}{written}>{joined(children)}</{name}>")


def joined(children: Iterable[str]) -> Html:
    """Children one after another."""
    return Html("".join(map(_child, children)))


def separated(children: Iterable[str], separator: str) -> Html:
    """Children with a separator between them."""
    return Html(_child(separator).join(map(_child, children)))


def raw(name: str, attributes: Attributes, text: str) -> Html:
    """A `style` or a `script` with a text of our own, which knows no escapes."""
    assert f"</{name}" not in text
    written = "".join(f' {key}="{_attribute(value)}"' for key, value in attributes.items())
    return Html(f"<{name}{written}>{text}</{name}>")


def _child(child: str) -> str:
    return child if isinstance(child, Html) else escape(safe(child))


def _attribute(value: str | float) -> str:
    if isinstance(value, str):
        return escape(safe(value))
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)

"""`explain --format text`: explanations and their table of contents within a terminal's columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from parspec.interpreter.explanations.explanation import HEADINGS, Explanation
from parspec.interpreter.output.terminal.cells import flowed, padded, width, wrapped
from parspec.interpreter.output.terminal.screen import Screen

_INDENT = "  "
_BETWEEN = "   "  # between names
_GAP = 2  # spaces between a label and its value


def explained_text(explanations: Iterable[Explanation], screen: Screen) -> str:
    """Explanations one after another, an empty line between them."""
    return "\n".join(_joined(_explained(explanation, screen)) for explanation in explanations)


def contents_text(explanations: Iterable[Explanation], screen: Screen) -> str:
    """All names by kind."""
    sections = []
    for kind, group in groupby(explanations, lambda explanation: explanation.kind):
        names = (explanation.name for explanation in group)
        lines = flowed(names, _BETWEEN, screen.columns - len(_INDENT))
        heading = screen.palette.paint("strong", HEADINGS[kind])
        sections.append(_joined((heading, *(f"{_INDENT}{line}" for line in lines))))
    return "\n".join([*sections, "parspec explain NAME says more about each.\n"])


def _joined(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _explained(explanation: Explanation, screen: Screen) -> Iterator[str]:
    name = screen.palette.paint("strong", explanation.name)
    yield f"{name} {screen.palette.paint('faint', f'({explanation.kind})')}"
    yield ""
    yield from wrapped(explanation.text, screen.columns)
    yield ""
    if explanation.facts:
        yield from _facts(explanation, screen)
        yield ""
    if explanation.example:
        yield screen.palette.paint("help", "example")
        yield from _indented(explanation.example)
    if explanation.corrected:
        yield ""
        yield screen.palette.paint("help", "corrected")
        yield from _indented(explanation.corrected)


def _facts(explanation: Explanation, screen: Screen) -> Iterator[str]:
    """Labels, and their values in a column beside them."""
    column = max(width(label) for label, _ in explanation.facts) + _GAP
    for label, value in explanation.facts:
        first, *rest = wrapped(value, screen.columns - column)
        yield screen.palette.paint("faint", label) + padded("", column - width(label)) + first
        yield from (" " * column + line for line in rest)


def _indented(text: str) -> Iterator[str]:
    return (f"{_INDENT}{line}".rstrip() for line in text.splitlines())

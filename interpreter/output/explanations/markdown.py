"""`explain --format markdown`: explanations and their table of contents as a document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from parspec.interpreter.explanations.explanation import HEADINGS, Explanation


def explained_markdown(explanations: Iterable[Explanation]) -> str:
    """Explanations one after another, each under a heading."""
    return "\n".join("\n".join(_explained(explanation)) for explanation in explanations)


def contents_markdown(explanations: Iterable[Explanation]) -> str:
    """All names by kind, as lists."""
    sections = []
    for kind, group in groupby(explanations, lambda explanation: explanation.kind):
        names = (f"- `{explanation.name}`\n" for explanation in group)
        sections.append(f"## {HEADINGS[kind]}\n\n{''.join(names)}")
    return "\n".join(sections)


def _explained(explanation: Explanation) -> Iterator[str]:
    yield f"## {explanation.name} ({explanation.kind})\n"
    yield f"{explanation.text}\n"
    if explanation.facts:
        yield from (f"- **{label}**: {value}" for label, value in explanation.facts)
        yield ""
    if explanation.example:
        yield f"```par\n{explanation.example}```\n"
    if explanation.corrected:
        yield f"Corrected:\n\n```par\n{explanation.corrected}```\n"

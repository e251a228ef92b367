"""`parspec explain`: what a word means, with an example that works."""

from __future__ import annotations

import sys

from parspec.interpreter.commands.arguments import Request
from parspec.interpreter.commands.outcome import CLEAN
from parspec.interpreter.commands.talk import unable
from parspec.interpreter.diagnostics.entry import choice
from parspec.interpreter.explanations.explanation import Explanation
from parspec.interpreter.explanations.index import EXPLANATIONS, explained, nearest
from parspec.interpreter.output.explanations.markdown import contents_markdown, explained_markdown
from parspec.interpreter.output.explanations.text import contents_text, explained_text
from parspec.interpreter.output.terminal.screen import screen


def run(request: Request) -> int:
    """Prints every meaning of the words asked for, taken as one name; of all there is a table of
    contents. An unknown name is told on standard error, with those that are near."""
    markdown = request.value("--format") == "markdown"
    if not request.operands:
        shown = contents_markdown(EXPLANATIONS) if markdown else _contents()
        sys.stdout.write(shown)
        return CLEAN
    name = " ".join(request.operands)
    found = explained(name)
    if not found:
        return unable(_unknown(name))
    sys.stdout.write(explained_markdown(found) if markdown else _explained(found))
    return CLEAN


def _contents() -> str:
    return contents_text(EXPLANATIONS, screen(sys.stdout))


def _explained(found: tuple[Explanation, ...]) -> str:
    return explained_text(found, screen(sys.stdout))


def _unknown(name: str) -> str:
    near = nearest(name)
    mend = f"did you mean {choice(near)}?" if near else "`parspec explain` lists what there is"
    return f"there is nothing to explain about {name}; {mend}"

"""What may stand where on a command line, for every shell alike."""

from __future__ import annotations

import re
from collections.abc import Iterable

from parspec.grammar.values import value
from parspec.interpreter.commands.arguments import Command, Option
from parspec.interpreter.commands.commands import SHELLS
from parspec.interpreter.explanations.index import EXPLANATIONS, explained

PLAN_LINE = "s/^[[:space:]]*plan[[:space:]]+([^[:space:]{]+).*/\\1/p"
"""What `sed -nE` finds a file's plans with."""
IMPORT_LINE = 's/^[[:space:]]*import[[:space:]]+"([^"]+)".*/\\1/p'
"""The files that a file imports, as it names them."""
OPERATOR_LINE = "s/^[[:space:]]*(op|layer)[[:space:]]+([^[:space:]:(]+).*/\\2/p"
"""What a file has tables of."""
SIZE_LINE = (
    "s/#.*//; s/\\([^()]*\\)//g; s/^[[:space:]]*(dim|mesh|axis)[[:space:]]+([^[:space:]].*)/\\2/p"
)
"""A file's dimensions and axes, with commas between them."""
SIZE = "s/^[[:space:]]*([^[:space:]=]+).*/\\1=/p"
"""The beginning of what sets one of these."""
GENERAL = (Option("--help", "", "say what there is"), Option("--version", "", "say which it is"))
"""What may stand in place of a command."""

_HELP = Option("--help", "", "show this command's options and examples")


@value
class Completed:
    """A command: what it does, in a few words, its options, and its operands: .par files and
    folders, behind one of these an operator of it where it is `of_operators`, or some of `words`.
    """

    name: str
    summary: str
    options: tuple[Option, ...]
    files: bool
    of_operators: bool
    words: tuple[str, ...]


def completed(commands: Iterable[Command]) -> tuple[Completed, ...]:
    """How each of the commands is completed."""
    return tuple(
        Completed(
            command.name,
            command.brief,
            (*command.options, _HELP),
            "FILE" in command.operands,
            "[OP]" in command.operands,
            _words(command),
        )
        for command in commands
    )


def _words(command: Command) -> tuple[str, ...]:
    match command.name:
        case "explain":
            return _explained()
        case "completion":
            return SHELLS
    return ()


def _explained() -> tuple[str, ...]:
    """Every name of an explanation that a shell takes as one word: `tensor-column`."""
    names = (
        name
        for each in EXPLANATIONS
        for name in (each.aliases if each.kind == "diagnostic" else (each.name, *each.aliases))
    )
    joined = {re.sub(r"[\s,]+", "-", name) for name in names}
    return tuple(sorted(n for n in joined if re.fullmatch(r"[\w./-]+", n) and explained(n)))

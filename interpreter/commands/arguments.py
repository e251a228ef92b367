"""Command lines: what a command takes, what somebody typed, and help about both.

A command line that cannot be understood is a `Mistake`, a sentence with the nearest thing that
would be.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from parspec.grammar.values import value
from parspec.interpreter.output.terminal.cells import wrapped

_HELP = ("--help", "-h")
_INDENT = 25  # where the descriptions of options begin


@value
class Option:
    """`flag` with a `value` behind it ("" for none), one of `choices` where there are some. The
    value of an option that is `several` may be followed by more, each with a `=` in it."""

    flag: str
    value: str
    summary: str
    choices: tuple[str, ...] = ()
    several: bool = False


@value
class Command:
    """A command, in a few words and at length; its operands (from `least` to `most`, None for any
    number) and options."""

    name: str
    brief: str
    summary: str
    operands: str
    least: int
    most: int | None
    options: tuple[Option, ...]
    examples: tuple[tuple[str, str], ...]


@value
class Request:
    """A command line, understood: operands, and the values of each option by its flag."""

    command: str
    operands: tuple[str, ...]
    options: Mapping[str, tuple[str, ...]]

    def has(self, flag: str) -> bool:
        """Whether an option was given."""
        return flag in self.options

    def value(self, flag: str) -> str | None:
        """The last value of an option, None where it was not given."""
        return self.options[flag][-1] if flag in self.options else None


@value
class Help:
    """Somebody asks for help about a command."""

    command: Command


@value
class Mistake:
    """Why a command line is not understood."""

    message: str


def parsed(command: Command, words: Sequence[str]) -> Request | Help | Mistake:
    """What the words behind a command's name ask of it."""
    flags = {option.flag: option for option in command.options}
    operands: list[str] = []
    options: dict[str, tuple[str, ...]] = {}
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word in _HELP:
            return Help(command)
        if word == "--":
            operands += rest
            break
        if not word.startswith("-") or word == "-":
            operands.append(word)
            continue
        flag, equals, attached = word.partition("=")
        option = flags.get(flag)
        if option is None:
            return Mistake(_unknown("option", flag, [*flags, "--help"], f"parspec {command.name}"))
        if not option.value:
            if equals:
                return Mistake(f"{flag} takes no value")
            options[flag] = ()
            continue
        values = (attached,) if equals else _taken(option, rest)
        if not values:
            return Mistake(f"{flag} needs a value: {flag} {option.value}")
        if option.choices and values[-1] not in option.choices:
            return Mistake(f"{flag} {values[-1]}: {_nearest(values[-1], option.choices)}")
        options[flag] = (*options.get(flag, ()), *values) if option.several else values
    if len(operands) < command.least:
        return Mistake(f"parspec {command.name} needs {command.operands}")
    if command.most is not None and len(operands) > command.most:
        extra = operands[command.most]
        takes = command.operands or "options only"
        return Mistake(f"parspec {command.name} takes {takes}; what is {extra}?")
    return Request(command.name, tuple(operands), options)


def unknown_command(word: str, commands: Iterable[str]) -> Mistake:
    """There is no such command, but perhaps one of nearly that name."""
    kind = "option" if word.startswith("-") else "command"
    return Mistake(_unknown(kind, word, list(commands), "parspec"))


def usage(command: Command) -> str:
    """How a command is written."""
    return " ".join(("usage: parspec", command.name, *command.operands.split(), "[options]"))


def command_help(command: Command, columns: int) -> str:
    """What a command does, its options, and examples."""
    options = (*command.options, Option("--help", "", "show this"))
    lines = [
        usage(command),
        "",
        *wrapped(command.summary, columns),
        "",
        "options:",
        *(line for option in options for line in _option_help(option, columns)),
        "",
        "examples:",
        *example_lines(command.examples),
    ]
    return "".join(f"{line}\n" for line in lines)


def example_lines(examples: Iterable[tuple[str, str]]) -> list[str]:
    """Each example: what it is for, and the command line."""
    return [line for why, line in examples for line in (f"  # {why}", f"  {line}")]


def _option_help(option: Option, columns: int) -> list[str]:
    head = f"  {option.flag} {option.value}".rstrip()
    first, *rest = wrapped(option.summary, columns - _INDENT)
    body = [" " * _INDENT + line for line in rest]
    if len(head) >= _INDENT:
        return [head, " " * _INDENT + first, *body]
    return [f"{head:<{_INDENT}}{first}", *body]


def _taken(option: Option, rest: list[str]) -> tuple[str, ...]:
    """The values behind an option, taken off the words."""
    if not rest:
        return ()
    values = [rest.pop(0)]
    while option.several and rest and "=" in rest[0] and not rest[0].startswith("-"):
        values.append(rest.pop(0))
    return tuple(values)


def _unknown(kind: str, word: str, known: Sequence[str], where: str) -> str:
    return f"{where} has no {kind} {word}; {_nearest(word, known)}"


def _nearest(word: str, known: Sequence[str]) -> str:
    from difflib import get_close_matches  # only where somebody mistyped

    close = get_close_matches(word, known, 1)
    if close:
        return f"did you mean {close[0]}?"
    *first, last = known
    return f"there is {', '.join(first)} and {last}" if first else f"there is {last}"

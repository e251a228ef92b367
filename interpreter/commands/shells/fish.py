"""Completion for fish."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from parspec.interpreter.commands.arguments import Option
from parspec.interpreter.commands.shells.words import GENERAL, PLAN_LINE, Completed

_COMPLETE = "complete -c parspec"
_FIRST = f"{_COMPLETE} -n __fish_use_subcommand"


def fish_script(commands: Iterable[Completed]) -> str:
    """The script that fish reads."""
    return "".join(f"{line}\n" for line in _lines(tuple(commands)))


def _lines(commands: tuple[Completed, ...]) -> Iterator[str]:
    yield _HEAD
    for command in commands:
        yield f"{_FIRST} -a {command.name} -d {_quoted(command.summary)}"
    for option in GENERAL:
        yield f"{_FIRST} {_flag(option)}"
    for command in commands:
        there = f"{_COMPLETE} -n '__fish_seen_subcommand_from {command.name}'"
        for option in command.options:
            yield f"{there} {_flag(option)}{_value(option)}"
        if command.files:
            yield f"{there} -a '(__parspec_specs)'"
        elif command.words:
            yield f"{there} -a {_quoted(' '.join(command.words))}"


def _flag(option: Option) -> str:
    return f"-l {option.flag.removeprefix('--')} -d {_quoted(option.summary)}"


def _value(option: Option) -> str:
    if option.choices:
        return f" -x -a {_quoted(' '.join(option.choices))}"
    if option.flag == "--plan":
        return " -x -a '(__parspec_plans)'"
    return " -x" if option.value else ""


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


_HEAD = f"""\
# parspec: completion for fish
function __parspec_specs
    for entry in (commandline -ct)*
        if test -d $entry
            echo $entry/
        else if string match -q -- '*.par' $entry
            echo $entry
        end
    end
end

function __parspec_plans
    for word in (commandline -opc)
        if string match -q -- '*.par' $word; and test -f $word
            sed -nE {_quoted(PLAN_LINE)} -- $word
        end
    end
end

{_COMPLETE} -f"""

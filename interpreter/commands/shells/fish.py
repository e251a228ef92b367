"""Completion for fish."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from parspec.interpreter.commands.arguments import Option
from parspec.interpreter.commands.shells.words import (
    GENERAL,
    IMPORT_LINE,
    OPERATOR_LINE,
    PLAN_LINE,
    SIZE,
    SIZE_LINE,
    Completed,
)

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
        if command.of_operators:
            yield f"{there} -a '(__parspec_operators || __parspec_specs)'"
        elif command.files:
            yield f"{there} -a '(__parspec_specs)'"
        elif command.words:
            yield f"{there} -a {_quoted(' '.join(command.words))}"


def _flag(option: Option) -> str:
    return f"-l {option.flag.removeprefix('--')} -d {_quoted(option.summary)}"


def _value(option: Option) -> str:
    if option.choices:
        return f" -x -a {_quoted(' '.join(option.choices))}"
    match option.flag:
        case "--plan":
            return " -x -a '(__parspec_plans)'"
        case "--set":
            return " -x -a '(__parspec_sizes)'"
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

function __parspec_given
    for word in (commandline -opc)
        if string match -q -- '*.par' $word; and test -f $word
            echo $word
        end
    end
end

function __parspec_read
    for spec in (__parspec_given)
        echo $spec
        for file in (sed -nE {_quoted(IMPORT_LINE)} -- $spec)
            set file (dirname -- $spec)/$file
            test -f $file; and echo $file
        end
    end
end

function __parspec_plans
    for spec in (__parspec_given)
        sed -nE {_quoted(PLAN_LINE)} -- $spec
    end
end

function __parspec_operators
    set specs (__parspec_read)
    test (count $specs) -gt 0; and sed -nE {_quoted(OPERATOR_LINE)} -- $specs
end

function __parspec_sizes
    for spec in (__parspec_read)
        sed -nE {_quoted(SIZE_LINE)} -- $spec | tr , '\\n' | sed -nE {_quoted(SIZE)}
    end
end

{_COMPLETE} -f"""

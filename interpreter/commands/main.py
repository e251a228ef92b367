"""`parspec`: finds the command that is asked for and runs it.

Results go to standard output, everything else to standard error. Imports of the interpreter wait
until a command needs them.
"""

from __future__ import annotations

import errno
import gc
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TextIO, TypeGuard

from parspec.interpreter.commands.arguments import (
    Command,
    Help,
    Mistake,
    Request,
    command_help,
    example_lines,
    parsed,
    unknown_command,
    usage,
)
from parspec.interpreter.commands.commands import COMMANDS
from parspec.interpreter.commands.outcome import CLEAN, INTERRUPTED, READER_GONE, UNABLE
from parspec.interpreter.commands.talk import say
from parspec.interpreter.output.terminal.screen import screen

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)  # what is said of a device
_COMMANDS = "parspec.interpreter.commands"
_NAMES = 12  # columns of the names of commands
_USAGE = "usage: parspec COMMAND FILE... [options]"
_ISSUES = "Please report it with the spec that shows it; PARSPEC_DEBUG=1 shows where it happened."


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command line (that of the process unless given) and returns its exit code.

    What a spec is made into has no cycles, so nobody looks for them meanwhile, nor at the end of
    the process; a command that goes on and on does so by itself.
    """
    looking = gc.isenabled()
    gc.disable()
    try:
        return _run(list(sys.argv[1:] if arguments is None else arguments))
    finally:
        if looking and arguments is not None:
            gc.enable()


def _run(words: list[str]) -> int:
    _open_what_is_closed()
    for stream in (sys.stdout, sys.stderr):
        _escape_what_cannot_be_encoded(stream)
    try:
        code = _answered(words)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _let_go(sys.stdout)
        return READER_GONE
    except Exception as error:
        if _is_interrupt(error):
            return INTERRUPTED
        if not _is_full(error):
            raise
        _let_go(sys.stdout)
        try:
            say(f"the output cannot be written: {(error.strerror or 'unknown reason').lower()}")
        except OSError:
            _let_go(sys.stderr)
        return UNABLE
    return code


def _is_interrupt(error: BaseException) -> bool:
    """Whether an error stands for Ctrl-C: Python makes another of what is raised while a class is
    made, and clearing up may fail."""
    met: set[int] = set()
    cause: BaseException | None = error
    while cause is not None and id(cause) not in met:
        if isinstance(cause, KeyboardInterrupt):
            return True
        met.add(id(cause))
        cause = cause.__cause__ or cause.__context__
    return False


def _is_full(error: Exception) -> TypeGuard[OSError]:
    """Whether there is no room for what is written to a standard stream: whoever writes a file
    tells of that himself."""
    return isinstance(error, OSError) and error.errno in _FULL


def _let_go(stream: TextIO) -> None:
    """Python flushes once more at exit; what is left goes nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _answered(words: list[str]) -> int:
    if not words:
        sys.stderr.write(_help())
        return UNABLE
    first, *rest = words
    if first in ("--help", "-h", "help"):
        return _helped(rest if first == "help" else [])
    if first in ("--version", "-V"):
        from parspec.interpreter.output.version import version  # importlib.metadata

        print(f"parspec {version()}")
        return CLEAN
    command = COMMANDS.get(first)
    if command is None:
        return _mistaken(unknown_command(first, (*COMMANDS, "--help", "--version")), None)
    match parsed(command, rest):
        case Help(command=asked):
            sys.stdout.write(command_help(asked, _columns()))
            return CLEAN
        case Mistake() as mistake:
            return _mistaken(mistake, command)
        case Request() as request:
            return _guarded(command, request)


def _guarded(command: Command, request: Request) -> int:
    """A bug of ours is told kindly; its traceback only where it was asked for."""
    if os.environ.get("PARSPEC_DEBUG"):
        return _ran(command, request)
    try:
        return _ran(command, request)
    except BrokenPipeError:
        raise
    except Exception as error:  # a bug, whatever it is: the one place that may catch all
        if _is_full(error) or _is_interrupt(error):
            raise
        what = f"{type(error).__name__}: {error}".splitlines()[0]
        say(f"parspec made a mistake of its own ({what}).")
        say(_ISSUES)
        return UNABLE


def _ran(command: Command, request: Request) -> int:
    """Runs a command: `run` of the module of its name, which is imported only now."""
    run: Callable[[Request], int] = import_module(f"{_COMMANDS}.{command.name}").run
    return run(request)


def _helped(words: list[str]) -> int:
    """`help`, `help COMMAND`."""
    if not words:
        sys.stdout.write(_help())
        return CLEAN
    command = COMMANDS.get(words[0])
    if command is None:
        return _mistaken(unknown_command(words[0], COMMANDS), None)
    sys.stdout.write(command_help(command, _columns()))
    return CLEAN


def _mistaken(mistake: Mistake, command: Command | None) -> int:
    written = usage(command) if command else _USAGE
    more = f"parspec {command.name} --help" if command else "parspec --help"
    say(mistake.message)
    say(f"{written}   ({more} says more)")
    return UNABLE


def _help() -> str:
    lines = [
        "parspec checks parallelism plans of large neural networks.",
        "",
        _USAGE,
        "",
        "commands:",
        *(f"  {command.name:<{_NAMES}}{command.brief}" for command in COMMANDS.values()),
        "",
        "options:",
        "  --help, --version; parspec COMMAND --help",
        "",
        "examples:",
        *example_lines(command.examples[0] for command in COMMANDS.values()),
    ]
    return "".join(f"{line}\n" for line in lines)


def _columns() -> int:
    return screen(sys.stdout).columns


def _open_what_is_closed() -> None:
    """A standard stream that was closed at the start is empty, and takes what goes nowhere."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115, PTH123


def _escape_what_cannot_be_encoded(stream: TextIO) -> None:
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="backslashreplace")


if __name__ == "__main__":
    sys.exit(main())

"""Progress of long work: one line of standard error that is written over, on a terminal only."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

from parspec.interpreter.output.terminal.cells import safe, shortened
from parspec.interpreter.output.terminal.screen import can_redraw, screen

_CLEAR = "\r\x1b[2K"


def progress(files: Sequence[str]) -> Iterator[str]:
    """The files one after another; while one is worked on it is named, with how many there are."""
    if not can_redraw(sys.stderr):
        yield from files
        return
    columns = screen(sys.stderr).columns - 1
    try:
        for number, file in enumerate(files, 1):
            line = f"checking {number} of {len(files)}: {safe(file)}"
            print(f"{_CLEAR}{shortened(line, columns)}", end="", file=sys.stderr, flush=True)
            yield file
    finally:
        print(_CLEAR, end="", file=sys.stderr, flush=True)

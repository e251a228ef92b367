"""Files and standard input as `fmt` reads and rewrites them, byte order marks and all."""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

from parspec.grammar.values import value
from parspec.interpreter.commands.arguments import Request
from parspec.interpreter.commands.loading import STDIN, Unusable, spec, unusable
from parspec.interpreter.spec.readers import BYTE_ORDER_MARK, SIZE_LIMIT, Unread, decoded


@value
class Source:
    """A text by the name under which it is shown, and the byte order mark in front of it or b"".
    `path` is None for standard input."""

    file: str
    text: str
    mark: bytes
    path: str | None


def source(operand: str, request: Request) -> Source | Unusable:
    """What an operand names: a file, or standard input (`-`)."""
    if operand == STDIN:
        data = sys.stdin.buffer.read(SIZE_LIMIT + 1)
        file = request.value("--stdin-filename") or "<stdin>"
        text = decoded(data)
        if isinstance(text, Unread):
            return unusable(file, text)
        return Source(file, text, _mark(data), None)
    read = spec(operand, request)
    if isinstance(read, Unusable):
        return read
    try:
        with Path(operand).open("rb") as stream:
            mark = _mark(stream.read(len(BYTE_ORDER_MARK)))
    except OSError as error:
        return unusable(operand, Unread("unreadable", (("reason", _why(error)),)))
    return Source(read.file, read.text, mark, operand)


def rewritten(path: str, data: bytes) -> str | None:
    """Puts other bytes into a file, all at once, and keeps its permissions; None, or a sentence on
    why that could not be done, after which the file is what it was. A link stays one."""
    target = os.path.realpath(path)
    try:
        mode = stat.S_IMODE(Path(target).stat().st_mode)
        if not os.access(target, os.W_OK):
            return f"{path} cannot be written: it is read-only"
        folder, name = os.path.split(target)
        descriptor, draft = tempfile.mkstemp(prefix=f".{name}.", dir=folder)
        try:
            with os.fdopen(descriptor, "wb") as stream:
                stream.write(data)
            Path(draft).chmod(mode)
            Path(draft).replace(target)
        finally:  # also after Ctrl-C
            with suppress(OSError):
                Path(draft).unlink(missing_ok=True)
    except OSError as error:
        return f"{path} cannot be written: {_why(error)}"
    return None


def _mark(data: bytes) -> bytes:
    return BYTE_ORDER_MARK if data.startswith(BYTE_ORDER_MARK) else b""


def _why(error: OSError) -> str:
    return (error.strerror or "unknown reason").lower()

"""How files are read: their texts, or why there is none, and where they lie. Nothing is raised."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Literal, Protocol

from parspec.grammar.values import value
from parspec.interpreter.spec.names import near

if TYPE_CHECKING:
    from parspec.interpreter.diagnostics.findings import Datum

SIZE_LIMIT = 16 * 2**20  # bytes of one file
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@value
class Unread:
    """Why a file could not be read. `detail`: missing: `near` (files of close names); unreadable:
    `reason`; not_utf8: `offset` and `byte` (`0xff`); too_large: `size` and `limit`, in bytes."""

    reason: Literal["missing", "unreadable", "not_utf8", "too_large"]
    detail: tuple[tuple[str, Datum], ...] = ()


class Reader(Protocol):
    """How files are read; an editor puts its open ones in front of those on disk."""

    def read(self, file: str) -> str | Unread:
        """The text of a file, or why there is none."""
        ...

    def real(self, file: str) -> str | None:
        """Where a file or folder lies, wherever links lead; None where they lead nowhere, and for
        what is no name."""
        try:
            return str(Path(file).resolve())
        except (OSError, RuntimeError, ValueError):  # a circle of links, a NUL in the name
            return None


@value
class DiskReader(Reader):
    """Reads regular files of UTF-8, with or without a byte order mark."""

    def read(self, file: str) -> str | Unread:
        """The text of a file, or why there is none; line ends stay as they are."""
        try:
            status = Path(file).stat()
            if not stat.S_ISREG(status.st_mode):
                kind = "a directory" if stat.S_ISDIR(status.st_mode) else "not a regular file"
                if not os.access(file, os.R_OK):
                    kind = "permission denied"
                return Unread("unreadable", (("reason", kind),))
            if status.st_size > SIZE_LIMIT:
                return too_large(status.st_size)
            with Path(file).open("rb") as stream:
                return streamed(stream)
        except FileNotFoundError:
            return Unread("missing", (("near", neighbours(file)),))
        except OSError as error:
            return Unread("unreadable", (("reason", (error.strerror or "unreadable").lower()),))
        except ValueError:  # a NUL or a lone surrogate in the name
            return Unread("missing", (("near", ()),))


def too_large(size: int | None) -> Unread:
    """A file of `size` bytes, None where nobody knows how many, is not read."""
    return Unread("too_large", (("size", size), ("limit", SIZE_LIMIT)))


def streamed(stream: BinaryIO) -> str | Unread:
    """The text of what comes out of a stream, which may have no end."""
    return decoded(stream.read(SIZE_LIMIT + 1))


def decoded(data: bytes) -> str | Unread:
    """The text of a file's bytes without its byte order mark; offsets count from the start."""
    if len(data) > SIZE_LIMIT:
        return too_large(None)
    mark = len(BYTE_ORDER_MARK) if data.startswith(BYTE_ORDER_MARK) else 0
    try:
        text = data[mark:].decode("utf-8")
    except UnicodeDecodeError as error:
        offset = mark + error.start
        return Unread("not_utf8", (("offset", offset), ("byte", f"0x{data[offset]:02x}")))
    if (nul := data.find(0)) >= 0:
        return Unread("unreadable", (("reason", f"not a text: a NUL at offset {nul}"),))
    return text


def neighbours(file: str) -> tuple[str, ...]:
    """Files of close names in the folder where a missing file would lie."""
    path = Path(file)
    try:
        names = [entry.name for entry in os.scandir(path.parent) if entry.is_file()]
    except OSError:
        return ()
    stems = sorted(Path(name).stem for name in names if name.endswith(".par"))
    return tuple(f"{stem}.par" for stem in near(path.stem, stems))

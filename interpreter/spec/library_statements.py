"""The built-in library, parsed: the statements of a file, and all that it imports."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from parspec.grammar.syntax import ImportStatement
from parspec.interpreter.spec.library_files import library_file

if TYPE_CHECKING:
    from parspec.grammar.document import Document
    from parspec.grammar.syntax import Statement


@cache
def library_document(library: str) -> Document:
    """A built-in file (`std.h100`), parsed; an empty one where there is none."""
    from parspec.grammar.parser import parse  # only where something is read

    return parse(library_file(library) or "")


def library_statements(library: str) -> tuple[Statement, ...]:
    """The statements of a built-in file that stand in no body."""
    chunks = library_document(library).chunks
    return tuple(chunk.statement for chunk in chunks if chunk.statement is not None)


@cache
def brought(library: str) -> tuple[str, ...]:
    """A built-in file and all that it imports, each once."""
    found = {library: None}
    pending = [library]
    while pending:
        statements = library_statements(pending.pop())
        imports = (each.target for each in statements if isinstance(each, ImportStatement))
        new = [target for target in imports if target not in found]
        found |= dict.fromkeys(new)
        pending += new
    return tuple(found)

"""Documentation of what is suggested: the explanation of a word, the declaration of a name."""

from __future__ import annotations

from collections.abc import Mapping

from parspec.interpreter.explanations.explanation import Explanation, Kind
from parspec.interpreter.explanations.index import explained
from parspec.interpreter.spec.library_statements import library_document
from parspec.lsp.features.hovers.file import brings
from parspec.lsp.features.libraries import declaration
from parspec.lsp.features.prose import Block, Code, lines, note
from parspec.lsp.features.written import comment_in, statement
from parspec.lsp.ranges import Location
from parspec.lsp.snapshot import Snapshot

_KINDS: Mapping[str, tuple[Kind, ...]] = {
    "statement": ("statement",),
    "keyword": ("clause", "statement"),
    "primitive": ("primitive",),
    "unit": ("unit",),
    "dtype": ("unit",),
    "function": ("function",),
    "setting": ("setting",),
    "value": ("setting", "clause", "price list"),
    "figure": ("figure",),
    "state": ("state",),
    "partial": ("state",),
    "price list": ("price list",),
    "mode": ("statement", "clause"),
    "argument": ("clause",),
}


def of_word(word: str, kind: str) -> tuple[Block, ...]:
    """What a word of the language means where it is suggested as of some kind."""
    meanings = explained(word)
    kinds = _KINDS.get(kind, ())
    found = (meaning for each in kinds for meaning in meanings if meaning.kind == each)
    meaning = next(found, None)
    return () if meaning is None else _shown(meaning)


def of_declaration(snapshot: Snapshot, declared: Location, name: str) -> tuple[Block, ...]:
    """The statement that declares a name, and the comment that documents it."""
    source = snapshot.sources.get(declared.file)
    if source is None:
        return ()
    for start, chunk in source.document.placed():
        if start <= declared.range.start < start + len(chunk.text):
            return (Code(statement(chunk)), *of_comment(comment_in(chunk, name)))
    return ()


def _shown(meaning: Explanation) -> tuple[Block, ...]:
    facts = (f"{label}: {value}" for label, value in meaning.facts)
    return (lines(meaning.text), lines(*facts), Code(meaning.example.strip()))


def of_library(library: str, kind: str, name: str) -> tuple[Block, ...]:
    """What a file of the library holds, or the link or device of a name that it declares."""
    if kind == "library":
        return tuple(brings(library_document(library)))
    chunk = declaration(library, kind, name)
    return () if chunk is None else (Code(statement(chunk)), *of_comment(chunk.note))


def of_comment(comment: str) -> tuple[Block, ...]:
    """What the author of something says of it."""
    return (note(comment),) if comment else ()

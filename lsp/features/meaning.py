"""What a name in the text means, and where it is declared.

The one place that features ask what is at an offset.
"""

from __future__ import annotations

from parspec.grammar.syntax import ImportStatement
from parspec.grammar.values import value
from parspec.interpreter.diagnostics.findings import Site
from parspec.lsp.names import Names, Symbol
from parspec.lsp.ranges import Range
from parspec.lsp.regions import Entry, mentions_of
from parspec.lsp.snapshot import Snapshot
from parspec.lsp.tokens import mark_at, tokens_of


@value
class Meaning:
    """What stands somewhere.

    `kind`: `dim`, `axis`, `tensor`, `layer`, `stack`, `op`, `block`, `function` (of the language),
    `link`, `device`, `plan`; of words that are declared nowhere `keyword`, `unit`, `dtype`,
    `setting`, `value` (of a setting), `primitive`, `figure`, `state`, `partial` (its kind),
    `price list`, `mode`, `optimizer`, `argument`, `import`, `mark`. `sites`: its declarations, the
    one that stands first is `site`; none where it is not declared."""

    kind: str
    name: str
    range: Range
    sites: tuple[Site, ...] = ()

    @property
    def site(self) -> Site | None:
        """Where it is declared."""
        return self.sites[0] if self.sites else None


def at(snapshot: Snapshot, offset: int) -> Meaning | None:
    """What is at an offset, or ends there; None for blanks, numbers and most marks."""
    names = snapshot.names
    entry = names.at(snapshot.file, offset)
    if entry is not None:
        return meaning(names, entry)
    placed = snapshot.chunk_at(offset)
    if placed is None:
        return None
    statement = placed.chunk.statement
    if isinstance(statement, ImportStatement):
        target = placed.range_of(statement.span)
        if target.start <= offset <= target.end:
            return Meaning("import", statement.target, target)
    local = offset - placed.start
    known = {each.span.start for each in mentions_of(placed.chunk)}
    for token in reversed(tokens_of(placed.chunk, known)):
        if token.start <= local <= token.end and token.kind in ("keyword", "unit", "primitive"):
            span = Range(placed.start + token.start, placed.start + token.end)
            return Meaning(token.kind, token.text, span)
    mark = mark_at(placed.chunk.text, local)
    if mark is None:
        return None
    return Meaning("mark", mark.text, Range(placed.start + mark.start, placed.start + mark.end))


def meaning(names: Names, entry: Entry) -> Meaning:
    """What an entry means."""
    declared = tuple(
        declaration for symbol in names.symbols(entry) for declaration in names.declarations(symbol)
    )
    kind = kind_of(entry, names.symbols(entry), declared)
    sites = tuple(map(names.site, declared))
    return Meaning(kind, entry.mention.name, names.location(entry).range, sites)


def kind_of(entry: Entry, symbols: tuple[Symbol, ...], declared: tuple[Entry, ...]) -> str:
    """The kind of what an entry means."""
    if not symbols:
        return entry.mention.kind
    match symbols[0].space:
        case "layer" | "function":
            return declared[0].mention.kind if declared else entry.mention.kind
        case space:
            return space

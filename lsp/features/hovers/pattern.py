"""Hover on a pattern of a `for` statement: which layers it matches, and for which of them what the
statement says holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from parspec.grammar.span import Span
from parspec.grammar.syntax import PartitionClause, StateClause, StoreClause
from parspec.interpreter.diagnostics.entry import plural
from parspec.interpreter.spec.model import Assignment, Layer, Tensor
from parspec.lsp.facts import Facts
from parspec.lsp.features import patterns
from parspec.lsp.features.hovers.subject import Place, Subject, first_of, listed, paragraph
from parspec.lsp.features.patterns import Asked, Matched
from parspec.lsp.features.prose import Block, Code, code
from parspec.lsp.snapshot import Placed


class _Said(NamedTuple):
    """A part of a clause, and where it stands in the statement at `chunk`."""

    text: str
    chunk: tuple[str, int]
    span: Span

    def gives(self, assignments: Sequence[Assignment]) -> bool:
        """Whether one of the assignments comes from there."""
        return any(
            (one.site.file, one.site.chunk) == self.chunk
            and self.span.start <= one.site.span.start < self.span.end
            for one in assignments
        )


def pattern(asked: Asked, placed: Placed, place: Place) -> Subject:
    """A pattern with the alternatives that are asked about."""
    head = Code(f"for {patterns.shown(asked.parts)}")
    said = tuple(_said(asked, placed, place.snapshot.file))
    return Subject((head,), partial(_details, asked, said), partial(_brief, asked))


def _said(asked: Asked, placed: Placed, file: str) -> Iterator[_Said]:
    """What the statement says of partitions and of how weights lie."""
    for clause in asked.statement.clauses:
        match clause:
            case PartitionClause(cuts=cuts):
                spans = [cut.span for cut in cuts]
            case StateClause() | StoreClause():
                spans = [clause.span]
            case _:
                spans = []
        for span in spans:
            yield _Said(placed.chunk.text[slice(*span)], (file, placed.chunk.key), span)


def _matched(asked: Asked, facts: Facts) -> Matched:
    """What a pattern matches; weights only where the statement is about weights."""
    found = patterns.matched(asked.parts, facts)
    return found if patterns.is_of_weights(asked.statement) else found._replace(weights=())


def _brief(asked: Asked, facts: Facts) -> str:
    found = _matched(asked, facts)
    return _NOTHING if found.is_empty else f"matches {', '.join(_named(found))}"


_NOTHING = "matches **nothing**"


def _details(asked: Asked, said: Sequence[_Said], facts: Facts) -> Iterator[Block]:
    found = _matched(asked, facts)
    yield from paragraph(_brief(asked, facts))
    if not found.is_empty and said:
        yield first_of([f"{code(one.text)}: {_holds(one, found, facts)}" for one in said])


def _named(found: Matched) -> Iterator[str]:
    """All that a pattern matches, by kind."""
    names = {
        "layer": _paths(found.layers),
        "stack": [stack.name for stack in found.stacks],
        "weight": [weight.name for weight in found.weights],
    }
    return (_counted(each, kind) for kind, each in names.items() if each)


def _paths(layers: Iterable[Layer]) -> list[str]:
    """The names of the layers that are written, each once."""
    return list(dict.fromkeys(layer.parent for layer in layers))


def _counted(names: Sequence[str], kind: str) -> str:
    """**2 layers** (`q` `k`)."""
    return f"**{plural(len(names), kind)}** ({listed(names)})"


def _holds(said: _Said, found: Matched, facts: Facts) -> str:
    """What takes a clause, of all that a pattern matches."""
    takes = Matched(
        tuple(layer for layer in found.layers if said.gives(layer.assignments)),
        tuple(stack for stack in found.stacks if said.gives(stack.assignments)),
        tuple(weight for weight in _lying(found, facts) if said.gives(weight.rest)),
    )
    if takes.layers and len(takes.layers) == len(found.layers):
        return "all of these layers"
    return (
        ", ".join(_named(takes))
        or "none: another clause says otherwise, or the dimension is missing"
    )


def _lying(found: Matched, facts: Facts) -> Iterator[Tensor]:
    """The weights that a pattern matches, and those that its layers read."""
    read = dict.fromkeys(operand.tensor for layer in found.layers for operand in layer.operands)
    yield from found.weights
    for name in read:
        tensor = facts.tensor(name)
        if tensor is not None and tensor not in found.weights:
            yield tensor

"""Stacks whose layers are not all dealt out, or whose carry does not settle."""

from __future__ import annotations

import re
from collections.abc import Iterator

from parspec.grammar.expressions import Number, TensorUse, parts
from parspec.grammar.syntax import (
    Chunks,
    LayerStatement,
    PartitionClause,
    StackStatement,
    StagesStatement,
)
from parspec.interpreter.diagnostics.entry import items, word
from parspec.interpreter.diagnostics.findings import Edit, Fix
from parspec.interpreter.fixes.case import Case, fix, unlike
from parspec.interpreter.fixes.spots import Spot, inside
from parspec.interpreter.spec.model import Model

_STATE = re.compile(r"(\S+): (?:P\((\w+)\)|R)")


def layers_lost(case: Case) -> Iterator[Fix]:
    """The first stages take one layer more, or there are as many layers as divide, or chunks of a
    size that deals out all; one of unequal chunks takes what is lost or gives up what is too
    much."""
    match case.at.chunk.statement:
        case StagesStatement(chunks=(chunks,)) if len(chunks.portions) == 1:
            yield from _equal_chunks(case, chunks)
        case StagesStatement(chunks=(_, _, *_)) as statement:
            yield from _one_chunk(case, statement)
        case StackStatement() as statement:
            yield from _stack(case, statement)


def _stack(case: Case, statement: StackStatement) -> Iterator[Fix]:
    """The stack uneven, or its size the next one that the stages and their chunks divide, the
    larger first."""
    found = case.dim(statement.dim.text)
    if any(isinstance(clause, PartitionClause) for clause in statement.clauses):
        title = f"Let the first stages take one layer of {statement.name.text} more: `uneven`"
        yield fix(title, case.at.with_clause("uneven"))
    elif found is not None and not found[1].uneven:
        at, item = found
        yield fix(f"Write `{item.name.text} uneven`", at.insert(item.span.end, " uneven"))
    stages, built = case.facts.get("stages"), case.facts.get("built")
    if found is None or not isinstance(stages, int) or not isinstance(built, int):
        return
    at, item = found
    together = stages * _chunks(case.model)
    if isinstance(item.size, Number) and built % together == 0:
        for size in (built + together, built):
            if size:
                title = f"Write `{item.name.text} = {size}`"
                yield fix(title, at.replace(item.size.span, str(size)))


def _chunks(model: Model) -> int:
    """How many chunks a stage has, where the settings say so."""
    chunks = None if model.settings is None else dict(model.settings.values).get("chunks")
    return chunks if isinstance(chunks, int) else 1


def _equal_chunks(case: Case, chunks: Chunks) -> Iterator[Fix]:
    """Equal chunks of a size that deals out all layers; where none does, some of them one layer
    larger than the others."""
    layers, dealt = case.facts.get("layers"), items(case.facts.get("dealt"))
    stack = chunks.portions[0].path.text
    if not isinstance(layers, int):
        return
    sizes = [size for size in items(case.facts.get("valid_chunk")) if isinstance(size, int)]
    for size in sorted(sizes, reverse=True):
        text = f"{layers // size} of {size} {stack}"
        yield fix(f"Write `{text}`", case.at.replace(chunks.span, text))
    if not sizes and 0 < len(dealt) <= layers:
        size, larger = divmod(layers, len(dealt))
        parts = _some(larger, size + 1, stack), _some(len(dealt) - larger, size, stack)
        text = " | ".join(parts)
        yield fix(f"Write `{text}`", case.at.replace(chunks.span, text))


def _some(count: int, size: int, stack: str) -> str:
    return f"{size} {stack}" if count == 1 else f"{count} of {size} {stack}"


def _one_chunk(case: Case, statement: StagesStatement) -> Iterator[Fix]:
    """The smallest chunk larger, or the largest smaller, so that all layers are dealt out once."""
    lost = case.facts.get("lost")
    counts = {
        portion.count.span: int(portion.count.value)
        for chunks in statement.chunks
        for portion in chunks.portions
        if portion.count and chunks.repeat is None and portion.path.text == case.text("stack")
    }
    if isinstance(lost, int) and counts:
        span = (min if lost > 0 else max)(counts, key=lambda each: counts[each])
        if (count := counts[span] + lost) > 0:
            text = f"{count} {case.text('stack')}"
            yield fix(f"Write `{text}`", case.at.replace(span, str(count)))


def unsettled(case: Case) -> Iterator[Fix]:
    """What a turn leaves brought back to where the first turn found it, in a last layer."""
    statement = case.at.chunk.statement
    if not isinstance(statement, StackStatement):
        return
    carry = statement.carry_out.text
    body = list(inside(case.at))
    last = next((one for one in reversed(body) if _makes(one, carry)), None)
    entered = word(next(iter(items(case.facts.get("states"))), ""))
    cuts = [f"{dim or 'none'} on {axis}" for axis, dim in _STATE.findall(entered)]
    if last is None or not cuts or not isinstance(made := last.chunk.statement, LayerStatement):
        return
    dims = next((t.dims for t in case.model.tensors if t.label == carry), ())
    taken = {tensor.label for tensor in case.model.tensors}
    turned = unlike(carry, taken)
    back = f"layer {turned}_back: {carry}[{', '.join(dims)}] = {turned}"
    edits = [last.replace(made.out.span, turned)]
    for one in body[body.index(last) + 1 :]:
        edits += _reads(one, carry, turned)
    edits.append(body[-1].below(f"{back} partition {', '.join(cuts)}"))
    yield fix(f"Bring {carry} back to {entered} at the end of each turn", *edits)


def _makes(one: Spot, tensor: str) -> bool:
    statement = one.chunk.statement
    return isinstance(statement, LayerStatement) and statement.out.text == tensor


def _reads(one: Spot, tensor: str, name: str) -> Iterator[Edit]:
    match one.chunk.statement:
        case LayerStatement(expression=expression) if expression is not None:
            for part in parts(expression):
                if isinstance(part, TensorUse) and part.path.text == tensor:
                    yield one.replace(part.path.span, name)

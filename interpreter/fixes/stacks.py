"""Stacks whose layers are not all dealt out, or whose carry does not settle."""

from __future__ import annotations

import re
from collections.abc import Iterator

from parspec.grammar.expressions import TensorUse, parts
from parspec.grammar.syntax import LayerStatement, PartitionClause, StackStatement, StagesStatement
from parspec.interpreter.diagnostics.entry import items, word
from parspec.interpreter.diagnostics.findings import Edit, Fix
from parspec.interpreter.fixes.case import Case, fix, unlike
from parspec.interpreter.fixes.spots import Spot, inside

_STATE = re.compile(r"(\S+): (?:P\((\w+)\)|R)")


def layers_lost(case: Case) -> Iterator[Fix]:
    """The first stages take one layer more, or chunks of a size that deals out all, or one of
    unequal chunks takes what is lost or gives up what is too much."""
    statement = case.at.chunk.statement
    if isinstance(statement, StagesStatement) and len(statement.chunks) > 1:
        yield from _one_chunk(case, statement)
    if isinstance(statement, StagesStatement) and len(statement.chunks) == 1:
        layers, sizes = case.facts.get("layers"), items(case.facts.get("valid_chunk"))
        (chunks,) = statement.chunks
        for size in sorted((size for size in sizes if isinstance(size, int)), reverse=True):
            if isinstance(layers, int) and len(chunks.portions) == 1:
                text = f"{layers // size} of {size} {chunks.portions[0].path.text}"
                yield fix(f"Write `{text}`", case.at.replace(chunks.span, text))
    if not isinstance(statement, StackStatement):
        return
    if any(isinstance(clause, PartitionClause) for clause in statement.clauses):
        title = f"Let the first stages take one layer of {statement.name.text} more: `uneven`"
        yield fix(title, case.at.with_clause("uneven"))
        return
    found = case.dim(statement.dim.text)
    if found is not None and not found[1].uneven:
        at, item = found
        yield fix(f"Write `{item.name.text} uneven`", at.insert(item.span.end, " uneven"))


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

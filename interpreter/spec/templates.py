"""Templates: an `op` as it is declared, over dimensions of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parspec.grammar.syntax import OpStatement
from parspec.grammar.values import changed
from parspec.interpreter.spec.expressions import (
    as_draft,
    drafted,
)
from parspec.interpreter.spec.frames import Arguments, Block, frame_of
from parspec.interpreter.spec.indices import Dimensions, Reading, spelled
from parspec.interpreter.spec.model import Operand, Template
from parspec.interpreter.spec.names import duplicate
from parspec.interpreter.spec.scopes import Callee, Here, Notes, Scope, Seen, World
from parspec.interpreter.spec.shapes import Draft, Leaves, Written, check

if TYPE_CHECKING:
    from parspec.grammar.expressions import TensorUse
    from parspec.grammar.syntax import TensorItem


class _Apart:
    """A host that keeps nothing: an op by itself makes no layers."""

    def unnamed(self, draft: Draft, output: Leaves, here: Here) -> Reading | None:
        """A result without a name."""
        dims = Dimensions(output, tuple((leaf,) for leaf in output))
        return Reading(Operand("", output), dims, draft.span, draft.assumed)

    def answers(self, reading: Reading) -> None:
        """There is no layer whose name it could answer to."""

    def assume(self, use: TensorUse, dims: Dimensions, here: Here) -> Reading:
        """What an op reads that is no parameter of it has been reported."""
        return Reading(Operand(use.path.text, dims.leaves), dims, use.span, assumed=True)

    def expand(self, block: Block, arguments: Arguments, here: Here) -> Reading | None:
        """An op is one operator: it cannot call a block."""
        name = block.header.name.text
        here.report("misplaced", block.call.span, statement=f"block {name}", place="in an op")
        return None


def template(callee: Callee, statement: OpStatement, world: World, notes: Notes) -> Template | None:
    """An op's operator; None, after saying why, where it is wrong.

    Findings: those of its expression, `duplicate_name` for parameters, `dim_without_operand`.
    """
    own = {dim.text: (dim.text,) for item in statement.parameters for dim in item.dims}
    scope = Scope(callee.scope.path, callee.scope, callee.scope.turns, own)
    here = Here(world, scope, callee.placed, notes)
    entered = [_entered(item, here) for item in statement.parameters]
    name, out = statement.out.name.text, statement.out
    dims = spelled(name, out.dims, here)
    if dims is None or not all(entered):
        return None
    frame = changed(frame_of(statement.expression, dims.leaves, here), ops=(statement.name.text,))
    draft = as_draft(drafted(statement.expression, frame, _Apart()), statement.expression.span)
    if draft is None or not check(draft, Written(name, out.name.span), dims.leaves, here):
        return None
    return Template(
        statement.name.text,
        tuple(reading.operand.tensor for reading in draft.readings),
        name,
        draft.operator(dims.leaves),
        note=callee.placed.chunk.note,
        site=callee.site,
    )


def _entered(item: TensorItem, here: Here) -> bool:
    """Enters a parameter into the op's scope, if it is sound."""
    name, site = item.name.text, here.at(item.name.span)
    if first := here.scope.tensors.get(name):
        here.notes.found.append(duplicate("parameter", name, site, first.site))
        return False
    dims = spelled(name, item.dims, here)
    if dims is None:
        return False
    here.scope.tensors[name] = parameter(item, dims, here)
    return True


def parameter(item: TensorItem, dims: Dimensions, here: Here) -> Seen:
    """A parameter to which nothing has been passed."""
    site, name = here.at(item.name.span), item.name.text
    return Seen(name, "activation", dims, dims.leaves, (), site)

"""Frames: what an expression stands in, and what its parts hand to one another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol

from parspec.grammar.expressions import Call, Name, Product, Sum, TensorUse
from parspec.grammar.values import value
from parspec.interpreter.spec.indices import Dimensions, Reading, renamed
from parspec.interpreter.spec.scopes import Seen

if TYPE_CHECKING:
    from parspec.grammar.expressions import Expression
    from parspec.grammar.syntax import BlockStatement
    from parspec.interpreter.spec.scopes import Callee, Here
    from parspec.interpreter.spec.shapes import Draft, Leaves


class Host(Protocol):
    """What gives unnamed results a name and keeps the layers."""

    def unnamed(self, draft: Draft, output: Leaves, here: Here) -> Reading | None:
        """Adds a layer without a name; what its result is read as, None if there is no room."""
        ...

    def answers(self, reading: Reading) -> None:
        """An unnamed result answers to the name of the layer's result, too."""
        ...

    def assume(self, use: TensorUse, dims: Dimensions, here: Here) -> Reading:
        """Adds a tensor that is not known as one with these dimensions that nothing gives."""
        ...

    def expand(self, block: Block, arguments: Arguments, here: Here) -> Reading | None:
        """Adds the layers of a block under a name of their own; what its result is read as."""
        ...


@value
class Block:
    """A block that is called: the call, the block's header, and where it is declared."""

    call: Call
    header: BlockStatement
    callee: Callee


@value
class Arguments:
    """What a block's parameters read, and the caller's dimensions, each with what the parameter
    calls it inside."""

    readings: tuple[Reading, ...]
    pairs: tuple[tuple[str, str], ...]

    @property
    def renamed(self) -> tuple[tuple[str, str], ...]:
        """The dimensions that have another name inside."""
        return tuple(pair for pair in self.pairs if pair[0] != pair[1])

    def outside(self, result: Reading) -> Reading:
        """A block's result under the caller's names for its dimensions, where that is clear."""
        once = [new for _, new in self.pairs]
        names = {new: old for old, new in self.renamed if once.count(new) == 1}
        leaves = tuple(names.get(leaf, leaf) for leaf in result.leaves)
        if leaves == result.leaves or len(set(leaves)) < len(leaves):
            return result
        return renamed(result, Dimensions(leaves, tuple((leaf,) for leaf in leaves)))


@value
class Frame:
    """Where an expression stands. `whole`: its layer's expression, whose result has the dimensions
    `output`; `wanted`: these with those that functions around it work along, None while they are
    open; `others`: what it is multiplied by; `ops`: the ops being written out."""

    here: Here
    whole: Expression
    output: Leaves | None
    wanted: Leaves | None
    others: tuple[Expression, ...] = ()
    ops: tuple[str, ...] = ()
    depth: int = 0

    @property
    def beside(self) -> frozenset[str]:
        """The dimensions of what it is multiplied by."""
        return frozenset().union(*(supplied(other, self.here) for other in self.others))

    @property
    def fresh(self) -> Leaves:
        """The dimensions of the layer's result that no operand has."""
        known = supplied(self.whole, self.here)
        return tuple(leaf for leaf in self.output or () if leaf not in known)


def frame_of(expression: Expression, output: Leaves | None, here: Here) -> Frame:
    """The frame of a layer's whole expression."""
    return Frame(here, expression, output, output)


def tensor_uses(expression: Expression) -> Iterator[TensorUse]:
    """Every tensor in an expression, in order."""
    pending = [expression]
    while pending:
        match pending.pop():
            case TensorUse() as use:
                yield use
            case Product(factors=factors):
                pending.extend(reversed(factors))
            case Sum(terms=terms):
                pending.extend(term.value for term in reversed(terms))
            case Call(arguments=arguments):
                pending.extend(reversed(arguments))


def supplied(expression: Expression, here: Here) -> frozenset[str]:
    """Every dimension that a tensor in an expression has, as it is read."""
    leaves: set[str] = set()
    for use in tensor_uses(expression):
        entry = here.scope.tensor(tuple(part.text for part in use.path.parts))
        if use.indices is None and isinstance(entry, Seen):
            leaves.update(leaf for leaf in entry.leaves if leaf is not None)
        for index in use.indices or ():
            if isinstance(index.name, Name):
                leaves.update(here.leaves(index.name.text) or ())
    return frozenset(leaves)

"""Tensors: what `input`, `weight`, `cache` and `var` declare."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from parspec.grammar.values import changed, value
from parspec.interpreter.spec.clauses import NOTHING, Said, said
from parspec.interpreter.spec.indices import Dimensions, spelled
from parspec.interpreter.spec.model import Tensor
from parspec.interpreter.spec.names import duplicate
from parspec.interpreter.spec.scopes import Broken, Here, Seen
from parspec.interpreter.spec.settings import DTYPES

if TYPE_CHECKING:
    from parspec.grammar.expressions import Name
    from parspec.grammar.syntax import TensorItem, TensorStatement
    from parspec.interpreter.diagnostics.findings import Site


@value
class Declared:
    """A tensor with what its own clauses say of it."""

    tensor: Tensor
    said: Said


def declare(statement: TensorStatement, here: Here) -> Iterator[Declared]:
    """The tensors of a statement, each entered into the scope; broken ones only there.

    Findings: those of its clauses, `duplicate_name`, `unknown_name` (dimensions, types),
    `repeated_dim`, `dim_not_in_layer`.
    """
    names = ", ".join(item.name.text for item in statement.items)
    own = said(statement.clauses, statement.role, names, here)
    made = tuple(t for item in statement.items if (t := _declared(statement, item, here)))
    _check_dims(own, made, here)
    for tensor in made:
        yield Declared(tensor, _share(own, tensor, here))


def _declared(statement: TensorStatement, item: TensorItem, here: Here) -> Tensor | None:
    name, site, scope = item.name.text, here.at(item.name.span), here.scope
    if first := scope.tensors.get(name):
        here.notes.found.append(duplicate("tensor", name, site, first.site))
        return None
    dims = spelled(name, item.dims, here)
    if dims is None:
        scope.tensors[name] = Broken(site)
        return None
    turns: tuple[str, ...] = ()
    if statement.role in ("weight", "cache"):
        more = (dim for dim in dims.names if dim in here.world.turns)
        turns = tuple(dict.fromkeys((*scope.turns, *more)))
    own, dtype = dims.without(turns), dtype_of(item.dtype, here)
    if statement.role == "weight" and here.world.weights is not None:
        dtype = here.world.weights
    tensor = Tensor(
        scope.unique(name),
        name,
        "activation" if statement.role == "var" else statement.role,
        own.names,
        own.leaves,
        dtype,
        stacked=turns,
        note=here.placed.note(name),
        site=site,
    )
    scope.tensors[name] = seen(tensor, own, site, settled=statement.role != "var")
    return tensor


def seen(tensor: Tensor, dims: Dimensions, site: Site, *, settled: bool = True) -> Seen:
    """A tensor as the scope sees it that declares it with these dimensions at a site."""
    return Seen(
        tensor.name,
        tensor.role,
        dims,
        dims.leaves,
        tensor.stacked,
        site,
        settled,
    )


def dtype_of(written: Name | None, here: Here) -> str:
    """The type of a tensor's elements: as written, else the spec's default."""
    if written is None or written.text in DTYPES:
        return here.world.dtype if written is None else written.text
    here.report_unknown("dtype", written, tuple(DTYPES))
    return here.world.dtype


def _has(tensor: Tensor, dim: str | None, here: Here) -> bool:
    leaves = () if dim is None else here.leaves(dim) or ()
    return dim is None or dim in tensor.stacked or not set(leaves).isdisjoint(tensor.leaves)


def _check_dims(own: Said, tensors: tuple[Tensor, ...], here: Here) -> None:
    """`dim_not_in_layer` for a dimension that none of the list has."""
    for part in (*own.assignments, *own.stores):
        if tensors and not any(_has(tensor, part.dim, here) for tensor in tensors):
            first = tensors[0]
            here.report(
                "dim_not_in_layer",
                part.site.span,
                kind="variable" if first.role == "activation" else first.role,
                name=first.label,
                dim=part.dim,
                dims=first.dims,
            )


def _share(own: Said, tensor: Tensor, here: Here) -> Said:
    """What a statement says of one of its tensors: clauses hold for those that have the dim."""
    if own is NOTHING:
        return own
    return changed(
        own,
        assignments=tuple(part for part in own.assignments if _has(tensor, part.dim, here)),
        stores=tuple(part for part in own.stores if _has(tensor, part.dim, here)),
    )

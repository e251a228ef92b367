"""Forgotten factors: a weight or an input that nothing reads, and a layer whose result says that it
was to be multiplied by it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from parspec.grammar.document import Chunk
from parspec.grammar.expressions import Call, Expression, Product, Scalar, TensorUse
from parspec.grammar.syntax import LayerStatement
from parspec.interpreter.diagnostics.findings import Fix
from parspec.interpreter.fixes.case import Case, case, fix
from parspec.interpreter.fixes.spots import Spot, spot
from parspec.interpreter.spec.functions import FUNCTIONS
from parspec.interpreter.spec.model import Model, Tensor

_Dims: TypeAlias = frozenset[str]

_LACKING = ("dim_without_operand", "missing_sum", "summed_alone")  # where a factor is forgotten


class _Unread(NamedTuple):
    """A weight or an input that nothing reads, with its dimensions, products spelled out."""

    tensor: Tensor
    dims: _Dims
    around: tuple[Chunk, ...]

    def is_known_to(self, at: Spot) -> bool:
        """Whether a statement stands in the body in which the variable is declared."""
        return self.around == at.around[len(at.around) - len(self.around) :]


def forgotten(case: Case) -> Iterator[Fix]:
    """The one unread weight or input with which a product has the dimensions that its layer
    declares, written as its last factor."""
    found = _completion(case, _unread(case.model))
    if found is not None:
        yield found[1]


def unread(of: Case) -> Iterator[Fix]:
    """A variable that nothing reads, written as the factor that a layer lacks."""
    fixes: dict[Fix, None] = {}
    variables = _unread(of.model)
    for finding in of.model.findings:
        lacking = case(finding, of.model) if finding.name in _LACKING else None
        found = None if lacking is None else _completion(lacking, variables)
        if found is not None and found[0].site == of.finding.site:
            fixes[found[1]] = None
    yield from fixes


def _completion(lacking: Case, variables: Sequence[_Unread]) -> tuple[Tensor, Fix] | None:
    """The only one of some variables that completes the product of a layer, and the fix that writes
    it."""
    match lacking.at.chunk.statement:
        case LayerStatement(out_dims=tuple() as dims, expression=expression) if expression:
            product = _innermost(expression)
        case _:
            return None
    factors = _factors(product, lacking)
    if not factors:
        return None
    result = _leaves((dim.text for dim in dims), lacking.model)
    fitting = [
        each.tensor
        for each in variables
        if each.is_known_to(lacking.at) and _gives(result, [*factors, each.dims])
    ]
    if len(fitting) != 1:
        return None
    factor = f" * {fitting[0].label}"
    title = f"Write `{lacking.at.text(product.span)}{factor}`"
    return fitting[0], fix(title, lacking.at.insert(product.span.end, factor))


def _innermost(expression: Expression) -> Expression:
    """What functions that keep the dimensions of their one tensor are applied to."""
    match expression:
        case Call(function=function, arguments=(only,)):
            known = FUNCTIONS.get(function.text)
            if known is not None and known.kind == "pointwise":
                return _innermost(only)
    return expression


def _factors(expression: Expression, case: Case) -> Sequence[_Dims]:
    """The dimensions of each factor; () where one is no variable with known dimensions."""
    written = expression.factors if isinstance(expression, Product) else (expression,)
    tensors = [factor for factor in written if not isinstance(factor, Scalar)]
    dims = [case.dims_of(factor) if isinstance(factor, TensorUse) else () for factor in tensors]
    return [_leaves(each, case.model) for each in dims] if all(dims) else ()


def _gives(result: _Dims, factors: Iterable[_Dims]) -> bool:
    """Whether a product has these dimensions: each is of a factor, and it sums over what several
    factors have."""
    count = Counter(dim for factor in factors for dim in factor)
    return result <= count.keys() and all(n > 1 for dim, n in count.items() if dim not in result)


def _leaves(dims: Iterable[str], model: Model) -> _Dims:
    """Dimensions with products spelled out."""
    named = frozenset(dims)
    products = {dim.name: dim.factors for dim in model.dims if dim.name in named}
    return frozenset(leaf for dim in named for leaf in products.get(dim, (dim,)))


def _unread(model: Model) -> Sequence[_Unread]:
    """The weights and inputs that nothing reads, one of each declaration."""
    sites = {each.site for each in model.findings if each.name == "unused_name"}
    tensors = [each for each in model.tensors if each.site in sites] if sites else []
    declared = {each.site: each for each in reversed(tensors) if each.role in ("weight", "input")}
    return [
        _Unread(tensor, _leaves(tensor.dims, model), at.around)
        for site, tensor in declared.items()
        if (at := spot(site, model)) is not None
    ]

"""par.lark's rules -> the nodes of the syntax tree: one method for each rule.

A method is called as soon as its rule is complete, with what the rule's parts were built to.
Spans come from the first and the last part. A method never fails: what the rules let through
has a node.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any, Literal, TypeAlias, TypeVar

from parspec.grammar import expressions, syntax
from parspec.grammar.expressions import Name, Number, Path
from parspec.grammar.keywords import normal
from parspec.grammar.lexer import Token
from parspec.grammar.span import Span, span_of
from parspec.grammar.values import the_one, value

_PREFIXES = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40}

_Node = TypeVar("_Node")


@value
class _Option:
    """What may stand behind a dimension's size."""

    kind: Literal["unit", "padded", "uneven"]
    size: expressions.Size | None
    end: int


@value
class _Narrowing:
    """What narrows an `expect`: axes and places add up, the others stand once."""

    kind: Literal["in", "on", "per device", "passes"]
    value: Any
    span: Span


@value
class _Listed:
    """Items between brackets or commas, and where they end."""

    items: tuple[Any, ...]
    span: Span


_Part: TypeAlias = Any  # a token, a node or an intermediate: what has a span


def _over(*parts: _Part | None) -> Span:
    """From the first part to the last that is there."""
    first, last = parts[0], parts[-1]
    if first is None or last is None:
        present = [part for part in parts if part is not None]
        first, last = present[0], present[-1]
    return first.span if first is last else span_of(first.span.start, last.span.end)


def _all_of(kind: type[_Node], parts: tuple[_Part, ...]) -> tuple[_Node, ...]:
    return tuple(part for part in parts if isinstance(part, kind))


def _value(text: str) -> Fraction:
    """The number that NUMBER's text means."""
    factor = _PREFIXES.get(text[-2:], 1)
    digits = (text[:-2] if factor > 1 else text).replace("_", "")
    return Fraction(int(digits) if digits.isdigit() else digits) * factor


def _name(named: Name | Token) -> Name:
    """The name that a token of any type is; a NAME has been made one when it was read."""
    return named if isinstance(named, Name) else Name(normal(named.value), named.span)


def _items(listed: _Listed | None) -> tuple[Any, ...]:
    return listed.items if listed else ()


def builders() -> Mapping[str, Callable[..., Any]]:
    """The builder's methods by the rules' names; each takes the parts of its rule."""
    builder = _Builder()
    return {name: getattr(builder, name) for name in dir(builder) if not name.startswith("_")}


class _Builder:
    """What each rule of par.lark is built to."""

    # -- names -----------------------------------------------------------------------------------

    def _as_name(self, named: Name | Token) -> Name:
        return _name(named)

    dimension = size_name = argument_name = axis = link_name = device_name = optimizer = _as_name
    dtype_name = tensor = layer_name = op_name = block_name = stack_name = plan_name = _as_name
    scope_name = library_name = function = kind = pattern_name = price_list = mode = _as_name
    figure = state_name = primitive_name = primitive_tensor = _as_name
    setting_key = setting_word = path_part = _as_name

    def _as_path(self, *parts: Name) -> Path:
        return Path(parts, _over(*parts))

    tensor_path = axis_path = scope_path = library_path = _as_path

    def _as_list(self, *parts: Any) -> _Listed:
        return _Listed(parts, _over(*parts))

    tensor_items = dimensions = scope_paths = axis_paths = axis_product = axes = arguments = (
        _as_list
    )

    # -- sizes and hardware ----------------------------------------------------------------------

    def number(self, token: Token) -> Number:
        return Number(_value(token.value), None, token.span)

    def quantity(self, token: Token, unit: Token | None) -> Number:
        return Number(_value(token.value), unit.value if unit else None, _over(token, unit))

    def short_count(self, token: Token) -> Number:
        return Number(_value(token.value[:-1]), token.value[-1], token.span)

    def arithmetic(
        self, left: expressions.Size, operator: Token, right: expressions.Size
    ) -> expressions.Size:
        return expressions.Arithmetic(operator.value, left, right, _over(left, right))

    def bracketed(self, left: Token, node: Any, right: Token) -> Any:
        if isinstance(node, expressions.Arithmetic | expressions.Product | expressions.Sum):
            return replace(node, span=_over(left, right))
        return node

    def capacity_argument(
        self, name: Name, size: expressions.Size
    ) -> tuple[Name, expressions.Size]:
        return name, size

    def capacity(self, word: Token, *parts: Any) -> expressions.Capacity:
        return expressions.Capacity(parts[:-1], _over(word, parts[-1]))

    def rest(self, word: Token) -> expressions.Rest:
        return expressions.Rest(word.span)

    def unit(self, size: expressions.Size) -> _Option:
        return _Option("unit", size, size.span.end)

    def padded(self, size: expressions.Size) -> _Option:
        return _Option("padded", size, size.span.end)

    def uneven_dim(self, word: Token) -> _Option:
        return _Option("uneven", None, word.span.end)

    def dim_item(
        self, name: Name, size: expressions.Size | None, *options: _Option
    ) -> syntax.DimItem:
        end = options[-1].end if options else (size or name).span.end
        said = {option.kind: option.size for option in options}
        span = span_of(name.span.start, end)
        return syntax.DimItem(
            name, size, said.get("unit"), said.get("padded"), "uneven" in said, span
        )

    def dim(self, *items: syntax.DimItem) -> syntax.DimStatement:
        return syntax.DimStatement(items)

    def axis_item(
        self, name: Name, size: expressions.Size | None, link: Name | None
    ) -> syntax.AxisItem:
        return syntax.AxisItem(name, size, link, _over(name, size, link))

    def mesh(self, *parts: Any) -> syntax.MeshStatement:
        *items, devices, device = parts
        return syntax.MeshStatement(tuple(items), devices, device)

    def axis_view(self, *parts: Any) -> syntax.AxisStatement:
        *items, of = parts
        return syntax.AxisStatement(tuple(items), _items(of))

    def setting(self, key: Name, value: expressions.Size) -> syntax.Setting:
        return syntax.Setting(key, value, _over(key, value))

    def link(self, name: Name, *parts: Any) -> syntax.LinkStatement:
        return syntax.LinkStatement(name, parts)

    def device(self, name: Name, *parts: Any) -> syntax.DeviceStatement:
        return syntax.DeviceStatement(name, parts)

    def train(self, optimizer: Name | None, *settings: Any) -> syntax.TrainStatement:
        return syntax.TrainStatement(optimizer, settings)

    def infer(self, *settings: Any) -> syntax.InferStatement:
        return syntax.InferStatement(settings)

    # -- tensors and layers ----------------------------------------------------------------------

    def dtype(self, name: Name) -> syntax.DtypeStatement:
        return syntax.DtypeStatement(name)

    def role(self, word: Token) -> Token:
        return word

    def dims(self, dimensions: _Listed | None, right: Token) -> _Listed:
        return _Listed(_items(dimensions), _over(dimensions, right))

    def tensor_item(self, name: Name, dims: _Listed, dtype: Name | None) -> syntax.TensorItem:
        return syntax.TensorItem(name, the_one(dims.items), dtype, _over(name, dims, dtype))

    def tensors(self, role: Token, items: _Listed, *clauses: Any) -> syntax.TensorStatement:
        return syntax.TensorStatement(role.value, items.items, clauses)

    def output(self, *parts: Any) -> syntax.OutputStatement:
        paths = _all_of(Path, parts)
        return syntax.OutputStatement(paths, parts[len(paths) :])

    def layer(
        self,
        name: Name,
        out: Name,
        dims: _Listed | None,
        dtype: Name | None,
        expression: expressions.Expression,
        *clauses: Any,
    ) -> syntax.LayerStatement:
        out_dims = the_one(dims.items) if dims else None
        return syntax.LayerStatement(name, out, out_dims, dtype, expression, the_one(clauses))

    def op(
        self,
        name: Name,
        parameters: _Listed,
        _arrow: Token,
        out: syntax.TensorItem,
        expression: expressions.Expression,
    ) -> syntax.OpStatement:
        return syntax.OpStatement(name, parameters.items, out, expression)

    def pointwise(self, name: Name) -> syntax.PointwiseStatement:
        return syntax.PointwiseStatement(name)

    def block(
        self, name: Name, parameters: _Listed, _arrow: Token, out: Name, fused: Token | None
    ) -> syntax.BlockStatement:
        return syntax.BlockStatement(name, parameters.items, out, fused is not None)

    def stack(
        self, name: Name, dim: Name, carry_in: Name, _arrow: Token, carry_out: Name, *clauses: Any
    ) -> syntax.StackStatement:
        return syntax.StackStatement(name, dim, carry_in, carry_out, clauses)

    def plan(self, name: Name) -> syntax.PlanStatement:
        return syntax.PlanStatement(name)

    # -- expressions -----------------------------------------------------------------------------

    def sum(self, *parts: Any) -> expressions.Sum:
        signed = parts if isinstance(parts[0], Token) else (None, *parts)
        terms = tuple(
            expressions.Term(-1 if sign and sign.value == "-" else 1, value)
            for sign, value in zip(signed[::2], signed[1::2], strict=True)
        )
        return expressions.Sum(terms, _over(*parts))

    def product(self, *parts: Any) -> expressions.Product:
        factors = tuple(part for part in parts if not isinstance(part, Token))
        return expressions.Product(factors, _over(*factors))

    def scalar(self, token: Token) -> expressions.Scalar:
        return expressions.Scalar(_value(token.value), token.span)

    def divisor(self, token: Token) -> expressions.Scalar:
        return expressions.Scalar(1 / _value(token.value), token.span)

    def index(self, name: Name | Number) -> expressions.Index:
        return expressions.Index(name, name.span)

    def indices(self, *parts: Any) -> _Listed:
        return _Listed(_all_of(expressions.Index, parts), _over(*parts))

    def tensor_use(self, path: Path, indices: _Listed | None) -> expressions.TensorUse:
        if indices is None:
            return expressions.TensorUse(path, None, path.span)
        return expressions.TensorUse(path, indices.items, _over(path, indices))

    def call(
        self,
        function: Name,
        over: _Listed | None,
        masked: Token | None,
        arguments: _Listed,
        right: Token,
    ) -> expressions.Call:
        span = _over(function, right)
        return expressions.Call(function, _items(over), masked is not None, arguments.items, span)

    # -- clauses ---------------------------------------------------------------------------------

    def axis_use(self, path: Path, dealt: Token | None) -> syntax.AxisUse:
        return the_one(syntax.AxisUse(path, dealt.value if dealt else None, _over(path, dealt)))

    def cut_dim(self, dim: Name | Token) -> Name | Token:
        return dim

    def cut(self, dim: Name | Token, axes: _Listed) -> syntax.Cut:
        which = dim.value if isinstance(dim, Token) else dim
        return the_one(syntax.Cut(which, axes.items, _over(dim, axes)))

    def partition(self, word: Token, *cuts: Any) -> syntax.PartitionClause:
        return the_one(syntax.PartitionClause(cuts, _over(word, *cuts)))

    def state(self, word: Token, *parts: Any) -> syntax.StateClause:
        kind = parts[0] if len(parts) > 1 else None
        axes = parts[-1]
        return syntax.StateClause(word.value, kind, axes.items, _over(word, axes))

    def store(self, word: Token, dim: Name | None, axes: _Listed) -> syntax.StoreClause:
        return syntax.StoreClause(dim, axes.items, _over(word, axes))

    def at(self, word: Token, axis: Path, stage: Number, right: Token) -> syntax.AtClause:
        return syntax.AtClause(axis, stage, _over(word, right))

    def flag(self, word: Token) -> syntax.FlagClause:
        return syntax.FlagClause(word.value, word.span)

    def uneven(self, word: Token) -> syntax.UnevenClause:
        return syntax.UnevenClause(word.span)

    # -- layouts, patterns, choices --------------------------------------------------------------

    def portion(self, count: Number | None, path: Path) -> syntax.Portion:
        return syntax.Portion(count, path)

    def portions(self, *parts: Any) -> _Listed:
        portions = _all_of(syntax.Portion, parts)
        if not portions:
            return _Listed((), _over(*parts))
        return _Listed(portions, _over(portions[0].count or portions[0].path, portions[-1].path))

    def chunks(self, repeat: Number | None, portions: _Listed) -> syntax.Chunks:
        return syntax.Chunks(repeat, portions.items, _over(repeat, portions))

    def stages(self, axis: Path, *chunks: Any) -> syntax.StagesStatement:
        return syntax.StagesStatement(axis, chunks)

    def one_of(self, named: Name | Token) -> _Listed:
        return _Listed((_name(named),), named.span)

    def any_of(self, *parts: Any) -> _Listed:
        return _Listed(parts[1:-1], _over(*parts))

    def pattern(self, *parts: _Listed) -> syntax.Pattern:
        return syntax.Pattern(tuple(part.items for part in parts), _over(*parts))

    def for_each(self, *parts: Any) -> syntax.ForStatement:
        patterns = _all_of(syntax.Pattern, parts)
        return syntax.ForStatement(patterns, parts[len(patterns) :])

    def cost(self, name: Name) -> syntax.CostStatement:
        return syntax.CostStatement(name)

    def communication(self, mode: Name) -> syntax.CommunicationStatement:
        return syntax.CommunicationStatement(mode)

    def import_file(self, token: Token) -> syntax.ImportStatement:
        return syntax.ImportStatement(token.value[1:-1], True, token.span)

    def import_library(self, path: Path) -> syntax.ImportStatement:
        return syntax.ImportStatement(path.text, False, path.span)

    # -- expectations ----------------------------------------------------------------------------

    def within(self, paths: _Listed) -> _Narrowing:
        return _Narrowing("in", paths.items, paths.span)

    def on_axes(self, axes: _Listed) -> _Narrowing:
        return _Narrowing("on", axes.items, axes.span)

    def per_device(self, per: Token, device: Token) -> _Narrowing:
        return _Narrowing("per device", None, _over(per, device))

    def pass_of(self, word: Token) -> _Narrowing:
        return _Narrowing("passes", word.value, word.span)

    def scope(self, *parts: _Narrowing) -> syntax.Scope:
        def said(kind: str) -> list[_Narrowing]:
            return [part for part in parts if part.kind == kind]

        devices, passes = said("per device"), said("passes")
        again = (*devices[1:], *passes[1:])
        return syntax.Scope(
            tuple(path for part in said("in") for path in part.value),
            tuple(axis for part in said("on") for axis in part.value),
            bool(devices),
            passes[0].value if passes else None,
            again[0].span if again else None,
        )

    def narrowings(self, *parts: _Narrowing) -> _Listed:
        return _Listed(parts, _over(*parts) if parts else span_of(0, 0))

    def gradient(self, *parts: Any) -> syntax.GradientUse:
        named = len(parts) == 1
        path = parts[0] if named else parts[1]
        path = Path((path,), path.span) if isinstance(path, Name) else path
        return syntax.GradientUse(path, not named, _over(*parts))

    def budget(
        self,
        figure: Name,
        arguments: _Listed | None,
        before: _Listed,
        comparison: Token,
        bound: expressions.Size,
        behind: _Listed,
    ) -> syntax.BudgetExpect:
        scope = self.scope(*before.items, *behind.items)
        return syntax.BudgetExpect(figure, _items(arguments), comparison.value, bound, scope)

    def primitive(
        self,
        no: Token | None,
        name: Name,
        tensor: syntax.GradientUse | None,
        scope: syntax.Scope,
    ) -> syntax.PrimitiveExpect:
        return syntax.PrimitiveExpect(no is not None, name, tensor, scope)

    def no_communication(self, _no: Token, scope: syntax.Scope) -> syntax.PrimitiveExpect:
        return syntax.PrimitiveExpect(True, None, None, scope)

    def state_argument(self, part: Name | Token) -> Name | Number:
        if isinstance(part, Token) and part.type == "NUMBER":
            return self.number(part)
        return _name(part)

    def state_word(self, head: Name, *parts: Any) -> syntax.StateWord:
        present = [part for part in parts if part is not None]
        arguments = tuple(part for part in present if not isinstance(part, Token))
        return syntax.StateWord(head, arguments, _over(head, *present))

    def produced(
        self, tensor: syntax.GradientUse, state: syntax.StateWord, scope: syntax.Scope
    ) -> syntax.StateExpect:
        return syntax.StateExpect(tensor, state, scope)

    def expect(
        self, condition: syntax.BudgetExpect | syntax.PrimitiveExpect | syntax.StateExpect
    ) -> syntax.ExpectStatement:
        return syntax.ExpectStatement(condition)

"""par.lark's rules -> the nodes of syntax.py: one method for each rule.

Lark calls a method as soon as its rule is complete, with what the rule's parts were built to.
Spans come from the first and the last part. A method never fails: what the rules let through
has a node.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any, Literal, TypeAlias, TypeVar

from lark import Token

from parspec.grammar import syntax
from parspec.grammar.keywords import normal
from parspec.grammar.syntax import Name, Number, Path, Span
from parspec.grammar.values import value

_PREFIXES = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40}

_Node = TypeVar("_Node")


@value
class _Option:
    """What may stand behind a dimension's size."""

    kind: Literal["unit", "padded", "uneven"]
    size: syntax.Size | None
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


_Part: TypeAlias = Any  # a Token, or a node or intermediate with a span


def _start(part: _Part) -> int:
    start: int = (part.start_pos or 0) if isinstance(part, Token) else part.span.start
    return start


def _end(part: _Part) -> int:
    end: int = (part.end_pos or 0) if isinstance(part, Token) else part.span.end
    return end


def _over(*parts: _Part) -> Span:
    """From the first part to the last that is there."""
    present = [part for part in parts if part is not None]
    return Span(_start(present[0]), _end(present[-1]))


def _all_of(kind: type[_Node], parts: tuple[_Part, ...]) -> tuple[_Node, ...]:
    return tuple(part for part in parts if isinstance(part, kind))


def _value(text: str) -> Fraction:
    """The number that NUMBER's text means."""
    factor = _PREFIXES.get(text[-2:], 1)
    digits = (text[:-2] if factor > 1 else text).replace("_", "")
    return Fraction(int(digits) if digits.isdigit() else digits) * factor


def _name(token: Token) -> Name:
    return Name(normal(str(token)), Span(token.start_pos or 0, token.end_pos or 0))


def _items(listed: _Listed | None) -> tuple[Any, ...]:
    return listed.items if listed else ()


def callbacks() -> SimpleNamespace:
    """The builder's methods as lark calls them: by the rule's name, with the parts in a list."""
    builder = _Builder()
    rules = [name for name in dir(builder) if not name.startswith("_")]
    return SimpleNamespace(**{rule: _spread(getattr(builder, rule)) for rule in rules})


def _spread(method: Callable[..., Any]) -> Callable[[list[Any]], Any]:
    return lambda parts: method(*parts)


class _Builder:
    """What each rule of par.lark is built to."""

    # -- names -----------------------------------------------------------------------------------

    def _as_name(self, token: Token) -> Name:
        return _name(token)

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
        return Number(_value(token), None, _over(token))

    def quantity(self, token: Token, unit: Token | None) -> Number:
        return Number(_value(token), str(unit) if unit else None, _over(token, unit))

    def arithmetic(self, left: syntax.Size, operator: Token, right: syntax.Size) -> syntax.Size:
        return syntax.Arithmetic(operator.value, left, right, _over(left, right))

    def bracketed(self, left: Token, node: Any, right: Token) -> Any:
        if isinstance(node, syntax.Arithmetic | syntax.Product | syntax.Sum):
            return replace(node, span=_over(left, right))
        return node

    def capacity_argument(self, name: Name, size: syntax.Size) -> tuple[Name, syntax.Size]:
        return name, size

    def capacity(self, word: Token, *parts: Any) -> syntax.Capacity:
        return syntax.Capacity(parts[:-1], _over(word, parts[-1]))

    def rest(self, word: Token) -> syntax.Rest:
        return syntax.Rest(_over(word))

    def unit(self, size: syntax.Size) -> _Option:
        return _Option("unit", size, size.span.end)

    def padded(self, size: syntax.Size) -> _Option:
        return _Option("padded", size, size.span.end)

    def uneven_dim(self, word: Token) -> _Option:
        return _Option("uneven", None, _end(word))

    def dim_item(self, name: Name, size: syntax.Size | None, *options: _Option) -> syntax.DimItem:
        end = options[-1].end if options else _end(size or name)
        said = {option.kind: option.size for option in options}
        span = Span(name.span.start, end)
        return syntax.DimItem(
            name, size, said.get("unit"), said.get("padded"), "uneven" in said, span
        )

    def dim(self, *items: syntax.DimItem) -> syntax.DimStatement:
        return syntax.DimStatement(items)

    def axis_item(self, name: Name, size: syntax.Size | None, link: Name | None) -> syntax.AxisItem:
        return syntax.AxisItem(name, size, link, _over(name, size, link))

    def mesh(self, *parts: Any) -> syntax.MeshStatement:
        *items, devices, device = parts
        return syntax.MeshStatement(tuple(items), devices, device)

    def axis_view(self, *parts: Any) -> syntax.AxisStatement:
        *items, of = parts
        return syntax.AxisStatement(tuple(items), _items(of))

    def setting(self, key: Name, value: syntax.Size) -> syntax.Setting:
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
        return syntax.TensorItem(name, dims.items, dtype, _over(name, dims, dtype))

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
        expression: syntax.Expression,
        *clauses: Any,
    ) -> syntax.LayerStatement:
        out_dims = dims.items if dims else None
        return syntax.LayerStatement(name, out, out_dims, dtype, expression, clauses)

    def op(
        self,
        name: Name,
        parameters: _Listed,
        _arrow: Token,
        out: syntax.TensorItem,
        expression: syntax.Expression,
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

    def sum(self, *parts: Any) -> syntax.Sum:
        signed = parts if isinstance(parts[0], Token) else (None, *parts)
        terms = tuple(
            syntax.Term(-1 if sign == "-" else 1, value)
            for sign, value in zip(signed[::2], signed[1::2], strict=True)
        )
        return syntax.Sum(terms, _over(*parts))

    def product(self, *parts: Any) -> syntax.Product:
        factors = tuple(part for part in parts if not isinstance(part, Token))
        return syntax.Product(factors, _over(*factors))

    def scalar(self, token: Token) -> syntax.Scalar:
        return syntax.Scalar(_value(token), _over(token))

    def divisor(self, token: Token) -> syntax.Scalar:
        return syntax.Scalar(1 / _value(token), _over(token))

    def index(self, name: Name | Number) -> syntax.Index:
        return syntax.Index(name, name.span)

    def indices(self, *parts: Any) -> _Listed:
        return _Listed(_all_of(syntax.Index, parts), _over(*parts))

    def tensor_use(self, path: Path, indices: _Listed | None) -> syntax.TensorUse:
        return syntax.TensorUse(path, indices.items if indices else None, _over(path, indices))

    def call(
        self,
        function: Name,
        over: _Listed | None,
        masked: Token | None,
        arguments: _Listed,
        right: Token,
    ) -> syntax.Call:
        span = _over(function, right)
        return syntax.Call(function, _items(over), masked is not None, arguments.items, span)

    # -- clauses ---------------------------------------------------------------------------------

    def axis_use(self, path: Path, dealt: Token | None) -> syntax.AxisUse:
        return syntax.AxisUse(path, dealt.value if dealt else None, _over(path, dealt))

    def cut_dim(self, dim: Name | Token) -> Name | Token:
        return dim

    def cut(self, dim: Name | Token, axes: _Listed) -> syntax.Cut:
        which = dim.value if isinstance(dim, Token) else dim
        return syntax.Cut(which, axes.items, _over(dim, axes))

    def partition(self, word: Token, *cuts: Any) -> syntax.PartitionClause:
        return syntax.PartitionClause(cuts, _over(word, *cuts))

    def state(self, word: Token, *parts: Any) -> syntax.StateClause:
        kind = parts[0] if len(parts) > 1 else None
        axes = parts[-1]
        return syntax.StateClause(word.value, kind, axes.items, _over(word, axes))

    def store(self, word: Token, dim: Name | None, axes: _Listed) -> syntax.StoreClause:
        return syntax.StoreClause(dim, axes.items, _over(word, axes))

    def at(self, word: Token, axis: Path, stage: Number, right: Token) -> syntax.AtClause:
        return syntax.AtClause(axis, stage, _over(word, right))

    def flag(self, word: Token) -> syntax.FlagClause:
        return syntax.FlagClause(word.value, _over(word))

    def uneven(self, word: Token) -> syntax.UnevenClause:
        return syntax.UnevenClause(_over(word))

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

    def one_of(self, token: Token) -> _Listed:
        return _Listed((_name(token),), _over(token))

    def any_of(self, *parts: Any) -> _Listed:
        return _Listed(parts[:-1], _over(*parts))

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
        return syntax.ImportStatement(token.value[1:-1], True, _over(token))

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
        return _Narrowing("passes", word.value, _over(word))

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
        return _Listed(parts, _over(*parts) if parts else Span(0, 0))

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
        bound: syntax.Size,
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

    def state_argument(self, token: Token) -> Name | Number:
        return self.number(token) if token.type == "NUMBER" else _name(token)

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

"""Expressions: from a tree of products, sums and calls to operators with their operands.

Whatever stands inside another expression is a layer of its own without a name: it is handed to the
*host* as soon as its operands are known, so unnamed layers come in the order of evaluation. The
outermost operator is returned as a draft: its layer has a name and a result that the spec
gives it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sized
from fractions import Fraction
from math import prod
from typing import TYPE_CHECKING, TypeAlias

from parspec.grammar.expressions import (
    Call,
    Expression,
    Name,
    Product,
    Scalar,
    Sum,
    TensorUse,
    Term,
)
from parspec.grammar.span import Span
from parspec.grammar.syntax import BlockStatement, OpStatement, PointwiseStatement
from parspec.grammar.values import changed
from parspec.interpreter.diagnostics.findings import Edit, Finding, Fix
from parspec.interpreter.spec.frames import Arguments, Block, Frame, Host, frame_of
from parspec.interpreter.spec.functions import DECLARED_POINTWISE, FUNCTIONS, Function
from parspec.interpreter.spec.indices import Dimensions, Reading, matches, read, renamed, spelled
from parspec.interpreter.spec.limits import OPERANDS
from parspec.interpreter.spec.mends import swapped
from parspec.interpreter.spec.scopes import Callee, Here, Notes, Scope, Seen
from parspec.interpreter.spec.shapes import ROLES, Draft, Leaves, Written, check, inner, union
from parspec.interpreter.spec.unknown_functions import report_unknown_function

if TYPE_CHECKING:
    from parspec.grammar.syntax import TensorItem

_ONE = Fraction(1)
DEPTH_LIMIT = 64  # expressions inside one another; people nest a handful

Drafted: TypeAlias = "Draft | Reading | Fraction | None"
Value: TypeAlias = "Reading | Fraction | None"


def drafted(expression: Expression, frame: Frame, host: Host) -> Drafted:
    """The outermost operator of an expression; a reading for a bare tensor or what a block
    returns, a number for a number, None where something in it is wrong (which has been said)."""
    if frame.depth > DEPTH_LIMIT:
        what = "expressions inside one another"
        frame.here.report("over_limit", expression.span, what=what, limit=DEPTH_LIMIT)
        return None
    if isinstance(expression, TensorUse):
        return read(expression, frame.here) or _assumed(expression, frame, host)
    if isinstance(expression, Scalar):
        return expression.value
    frame = changed(frame, depth=frame.depth + 1)
    match expression:
        case Product():
            return _product(expression, frame, host)
        case Sum():
            return _sum(expression, frame, host)
        case Call():
            return _call(expression, frame, host)


def _assumed(use: TensorUse, frame: Frame, host: Host) -> Reading | None:
    """A tensor that is not known, because its statement is broken or its name is wrong, with the
    dimensions that it would have: those written, or what its layer's result has and what it is
    multiplied by sums away. So one mistake does not take the layers behind it along."""
    here = frame.here
    if isinstance(here.scope.tensor(tuple(part.text for part in use.path.parts)), Seen):
        return None
    if use.indices is not None:
        names = [index.name for index in use.indices if isinstance(index.name, Name)]
        dims = spelled(use.path.text, names, here)
        return None if dims is None else host.assume(use, dims, here)
    if frame.wanted is None:
        return None
    beside = frame.beside
    summed = tuple(leaf for leaf in sorted(beside) if leaf not in frame.wanted)
    leaves = (*(leaf for leaf in frame.wanted if leaf not in beside), *summed)
    return host.assume(use, Dimensions(leaves, tuple((leaf,) for leaf in leaves)), here)


def value(expression: Expression, frame: Frame, host: Host) -> Value:
    """An expression inside another: its operator becomes a layer without a name."""
    draft = drafted(expression, frame, host)
    return _unnamed(draft, frame, host) if isinstance(draft, Draft) else draft


def _unnamed(draft: Draft, frame: Frame, host: Host) -> Reading | None:
    output = inner(draft, frame.wanted, frame.beside, frame.fresh)
    if output is None:
        reason = "what it sums inside is said by the dimensions of the result"
        text = frame.here.placed.text(draft.span)
        frame.here.report("missing_index", draft.span, name=text, reason=reason)
        return None
    if draft.kind in ROLES:
        text = frame.here.placed.text(draft.span)
        if not check(draft, Written(text, draft.span), output, frame.here):
            return None
    return host.unnamed(draft, output, frame.here)


# -- products and sums ---------------------------------------------------------------------------


def _factors(expression: Expression) -> tuple[Expression, ...]:
    """The factors of a product, with those of products among them."""
    if not isinstance(expression, Product):
        return (expression,)
    return tuple(part for factor in expression.factors for part in _factors(factor))


def _product(expression: Product, frame: Frame, host: Host) -> Drafted:
    every = _factors(expression)
    factors = [part for part in every if not isinstance(part, Scalar)]
    if not _few(factors, "tensors in one product", expression.span, frame.here):
        return None
    scale = _scale(every)
    if len(factors) == 1 and scale == 1:
        return drafted(factors[0], frame, host)
    readings: list[Reading] = []
    sound = True
    for place, factor in enumerate(factors):
        others = (*frame.others, *factors[:place], *factors[place + 1 :])
        part = value(factor, changed(frame, others=others), host)
        match part:
            case Reading():
                readings.append(part)
            case None:
                sound = False
            case Fraction():
                scale *= part
    if not sound:
        return None
    if not readings:
        return scale
    readings[0] = readings[0].times(scale)
    return Draft("scale" if len(readings) == 1 else "einsum", tuple(readings), expression.span)


def _few(parts: Sized, what: str, span: Span, here: Here) -> bool:
    """Are there so few that one operator can take them (else `over_limit`)?"""
    if len(parts) > OPERANDS:
        here.report("over_limit", span, what=what, limit=OPERANDS)
    return len(parts) <= OPERANDS


def _scale(factors: Iterable[Expression]) -> Fraction:
    """The product of the plain numbers among the factors."""
    return prod([part.value for part in factors if isinstance(part, Scalar)], start=_ONE)


def _sum(expression: Sum, frame: Frame, host: Host) -> Drafted:
    if len(expression.terms) == 1 and expression.terms[0].sign == 1:
        return drafted(expression.terms[0].value, frame, host)
    if not _few(expression.terms, "terms in one sum", expression.span, frame.here):
        return None
    readings: list[Reading] = []
    offset = Fraction(0)
    sound = True
    for term in expression.terms:
        part = _term(term, frame, host)
        match part:
            case Reading():
                readings.append(part)
            case None:
                sound = False
            case Fraction():
                offset += part
    if not sound:
        return None
    if not readings:
        return offset
    if offset:
        return Draft("pointwise", tuple(readings), expression.span, "shift", offset=offset)
    return Draft("scale" if len(readings) == 1 else "sum", tuple(readings), expression.span)


def _term(term: Term, frame: Frame, host: Host) -> Value:
    """A term with its sign; a number times one tensor is an operand with that factor."""
    every = _factors(term.value)
    factors = [part for part in every if not isinstance(part, Scalar)]
    scale = term.sign * _ONE
    expression = term.value
    if len(factors) == 1:
        scale *= _scale(every)
        expression = factors[0]
    part = drafted(expression, frame, host)
    match part:
        case Draft():
            reading = _unnamed(part, frame, host)
            if reading is not None and part.kind == "einsum":
                host.answers(reading)
            return None if reading is None else reading.times(scale)
        case Reading():
            return part.times(scale)
        case Fraction():
            return part * scale
    return None


# -- calls ---------------------------------------------------------------------------------------


def _call(call: Call, frame: Frame, host: Host) -> Drafted:
    here = frame.here
    if not _few(call.arguments, "arguments of one call", call.span, here):
        return None
    callee = here.scope.callee(call.function.text)
    if callee is not None:
        here.notes.read.add(callee.site)
    if callee is not None and not callee.sound:
        _read_arguments(call, frame, host)
        return None
    match callee and callee.statement:
        case PointwiseStatement():
            return _applied(call, DECLARED_POINTWISE, frame, host)
        case OpStatement() as statement if callee is not None:
            return _template(call, callee, statement, frame, host)
        case BlockStatement() as header if callee is not None:
            block = Block(call, header, callee)
            arguments = _block_arguments(block, frame, host)
            return None if arguments is None else host.expand(block, arguments, here)
    function = FUNCTIONS.get(call.function.text)
    if function is None:
        report_unknown_function(call, here)
        _read_arguments(call, frame, host)
        return None
    return _applied(call, function, frame, host)


def _read_arguments(call: Call, frame: Frame, host: Host) -> None:
    """Of a call that means nothing the arguments are read all the same."""
    for argument in call.arguments:
        value(argument, frame, host)


def _applied(call: Call, function: Function, frame: Frame, host: Host) -> Draft | None:
    """A function that every spec knows, or a declared pointwise one."""
    here = frame.here
    over = _over(call, function, here)
    unsaid = function.along and not call.over
    wanted = None if frame.wanted is None else union((frame.wanted, over or ()))
    inside = changed(frame, wanted=wanted)
    given = [value(part, inside, host) for part in call.arguments]
    readings = tuple(part for part in given if isinstance(part, Reading))
    if unsaid:
        _say_over(call, readings, here)
    if over is None or any(part is None for part in given):
        return None
    numbers = len(given) - len(readings)
    fits = function.least <= len(readings) and (
        function.most is None or len(readings) <= function.most
    )
    if not fits or numbers > function.numbers:
        wants = _count(function.least, function.most)
        _wrong_arguments(call, wants, _given(len(readings), numbers), here)
        return None
    lacking = next((leaf for leaf in over if leaf not in readings[0].leaves), None)
    if lacking is not None:
        has = ", ".join(readings[0].dims.names)
        wants, got = f"a tensor with dimension {lacking}", f"one over [{has}]"
        draft = Draft(function.kind, readings, call.span)
        second = function.kind == "crossentropy" and lacking in readings[1].leaves
        fixes = (swapped(draft, here).fix,) if second else ()
        _wrong_arguments(call, wants, got, here, fixes)
        return None
    return Draft(
        function.kind,
        readings,
        call.span,
        call.function.text if function.kind in ("pointwise", "along") else "",
        over,
        call.masked,
        function.keeps,
    )


def _over(call: Call, function: Function, here: Here) -> Leaves | None:
    """The leaves of the dimensions that a function works along; None where they are wrong, which
    is said, or left out."""
    if call.over and not function.along:
        got = f"over {', '.join(dim.text for dim in call.over)}"
        _wrong_arguments(call, "no dimension", got, here)
        return None
    if function.along and not call.over:
        return None
    dims = spelled(call.function.text, call.over, here)
    return None if dims is None else dims.leaves


def _say_over(call: Call, readings: tuple[Reading, ...], here: Here) -> None:
    """`wrong_arguments` of a call without the dimension that its function works along: the last
    one of what it is given may be meant."""
    name = call.function
    dims = readings[0].dims.names if readings and not readings[0].assumed else ()
    dim = dims[-1] if dims else "D"
    place = here.at(Span(name.span.end, name.span.end))
    fixes = (Fix(f"Write `{name.text} over {dim}`", (Edit(place, f" over {dim} "),)),)
    wants = f"a dimension, `{name.text} over {dim} (...)`"
    _wrong_arguments(call, wants, "none", here, fixes if dims else ())


def _wrong_arguments(
    call: Call, wants: str, got: str, here: Here, fixes: tuple[Fix, ...] = ()
) -> None:
    data = (("function", call.function.text), ("wants", wants), ("got", got))
    here.notes.found.append(Finding("wrong_arguments", here.at(call.span), data, fixes=fixes))


def _given(tensors: int, numbers: int) -> str:
    text = _count(tensors, tensors)
    return f"{text} and {numbers} number{'s' if numbers > 1 else ''}" if numbers else text


def _count(least: int, most: int | None) -> str:
    if most is None:
        return f"at least {least} tensor{'s' if least > 1 else ''}"
    if least == most:
        return f"{least} tensor{'' if least == 1 else 's'}"
    return f"{least} to {most} tensors"


def _block_arguments(block: Block, frame: Frame, host: Host) -> Arguments | None:
    """What a block's parameters read, renamed to the parameters' dimensions by position."""
    parameters = block.header.parameters
    quiet = Here(frame.here.world, block.callee.scope, block.callee.placed, Notes())
    declared = [spelled(item.name.text, item.dims, quiet) for item in parameters]
    wanted = [None if dims is None else dims.leaves for dims in declared]
    given = _arguments(block.call, parameters, wanted, frame, host)
    if given is None:
        return None
    bound: list[Reading] = []
    pairs: dict[tuple[str, str], None] = {}
    for item, dims, reading in zip(parameters, declared, given, strict=True):
        here = frame.here.unheard() if reading.assumed else frame.here
        if dims is None or not matches(item.name.text, dims, reading.dims, reading.span, here):
            return None
        if None in reading.operand.leaves:
            draft = Draft("copy", (reading,), reading.span)
            reading = host.unnamed(draft, reading.leaves, frame.here) or reading
        bound.append(renamed(reading, dims))
        pairs |= dict.fromkeys(zip(reading.leaves, dims.leaves, strict=True))
    return Arguments(tuple(bound), tuple(pairs))


def _arguments(
    call: Call,
    parameters: tuple[TensorItem, ...],
    wanted: Iterable[Leaves | None],
    frame: Frame,
    host: Host,
) -> tuple[Reading, ...] | None:
    """The operands of an op or a block; None, after saying why, where they are wrong."""
    wants = [*wanted, *[None] * len(call.arguments)]
    frames = (changed(frame, wanted=w or frame.wanted, others=()) for w in wants)
    given = [value(part, at, host) for part, at in zip(call.arguments, frames, strict=False)]
    readings = tuple(part for part in given if isinstance(part, Reading))
    if any(part is None for part in given):
        return None
    if call.over or len(readings) != len(parameters) or len(given) != len(readings):
        got = _given(len(readings), len(given) - len(readings))
        got = f"{got} over {call.over[0].text}" if call.over else got
        _wrong_arguments(call, _count(len(parameters), len(parameters)), got, frame.here)
        return None
    return readings


# -- ops -----------------------------------------------------------------------------------------


def _template(
    call: Call, callee: Callee, statement: OpStatement, frame: Frame, host: Host
) -> Draft | None:
    """An op written out where it is called, its dimensions bound to the caller's by position."""
    here = frame.here
    name = statement.name.text
    if name in frame.ops:
        cycle = (*frame.ops[frame.ops.index(name) :], name)
        here.report("recursive_block", call.function.span, name=name, cycle=cycle)
        return None
    given = _arguments(call, statement.parameters, (), frame, host)
    bound = None if given is None else _bound(statement, given, here)
    if given is None or bound is None:
        return None
    passed = tuple(
        renamed(reading, Dimensions(tuple(d.text for d in item.dims), _groups(item, bound)))
        for item, reading in zip(statement.parameters, given, strict=True)
    )
    scope = Scope(callee.scope.path, callee.scope, here.scope.turns, bound)
    for item, reading in zip(statement.parameters, passed, strict=True):
        scope.tensors[item.name.text] = seen_as(reading, here)
    inside = Here(here.world, scope, callee.placed, here.notes)
    out = spelled(statement.out.name.text, statement.out.dims, inside)
    if out is None:
        return None
    at = frame_of(statement.expression, out.leaves, inside)
    at = changed(at, ops=(*frame.ops, name), depth=frame.depth)
    draft = as_draft(drafted(statement.expression, at, host), statement.expression.span)
    span = statement.out.name.span
    if draft is None or not check(draft, Written(name, span), out.leaves, inside):
        return None
    pairs = tuple((dim, leaf) for dim, leaves in bound.items() for leaf in leaves)
    return changed(draft, fixed=out.leaves, span=call.span, template=name, bound=pairs)


def as_draft(draft: Drafted, span: Span) -> Draft | None:
    """A layer's operator: a bare tensor is copied. None for a plain number."""
    if isinstance(draft, Reading):
        return Draft("copy", (draft,), span)
    return draft if isinstance(draft, Draft) else None


def seen_as(reading: Reading, here: Here) -> Seen:
    """How a parameter sees what was passed for it."""
    return Seen(
        reading.operand.tensor,
        "activation",
        reading.dims,
        reading.operand.leaves,
        (),
        here.at(reading.span),
        doubted=reading.assumed,
    )


def _groups(item: TensorItem, bound: dict[str, Leaves]) -> tuple[Leaves, ...]:
    return tuple(bound[dim.text] for dim in item.dims)


def _bound(
    statement: OpStatement, given: tuple[Reading, ...], here: Here
) -> dict[str, Leaves] | None:
    """A template's dimensions with the caller's leaves that they stand for; None, after saying
    why, where two arguments disagree."""
    bound: dict[str, Leaves] = {}
    here = here.unheard() if any(reading.assumed for reading in given) else here
    for item, reading in zip(statement.parameters, given, strict=True):
        dims = tuple(dim.text for dim in item.dims)
        groups = reading.dims.groups
        if len(groups) != len(dims):
            groups = tuple((leaf,) for leaf in reading.leaves)
        written = Dimensions(dims, tuple((dim,) for dim in dims))
        if len(groups) != len(dims):
            matches(item.name.text, written, reading.dims, reading.span, here)
            return None
        for dim, group in zip(dims, groups, strict=True):
            before = Dimensions((dim,), (bound.setdefault(dim, group),))
            now = Dimensions(reading.dims.names, (group,))
            if not matches(item.name.text, before, now, reading.span, here):
                return None
    return bound

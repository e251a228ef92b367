"""Layers: one `layer` statement written out to operators, with the variable that it gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from parspec.grammar.expressions import Call
from parspec.grammar.syntax import LayerStatement
from parspec.grammar.values import changed, value
from parspec.interpreter.spec.building import Body, Building, Result
from parspec.interpreter.spec.clauses import said
from parspec.interpreter.spec.drafts import Unit, layers_of
from parspec.interpreter.spec.expressions import (
    as_draft,
    drafted,
)
from parspec.interpreter.spec.frames import Arguments, Block, frame_of, tensor_uses
from parspec.interpreter.spec.indices import (
    Dimensions,
    Reading,
    dimensions,
    matches,
    read,
    same_sizes,
    spelled,
)
from parspec.interpreter.spec.model import Layer, Operand, Tensor
from parspec.interpreter.spec.names import duplicate
from parspec.interpreter.spec.scopes import Broken, Here, Seen
from parspec.interpreter.spec.shapes import Draft, Leaves, Written, check, lacks, natural
from parspec.interpreter.spec.tensors import dtype_of, seen

if TYPE_CHECKING:
    from parspec.grammar.expressions import Expression, TensorUse
    from parspec.grammar.span import Span
    from parspec.interpreter.diagnostics.findings import Site

Expand: TypeAlias = Callable[[Block, Arguments, Here, Body, tuple[str, ...]], "Seen | None"]
"""Writes out a block's layers under a path into a body; how their scope sees the block's result,
None if that is broken."""


@value
class Target:
    """What a layer gives: the `written` dimensions (None: left out), the `var` or `cache` that it
    gives (None: its own), what that is called, and where it is named."""

    written: Dimensions | None
    existing: Seen | None
    result: Result
    site: Site

    @property
    def span(self) -> Span:
        """Where it is named, in the statement."""
        return self.site.span

    @property
    def wanted(self) -> Dimensions | None:
        """The dimensions that the result has, where they are said."""
        if self.written is not None or self.existing is None:
            return self.written
        return self.existing.dims


def write_layer(
    statement: LayerStatement, body: Body, here: Here, building: Building, expand: Expand
) -> None:
    """Adds a layer to a body and what it gives to the body's scope.

    A layer that is wrong is left out; its name stays known, and so does its result if its
    dimensions are written. Those of a layer with a syntax error are not judged elsewhere.
    """
    name, site, scope = statement.name.text, here.at(statement.name.span), body.scope
    own = said(statement.clauses, "layer", name, here)
    first = scope.layers.get(name, site)
    if first is site:
        scope.layers[name] = site
    else:
        here.notes.found.append(duplicate("layer", name, site, first))
    unit = Unit((*scope.path, name), "layer", own, site)
    target = _target(statement, body, here)
    made: Seen | None = None
    lacking, doubted = False, False
    mark = len(body.items)
    if target is None or first is not site or statement.expression is None:
        for use in tensor_uses(statement.expression) if statement.expression else ():
            read(use, here)
    else:
        building.units[unit.name] = unit
        writer = _Writer(statement, body, here, building, expand, unit, target)
        made = writer.write(statement.expression)
        lacking, doubted = writer.lacking, writer.doubted
    if made is None:
        body.items[mark:] = [item for item in body.items[mark:] if item.chain[-1] is not unit]
        if first is site:
            building.broken[unit.name] = None
        building.units.setdefault(unit.name, unit)
        made = _as_declared(target, here, building)
        made = None if made is None else changed(made, doubted=doubted)
    if made is not None and here.placed.chunk.parsed.faults:
        made = changed(made, doubted=True)
    out = here.at(statement.out.span) if target is None else target.site
    if made is None or lacking:
        scope.tensors.setdefault(statement.out.text, Broken(out))
    else:
        scope.tensors[statement.out.text] = made
        if made.site == out:
            building.declared.setdefault(out, statement.out.text)
    written = layers_of(body.items[mark:])
    building.check_dims(unit, written, here)
    building.check_weights(unit, statement.clauses, written, here)


def _target(statement: LayerStatement, body: Body, here: Here) -> Target | None:
    """What a layer gives; None, after saying why, where that is wrong."""
    name, scope = statement.out.text, body.scope
    site = here.at(statement.out.span)
    entry = scope.tensors.get(name)
    around = entry
    if entry is None and scope.outer is not None:
        around = scope.outer.tensor((name,))
    existing: Seen | None = None
    if isinstance(around, Seen) and around.role == "cache":
        existing = around
    elif isinstance(entry, Seen) and not entry.settled:
        existing = entry
    elif isinstance(entry, Seen):
        here.notes.found.append(duplicate("tensor", name, site, entry.site))
        return None
    elif entry is not None:
        return None
    written: Dimensions | None = None
    if statement.out_dims is not None:
        written = spelled(name, statement.out_dims, here)
        if written is None:
            return None
        if existing is not None and existing.turns:
            written = written.without(existing.turns)
        if scope.turns and (turn := next((d for d in written.names if d in scope.turns), None)):
            place = "as an index inside its stack"
            here.report("misplaced", statement.out.span, statement=turn, place=place)
            return None
    dtype = None if statement.dtype is None else dtype_of(statement.dtype, here)
    result = Result(name, scope.unique(name), name, None, dtype, (), here.placed.note(name), site)
    outer = body.result
    if outer is not None and outer.inside == name and existing is None:
        result = changed(outer, dtype=outer.dtype or dtype, aliases=(*outer.aliases, result.unique))
    return Target(written, existing, result, site)


def _as_declared(target: Target | None, here: Here, building: Building) -> Seen | None:
    """What a layer that is left out gives, of the dimensions that its statement says; None where
    it says none, or where a block that it calls gives something else."""
    if target is None or target.existing is not None or target.written is None:
        return None
    if target.result.unique in building.tensors:
        return None
    return _give(target, target.written, here, building)


def _give(target: Target, dims: Dimensions, here: Here, building: Building) -> Seen:
    """Adds the variable that a layer gives; how the scope of the layer sees it."""
    result = target.result
    shown = result.shown
    if shown is None or len(shown.leaves) != len(dims.leaves):
        shown = dims
    tensor = Tensor(
        result.unique,
        result.label,
        "activation",
        shown.names,
        shown.leaves,
        result.dtype or here.world.dtype,
        aliases=result.aliases,
        note=result.note,
        site=result.site,
    )
    building.tensors[tensor.name] = tensor
    return seen(tensor, dims, target.site)


@dataclass(slots=True)
class _Writer:
    """Writes one layer; the host of its expression. `lacking`: its result is written without
    dimensions that it has; `doubted`: it is written with dimensions that do not follow."""

    statement: LayerStatement
    body: Body
    here: Here
    building: Building
    expand_block: Expand
    unit: Unit
    target: Target
    unnamed_layers: int = 0
    lacking: bool = False
    doubted: bool = False

    def write(self, expression: Expression) -> Seen | None:
        """Adds the layer; how its scope sees the result. None where it is broken."""
        wanted = self.target.wanted
        frame = frame_of(expression, None if wanted is None else wanted.leaves, self.here)
        draft = drafted(expression, frame, self)
        if isinstance(draft, Reading) and self._is_block(expression):
            return self._returned(draft)
        whole = as_draft(draft, expression.span)
        if whole is not None:
            return self._finished(whole)
        if draft is not None:
            name = self.statement.name.text
            self.here.report(
                "wrong_arguments", expression.span, function=name, wants="a tensor", got="a number"
            )
        return None

    def _is_block(self, expression: Expression) -> bool:
        return isinstance(expression, Call) and self.target.existing is None

    def _returned(self, reading: Reading) -> Seen | None:
        """The result of a block under the name that the layer gives it."""
        name, written = self.statement.out.text, self.target.written or reading.dims
        here = self.here.unheard() if reading.assumed else self.here
        if not matches(name, reading.dims, written, self.target.span, here):
            self.doubted = True
            return None
        self.building.alias(reading.operand.tensor, self.target.result.unique)
        leaves = iter(written.leaves)
        return Seen(
            reading.operand.tensor,
            "activation",
            written,
            tuple(None if leaf is None else next(leaves) for leaf in reading.operand.leaves),
            (),
            self.target.site,
            doubted=reading.assumed,
        )

    def _finished(self, draft: Draft) -> Seen | None:
        """The layer's own operator, its result checked."""
        name, span = self.statement.out.text, self.target.span
        dims = self.target.wanted
        if dims is None:
            open_ = natural(draft)
            if open_ is None:
                reason = _open(draft)
                self.here.report("missing_index", span, name=name, reason=reason)
                return None
            dims = self._grouped(open_)
        output = dims.leaves if draft.fixed is None else draft.fixed
        if draft.fixed is not None:
            fixed = Dimensions(output, tuple((leaf,) for leaf in output))
            here = self.here.unheard() if draft.assumed else self.here
            sound = matches(name, fixed, dims, span, here)
        else:
            written = Written(name, span, self.statement.out_dims or ())
            sound = check(draft, written, output, self.here)
            if not sound:
                self.lacking = lacks(draft, output, self.here)
        self.doubted = not sound
        if not sound or not self._fits_existing(dims):
            return None
        existing = self.target.existing
        out = self.target.result.unique if existing is None else existing.tensor
        if not self._add(self.unit.name, draft, output, out, self.here):
            return None
        if existing is not None:
            return changed(existing, settled=True)
        made = _give(self.target, dims, self.here, self.building)
        return changed(made, doubted=draft.assumed and self.target.wanted is None)

    def _fits_existing(self, dims: Dimensions) -> bool:
        """Has the result the dimensions of the `var` or `cache` that it is? What is appended to a
        cache may be shorter along one of them."""
        existing = self.target.existing
        if existing is None:
            return True
        name, span = self.statement.out.text, self.target.span
        declared = existing.dims
        if existing.role != "cache" or len(declared.leaves) != len(dims.leaves):
            return matches(name, declared, dims, span, self.here)
        world = self.here.world
        pairs = zip(declared.leaves, dims.leaves, strict=True)
        appended = next((old for old, new in pairs if not world.same_size(old, new)), None)
        if appended is not None:
            self._holds_context(appended, declared.leaves.index(appended) + 1)
        written = [
            old if old == appended else new
            for old, new in zip(declared.leaves, dims.leaves, strict=True)
        ]
        return same_sizes(name, declared.leaves, written, span, self.here)

    def _holds_context(self, dim: str, position: int) -> None:
        """Is a cache as long as `infer` says (else `global_size_mismatch`)?"""
        size, context = self.here.world.size(dim), self.here.world.context
        if isinstance(size, int) and isinstance(context, int) and size != context:
            self.here.report(
                "global_size_mismatch",
                self.target.span,
                name=self.statement.out.text,
                position=position,
                dim=dim,
                size=size,
                other="context",
                other_size=context,
            )

    def _add(self, name: str, draft: Draft, output: Leaves, out: str, here: Here) -> bool:
        layer = Layer(
            name,
            self.unit.name,
            draft.operator(output),
            tuple(reading.operand for reading in draft.readings),
            out,
            (),
            fused=self.body.fused,
            template=draft.template,
            bound=draft.bound or here.bound_pairs(),
            offset=draft.offset,
            note=self.here.placed.chunk.note,
            site=self.unit.site,
        )
        return self.building.add_layer(layer, self.unit, self.body, self.here, self.unit.site.span)

    def _next_name(self) -> str:
        self.unnamed_layers += 1
        return f"{self.unit.name}.{self.unnamed_layers}"

    def _grouped(self, leaves: Leaves) -> Dimensions:
        """Leaves as dimensions, with the products that the layer's result writes kept whole."""
        written = self.target.written or Dimensions()
        names: list[str] = []
        groups: list[Leaves] = []
        place = 0
        while place < len(leaves):
            name, group = next(
                (
                    (name, group)
                    for name, group in zip(written.names, written.groups, strict=True)
                    if group and leaves[place : place + len(group)] == group
                ),
                (leaves[place], (leaves[place],)),
            )
            names.append(name)
            groups.append(group)
            place += len(group)
        return dimensions(tuple(names), tuple(groups))

    # -- the host of the expression

    def unnamed(self, draft: Draft, output: Leaves, here: Here) -> Reading | None:
        """Adds a layer without a name; what its result is read as, None if there is no room."""
        name = self._next_name()
        if not self._add(name, draft, output, name, here):
            return None
        dims = self._grouped(output)
        label = f"{self.statement.name.text}.{self.unnamed_layers}"
        dtype = self.target.result.dtype or self.here.world.dtype
        site = here.at(draft.span)
        self.building.tensors[name] = Tensor(
            name, label, "activation", dims.names, output, dtype, site=site
        )
        return Reading(Operand(name, output, site=site), dims, draft.span, draft.assumed)

    def answers(self, reading: Reading) -> None:
        """An unnamed result answers to the name of the layer's result, too."""
        existing = self.target.existing
        name = self.target.result.unique if existing is None else existing.tensor
        self.building.alias(reading.operand.tensor, name)

    def assume(self, use: TensorUse, dims: Dimensions, here: Here) -> Reading:
        """Adds a tensor that is not known as one with these dimensions that nothing gives."""
        label, site = use.path.text, here.at(use.span)
        name = f"{self.unit.name}.{label}"
        self.building.tensors[name] = Tensor(
            name, label, "activation", dims.names, dims.leaves, here.world.dtype, site=site
        )
        return Reading(Operand(name, dims.leaves, site=site), dims, use.span, assumed=True)

    def expand(self, block: Block, arguments: Arguments, here: Here) -> Reading | None:
        """Adds the layers of a block: under the layer's own name if that is all it does."""
        out, site = block.header.out.text, here.at(block.call.span)
        if block.call is self.statement.expression and self.target.existing is None:
            own = self.target.result
            result = changed(own, inside=out, shown=own.shown or self.target.written)
            path = self.unit.path
        else:
            name = self._next_name()
            label = f"{self.statement.name.text}.{self.unnamed_layers}"
            result = Result(out, name, label, None, None, (), "", site)
            path = (*self.unit.path, str(self.unnamed_layers))
        body = changed(self.body, chain=(*self.body.chain, self.unit), result=result)
        entry = self.expand_block(block, arguments, here, body, path)
        if entry is None:
            return None
        reading = Reading(
            Operand(entry.tensor, entry.leaves, site=site),
            entry.dims,
            block.call.span,
            entry.doubted,
        )
        return arguments.outside(reading)


def _open(draft: Draft) -> str:
    """Why the dimensions of a result are not said by its operands."""
    if draft.kind in ("sum", "pointwise"):
        return f"no operand has all of {', '.join(draft.leaves)}"
    return "what is summed is said by the dimensions of the result"

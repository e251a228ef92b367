"""Avoidable communication: what a layer's clause makes move, and another clause would not.

A clause is suspected where a variable arrives in slices along a dimension and the clause has it
moved on that axis, though the layer could as well compute slice by slice. It is convicted only
where the whole plan moves less without it. What fits first names the finding: gathered and sliced
again with nothing computed between is `redundant_gather`; a layer that works on each slice by
itself is an `unexpected_collective`; where statistics or addends would move instead of the
variable it is `hidden_comm`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from parspec.grammar.values import value
from parspec.interpreter.analysis.alternatives import (
    KnownCosts,
    Outcome,
    Outputs,
    outcome,
    outcome_with,
)
from parspec.interpreter.analysis.grid import Grid
from parspec.interpreter.analysis.inference import Need, Placed
from parspec.interpreter.analysis.known import Known
from parspec.interpreter.analysis.moves import output_layout
from parspec.interpreter.analysis.result import Move
from parspec.interpreter.analysis.sections import Inferred, Routed
from parspec.interpreter.analysis.sizes import bytes_of
from parspec.interpreter.diagnostics.findings import Datum, Edit, Finding, Fix, Related, Site
from parspec.interpreter.spec.model import Assignment, Layer, Model, Operand, Tensor
from parspec.interpreter.theory.formulas import Amount, generic, is_number, measured, total, whole
from parspec.interpreter.theory.layouts import EVERYWHERE
from parspec.interpreter.theory.primitives import ALL_REDUCE, per_device
from parspec.interpreter.theory.rule import takes_partial, whole_dims

LAYERS_INFERRED = 8192  # so many layers may be inferred again to try clauses, in order
GIB = 2**30
# Operators that may be cut along any of their dimensions at no cost in weights.
WEIGHTLESS = ("pointwise", "along", "crossentropy", "sum", "scale", "copy")


@value
class Suspect:
    """A layer's clause on an axis that has `tensor` moved there. dim: the dimension (as the layer
    names it) in whose slices the variable arrives; None where it arrives partial."""

    placed: Placed
    said: Assignment
    tensor: Tensor
    need: Need
    dim: str | None


def suspects_in(routed: Routed) -> tuple[Suspect, ...]:
    """The clauses of a part that have a variable moved on their axis, in the order of the moves."""
    return tuple(_suspects(routed))


def _suspects(routed: Routed) -> Iterator[Suspect]:
    for served in routed.served:
        paid = {axis for step in served.steps if step.primitive is not None for axis in step.axes}
        tensor = routed.tensors[served.need.tensor]
        if not paid or served.need.operand < 0 or tensor.role == "weight":
            continue
        placed = routed.inference.placed(served.need.layer)
        for said in placed.layer.assignments:
            if not paid.isdisjoint(routed.pieces.covers.get(said.axis, ())):
                yield from _suspect(placed, said, served.need, routed)


def _suspect(placed: Placed, said: Assignment, need: Need, routed: Routed) -> Iterator[Suspect]:
    """The suspect that a clause is, where the layer could take the variable as it arrives."""
    layer = placed.layer
    tensor = routed.tensors[need.tensor]
    arrives = {routed.origin(tensor.name).state(piece) for piece in routed.pieces.covers[said.axis]}
    if len(arrives) != 1 or not _gives_way(layer, said):
        return
    state = arrives.pop()
    own = dict(zip(tensor.leaves, layer.operands[need.operand].leaves, strict=True))
    dim = own.get(state.dim or "")
    if state.letter == "P" and dim not in (None, said.dim, *whole_dims(layer.operator)):
        yield Suspect(placed, said, tensor, need, dim)
    elif state.letter == "partial" and said.saying == "none" and takes_partial(layer.operator):
        yield Suspect(placed, said, tensor, need, None)


def _gives_way(layer: Layer, said: Assignment) -> bool:
    """Whether another clause would leave the layer's weights as they are: the layer is not
    partitioned on the axis, or along another dimension of an operator without weights."""
    return said.saying == "none" or (
        said.saying == "partition" and layer.operator.kind in WEIGHTLESS
    )


def communication_findings(
    inferred: Inferred, suspects: Sequence[Suspect], costs: KnownCosts, known: Known
) -> Iterator[Finding]:
    """A finding for every clause on an axis without which the whole plan moves less; `costs`: of
    the parts as they are."""
    if not suspects or not inferred.settled:
        return
    suspects = suspects[: max(1, LAYERS_INFERRED // (2 * len(inferred.layers)))]
    outputs = [(o.tensor, output_layout(inferred, o)[1]) for o in inferred.model.outputs]
    now = outcome(inferred, outputs, costs)
    trial = _Trial(inferred.model, inferred.grid, now, outputs, costs, known)
    reported: set[tuple[str, str]] = set()
    for suspect in suspects:
        key = (suspect.placed.layer.name, suspect.said.axis)
        if key in reported:
            continue
        finding = trial.of(suspect)
        if finding is not None:
            reported.add(key)
            yield finding


@dataclass(frozen=True)
class _Trial:
    """Tries other clauses on one model and says what was found."""

    model: Model
    grid: Grid
    now: Outcome
    outputs: Outputs
    costs: KnownCosts
    known: Known

    def _readers(self, tensor: str) -> tuple[Need, ...]:
        """What reads a variable, and in which layout: layers, the next turn of a stack for what a
        turn leaves, and outputs (a need of no layer)."""
        found: list[Need] = []
        sections = self.now.inferred.sections
        for section in sections:
            if tensor in section.inference.tensors:
                needs = (need for need in section.inference.needs if need.tensor == tensor)
                found += (need for need in needs if need.operand >= 0)
        for section in sections:
            for stack in section.outline.stacks.values():
                if stack.last == tensor != stack.carry:
                    carry, last = section.tensors[stack.carry], section.tensors[stack.last]
                    names = dict(zip(carry.leaves, last.leaves, strict=True))
                    found += (
                        replace(need, tensor=last.name, layout=need.layout.renamed(names))
                        for need in self._readers(carry.name)
                    )
        found += (Need(name, wanted, "", -1, ()) for name, wanted in self.outputs if name == tensor)
        return tuple(found)

    def of(self, suspect: Suspect) -> Finding | None:
        """The finding of a suspect; None where the plan moves as much without the clause. It is
        tried alone, then with the clauses of what reads its result that ask for the same."""
        first = self._same(suspect)
        for changed in (first, self._onward(first, suspect.said.axis)):
            instead = outcome_with(self.now.inferred, changed, self.outputs, self.costs, self.known)
            if instead.inferred.settled and self._pays(instead, suspect.said.axis):
                return self._finding(suspect, changed, instead)
        return None

    def _pays(self, instead: Outcome, axis: str) -> bool:
        """Whether the other plan communicates less, the gradients that it has to reduce counted."""
        if not instead.cheaper_than(self.now):
            return False
        if not self.model.trains:
            return True
        return self.now.moved - instead.moved > self._gradients(instead, axis)

    def _gradients(self, instead: Outcome, axis: str) -> Fraction:
        """Bytes on a device to reduce the gradients of weights whose layers are cut on an axis only
        in the other plan: each is partial there unless the weight has the dimension."""
        pieces = self.grid.covers[axis]
        nodes = self.grid.space.group(pieces)
        spent = Fraction(0)
        changed = (
            pair
            for pair in zip(self.now.inferred.sections, instead.inferred.sections, strict=True)
            if pair[0] is not pair[1]
        )
        for before, section in changed:
            for placed, was in zip(section.layers, before.layers, strict=True):
                dim = placed.placement.dim(pieces[0])
                known = was.placement.dim(pieces[0])
                if dim is None or known is not None:
                    continue
                for operand in placed.layer.operands:
                    tensor = section.tensors[operand.tensor]
                    if tensor.role == "weight" and not tensor.frozen and dim not in operand.leaves:
                        size = bytes_of(tensor, EVERYWHERE, self.grid)
                        spent += generic(per_device(ALL_REDUCE, size, nodes))
        return spent

    def _same(self, suspect: Suspect) -> dict[str, tuple[Assignment, ...]]:
        """Other clauses for the layers that read the same copy by clauses that could give way."""
        changed = {}
        for need in self._readers(suspect.tensor.name):
            placed = self.now.layers.get(need.layer)
            if placed is None or need.layout != suspect.need.layout:
                continue
            said = _said(placed.layer, suspect.said.axis)
            if said is None or not _gives_way(placed.layer, said):
                continue
            own = dict(
                zip(
                    suspect.placed.layer.operands[suspect.need.operand].leaves,
                    placed.layer.operands[need.operand].leaves,
                    strict=True,
                )
            )
            changed[placed.layer.name] = _instead(placed.layer, said, own.get(suspect.dim))
        return changed

    def _onward(
        self, changed: Mapping[str, tuple[Assignment, ...]], axis: str
    ) -> dict[str, tuple[Assignment, ...]]:
        """The changes, and no `none` on the axis for anything that reads what they make."""
        onward = dict(changed)
        waiting = list(changed)
        while waiting:
            made = self.now.layers[waiting.pop()].layer.out
            for need in self._readers(made):
                placed = self.now.layers.get(need.layer)
                if placed is None or need.layer in onward:
                    continue
                said = _said(placed.layer, axis)
                if said is not None and said.saying == "none":
                    onward[need.layer] = _instead(placed.layer, said, None)
                    waiting.append(need.layer)
        return onward

    def _finding(
        self, suspect: Suspect, changed: Mapping[str, tuple[Assignment, ...]], instead: Outcome
    ) -> Finding:
        layer, said = suspect.placed.layer, suspect.said
        name = self._name(suspect, changed, instead)
        moves = self.now.moves_at(layer.name, said.axis)
        moves = tuple(move for move in moves if move.cause == "operand")
        facts: dict[str, Datum] = {
            "layer": layer.name,
            "tensor": tuple(dict.fromkeys(self.now.inferred.tensor(m.tensor).label for m in moves)),
            "axis": said.axis,
            "primitive": tuple(dict.fromkeys(move.primitive for move in moves)),
            "clause": None if suspect.dim is None else f"{suspect.dim} on {said.axis}",
        }
        match name:
            case "hidden_comm":
                facts |= self._saving(suspect, moves, instead)
            case "unexpected_collective":
                facts |= {"dim": suspect.dim, "expected": 0, "bytes": _bytes(moves)}
            case _:
                facts |= {"bytes": _bytes(moves), "keep": self._kept(layer, instead)}
        return Finding(
            name,
            site_of(suspect.placed, said),
            tuple(facts.items()),
            tuple(self._related(suspect, changed)),
            tuple(self._fixes(changed, said.axis, instead)),
        )

    def _name(
        self, suspect: Suspect, changed: Mapping[str, tuple[Assignment, ...]], instead: Outcome
    ) -> str:
        """The first kind that fits."""
        axis = suspect.said.axis
        layers = [self.now.layers[name].layer for name in changed]
        if all(layer.operator.kind == "copy" for layer in layers) and all(
            self._sliced_again(layer.out, axis) for layer in layers
        ):
            return "redundant_gather"
        working = {name for layer in layers for name in self._working(layer)}
        if suspect.dim is not None and all(self._quiet(name, axis, instead) for name in working):
            return "unexpected_collective"
        return "hidden_comm"

    def _sliced_again(self, tensor: str, axis: str) -> bool:
        """Whether all that reads a variable, through further copies, wants slices on an axis."""
        readers = self._readers(tensor)
        return bool(readers) and all(self._slices(need, axis) for need in readers)

    def _slices(self, need: Need, axis: str) -> bool:
        if all(need.layout.state(piece).letter == "P" for piece in self.grid.covers[axis]):
            return True
        placed = self.now.layers.get(need.layer)
        return (
            placed is not None
            and placed.layer.operator.kind == "copy"
            and self._sliced_again(placed.layer.out, axis)
        )

    def _working(self, layer: Layer) -> Iterator[str]:
        """The layers that compute with a layer's operands: itself, or what reads a copy."""
        if layer.operator.kind != "copy":
            yield layer.name
            return
        for need in self._readers(layer.out):
            placed = self.now.layers.get(need.layer)
            if placed is not None:
                yield from self._working(placed.layer)

    def _quiet(self, layer: str, axis: str, instead: Outcome) -> bool:
        """Whether a layer moves and leaves nothing to be reduced on an axis."""
        left = instead.layers[layer].output
        return not instead.moves_at(layer, axis) and not any(
            left.state(piece).letter == "partial" for piece in self.grid.covers[axis]
        )

    def _saving(
        self, suspect: Suspect, moves: tuple[Move, ...], instead: Outcome
    ) -> dict[str, Datum]:
        """What the layer moves on a device, and what the plan would move in its place."""
        if not (self.now.exact and instead.exact):
            return {"factor": None}
        spent = sum((generic(move.per_device) for move in moves), start=generic(0))
        best = max(spent - (self.now.moved - instead.moved), generic(0))
        full = _bytes(moves)
        ways = self.grid.space.group(self.grid.covers[suspect.said.axis])
        return saving(spent, best, full, ways)

    def _kept(self, layer: Layer, instead: Outcome) -> str | None:
        """The primitives that stay in front of the layer."""
        stay = [
            f"{move.primitive} over {', '.join(move.axes)}"
            for move in instead.moves
            if move.layer == layer.name
        ]
        return ", ".join(stay) or None

    def _related(
        self, suspect: Suspect, changed: Mapping[str, tuple[Assignment, ...]]
    ) -> Iterator[Related]:
        layer = suspect.placed.layer
        yield from _made(suspect.tensor, self.now.layers, suspect.said.axis, suspect.dim)
        for name in changed:
            other = self.now.layers[name]
            said = _said(other.layer, suspect.said.axis)
            if name != layer.name and said is not None:
                yield Related(site_of(other, said), f"layer {other.layer.parent} asks the same")
        for need in self._readers(layer.out):
            reader = self.now.layers.get(need.layer)
            if reader is not None and reader.layer.name not in changed:
                state = need.layout.state(self.grid.covers[suspect.said.axis][0])
                site = _operand(reader, need).site
                yield Related(site, f"read here as {state} on {suspect.said.axis}")

    def _fixes(
        self, changed: Mapping[str, tuple[Assignment, ...]], axis: str, instead: Outcome
    ) -> Iterator[Fix]:
        """The clauses written anew, where each stands by itself at its layer."""
        edits = []
        for name in changed:
            layer = self.now.layers[name].layer
            said = _said(layer, axis)
            dim = instead.layers[name].placement.dim(self.grid.covers[axis][0])
            if said is None or dim is None or said.origin != "own" or _shared(layer, said):
                return
            edits.append(Edit(said.site, f"{dim} on {axis}"))
        yield Fix(f"Write `{edits[0].text}`", tuple(edits))


def _said(layer: Layer, axis: str) -> Assignment | None:
    return next((said for said in layer.assignments if said.axis == axis), None)


def _shared(layer: Layer, said: Assignment) -> bool:
    """Whether a clause speaks of several axes in one breath."""
    return sum(other.site == said.site for other in layer.assignments) > 1


def _instead(layer: Layer, said: Assignment, dim: str | None) -> tuple[Assignment, ...]:
    """A layer's clauses with one of them along `dim`, or left out where there is none."""
    others = tuple(other for other in layer.assignments if other is not said)
    if dim is None:
        return others
    return (*others, replace(said, saying="partition", dim=dim, sequence=(said.axis,), dealt=None))


def _bytes(moves: Iterable[Move]) -> int | None:
    """Bytes of the variables that move, as their groups see them."""
    size = whole(total(move.size for move in moves))
    return int(size) if is_number(size) else None


def _operand(placed: Placed, need: Need) -> Operand:
    return placed.layer.operands[need.operand]


def _made(
    tensor: Tensor, layers: Mapping[str, Placed], axis: str, dim: str | None
) -> Iterator[Related]:
    """Where a variable is made, and how it comes from there."""
    state = "partial" if dim is None else f"P({dim})"
    maker = next((p for p in layers.values() if p.layer.out == tensor.name), None)
    site = tensor.site if maker is None else maker.layer.site
    yield Related(site, f"{tensor.label} is {state} on {axis} here")


def site_of(placed: Placed, said: Assignment) -> Site:
    """Where a layer is told of an axis: at its own clause or its caller's; a pattern stands far
    from the layer, so then at the layer."""
    return placed.layer.site if said.origin == "pattern" else said.site


def saving(now: Fraction, best: Fraction, full: int | None, ways: Amount) -> dict[str, Datum]:
    """What a device moves and would move, in bytes and as a factor; the whole variable, and the
    slice of it that a device has where it is not gathered."""
    facts: dict[str, Datum] = {
        "factor": _factor(now / best) if best else None,
        "bytes_per_device_now": int(now),
        "bytes_per_device_best": int(best),
    }
    if full is not None and isinstance(ways, int):
        facts |= {
            "full_bytes": full,
            "full_GiB": round(measured(Fraction(full, GIB)), 2),
            "sharded_GiB": round(measured(Fraction(full, ways * GIB)), 2),
        }
    return facts


def _factor(ratio: Fraction) -> int | float:
    return ratio.numerator if ratio.denominator == 1 else round(measured(ratio), 2)

"""The figures that suites may ask for, each by its phrase."""

import re
from fnmatch import fnmatch
from math import prod

from parspec.interpreter.analysis.batch import batch_of
from parspec.interpreter.analysis.sections import infer
from parspec.interpreter.theory.formulas import is_number


class Figures:
    """What can be read off one analysis."""

    def __init__(self, analysis):
        self.analysis = analysis
        self.model = analysis.model
        self.inferred = infer(self.model)
        self.grid = self.inferred.grid
        self.dims = {dim.name: dim for dim in self.model.dims}
        self.sizes = {name: dim.size for name, dim in self.dims.items()}

    def value(self, phrase):
        """The figure that a phrase asks for, as text."""
        for pattern, figure in PHRASES:
            if asked := re.fullmatch(pattern, phrase):
                return figure(self, *asked.groups())
        raise AssertionError(f"no figure is called {phrase!r}")

    def tensor(self, label):
        (found,) = [t for t in self.analysis.tensors if label in (t.name, t.label)]
        return found

    def parameters(self, but=""):
        return sum(
            prod(self.sizes[dim] for dim in (*tensor.stacked, *tensor.leaves))
            for tensor in self.model.tensors
            if tensor.role == "weight" and not fnmatch(tensor.name, but)
        )

    def all_parameters(self):
        assert self.parameters() == self.analysis.totals.parameters
        return self.parameters()

    def mesh_product(self):
        return prod(axis.size for axis in self.model.mesh.axes)

    def batch(self):
        return batch_of(self.inferred)

    def dp(self):
        return self.batch().dp

    def microbatches(self):
        return self.batch().steps

    def microbatch(self):
        batch = self.batch()
        return batch.size // (batch.dp * batch.steps)

    def size(self, name):
        if name in self.grid.covers:
            return self.grid.space.group(self.grid.covers[name])
        return self.sizes[name]

    def padded(self, dim):
        return self.dims[dim].extent

    def padding(self, dim):
        return self.dims[dim].extent - self.dims[dim].size

    def slice_of(self, dim, layer):
        (placed,) = [p for p in self.inferred.layers if p.layer.name == layer]
        cuts = dict(placed.placement.cuts)
        leaves = self.dims[dim].factors
        return prod(self.grid.space.slice_of(leaf, cuts.get(leaf, ())) for leaf in leaves)

    def slices(self, dim, layer):
        """Every slice of a dimension cut once, first to last."""
        whole, one = self.dims[dim].extent, self.slice_of(dim, layer)
        return ", ".join(str(min(one, whole - start)) for start in range(0, whole, one))

    def bytes_of(self, label):
        return self.tensor(label).per_device

    def layout(self, label):
        where = self.tensor(label).layout
        states = ((where.state(axis), axis) for axis in self.grid.space.sizes)
        return ", ".join(f"{state} on {axis}" for state, axis in states if state.letter != "R")

    def primitives(self):
        named = {tensor.name: tensor.label for tensor in self.model.tensors}
        moves = [move for move in self.analysis.moves if move.primitive is not None]
        return (
            ", ".join(
                f"{move.primitive} of {move.statistic or ''}{' of ' if move.statistic else ''}"
                f"{named[move.tensor]} on {', '.join(move.axes)}"
                for move in moves
            )
            or "none"
        )

    def traffic(self):
        return dict(self.analysis.totals.traffic)["forward"]

    def traffic_on(self, axis):
        return dict(self.analysis.totals.by_axis).get(axis, 0)

    def memory(self, part):
        return getattr(self.analysis.totals.memory, part)

    def memory_gib(self, part):
        amount = self.memory(part)
        assert is_number(amount)
        return f"{float(amount / 2**30):.2f}"

    def course(self, stack):
        return self.inferred.pipeline.courses[stack]

    def chunks(self, stages):
        listed = [len(said.chunks) for said in self.model.stages if said.axis == stages]
        return (
            listed[0] if listed else len(next(iter(self.inferred.pipeline.courses.values())).chunks)
        )

    def layers(self, stack):
        return sum(count for _, count in self.course(stack).chunks)

    def layers_per_chunk(self, stack):
        return ", ".join(str(n) for n in sorted({count for _, count in self.course(stack).chunks}))

    def layers_per_stage(self, stack):
        course = self.course(stack)
        each = [course.on_stage(stage) for stage in range(course.stages)]
        return str(each[0]) if len(set(each)) == 1 else ", ".join(map(str, each))


PHRASES = (
    (r"parameters", Figures.all_parameters),
    (r"parameters without (\S+)", Figures.parameters),
    (r"mesh product", Figures.mesh_product),
    (r"dp", Figures.dp),
    (r"microbatch", Figures.microbatch),
    (r"microbatches", Figures.microbatches),
    (r"size of (\S+)", Figures.size),
    (r"(\S+) padded", Figures.padded),
    (r"padding of (\S+)", Figures.padding),
    (r"slice of (\S+) in (\S+)", Figures.slice_of),
    (r"slices of (\S+) in (\S+)", Figures.slices),
    (r"bytes of (\S+) on a device", Figures.bytes_of),
    (r"layout of (\S+)", Figures.layout),
    (r"primitives", Figures.primitives),
    (r"traffic", Figures.traffic),
    (r"traffic on (\S+)", Figures.traffic_on),
    (r"bytes of all (weights|cache) on a device", lambda self, part: self.memory(part)),
    (r"GiB of all (weights) on a device", lambda self, part: self.memory_gib(part)),
    (r"chunks on (\S+)", Figures.chunks),
    (r"layers of (\S+)", Figures.layers),
    (r"layers of (\S+) in a chunk", Figures.layers_per_chunk),
    (r"layers of (\S+) on a stage", Figures.layers_per_stage),
)

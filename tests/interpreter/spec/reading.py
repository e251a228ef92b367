"""Reading a spec in a test: models, and their layers and findings in a few words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from parspec.interpreter.diagnostics.findings import Finding
from parspec.interpreter.spec.model import Item, Layer, Model, Stack, Tensor
from parspec.interpreter.spec.readers import Reader, Unread
from parspec.interpreter.spec.resolve import resolve


@dataclass(frozen=True)
class Files(Reader):
    """A reader over texts by name."""

    texts: Mapping[str, str] = field(default_factory=dict)

    def read(self, file: str) -> str | Unread:
        return self.texts.get(file) or Unread("missing")


def model(text: str, plan: str | None = None, **files: str) -> Model:
    """The model of a text; `files` are others by name without `.par`."""
    others = {f"{name}.par": content for name, content in files.items()}
    return resolve("main.par", text, Files(others), plan=plan)


def clean(text: str, plan: str | None = None, **files: str) -> Model:
    """The model of a text in which nothing is wrong."""
    read = model(text, plan, **files)
    assert [(f.name, f.data) for f in read.findings] == []
    return read


def layers(read: Model) -> dict[str, Layer]:
    """All layers by name, those in stacks too."""

    def inside(items: tuple[Item, ...]) -> list[Layer]:
        found: list[Layer] = []
        for item in items:
            found += [item] if isinstance(item, Layer) else inside(item.items)
        return found

    return {layer.name: layer for layer in inside(read.items)}


def stacks(read: Model) -> dict[str, Stack]:
    """All stacks by name."""

    def inside(items: tuple[Item, ...]) -> list[Stack]:
        found: list[Stack] = []
        for item in items:
            if isinstance(item, Stack):
                found += [item, *inside(item.items)]
        return found

    return {stack.name: stack for stack in inside(read.items)}


def tensors(read: Model) -> dict[str, Tensor]:
    """All variables by unique name."""
    return {tensor.name: tensor for tensor in read.tensors}


def operation(layer: Layer) -> str:
    """A layer in a line: `einsum x[B D] w[D F] -> h[B F]`; slices taken are `.`, factors lead."""
    operands = [
        (f"{o.factor}·" if o.factor != 1 else "")
        + f"{o.tensor}[{' '.join('.' if leaf is None else leaf for leaf in o.leaves)}]"
        for o in layer.operands
    ]
    kind = layer.operator.function or layer.operator.kind
    over = f" over {' '.join(layer.operator.over)}" if layer.operator.over else ""
    return f"{kind}{over} {' '.join(operands)} -> {layer.out}[{' '.join(layer.operator.output)}]"


def operations(read: Model) -> dict[str, str]:
    """Every layer in a line, by name."""
    return {name: operation(layer) for name, layer in layers(read).items()}


def said(layer: Layer) -> dict[str, str]:
    """What is assigned to a layer, by axis: `F`, or what is said where it is no dimension."""
    return {a.axis: a.dim or a.saying for a in layer.assignments}


def names(read: Model) -> list[str]:
    """The names of the findings, in order."""
    return [finding.name for finding in read.findings]


def only(read: Model, name: str) -> dict[str, object]:
    """The data of the one finding of that name."""
    (finding,) = (f for f in read.findings if f.name == name)
    return dict(finding.data)


def written(read: Model, finding: Finding) -> str:
    """What stands where a finding is."""
    document = dict(read.documents)[finding.site.file]
    chunk = document.every[finding.site.chunk]
    return chunk.text[finding.site.span.start : finding.site.span.end]

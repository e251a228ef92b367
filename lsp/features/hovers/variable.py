"""Hover on a variable: how it lies, how large it is, what moves it, and who gives and reads it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from parspec.interpreter.analysis.result import TensorResult
from parspec.interpreter.spec.model import Tensor
from parspec.interpreter.theory.layouts import Layout
from parspec.lsp.facts import Facts
from parspec.lsp.features.hovers.moves import told_moves
from parspec.lsp.features.hovers.subject import Place, Subject, first_of, listed, paragraph
from parspec.lsp.features.layouts import columns, states
from parspec.lsp.features.prices import DOT, short
from parspec.lsp.features.prose import Block, Code, Table, code, note
from parspec.lsp.features.written import comment

_MOST_ROWS = 6
_KEYWORDS = {"activation": "var", "carry": "var"}  # how a variable of a role is declared


def variable(name: str, place: Place) -> Subject | None:
    """A variable by its unique name."""
    tensor = place.facts.tensor(name)
    if tensor is None:
        return None
    head: tuple[Block, ...] = (
        Code(_declared(tensor)),
        *paragraph(*_more(tensor)),
        note(comment(tensor.label, tensor.site, place.snapshot)),
    )
    return Subject(head, partial(_details, name), partial(_brief, name))


def variables(label: str, names: Sequence[str]) -> Subject:
    """What a name stands for that is another variable in each use of a block."""
    head = paragraph(f"{code(label)} in {len(names)} uses of the block")
    return Subject(head, partial(_each, names))


def _each(names: Sequence[str], facts: Facts) -> Iterator[Block]:
    yield first_of([f"{code(name)}: {_brief(name, facts)}" for name in names])


def _declared(tensor: Tensor) -> str:
    keyword = _KEYWORDS.get(tensor.role, tensor.role)
    frozen = " frozen" if tensor.frozen else ""
    return f"{keyword} {tensor.label}[{', '.join(tensor.dims)}] : {tensor.dtype}{frozen}"


def _more(tensor: Tensor) -> Iterator[str]:
    if tensor.role == "carry":
        yield "what one turn leaves to the next"
    if tensor.stacked:
        yield f"one for each turn of {' '.join(map(code, tensor.stacked))}"


def _brief(name: str, facts: Facts) -> str:
    lying = facts.lying(name)
    if lying is None:
        return ""
    return DOT.join(filter(None, (states(lying.layout, facts.model.mesh), _size(lying, facts))))


def _details(name: str, facts: Facts) -> Iterator[Block]:
    yield from paragraph(_brief(name, facts))
    yield from told_moves("", facts.of_tensor(name), facts)
    yield from _standing(name, facts)
    maker, readers = facts.maker(name), facts.readers(name)
    made = f"from {code(maker.parent)}" if maker else ""
    read = f"read by {listed(layer.parent for layer in readers)}" if readers else ""
    yield from paragraph(DOT.join(filter(None, (made, read))))


def _size(lying: TensorResult, facts: Facts) -> str:
    """Its bytes in the system, each once, and on a device as it lies, both of all turns."""
    tensor = facts.tensor(lying.name)
    turns = " in all turns" if tensor is not None and tensor.stacked else ""
    device = "" if lying.per_device is None else f"{short(lying.per_device)}/device"
    known = filter(None, (short(lying.size), device if facts.model.mesh.axes else ""))
    return DOT.join(known) + turns


def _standing(name: str, facts: Facts) -> Iterator[Block]:
    """A row for how it lies and one for each way in which layers read it."""
    lying = facts.lying(name)
    if lying is None or not facts.model.mesh.axes:
        return
    readers: dict[Layout, list[str]] = {}
    for layer in facts.readers(name):
        result = facts.result(layer.name)
        for state in result.states if result else ():
            if state.tensor == name and state.role == "in" and state.direction == "forward":
                readers.setdefault(state.layout, []).append(layer.parent)
    if not readers or all(layout == lying.layout for layout in readers):
        return
    axes = columns((lying.layout, *readers), facts.model.mesh)
    origin = "at rest" if lying.role in ("input", "weight", "cache") else "as produced"
    rows = [(origin, lying.layout)]
    rows += [(_read_by(names), layout) for layout, names in [*readers.items()][:_MOST_ROWS]]
    yield Table(
        ("", *axes),
        tuple((who, *(str(layout.state(axis)) for axis in axes)) for who, layout in rows),
    )


def _read_by(names: Sequence[str]) -> str:
    first, *more = dict.fromkeys(names)
    return f"{first} and {len(more)} more" if len(more) > 1 else ", ".join((first, *more))

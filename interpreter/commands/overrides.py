"""`--set B=8192 tp=16`: sizes to try instead of those in the spec, written as in a spec."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from parspec.grammar.expressions import Number
from parspec.grammar.parser import parse
from parspec.grammar.syntax import DimItem, DimStatement
from parspec.interpreter.commands.arguments import Mistake
from parspec.interpreter.diagnostics.entry import near
from parspec.interpreter.diagnostics.findings import Datum
from parspec.interpreter.output.checks.checked import Checked
from parspec.interpreter.output.checks.diagnostic import Diagnostic
from parspec.interpreter.spec import names
from parspec.interpreter.spec.model import Model


def overrides(settings: Iterable[str]) -> Mapping[str, int] | Mistake:
    """Sizes by name, later ones before earlier ones."""
    sizes: dict[str, int] = {}
    for setting in settings:
        read = _read(setting)
        if read is None:
            return Mistake(f"--set {setting} is not a size; write --set NAME=8192 or NAME=8Ki")
        name, size = read
        sizes[name] = size
    return sizes


def unknown_override(sizes: Iterable[str], models: Iterable[Model]) -> Mistake | None:
    """The first name that is neither a dimension nor an axis of any of the models."""
    known = dict.fromkeys(name for model in models for name in _sized(model))
    for name in sizes:
        if name not in known:
            mend = near({"near": names.near(name, known)})
            return Mistake(f"--set {name}: the spec has no dimension or axis {name}{mend}")
    return None


def with_overrides(found: Checked, sizes: Mapping[str, int]) -> Checked:
    """The same with diagnostics that say which of the sizes they speak of were set:
    `H = 12 (--set) does not split 8 ways`."""
    told = tuple(_told(diagnostic, sizes) for diagnostic in found.diagnostics)
    return replace(found, diagnostics=told)


def _told(diagnostic: Diagnostic, sizes: Mapping[str, int]) -> Diagnostic:
    message = diagnostic.message
    spoken = {word for _, value in diagnostic.data for word in _words(value)}
    for name, size in sizes.items():
        if name in spoken:
            size_set = f"{name} = {size} (--set)"
            written = rf"(?<!\w){re.escape(f'{name} = {size}')}(?!\w)"
            message, times = re.subn(written, size_set, message)
            message += "" if times else f"; {size_set}"
    return replace(diagnostic, message=message)


def _words(value: Datum) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from _words(item)


def _sized(model: Model) -> Iterator[str]:
    mesh = model.mesh
    return (item.name for items in (model.dims, mesh.axes, mesh.views) for item in items)


def _read(setting: str) -> tuple[str, int] | None:
    """The name, in the form in which names are compared, and the size of a setting that has both
    and nothing else."""
    text = f"dim {setting}"
    chunks = parse(text).every
    statement = chunks[0].statement if len(chunks) == 1 and not chunks[0].parsed.faults else None
    match statement:
        case DimStatement(items=(DimItem(name=name, size=Number(unit=None) as number),)):
            written = [text[part.span.start : part.span.end] for part in (name, number)]
            whole = number.value.denominator == 1 and number.value > 0
            if whole and [part.strip(" ") for part in setting.split("=")] == written:
                return name.text, int(number.value)
    return None

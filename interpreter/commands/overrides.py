"""`--set B=8192 tp=16`: sizes to try instead of those in the spec, written as in a spec."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches

from parspec.grammar.parser import parse
from parspec.grammar.syntax import DimStatement, Number
from parspec.interpreter.commands.arguments import Mistake
from parspec.interpreter.spec.model import Model


def overrides(settings: Iterable[str]) -> Mapping[str, int] | Mistake:
    """Sizes by name, later ones before earlier ones."""
    sizes: dict[str, int] = {}
    for setting in settings:
        name, _, _ = setting.partition("=")
        size = _size(setting)
        if size is None:
            return Mistake(f"--set {setting} is not a size; write --set NAME=8192 or NAME=8Ki")
        sizes[name.strip()] = size
    return sizes


def unknown_override(sizes: Iterable[str], model: Model) -> Mistake | None:
    """The first name that is neither a dimension nor an axis of the spec."""
    mesh = model.mesh
    known = [item.name for items in (model.dims, mesh.axes, mesh.views) for item in items]
    for name in sizes:
        if name not in known:
            close = get_close_matches(name, known, 1)
            mend = f"; did you mean {close[0]}?" if close else ""
            return Mistake(f"--set {name}: the spec has no dimension or axis {name}{mend}")
    return None


def _size(setting: str) -> int | None:
    chunks = parse(f"dim {setting}").every
    statement = chunks[0].statement if len(chunks) == 1 and not chunks[0].parsed.faults else None
    match statement:
        case DimStatement(items=(item,)) if isinstance(item.size, Number):
            value = item.size.value
            whole = value.denominator == 1 and value > 0 and item.size.unit is None
            return int(value) if whole else None
    return None

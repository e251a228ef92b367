"""Rename: a name in every place where it means the same, or the reason why that cannot be.

What comes out means what it meant before: the renamed texts are read again, and where any name
would mean something else the renaming is refused. Names of the library and of the language stay.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from pathlib import PurePath

from parspec.grammar.keywords import NAME, RESERVED, normal
from parspec.grammar.parser import parse
from parspec.grammar.syntax import StackStatement
from parspec.grammar.values import value
from parspec.interpreter.spec.functions import FUNCTIONS
from parspec.interpreter.spec.library_files import is_library
from parspec.lsp.features.edits import by_file, edited
from parspec.lsp.features.meaning import meaning
from parspec.lsp.features.occurrences import Occurrences, occurrences
from parspec.lsp.names import Body, Names
from parspec.lsp.ranges import Edit, Location, Range
from parspec.lsp.regions import Entry
from parspec.lsp.snapshot import Snapshot, Source

_WHOLE_NAME = re.compile(NAME)
_KINDS: Mapping[str, str] = {
    "dim": "a dimension",
    "axis": "an axis",
    "tensor": "a tensor",
    "layer": "a layer",
    "stack": "a stack",
    "op": "an operator",
    "block": "a block",
    "function": "a function",
    "link": "a link",
    "device": "a device",
    "plan": "a plan",
}


@value
class Refusal:
    """Why something is not renamed, in a sentence."""

    message: str


def renamable(snapshot: Snapshot, offset: int) -> Range | Refusal:
    """The name at an offset, if it may have another."""
    names = snapshot.names
    entry = names.at(snapshot.file, offset)
    if entry is None:
        return Refusal("there is no name here")
    here = meaning(names, entry)
    if here.kind == "function" and not here.sites and here.name in FUNCTIONS:
        return Refusal(f"`{here.name}` is a function of the language")
    if here.kind not in _KINDS:
        return Refusal(f"`{here.name}` is a word of the language")
    symbols = names.symbols(entry)
    if not symbols:
        return Refusal(f"it is not known what `{here.name}` means here")
    if len(symbols) > 1:
        return Refusal(f"`{here.name}` means several things here: rename one where it is declared")
    library = next((site.file for site in here.sites if is_library(site.file)), None)
    if library is not None:
        return Refusal(f"`{here.name}` is a name of the library ({library})")
    return here.range


def rename(snapshots: Sequence[Snapshot], offset: int, new: str) -> tuple[Edit, ...] | Refusal:
    """The edits that give the name at an offset of the first snapshot another; the other snapshots
    are of the files that import what it is declared in."""
    snapshot = snapshots[0]
    old = renamable(snapshot, offset)
    if isinstance(old, Refusal):
        return old
    new = normal(new)
    if refusal := _no_name(new):
        return refusal
    found = occurrences(snapshots, offset)
    sources = {file: source for each in snapshots for file, source in each.sources.items()}
    if refusal := _impossible(found, sources) or _clash(snapshots, found, new, sources):
        return refusal
    edits = tuple(Edit(place, new) for place in found.places)
    return _changed_meaning(snapshots, edits, sources) or edits


def _no_name(new: str) -> Refusal | None:
    if not _WHOLE_NAME.fullmatch(new):
        return Refusal(f"`{new}` is not a name: letters, digits and `_`, no digit first")
    return Refusal(f"`{new}` is a keyword") if new in RESERVED else None


def _impossible(found: Occurrences, sources: Mapping[str, Source]) -> Refusal | None:
    """A place that cannot be edited, or that names something else beside."""
    for place in found.places:
        if is_library(place.file):
            return Refusal(f"the library's {place.file} reads it under this name")
    for place in found.shared:
        return Refusal(f"{_shown(place, sources)} names something else beside it")
    return None


def _clash(
    snapshots: Sequence[Snapshot], found: Occurrences, new: str, sources: Mapping[str, Source]
) -> Refusal | None:
    """Another declaration of the new name in the same body, or in that of a stack whose carry is
    renamed."""
    for view in (each.names for each in snapshots):
        for file, where in found.places:
            here = view.at(file, where.start)
            if here is None:
                continue
            for symbol in view.symbols(here):
                for body in dict.fromkeys((symbol.body, *_carried_into(here))):
                    taken = view.declarations(view.own(symbol.space, new, body))
                    if taken and new != symbol.name:
                        kind = _KINDS[meaning(view, taken[0]).kind]
                        at = _shown(view.location(taken[0]), sources)
                        return Refusal(f"`{new}` is {kind} already: {at}")
    return None


def _carried_into(entry: Entry) -> Iterator[Body]:
    """The body of a stack that takes in or leaves what an entry of its header names."""
    header = entry.chunk.statement
    if entry.mention.space == "tensor" and isinstance(header, StackStatement):
        yield entry.listing.region_of(entry.chunk)


def _shown(place: Location, sources: Mapping[str, Source]) -> str:
    """`model.par:3`."""
    line = sources[place.file].lines.place(place.range.start).line
    return f"{PurePath(place.file).name}:{line}"


# -- the meaning of what comes out ---------------------------------------------------------------


def _changed_meaning(
    snapshots: Sequence[Snapshot], edits: tuple[Edit, ...], sources: Mapping[str, Source]
) -> Refusal | None:
    """A name that would mean something else after the edits."""
    if not edits:
        return None
    of_files = by_file(edits)
    renamed = {
        file: parse(edited(sources[file].text, own), sources[file].document)
        for file, own in of_files.items()
    }
    shifts = {file: _Shift(own) for file, own in of_files.items()}
    new = edits[0].text
    old_places = {edit.location for edit in edits}
    for snapshot in snapshots:
        before = snapshot.names
        after = Names(
            (file, renamed.get(file, source.document)) for file, source in snapshot.sources.items()
        )
        old = {before.location(e): e for e in _all_named(before, old_places, new)}
        for place, entry in old.items():
            there = _moved(place, shifts)
            other = after.at(there.file, there.range.start)
            if other is None or after.location(other) != there:
                return Refusal(f"`{new}` cannot stand there: {_shown(place, sources)}")
            if _declared(before, entry, shifts) != _declared(after, other, {}):
                at = _shown(place, sources)
                return Refusal(f"`{other.mention.name}` would mean something else: {at}")
    return None


def _all_named(names: Names, places: set[Location], new: str) -> Iterator[Entry]:
    """The entries at some places, and those that have the old or the new name."""
    olds = {entry.mention.name for file, at in places if (entry := names.at(file, at.start))}
    for name in {*olds, new}:
        yield from names.named(name)


class _Shift:
    """How places of a file move when names in it are changed."""

    def __init__(self, edits: Sequence[Edit]) -> None:
        self._starts = [edit.location.range.start for edit in edits]
        self._growths = [0, *accumulate(map(_growth, edits))]

    def __call__(self, offset: int) -> int:
        """Where an offset comes to lie that is not inside a changed name."""
        return offset + self._growths[bisect_left(self._starts, offset)]


def _growth(edit: Edit) -> int:
    start, end = edit.location.range
    return len(edit.text) - (end - start)


def _moved(place: Location, shifts: Mapping[str, _Shift]) -> Location:
    shift = shifts.get(place.file)
    if shift is None:
        return place
    return Location(place.file, Range(shift(place.range.start), shift(place.range.end)))


def _declared(
    names: Names, entry: Entry, shifts: Mapping[str, _Shift]
) -> set[tuple[str, Location]]:
    """Where what an entry means is declared, with its space, after some edits."""
    return {
        (symbol.space, _moved(names.location(declared), shifts))
        for symbol in names.symbols(entry)
        for declared in names.declarations(symbol)
    }

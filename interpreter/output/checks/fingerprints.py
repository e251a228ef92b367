"""Fingerprints: by what a diagnostic is known again after its file was edited elsewhere.

One depends on the file's name, the code, the line that it stands on and what is marked there, not
on the line's number, the message's numbers or the plans; of several diagnostics that agree in all
of these the first stays the first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from hashlib import sha256

from parspec.interpreter.output.checks.diagnostic import Diagnostic, Sources

_LENGTH = 32  # hexadecimal digits: 128 bits


def fingerprinted(
    diagnostics: Iterable[Diagnostic], files: Sources
) -> list[tuple[Diagnostic, str]]:
    """Each diagnostic with its fingerprint, 32 hexadecimal digits."""
    seen: Counter[tuple[str, ...]] = Counter()
    named = []
    for diagnostic in diagnostics:
        traits = _traits(diagnostic, files)
        text = "\0".join((*traits, str(seen[traits])))
        seen[traits] += 1
        named.append((diagnostic, sha256(text.encode("utf-8", "replace")).hexdigest()[:_LENGTH]))
    return named


def _traits(diagnostic: Diagnostic, files: Sources) -> tuple[str, ...]:
    place = diagnostic.place
    source = files.get(place.file)
    line = "" if source is None else source.line(place.start.line)
    end = place.end.column - 1 if place.end.line == place.start.line else len(line)
    marked = line[place.start.column - 1 : end]
    return place.file, diagnostic.code, " ".join(line.split()), marked

"""The tables of par.lark: what lark makes of the grammar, as plain data.

Lark reads the grammar and works out the LALR table, which takes 0.1 s. What it finds is kept in a
file, so that later starts neither wait for that nor import lark.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

SOURCE = Path(__file__).with_name("par.lark")
FORMAT = 1  # of the file


class Rule(NamedTuple):
    """So many parts become one, `name`. `builder` makes it of the parts at `places` (-1: None), of
    those at `lists` item by item; PASSED: its one part stays what it is; BEGUN and LONGER: a list
    of them, one more round of items in the list that is the first."""

    size: int
    name: str
    builder: str
    places: tuple[int, ...]
    lists: tuple[int, ...]


PASSED, BEGUN, LONGER = "", "[", "[..."
"""What stands in a rule in place of a builder's name."""


class Tables(NamedTuple):
    """`states`: what terminals and rules do in each state, go to another one, or -1-n: reduce by
    the rule n; `ignored`: the pattern of what stands between tokens; `fixed`: the terminals that
    are always one text, by that; `shapes`: the patterns of the others, in the order in which they
    are looked for; `kept`: the terminals that builders get."""

    start: int
    end: int
    states: Sequence[Mapping[str, int]]
    rules: Sequence[Rule]
    ignored: str
    fixed: Mapping[str, str]
    shapes: Sequence[tuple[str, str]]
    kept: Sequence[str]


@cache
def tables() -> Tables:
    """The tables of par.lark."""
    source = SOURCE.read_text("utf-8")
    file = _cache_file()
    known = None if file is None else _read(file, source)
    if known is not None:
        return known
    from parspec.grammar.compiling import compiled  # lark

    made = compiled(source)
    if file is not None:
        _keep(file, source, made)
    return made


def _cache_file() -> Path | None:
    """Where the tables are kept between runs; None if nowhere. What is relative does not count: the
    XDG Base Directory Specification has it so."""
    try:
        root = Path(os.environ.get("XDG_CACHE_HOME", ""))
        if not root.is_absolute():
            root = Path.home() / ".cache"
        if not root.is_absolute():
            return None
        folder = root / "parspec"
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, RuntimeError):
        return None
    return folder / "grammar.tables"


def _read(file: Path, source: str) -> Tables | None:
    """What a file has of this grammar; None where it has nothing, or something else."""
    import json

    try:
        if not file.is_file():  # what is not may have no end
            return None
        check, _, kept = file.read_bytes().partition(b"\n")
        if check != _check(kept):
            return None
        match json.loads(kept):
            case {"format": form, "grammar": grammar, "tables": [*parts]}:
                ours = form == FORMAT and grammar == source
                return _tables(parts) if ours else None
    except (OSError, ValueError, TypeError, RecursionError):
        return None
    return None


def _tables(parts: Sequence[Any]) -> Tables:
    """Tables from JSON. Raises TypeError or ValueError where these are none."""
    tables = Tables(*parts)
    rules = [
        Rule(size, name, builder, tuple(places), tuple(lists))
        for size, name, builder, places, lists in tables.rules
    ]
    return tables._replace(rules=rules)


def _keep(file: Path, source: str, made: Tables) -> None:
    """Keeps the tables, whole or not at all; others may read meanwhile."""
    import json

    beside = file.with_suffix(f".{os.getpid()}")
    kept = json.dumps({"format": FORMAT, "grammar": source, "tables": made}).encode()
    with suppress(OSError):
        try:
            beside.write_bytes(_check(kept) + b"\n" + kept)
            beside.replace(file)
        finally:
            beside.unlink(missing_ok=True)


def _check(kept: bytes) -> bytes:
    """What tells that a file is as it was written."""
    return b"%08x" % crc32(kept)

"""Texts that the formatter is tried on, and what it owes to each of them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from random import Random

from syntax_outline import outline

from parspec.grammar.columns import width
from parspec.grammar.document import Chunk, Document
from parspec.grammar.formatter import formatted
from parspec.grammar.parser import parse

ROOT = Path(__file__).parents[2]
LIMIT = 100
_SUITE = re.compile(r"```par\n(.*?)```", re.DOTALL)
_PLACE = re.compile(r"(?<=[\s,=*(\[{:])|(?=[\s,=*)\]}:])")
_LINE_END = re.compile(r"\r\n|\r|\n")
_NOISE = (" ", "  ", "\t", "\n", "\n\n", "\n\n\n", "\n      ", " \n", "\f", "\u00a0", "\ufeff")
_COMMENTS = (
    " # note\n",
    "\n# above\n",
    "\n\n# run\n# of two\n\n",
    " # a, b\n",
    "\n  # dim Z = 4\n",
)
_CHARACTERS = '{}[](),:=*+-.#"?\x00\x1c\u2028 \n0aé'


def written() -> list[tuple[str, str]]:
    """Every spec of examples, library, suites and cases, with the file as which it is read."""
    found = [(str(path), path.read_text("utf-8")) for path in sorted(_files())]
    for path in sorted((ROOT / "tests" / "suites").rglob("*.md")):
        file = str(path.with_suffix(".par"))
        found += [(file, block) for block in _SUITE.findall(path.read_text("utf-8"))]
    cases = json.loads((ROOT / "tests" / "data" / "cases.json").read_text("utf-8"))
    found += cases["models"].items()
    for case in (*cases["plans"], *cases["mistakes"]):
        texts = (case.get("spec"), case.get("corrected"))
        found += [(f"{case['id']}.par", text) for text in texts if text]
    return found


def _files() -> Iterator[Path]:
    yield from (ROOT / "examples").glob("*.par")
    yield from (ROOT / "interpreter" / "spec" / "library").glob("*.par")
    yield from (ROOT / "tests" / "suites").rglob("*.par")


# -- mutations -----------------------------------------------------------------------------------


def mutated(random: Random, text: str) -> str:
    """The text after a few changes, to blanks and comments mostly."""
    for _ in range(random.randint(1, 6)):
        text = random.choices(_CHANGES, _WEIGHTS)[0](random, text)
    return text


def _noise(random: Random, text: str) -> str:
    for _ in range(random.randint(1, 12)):
        text = _inserted(random, text, random.choice(_NOISE))
    return text


def _comment(random: Random, text: str) -> str:
    return _inserted(random, text, random.choice(_COMMENTS))


def _inserted(random: Random, text: str, extra: str) -> str:
    """With something more between two words."""
    places = [match.start() for match in _PLACE.finditer(text)]
    place = random.choice(places) if places else 0
    return text[:place] + extra + text[place:]


def _indented(random: Random, text: str) -> str:
    lines = text.split("\n")
    return "\n".join(" " * random.choice((0, 1, 3, 4, 8)) + line.lstrip(" ") for line in lines)


def _joined(random: Random, text: str) -> str:
    ends = [match.start() for match in re.finditer("\n", text)]
    for end in random.sample(ends, min(len(ends), random.randint(1, 6))):
        text = text[:end] + " " + text[end + 1 :]
    return text


def _pressed(random: Random, text: str) -> str:
    """Without blanks around the marks of some lines."""
    lines = text.split("\n")
    for at in range(len(lines)):
        if random.random() < 0.5:
            lines[at] = re.sub(r" *([,=*\[\](){}:+]) *", r"\1", lines[at])
    return "\n".join(lines)


def _renamed(random: Random, text: str) -> str:
    """With one word that is no unit longer wherever it stands."""
    names = re.findall(r"(?<![\w/])(?<!\d )[a-zA-Z]\w*\b(?!/)", text)
    name = random.choice(names) if names else "x"
    return re.sub(
        rf"\b{name}\b", name + random.choice(("_x" * random.randint(1, 30), "é", "批次")), text
    )


def _line_ends(random: Random, text: str) -> str:
    end = random.choice(("\r\n", "\r\n", "\r"))
    return _LINE_END.sub(lambda match: end if random.random() < 0.9 else match[0], text)


def _cut(random: Random, text: str) -> str:
    start = random.randrange(len(text) + 1)
    return text[:start] + text[start + random.choice((1, 2, 5, 20, 200)) :]


def _character(random: Random, text: str) -> str:
    place = random.randrange(len(text) + 1)
    return text[:place] + random.choice(_CHARACTERS) + text[place:]


def _lines_moved(random: Random, text: str) -> str:
    lines = text.split("\n")
    line = lines.pop(random.randrange(len(lines)))
    for _ in range(random.randint(0, 2)):
        lines.insert(random.randrange(len(lines) + 1), line)
    return "\n".join(lines)


_CHANGES = (
    *(_noise, _comment, _indented, _joined, _pressed, _renamed, _line_ends),
    *(_cut, _character, _lines_moved),
)
_WEIGHTS = (4, 4, 2, 2, 2, 2, 1, 1, 1, 1)


# -- what holds for every text -------------------------------------------------------------------


def complaints(text: str) -> list[str]:
    """What the formatter owes to this text and does not give."""
    result = formatted(text)
    before, after = parse(text), parse(result)
    left_alone = result == text and before.faulty
    checks = {
        "is not idempotent": formatted(result) == result,
        "means something else": _meaning(before) == _meaning(after),
        "changed what is broken": _broken(before) == _broken(after),
        "ends its lines differently": left_alone or len(set(_LINE_END.findall(result))) <= 1,
        "does not end its last line": left_alone or result[-1:] in ("", "\ufeff", "\n", "\r"),
        "has long lines": not _long(after),
        "has lines broken needlessly": not _needlessly_broken(after),
    }
    return [what for what, holds in checks.items() if not holds]


def _meaning(document: Document) -> object:
    """All that a text says, blanks and places aside."""
    return document.note, [(depth, *_says(chunk)) for depth, chunk in _placed(document.chunks, 0)]


def _says(chunk: Chunk) -> tuple[object, ...]:
    statement = outline(chunk.statement) if chunk.statement else None
    faults = [fault.message for fault in chunk.parsed.faults]
    return statement, faults, chunk.parsed.skipped, chunk.parsed.notes, chunk.note


def _placed(chunks: tuple[Chunk, ...], depth: int) -> Iterator[tuple[int, Chunk]]:
    for chunk in chunks:
        yield depth, chunk
        yield from _placed(chunk.body, depth + 1)


def _broken(document: Document) -> list[str]:
    return [_LINE_END.sub("\n", chunk.text) for chunk in document.faulty]


def _plain(document: Document) -> Iterator[tuple[int, Chunk]]:
    """Statements without comments that were understood, in so many bodies; none in front of one
    with an error, which it may belong to."""
    placed = list(_placed(document.chunks, 0))
    below = [chunk for _, chunk in placed[1:]]
    for (depth, chunk), after in zip_longest(placed, below):
        beside = after is not None and (after.parsed.faults or after.statement is None)
        if chunk.statement and not chunk.parsed.faults and not beside and "#" not in chunk.text:
            yield depth, chunk


def _long(document: Document) -> list[str]:
    """Lines that are too long though they hold more than a word and what must stand before it."""
    return [
        line
        for depth, chunk in _plain(document)
        for line in _LINE_END.split(" " * 2 * depth + chunk.text)
        if width(line) > LIMIT and len(line.split()) > 2
    ]


def _needlessly_broken(document: Document) -> list[str]:
    """Statements on several lines that would fit on one; settings may stand below one another."""
    joined = [
        " " * 2 * depth + " ".join(chunk.text.split())
        for depth, chunk in _plain(document)
        if _LINE_END.search(chunk.text) and not re.search(r"\{\s*[\r\n]", chunk.text)
    ]
    return [text for text in joined if width(text) + text.count("partition") <= LIMIT - 2]

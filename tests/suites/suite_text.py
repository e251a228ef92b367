"""Reads a suite: Markdown in which specs stand with what is expected of them.

A block of `par` is a spec. A comment `# error: NAME key=value ...` (or `warning:`, `info:`) expects
that diagnostic on its line, with these data; errors and warnings that no comment expects are
failures. A table headed `figure | value` behind a block expects these figures of its spec.
"""

import re
import shlex
from dataclasses import dataclass, field

HEADING = re.compile(r"^#+ (.*)$")
EXPECTATION = re.compile(r"# (error|warning|info): (\w+)(.*)$")
ROW = re.compile(r"^\| (.*?) +\| (.*?) +\|$")


@dataclass
class Case:
    """One spec: where it stands, its text, the diagnostics (line, severity, name, data as text) and
    the figures expected of it."""

    title: str
    line: int
    text: str
    diagnostics: list = field(default_factory=list)
    figures: dict = field(default_factory=dict)


def cases(markdown):
    """All specs of a suite, in order."""
    found = []
    title, block, start = "", None, 0
    for number, line in enumerate(markdown.splitlines(), start=1):
        if block is not None:
            if line == "```":
                text = "\n".join(block) + "\n"
                found.append(Case(title, start, text, expectations(text)))
                block = None
            else:
                block.append(line)
        elif line == "```par":
            block, start = [], number + 1
        elif heading := HEADING.match(line):
            title = heading[1]
        elif (row := ROW.match(line)) and row[1] != "figure" and set(row[1]) != {"-"}:
            found[-1].figures[row[1]] = row[2]
    return found


def expectations(text):
    """The diagnostics that comments expect, by line."""
    found = []
    for number, line in enumerate(text.splitlines(), start=1):
        for said in EXPECTATION.finditer(line):
            data = dict(part.split("=", 1) for part in shlex.split(said[3]))
            found.append((number, said[1], said[2], data))
    return found


def plain(datum):
    """A datum as suites write it: lists with commas, no spaces."""
    if isinstance(datum, tuple):
        return ",".join(map(plain, datum))
    if isinstance(datum, bool) or datum is None:
        return str(datum).lower()
    return str(datum)


def number(text):
    """A number without the commas between its thousands; other text as it is."""
    return text.replace(",", "") if re.fullmatch(r"\d{1,3}(,\d{3})+(\.\d+)?", text) else text

"""`parspec fmt`: brings specs into the one style, or shows what that would change."""

from __future__ import annotations

import sys
from collections import Counter
from enum import Enum

from parspec.grammar.document import Document
from parspec.grammar.formatter import in_style
from parspec.grammar.lines import LineIndex
from parspec.grammar.parser import parse
from parspec.interpreter.commands.arguments import Request
from parspec.interpreter.commands.fmt_files import rewritten, source
from parspec.interpreter.commands.loading import STDIN, SUFFIX, Unusable, files
from parspec.interpreter.commands.outcome import CLEAN, UNABLE, WOULD_CHANGE
from parspec.interpreter.commands.talk import say, unable
from parspec.interpreter.diagnostics.entry import plural
from parspec.interpreter.output.terminal.diff import diff
from parspec.interpreter.output.terminal.screen import screen

_LINES_NAMED = 5  # of statements with syntax errors, in one sentence


class _Ending(Enum):
    CHANGED = "changed"
    ALONE = "left alone"
    BROKEN = "with syntax errors"
    FAILED = "failed"


def run(request: Request) -> int:
    """Formats what the operands name. With `--check` and `--diff` nothing is written, a file that
    would change is an exit code of its own, and one with a syntax error cannot be judged."""
    names = files(request.operands)
    if not names:
        return unable(f"no {SUFFIX} files in {', '.join(request.operands)}")
    endings = Counter(_ended(name, request) for name in names)
    writes = not (request.has("--check") or request.has("--diff"))
    if names != (STDIN,) or not writes:
        say(_summary(endings, "reformatted" if writes else "would change"))
    if endings[_Ending.FAILED] or endings[_Ending.BROKEN]:
        return UNABLE
    return WOULD_CHANGE if endings[_Ending.CHANGED] and not writes else CLEAN


def _ended(name: str, request: Request) -> _Ending:
    """Formats one file; how it ended."""
    before = source(name, request)
    if isinstance(before, Unusable):
        say(before.message)
        return _Ending.FAILED
    document = parse(before.text)
    faults = _tell_of_faults(before.file, document)
    after = in_style(document)
    if request.has("--diff"):
        _print(diff(before.file, before.text, after, screen(sys.stdout)).encode())
    elif request.has("--check"):
        _print(f"{before.file}\n".encode() if after != before.text else b"")
    elif before.path is None:
        _print(before.mark + after.encode())
    elif after != before.text:
        problem = rewritten(before.path, before.mark + after.encode())
        if problem is not None:
            say(problem)
            return _Ending.FAILED
    if faults and (request.has("--diff") or request.has("--check")):
        return _Ending.BROKEN
    return _Ending.ALONE if after == before.text else _Ending.CHANGED


def _tell_of_faults(file: str, document: Document) -> int:
    """Statements with syntax errors stay as they are: a sentence where there are some; how many."""
    if not document.faulty:
        return 0
    lines = LineIndex(document.text)
    starts = [document.start_of(chunk.key) for chunk in document.faulty[:_LINES_NAMED]]
    named = ", ".join(str(lines.line_of(start) + 1) for start in starts)
    more = ", ..." if len(document.faulty) > _LINES_NAMED else ""
    many = len(document.faulty) > 1
    statements = plural(len(document.faulty), "statement")
    stay = "errors stay as they are" if many else "error stays as it is"
    say(
        f"{file}: {statements} with {'' if many else 'a '}syntax {stay} "
        f"({'lines' if many else 'line'} {named}{more}; `parspec check` says what is wrong)"
    )
    return len(document.faulty)


def _summary(endings: Counter[_Ending], change: str) -> str:
    said = [
        (endings[_Ending.CHANGED], change),
        *((endings[end], end.value) for end in (_Ending.ALONE, _Ending.BROKEN, _Ending.FAILED)),
    ]
    first, *rest = [(number, what) for number, what in said if number]
    return ", ".join(
        [f"{plural(first[0], 'file')} {first[1]}", *(f"{number} {what}" for number, what in rest)]
    )


def _print(data: bytes) -> None:
    """Bytes to standard output, line ends as they are."""
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()

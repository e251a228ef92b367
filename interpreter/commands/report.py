"""`parspec report`: what a plan does, layer by layer and in all."""

from __future__ import annotations

import sys
from io import TextIOWrapper
from typing import TextIO

from parspec.interpreter.analysis.result import Move
from parspec.interpreter.commands.arguments import Mistake, Request
from parspec.interpreter.commands.outcome import outcome
from parspec.interpreter.commands.single import single
from parspec.interpreter.commands.talk import unable
from parspec.interpreter.commands.trouble import tell
from parspec.interpreter.output.checks.checked import Checked
from parspec.interpreter.output.terminal.screen import screen
from parspec.interpreter.output.wording.facts import at_work


def run(request: Request) -> int:
    """Reports on one spec. What is wrong with it goes to standard error, or into the JSON."""
    if request.has("--table") and request.value("--format") != "csv":
        return unable("--table is for --format csv")
    found = single(request)
    if isinstance(found, Mistake):
        return unable(found.message)
    (analysis,) = found.analyses
    moves = analysis.moves if request.has("--all") else at_work(analysis.moves)
    match request.value("--format"):
        case "json":
            sys.stdout.write(_json(found, moves))
        case "markdown":
            sys.stdout.write(_markdown(found, moves))
        case "html":
            _as_it_is(sys.stdout).write(_html(found, moves))
        case "csv":
            tell(found)
            _as_it_is(sys.stdout).write(_csv(found, moves, request.value("--table")))
        case _:
            tell(found)
            sys.stdout.write(_text(found, moves))
    return outcome(found.diagnostics)


def _as_it_is(stream: TextIO) -> TextIO:
    """The stream in UTF-8 with line ends left alone, as far as it can: what is written is a file
    of a format that says so."""
    if isinstance(stream, TextIOWrapper):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace", newline="")
    return stream


def _json(found: Checked, moves: tuple[Move, ...]) -> str:
    from parspec.interpreter.output.reports.json import report_json  # json, only for it

    return report_json(found, moves)


def _csv(found: Checked, moves: tuple[Move, ...], table: str | None) -> str:
    from parspec.interpreter.output.reports.csv import report_csv  # csv, only for it

    return report_csv(found, moves, table or "primitives")


def _markdown(found: Checked, moves: tuple[Move, ...]) -> str:
    from parspec.interpreter.output.reports.markdown import report_markdown

    return report_markdown(found, moves)


def _html(found: Checked, moves: tuple[Move, ...]) -> str:
    from parspec.interpreter.output.reports.html import report_html  # hashes, only for it

    return report_html(found, moves)


def _text(found: Checked, moves: tuple[Move, ...]) -> str:
    from parspec.interpreter.output.reports.text import report_text  # rich, only where it draws

    return report_text(found, moves, screen(sys.stdout))

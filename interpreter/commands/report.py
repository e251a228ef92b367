"""`parspec report`: what a plan does, layer by layer and in all."""

from __future__ import annotations

import sys
from io import TextIOWrapper
from typing import TextIO

from parspec.interpreter.analysis.result import Analysis, Move
from parspec.interpreter.commands.arguments import Mistake, Request
from parspec.interpreter.commands.loading import Unusable, analysed, no_plan, spec
from parspec.interpreter.commands.outcome import outcome
from parspec.interpreter.commands.overrides import overrides, unknown_override, with_overrides
from parspec.interpreter.commands.talk import unable
from parspec.interpreter.commands.trouble import tell
from parspec.interpreter.output.checks.checked import Checked, checked
from parspec.interpreter.output.terminal.screen import screen


def run(request: Request) -> int:
    """Reports on one spec. What is wrong with it goes to standard error, or into the JSON."""
    source = spec(request.operands[0], request)
    if isinstance(source, Unusable):
        return unable(source.message)
    if request.has("--table") and request.value("--format") != "csv":
        return unable("--table is for --format csv")
    sizes = overrides(request.options.get("--set", ()))
    if isinstance(sizes, Mistake):
        return unable(sizes.message)
    analysis = analysed(source, request.value("--plan"), sizes, request.value("--cost"))
    missing = no_plan(request.value("--plan"), analysis)
    if missing is not None:
        return unable(missing)
    mistake = unknown_override(sizes, (analysis.model,))
    if mistake is not None:
        return unable(mistake.message)
    found = with_overrides(checked(source.file, (analysis,)), sizes)
    moves = analysis.moves if request.has("--all") else _costly(analysis)
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


def _costly(analysis: Analysis) -> tuple[Move, ...]:
    return tuple(move for move in analysis.moves if move.primitive is not None)


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

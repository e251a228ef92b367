"""`compare --format markdown`: the memo for a pull request or a page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from parspec.interpreter.output.comparisons.memo import Memo, Sheet
from parspec.interpreter.output.comparisons.prose import Fact
from parspec.interpreter.output.terminal.cells import safe

_MARKS = {mark: f"\\{mark}" for mark in "\\`*_{}[]<>#|~!"}
_SPECIAL = str.maketrans({**_MARKS, "&": "&amp;", "@": "&#64;"})  # the last would mention somebody


def compare_markdown(memo: Memo) -> str:
    """The memo as Markdown, with tables as GitHub draws them."""
    return "".join(f"{line}\n" for line in _lines(memo))


def _lines(memo: Memo) -> Iterator[str]:
    yield f"## {_text(memo.title)}"
    yield ""
    yield f"**{_text(memo.verdict)}**"
    yield ""
    yield from _facts(memo.grounds)
    for part in memo.parts:
        yield ""
        if isinstance(part, Sheet):
            yield from _table(part)
        else:
            yield f"**{_text(part.title)}**"
            yield ""
            yield from _facts(part.facts)


def _facts(facts: Iterable[Fact]) -> Iterator[str]:
    return (f"- {_text(name)}: {_text(text)}" for name, text in facts)


def _table(sheet: Sheet) -> Iterator[str]:
    if sheet.rows:
        yield from _rows(sheet)
    if sheet.rows and sheet.below:
        yield ""
    if sheet.below:
        yield _text(sheet.below)


def _rows(sheet: Sheet) -> Iterator[str]:
    names = len(sheet.columns) - sheet.numbers
    yield _row(sheet.columns)
    yield _rule(["---"] * names + ["---:"] * sheet.numbers)
    for row in sheet.rows:
        cells = [cell.text for cell in row]
        yield _row([*cells, *[""] * (len(sheet.columns) - len(cells))])


def _row(cells: Sequence[str]) -> str:
    return _rule([_text(cell).replace("\n", "<br>") for cell in cells])


def _rule(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _text(text: str) -> str:
    return "\n".join(safe(line.strip()).translate(_SPECIAL) for line in text.split("\n"))

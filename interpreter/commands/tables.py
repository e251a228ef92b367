"""`parspec tables`: the article's tables, derived for the operators of a spec."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from difflib import get_close_matches

from parspec.grammar.keywords import normal
from parspec.interpreter.commands.arguments import Mistake, Request
from parspec.interpreter.commands.outcome import outcome
from parspec.interpreter.commands.single import single
from parspec.interpreter.commands.talk import unable
from parspec.interpreter.commands.trouble import tell
from parspec.interpreter.diagnostics.entry import choice, listed
from parspec.interpreter.output.tables.operators import Tabled, tabled
from parspec.interpreter.output.tables.sheets import Sheet, operator_sheets, theory_sheets
from parspec.interpreter.output.terminal.screen import screen


def run(request: Request) -> int:
    """Prints the tables of one operator, or those of all and of the theory itself; errors in the
    spec go to standard error."""
    found = single(request)
    if isinstance(found, Mistake):
        return unable(found.message)
    (analysis,) = found.analyses
    operators = tabled(analysis.model)
    names = request.operands[1:]
    if names:
        asked = _asked(normal(names[0]), operators)
        if isinstance(asked, Mistake):
            return unable(asked.message)
        operators = (asked,)
    tell(found)
    form = request.value("--format")
    if form == "json":
        sys.stdout.write(_json(operators))
    else:
        theory = () if names and not request.has("--all") else theory_sheets()
        sys.stdout.write(_drawn(form, (*operator_sheets(operators), *theory)))
    return outcome(found.diagnostics)


def _asked(name: str, operators: tuple[Tabled, ...]) -> Tabled | Mistake:
    """The operator of this name, or the only one whose name ends so, behind a dot."""
    known = {operator.name: operator for operator in operators}
    if name in known:
        return known[name]
    ends = tuple(full for full in known if full.endswith(f".{name}"))
    if len(ends) == 1:
        return known[ends[0]]
    if ends:
        return Mistake(f"which {name}: {choice(ends)}?")
    last = {full.rpartition(".")[2]: full for full in reversed(known)}
    near = [last.get(each, each) for each in get_close_matches(name, {**known, **last}, 1)]
    mend = f"did you mean {near[0]}?" if near else f"it has {listed(tuple(known)) or 'none'}"
    return Mistake(f"the spec has no operator {name}; {mend}")


def _json(operators: tuple[Tabled, ...]) -> str:
    from parspec.interpreter.output.tables.json import tables_json  # json, only for it

    return tables_json(operators)


def _drawn(form: str | None, sheets: Iterable[Sheet]) -> str:
    if form == "markdown":
        from parspec.interpreter.output.tables.markdown import tables_markdown

        return tables_markdown(sheets)
    from parspec.interpreter.output.tables.text import tables_text  # rich, only where it draws

    return tables_text(sheets, screen(sys.stdout))

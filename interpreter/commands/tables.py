"""`parspec tables`: the article's tables, derived for the operators of a spec."""

from __future__ import annotations

import sys
from difflib import get_close_matches

from parspec.interpreter.commands.arguments import Mistake, Request
from parspec.interpreter.commands.loading import Unusable, analysed, no_plan, spec
from parspec.interpreter.commands.outcome import outcome
from parspec.interpreter.commands.talk import unable
from parspec.interpreter.commands.trouble import tell
from parspec.interpreter.diagnostics.entry import choice, listed
from parspec.interpreter.output.checks.checked import checked
from parspec.interpreter.output.tables.operators import Tabled, tabled
from parspec.interpreter.output.terminal.screen import screen


def run(request: Request) -> int:
    """Prints the tables of one operator, or those of all and of the theory itself; errors in the
    spec go to standard error."""
    file, *names = request.operands
    source = spec(file, request)
    if isinstance(source, Unusable):
        return unable(source.message)
    analysis = analysed(source, request.value("--plan"))
    missing = no_plan(request.value("--plan"), analysis)
    if missing is not None:
        return unable(missing)
    operators = tabled(analysis.model)
    if names:
        asked = _asked(names[0], operators)
        if isinstance(asked, Mistake):
            return unable(asked.message)
        operators = (asked,)
    found = checked(source.file, (analysis,))
    tell(found)
    if request.value("--format") == "json":
        sys.stdout.write(_json(operators))
    elif names and not request.has("--all"):
        sys.stdout.write(_text(operators))
    else:
        sys.stdout.write(f"{_text(operators)}\n\n{_theory()}" if operators else _theory())
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


def _text(operators: tuple[Tabled, ...]) -> str:
    from parspec.interpreter.output.tables.text import tables_text  # rich, only where it draws

    return tables_text(operators, screen(sys.stdout))


def _theory() -> str:
    from parspec.interpreter.output.tables.text import theory_text  # rich, only where it draws

    return theory_text(screen(sys.stdout))

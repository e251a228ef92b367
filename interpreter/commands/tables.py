"""`parspec tables`: the article's tables, derived for the operators of a spec."""

from __future__ import annotations

import sys
from difflib import get_close_matches

from parspec.interpreter.commands.arguments import Request
from parspec.interpreter.commands.cells import safe
from parspec.interpreter.commands.checked import checked
from parspec.interpreter.commands.loading import Unusable, analysed, no_plan, spec
from parspec.interpreter.commands.operators import Tabled, tabled
from parspec.interpreter.commands.outcome import UNABLE, outcome
from parspec.interpreter.commands.tables_json import tables_json
from parspec.interpreter.commands.terminal import screen
from parspec.interpreter.commands.trouble import tell


def run(request: Request) -> int:
    """Prints the tables of one operator or of all; errors in the spec go to standard error."""
    source = spec(request.operands[0])
    if isinstance(source, Unusable):
        print(source.message, file=sys.stderr)
        return UNABLE
    analysis = analysed(source, request.value("--plan"))
    missing = no_plan(request.value("--plan"), analysis)
    if missing is not None:
        print(missing, file=sys.stderr)
        return UNABLE
    found = checked(source.file, (analysis,))
    operators = tabled(analysis.model)
    if len(request.operands) > 1:
        name = request.operands[1]
        asked = tuple(operator for operator in operators if operator.name == name)
        if not asked:
            print(safe(_unknown(name, operators)), file=sys.stderr)
            return UNABLE
        operators = asked
    tell(found)
    sys.stdout.write(_rendered(request.value("--format"), operators))
    return outcome(found.diagnostics)


def _rendered(form: str | None, operators: tuple[Tabled, ...]) -> str:
    if form == "json":
        return tables_json(operators)
    from parspec.interpreter.commands.tables_text import tables_text  # rich, only where it draws

    return tables_text(operators, screen(sys.stdout))


def _unknown(name: str, operators: tuple[Tabled, ...]) -> str:
    known = [operator.name for operator in operators]
    close = get_close_matches(name, known, 1)
    mend = f"did you mean {close[0]}?" if close else f"it has {', '.join(known) or 'none'}"
    return f"the spec has no operator {name}; {mend}"

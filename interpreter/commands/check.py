"""`parspec check`: all diagnostics of specs and of their plans, and one line a file."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from parspec.interpreter.analysis.result import Analysis
from parspec.interpreter.commands.arguments import Mistake, Request
from parspec.interpreter.commands.check_concise import concise
from parspec.interpreter.commands.check_full import full
from parspec.interpreter.commands.checked import Checked, checked, strict
from parspec.interpreter.commands.diagnostic import Diagnostic, diagnosed
from parspec.interpreter.commands.loading import SUFFIX, Spec, Unusable, analysed, no_plan, specs
from parspec.interpreter.commands.outcome import UNABLE, outcome
from parspec.interpreter.commands.overrides import overrides, unknown_override, with_overrides
from parspec.interpreter.commands.summary import counted, summary
from parspec.interpreter.commands.talk import say, unable
from parspec.interpreter.commands.terminal import Screen, screen


def run(request: Request) -> int:
    """Checks what the operands name; the exit code is that of the worst."""
    sizes = overrides(request.options.get("--set", ()))
    if isinstance(sizes, Mistake):
        return unable(sizes.message)
    plan = request.value("--plan")
    looked_at = tuple(specs(request.operands, request.value("--stdin-filename")))
    unusable = [each for each in looked_at if isinstance(each, Unusable)]
    usable = [each for each in looked_at if isinstance(each, Spec)]
    trial = _Trial(plan, sizes, request.value("--cost"))
    firsts = [(each, trial.of(each, plan)) for each in usable]
    without = [missing for _, first in firsts if (missing := no_plan(plan, first))]
    found = [_checked(each, first, trial) for each, first in firsts if not no_plan(plan, first)]
    models = [analysis.model for each in found for analysis in each.analyses]
    mistake = unknown_override(sizes, models) if found else None
    if mistake is not None:
        return unable(mistake.message)
    for problem in unusable:
        say(problem.message)
    for missing in without if not found else ():
        say(missing)
    if not looked_at:
        say(f"no {SUFFIX} files in {', '.join(request.operands)}")
    if request.has("--warn-as-error"):
        found = [strict(each) for each in found]
    form = request.value("--format")
    unread = [diagnosed(each.finding, {}, each.file) for each in unusable] if form == "json" else []
    sys.stdout.write(_rendered(form, found, unread, screen(sys.stdout)))
    if unusable or not found:
        return UNABLE
    return outcome(diagnostic for each in found for diagnostic in each.diagnostics)


@dataclass(frozen=True, slots=True)
class _Trial:
    """What specs are tried with: one of their plans only, other sizes, other prices."""

    plan: str | None
    sizes: Mapping[str, int]
    cost: str | None

    def of(self, spec: Spec, plan: str | None) -> Analysis:
        """A spec under a plan."""
        return analysed(spec, plan, self.sizes, self.cost)


def _checked(spec: Spec, first: Analysis, trial: _Trial) -> Checked:
    plans = first.model.plans if trial.plan is None else ()
    analyses = (first, *(trial.of(spec, name) for name in plans))
    return with_overrides(checked(spec.file, analyses), trial.sizes)


def _sums(each: Checked, shown_on: Screen) -> Iterator[str]:
    """A line for the file, or one for each of its plans where it has some and looks at them."""
    plans = [analysis for analysis in each.analyses if analysis.model.plan is not None]
    if not plans:
        yield summary(each.file, each.diagnostics, each.analyses[0], shown_on)
    for analysis in plans:
        plan = analysis.model.plan
        own = [d for d in each.diagnostics if not d.plans or plan in d.plans]
        yield summary(f"{each.file} · {plan}", own, analysis, shown_on)


def _rendered(
    form: str | None, found: list[Checked], unread: list[Diagnostic], shown_on: Screen
) -> str:
    match form:
        case "json":
            from parspec.interpreter.commands.check_json import check_json  # json, only for it

            return check_json(found, [*unread, *_all(found)])
        case "concise":
            return concise(_all(found), shown_on)
    return _full(found, shown_on)


def _all(found: Iterable[Checked]) -> list[Diagnostic]:
    """Every diagnostic once, though several files may import the one that has it."""
    unique = dict.fromkeys(diagnostic for each in found for diagnostic in each.diagnostics)
    return sorted(unique, key=lambda diagnostic: diagnostic.order)


def _full(found: list[Checked], shown_on: Screen) -> str:
    shown: set[Diagnostic] = set()
    parts: list[str] = []
    for each in found:
        new = [diagnostic for diagnostic in each.diagnostics if diagnostic not in shown]
        shown.update(new)
        parts.append(full(new, each.sources, shown_on))
        parts += (f"{line}\n" for line in _sums(each, shown_on))
    if len(found) > 1:
        counts: Counter[str] = Counter(diagnostic.severity for diagnostic in shown)
        parts.append(f"{len(found)} files: {counted(counts) or 'ok'}\n")
    return "".join(parts)

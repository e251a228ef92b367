"""`parspec compare`: plans of a spec, or specs, held against one another."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import TypeAlias

from parspec.grammar.values import value
from parspec.interpreter.analysis.result import Analysis
from parspec.interpreter.commands.arguments import Mistake, Request
from parspec.interpreter.commands.loading import Spec, Unusable, analysed, asked_plans, spec
from parspec.interpreter.commands.outcome import outcome
from parspec.interpreter.commands.overrides import overrides, unknown_override, with_overrides
from parspec.interpreter.commands.talk import unable
from parspec.interpreter.commands.trouble import tell
from parspec.interpreter.commands.trying import tried
from parspec.interpreter.diagnostics.entry import enumeration
from parspec.interpreter.output.checks.checked import Checked, checked
from parspec.interpreter.output.comparisons.compared import compared
from parspec.interpreter.output.comparisons.memo import everything, memo, telling
from parspec.interpreter.output.comparisons.values import Comparison, Variant
from parspec.interpreter.output.terminal.screen import screen

MOST = 6  # more cannot be read side by side
ITSELF = "the file itself"  # under none of its plans

_Chosen: TypeAlias = Mapping[str, Sequence[Analysis]]  # by file, in the order of the command line


def run(request: Request) -> int:
    """Compares what operands and plans name. What is wrong with it goes to standard error, or into
    the JSON; the exit code tells of errors in any of it."""
    sizes = overrides(request.options.get("--set", ()))
    if isinstance(sizes, Mistake):
        return unable(sizes.message)
    sources = [spec(operand, request) for operand in dict.fromkeys(request.operands)]
    for source in sources:
        if isinstance(source, Unusable):
            return unable(source.message)
    usable = [source for source in sources if isinstance(source, Spec)]
    plans = asked_plans(request)
    trial = _Trial(sizes, request.value("--cost"))
    chosen = _chosen(usable, plans, trial)
    if isinstance(chosen, Mistake):
        return unable(chosen.message)
    analyses = [analysis for each in chosen.values() for analysis in each]
    mistake = unknown_override(sizes, [analysis.model for analysis in analyses])
    if mistake is not None:
        return unable(mistake.message)
    found = [trial.checked(source, chosen[source.file]) for source in usable]
    comparison = compared(_named(analyses))
    if request.value("--format") == "json":
        sys.stdout.write(_json(comparison, found))
    else:
        for each in found:
            tell(each)
        sys.stdout.write(_shown(comparison, request))
    return outcome(diagnostic for each in found for diagnostic in each.diagnostics)


@value
class _Trial:
    """What specs are tried with: other sizes, other prices."""

    sizes: Mapping[str, int]
    cost: str | None

    def of(self, source: Spec, plan: str | None) -> Analysis:
        """A spec under a plan."""
        return analysed(source, plan, self.sizes, self.cost)

    def checked(self, source: Spec, analyses: Sequence[Analysis]) -> Checked:
        """What has been found in a spec under its plans."""
        offer = tried(source, analyses, self.sizes, self.cost)
        return with_overrides(checked(source.file, tuple(analyses), offer), self.sizes)


def _chosen(sources: Sequence[Spec], plans: Sequence[str], trial: _Trial) -> _Chosen | Mistake:
    """Each spec under those of the plans that it has, as it is where it has none of them. One spec
    by itself: under all its plans unless some are named; against itself without a plan where that
    leaves one."""
    chosen: dict[str, Sequence[Analysis]] = {}
    has: dict[str, None] = {}
    for source in sources:
        under = [trial.of(source, plan) for plan in plans]
        own = [analysis for analysis in under if analysis.model.plan in analysis.model.plans]
        chosen[source.file] = own or [trial.of(source, None)]
        has |= dict.fromkeys(chosen[source.file][0].model.plans)
    unknown = [plan for plan in plans if plan not in has]
    if unknown:
        files = enumeration(tuple(chosen))
        return Mistake(f"{files}: no plan {unknown[0]}; {_there_is(tuple(has))}")
    if len(sources) == 1:
        chosen[sources[0].file] = _alone(sources[0], chosen[sources[0].file], trial)
    number = sum(map(len, chosen.values()))
    if number < 2:
        return Mistake(f"{sources[0].file} has no plans; compare it with another file")
    if number > MOST:
        return Mistake(f"these are {number} plans, compare shows up to {MOST}; --plan picks some")
    return chosen


def _alone(source: Spec, found: Sequence[Analysis], trial: _Trial) -> Sequence[Analysis]:
    """What to compare of one spec."""
    (first, *others) = found
    if others:
        return found
    if first.model.plan is not None:
        return [trial.of(source, None), first]
    plans = [trial.of(source, plan) for plan in first.model.plans[: MOST + 1]]
    return [first, *plans] if len(plans) < 2 else plans


def _there_is(plans: tuple[str, ...]) -> str:
    return f"there is {enumeration(plans)}" if plans else "there is none"


def _named(analyses: Sequence[Analysis]) -> tuple[Variant, ...]:
    """Each by its plan where all are of one file, otherwise by its file and its plan."""
    files = dict.fromkeys(analysis.model.file for analysis in analyses)
    names = _short_names(tuple(files))
    return tuple(
        Variant(_name(names.get(analysis.model.file), analysis.model.plan), analysis)
        for analysis in analyses
    )


def _short_names(files: Sequence[str]) -> Mapping[str, str]:
    """Files by their names without folders and suffixes where these tell them apart; one file
    needs no name."""
    stems = {file: PurePath(file).stem for file in files}
    if len(files) == 1:
        return {}
    return stems if len(set(stems.values())) == len(files) else {file: file for file in files}


def _name(file: str | None, plan: str | None) -> str:
    if file is None:
        return plan or ITSELF
    return file if plan is None else f"{file}:{plan}"


def _json(comparison: Comparison, found: Sequence[Checked]) -> str:
    from parspec.interpreter.output.comparisons.json import compare_json  # json, only for it

    return compare_json(comparison, [one for each in found for one in each.diagnostics])


def _shown(comparison: Comparison, request: Request) -> str:
    told = memo(comparison, everything if request.has("--all") else telling)
    if request.value("--format") == "markdown":
        from parspec.interpreter.output.comparisons.markdown import compare_markdown

        return compare_markdown(told)
    from parspec.interpreter.output.comparisons.text import (
        compare_text,  # rich, only where it draws
    )

    return compare_text(told, screen(sys.stdout))

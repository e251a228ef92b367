"""`parspec check`: all diagnostics of specs and of their plans, and one line a file."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from functools import partial
from typing import TypeAlias

from parspec.grammar.values import value
from parspec.interpreter.analysis.looks import Looks
from parspec.interpreter.commands.arguments import Mistake, Request
from parspec.interpreter.commands.loading import (
    READER,
    STDIN,
    SUFFIX,
    Unusable,
    analysed,
    asked_plan,
    files,
    no_plan,
    spec,
)
from parspec.interpreter.commands.outcome import INTERRUPTED, UNABLE, outcome
from parspec.interpreter.commands.overrides import overrides, unknown_override, with_overrides
from parspec.interpreter.commands.progress import progress
from parspec.interpreter.commands.talk import say, unable
from parspec.interpreter.commands.trying import tried
from parspec.interpreter.output.checks.checked import Checked, checked, distinct, strict
from parspec.interpreter.output.checks.concise import concise
from parspec.interpreter.output.checks.diagnostic import Diagnostic, diagnosed
from parspec.interpreter.output.checks.full import full
from parspec.interpreter.output.checks.summary import counted, summaries
from parspec.interpreter.output.terminal.cells import safe
from parspec.interpreter.output.terminal.screen import Screen, can_redraw, screen
from parspec.interpreter.spec.readers import Reader

_WATCHABLE = ("full", "concise")
_CLEAR = "\x1b[H\x1b[2J\x1b[3J"  # the screen and what was scrolled off it


def run(request: Request) -> int:
    """Checks what the operands name; the exit code is that of the worst."""
    sizes = overrides(request.options.get("--set", ()))
    if isinstance(sizes, Mistake):
        return unable(sizes.message)
    plan, cost = asked_plan(request), request.value("--cost")
    trial = _Trial(plan, sizes, cost, request)
    if request.has("--watch"):
        return _watched(request, trial)
    code, text = _once(request, trial, files(request.operands), lambda file: trial.of(file, READER))
    sys.stdout.write(text)
    return code


@value
class _NoPlan:
    """A file that does not have the plan that is asked for, in a sentence."""

    message: str


_Looked: TypeAlias = "Unusable | _NoPlan | Checked"


@value
class _Trial:
    """What specs are tried with: one of their plans only, other sizes, other prices."""

    plan: str | None
    sizes: Mapping[str, int]
    cost: str | None
    request: Request
    looks: dict[str, Looks] = field(default_factory=dict)

    def of(self, file: str, reader: Reader) -> _Looked:
        """A file, checked with each of its plans."""
        source = spec(file, self.request, reader)
        if isinstance(source, Unusable):
            return source
        looks = self.looks.setdefault(file, Looks())
        first = analysed(source, self.plan, self.sizes, self.cost, reader, looks)
        missing = no_plan(self.plan, first)
        if missing is not None:
            return _NoPlan(missing)
        plans = first.model.plans if self.plan is None else ()
        others = (analysed(source, name, self.sizes, self.cost, reader, looks) for name in plans)
        analyses = (first, *others)
        offer = tried(source, analyses, self.sizes, self.cost, reader)
        return with_overrides(checked(source.file, analyses, offer), self.sizes)


def _watched(request: Request, trial: _Trial) -> int:
    """Checks again after every change, until somebody interrupts it; the last exit code."""
    from parspec.interpreter.commands.watch import Cache, changes  # clocks, only where it waits

    if STDIN in request.operands:
        return unable("--watch waits for files to change, and standard input is none")
    form = request.value("--format") or "full"
    if form not in _WATCHABLE:
        return unable(f"--watch prints one check after another: not as {form}")
    cache: Cache[_Looked] = Cache(READER)
    terminal = can_redraw(sys.stdout)
    code = INTERRUPTED
    try:
        while True:
            if terminal:
                sys.stdout.write(_CLEAR)
                sys.stdout.flush()
            named = files(request.operands)
            cache.keep(named)
            code, text = _once(
                request, trial, named, lambda file: cache.of(file, partial(trial.of, file))
            )
            sys.stdout.write(text)
            sys.stdout.flush()
            if terminal:
                say("watching; Ctrl-C ends it")
            changed = changes(cache, lambda: files(request.operands))
            if not terminal:
                print(f"--- {safe(', '.join(changed))}")
    except KeyboardInterrupt:
        if terminal:
            print()  # behind the ^C that the terminal shows
        return code


def _once(
    request: Request, trial: _Trial, named: Sequence[str], look: Callable[[str], _Looked]
) -> tuple[int, str]:
    """The exit code of one check of files, given how to look at one, and what it prints."""
    looked_at = [look(file) for file in progress(named)]
    unusable = [each for each in looked_at if isinstance(each, Unusable)]
    found = [each for each in looked_at if isinstance(each, Checked)]
    models = [analysis.model for each in found for analysis in each.analyses]
    mistake = unknown_override(trial.sizes, models) if found else None
    if mistake is not None:
        return unable(mistake.message), ""
    for problem in unusable:
        say(problem.message)
    for each in looked_at if not found else ():
        if isinstance(each, _NoPlan):
            say(each.message)
    if not looked_at:
        say(f"no {SUFFIX} files in {', '.join(request.operands)}")
    if request.has("--warn-as-error"):
        found = [strict(each) for each in found]
    unread = [diagnosed(each.finding, {}, each.file) for each in unusable]
    text = _rendered(request.value("--format"), found, unread, screen(sys.stdout))
    if unusable or not found:
        return UNABLE, text
    return outcome(diagnostic for each in found for diagnostic in each.diagnostics), text


def _rendered(
    form: str | None, found: list[Checked], unread: list[Diagnostic], shown_on: Screen
) -> str:
    """The whole output in one format; what could not be read is in it where programs read it."""
    match form:
        case None | "full":
            return _full(found, shown_on)
        case "concise":
            return concise(distinct(found), shown_on)
        case "json":
            from parspec.interpreter.output.checks.json import check_json  # json, only for it

            return check_json(found, [*unread, *distinct(found)])
    from parspec.interpreter.output.checks.services import for_services  # only for services

    return for_services(form, found, unread)


def _full(found: list[Checked], shown_on: Screen) -> str:
    shown: set[Diagnostic] = set()
    parts: list[str] = []
    for each in found:
        new = [diagnostic for diagnostic in each.diagnostics if diagnostic not in shown]
        shown.update(new)
        parts.append(full(new, each.sources, shown_on))
        parts += (f"{line}\n" for line in summaries(each, shown_on))
    if len(found) > 1:
        counts: Counter[str] = Counter(diagnostic.severity for diagnostic in shown)
        parts.append(f"{len(found)} files: {counted(counts) or 'ok'}\n")
    return "".join(parts)

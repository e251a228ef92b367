"""The one spec that a command line names, looked at as its options say."""

from __future__ import annotations

from parspec.interpreter.commands.arguments import Mistake, Request
from parspec.interpreter.commands.loading import (
    Unusable,
    analysed,
    asked_plan,
    no_plan,
    spec,
)
from parspec.interpreter.commands.overrides import overrides, unknown_override, with_overrides
from parspec.interpreter.commands.trying import tried
from parspec.interpreter.output.checks.checked import Checked, checked


def single(request: Request) -> Checked | Mistake:
    """The spec of the first operand with its diagnostics: under its `--plan`, with the sizes of
    `--set` and the prices of `--cost`, where these are given; or why that cannot be."""
    source = spec(request.operands[0], request)
    if isinstance(source, Unusable):
        return Mistake(source.message)
    sizes = overrides(request.options.get("--set", ()))
    if isinstance(sizes, Mistake):
        return sizes
    plan = asked_plan(request)
    cost = request.value("--cost")
    analysis = analysed(source, plan, sizes, cost)
    missing = no_plan(plan, analysis)
    if missing is not None:
        return Mistake(missing)
    mistake = unknown_override(sizes, (analysis.model,))
    offer = tried(source, (analysis,), sizes, cost)
    return mistake or with_overrides(checked(source.file, (analysis,), offer), sizes)

"""`parspec simulate`: carries a plan out at small sizes and holds it against the plain program."""

from __future__ import annotations

import sys
from importlib.util import find_spec

from parspec.interpreter.analysis.result import Analysis
from parspec.interpreter.commands.arguments import Mistake, Request
from parspec.interpreter.commands.outcome import CLEAN, ERRORS
from parspec.interpreter.commands.single import single
from parspec.interpreter.commands.talk import say, unable
from parspec.interpreter.commands.trouble import tell
from parspec.interpreter.diagnostics import catalogue
from parspec.interpreter.output.simulations.simulation import Simulation
from parspec.interpreter.output.simulations.text import simulation_text
from parspec.interpreter.output.terminal.screen import screen
from parspec.interpreter.simulate.shrink import Refused, shrunk
from parspec.interpreter.spec.model import Model

_DIGITS = 40  # of a seed; 2**128 has 39
NO_NUMPY = "simulate needs NumPy: pip install 'parspec[simulate]'"


def run(request: Request) -> int:
    """Simulates one spec: 0 where it computes what it should at the price it says, 1 where the
    spec has errors or it does not, 2 where it cannot be simulated."""
    if find_spec("numpy") is None:
        return unable(NO_NUMPY)
    seed = _seed(request.value("--seed"))
    if isinstance(seed, Mistake):
        return unable(seed.message)
    found = single(request)
    if isinstance(found, Mistake):
        return unable(found.message)
    (analysis,) = found.analyses
    tell(found)
    if _is_wrong(analysis):
        say(f"{found.file} has errors and is not simulated")
        return ERRORS
    if analysis.model.plans and not analysis.model.mesh.axes:
        say(_only_the_file(analysis.model))
    simulation = _simulated(analysis, seed)
    if isinstance(simulation, Refused):
        return unable(f"{found.file} cannot be simulated: {simulation.reason}")
    if request.value("--format") == "json":
        from parspec.interpreter.output.simulations.json import simulation_json  # only for it

        sys.stdout.write(simulation_json(found.file, simulation))
    else:
        sys.stdout.write(simulation_text(found.file, simulation, screen(sys.stdout)))
    return CLEAN if simulation.proof.holds else ERRORS


def _simulated(analysis: Analysis, seed: int) -> Simulation | Refused:
    from parspec.interpreter.simulate.simulate import proved  # NumPy, only where it computes

    small = shrunk(analysis.model)
    if isinstance(small, Refused):
        return small
    return Simulation(analysis.model.plan, seed, small.sizes, proved(small.model, seed))


def _only_the_file(model: Model) -> str:
    """What is not simulated where only plans bring a mesh."""
    named = ", ".join(model.plans)
    if model.plan is not None:
        return f"note: plan {model.plan} has no mesh: nothing is spread"
    return f"note: {model.file} has no mesh of its own, and no plan is simulated: --plan of {named}"


def _is_wrong(analysis: Analysis) -> bool:
    """Whether there are errors; a budget that is not kept does not change what a plan computes."""
    return any(
        catalogue.severity(finding) == "error" and not catalogue.is_budget(finding)
        for finding in analysis.findings
    )


def _seed(text: str | None) -> int | Mistake:
    if text is None:
        return 0
    if text.isascii() and text.isdigit() and len(text) <= _DIGITS:
        return int(text)
    return Mistake(f"--seed {text} is not a whole number of up to {_DIGITS} digits")

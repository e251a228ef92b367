"""`simulate --format text`: what was simulated, and how it came out."""

from __future__ import annotations

from collections.abc import Iterable

from parspec.interpreter.diagnostics.entry import plural
from parspec.interpreter.output.simulations.simulation import Simulation
from parspec.interpreter.output.terminal.cells import flowed, safe, wrapped
from parspec.interpreter.output.terminal.screen import Screen
from parspec.interpreter.output.wording.quantities import in_bytes
from parspec.interpreter.simulate.proof import Difference, Proof, Stuck, Traffic
from parspec.interpreter.simulate.shrink import Resized
from parspec.interpreter.theory.formulas import reader

_INDENT = 10


def simulation_text(file: str, simulation: Simulation, screen: Screen) -> str:
    """What was simulated, and how it came out."""
    proof = simulation.proof
    plan = "" if simulation.plan is None else f" · {simulation.plan}"
    holds = screen.palette.paint("good", "holds")
    verdict = holds if proof.holds else screen.palette.paint("error", "does not hold")
    devices = plural(proof.devices, "device")
    room = screen.columns - _INDENT
    facts = [
        ("sizes", flowed([safe(_size(one)) for one in simulation.sizes] or ["none"], ", ", room)),
        *((name, wrapped(safe(text), room)) for name, text in _outcome(proof)),
        ("seed", [str(simulation.seed)]),
    ]
    lines = [safe(f"{file}{plan}: simulated on {devices}: ") + verdict]
    for name, (first, *rest) in facts:
        lines += [f"  {name:<{_INDENT - 2}}{first}", *(" " * _INDENT + line for line in rest)]
    return "".join(f"{line}\n" for line in lines)


def _outcome(proof: Proof) -> Iterable[tuple[str, str]]:
    yield "results", _results(proof)
    if proof.fault is not None:
        yield "fault", _fault(proof.fault)
    else:
        yield from _traffic(proof)


def _size(one: Resized) -> str:
    padded = "" if one.padded is None else f" padded to {one.padded}"
    return f"{one.name} {reader(one.before)} -> {one.after}{padded}"


def _results(proof: Proof) -> str:
    if isinstance(proof.fault, Difference):
        return f"{proof.results - 1} equal, then one that differs"
    equal = f"{proof.results} equal those of the program without a partition, on every device"
    return equal if proof.fault is None else f"{equal}, so far"


def _fault(fault: Difference | Stuck) -> str:
    place = f"layer {fault.layer}" if fault.layer else "the output"
    if isinstance(fault, Stuck):
        return f"at {place}: {fault.reason}"
    device = ", ".join(f"{axis} {node}" for axis, node in fault.device) or "the one device"
    return f"at {place}: {fault.tensor} is off by {fault.off:.3g} on {device}"


def _traffic(proof: Proof) -> Iterable[tuple[str, str]]:
    parts = [
        f"{primitive} {in_bytes(sent)}" for primitive, (sent, _) in proof.by_primitive().items()
    ]
    sent = ", ".join(parts) or "nothing"
    yield "sent", sent if proof.mispriced else f"{sent}: as priced (ring)"
    for entry in proof.mispriced:
        yield "price", _mispriced(entry)


def _mispriced(entry: Traffic) -> str:
    place = f"in front of {entry.layer}" if entry.layer else "at the output"
    return (
        f"{entry.primitive} of {entry.tensor} {place} sends {in_bytes(entry.sent)}, "
        f"its ring price is {in_bytes(entry.priced)}"
    )

"""`simulate --format json`."""

from __future__ import annotations

from parspec.interpreter.output.json_text import Json, json_text, number
from parspec.interpreter.output.simulations.simulation import Simulation
from parspec.interpreter.simulate.proof import Difference, Stuck

SCHEMA = 1


def simulation_json(file: str, simulation: Simulation) -> str:
    """The same for a program."""
    proof = simulation.proof
    value: dict[str, Json] = {
        "schema": SCHEMA,
        "file": file,
        "plan": simulation.plan,
        "seed": simulation.seed,
        "holds": proof.holds,
        "devices": proof.devices,
        "results": proof.results,
        "sizes": [
            {
                "kind": one.kind,
                "name": one.name,
                "before": number(one.before),
                "after": one.after,
                "padded": one.padded,
            }
            for one in simulation.sizes
        ],
        "fault": None if proof.fault is None else _fault_json(proof.fault),
        "traffic": [
            {"primitive": name, "sent_bytes": number(sent), "priced_bytes": number(priced)}
            for name, (sent, priced) in proof.by_primitive().items()
        ],
        "mispriced": [
            {
                "layer": entry.layer,
                "tensor": entry.tensor,
                "primitive": entry.primitive,
                "sent_bytes": number(entry.sent),
                "priced_bytes": number(entry.priced),
            }
            for entry in proof.mispriced
        ],
    }
    return json_text(value)


def _fault_json(fault: Difference | Stuck) -> Json:
    if isinstance(fault, Stuck):
        return {"kind": "stuck", "layer": fault.layer, "reason": fault.reason}
    return {
        "kind": "differs",
        "layer": fault.layer,
        "tensor": fault.tensor,
        "device": dict(fault.device),
        "off": fault.off,
    }

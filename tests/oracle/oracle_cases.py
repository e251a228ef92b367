"""The oracle: sharded programs, and the collectives that real systems inserted for them.

A case is one program: what it computes, where its inputs lie, where it demands that intermediate
values and its outputs lie; the fewest bytes that are known to do; and what each system did. States
are the theory's own; a collective has the primitive's name in the theory.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from parspec.interpreter.theory.layouts import REPLICATED, State

DATA = Path(__file__).parents[1] / "data" / "oracle.json"
PARTIAL = State("partial", kind="sum")
PRIMITIVES = {
    "all-gather": "All-Gather",
    "all-reduce": "All-Reduce",
    "all-to-all": "All-to-All",
    "reduce-scatter": "Reduce-Scatter",
    "collective-permute": "Permute",
}

States: TypeAlias = Mapping[str, State]  # mesh axis to state


@dataclass(frozen=True, slots=True)
class Input:
    """A value that is given: its dimensions, where it lies, whether it counts something."""

    dims: tuple[str, ...]
    states: States
    integer: bool


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a program. `op`: `einsum`, `softmax` (along the last dimension), `embed` (rows of
    a table), `xent` (per token), or `to`, which demands `states` of its operand.

    out_dims: dimensions of the result; operand_dims: of the operands, as the step names them;
    natural: whether a `to` is said to demand what the layer leaves anyway, None where nothing is
    said about it, or of other steps.
    """

    op: str
    operands: tuple[str, ...]
    operand_dims: tuple[tuple[str, ...], ...]
    out: str
    out_dims: tuple[str, ...]
    states: States
    natural: bool | None


@dataclass(frozen=True, slots=True)
class Collective:
    """A primitive at work: `moved` are the bytes that a device sends or receives in a ring, all
    `times` together."""

    primitive: str
    axes: tuple[str, ...]
    times: int
    moved: int


@dataclass(frozen=True, slots=True)
class Run:
    """What one system inserted."""

    collectives: tuple[Collective, ...]
    moved: int


@dataclass(frozen=True, slots=True)
class Case:
    """One program with the fewest bytes a device that are known for it, and each system's run."""

    id: str
    dtype: str
    mesh: Mapping[str, int]
    sizes: Mapping[str, int]
    inputs: Mapping[str, Input]
    steps: tuple[Step, ...]
    outputs: Mapping[str, States]
    best_known: int
    runs: Mapping[str, Run]


def load() -> tuple[Case, ...]:
    """All cases, in the file's order."""
    return tuple(map(_case, json.loads(DATA.read_text(encoding="utf-8"))["cases"]))


def _case(raw: Mapping[str, Any]) -> Case:
    mesh = raw["mesh"]
    inputs = {
        name: Input(
            tuple(given["dims"]),
            _states(given["place"], tuple(given["dims"]), mesh),
            "int_below" in given,
        )
        for name, given in raw["inputs"].items()
    }
    dims = {name: given.dims for name, given in inputs.items()}
    steps = []
    for step in raw["steps"]:
        steps.append(_step(step, dims, mesh))
        dims[step["out"]] = steps[-1].out_dims
    outputs = {name: _states(places, dims[name], mesh) for name, places in raw["outputs"].items()}
    runs = {name: _run(run) for name, run in raw["systems"].items()}
    best = raw["best_known"]["wire_bytes_per_device"]
    return Case(
        raw["id"], raw["dtype"], mesh, raw["dims"], inputs, tuple(steps), outputs, best, runs
    )


def _step(
    raw: Mapping[str, Any], dims: Mapping[str, tuple[str, ...]], mesh: Mapping[str, int]
) -> Step:
    operands = (raw["i"],) if isinstance(raw["i"], str) else tuple(raw["i"])
    own = tuple(dims[name] for name in operands)
    match raw["op"]:
        case "einsum":
            read, out = raw["eq"].upper().split("->")
            own, out_dims = tuple(map(tuple, read.split(","))), tuple(out)
        case "embed":
            table, rows = own
            out_dims = (*rows, *table[1:])
        case "xent":
            out_dims = own[1]
        case _:
            out_dims = own[0]
    states = _states(raw.get("place", {}), out_dims, mesh)
    return Step(raw["op"], operands, own, raw["out"], out_dims, states, raw.get("natural"))


def _states(
    places: Mapping[str, str], dims: tuple[str, ...], mesh: Mapping[str, int]
) -> dict[str, State]:
    """Placements (R, S(index of a dimension) or P for partial; R where an axis is left out)."""
    return {axis: _state(places.get(axis, "R"), dims) for axis in mesh}


def _state(place: str, dims: tuple[str, ...]) -> State:
    match place[0]:
        case "S":
            return State("P", dim=dims[int(place[2:-1])])
        case "P":
            return PARTIAL
    return REPLICATED


def _run(raw: Mapping[str, Any]) -> Run:
    collectives = tuple(
        Collective(
            PRIMITIVES[one["kind"]],
            tuple(one["axis"].split(",")),
            one["count"],
            one["wire_bytes_per_device"],
        )
        for one in raw["collectives"]
    )
    return Run(collectives, raw["wire_bytes_per_device"])

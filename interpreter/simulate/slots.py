"""Slots: the dimension along which `dispatch` lays out an expert's tokens."""

from __future__ import annotations

from parspec.interpreter.spec.model import Layer


def slot_dims(layer: Layer) -> tuple[str, ...]:
    """The slot dimension of `dispatch` and `combine`; other layers have none."""
    operator = layer.operator
    if operator.kind not in ("dispatch", "combine"):
        return ()
    there = operator.output if operator.kind == "dispatch" else operator.inputs[0]
    tokens = operator.inputs[0] if operator.kind == "dispatch" else operator.output
    return tuple(d for d in there if d not in tokens and d not in operator.inputs[1])

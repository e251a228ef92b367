"""What `simulate` shows."""

from __future__ import annotations

from parspec.grammar.values import value
from parspec.interpreter.simulate.proof import Proof
from parspec.interpreter.simulate.shrink import Resized


@value
class Simulation:
    """A proof, the plan and the seed that it is of, and how sizes were made small."""

    plan: str | None
    seed: int
    sizes: tuple[Resized, ...]
    proof: Proof

"""What a simulation says: whether the devices' results are those of the program without a
partition, and whether what they sent is what the plan is priced at."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from parspec.grammar.values import value


@value
class Difference:
    """The first result that is not the reference's: at which layer (or output), of which variable,
    on which device (axis to node), and how far off at most."""

    layer: str
    tensor: str
    device: tuple[tuple[str, int], ...]
    off: float


@value
class Stuck:
    """Where the plan cannot be carried out as it is written, and why."""

    layer: str
    reason: str


@value
class Traffic:
    """Bytes of one primitive in front of one layer ("" for an output), in the whole system: what
    went over the rings, and the `ring` price of the plan."""

    layer: str
    tensor: str
    cause: str
    primitive: str
    sent: Fraction
    priced: Fraction


@value
class Proof:
    """The outcome. `results`: how many results of layers were held against the reference."""

    devices: int
    results: int
    fault: Difference | Stuck | None
    traffic: tuple[Traffic, ...]

    @property
    def mispriced(self) -> tuple[Traffic, ...]:
        """Traffic that is not what it is priced at."""
        return tuple(entry for entry in self.traffic if entry.sent != entry.priced)

    @property
    def holds(self) -> bool:
        """Whether everything is as the plan says."""
        return self.fault is None and not self.mispriced

    def by_primitive(self) -> Mapping[str, tuple[Fraction, Fraction]]:
        """Sent and priced bytes of each primitive."""
        sums: dict[str, tuple[Fraction, Fraction]] = {}
        for entry in self.traffic:
            sent, priced = sums.get(entry.primitive, (Fraction(0), Fraction(0)))
            sums[entry.primitive] = (sent + entry.sent, priced + entry.priced)
        return sums

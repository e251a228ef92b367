"""Focus: which of a snapshot's analyses a place in the text is about."""

from __future__ import annotations

from parspec.lsp.facts import Facts
from parspec.lsp.snapshot import Snapshot


def focus(snapshot: Snapshot, offset: int) -> tuple[Facts, ...]:
    """The analyses that what stands at `offset` is about: of the plan in whose body it is, else
    those of the file."""
    here = snapshot.analysis_at(offset)
    own = next(facts for facts in snapshot.facts if facts.analysis is here)
    return (own,) if own.plan is not None else of_file(snapshot)


def of_file(snapshot: Snapshot) -> tuple[Facts, ...]:
    """The analyses that the model in a file is about: of the file itself, or those of its plans
    where only these have a mesh, or only these spread the model over it."""
    own, *plans = snapshot.facts
    if not own.model.mesh.axes:
        spread = [facts for facts in plans if facts.model.mesh.axes]
    elif plans and not own.spreads:
        spread = [facts for facts in plans if facts.spreads]
    else:
        spread = []
    return tuple(spread) or (own,)


def besides(snapshot: Snapshot, about: tuple[Facts, ...]) -> tuple[Facts, ...]:
    """The analyses under plans, where something is about the file without one."""
    own, *plans = snapshot.facts
    return tuple(facts for facts in plans if facts.model.mesh.axes) if about == (own,) else ()

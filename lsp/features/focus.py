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
    where only these have a mesh."""
    own = snapshot.facts[0]
    if own.model.mesh.axes:
        return (own,)
    return tuple(facts for facts in snapshot.facts if facts.model.mesh.axes) or (own,)

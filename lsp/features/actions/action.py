"""What a code action is."""

from __future__ import annotations

from typing import Literal, TypeAlias

from parspec.grammar.values import value
from parspec.lsp.ranges import Edit, Location

Kind: TypeAlias = Literal["quickfix", "refactor.rewrite", "source.fixAll.par", "source.pin.par"]
Task: TypeAlias = Literal["pin here", "pin all", "fix all"]

Rank: TypeAlias = Literal["preferred", "possible"]


@value
class Mended:
    """The diagnostic that an action mends: its code and where it is."""

    code: str
    location: Location


@value
class Action:
    """Something that may be done to a text. `edits`: where they are known already; else `task` says
    what is to be worked out. `rank`: `preferred` for the one that is most likely meant."""

    title: str
    kind: Kind
    edits: tuple[Edit, ...] = ()
    task: Task | None = None
    mends: Mended | None = None
    rank: Rank = "possible"

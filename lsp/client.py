"""The client: what it said of itself when it connected."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from parspec.grammar.lines import Encoding
from parspec.grammar.values import value

_ENCODINGS: tuple[Encoding, ...] = ("utf-8", "utf-16", "utf-32")


@value
class Client:
    """A client by its parameters of `initialize`, as they came (JSON); what has another form than
    the protocol gives it counts as not said."""

    said: Mapping[str, Any]
    encoding: Encoding = field(init=False, compare=False)
    """What its columns count: the first of its encodings that is one, UTF-16 if it names none."""

    def __post_init__(self) -> None:
        offered = self.can("general.positionEncodings")
        known = (each for each in _list(offered) if each in _ENCODINGS)
        object.__setattr__(self, "encoding", next(known, "utf-16"))

    def can(self, path: str) -> Any:
        """What it said of a capability (`textDocument.hover.contentFormat`); None for nothing."""
        found: Any = self.said.get("capabilities")
        for key in path.split("."):
            if not isinstance(found, Mapping):
                return None
            found = found.get(key)
        return found

    @property
    def options(self) -> Mapping[str, Any]:
        """What its user set up for this server before it started."""
        options = self.said.get("initializationOptions")
        return options if isinstance(options, Mapping) else {}

    @property
    def follows_commands(self) -> bool:
        """Whether links of the form `command:` run commands of the server."""
        return self.options.get("commandLinks") is True

    @property
    def pulls_diagnostics(self) -> bool:
        """Whether it asks for diagnostics; one that does is not sent any, or it shows them
        twice."""
        return self.can("textDocument.diagnostic") is not None

    @property
    def process(self) -> int | None:
        """Its process, if it said which."""
        number = self.said.get("processId")
        return number if isinstance(number, int) else None

    @property
    def folders(self) -> tuple[str, ...]:
        """The URIs of the folders that it has open."""
        folders = _list(self.said.get("workspaceFolders"))
        uris = [folder.get("uri") for folder in folders if isinstance(folder, Mapping)]
        return tuple(
            uri for uri in uris or [self.said.get("rootUri")] if uri and isinstance(uri, str)
        )


def _list(said: object) -> list[Any]:
    return said if isinstance(said, list) else []

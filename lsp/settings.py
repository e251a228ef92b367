"""Settings: what a user may choose in the editor, with the defaults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, fields, replace
from typing import Any, TypeVar, get_type_hints

from parspec.grammar.values import value
from parspec.interpreter.diagnostics.entry import Severity

SECTION = "parspec"
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info", "hint")  # most severe first

D = TypeVar("D", bound="InlayHints | CodeLens | Diagnostics | Format")


@value
class InlayHints:
    """Which inlay hints are shown; of primitives those that move at least `minimum_traffic`
    bytes."""

    enable: bool = True
    states: bool = True
    patterns: bool = True
    follows: bool = True
    primitives: bool = True
    minimum_traffic: int = 0


@value
class CodeLens:
    """Whether figures stand above layers, stacks, plans and the file."""

    enable: bool = True


@value
class Diagnostics:
    """Whether diagnostics are shown, and the least severe ones that are."""

    enable: bool = True
    minimum_severity: str = "hint"

    def shows(self, severity: Severity) -> bool:
        """Whether diagnostics of a severity are shown; all are, where the least severe has a name
        that there is not."""
        if self.minimum_severity not in SEVERITIES:
            return self.enable
        least = SEVERITIES.index(self.minimum_severity)
        return self.enable and SEVERITIES.index(severity) <= least


@value
class Format:
    """Whether formatting is answered."""

    enable: bool = True


@value
class Settings:
    """The settings of the section `parspec`."""

    inlay_hints: InlayHints = field(default_factory=InlayHints)
    code_lens: CodeLens = field(default_factory=CodeLens)
    diagnostics: Diagnostics = field(default_factory=Diagnostics)
    format: Format = field(default_factory=Format)


def settings(said: Any) -> Settings:
    """The settings that a client's configuration makes: `{"inlayHints": {"states": false}}`. What
    it does not say, or says wrongly, is as by default."""
    return Settings(
        _group(InlayHints(), said),
        _group(CodeLens(), said),
        _group(Diagnostics(), said),
        _group(Format(), said),
    )


def _group(defaults: D, said: Any) -> D:
    name = type(defaults).__name__
    group = _part(said, name[0].lower() + name[1:])
    kinds = get_type_hints(type(defaults))
    chosen = {
        each.name: value
        for each in fields(defaults)
        if type(value := _part(group, _camel(each.name))) is kinds[each.name]
    }
    return replace(defaults, **chosen)


def _part(said: Any, key: str) -> Any:
    return said.get(key) if isinstance(said, Mapping) else None


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)

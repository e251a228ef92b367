"""Settings: what a user may choose in the editor, with the defaults."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field, fields, replace
from json import dumps
from typing import Any, TypeVar, get_type_hints

from parspec.grammar.values import value
from parspec.interpreter.diagnostics.entry import Severity

SECTION = "parspec"
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info", "hint")  # most severe first

_LONGEST = 40  # characters of a wrong value that are shown

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


def complaints(said: Any) -> tuple[str, ...]:
    """What a client's configuration says wrongly, a sentence each; so it is as by default."""
    if said is None:
        return ()
    if not isinstance(said, Mapping):
        return (f"{SECTION}: {_json(said)} is no group of settings",)
    groups = (InlayHints(), CodeLens(), Diagnostics(), Format())
    return tuple(sentence for group in groups for sentence in _complaints(group, said))


def _complaints(defaults: D, said: Mapping[str, Any]) -> Iterator[str]:
    name = _name(defaults)
    group = said.get(name)
    if group is None:
        return
    if not isinstance(group, Mapping):
        yield f"{SECTION}.{name}: {_json(group)} is no group of settings"
        return
    kinds = get_type_hints(type(defaults))
    for each in fields(defaults):
        key = _camel(each.name)
        value, path = group.get(key), f"{SECTION}.{name}.{key}"
        if value is None:
            continue
        if type(value) is not kinds[each.name]:
            yield f"{path}: {_json(value)} is not {_KINDS[kinds[each.name]]}"
        elif each.name == "minimum_severity" and value not in SEVERITIES:
            yield f"{path}: {_json(value)} is none of {', '.join(SEVERITIES)}"


_KINDS = {bool: "true or false", int: "a whole number", str: "a text"}


def _json(said: Any) -> str:
    """A value as it is written in a file of settings; a long one cut short."""
    text = dumps(said, ensure_ascii=False, default=str)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _group(defaults: D, said: Any) -> D:
    group = _part(said, _name(defaults))
    kinds = get_type_hints(type(defaults))
    chosen = {
        each.name: value
        for each in fields(defaults)
        if type(value := _part(group, _camel(each.name))) is kinds[each.name]
    }
    return replace(defaults, **chosen)


def _name(defaults: D) -> str:
    """What the group of some settings is called."""
    name = type(defaults).__name__
    return name[0].lower() + name[1:]


def _part(said: Any, key: str) -> Any:
    return said.get(key) if isinstance(said, Mapping) else None


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)

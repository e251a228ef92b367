"""The settings in braces: known keys, each once."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from parspec.interpreter.diagnostics.findings import Finding
from parspec.interpreter.spec.names import duplicate, unknown
from parspec.interpreter.spec.sizes import shortened

if TYPE_CHECKING:
    from parspec.grammar.syntax import Setting
    from parspec.interpreter.spec.sources import Placed


def distinct(
    settings: tuple[Setting, ...], placed: Placed, keys: Collection[str], skipped: frozenset[str]
) -> tuple[dict[str, Setting], tuple[Finding, ...]]:
    """The settings by key: the first of each known key; `unknown_name` and `duplicate_name` for
    the others."""
    by_key: dict[str, Setting] = {}
    findings: list[Finding] = []
    for setting in settings:
        key, site = setting.key.text, placed.at(setting.key.span)
        if key not in keys:
            if key not in skipped:
                findings.append(unknown("setting", key, site, keys))
        elif key in by_key:
            findings.append(duplicate("setting", key, site, placed.at(by_key[key].key.span)))
        else:
            by_key[key] = setting
    return by_key, tuple(findings)


def bad_setting(setting: Setting, placed: Placed, choices: tuple[str, ...]) -> Finding:
    """`bad_setting`: the value is none of the choices (words, or what they have in common)."""
    return Finding(
        "bad_setting",
        placed.at(setting.value.span),
        (
            ("setting", setting.key.text),
            ("value", shortened(placed.text(setting.value.span))),
            ("choices", choices),
        ),
    )

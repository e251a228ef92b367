"""Braces: the settings that stand in them, by the word that their statement begins with."""

from __future__ import annotations

from collections.abc import Mapping

from parspec.interpreter.spec.hardware import DEVICE_SETTINGS, LINK_SETTINGS
from parspec.interpreter.spec.settings import SETTINGS, Rule


def rules_of(verb: str) -> Mapping[str, Rule]:
    """The rules of the settings of a statement, by key; of none for one without rules."""
    found = next((rules for known, rules in SETTINGS.items() if known == verb), ())
    return {rule.key: rule for rule in found}


def keys_of(verb: str) -> Mapping[str, str]:
    """The keys of the settings of a statement, with what they are."""
    match verb:
        case "link":
            return LINK_SETTINGS
        case "device":
            return DEVICE_SETTINGS
    return {key: rule.meaning for key, rule in rules_of(verb).items()}

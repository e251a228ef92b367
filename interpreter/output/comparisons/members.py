"""Dotted names in few words: `decoder.{norm1, res1}`, a whole group by its own name."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TypeAlias

EVERYTHING = "all"
_Tree: TypeAlias = "dict[str, _Tree]"


def members(names: Collection[str], everyone: Iterable[str]) -> tuple[str, ...]:
    """The names as patterns, a group whose members are all meant by its own; `everyone` are all
    the names that there are."""
    meant, whole = _tree(names), _tree(everyone)
    if meant == whole and len(whole) > 1:
        return (EVERYTHING,)
    return tuple(_pattern(name, inside, whole[name]) for name, inside in meant.items())


def _tree(names: Iterable[str]) -> _Tree:
    tree: _Tree = {}
    for name in names:
        here = tree
        for part in name.split("."):
            here = here.setdefault(part, {})
    return tree


def _pattern(name: str, inside: Mapping[str, _Tree], whole: Mapping[str, _Tree]) -> str:
    if inside == whole:
        return name
    parts = [_pattern(part, deeper, whole[part]) for part, deeper in inside.items()]
    return f"{name}.{parts[0]}" if len(parts) == 1 else f"{name}.{{{', '.join(parts)}}}"

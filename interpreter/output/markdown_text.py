"""Markdown in which nothing that a spec says is taken for markup or for a mention."""

from __future__ import annotations

import re
from collections.abc import Sequence

from parspec.interpreter.output.terminal.cells import safe

_MARKS = r"([\\`*_{}\[\]<>#|~&!])"


def titled(title: str, content: str) -> str:
    """Something under a title; "" where it is nothing."""
    return f"**{title}**\n\n{content}" if content else ""


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], numbers: int) -> str:
    """A table whose last so many columns hold numbers; "" without rows."""
    if not rows:
        return ""
    ruler = ["---"] * (len(heads) - numbers) + ["---:"] * numbers
    return "\n".join(f"| {' | '.join(line)} |" for line in (heads, ruler, *rows))


def code(name: str) -> str:
    """Code of one line, in a table or out of one. What is in code is neither markup nor a
    mention."""
    shown = safe(name).replace("|", "\\|")
    longest = max(map(len, re.findall("`+", shown)), default=0)
    fence = "`" * (longest + 1)
    gap = " " if longest else ""
    return f"{fence}{gap}{shown or ' '}{gap}{fence}"


def text(sentence: str) -> str:
    """A sentence with its marks escaped; what stands in backquotes is code, and so is what could
    mention somebody."""
    parts = re.split("`([^`]+)`", sentence)
    return "".join(
        code(part) if place % 2 or "@" in part else re.sub(_MARKS, r"\\\1", safe(part))
        for place, part in enumerate(parts)
    )

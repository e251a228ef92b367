"""The spaces between the words of a statement in the one style.

None inside brackets, around dots and in front of commas; one around operators and between words;
two in front of a layer's clauses and between settings. Within the braces of a pattern there are
none (`decoder.{q,k,v}`). A colon touches the label in front of it, and stands apart in front of a
type.
"""

from __future__ import annotations

from collections.abc import Container, Sequence

from parspec.grammar.keywords import INNER_WORDS
from parspec.grammar.words import is_comment

_LABELLED = frozenset(("stack", "for", "stages"))  # whose colons stand behind a label
_SIZED = frozenset(("unit", "to"))  # words of a `dim` in front of a size
_INNER = frozenset(INNER_WORDS)


def spaces(
    statement: Sequence[str], clauses: Container[int], settings: Container[int]
) -> list[int]:
    """The spaces in front of each word, where these words begin clauses and settings."""
    style = _Style(statement[0])
    found = [0]
    for index in range(1, len(statement)):
        left, right = statement[index - 1], statement[index]
        if not is_comment(left):
            style.pass_by(left)
        if index in clauses:
            found.append(2 if style.starter == "layer" else 1)
        elif index in settings and style.left != "{":
            found.append(2)
        else:
            found.append(style.space(right, index))
    return found


class _Style:
    """What the spaces depend on along the way through a statement."""

    def __init__(self, starter: str) -> None:
        self.starter = starter
        self.left = ""  # the word passed last
        self._over = False  # between `over` or `masked` and the parenthesis of the arguments
        self._signed = False  # the word passed last is a sign
        self._in_pattern = False  # inside the braces of a pattern

    def pass_by(self, word: str) -> None:
        """Go on behind a word."""
        if word == "over" or (word == "masked" and _is_operand(self.left)):
            self._over = self.starter in ("layer", "op")
        elif word == "(":
            self._over = False
        elif word in "{}":
            self._in_pattern = word == "{" and self.starter == "for"
        self._signed = word in "+-" and not _is_operand(self.left)
        self.left = word

    def space(self, right: str, index: int) -> int:
        """The spaces in front of the next word, which has `index` words in front of it."""
        if self.left.isalnum() and right.isalnum():
            return 1
        if self._in_pattern or self._signed or self.left in ("(", "[", "."):
            return 0
        if right in (",", ")", "]", ".", "[", "%"):
            return 0
        if right == ":":
            return 0 if self._is_label(index) else 1
        if right == "(":
            return 1 if self._stands_apart() else 0
        return 1

    def _is_label(self, index: int) -> bool:
        return self.starter in _LABELLED or (self.starter in ("layer", "op") and index == 2)

    def _stands_apart(self) -> bool:
        """Does a parenthesis here open arithmetic, or arguments behind `over`, not those that
        stand directly behind a name?"""
        if self._over or not _is_operand(self.left) or self.left in _INNER:
            return True
        return self.starter == "dim" and self.left in _SIZED


def _is_operand(word: str) -> bool:
    return word[-1:].isalnum() or word[-1:] in ("_", ")", "]", "%")

"""The text of one chunk -> its statement as far as it was understood, and at most one fault.

A statement that lark parses whole costs one pass. Otherwise the tokens are fed one by one up to
the first that cannot follow; what was complete by then is kept, unless cutting there would say
something else than was meant (`a *` is not `a`). Never raises.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

from parspec.grammar import messages
from parspec.grammar.document import SyntaxFault
from parspec.grammar.expressions import Arithmetic
from parspec.grammar.keywords import (
    NAME,
    RESERVED,
    STARTERS,
    misspelt_starter,
    misspelt_unit,
    normal,
)
from parspec.grammar.lexer import END, UNKNOWN, Token
from parspec.grammar.machine import Run
from parspec.grammar.meant import foreign_comment, meant_state, recognised
from parspec.grammar.span import Span
from parspec.grammar.splitter import MAX_DEPTH
from parspec.grammar.syntax import ExpectStatement, LayerStatement, Statement
from parspec.grammar.values import value

_CLOSING = {
    **dict.fromkeys(("TRAIN", "INFER", "LINK", "DEVICE"), "RBRACE"),
    **dict.fromkeys(("BLOCK", "STACK", "PLAN"), "LBRACE"),
}
_BINDING = frozenset(("STAR", "SLASH", "PLUS", "MINUS", "DOT", "LPAR", "LSQB", "VBAR"))
"""A statement cut in front of one of these says something else than the whole."""

_NESTING = re.compile(r'#[^\r\n]*|"[^"\r\n]*"|[(\[{]|[)\]}]')
_NAMES = re.compile(rf'#[^\r\n]*|"[^"\r\n]*"|({NAME})')
_FIRST_WORD = re.compile(r"[\r\n][ \t]*([^\W\d]\w*+)(?![ \t]*[=.,)\]}+\-|<>*])")
_NO_STARTER = re.compile(r"[ \t]*[=:\[(.,)\]}+\-|<>*]")  # what follows no starter
_MOST_WORDS = 200  # first words of lines that one broken chunk is searched for misspelt starters


@value
class Understood:
    """What a chunk's text means by itself.

    `wants` holds the name rules that could go on where the text breaks off, `alone` says that
    nothing but the starter was understood: together they tell a keyword used as a name where the
    text was split at it. `cuts` are offsets of misspelt starters in the part not understood.
    """

    statement: Statement | None
    fault: SyntaxFault | None
    skipped: tuple[str, ...]
    cuts: tuple[int, ...] = ()
    wants: tuple[str, ...] = ()
    alone: bool = False


def understand(text: str) -> Understood:
    """Parse the text of one chunk, which starts with its first token."""
    deep = _too_deep(text)
    if deep is not None:
        return _cut_short(text, deep)
    run = Run()
    if not run.read(text):
        return _recover(text)
    long = _too_long(run.result, text)
    if long is not None:
        return _cut_short(text, long)
    return Understood(run.result, _said_again(run.result, text), ())


# -- recovery ------------------------------------------------------------------------------------


@value
class _Stop:
    """Where a parse stopped: the tokens taken, how many of them make a whole statement (each
    count, or one short of its closing brace), and what was found and could have been."""

    tokens: tuple[Token, ...]
    whole: tuple[int, ...]
    found: Token | None  # None at the end
    accepted: tuple[str, ...]
    names: tuple[str, ...]
    mended: SyntaxFault | None  # a word that was read as if it were right


def _recover(text: str) -> Understood:
    stop = _Reading(text).run()
    kept = _kept(stop)
    statement = _build(stop.tokens[:kept]) if kept else _half_layer(stop.tokens)
    skipped = dict.fromkeys(_names_in(text, _understood_to(stop, kept, statement)))
    if stop.mended and not stop.mended.replacement:
        skipped |= {text[slice(*stop.mended.span)]: None}
    broken_off = stop.found is None and stop.mended is None
    return Understood(
        statement,
        stop.mended or _fault(stop, text),
        tuple(skipped),
        cuts=_cuts(text, _end_of(stop.tokens)) if stop.found else (),
        wants=stop.names if broken_off else (),
        alone=stop.mended is None and len(stop.tokens) == 1,
    )


def _understood_to(stop: _Stop, kept: int, statement: Statement | None) -> int:
    """The offset behind which nothing made it into the statement."""
    if kept or not stop.tokens:
        return _end_of(stop.tokens[:kept])
    if isinstance(statement, LayerStatement):
        end = (statement.dtype or statement.out).span.end
        return max(end, *(dim.span.end for dim in statement.out_dims or ()), 0)
    return _end_of(stop.tokens[:1])


class _Reading:
    """Feeds the tokens of a text to the parser until one cannot follow."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._run = Run()
        self._tokens: list[Token] = []
        self._whole: list[int] = []
        self._mended: SyntaxFault | None = None
        self._doubted: _Stop | None = None  # where a keyword was taken for a name, until proved

    def run(self) -> _Stop:
        """Read on to the first token that cannot follow, or to the end."""
        for token in self._run.tokens(self._text):
            self._note_whole()
            if comment := foreign_comment(self._text, token):
                self._believe()
                return self._stop(comment)
            if self._run.takes(token.type):
                self._believe()
                self._feed(token)
            elif self._doubted:
                return self._doubted
            elif mended := self._mend(token):
                self._feed(mended)
            else:
                return self._stop(token)
        self._note_whole()
        self._believe()
        return self._stop(None)

    def _feed(self, token: Token) -> None:
        self._run.feed(token)
        self._tokens.append(token)

    def _note_whole(self) -> None:
        """Remember it where a statement could end here."""
        if not self._tokens:
            return
        closing = _CLOSING.get(self._tokens[0].type, END)
        if self._run.takes(END) or self._run.takes(closing):
            self._whole.append(len(self._tokens))

    def _stop(self, found: Token | None) -> _Stop:
        return _Stop(
            tuple(self._tokens),
            tuple(self._whole),
            found,
            self._run.accepted(),
            self._run.name_rules(),
            self._mended,
        )

    def _mend(self, token: Token) -> Token | None:
        """Read a foreign mark as the mark it stands for; but one misspelt starter as the starter,
        or one reserved word as a name."""
        if token.type == UNKNOWN:
            return self._mend_mark(token)
        if self._mended:
            return None
        if not self._tokens:
            meant = misspelt_starter(token.value)
            if meant is None or _NO_STARTER.match(self._text, token.span.end):
                return None
            message = messages.misspelt(token.value, meant)
            self._mended = SyntaxFault(message, token.span, (meant,), "", meant)
            return Token(meant.upper(), meant, token.span)
        if meant := messages.misspelt_keyword(token.value, self._run.accepted()):
            message = messages.misspelt(token.value, meant)
            self._mended = SyntaxFault(message, token.span, (meant,), "", meant)
            return Token(meant.upper(), meant, token.span)
        if token.value in RESERVED and self._run.takes("NAME"):
            self._doubted = self._stop(token)
            return Token("NAME", token.value, token.span)
        return None

    def _mend_mark(self, token: Token) -> Token | None:
        plain = messages.plain_character(token.value)
        kind = messages.mark_terminal(plain) if plain else None
        if not plain or not kind or not self._run.takes(kind):
            return None
        fault = SyntaxFault(
            messages.misspelt(token.value, plain), token.span, (f'"{plain}"',), "", plain
        )
        self._mended = self._mended or fault
        return Token(kind, plain, token.span)

    def _believe(self) -> None:
        """The word that was read as a name is followed by what may follow a name."""
        doubted, self._doubted = self._doubted, None
        if doubted and doubted.found:
            self._mended = keyword_fault(doubted.found.value, doubted.found.span, doubted.names)


def _kept(stop: _Stop) -> int:
    """How many tokens to keep as the statement; 0 for none."""
    read = len(stop.tokens)
    for count in reversed(stop.whole):
        cut = stop.tokens[count].type if count < read else ""
        if cut in _BINDING or (cut and stop.tokens[0].type == "EXPECT"):
            continue
        if _unit_is_wrong(stop) and count >= read - 1:
            continue
        return count
    return 0


def _build(tokens: tuple[Token, ...]) -> Statement | None:
    """The statement that `tokens` are, with its closing brace if that is all it lacks."""
    run = Run()
    for token in tokens:
        run.feed(token)
    if not run.takes(END):
        run.feed(_unwritten(_CLOSING[tokens[0].type]))
    run.feed(_unwritten(END))
    statement: Statement = run.result
    return statement


def _unwritten(kind: str) -> Token:
    """A token that stands nowhere."""
    return Token(kind, "", Span(0, 0))


def _half_layer(tokens: tuple[Token, ...]) -> LayerStatement | None:
    """A layer whose expression is not there yet, or broken."""
    if not tokens or tokens[0].type != "LAYER":
        return None
    run = Run()
    named = 0
    for count, token in enumerate(tokens):
        if run.takes("EQUAL"):
            named = count
        if token.type == "EQUAL":
            break
        run.feed(token)
    else:
        named = len(tokens) if run.takes("EQUAL") else named
    if not named:
        return None
    layer = _build((*tokens[:named], _unwritten("EQUAL"), _unwritten("NAME")))
    return replace(layer, expression=None) if isinstance(layer, LayerStatement) else None


def _names_in(text: str, start: int) -> Iterator[str]:
    """The names from `start` on, outside comments and strings."""
    for match in _NAMES.finditer(text, start):
        if match[1] and match[1] not in RESERVED:
            yield normal(match[1])


def _cuts(text: str, start: int) -> tuple[int, ...]:
    """Where lines behind `start` begin with a starter that is misspelt or lacks its name, outside
    braces: at those the splitter has looked already."""
    if text.count("{", 0, start) > text.count("}", 0, start):
        return ()
    brace = text.find("{", start)
    lines = _FIRST_WORD.finditer(text, start, len(text) if brace < 0 else brace)
    words = islice(lines, _MOST_WORDS)
    return tuple(
        match.start(1) for match in words if match[1] in STARTERS or misspelt_starter(match[1])
    )


# -- faults --------------------------------------------------------------------------------------


def _end_of(tokens: tuple[Token, ...]) -> int:
    return tokens[-1].span.end if tokens else 0


def _said_again(statement: Statement, text: str) -> SyntaxFault | None:
    """The fault of an `expect` that is narrowed twice in the same way."""
    again = statement.condition.scope.again if isinstance(statement, ExpectStatement) else None
    if again is None:
        return None
    return SyntaxFault(messages.said_again(text[slice(*again)]), again, (), "", "")


def keyword_fault(word: str, span: Span, names: tuple[str, ...]) -> SyntaxFault:
    """A reserved word that stands where a name belongs."""
    state = meant_state(word, span) if "state_name" in names else None
    said = messages.keyword_as_name(word, names)
    return state or SyntaxFault(said, span, messages.describe((), names))


def _fault(stop: _Stop, text: str) -> SyntaxFault:
    """The one fault of a statement that stopped."""
    expected = messages.describe(stop.accepted, stop.names)
    found = stop.found
    known = recognised(text, stop.tokens, found, stop.accepted) if found else None
    if known is not None:
        return known
    if not stop.tokens:
        start = found.value if found else ""
        return SyntaxFault(messages.no_statement(start), found.span if found else Span(0, 0), ())
    if _unit_is_wrong(stop):
        return _unit_fault(stop)
    first, last = stop.tokens[0], stop.tokens[-1]
    behind = Span(_end_of(stop.tokens), _end_of(stop.tokens))
    shape = messages.shape(first.value)
    if found is None:
        if "RBRACE" in stop.accepted:
            return SyntaxFault(messages.unclosed(first.value), first.span, ('"}"',))
        return SyntaxFault(messages.missing(expected, last.value, ""), behind, expected, shape)
    if found.type == UNKNOWN:
        return SyntaxFault(messages.odd(found.value), found.span, expected)
    if END in stop.accepted and _begins_statement(text, stop, found):
        return SyntaxFault(messages.no_statement(found.value), found.span, ())
    if END in stop.accepted:
        help_ = f"{messages.listed(expected)} may follow" if expected else ""
        return SyntaxFault(messages.surplus(last.value, found.value), found.span, expected, help_)
    message = messages.missing(expected, last.value, found.value)
    return SyntaxFault(message, behind, expected, shape)


def _begins_statement(text: str, stop: _Stop, found: Token) -> bool:
    """Is it a word at the beginning of a line, but not that of a word which may follow there?"""
    line = text[: found.span.start].rpartition("\n")
    if not line[1] or line[2].strip() or not re.fullmatch(NAME, found.value):
        return False
    keywords = (terminal.lower() for terminal in stop.accepted)
    follows = bool(line[2]) and any(word.startswith(found.value) for word in keywords)
    return not follows and found.value not in RESERVED


def _unit_is_wrong(stop: _Stop) -> bool:
    """Did it stop at, or behind, a word that stands behind a number where a unit may stand?"""
    return _wrong_unit(stop) is not None


def _wrong_unit(stop: _Stop) -> Token | None:
    tokens = stop.tokens
    if stop.found and "UNIT" in stop.accepted and stop.found.type in ("NAME", "KEY"):
        return stop.found
    if len(tokens) > 1 and tokens[-1].type == "KEY" and tokens[-2].type == "NUMBER":
        return tokens[-1] if stop.accepted == ("EQUAL",) else None
    return None


def _unit_fault(stop: _Stop) -> SyntaxFault:
    word = _wrong_unit(stop)
    assert word is not None
    meant = misspelt_unit(word.value)
    expected = messages.describe(("UNIT",), ())
    return SyntaxFault(messages.unknown_unit(word.value, meant), word.span, expected, "", meant)


# -- nesting -------------------------------------------------------------------------------------


def _too_deep(text: str) -> int | None:
    """Where brackets are nested too deep; most texts are settled by counting."""
    if text.count("(") + text.count("[") + text.count("{") <= MAX_DEPTH:
        return None
    depth = 0
    for match in _NESTING.finditer(text):
        depth += (match[0] in "([{") - (match[0] in ")]}")
        if depth > MAX_DEPTH:
            return match.start()
    return None


def _too_long(statement: Any, text: str) -> int | None:
    """Where a size strings together so many operations that its tree is too deep."""
    if sum(map(text.count, "+-*/")) <= MAX_DEPTH:
        return None
    operations: list[Arithmetic] = []
    waiting = [statement]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Arithmetic):
            operations.append(node)
        parts = node if isinstance(node, tuple) else map(node.__getattribute__, _fields(node))
        waiting.extend(parts)
    heights: dict[int, int] = {}
    for node in reversed(operations):  # what is inside came later
        inside = max(heights.get(id(node.left), 0), heights.get(id(node.right), 0))
        heights[id(node)] = inside + 1
        if inside == MAX_DEPTH:
            return node.left.span.end
    return None


def _fields(node: Any) -> tuple[str, ...]:
    return tuple(getattr(node, "__dataclass_fields__", ()))


def _cut_short(text: str, stop: int) -> Understood:
    """What was understood in front of `stop`, behind which nothing is read."""
    before = understand(text[:stop])
    fault = SyntaxFault(messages.too_deep(MAX_DEPTH), Span(stop, stop + 1), ())
    skipped = dict.fromkeys((*before.skipped, *_names_in(text, stop)))
    return Understood(before.statement, fault, tuple(skipped))

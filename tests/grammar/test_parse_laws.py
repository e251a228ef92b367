"""Laws of `parse` over any text."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import lru_cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parspec.grammar import parser
from parspec.grammar.document import Chunk
from parspec.grammar.expressions import Name
from parspec.grammar.keywords import RESERVED
from parspec.grammar.lexer import END, Token
from parspec.grammar.machine import Run
from parspec.grammar.parser import parse
from parspec.grammar.span import Span
from parspec.grammar.statements import Understood, understand

_WORDS = (
    *RESERVED,
    *("B", "x", "tp", "unit", "rest", "to", "per", "masked", "adam", "grad", "All-Gather", "批"),
    *("4", "8Ki", "1f1b", "GB", "us", "layr", "capacity", '"m.par"', "# note", "\n", "\n  ", "\0"),
    "//",
    *"{}[]()=:,.*+-/|?<>%\"'，",
    "->",
)
TOKENS = st.lists(st.sampled_from(_WORDS), max_size=40).map(" ".join)
TIGHT = st.lists(st.sampled_from(_WORDS), max_size=40).map("".join)
TEXTS = st.one_of(TOKENS, TIGHT, st.text(max_size=60))


def _nodes(node: object) -> Iterator[object]:
    yield node
    if isinstance(node, tuple):
        for part in node:
            yield from _nodes(part)
    elif is_dataclass(node):
        for field in fields(node):
            yield from _nodes(getattr(node, field.name))


def _shape(chunk: Chunk) -> tuple[object, ...]:
    return chunk.text, chunk.parsed, tuple(map(_shape, chunk.body))


@given(TEXTS)
def test_any_text_parses_with_at_most_one_fault_a_chunk(text: str) -> None:
    for chunk in parse(text).every:
        assert len(chunk.parsed.faults) <= 1


@given(TEXTS)
def test_positions_point_into_the_text(text: str) -> None:
    for at, chunk in parse(text).placed():
        assert text.startswith(chunk.text, at)
        for fault in chunk.parsed.faults:
            assert 0 <= fault.span.start <= fault.span.end <= len(chunk.text)
            assert fault.message
        for node in _nodes(chunk.statement):
            if isinstance(node, Name):
                start, end = node.span
                assert text[at + start : at + end] == node.text
            elif isinstance(node, Span):
                assert 0 <= node.start <= node.end <= len(chunk.text)


@given(TEXTS)
def test_every_holds_all_chunks_in_reading_order(text: str) -> None:
    document = parse(text)
    preorder: list[Chunk] = []

    def walk(chunks: tuple[Chunk, ...]) -> None:
        for chunk in chunks:
            preorder.append(chunk)
            walk(chunk.body)

    walk(document.chunks)
    assert tuple(preorder) == document.every
    assert [chunk.key for chunk in preorder] == list(range(len(preorder)))
    starts = [document.start_of(chunk.key) for chunk in preorder]
    assert starts == [at for at, _ in document.placed()]
    assert starts == sorted(starts)


@given(TEXTS)
def test_what_is_in_no_chunk_is_blank_or_comment(text: str) -> None:
    behind = 0
    for at, chunk in parse(text).placed():
        gap = text[behind:at]
        assert all(
            line.strip("}{ \t\ufeff") == "" or "#" in line or line.isspace()
            for line in gap.splitlines()
        )
        behind = at + len(chunk.text)


@given(TEXTS)
def test_parsing_again_gives_the_same(text: str) -> None:
    assert parse(text) == parse(text)


@given(TEXTS)
def test_a_chunk_that_moves_keeps_its_nodes(text: str) -> None:
    here, moved = parse(text), parse(f"\n\n{text}")
    assert [_shape(chunk) for chunk in here.chunks] == [_shape(chunk) for chunk in moved.chunks]
    assert [at + 2 for at, _ in here.placed()] == [at for at, _ in moved.placed()]


def test_unchanged_chunks_are_the_very_same() -> None:
    before = parse("dim B = 4\nlayer a: b[B] = c * d\noutput b")
    after = parse("dim B = 8\n\nlayer a: b[B] = c * d\noutput b")
    pairs = zip(before.every, after.every, strict=True)
    assert [old.parsed is new.parsed for old, new in pairs] == [False, True, True]


def test_a_chunk_is_understood_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where a text has more chunks than are remembered."""
    seen: list[str] = []

    def noted(text: str) -> Understood:
        seen.append(text)
        return understand(text)

    monkeypatch.setattr(parser, "_read", lru_cache(maxsize=0)(parser._read.__wrapped__))
    monkeypatch.setattr(parser, "understand", noted)
    parse("dim B = 4\nlayer a: b[B] = c\noutput b")
    assert seen == ["dim B = 4", "layer a: b[B] = c", "output b"]


@given(TEXTS)
def test_reading_is_feeding_tokens(text: str) -> None:
    whole, fed = Run(), Run()
    read = whole.read(text)
    assert read == (all(map(fed.feed, fed.tokens(text))) and fed.feed(Token(END, "", Span(0, 0))))
    if read:
        assert whole.result == fed.result

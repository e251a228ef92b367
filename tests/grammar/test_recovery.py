"""What is kept of a broken text, and the one error that each mistake gives."""

import json
import re
from pathlib import Path

import pytest
from syntax_outline import outline

from parspec.grammar.document import SyntaxFault
from parspec.grammar.parser import parse
from parspec.grammar.splitter import MAX_DEPTH
from parspec.grammar.syntax import LayerStatement, TensorStatement

_CASES = json.loads(
    (Path(__file__).parent.parent / "data" / "cases.json").read_text(encoding="utf-8")
)


def _specs() -> dict[str, str]:
    specs = dict(_CASES["models"])
    for kind in ("plans", "mistakes"):
        for number, case in enumerate(_CASES[kind]):
            specs |= {
                f"{kind} {number} {part}": case[part]
                for part in ("spec", "corrected")
                if part in case
            }
            for further, also in enumerate(case.get("also", ())):
                specs[f"{kind} {number} also {further}"] = also["spec"]
    return specs


SPECS = _specs()


def _faults(text: str) -> list[tuple[int, SyntaxFault]]:
    """The faults, each with the absolute offset of its start."""
    return [
        (at + fault.span.start, fault)
        for at, chunk in parse(text).placed()
        for fault in chunk.parsed.faults
    ]


def _fault(text: str) -> tuple[int, SyntaxFault]:
    (fault,) = _faults(text)
    return fault


def _marked(text: str) -> tuple[str, int]:
    """The text without its `^`, and where that stood."""
    return text.replace("^", "", 1), text.index("^")


# -- the corpus ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SPECS)
def test_every_known_spec_parses_without_fault(name: str) -> None:
    assert _faults(SPECS[name]) == []


CORPUS = ("mla_moe.par", "plans 4 spec", "plans 0 spec", "mistakes 24 spec")


@pytest.mark.parametrize("name", CORPUS)
def test_a_text_broken_off_anywhere_has_at_most_one_fault(name: str) -> None:
    text = SPECS[name]
    ends = [match.end() for match in re.finditer(r"\w+|[^\w\s]", text)]
    inside = [end - 1 for end in ends[:: 3 if len(ends) > 300 else 1]]
    assert [end for end in (*ends, *inside) if len(_faults(text[:end])) > 1] == []


@pytest.mark.parametrize("name", CORPUS)
def test_a_text_without_one_token_has_at_most_one_fault(name: str) -> None:
    text = SPECS[name]
    for token in re.finditer(r'#[^\n]*|"[^"\n]*"|->|\w+|[^\w\s]', text):
        without = text[: token.start()] + " " * len(token[0]) + text[token.end() :]
        assert len(_faults(without)) <= 1, (token.start(), token[0])


# -- what is kept --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "same_as"),
    [
        ("layer up: h[B, F] = x * w partition F on", "layer up: h[B, F] = x * w"),
        ("layer up: h = x partition F on tp, B on", "layer up: h = x partition F on tp"),
        ("layer up: h = x * w w2", "layer up: h = x * w"),
        ("weight a[B], b[D] up: h = x", "weight a[B], b[D]"),
        ("weight a[B], b[D", "weight a[B]"),
        ("dim A = 2, B = 4 *", "dim A = 2, B"),
        ("dim A, B, ", "dim A, B"),
        ("mesh tp = 8 over", "mesh tp = 8"),
        ("train adam { global_batch = B microbatch", "train adam { global_batch = B }"),
        ("link ib { bandwidth = 5 GB/s latency = }", "link ib { bandwidth = 5 GB/s }"),
        ("for a: partition F on tp, B on", "for a: partition F on tp"),
        ("layr up: h = x", "layer up: h = x"),
        ("layer up： h［B，F］ = x × w", "layer up: h[B,F] = x * w"),
        ("dim B, stack, D", "dim B, stack, D"),
    ],
)
def test_the_longest_part_that_means_the_same_is_kept(text: str, same_as: str) -> None:
    _fault(text)
    kept, whole = parse(text).every[0].statement, parse(same_as).every[0].statement
    assert outline(kept) == outline(whole)


@pytest.mark.parametrize(
    ("text", "out_dims"),
    [
        ("layer up: h[B, F] =", "[B, F]"),
        ("layer up: h[B, F]", "[B, F]"),
        ("layer up: h[B, F] : f32", "[B, F]"),
        ("layer up: h[B, F] = x *", "[B, F]"),
        ("layer up: h[B, F] = gelu(x", "[B, F]"),
        ("layer up: h[B, F] = x / 0", "[B, F]"),
        ("layer up: h[B, F = x", "None"),
        ("layer up: h", "None"),
    ],
)
def test_a_half_typed_layer_keeps_its_head(text: str, out_dims: str) -> None:
    _fault(text)
    layer = parse(text).every[0].statement
    assert isinstance(layer, LayerStatement)
    assert (layer.name.text, layer.out.text) == ("up", "h")
    assert outline(layer.out_dims) == out_dims
    assert layer.expression is None


@pytest.mark.parametrize(
    "text",
    [
        "stages pp: embed + 4 decoder |",
        "expect memory <= 1 +",
        "expect no All-Gather of",
        "layer",
        "layer up:",
        "op f(X[B]) ->",
        "\0",
    ],
)
def test_nothing_is_kept_where_a_part_says_something_else(text: str) -> None:
    _fault(text)
    assert parse(text).every[0].statement is None


def test_names_that_were_not_understood_are_skipped() -> None:
    (chunk,) = parse("weight a[B] up: h = x.y over # z\n at 'q' \"s\"").every
    assert isinstance(chunk.statement, TensorStatement)
    assert chunk.parsed.skipped == ("up", "h", "x", "y", "q")


def test_a_broken_header_keeps_its_body() -> None:
    for text in ("plan {\n dim B\n}", "stack s[L]: -> y {\n dim B\n}", "block f(x) -> {\n dim B }"):
        _fault(text)
        (chunk,) = parse(text).chunks
        assert [outline(inner.statement) for inner in chunk.body] == [
            "DimStatement(items=[DimItem(name=B)])"
        ]


# -- where and what ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("header", "shape"),
    [
        ("block attn {\n}", "it is `block name(x[B, D]) -> y { ... }`"),
        ("block attn(x) -> y {\n}", "it is `block name(x[B, D]) -> y { ... }`"),
        ("stack decoder {\n}", "it is `stack name[L]: x -> y { ... }`"),
        ("stack decoder[L]", "it is `stack name[L]: x -> y { ... }`"),
        ("op f(X) = X", "it is `op name(X[B, I], W[I, O]) -> Y[B, O] = X * W`"),
        ("dim = 4", ""),
    ],
)
def test_a_header_without_a_part_is_shown_whole(header: str, shape: str) -> None:
    _, fault = _fault(header)
    assert fault.help == shape


@pytest.mark.parametrize(
    ("marked", "message"),
    [
        ("layer up: h =^", 'expected an expression after "="'),
        ("layer up: h =^ * w", 'expected an expression after "=", found "*"'),
        ("layer up: h[B, F^ = x", 'expected "," or "]" after "F", found "="'),
        ("layer up: h =^ partition F on tp", 'expected an expression after "=", found "partition"'),
        ("dim^ = 4", 'expected a dimension after "dim", found "="'),
        ("mesh tp = 8 over^", 'expected a link name after "over"'),
        ("layer a: b = x /^ 0", 'expected a number other than 0 after "/", found "0"'),
        ("plan^ {}", 'expected a plan name after "plan", found "{"'),
        ("plan p^", 'expected "{" after "p"'),
        ("dim B ^D", '"D" cannot follow "B" here'),
        ("layer a: b = x^) * y", 'this ")" closes no "("'),
        ("^}", 'this "}" closes no "{"'),
        ("^train adam { global_batch = B", 'the "{" of this "train" is never closed'),
        ("^plan p {\n  dim B", 'the "{" of this "plan" is never closed'),
        ("dim B ^\0", "the control character U+0000 is not part of the language"),
        ('import ^"model.par', "this quote is not closed on its line"),
        ("dim B = ^1f1b", '"1f1b" is neither a number nor a name'),
        ("dim B ^$", '"$" is not part of the language'),
        (
            "^foo",
            'a statement begins with a keyword such as "dim", "mesh", "input" or "layer", '
            'not with "foo"',
        ),
        ("dim B, ^stack", '"stack" is a keyword of the language; a dimension needs another name'),
        (
            "dim B, ^stack\nmesh tp = 8",
            '"stack" is a keyword of the language; a dimension needs another name',
        ),
        (
            "dim B, ^stack, D",
            '"stack" is a keyword of the language; a dimension needs another name',
        ),
        (
            "input ^op\nlayer a: b = c",
            '"op" is a keyword of the language; a tensor needs another name',
        ),
        (
            "layer ^at: b = c",
            '"at" is a keyword of the language; a layer needs another name',
        ),
    ],
)
def test_message_and_place(marked: str, message: str) -> None:
    text, place = _marked(marked)
    at, fault = _fault(text)
    assert (fault.message, at) == (message, place)


@pytest.mark.parametrize(
    ("marked", "replacement"),
    [
        ("dim B = 4\n^layr up: h = x", "layer"),
        ("^stak decoder[L]: x -> y {\n layer a: y = x\n}", "stack"),
        ("dim B\n^trian adam { global_batch = B }", "train"),
        ("link ib { bandwidth = 50 ^GBps latency = 5 us }", "GB/s"),
        ("device a { memory = 80 GB flops = 4 ^Tflops hbm = 3 TB/s }", "Tflop/s"),
        ("expect memory <= 80 ^Gb", "GB"),
        ("expect no ^AllReduce in decoder", "All-Reduce"),
        ("dim B^，C", ","),
    ],
)
def test_a_misspelling_has_its_mend(marked: str, replacement: str) -> None:
    text, place = _marked(marked)
    at, fault = _fault(text)
    assert (at, fault.replacement) == (place, replacement)
    end = at + fault.span.end - fault.span.start
    assert _faults(text[:at] + replacement + text[end:]) == []


def test_misspelt_statements_hide_nothing() -> None:
    text = "dim B = 4\nlayr a: b = c\nlayr d: e = f\noutput e"
    assert [type(chunk.statement).__name__ for chunk in parse(text).every] == [
        "DimStatement",
        "LayerStatement",
        "LayerStatement",
        "OutputStatement",
    ]
    assert [fault.replacement for _, fault in _faults(text)] == ["layer", "layer"]


def test_two_half_typed_statements_are_two_mistakes() -> None:
    assert [at for at, _ in _faults("layer a: b = c *\nlayer\ndim B")] == [16, 22]


def test_each_unclosed_body_is_one_fault_and_closes_by_indentation() -> None:
    text = "plan a {\n  dim B\nplan b {\n  dim C\nplan c {\n}"
    assert [at for at, _ in _faults(text)] == [0, 17]
    assert [len(chunk.body) for chunk in parse(text).chunks] == [1, 1, 0]


def test_expected_words() -> None:
    _, fault = _fault("layer a: b = c partition")
    assert fault.expected == ("a dimension", '"none"', '"?"')
    _, fault = _fault("dim K = 4 of")
    assert '"unit"' in fault.expected
    assert "an operator" in fault.help


# -- nesting -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "layer a: b = " + "(" * 5000 + "x" + ")" * 5000,
        "layer a: b = " + "f(" * 5000,
        "dim B = " + "(" * 5000 + "1" + ")" * 5000,
        "dim B = " + "1 + " * 5000 + "1",
        "plan p {" * 5000 + "}" * 5000,
    ],
)
def test_deep_nesting_is_one_clear_fault(text: str) -> None:
    _, fault = _fault(text)
    assert fault.message == f"nested more than {MAX_DEPTH} deep"


def test_nesting_up_to_the_limit_is_read() -> None:
    assert _faults("layer a: b = " + "(" * MAX_DEPTH + "x" + ")" * MAX_DEPTH) == []
    assert _faults("plan p {" * MAX_DEPTH + "}" * MAX_DEPTH) == []
    assert _faults("layer a: b = x" + " + x" * 1000) == []


@pytest.mark.parametrize(
    ("text", "meant", "right"),
    [
        ("layer a: y[B] = x partiton B on N", "partition", "layer a: y[B] = x partition B on N"),
        ("input x[B] replicatd on N", "replicated", "input x[B] replicated on N"),
        ("wieght w[B]", "weight", "weight w[B]"),
        ("mesh N = 8 ovr ib", "over", "mesh N = 8 over ib"),
    ],
)
def test_a_misspelt_keyword_is_read_as_the_keyword(text, meant, right):
    (chunk,) = parse(text).every
    (fault,) = chunk.parsed.faults
    assert fault.replacement == meant
    mended = text[: fault.span.start] + meant + text[fault.span.end :]
    assert mended == right
    (sound,) = parse(right).every
    assert type(chunk.statement) is type(sound.statement)
    assert outline(chunk.statement) == outline(sound.statement)


def test_two_equals_signs_are_one_comparison() -> None:
    _, fault = _fault("mesh fs == 8")
    assert fault.message == '"==" cannot follow "fs" here'

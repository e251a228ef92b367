"""Laws of the model: whatever is written, it can be analysed."""

from __future__ import annotations

import json
import re
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from reading import Files

from parspec.interpreter.spec.model import Item, Layer, Model
from parspec.interpreter.spec.resolve import resolve

CASES = json.loads((Path(__file__).parents[2] / "data" / "cases.json").read_text("utf-8"))
TEXTS = [
    *CASES["models"].values(),
    *(plan["spec"] for plan in CASES["plans"]),
    *(mistake["spec"] for mistake in CASES["mistakes"] if "spec" in mistake),
]
READER = Files(CASES["models"])
TOKEN = re.compile(r"\w+|[^\w\s]")


@st.composite
def damaged(draw: st.DrawFn) -> str:
    """A real spec with some of its tokens removed or put in other places."""
    text = draw(st.sampled_from(TEXTS))
    for _ in range(draw(st.integers(1, 4))):
        tokens = list(TOKEN.finditer(text))
        if not tokens:
            break
        gone = draw(st.sampled_from(tokens))
        new = draw(st.one_of(st.just(""), st.sampled_from(tokens).map(lambda m: m.group())))
        text = text[: gone.start()] + new + text[gone.end() :]
    return text


def check_items(items: tuple[Item, ...], ranks: dict[str, int]) -> None:
    for item in items:
        if not isinstance(item, Layer):
            assert ranks[item.carry] == ranks[item.last]
            assert item.entry in ranks
            check_items(item.items, ranks)
            continue
        assert ranks[item.out] == len(item.operator.output)
        for operand, leaves in zip(item.operands, item.operator.inputs, strict=True):
            assert ranks[operand.tensor] == len(operand.leaves)
            assert tuple(leaf for leaf in operand.leaves if leaf is not None) == leaves
        axes = [assignment.axis for assignment in item.assignments]
        assert len(axes) == len(set(axes))


def check_model(model: Model) -> None:
    ranks = {tensor.name: len(tensor.leaves) for tensor in model.tensors}
    assert len(ranks) == len(model.tensors)
    check_items(model.items, ranks)
    assert all(output.tensor in ranks for output in model.outputs)
    assert all(expect.tensor is None or expect.tensor in ranks for expect in model.expects)
    assert len(set(model.findings)) == len(model.findings)


@settings(max_examples=150)
@given(damaged())
def test_damaged_specs_still_make_a_model(text: str) -> None:
    check_model(resolve("main.par", text, READER))


@settings(max_examples=40)
@given(st.sampled_from(TEXTS))
def test_equal_texts_make_equal_models(text: str) -> None:
    assert resolve("main.par", text, READER) == resolve("main.par", text, READER)


@settings(max_examples=40)
@given(st.sampled_from(TEXTS), st.integers(0, 5))
def test_a_model_does_not_change_when_lines_move(text: str, lines: int) -> None:
    moved = "\n" * lines + text
    assert resolve("main.par", text, READER) == resolve("main.par", moved, READER)

"""The article's tables as text and as JSON, from an op in a stack."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib.resources import files

import jsonschema
import pytest
from handmade import linear_model

from parspec.interpreter.output.tables.json import tables_json
from parspec.interpreter.output.tables.markdown import tables_markdown
from parspec.interpreter.output.tables.operators import tabled
from parspec.interpreter.output.tables.sheets import Sheet, operator_sheets, theory_sheets
from parspec.interpreter.output.tables.text import tables_text
from parspec.interpreter.output.terminal.cells import width
from parspec.interpreter.output.terminal.screen import PLAIN, Screen
from parspec.interpreter.spec.model import Part, Template
from parspec.interpreter.theory.changes import state_changes
from parspec.interpreter.theory.operators import Operator

TEXT = """\
linear: relations

 variable   L   B   O   I
 ────────────────────────
 X          √   √   -   √
 W          √   -   √   √
 Y          √   √   √   -


linear: strategies

 partition   strategy         X   W   Y
 ──────────────────────────────────────
 L           pipeline         P   P   P
 B           data             P   R   P
 O           tensor, column   R   P   P
 I           tensor, row      P   P   R


linear: stored in the system

 partition   X      W       Y      total
 ─────────────────────────────────────────────────
 L           LBI    LOI     LBO    LBI + LOI + LBO
 B           BI     N·LOI   BO     BI + N·LOI + BO
 O           N·BI   LOI     BO     N·BI + LOI + BO
 I           BI     LOI     N·BO   BI + LOI + N·BO


linear: between layers

 partition   from/to   primitive        N >> 1   exact
 ─────────────────────────────────────────────────────────────
 L           P/P       Send             LBD      LBD − BD
 B           P/P       -                0        0
 O           P/R       All-Gather       NLBD     N·LBD − LBD/N
 I           R/P       Reduce-Scatter   NLBD     N·LBD − LBD/N
"""

THEORY = """\
states of a variable of size M on N nodes

 state                                                                stored
 ───────────────────────────────────────────────────────────────────────────
 Partitioned (P)   every node has its slice                           M
 Replicated (R)    every node has all of it, or a full-sized addend   N·M
 Centralized (C)   one node has all of it                             M


primitives (order), from row to column

     P                    R                C
 ────────────────────────────────────────────────────
 P   -                    All-Gather (2)   Gather (1)
 R   Reduce-Scatter (2)   -                Reduce (1)
 C   Scatter (1)          Broadcast (1)    -


prices: traffic in the system

 primitive        order   exact                   N >> 1   ring
 ───────────────────────────────────────────────────────────────────
 Gather           1       (N−1)/N·M               M        (N−1)/N·M
 Scatter          1       (N−1)/N·M               M        (N−1)/N·M
 Broadcast        1       (N−1)·M                 N·M      (N−1)·M
 Reduce           1       (N−1)·M                 N·M      (N−1)·M
 All-Gather       2       (N−1)/N·M + (N−1)·M     N·M      (N−1)·M
 Reduce-Scatter   2       (N−1)/N·M + (N−1)·M     N·M      (N−1)·M
 All-Reduce       4       2(N−1)/N·M + 2(N−1)·M   2·N·M    2(N−1)·M
 All-to-All       2       2(N−1)/N·M              2·M      (N−1)/N·M
 Send             1       M                       M        M
 Permute          1       M                       M        M
"""


def linear_sheets():
    return operator_sheets(tabled(linear_model()))


def test_text_is_the_articles():
    assert tables_text(linear_sheets(), Screen(PLAIN, 80)) == TEXT
    assert tables_text(theory_sheets(), Screen(PLAIN, 80)) == THEORY


@pytest.mark.parametrize("columns", [60, 80])
def test_nothing_is_wider_than_the_screen(columns):
    shown = Screen(PLAIN, columns)
    text = tables_text((*linear_sheets(), *theory_sheets()), shown)
    assert all(width(line) <= columns for line in text.splitlines())


def test_what_a_function_reduces_inside_a_layer_is_told_below_what_is_between_layers():
    operator = Operator("along", (("S", "T"),), ("S", "T"), over=("T",), function="softmax")
    model = replace(linear_model(), parts=(), templates=(Template("prob", ("s",), "p", operator),))
    text = tables_text(operator_sheets(tabled(model)), Screen(PLAIN, 80))
    assert " T           P/P       -           0        0\n" in text
    assert text.endswith(
        "\n\nT: inside a layer All-Reduces of the maximum and the sum over T, M = S each\n"
    )


def test_markdown_is_the_same_tables():
    shown = tables_markdown((*linear_sheets(), *theory_sheets()))
    tables = shown.split("\n\n")
    assert tables[:2] == [
        "**linear: relations**",
        "| variable | L | B | O | I |\n| --- | --- | --- | --- | --- |\n| X | √ | √ | - | √ |\n"
        "| W | √ | - | √ | √ |\n| Y | √ | √ | √ | - |",
    ]
    assert len(tables) == 2 * 7
    assert "| partition | from/to | primitive | N \\>\\> 1 | exact |" in shown
    assert shown.endswith("| Permute | 1 | M | M | M |\n")
    odd = Sheet("a|b: *c*", ("x_y",), (("`z`",),), ("<d>",))
    assert tables_markdown((odd,)) == (
        "**a\\|b: \\*c\\***\n\n| x\\_y |\n| --- |\n| `z` |\n\n\\<d\\>\n"
    )


def test_json():
    schemas = files("parspec.interpreter.output") / "schemas"
    schema = json.loads((schemas / "tables.schema.json").read_text())
    value = json.loads(tables_json(tabled(linear_model())))
    jsonschema.Draft202012Validator(schema).validate(value)
    (linear,) = value["operators"]
    assert linear["name"] == "linear"
    assert linear["relations"] == {"X": ["L", "B", "I"], "W": ["L", "I", "O"], "Y": ["L", "B", "O"]}
    by_dim = {strategy["partition"]: strategy for strategy in linear["strategies"]}
    assert by_dim["B"] == {
        "partition": "B",
        "name": "data",
        "states": {"X": "P", "W": "R", "Y": "P"},
        "storage": {
            "X": "B*I",
            "W": "N*L*O*I",
            "Y": "B*O",
            "total": "B*I + N*L*O*I + B*O",
        },
        "between_layers": {
            "from": "P",
            "to": "P",
            "primitive": None,
            "traffic": {"composed": "0", "approx": "0", "ring": "0"},
        },
    }
    assert by_dim["I"]["states"]["Y"] == "R(partial)"
    assert by_dim["L"]["between_layers"]["primitive"] == "Send"
    gather = next(p for p in value["primitives"] if p["primitive"] == "All-Gather")
    assert gather == {
        "from": "P",
        "to": "R",
        "primitive": "All-Gather",
        "order": 2,
        "parts": ["Gather", "Broadcast"],
        "traffic": {
            "composed": "(N-1)/N*M + (N-1)*M",
            "approx": "N*M",
            "ring": "(N-1)*M",
        },
    }
    assert eval(gather["traffic"]["composed"], {"N": 8, "M": 1024}) == 896 + 7168


def test_every_change_of_state_that_moves_something():
    changes = {(change.source, change.target): change.primitive.name for change in state_changes()}
    assert changes == {
        ("P", "P"): "All-to-All",
        ("P", "R"): "All-Gather",
        ("P", "C"): "Gather",
        ("R(partial)", "P"): "Reduce-Scatter",
        ("R(partial)", "R"): "All-Reduce",
        ("R(partial)", "C"): "Reduce",
        ("C", "P"): "Scatter",
        ("C", "R"): "Broadcast",
        ("C", "C"): "Send",
    }


def test_an_unused_op_stands_in_no_stack_and_its_weights_are_guessed():
    made = linear_model()
    alone = replace(made, parts=(Part((), made.tensors),))
    (linear,) = tabled(alone)
    assert linear.stack is None
    assert [s.name for s in linear.tables.strategies] == ["data", "tensor, column", "tensor, row"]


def test_layers_without_an_op_have_tables_of_their_own():
    made = linear_model()
    (stack,) = made.items
    (layer,) = stack.items
    plain = replace(stack, items=(replace(layer, template=None, bound=()),))
    (only,) = tabled(replace(made, templates=(), parts=(Part((plain, plain), made.tensors),)))
    assert only.name == "net.fc"
    assert only.variables == ("h", "w", "y")

"""Fixes of the catalogue and of reported mistakes: each removes its diagnostic."""

import json
from pathlib import Path

import pytest
from action_fixtures import bench_of, checked, edits_of, found_in, quick

from parspec.interpreter.diagnostics.catalogue import ENTRIES
from parspec.lsp.features.actions.actions import actions
from parspec.lsp.ranges import Range

ROOT = Path(__file__).parents[2]
CASES = json.loads((ROOT / "tests" / "data" / "cases.json").read_text("utf-8"))
MISTAKES = {each["id"]: each["spec"] for each in CASES["mistakes"] if "spec" in each}

# What is offered for each entry's example; the preferred one is marked.
CATALOGUE = {
    "unknown_name": ["Add `M = 1` to the mesh"],
    "duplicate_name": ["Remove the second `x[B]`"],
    "rank_mismatch": ["Write `x[B, D]`"],
    "global_size_mismatch": ["Write `E = D`", "Write `D = E`"],
    "missing_sum": ["Write `t[B, F]`", "Write `sum over F (gelu(h))`"],
    "dim_without_operand": ["Write `a[B]`"],
    "dim_not_in_layer": ["Remove `F on N`"],
    "repeated_dim": ["Write `D2`, declared as `D2 = D`"],
    "unused_name": ["Remove `dim D`"],
    "resized": ["Remove `B = 32`"],
    "unit_mismatch": ["* Write `50 GB/s`"],
    "wrong_arguments": ["Remove `x`"],
    "bad_setting": ["Write `phase = prefill`", "Write `phase = decode`"],
    "misplaced": ["Remove `mesh M = 2`"],
    "missing_index": ["Write `y[B, F]`"],
    "summed_alone": ["Write `y[B, F]`", "Write `sum over B (x)`"],
    "indivisible": [
        "Write `H padded to tp`",
        "Write `H uneven`",
        "Write `H = 54`",
        "Write `H = 51`",
        "Write `tp = 2`",
    ],
    "block_split": ["Write `tp = 6`"],
    "axis_reused": ["Remove `D on tp`", "Remove `B on tp`"],
    "too_many_nodes": ["Write `tp = 8`"],
    "operands_disagree": [
        "Write `partition B on N`: it moves 448 B a device",
        "Write `partition D on N`: it moves 448 B a device",
    ],
    "mesh_product": [
        "Let `tp` fill the rest: 2",
        "Let `dp` fill the rest: 2",
        "Use 16 devices",
    ],
    "uneven_split": ["Write `store D on N`", "Write `A uneven`"],
    "unmatched_pattern": ["Remove `down`"],
    "carry_unsettled": ["Bring y back to N: P(B) at the end of each turn"],
    "conflicting_states": ["Remove `replicated on N`", "Remove `B on N`"],
    "stage_out_of_range": ["* Write `at pp[1]`"],
    "needs_whole": ["Write `none on N`"],
    "hole": ["* Replace `?` with `B`"],
    "partial_left": ["* Write `replicated on N`", "Write `partial on N`"],
    "redundant_gather": ["* Write `B on N`"],
    "unexpected_collective": ["* Write `B on N`"],
    "hidden_comm": ["* Write `V on N`"],
    "pad_reaches_reduction": ["* Write `over V masked`"],
    "unpinned": ["* Write `expect All-Reduce of y on N`"],
    "double_reduce": ["Remove `expect All-Reduce of y on N`"],
    "expect_failed": ["Raise the bound to 64.6 kB"],
    "memory_expectation": ["Raise the bound to 10.3 kB"],
    "input_state_mismatch": ["Write `R`"],
    "budget_without_unit": ["Write `1 MB`"],
    "state_mismatch": ["Write `P(F)`"],
    "layers_lost": [
        "Let the first stages take one layer of decoder more: `uneven`",
        "Write `L = 32`",
        "Write `L = 28`",
    ],
    "batch_mismatch": ["Write `microbatches = 4`", "Write `B = 35`", "Write `B = 30`"],
    "schedule_constraint": ["Write `microbatches = 8`"],
    "weight_not_on_stage": ["Let out lie on every stage that uses it: 8.19 kB more"],
}

# What only a person can mend.
UNMENDED = {
    "M28",  # the layout of experts does not fit the devices
    "M40",  # not evaluated yet
    "M56",
    "M67",  # the order of layers
    "M78",  # of the hardware
    "M84",  # work that is repeated: told in passing
}


def decoded(entry):
    return {name.removesuffix(".par"): text.decode("utf-8") for name, text in entry.beside}


@pytest.mark.parametrize(
    "entry", [each for each in ENTRIES if each.name != "not_utf8"], ids=lambda each: each.name
)
def test_every_fix_of_the_catalogue_removes_its_diagnostic(entry):
    bench = bench_of(entry.example, **decoded(entry))
    found = list(actions(bench, Range(0, len(entry.example)), ("quickfix",)))
    marks = {"preferred": "* ", "possible": ""}
    assert [marks[each.rank] + each.title for each in found] == CATALOGUE.get(entry.name, [])
    for action in found:
        checked(bench, action, action.edits)


@pytest.mark.parametrize("case", MISTAKES)
def test_every_fix_of_a_reported_mistake_removes_its_diagnostic(case):
    bench = bench_of(MISTAKES[case])
    found = list(actions(bench, Range(0, len(MISTAKES[case])), ("quickfix",)))
    for action in found:
        checked(bench, action, edits_of(bench, action, 0))
    assert bool(found) is (bool(found_in(bench.snapshot)) and case not in UNMENDED)


# -- names ---------------------------------------------------------------------------------------


def test_a_fix_that_would_bring_another_mistake_is_not_offered():
    titles = quick(MISTAKES["M03"])  # 3 devices: 2 of them would leave one idle
    assert "Write `H uneven`" in titles
    assert "Write `tp = 2`" not in titles


# -- repartition ---------------------------------------------------------------------------------

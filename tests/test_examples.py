"""Every example checks clean, says so in one line, and has the published number of parameters."""

from pathlib import Path

import pytest
from specs import analysis_of

from parspec.interpreter.commands.main import main

EXAMPLES = Path(__file__).parents[1] / "examples"
PARAMETERS = {
    ("llama3_70b_plans", "tp8_dp8"): 70_553_706_496,
    ("llama3_70b_plans", "tp8_pp4_dp8"): 70_553_706_496,
    ("llama3_405b_16k", None): 405_853_388_800,
    ("mixtral_8x7b", None): 46_702_792_704,
    ("vllm_70b_tp8", None): 70_553_706_496,
}
LONGEST_LINE, LONGEST_PLAN = 100, 40


def analysed(name, plan=None):
    file = EXAMPLES / f"{name}.par"
    text = file.read_text(encoding="utf-8")
    return analysis_of(text, str(file), plan=plan)


def paid(analysis):
    """(primitive, label, axes) of every primitive in front of a layer of the decoder."""
    labels = {tensor.name: tensor.label for tensor in analysis.model.tensors}
    return {
        (move.primitive, labels[move.tensor], move.axes)
        for move in analysis.moves
        if move.primitive and move.layer.startswith("decoder.")
    }


@pytest.mark.parametrize("file", sorted(EXAMPLES.glob("*.par")), ids=lambda file: file.stem)
def test_it_checks_clean(file, capsys, monkeypatch):
    monkeypatch.chdir(EXAMPLES)
    assert main(["check", "--warn-as-error", file.name]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed
    for line in printed:
        assert line.startswith(file.name)
        assert ": ok" in line


@pytest.mark.parametrize(("name", "plan"), PARAMETERS)
def test_parameters(name, plan):
    assert analysed(name, plan).totals.parameters == PARAMETERS[name, plan]


@pytest.mark.parametrize("file", sorted(EXAMPLES.glob("*.par")), ids=lambda file: file.stem)
def test_lines_are_short(file):
    assert max(map(len, file.read_text(encoding="utf-8").splitlines())) <= LONGEST_LINE


@pytest.mark.parametrize("name", ["llama3_70b_plans", "llama3_405b_16k"])
def test_plans_are_short(name):
    text = (EXAMPLES / f"{name}.par").read_text(encoding="utf-8")
    assert len(text.splitlines()) < LONGEST_PLAN


def test_plain_tensor_parallelism_is_two_all_reduces_a_layer():
    assert paid(analysed("llama3_70b_plans", "tp8_dp8")) == {
        ("All-Reduce", "o", ("tp",)),
        ("All-Reduce", "d", ("tp",)),
    }


def test_sequence_parallelism_is_two_gathers_and_two_scatters_a_layer():
    assert paid(analysed("llama3_70b_plans", "tp8_pp4_dp8")) == {
        ("All-Gather", "a", ("tp",)),
        ("Reduce-Scatter", "o", ("tp",)),
        ("All-Gather", "b", ("tp",)),
        ("Reduce-Scatter", "d", ("tp",)),
    }


def test_experts_are_reached_by_all_to_all_over_both_axes():
    moves = paid(analysed("mixtral_8x7b"))
    assert ("All-to-All", "xe", ("dp", "tp")) in moves
    assert ("All-to-All", "ye", ("dp", "tp")) in moves


def test_stages_of_the_long_context_plan_hold_all_layers():
    analysis = analysed("llama3_405b_16k")
    assert [stage.holds for stage in analysis.stages][:2] == [
        ("embed", "decoder 0-6"),
        ("decoder 7-14",),
    ]
    assert analysis.stages[-1].holds == ("decoder 119-125", "norm", "logits", "loss")
    # the busiest devices have 8 layers of 126: matrices in 8 * 16 * 8 slices, norms in 8 * 16
    norms = 2 * 16384
    matrices = (405_853_388_800 - 2 * 128256 * 16384 - 16384) // 126 - norms
    assert analysis.totals.memory.weights == 8 * 2 * (matrices // 1024 + norms // 128)


def test_a_served_model_has_its_weights_and_its_cache_in_eight_parts():
    memory = analysed("vllm_70b_tp8").totals.memory
    norms = 2 * 8192 * (2 * 80 + 1)  # bf16, on every device; all else fp8
    assert memory.weights == (70_553_706_496 - norms // 2) // 8 + norms
    assert memory.cache == 2 * 80 * 64 * 8192 * 8 * 128 * 2 // 8

"""Programs that real systems have sharded: parspec moves no more than the best of them."""

import pytest
from oracle_cases import load
from oracle_outcome import alike, outcome

CASES = load()
every_program = pytest.mark.parametrize("case", CASES, ids=[case.id for case in CASES])


def test_all_forward_programs_are_here():
    assert len(CASES) == len({case.id for case in CASES}) == 118
    assert {case.id[0] for case in CASES} == set("abcef")


@every_program
def test_as_few_bytes_as_the_best_known(case):
    """More is a fault; fewer is a move forgotten, or news: then the file is to be corrected."""
    found = outcome(case)
    assert found.errors == [], found.text
    assert found.run.moved == case.best_known, found.text


@every_program
def test_values_lie_where_the_program_says(case):
    found = outcome(case)
    wanted = [
        {axis: str(state) for axis, state in states.items()} for states in case.outputs.values()
    ]
    assert list(found.outputs) == wanted, found.text
    assert [pin.text for pin in found.analysis.expects if not pin.holds] == []


@every_program
def test_axes_of_one_dimension_lie_in_mesh_order(case):
    for tensor in outcome(case).analysis.tensors:
        for axes in tensor.layout.order().values():
            assert axes == tuple(axis for axis in case.mesh if axis in axes)


@every_program
def test_primitives_are_those_of_a_system_that_moves_as_little(case):
    ours = outcome(case).run
    peers = [run for run in case.runs.values() if run.moved == ours.moved]
    assert not peers or any(alike(ours, run) for run in peers), (ours, peers)

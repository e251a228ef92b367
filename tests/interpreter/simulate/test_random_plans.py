"""The property of the whole engine: what the checks let pass computes the right thing at the right
price, and a fault anywhere in the engine shows."""

from itertools import islice

import pytest
from drawn_models import model_of, models
from faults import FAULTS, planted
from hypothesis import HealthCheck, assume, given, note, settings
from hypothesis import strategies as st
from random_specs import random_spec

from parspec.interpreter.simulate.simulate import proved

SPECS = st.randoms(use_true_random=False).map(random_spec)


@settings(
    max_examples=100,
    derandomize=True,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
)
@given(SPECS, st.integers(0, 3))
def test_a_plan_that_checks_computes_what_the_plain_program_does_at_its_ring_price(text, seed):
    note(text)
    model = model_of(text)
    assume(model is not None)
    proof = proved(model, seed)
    assert proof.fault is None
    assert proof.mispriced == ()


@pytest.mark.parametrize("seed", range(0, 5000, 500))
def test_seeded_plans_hold(seed):
    for each, text, model in islice(models(seed), 20):
        proof = proved(model, each)
        assert proof.holds, f"seed {each}: {proof.fault or proof.mispriced}\n{text}"


@pytest.fixture(scope="module")
def drawn():
    """Models that hold with the engine as it is."""
    return [model for _, _, model in islice(models(0), 150)]


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_shows(fault, drawn):
    with planted(fault):
        assert any(not proved(model, 0).holds for model in drawn)


def test_the_engine_is_whole_again_after_a_fault(drawn):
    with planted("a reduction is left out"):
        pass
    assert all(proved(model, 0).holds for model in drawn[:20])

"""What `infer` gives takes the place of what the declarations say."""

import pytest
from specs import analysis_of

SPEC = """
mesh tp = 4
dim B = 8, S = 1, T = 1024, G = 4, K = 16, D = 32
input x[B, S, D], q[B, S, G, K]
weight w[D, G, K] : fp32
cache kc[B, T, G, K]
layer keep:  kc[B, S, G, K] = x * w   partition G on tp
layer score: s[B, G, S, T] = q * kc   partition G on tp
output s
"""
WEIGHTS = 32 * 4 * 16 // 4  # on a device


def errors(analysis):
    return [found for found in analysis.findings if found.name == "global_size_mismatch"]


@pytest.mark.parametrize(
    ("infer", "item"),
    [("", 4), ("infer { weight = fp8 }", 1), ("infer { phase = decode }", 4)],
)
def test_the_type_of_weights(infer, item):
    assert analysis_of(SPEC + infer).totals.memory.weights == WEIGHTS * item


def test_training_leaves_the_types_of_the_spec():
    analysis = analysis_of(SPEC + "train adam { weight = bf16 }")
    assert analysis.totals.memory.weights == WEIGHTS * 4


@pytest.mark.parametrize("context", ["1024", "T", "S * T"])
def test_a_cache_of_the_context(context):
    assert not errors(analysis_of(f"{SPEC}infer {{ phase = decode  context = {context} }}"))


def test_a_cache_of_another_size_is_an_error():
    (found,) = errors(analysis_of(SPEC + "infer { phase = decode  context = 4096 }"))
    data = dict(found.data)
    assert (data["name"], data["dim"], data["size"]) == ("kc", "T", 1024)
    assert (data["other"], data["other_size"]) == ("context", 4096)

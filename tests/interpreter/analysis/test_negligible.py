"""Work that is repeated, but so little that nobody needs to know."""

import pytest

TEXT = """
mesh N = 2
dim B = {batch}, D = 64, F = 64
input x[B, D], b[D]
weight w[D, F], v[D, F]
layer up: h[B, F] = x * w partition F on N
layer half: c[F] = b * v
output h partition F on N
output c
"""


@pytest.mark.parametrize(("batch", "told"), [(8, ["repeated_work"]), (1048576, [])])
def test_a_negligible_share_is_not_told(analyzed, batch, told):
    analysis = analyzed(TEXT.format(batch=batch))
    assert [found.name for found in analysis.findings if found.name == "repeated_work"] == told

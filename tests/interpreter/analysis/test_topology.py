"""Axes against the domains that their links join."""

import pytest

HARDWARE = """
link node { bandwidth = 300 GB/s  within = 8 }
link net { bandwidth = 25 GB/s }
"""
LAYER = """
dim B = 64, F = 64
input x[B, F] partition F on {axis}
layer act: a[B, F] = gelu(x)
output a replicated on {axis}
"""


def topology(analysis):
    return [
        (f.name, dict(f.data)["axis"], dict(f.data)["domains"])
        for f in analysis.findings
        if f.name in ("topology", "slow_link")
    ]


@pytest.mark.parametrize(
    ("mesh", "expected"),
    [
        ("dp = 4 over node, tp = 4 over node", [("topology", "dp", 2)]),
        ("dp = 2 over node, tp = 4 over node", []),
        ("tp = 8 over node", []),
        ("tp = 16 over node", [("slow_link", "tp", 2)]),
        ("tp = 12 over node", [("slow_link", "tp", 2)]),
        ("dp = 4 over node, tp = 16 over node", [("topology", "dp", 8), ("slow_link", "tp", 2)]),
        ("dp = 4 over node, cp = 4 over net, tp = 4 over node", [("topology", "dp", 2)]),
        ("dp = 512 over net, tp = 8 over node", []),
        ("dp = 4 over node, one = 1 over node, tp = 4 over node", [("topology", "dp", 2)]),
        ("dp = n over node, tp = 4 over node", []),
        ("dp = 8, tp = 8", []),
    ],
)
def test_axes_are_laid_out_innermost_first(analyzed, mesh, expected):
    assert (
        topology(
            analyzed(
                HARDWARE + f"mesh {mesh}\n" + LAYER.format(axis="tp" if "tp" in mesh else "dp")
            )
        )
        == expected
    )


def test_figures_go_by_the_names_of_the_axes(analyzed):
    spec = HARDWARE + "mesh pp = 2 over net, dp = 4 over node, tp = 4 over node\n"
    (finding,) = [
        f for f in analyzed(spec + LAYER.format(axis="tp")).findings if f.name == "topology"
    ]
    data = dict(finding.data)
    assert (data["dp_nodes"], data["tp_in_node"], data["inside"]) == (2, True, ("tp",))
    assert data["priced_at"] == "net"


def seconds(analysis):
    (move,) = [move for move in analysis.moves if move.primitive == "All-Gather"]
    return move.time


def per_device(nodes):
    return 64 * 64 * 2 * (nodes - 1) / nodes


@pytest.mark.parametrize(
    ("mesh", "axis", "nodes", "bandwidth"),
    [
        ("pp = 2 over net, dp = 4 over node, tp = 4 over node", "dp", 4, 25e9),
        ("pp = 2 over net, dp = 4 over node, tp = 4 over node", "tp", 4, 300e9),
        ("dp = 4 over node, tp = 4 over node", "dp", 4, 300e9),  # nothing lies further out
        ("pp = 2 over net, tp = 16 over node", "tp", 16, 25e9),
        ("pp = 2 over net, dp = 4 over node, tp = 16 over node", "tp", 16, 25e9),
        ("pp = 2, tp = 16 over node", "tp", 16, 300e9),  # the next axis outward has no link
    ],
)
def test_an_axis_that_leaves_its_domain_runs_at_the_next_link_outward(
    analyzed, mesh, axis, nodes, bandwidth
):
    analysis = analyzed(HARDWARE + f"mesh {mesh}\n" + LAYER.format(axis=axis))
    assert seconds(analysis) == pytest.approx(per_device(nodes) / bandwidth)


def test_a_view_with_a_link_of_its_own(analyzed):
    spec = HARDWARE + "mesh dp = 16 over net\naxis edp = rest, ep = 8 over node of dp\n"
    assert seconds(analyzed(spec + LAYER.format(axis="ep"))) == pytest.approx(per_device(8) / 300e9)
    assert seconds(analyzed(spec + LAYER.format(axis="edp"))) == pytest.approx(per_device(2) / 25e9)

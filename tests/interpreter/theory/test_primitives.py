"""The primitives: orders, parts, prices and transposes, and the table of state changes."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parspec.interpreter.theory.formulas import generic, symbol
from parspec.interpreter.theory.layouts import REPLICATED, State
from parspec.interpreter.theory.primitives import (
    ALL_GATHER,
    ALL_REDUCE,
    ALL_TO_ALL,
    BROADCAST,
    PERMUTE,
    PRICE_LISTS,
    PRIMITIVES,
    REDUCE_SCATTER,
    SEND,
    Primitive,
    between,
    per_device,
    seconds,
    steps,
    traffic,
)

PUBLISHED = Path(__file__).parents[2] / "data" / "published.json"
P, OTHER = State("P", dim="d"), State("P", dim="e")
PARTIAL, MAXIMUM = State("partial", kind="sum"), State("partial", kind="max")
HERE, THERE, BOTH = (State("C", nodes=nodes) for nodes in ((0,), (3,), (0, 3)))


def published(name: str) -> dict[str, Any]:
    entries = json.loads(PUBLISHED.read_text(encoding="utf-8"))["entries"]
    return next(entry for entry in entries if entry["id"] == name)


@pytest.mark.parametrize(
    ("name", "order", "parts", "transpose"),
    [
        ("Gather", 1, ("Gather",), "Scatter"),
        ("Scatter", 1, ("Scatter",), "Gather"),
        ("Broadcast", 1, ("Broadcast",), "Reduce"),
        ("Reduce", 1, ("Reduce",), "Broadcast"),
        ("All-Gather", 2, ("Gather", "Broadcast"), "Reduce-Scatter"),
        ("Reduce-Scatter", 2, ("Reduce", "Scatter"), "All-Gather"),
        ("All-Reduce", 4, ("Reduce-Scatter", "All-Gather"), None),
        ("All-to-All", 2, ("Gather", "Scatter"), "All-to-All"),
        ("Send", 1, ("Send",), "Send"),
        ("Permute", 1, ("Permute",), "Permute"),
    ],
)
def test_order_parts_and_transpose(
    name: str, order: int, parts: tuple[str, ...], transpose: str | None
) -> None:
    primitive = PRIMITIVES[name]
    assert (primitive.order, primitive.parts, primitive.transpose) == (order, parts, transpose)


@pytest.mark.parametrize("primitive", PRIMITIVES.values(), ids=PRIMITIVES)
def test_the_transpose_of_the_transpose_is_the_primitive(primitive: Primitive) -> None:
    if primitive.transpose is not None:
        assert PRIMITIVES[primitive.transpose].transpose == primitive.name


# Prices of a variable of 64 bytes on 8 nodes, computed by hand: composed, approx, ring, per device.
EIGHT_NODES = {
    "Gather": (56, 64, 56, 56),
    "Scatter": (56, 64, 56, 56),
    "Broadcast": (448, 512, 448, 64),
    "Reduce": (448, 512, 448, 64),
    "All-Gather": (504, 512, 448, 56),
    "Reduce-Scatter": (504, 512, 448, 56),
    "All-Reduce": (1008, 1024, 896, 112),
    "All-to-All": (112, 128, 56, 7),
    "Send": (64, 64, 64, 64),
    "Permute": (64, 64, 64, 8),
}
FORMULAS = {
    "Gather": ("(N−1)/N·M", "M", "(N−1)/N·M", "(N−1)/N·M"),
    "Scatter": ("(N−1)/N·M", "M", "(N−1)/N·M", "(N−1)/N·M"),
    "Broadcast": ("(N−1)·M", "N·M", "(N−1)·M", "M"),
    "Reduce": ("(N−1)·M", "N·M", "(N−1)·M", "M"),
    "All-Gather": ("(N−1)/N·M + (N−1)·M", "N·M", "(N−1)·M", "(N−1)/N·M"),
    "Reduce-Scatter": ("(N−1)/N·M + (N−1)·M", "N·M", "(N−1)·M", "(N−1)/N·M"),
    "All-Reduce": ("2(N−1)/N·M + 2(N−1)·M", "2·N·M", "2(N−1)·M", "2(N−1)/N·M"),
    "All-to-All": ("2(N−1)/N·M", "2·M", "(N−1)/N·M", "(N−1)/N·M/N"),
    "Send": ("M", "M", "M", "M"),
    "Permute": ("M", "M", "M", "M/N"),
}


@pytest.mark.parametrize("name", PRIMITIVES)
def test_prices_on_eight_nodes(name: str) -> None:
    primitive = PRIMITIVES[name]
    prices = tuple(traffic(primitive, price_list, 64, 8) for price_list in PRICE_LISTS)
    assert (*prices, per_device(primitive, 64, 8)) == EIGHT_NODES[name]


@pytest.mark.parametrize("name", PRIMITIVES)
def test_price_formulas(name: str) -> None:
    primitive = PRIMITIVES[name]
    prices = tuple(primitive.traffic.of(price_list).reader() for price_list in PRICE_LISTS)
    assert (*prices, primitive.per_device.reader()) == FORMULAS[name]


@pytest.mark.parametrize(("name", "count"), [("All-Reduce", 14), ("Send", 1), ("All-Gather", 7)])
def test_steps_on_eight_nodes(name: str, count: int) -> None:
    assert steps(PRIMITIVES[name], 8) == count


@pytest.mark.parametrize("primitive", PRIMITIVES.values(), ids=PRIMITIVES)
def test_a_group_of_one_pays_nothing(primitive: Primitive) -> None:
    assert [traffic(primitive, price_list, 64, 1) for price_list in PRICE_LISTS] == [0, 0, 0]
    assert per_device(primitive, 64, 1) == 0
    assert steps(primitive, 1) == 0
    assert seconds(primitive, 64, 1, 100, 1, 1, 1) == 0.0


def test_symbolic_prices() -> None:
    n, m = symbol("N"), symbol("B") * symbol("D")
    assert traffic(ALL_GATHER, "composed", m, n) == (n - 1) / n * m + (n - 1) * m
    assert traffic(ALL_REDUCE, "approx", m, n) == 2 * n * m
    assert per_device(ALL_TO_ALL, m, n) == (n - 1) / n * m / n


@given(st.sampled_from(list(PRIMITIVES.values())), st.integers(2, 512), st.integers(1, 1 << 40))
def test_composed_prices_are_the_sum_of_the_parts(
    primitive: Primitive, nodes: int, size: int
) -> None:
    parts = sum(
        Fraction(generic(traffic(PRIMITIVES[part], "composed", size, nodes)))
        for part in primitive.parts
    )
    assert traffic(primitive, "composed", size, nodes) == parts
    assert generic(traffic(primitive, "ring", size, nodes)) <= parts


@given(st.sampled_from(list(PRIMITIVES.values())), st.integers(1, 1 << 40))
def test_approximations_are_close_on_many_nodes(primitive: Primitive, size: int) -> None:
    exact = generic(traffic(primitive, "composed", size, 10_000))
    close = generic(traffic(primitive, "approx", size, 10_000))
    assert abs(exact / close - 1) <= Fraction(1, 5_000)


@given(st.integers(2, 512))
def test_the_articles_sum_overstates_the_wire(nodes: int) -> None:
    for primitive in (ALL_GATHER, REDUCE_SCATTER, ALL_REDUCE):
        wire = generic(traffic(primitive, "ring", 1, nodes))
        assert generic(traffic(primitive, "composed", 1, nodes)) / wire == 1 + Fraction(1, nodes)
    wire = generic(traffic(ALL_TO_ALL, "ring", 1, nodes))
    assert generic(traffic(ALL_TO_ALL, "composed", 1, nodes)) / wire == 2


@given(st.integers(2, 512), st.integers(1, 1 << 40))
def test_in_a_ring_all_devices_send_the_same(nodes: int, size: int) -> None:
    for primitive in (ALL_GATHER, REDUCE_SCATTER, ALL_REDUCE, ALL_TO_ALL, PERMUTE):
        each = per_device(primitive, size, nodes)
        assert nodes * each == traffic(primitive, "ring", size, nodes)


@pytest.mark.parametrize(
    ("source", "target", "name"),
    [
        (P, P, None),
        (P, OTHER, "All-to-All"),
        (P, REPLICATED, "All-Gather"),
        (P, HERE, "Gather"),
        (P, PARTIAL, None),
        (REPLICATED, P, None),
        (REPLICATED, REPLICATED, None),
        (REPLICATED, HERE, None),
        (REPLICATED, PARTIAL, None),
        (PARTIAL, P, "Reduce-Scatter"),
        (PARTIAL, REPLICATED, "All-Reduce"),
        (PARTIAL, HERE, "Reduce"),
        (PARTIAL, PARTIAL, None),
        (MAXIMUM, REPLICATED, "All-Reduce"),
        (HERE, P, "Scatter"),
        (HERE, REPLICATED, "Broadcast"),
        (HERE, HERE, None),
        (HERE, THERE, "Send"),
        (BOTH, THERE, None),
        (HERE, PARTIAL, None),
    ],
    ids=str,
)
def test_between(source: State, target: State, name: str | None) -> None:
    primitive = between(source, target)
    assert (primitive.name if primitive else None) == name


def test_nothing_turns_a_sum_into_a_maximum() -> None:
    with pytest.raises(ValueError, match=r"R\(partial\) is not turned into R\(partial max\)"):
        between(PARTIAL, MAXIMUM)


def test_time_is_start_and_latency_and_bytes() -> None:
    # 10 µs + 2·7·2 µs + 7 MB / (50 GB/s · 70 %)
    time = seconds(
        ALL_REDUCE,
        7_000_000,
        8,
        50_000_000_000,
        Fraction(2, 1_000_000),
        Fraction(10, 1_000_000),
        Fraction(7, 10),
    )
    assert time == pytest.approx(38e-6 + 200e-6)


def test_a_symbolic_time_is_our_mistake() -> None:
    with pytest.raises(TypeError):
        seconds(SEND, symbol("B"), 2, 1, 1, 1, 1)


class TestPublishedFigures:
    @pytest.mark.parametrize(
        ("entry", "primitive"),
        [
            ("nccl-busfactor-all_reduce", ALL_REDUCE),
            ("nccl-busfactor-reduce_scatter", REDUCE_SCATTER),
            ("nccl-busfactor-broadcast", BROADCAST),
        ],
    )
    def test_bus_factors(self, entry: str, primitive: Primitive) -> None:
        figure = published(entry)
        factors = [float(generic(per_device(primitive, 1, n))) for n in figure["inputs"]["n"]]
        assert factors == pytest.approx(figure["expected"], abs=figure["tolerance"]["abs"])

    def test_bus_factor_of_all_to_all_counts_one_ranks_buffer(self) -> None:
        figure = published("nccl-busfactor-all_to_all")
        factors = [float(generic(per_device(ALL_TO_ALL, n, n))) for n in figure["inputs"]["n"]]
        assert factors == pytest.approx(figure["expected"], abs=figure["tolerance"]["abs"])

    def test_ideal_time_of_all_reduce(self) -> None:
        figure = published("nccl-ar-time-ideal-8x")
        inputs = figure["inputs"]
        each = per_device(ALL_REDUCE, inputs["S_bytes"], inputs["n"])
        time = seconds(ALL_REDUCE, each, inputs["n"], int(inputs["B_bytes_per_s"]), 0, 0, 1)
        assert time * 1e6 == pytest.approx(figure["expected"], rel=figure["tolerance"]["rel"])

    def test_latency_of_a_ring(self) -> None:
        figure = published("nccl-ring-latency-a100-8")
        inputs = figure["inputs"]
        base, hop = Fraction(str(inputs["base_us"])), Fraction(str(inputs["hop_us"]))
        time = seconds(ALL_REDUCE, 0, inputs["n"], 1, hop, base, 1)
        assert time == pytest.approx(figure["expected"], abs=figure["tolerance"]["abs"])

    def test_all_gather_on_four_chips(self) -> None:
        figure = published("sb-sharding-popquiz2b-nowrap")
        inputs = figure["inputs"]
        each = per_device(ALL_GATHER, 2 * 2048 * 8192, inputs["axis"])  # bf16[2048, 8192]
        time = seconds(ALL_GATHER, each, inputs["axis"], int(inputs["uni_bw"]), 0, 0, 1)
        assert time == pytest.approx(figure["expected"], rel=figure["tolerance"]["rel"])

    def test_tensor_parallel_volume_of_a_layer(self) -> None:
        figure = published("tp-volume-175B-t8")
        payload = figure["expected"]["AR_payload_bytes"]
        each = per_device(ALL_REDUCE, payload, figure["inputs"]["t"])
        assert 4 * each == figure["expected"]["per_gpu_per_layer_bytes"]

    @pytest.mark.parametrize(("stage", "gathers"), [("zero1_2_GB", 1), ("zero3_GB", 2)])
    def test_zero_volume_of_a_step(self, stage: str, gathers: int) -> None:
        figure = published("fsdp-volume-8B-64")
        inputs = figure["inputs"]
        size = int(inputs["P"]) * inputs["bytes"]
        each = gathers * per_device(ALL_GATHER, size, inputs["N"]) + per_device(
            REDUCE_SCATTER, size, inputs["N"]
        )
        expected = pytest.approx(figure["expected"][stage], rel=figure["tolerance"]["rel"])
        assert float(generic(each)) / 1e9 == expected

    def test_expert_parallel_volume_of_a_layer(self) -> None:
        figure = published("ep-dispatch-h8192")
        inputs = figure["inputs"]
        own = inputs["tokens"] * inputs["k"] * inputs["h"] * inputs["bytes"]
        each = inputs["passes"] * per_device(ALL_TO_ALL, inputs["ep"] * own, inputs["ep"])
        expected = pytest.approx(figure["expected"], rel=figure["tolerance"]["rel"])
        assert float(generic(each)) / 1e9 == expected

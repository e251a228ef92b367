"""What a comparison finds, with values worked out by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest
from specs import MEGATRON

from parspec.interpreter.commands.loading import Spec, analysed
from parspec.interpreter.output.comparisons.compared import compared
from parspec.interpreter.output.comparisons.members import members
from parspec.interpreter.output.comparisons.memo import memo, telling
from parspec.interpreter.output.comparisons.values import (
    Change,
    Largest,
    Missing,
    Variant,
    change,
    largest,
    sign,
)
from parspec.interpreter.output.comparisons.verdict import verdict
from parspec.interpreter.output.comparisons.words import (
    added,
    capacity,
    comparative,
    factor,
    percent,
    shown,
    times,
)
from parspec.interpreter.theory.formulas import symbol

# Column and row parallelism (one All-Reduce of y, M = 4 · 2 · 2 B = 16 B, on N = 2) against data
# parallelism, on a device that is quick enough to see communication.
PAIR = """\
dim B = 4, D = 2, F = 8
input  x[B, D]
weight up[D, F], down[F, D]
layer a: h[B, F] = x * up
layer b: y[B, D] = h * down
output y
plan tp {
  mesh tp = 2 over nv on 2 gpu
  for *: partition F on tp
  output y replicated on tp
}
plan dp {
  mesh dp = 2 over ib on 2 gpu
  for *: partition B on dp
}
device gpu { memory = 1 KiB  flops = 1 Tflop/s  hbm = 1 TB/s }
link nv { bandwidth = 16 GB/s }
link ib { bandwidth = 1 GB/s }
"""

STACK = """\
dim B = 8, D = 4, F = 16, L = 4
input x[B, D]
stack s[L]: x -> y {
  weight up[D, F], down[F, D]
  layer a: h[B, F] = x * up
  layer b: y[B, D] = h * down
}
output y
plan flat { mesh dp = 2  for *: partition B on dp }
plan piped { mesh pp = 2  for s: partition L on pp }
"""


def variant(name, text, plan=None, **options):
    return Variant(name, analysed(Spec("spec.par", text), plan, **options))


def plans(text, *names, **options):
    return compared([variant(name, text, name, **options) for name in names])


def texts(**named):
    return compared([variant(name, text) for name, text in named.items()])


def exchange(comparison, layer, label):
    (found,) = (one for one in comparison.exchanges if (one.layer, one.label) == (layer, label))
    return found


class TestTwoPlans:
    pair = plans(PAIR, "tp", "dp")

    def test_what_differs(self):
        said = [(d.subject, d.axis, d.members, d.values) for d in self.pair.differences]
        assert said == [
            ("mesh", None, (), ("tp = 2 over nv", "dp = 2 over ib")),
            ("strategy", "tp", ("a",), ("tensor, column (F)", None)),
            ("strategy", "tp", ("b",), ("tensor, row (F)", None)),
            ("strategy", "dp", ("all",), (None, "data (B)")),
        ]

    @pytest.mark.parametrize(
        ("group", "name", "values"),
        [
            # 2 ((N-1)/N + N-1) M = 2 · 1.5 · 16 B
            ("traffic", "forward", (48, 0)),
            ("traffic by axis", "tp", (48, 0)),
            ("traffic by link", "nv", (48, 0)),
            ("traffic by primitive", "All-Reduce", (48, 0)),
            ("traffic per device", "in all", (16, 0)),  # 2 (N-1)/N M
            ("memory per device", "weights", (32, 64)),  # 2 · D · F · 2 B, halved or not
            ("memory per device", "activations", (48, 40)),  # x and h: 16 + 32, 8 + 32
            ("memory per device", "total", (80, 104)),
            ("size", "devices", (2, 2)),
        ],
    )
    def test_figures(self, group, name, values):
        assert self.pair.values(group, name) == values

    def test_times(self):
        # 2 B · D · F / 2 = 64 FLOPs a layer; under dp 8 + 32 + 32 = 72 bytes take longer
        assert self.pair.values("time", "compute") == pytest.approx((128e-12, 144e-12))
        assert self.pair.values("time", "communication") == pytest.approx((1e-9, 0))
        assert self.pair.values("time", "step") == pytest.approx((1.128e-9, 0.144e-9))
        assert self.pair.values("time", "device time") == pytest.approx((2.256e-9, 0.288e-9))

    def test_the_primitive_is_gone(self):
        (one,) = self.pair.exchanges
        assert (one.layer, one.label, one.axes) == ("", "y", ("tp",))
        assert (one.status(1), one.traffic, one.per_device) == ("gone", (48, 0), (16, 0))
        assert (one.primitives(0), one.primitives(1)) == (("All-Reduce",), ())
        assert one.weight == 48

    def test_bounds(self):
        tp, dp = self.pair.bounds
        assert tp.memory == Largest("activations", 48, Fraction(48, 80))
        assert dp.memory == Largest("weights", 64, Fraction(64, 104))
        assert (tp.hbm, dp.hbm) == (0, 1)  # 64 bytes take as long as 64 FLOPs; 72 longer
        assert (tp.axis.name, tp.link, tp.axis.share, tp.timed) == ("tp", "nv", 1, True)
        assert tp.exchange.name == "All-Reduce of y at the output on tp"
        assert (dp.axis, dp.link, dp.exchange) == (None, None, None)

    def test_verdict(self):
        assert verdict(self.pair) == (
            "dp takes 7.8 times less time a step (0.144 ns against 1.13 ns), moves nothing over nv "
            "(against 48 B), but needs 24 B more memory a device (104 B against 80 B); both fit "
            "1 KiB."
        )

    def test_nothing_is_missing(self):
        assert self.pair.missing == ((), ())

    def test_a_device_that_is_too_small(self):
        small = PAIR.replace("memory = 1 KiB", "memory = 100 B")
        assert verdict(plans(small, "tp", "dp")).startswith(
            "tp fits 100 B, dp does not fit 100 B. dp takes 7.8 times less time a step"
        )
        smaller = PAIR.replace("memory = 1 KiB", "memory = 50 B")
        assert verdict(plans(smaller, "dp", "tp")).endswith("; neither fits 50 B.")

    def test_a_total_that_is_not_known(self):
        trained = PAIR + "train adam { }\n"
        unknown = compared([variant("a", trained, "tp"), variant("b", trained, "dp")])
        assert verdict(unknown).endswith("; both may fit 1 KiB, the total is not known.")
        assert "needs 32 B more memory a device for weights (64 B against 32 B)" in verdict(unknown)
        assert "moves nothing over nv forward (against 48 B)" in verdict(unknown)

    def test_against_itself(self):
        same = plans(PAIR, "tp", "tp")
        assert same.differences == ()
        assert [one.status(1) for one in same.exchanges] == ["same"]
        assert verdict(same) == (
            "tp takes as much time a step (1.13 ns), moves as much over nv (48 B), needs as much "
            "memory a device (80 B); both fit 1 KiB."
        )


class TestTwoMeshes:
    wider = texts(narrow=MEGATRON, wide=MEGATRON.replace("N = 8", "N = 16"))

    def test_figures(self):
        m = 4096 * 8192 * 2
        assert self.wider.values("traffic", "forward") == (m * 63 // 4, m * 255 // 8)
        assert self.wider.values("traffic per device", "in all") == (m * 7 // 4, m * 15 // 8)
        weights = 2 * 8192 * 28672 * 2
        assert self.wider.values("memory per device", "weights") == (weights // 8, weights // 16)

    def test_the_primitive_changes(self):
        (one,) = self.wider.exchanges
        assert one.status(1) == "changed"
        assert change(*one.traffic).ratio == Fraction(85, 42)

    def test_verdict(self):
        assert verdict(self.wider).startswith(
            "narrow sends 6.7% less a device (117 MB against 126 MB), but needs 58.7 MB more "
            "memory a device (252 MB against 193 MB). It has 2 times fewer devices (8 against 16)."
        )

    def test_a_budget_that_one_keeps(self):
        (budget,) = self.wider.expects
        assert budget.text == "expect traffic <= 1.2 GB"
        assert budget.verdicts == ((True, "1.06 GB"), (False, "2.14 GB"))

    def test_what_is_missing_and_why(self):
        assert set(self.wider.missing) == {
            (
                Missing("compute time", "the mesh names no device"),
                Missing("communication time", "no link for N"),
                Missing("step time", "a part is not computed"),
            )
        }


class TestPipelined:
    pipeline = plans(STACK, "flat", "piped")

    def test_what_differs(self):
        strategies = [d for d in self.pipeline.differences if d.subject == "strategy"]
        assert [(d.axis, d.members, d.values) for d in strategies] == [
            ("dp", ("s",), ("data (B)", None)),
            ("pp", ("s",), (None, "pipeline")),
        ]

    def test_a_send_for_each_boundary(self):
        one = exchange(self.pipeline, "s", "y")
        assert (one.status(1), one.primitives(1), one.traffic) == ("added", ("Send",), (0, 64))

    def test_stages(self):
        assert [(row.stage, row.holds, row.memory[0]) for row in self.pipeline.stages] == [
            (0, (None, ("s 0-1",)), None),
            (1, (None, ("s 2-3",)), None),
        ]
        # two of four layers' weights (2 · 4 · 16 · 2 B each), x and h of all 8 rows
        assert {row.memory[1] for row in self.pipeline.stages} == {512 + 64 + 256}

    def test_the_step_depends_on_the_schedule(self):
        assert Missing("step time", "depends on the schedule") in self.pipeline.missing[1]


class TestSymbolic:
    open_sizes = MEGATRON.replace("N = 8", "N").replace("B = 4096", "B").rpartition("expect")[0]
    row_first = open_sizes.replace("w_up partition F on N", "w_up partition D on N")
    comparison = texts(column=open_sizes, row=row_first)

    def test_traffic_is_a_formula(self):
        b, n = symbol("B"), symbol("N")
        y, h = 2 * 8192 * b, 2 * 28672 * b
        each = 2 * (n - 1) / n + 2 * (n - 1)
        assert self.comparison.values("traffic", "forward") == (each * y, each * (y + h))

    def test_a_quotient_of_formulas_is_a_number(self):
        assert change(*self.comparison.values("traffic", "forward")).ratio == Fraction(9, 2)

    def test_verdict(self):
        assert verdict(self.comparison) == (
            "column moves 4.5 times less in all, needs 139264·B B less memory a device."
        )

    def test_a_share_of_formulas_is_not_told(self):
        assert self.comparison.bounds[1].exchange.share is None

    def test_what_sizes_decide(self):
        wider = self.open_sizes.replace("mesh N", "mesh M").replace("on N", "on M")
        assert verdict(texts(one=self.open_sizes, other=wider)) == (
            "Which sends less a device and needs less memory a device depends on sizes: "
            "--set B=... M=... N=... ranks them."
        )


class TestErrors:
    def test_what_can_be_compared_is(self):
        wrong = plans(PAIR.replace("B on dp\n", "B on pd\n"), "tp", "dp")
        assert wrong.values("traffic", "forward") == (48, 0)
        assert verdict(wrong).endswith(" All this as far as dp could be read: there are errors.")

    def test_a_budget_is_no_mistake(self):
        assert "errors" not in verdict(TestTwoMeshes.wider)

    def test_nothing_at_all(self):
        assert verdict(texts(one="", other="")) == "There is nothing to judge them by."


class TestSeveral:
    more = PAIR + "plan rep { mesh dp = 2 over ib on 2 gpu }\n"
    three = plans(more, "tp", "dp", "rep")

    def test_ranking(self):
        assert verdict(self.three) == (
            "All fit 1 KiB. Least time a step: dp 0.144 ns, then rep 0.256 ns, then tp 1.13 ns. "
            "Least traffic over nv: dp and rep 0 B, then tp 48 B. Least memory a device: tp 80 B, "
            "then dp 104 B, then rep 144 B."
        )

    def test_status_is_against_the_first(self):
        (one,) = self.three.exchanges
        assert [one.status(place) for place in range(3)] == ["same", "gone", "gone"]
        (other,) = plans(self.more, "dp", "rep", "tp").exchanges
        assert [other.status(place) for place in range(3)] == ["nowhere", "nowhere", "added"]


class TestUnlikeSpecs:
    def test_dims_settings_types_and_layers(self):
        train = PAIR.partition("plan")[0] + "train adam { grad = fp32 }\n"
        infer = (
            train.replace("B = 4", "B = 16")
            .replace("down[F, D]", "down[F, D] : fp8")
            .replace("layer b: y[B, D] = h * down", "layer c: y[B, D] = h * down")
            .replace("train adam { grad = fp32 }", "infer { phase = prefill }")
        )
        found = {d.subject: d for d in texts(a=train, b=infer).differences}
        assert found["step"].values == ("train adam", "infer")
        assert found["dim B"].values == ("4", "16")
        assert found["setting grad"].values == ("fp32", None)
        assert found["setting phase"].values == (None, "prefill")
        assert (found["type"].members, found["type"].values) == (("down",), ("bf16", "fp8"))
        layers = [d for d in texts(a=train, b=infer).differences if d.subject == "layer"]
        assert [(d.members, d.values) for d in layers] == [
            (("b",), ("there", None)),
            (("c",), (None, "there")),
        ]

    def test_how_weights_lie_at_rest(self):
        stored = PAIR.replace("B on dp\n", "B on dp\n  for *: store on dp\n")
        sharded = compared([variant("dp", PAIR, "dp"), variant("fsdp", stored, "dp")])
        rest = [d for d in sharded.differences if d.subject == "at rest"]
        assert [(d.axis, d.members, d.values) for d in rest] == [
            ("dp", ("up", "down"), ("R", "P(flat)"))
        ]

    def test_hardware(self):
        faster = PAIR.replace("nv { bandwidth = 16", "nv { bandwidth = 32").replace(
            "hbm = 1 TB/s", "hbm = 2 TB/s"
        )
        found = compared([variant("old", PAIR, "tp"), variant("new", faster, "tp")]).differences
        assert [d.subject for d in found] == ["device", "link nv"]
        assert found[0].values[1] == "memory 1 KiB, flops 1T/s, hbm 2 TB/s"


class TestTelling:
    def test_what_is_the_same_is_left_out(self):
        assert telling(plans(PAIR, "tp", "tp").exchanges) == ()

    def test_a_tail_is_left_out(self):
        layers = "".join(
            f"dim D{n} = {size}\ninput x{n}[D{n}] partition D{n} on a\n"
            f"layer l{n}: y{n}[D{n}] = gelu(x{n}) partition none on a\noutput y{n}\n"
            for n, size in enumerate([8, 1 << 20, *[16] * 8])
        )
        comparison = texts(small="mesh a = 2\n" + layers, large="mesh a = 4\n" + layers)
        kept = telling(comparison.exchanges)
        assert len(comparison.exchanges) == 10
        assert [one.label for one in kept] == ["x1", "x2", "x3", "x4", "x5", "x6"]
        below = memo(comparison, telling).parts[-1].below
        assert below.endswith("; 4 more of little weight: 168 B against 420 B")

    def test_what_is_left_out_is_close_only_where_nearly_as_much_moves(self):
        close = texts(a=GATHERED.format(size=100), b=GATHERED.format(size=108)).exchanges
        apart = texts(a=GATHERED.format(size=100), b=GATHERED.format(size=120)).exchanges
        assert [[one.close for one in found] for found in (close, apart)] == [[True], [False]]


GATHERED = """\
mesh a = 2
dim D = {size}
input x[D] partition D on a
layer l: y[D] = gelu(x) partition none on a
output y
"""


# -- the parts that they are made of


@pytest.mark.parametrize(
    ("names", "told"),
    [
        ("a", ("a",)),
        ("a b c.d c.e.f c.e.g", ("all",)),
        ("c.d c.e.f c.e.g", ("c",)),
        ("c.d", ("c.d",)),
        ("a c.d c.e.f", ("a", "c.{d, e.f}")),
        ("c.e.f c.e.g", ("c.e",)),
    ],
)
def test_members(names, told):
    assert members(names.split(), ["a", "b", "c.d", "c.e.f", "c.e.g"]) == told


def test_one_alone_goes_by_its_name():
    assert members(["a"], ["a"]) == ("a",)


N = symbol("N")


@pytest.mark.parametrize(
    ("first", "other", "changed"),
    [
        (4, 6, Change(2, Fraction(3, 2))),
        (0, 6, Change(6, None)),
        (None, 6, Change(None, None)),
        (6, None, Change(None, None)),
        (2.0, 0.5, Change(-1.5, Fraction(1, 4))),
        (2 * N, 6 * N, Change(4 * N, Fraction(3))),
        (N, 1, Change(1 - N, None)),
    ],
)
def test_change(first, other, changed):
    assert change(first, other) == changed


def test_signs_of_formulas():
    assert [sign(x) for x in (3, 0, -2.5, N, -N, N - 1, None)] == [1, 0, -1, 1, -1, None, None]
    assert sign((N + 1) / (N + 2)) is None


def test_largest():
    assert largest([("a", 1), ("b", None), ("c", 3)]) == Largest("c", 3, Fraction(3, 4))
    assert largest([("a", 0), ("b", None)]) is None
    assert largest([("a", N), ("b", 1)]).share is None


@pytest.mark.parametrize(
    ("first", "other", "difference", "ratio"),
    [
        (10**9, 2 * 10**9, "+1 GB", "×2"),
        (2 * 10**9, 10**9, "−1 GB", "÷2"),
        (1000, 1032, "+32 B", "+3.2%"),
        (1000, 968, "−32 B", "−3.2%"),
        (7, 7, "same", ""),
        (0, 7, "+7 B", ""),
        (7, 0, "−7 B", ""),
        (None, 7, "-", ""),
        (1, 10**6, "+1 MB", "×1M"),
        (N, 3 * N, "+2·N B", "×3"),
        (3 * N, N, "−2·N B", "÷3"),
        (N, 5, "(5 − N) B", ""),
    ],
)
def test_words_of_a_change(first, other, difference, ratio):
    changed = change(first, other)
    assert (added(changed, "bytes"), factor(changed)) == (difference, ratio)


def test_words():
    assert [comparative(Fraction(n, 100)) for n in (50, 83, 97, 103, 210, 9900)] == [
        *("2 times less", "17% less", "3% less", "3% more", "2.1 times as much"),
        "99 times as much",
    ]
    assert [percent(Fraction(n, 1000)) for n in (0, 4, 500, 1000)] == [
        "0%",
        "under 1%",
        "50%",
        "100%",
    ]
    assert [capacity(n) for n in (80 * 2**30, 2**40, 10**9, 1024)] == [
        *("80 GiB", "1 TiB", "1 GB", "1 KiB")
    ]
    assert times(Fraction(12345, 1)) == "12.3k"
    assert shown(None, "bytes") == "-"
    assert shown(0.4, "share") == "40%"
    assert shown(1234567.0, "per second") == "1.23M/s"
    assert shown(0, "seconds") == "0 s"

"""Strategies: the article's tables come out of the rule, for its operator and for others."""

from __future__ import annotations

import pytest

from parspec.interpreter.theory.formulas import compact, plain, symbol
from parspec.interpreter.theory.operators import Operator
from parspec.interpreter.theory.strategies import (
    Kind,
    Letter,
    Strategies,
    Strategy,
    derive,
    strategy_name,
)

LINEAR = Operator("einsum", (("B", "I"), ("I", "O")), ("B", "O"))
D = symbol("D")


@pytest.fixture(scope="module")
def linear() -> Strategies:
    return derive(("X", "W"), {"W"}, "Y", LINEAR, "L", chained={"I": D, "O": D})


def along(tables: Strategies, dim: str) -> Strategy:
    return next(strategy for strategy in tables.strategies if strategy.dim == dim)


class TestTheArticle:
    def test_relations(self, linear: Strategies) -> None:
        relations = {own.variable: own.dims for own in linear.relations}
        assert relations == {"X": ("L", "B", "I"), "W": ("L", "I", "O"), "Y": ("L", "B", "O")}

    def test_strategies_come_stack_first_then_the_result_then_what_is_summed(
        self, linear: Strategies
    ) -> None:
        assert [strategy.dim for strategy in linear.strategies] == ["L", "B", "O", "I"]

    @pytest.mark.parametrize(
        ("dim", "name", "states"),
        [
            ("L", "pipeline", ["P(L)", "P(L)", "P(L)"]),
            ("B", "data", ["P(B)", "R", "P(B)"]),
            ("O", "tensor, column", ["R", "P(O)", "P(O)"]),
            ("I", "tensor, row", ["P(I)", "P(I)", "R(partial)"]),
        ],
    )
    def test_states(self, linear: Strategies, dim: str, name: str, states: list[str]) -> None:
        strategy = along(linear, dim)
        assert strategy.name == name
        assert [str(state) for state in strategy.states] == states

    @pytest.mark.parametrize(
        ("dim", "each", "total"),
        [
            ("L", ["LBI", "LOI", "LBO"], "LBI + LOI + LBO"),
            ("B", ["BI", "NLOI", "BO"], "BI + N·LOI + BO"),
            ("O", ["NBI", "LOI", "BO"], "N·BI + LOI + BO"),
            ("I", ["BI", "LOI", "NBO"], "BI + LOI + N·BO"),
        ],
    )
    def test_storage(self, linear: Strategies, dim: str, each: list[str], total: str) -> None:
        strategy = along(linear, dim)
        assert [compact(amount, linear.order) for amount in strategy.storage] == each
        assert compact(strategy.total, linear.order) == total

    @pytest.mark.parametrize(
        ("dim", "states", "primitive", "traffic"),
        [
            ("L", ("P(L)", "P(L)"), "Send", "LBD"),
            ("B", ("P(B)", "P(B)"), None, "0"),
            ("O", ("P(I)", "R"), "All-Gather", "NLBD"),
            ("I", ("R(partial)", "P(I)"), "Reduce-Scatter", "NLBD"),
        ],
    )
    def test_between_layers(
        self,
        linear: Strategies,
        dim: str,
        states: tuple[str, str],
        primitive: str | None,
        traffic: str,
    ) -> None:
        between = along(linear, dim).between
        assert between is not None
        assert between.operand == "X"
        assert (str(between.source), str(between.target)) == states
        assert (between.primitive.name if between.primitive else None) == primitive
        assert compact(dict(between.traffic)["approx"], linear.order) == traffic

    def test_exact_traffic_between_layers(self, linear: Strategies) -> None:
        n, turns, m = symbol("N"), symbol("L"), symbol("B") * D
        send, gather = along(linear, "L").between, along(linear, "O").between
        assert send is not None
        assert gather is not None
        assert dict(send.traffic)["composed"] == dict(send.traffic)["ring"] == (turns - 1) * m
        assert dict(gather.traffic)["composed"] == turns * ((n - 1) / n * m + (n - 1) * m)
        assert dict(gather.traffic)["ring"] == turns * (n - 1) * m
        assert gather.size == m

    def test_plain_formulas(self, linear: Strategies) -> None:
        data = along(linear, "B")
        assert [plain(amount, linear.order) for amount in data.storage] == [
            "B*I",
            "N*L*O*I",
            "B*O",
        ]
        assert plain(data.total, linear.order) == "B*I + N*L*O*I + B*O"


class TestOtherOperators:
    def test_without_a_stack_one_boundary_is_priced(self) -> None:
        tables = derive(("X", "W"), {"W"}, "Y", LINEAR)
        assert [strategy.dim for strategy in tables.strategies] == ["B", "O", "I"]
        between = along(tables, "O").between
        assert between is not None
        assert compact(dict(between.traffic)["approx"], tables.order) == "NBO"

    def test_sizes_may_be_numbers(self) -> None:
        tables = derive(("X", "W"), {"W"}, "Y", LINEAR, "L", {"B": 4, "I": 8, "O": 16, "L": 3})
        assert along(tables, "L").storage == (96, 384, 192)
        assert along(tables, "B").total == 32 + 384 * symbol("N") + 64

    def test_given_sizes_follow_their_dimension(self) -> None:
        tokens = symbol("T")
        tables = derive(("X", "W"), {"W"}, "Y", LINEAR, "L", {"B": tokens, "I": D, "O": D})
        assert compact(along(tables, "L").total, tables.order) == "2·LTD + LD²"

    def test_a_dimension_named_n_is_not_the_group_size(self) -> None:
        operator = Operator("einsum", (("M", "K"), ("K", "N")), ("M", "N"))
        tables = derive(("X", "W"), {"W"}, "Y", operator)
        assert tables.nodes == "nodes"
        assert plain(along(tables, "M").total, tables.order) == "M*K + nodes*N*K + M*N"

    def test_nor_is_a_size_in_terms_of_n(self) -> None:
        tables = derive(("X", "W"), {"W"}, "Y", LINEAR, sizes={"O": symbol("N")})
        assert tables.nodes == "nodes"
        assert plain(along(tables, "B").storage[1], tables.order) == "nodes*N*I"

    def test_a_dimension_named_as_the_stack_is_not_the_stack(self) -> None:
        operator = Operator("einsum", (("L", "I"), ("I", "O")), ("L", "O"))
        tables = derive(("X", "W"), {"W"}, "Y", operator, "L")
        assert [strategy.dim for strategy in tables.strategies] == ["L", "O", "I"]
        assert along(tables, "L").name == "data"

    def test_attention_scores_have_no_next_layer(self) -> None:
        operator = Operator(
            "einsum", (("B", "S", "H", "K"), ("B", "T", "H", "K")), ("B", "H", "S", "T")
        )
        kinds: dict[str, Kind] = {"B": "batch", "H": "head", "S": "context", "T": "context"}
        tables = derive(("Q", "K"), (), "S", operator, kinds=kinds)
        names = {strategy.dim: strategy.name for strategy in tables.strategies}
        assert names == {"B": "data", "H": "head", "S": "context", "T": "context", "K": "split K"}

    def test_experts(self) -> None:
        operator = Operator("einsum", (("E", "C", "D"), ("E", "D", "F")), ("E", "C", "F"))
        tables = derive(("x", "w"), {"w"}, "h", operator, kinds={"E": "expert"})
        expert = along(tables, "E")
        assert expert.name == "expert"
        assert [str(state) for state in expert.states] == ["P(E)", "P(E)", "P(E)"]
        assert expert.between is not None
        assert expert.between.primitive is None

    def test_a_transposed_result_is_moved_to_the_next_layers_dimension(self) -> None:
        operator = Operator("einsum", (("B", "I"), ("I", "O")), ("O", "B"))
        between = along(derive(("X", "W"), {"W"}, "Y", operator), "B").between
        assert between is not None
        assert between.primitive is not None
        assert (str(between.source), str(between.target)) == ("P(I)", "P(B)")
        assert between.primitive.name == "All-to-All"

    def test_a_result_of_another_rank_has_no_next_layer(self) -> None:
        operator = Operator("einsum", (("B", "I"), ("I", "O", "K")), ("B", "O", "K"))
        tables = derive(("X", "W"), {"W"}, "Y", operator)
        assert [strategy.between for strategy in tables.strategies] == [None] * 4

    def test_pointwise(self) -> None:
        operator = Operator("pointwise", (("B", "F"),), ("B", "F"), "gelu")
        tables = derive(("x",), (), "a", operator, kinds={"B": "batch", "F": "hidden"})
        assert [strategy.name for strategy in tables.strategies] == ["data", "split F"]

    def test_a_dimension_that_is_needed_whole_is_not_partitioned(self) -> None:
        operator = Operator("along", (("B", "V"),), ("B", "V"), "sort", ("V",))
        tables = derive(("x",), (), "y", operator)
        assert [strategy.dim for strategy in tables.strategies] == ["B"]

    def test_experts_dispatched_in_a_stack(self) -> None:
        operator = Operator("dispatch", (("B", "D"), ("B", "E")), ("E", "C", "D"))
        tables = derive(("x", "r"), (), "s", operator, "L")
        assert [str(state) for state in along(tables, "L").states] == ["P(L)"] * 3


@pytest.mark.parametrize(
    ("activations", "weights", "result", "kind", "name"),
    [
        ("C", "P", "C", "layer", "pipeline"),
        ("C", "R", "C", None, "centralized"),
        ("R", "R", "R", None, "repeated"),
        ("P", "R", "P", None, "data"),
        ("P", "R", "P", "batch", "data"),
        ("PP", "", "P", "batch", "data"),
        ("PP", "", "P", None, "split d"),
        ("P", "R", "P", "sequence", "sequence"),
        ("PR", "", "P", "context", "context"),
        ("PP", "", "P", "head", "head"),
        ("R", "P", "P", "head", "tensor, column"),
        ("P", "P", "R", "vocabulary", "vocabulary"),
        ("R", "P", "P", "expert", "expert"),
        ("R", "P", "P", "hidden", "tensor, column"),
        ("P", "P", "partial", "hidden", "tensor, row"),
        ("P", "P", "P", "hidden", "split d"),
        ("P", "R", "P", "hidden", "split d"),
    ],
)
def test_names(
    activations: list[Letter], weights: list[Letter], result: Letter, kind: Kind | None, name: str
) -> None:
    assert strategy_name(list(activations), list(weights), result, "d", kind) == name


def test_a_layer_that_is_not_partitioned_repeats_its_work() -> None:
    assert strategy_name(["R"], ["R"], "R", None) == "repeated"

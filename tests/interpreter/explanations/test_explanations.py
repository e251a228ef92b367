"""Explanations: every word of the language has one, and every example is true."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest
from specs import analyses_of

from parspec.grammar.keywords import PRIMITIVES, RESERVED, STARTERS
from parspec.interpreter.diagnostics import catalogue
from parspec.interpreter.explanations.explanation import HEADINGS
from parspec.interpreter.explanations.index import EXPLANATIONS, explained, nearest
from parspec.interpreter.spec.clauses import PARTIAL_KINDS
from parspec.interpreter.spec.expects import FIGURES
from parspec.interpreter.spec.functions import FUNCTIONS
from parspec.interpreter.spec.hardware import DEVICE_SETTINGS, LINK_SETTINGS
from parspec.interpreter.spec.library_files import library_names
from parspec.interpreter.spec.settings import DTYPES, OPTIMIZERS, SETTINGS
from parspec.interpreter.spec.sizes import UNITS
from parspec.interpreter.theory import primitives

STRATEGIES = (
    *("pipeline", "data", "tensor, column", "tensor, row", "head", "sequence", "context"),
    *("expert", "vocabulary", "centralized", "repeated", "split DIM"),
)
CONTEXTUAL = (
    *("unit", "padded", "padded to", "uneven", "fused", "zigzag", "ring", "rest", "top", "to"),
    *("masked", "recompute", "capacity", "pointwise", "?", "grad", "per", "per device"),
    *("forward", "backward", "update", "explicit"),
)
OUR_OWN = [e for e in EXPLANATIONS if e.kind != "diagnostic"]
SHOWN = [e for e in OUR_OWN if e.example]
SENTENCES = 6


def of_kind(kind):
    return [e for e in EXPLANATIONS if e.kind == kind]


def label(explanation):
    return f"{explanation.kind}-{explanation.name}"


# -- what is explained


@pytest.mark.parametrize(
    "word",
    [
        *RESERVED,
        *CONTEXTUAL,
        *PRIMITIVES,
        *STRATEGIES,
        *FUNCTIONS,
        *(rule.key for rules in SETTINGS.values() for rule in rules),
        *(
            word
            for rules in SETTINGS.values()
            for rule in rules
            for word in rule.words
            if word > "9"
        ),
        *LINK_SETTINGS,
        *DEVICE_SETTINGS,
        *FIGURES,
        *UNITS,
        *DTYPES,
        *OPTIMIZERS,
        *("composed", "approx", "ring"),
        *("P", "R", "C", "R(partial)", "P(d)", "C(k)"),
        *("PP", "DP", "TP", "SP", "CP", "EP", "FSDP", "Ki"),
        *(entry.code for entry in catalogue.ENTRIES),
        *(entry.name for entry in catalogue.ENTRIES),
    ],
)
def test_it_has_an_explanation(word):
    assert explained(word)


def test_every_word_of_the_grammar_has_an_explanation():
    grammar = (files("parspec.grammar") / "par.lark").read_text("utf-8")
    words = set(re.findall(r'"([^\W\d_][\w-]*)"', grammar))
    assert words >= {"plan", "zigzag", "rest"}
    assert [word for word in sorted(words) if not explained(word)] == []


@pytest.mark.parametrize("kind", PARTIAL_KINDS)
def test_every_kind_of_partial_has_an_explanation(kind):
    assert "R(partial)" in {each.name for each in explained(f"partial {kind}")}


def test_each_kind_has_exactly_its_words():
    def names(kind):
        return {e.name for e in of_kind(kind)}

    assert names("statement") == set(STARTERS)
    assert names("primitive") == set(PRIMITIVES)
    assert names("strategy") == set(STRATEGIES)
    assert names("function") == set(FUNCTIONS)
    assert names("figure") == set(FIGURES)
    assert names("price list") == set(primitives.PRICE_LISTS)
    assert names("state") == {"P", "R", "C", "R(partial)"}
    assert {e.kind for e in EXPLANATIONS} == set(HEADINGS)


def test_a_name_is_explained_once_in_a_kind():
    named = [(e.kind, e.name) for e in EXPLANATIONS]
    assert len(set(named)) == len(named)


@pytest.mark.parametrize(
    ("asked", "names"),
    [
        ("all gather", ["All-Gather"]),
        ("ALLREDUCE", ["All-Reduce"]),
        ("Tensor  Column", ["tensor, column"]),
        ("par201", ["PAR201 indivisible"]),
        ("Indivisible", ["PAR201 indivisible"]),
        ("ring", ["ring", "ring"]),
        ("TP", ["tensor, column", "tensor, row"]),
        ("GiB", ["bytes"]),
        ("1f1b", ["schedule"]),
        ("r(PARTIAL)", ["R(partial)"]),
        ("optimizer", ["optimizer", "train"]),
        ("nothing of the kind", []),
    ],
)
def test_how_it_is_found(asked, names):
    assert [e.name for e in explained(asked)] == names


def test_near_names():
    assert nearest("All-Gahter")[0] == "All-Gather"
    assert set(nearest("PAR20")) <= {entry.code for entry in catalogue.ENTRIES}
    assert nearest("§§§") == ()


def test_only_what_is_much_alike_is_near():
    assert nearest("megatron") == ()
    assert {"a100_40", "a100_80"} <= set(nearest("a100"))


def test_the_library_is_explained_from_its_files():
    (found,) = explained("h100")
    assert (found, found.name) == (*explained("std.h100"), "std.h100")
    assert found.text == "NVIDIA H100 SXM, 80 GiB."
    assert found.facts == (
        ("device h100", "memory 80 GiB, flops 989 Tflop/s, hbm 3.35 TB/s"),
        ("link nvlink", "bandwidth 450 GB/s, latency 2 us, within 8"),
        ("link ib", "bandwidth 50 GB/s, latency 5 us"),
    )
    (link,) = explained("ib")
    assert dict(link.facts)["std.b300"] == "bandwidth 100 GB/s, latency 5 us"
    (block,) = explained("swiglu_mlp")
    assert block.facts == (
        ("brings", "swiglu_mlp(x[B, S, D]) -> y"),
        ("layers", "gate, up, act, down"),
        ("weights", "w_gate[D, F], w_up[D, F], w_down[F, D]"),
        ("sizes to give", "B, S, D, F"),
        ("in `decoder`", "layer mlp: d = swiglu_mlp(n)"),
        ("pattern", "for decoder.mlp: partition F on tp"),
    )
    (gqa,) = explained("std.gqa")
    assert ("layers", "q, k, v, core (attention), proj") in gqa.facts
    assert [told for kind, told in gqa.facts if kind == "pattern"] == [
        "for decoder.attn: partition H on tp",
        "for decoder.attn: partition S on cp, T on cp",
    ]


@pytest.mark.parametrize("name", ["gqa", "moe", "dense_layer", "moe_layer", "swiglu"])
def test_the_layers_that_a_block_is_said_to_have_are_those_of_its_calls(name):
    (block,) = explained(f"std.{name}")
    *_, told = (told for kind, told in block.facts if kind == "layers")
    _, _, out, _, call = dict(block.facts)["in `decoder`"].split()
    taken = call.partition("(")[2].removesuffix(")")
    (analysis,) = analyses_of(f"""\
import std.blocks
dim L = 2
input {taken}[B, S, D]
stack decoder[L]: {taken} -> {out} {{ layer one: {out} = {call} }}
output {out}
""")
    inside = [layer.name.split(".")[2] for layer in analysis.layers]
    assert [each.split()[0] for each in told.split(", ")] == [*dict.fromkeys(inside)]


def test_all_of_the_library_is_explained():
    assert {f"std.{name}" for name in library_names()} <= {e.name for e in of_kind("library")}
    assert {e.name for e in OUR_OWN if not e.example} == {
        e.name for e in of_kind("library") if not any(f.startswith("device") for f, _ in e.facts)
    } - {"ib", "nvlink", "xgmi", "ici", "dcn"}


TRAINED = """\
import std.h100
mesh dp = 8 over nvlink on 8 h100
dim B = 4096, D = 8192, F = 28672
input x[B, D]
weight w[D, F]
layer up: h[B, F] = x * w  partition B on dp
output h
train adam {{ global_batch = B  microbatch = 512 }}
expect {figure} >= 0 {unit} {passes}
"""
UNIT = {"bytes": "B", "s": "s", "share": "%", "flop": "flop", "count": ""}


@pytest.mark.parametrize("explanation", of_kind("figure"), ids=label)
def test_a_figure_tells_what_is_evaluated_of_it_in_training(explanation):
    name = explanation.name
    unit = UNIT[FIGURES[name][0]]
    told = dict(explanation.facts).get("under `train`", "")
    evaluated = [
        bool(analyses_of(TRAINED.format(figure=name, unit=unit, passes=passes))[0].expects[0].holds)
        for passes in ("", "forward")
    ]
    assert evaluated == [told == "", not told.startswith("not evaluated")]


# -- what it says


@pytest.mark.parametrize("explanation", EXPLANATIONS, ids=label)
def test_it_is_short_and_whole(explanation):
    text = explanation.text
    assert text.endswith((".", "`."))
    assert "  " not in text
    assert len(re.findall(r"[.:] [A-Z]", text)) < SENTENCES


def test_no_text_is_said_twice():
    texts = [e.text for e in OUR_OWN]
    assert len(set(texts)) == len(texts)


@pytest.mark.parametrize("explanation", of_kind("primitive"), ids=label)
def test_primitives_have_the_theorys_figures(explanation):
    primitive = primitives.PRIMITIVES[explanation.name]
    facts = dict(explanation.facts)
    for name in primitives.PRICE_LISTS:
        assert facts[name] == primitive.traffic.of(name).reader()
    assert facts["per device"] == primitive.per_device.reader()
    assert facts["way back"] == (primitive.transpose or "nothing")


def test_what_primitives_turn_into_what():
    assert {e.name: dict(e.facts)["turns"] for e in of_kind("primitive")} == {
        "Gather": "P to C",
        "Scatter": "C to P",
        "Broadcast": "C to R",
        "Reduce": "R(partial) to C",
        "All-Gather": "P to R",
        "Reduce-Scatter": "R(partial) to P",
        "All-Reduce": "R(partial) to R",
        "All-to-All": "P to P along another dimension",
        "Send": "C to C on another node",
        "Permute": "P to P with its axes in another order",
    }


@pytest.mark.parametrize("nodes", [2, 8, 1000])
def test_by_how_much_the_articles_prices_overstate_the_wire(nodes):
    def ratio(primitive):
        composed = primitives.traffic(primitive, "composed", 1, nodes)
        return composed / primitives.traffic(primitive, "ring", 1, nodes)

    overstated = {p.name: ratio(p) for p in primitives.PRIMITIVES.values() if ratio(p) != 1}
    by_a_copy = ("All-Gather", "Reduce-Scatter", "All-Reduce")
    assert overstated.keys() == {*by_a_copy, "All-to-All"}
    for name in by_a_copy:
        assert overstated[name] == pytest.approx((nodes + 1) / nodes)
        assert "(N+1)/N" in explained(name)[0].text
    assert overstated["All-to-All"] == 2
    assert "overstates it by 2" in explained("All-to-All")[0].text


def test_settings_tell_their_defaults():
    (schedule,) = explained("schedule")
    assert schedule.text.startswith("Pipeline schedule. ")
    assert dict(schedule.facts) == {
        "of": "train",
        "takes": "gpipe, 1f1b, interleaved",
        "default": "1f1b",
    }
    weight = next(e for e in explained("weight") if e.kind == "setting")
    assert dict(weight.facts)["of"] == "train, infer"


def test_diagnostics_have_the_catalogues_texts():
    entry = catalogue.entry("indivisible")
    (found,) = explained("PAR201")
    assert (found.text, found.example, found.corrected) == (
        entry.explanation,
        entry.example,
        entry.corrected,
    )


# -- its example (the catalogue's own are tested there)


@pytest.mark.parametrize("explanation", SHOWN, ids=label)
def test_its_example_checks_clean(explanation):
    for analysis in analyses_of(explanation.example):
        wrong = [
            (catalogue.code(finding), catalogue.message(finding))
            for finding in analysis.findings
            if catalogue.severity(finding) in ("error", "warning")
        ]
        assert wrong == []
        assert not any(result.holds is False for result in analysis.expects)


@pytest.mark.parametrize("explanation", SHOWN, ids=label)
def test_its_example_shows_it(explanation):
    example, name = explanation.example, explanation.name
    (analysis, *_) = analyses_of(example)
    match explanation.kind:
        case "primitive":
            assert name in {move.primitive for move in analysis.moves}
        case "strategy":
            named = {strategy for layer in analysis.layers for _, strategy in layer.strategy}
            assert name.replace("DIM", "F") in named
        case "state":
            states = {
                state.layout.state(axis.name).letter
                for layer in analysis.layers
                for state in layer.states
                for axis in analysis.model.mesh.axes
            }
            assert {"R(partial)": "partial"}.get(name, name) in states
        case "unit":
            words = set(re.findall(r"[\w%/]+", re.sub(r"([0-9])([A-Z%])", r"\1 \2", example)))
            assert words & {name, *explanation.aliases}
        case _:
            assert re.search(rf"(?<!\w){re.escape(name)}(?!\w)", example)


@pytest.mark.parametrize("explanation", SHOWN, ids=label)
def test_its_example_fits_the_screen(explanation):
    assert max(map(len, explanation.example.splitlines())) <= 78

"""Real plans and reported mistakes: what stands in tests/data/cases.json."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from parspec.interpreter.spec.model import Item, Layer, Model
from parspec.interpreter.spec.readers import Reader, Unread
from parspec.interpreter.spec.resolve import resolve

CASES = json.loads((Path(__file__).parents[2] / "data" / "cases.json").read_text("utf-8"))
SPECS = [
    *((plan["id"], plan["spec"]) for plan in CASES["plans"]),
    *((mistake["id"], mistake["spec"]) for mistake in CASES["mistakes"] if "spec" in mistake),
    *(
        (f"{mistake['id']}-corrected", mistake["corrected"])
        for mistake in CASES["mistakes"]
        if mistake.get("corrected")
    ),
]
FOUND_HERE = {"M07": ["global_size_mismatch"]}  # what is wrong with names and shapes
OF_THE_MESH = {"mesh_product"}


@dataclass(frozen=True)
class Models(Reader):
    """A reader of the cases' models."""

    def read(self, file: str) -> str | Unread:
        return CASES["models"].get(file) or Unread("missing")


def resolved(case: str) -> Model:
    return resolve(f"{case}.par", dict(SPECS)[case], Models())


def layers(items: tuple[Item, ...]) -> list[Layer]:
    found: list[Layer] = []
    for item in items:
        found += [item] if isinstance(item, Layer) else layers(item.items)
    return found


@pytest.mark.parametrize("case", [case for case, _ in SPECS])
def test_names_and_shapes_are_right_but_where_the_case_is_about_them(case: str) -> None:
    found = [f.name for f in resolved(case).findings if f.name not in OF_THE_MESH]
    assert found == FOUND_HERE.get(case, [])


def test_a_cache_read_with_another_size_names_both() -> None:
    (finding,) = resolved("M07").findings
    assert dict(finding.data) == {
        "name": "kc",
        "position": 3,
        "dim": "G",
        "size": 2,
        "other": "N",
        "other_size": 4,
    }


@pytest.mark.parametrize(
    ("case", "parameters"),
    [
        ("P01", 8_030_261_248),  # Llama 3 8B, as published
        ("P08", 405_853_388_800),  # Llama 3.1 405B
        ("P19", 46_702_792_704),  # Mixtral 8x7B
    ],
)
def test_parameter_counts(case: str, parameters: int) -> None:
    model = resolved(case)
    sizes: dict[str, Any] = {dim.name: dim.size for dim in model.dims}
    count = 0
    for tensor in model.tensors:
        if tensor.role == "weight":
            size = 1
            for dim in (*tensor.stacked, *tensor.leaves):
                size *= sizes[dim]
            count += size
    assert count == parameters


def test_blocks_in_blocks_get_paths_and_patterns_reach_them() -> None:
    model = resolved("P12")
    by_name = {layer.name: layer for layer in layers(model.items)}
    gate = by_name["moe.body.mlp.gate"]
    assert [(a.axis, a.saying, a.dim) for a in gate.assignments] == [("ep", "partition", "E")]
    assert by_name["mtp.body.mlp.gate"].assignments == gate.assignments
    assert by_name["moe.body.attn.attn.score"].fused == "moe.body.attn.attn"
    weights = {t.name: t for t in model.tensors if t.role == "weight"}
    assert weights["moe.body.mlp.e1"].stacked == ("Lm",)
    assert weights["mtp.body.mlp.e1"].stacked == ()


def test_a_pin_is_found_inside_the_call_that_it_names() -> None:
    first, second = resolved("P12").expects
    assert (first.tensor, first.within, first.axes) == (
        "moe.body.mlp.xe",
        ("moe.body.mlp",),
        ("ep",),
    )
    assert second.tensor == "moe.body.mlp.ye"


def test_the_result_of_a_block_is_one_variable() -> None:
    tensors = {t.name: t for t in resolved("P15").tensors}
    context = tensors["decoder.c"]
    assert context.dims == ("B", "S", "H", "K")
    assert context.leaves == ("B", "S", "G", "R", "K")
    assert context.aliases == ("decoder.attn.c",)
    assert "decoder.attn.c" not in tensors


def test_weights_outside_a_stack_lose_its_dimension_inside() -> None:
    model = resolved("P30")
    tensors = {t.name: t for t in model.tensors}
    assert (tensors["wq"].dims, tensors["wq"].stacked) == (("D", "H", "K"), ("L",))
    assert (tensors["kc"].leaves, tensors["kc"].stacked) == (("B", "T", "G", "K"), ("L",))
    by_name = {layer.name: layer for layer in layers(model.items)}
    append = by_name["decoder.k"]
    assert append.out == "kc"
    assert append.operator.output == ("B", "S", "G", "K")
    assert model.expects[0].tensor == "kc"
    assert model.expects[2].bound == 80 * 10**9


def test_stages_name_layers_and_counts() -> None:
    (stages,) = resolved("P08").stages
    assert stages.axis == "pp"
    assert len(stages.chunks) == 128
    assert stages.chunks[0] == (("embed", 1),)
    assert stages.chunks[1] == (("decoder", 1),)
    assert stages.chunks[-1] == (("norm", 1), ("logits", 1), ("loss", 1))

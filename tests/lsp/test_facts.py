"""Facts: an analysis by name."""

from lsp_fixtures import MAIN, Files, snapshot_of

from parspec.interpreter.analysis.looks import Looks
from parspec.interpreter.diagnostics.findings import Site
from parspec.lsp.analysing import Written, analysed

SPEC = """\
mesh dp = 2, tp = 4
dim B = 8, D = 16, F = 32, L = 3
dim H = D * F
input x[B, D]
block pair(a[B, D]) -> b {
  weight w[D, F], v[F, D]
  layer up: h[B, F] = a * w partition F on tp
  layer down: b[B, D] = h * v partition F on tp
}
stack deep[L]: x -> y {
  layer one: y[B, D] = pair(x)
}
output y replicated on tp
for *: partition B on dp
"""


def test_by_name():
    facts = snapshot_of(SPEC).facts[0]
    assert facts.layer("deep.one.up").out == "deep.one.h"
    assert facts.layer("up") is None
    assert facts.stack("deep").dim == "L"
    assert facts.tensor("deep.one.h").label == "h"
    assert facts.label("nothing") == "nothing"
    assert facts.maker("deep.one.h").name == "deep.one.up"
    assert [layer.name for layer in facts.readers("deep.one.h")] == ["deep.one.down"]
    assert facts.holding("F") == ("w", "v", "h")
    assert facts.ways(("dp", "tp")) == 8


def test_by_dimension_and_path():
    facts = snapshot_of(SPEC).facts[0]
    assert facts.splitting("F") == {("tp",): ["deep.one.up", "deep.one.down"]}
    assert [layer.name for layer in facts.layers_inside("deep.one")] == [
        "deep.one.up",
        "deep.one.down",
    ]
    kinds = {move.primitive for move in facts.inside("deep")}
    assert kinds == {"All-Reduce"}


def test_by_statement():
    snapshot = snapshot_of(SPEC)
    facts = snapshot.facts[0]

    def site(start):
        placed = snapshot.chunk_at(SPEC.index(start))
        return Site(MAIN, placed.chunk.key, (0, 0))

    assert [layer.name for layer in facts.layers_at(site("layer up"))] == ["deep.one.up"]
    assert [stack.name for stack in facts.stacks_at(site("stack"))] == ["deep"]
    assert [tensor.name for tensor in facts.tensors_at(site("input"))] == ["x"]
    assert facts.use_at(site("layer one"), "one") == "deep.one"
    assert facts.use_at(site("layer up"), "up") is None
    assert [move.after for move in facts.moved_at(site("output"))] == ["R"]


def test_what_an_edit_does_not_touch_is_kept():
    looks = Looks()
    lines = [f"layer l{n}: y{n}[B] = gelu(x)" for n in range(200)]
    text = "dim B = 4\ninput x[B]\n" + "\n".join(lines) + "\n"
    reader = Files({})
    before = analysed(Written(MAIN, text, 1), reader, looks=looks)
    edited = text.replace("layer l150: y150[B] = gelu(x)", "layer l150: y150[B] = relu(x)")
    after = analysed(Written(MAIN, edited, 2), reader, before=before, looks=looks)
    old, new = before.facts[0].parts, after.facts[0].parts
    assert len(new) > 3
    assert sum(part in old for part in new) >= len(new) - 2


def test_what_is_asked_of_one_layer_is_made_of_its_part_alone():
    lines = [f"layer l{n}: y{n}[B] = gelu(x)  partition B on tp" for n in range(200)]
    text = "\n".join(["mesh tp = 2", "dim B = 4", "input x[B]", *lines, "output y7"]) + "\n"
    facts = snapshot_of(text).facts[0]
    assert facts.result("l150").partition == (("tp", "B"),)
    assert [move.layer for move in facts.in_front_of("l150")] == []
    assert facts.lying("y150").per_device == 4
    made = [part for part in facts.analysis.parts if "layers" in vars(part)]
    assert len(facts.parts) > 3
    assert [[layer.name for layer in part.layers].count("l150") for part in made] == [1]
    assert facts.splitting("B") == {("tp",): [f"l{n}" for n in range(200)]}
    assert len([part for part in facts.analysis.parts if "layers" in vars(part)]) == 1

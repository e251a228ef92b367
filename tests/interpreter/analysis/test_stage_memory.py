"""What lives at once on the devices of each pipeline stage, by hand: bf16, two bytes an element."""

import re

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from specs import analysis_of

from parspec.interpreter.diagnostics import catalogue

KB = 1024
X, H = 16 * KB, 64 * KB  # [B, D] and [B, F]
HEAD = "dim B = 64, D = 128, F = 512, D2 = D, L = 4\n"


def activations(analysis):
    return [stage.memory.activations for stage in analysis.stages]


def total(analysis):
    return analysis.totals.memory.total


EMBEDDED = """
device box {{ memory = {memory} }}
mesh pp = 2 on 2 box
dim B = 64, D = 128, F = 2048, L = 2, V = 3000
input tokens[B] : i32
weight emb[V, D], w[D, F]
layer embed: x[B, D] = lookup(tokens, emb)
stack s[L]: x -> y partition L on pp {{
  weight g[D]
  layer n: y[B, D] = x * g
}}
layer c: k[B, F] = y * w
layer d: z[B] = sum over F (k)
output z
expect memory <= 804 kB
"""


@pytest.mark.parametrize(("memory", "complaint"), [("804 kB", []), ("803 kB", ["out_of_memory"])])
def test_a_stage_needs_what_it_has_itself(analyzed, complaints, memory, complaint):
    """The table on the first stage, the widest activation on the last."""
    analysis = analyzed(EMBEDDED.format(memory=memory))
    K, G = 256 * KB, 256  # k[B, F]; g of one turn
    first = 3000 * 128 * 2 + G + (X + X)  # the table; x as the carry, and y
    last = G + 128 * 2048 * 2 + (X + K)  # w; y and k: 803072
    assert [stage.memory.total for stage in analysis.stages] == [first, last]
    assert activations(analysis) == [X + X, X + K]
    assert total(analysis) == last
    assert complaints(analysis) == complaint
    assert [(one.holds, one.value) for one in analysis.expects] == [(True, "803 kB")]


def test_the_busiest_device_is_on_one_stage(headed):
    """h and y on the first stage with both weights; what is sent and z on the second."""
    analysis = headed("""
      mesh pp = 2
      input x[B, D]
      weight a[D, F], b[F, D]
      layer l0: h[B, F] = x * a at pp[0]
      layer l1: y[B, D] = h * b at pp[0]
      layer l2: z[B, D] = gelu(y) at pp[1]
      output z
    """)
    weights = 2 * 128 * 512 * 2
    assert activations(analysis) == [X + H, X + X]
    assert [stage.memory.total for stage in analysis.stages] == [weights + X + H, X + X]
    memory = analysis.totals.memory
    assert (memory.weights, memory.activations, memory.total) == (weights, X + H, weights + X + H)


DEALT = """
mesh pp = 2
input x[B, D]
weight u[D, D2], v[D, F]
layer pre: p[B, D2] = x * u
stack s[L]: p -> y {
  weight a[D, F], b[F, D]
  layer up: h[B, F] = p[B, D] * a
  layer down: y[B, D] = h * b
}
layer post: z[B, F] = y * v
output z
"""


@pytest.mark.parametrize(
    "dealt",
    [
        "for s: partition L on pp",
        "stages pp: pre + 2 s | 2 s + post",
        "stages pp: pre + 1 s | 1 s | 1 s | 1 s + post",  # two chunks a stage
        "stages pp: pre + 3 s | 1 s + post",
    ],
)
def test_however_turns_are_dealt_a_stage_runs_one_at_a_time(headed, dealt):
    analysis = headed(DEALT + dealt)
    assert activations(analysis) == [H + X, X + H]  # a turn; y and z besides
    assert [stage.memory.buffers for stage in analysis.stages] == [0, 0]


def test_what_is_sent_lives_until_it_is_sent_and_where_it_comes_to_until_it_is_read(headed):
    """y is sent in front of `far`, when h is gone; there it stays until `add`, beside w and z."""
    analysis = headed("""
      mesh pp = 2
      input x[B, D]
      weight a[D, F], b[F, D], c[D, F], d[F, D]
      layer one: y[B, D] = gelu(x) at pp[0]
      layer up: h[B, F] = y * a at pp[0]
      layer down: q[B, D] = h * b at pp[0]
      layer far: w[B, F] = y * c at pp[1]
      layer back: z[B, D] = w * d at pp[1]
      layer add: o[B, D] = z + y at pp[1]
      output o
      output q
    """)
    first = max(X + H, H + X + X)  # y, h; h, q and y, which is still to be sent
    second = max(X + H, X + H + X)  # y, w; y, w, z
    assert activations(analysis) == [first, second]


def test_what_every_turn_reads_lives_on_every_stage_through_all_its_turns(headed):
    analysis = headed("""
      mesh pp = 2
      input x[B, D]
      weight v[D, F]
      layer pre: p[B, D] = gelu(x)
      layer mask: m[B, D] = gelu(p)
      stack s[L]: p -> y partition L on pp {
        weight a[D, F], b[F, D]
        layer up: h[B, F] = p * a
        layer down: q[B, D] = h * b
        layer out: y[B, D] = q + m
      }
      layer post: z[B, D] = gelu(y)
      output z
    """)
    assert activations(analysis) == [X + H + X, X + H + X]  # m, h and the carry, then q


def test_a_copy_in_another_layout_lives_on_the_stage_that_reads_it(headed):
    """y is cut in two on both stages; the second gathers it."""
    analysis = headed("""
      mesh pp = 2, tp = 2
      input x[B, D] partition B on tp
      weight a[D, F]
      layer one: y[B, D] = gelu(x) at pp[0]
      layer two: h[B, F] = y * a partition F on tp at pp[1]
      output h
    """)
    assert activations(analysis) == [X // 2 + X // 2, X // 2 + X + H // 2]


def test_what_a_stage_reduces_to_send_it_is_a_copy_there(headed):
    """The addends of y and their sum, which is all that goes to the second stage."""
    analysis = headed("""
      mesh pp = 2, tp = 2
      input x[B, D] partition D on tp
      weight b[D, D2]
      layer down: y[B, D2] = x * b partition D on tp at pp[0]
      layer act: z[B, D2] = gelu(y) replicated on tp at pp[1]
      output z
    """)
    assert [(move.primitive, move.stages) for move in analysis.moves] == [
        ("All-Reduce", ((0, 1),)),
        ("Send", ((0, 1), (1, 1))),
    ]
    assert activations(analysis) == [max(X // 2 + X, X + X), X + X]


def test_an_output_on_another_stage_lives_on_both(headed):
    analysis = headed("""
      mesh pp = 2
      input x[B, D]
      weight a[D, F]
      layer one: y[B, D] = gelu(x) at pp[0]
      layer two: h[B, F] = y * a at pp[1]
      output h at pp[0]
    """)
    assert activations(analysis) == [max(X + X, H), X + H]


def test_things_on_all_nodes_live_everywhere(headed):
    analysis = headed("""
      mesh pp = 2
      input x[B, D]
      weight a[D, F]
      layer every: y[B, D] = gelu(x)
      layer one: h[B, F] = y * a at pp[1]
      output h
    """)
    assert activations(analysis) == [X + X, X + H]


def test_a_tied_weight_is_gathered_on_both_stages(analyzed):
    """A quarter of the table at rest, all of it while the first and the last layer run."""
    analysis = analyzed("""
      mesh pp = 2, dp = 4
      dim B = 64, D = 128, V = 1000, L = 2
      input tokens[B] : i32 partition B on dp
      weight emb[V, D] store V on dp
      layer embed: x[B, D] = lookup(tokens, emb)
      stack s[L]: x -> y partition L on pp {
        weight g[D]
        layer n: y[B, D] = x * g
      }
      layer logits: z[B, V] = y * emb
      output z
    """)
    table, cut, logits = 1000 * 128 * 2, X // 4, 64 * 1000 * 2 // 4
    assert [stage.memory.weights for stage in analysis.stages] == [table // 4 + 256] * 2
    assert [stage.memory.buffers for stage in analysis.stages] == [table, table]
    assert activations(analysis) == [cut + cut, cut + logits]


def test_idle_stages_hold_nothing(headed):
    analysis = headed("""
      mesh pp = 4
      input x[B, D]
      stack s[L]: x -> y {
        layer n: y[B, D] = gelu(x)
      }
      stages pp: 2 s | 2 s
      output y
    """)
    assert activations(analysis) == [X + X, X + X, 0, 0]


def test_stages_over_two_axes_live_each_for_itself(headed):
    analysis = headed("""
      mesh a = 2, b = 2
      input x[B, D]
      weight v[D, F]
      stack s[L]: x -> y partition L on a * b {
        layer n: y[B, D] = gelu(x)
      }
      layer last: z[B, F] = y * v
      output z
    """)
    assert activations(analysis) == [2 * X, 2 * X, 2 * X, X + H]


# Programs of layers before, in and behind a stack that read what is there already.


@st.composite
def programs(draw, clauses):
    """Lines of a program on {mesh}, with {at} behind layers outside the stack."""
    lines = ["dim B = 8, D = 16, F = 64, L = 4", "input x[B, D]"]
    known = ["x"]

    def layer(names, indent, at):
        name = f"t{len(lines)}"
        source, other = draw(st.sampled_from(names[-3:])), draw(st.sampled_from(names))
        clause = draw(st.sampled_from(clauses))
        match draw(st.sampled_from(("one", "sum", "wide"))):
            case "one":
                lines.append(f"{indent}layer {name}: {name}[B, D] = gelu({source}) {clause}{at}")
            case "sum":
                lines.append(f"{indent}layer {name}: {name}[B, D] = {source} + {other} {at}")
            case "wide":
                wide = "partition F on tp" if clause else ""
                lines.append(f"{indent}weight u{name}[D, F], v{name}[F, D]")
                lines.append(
                    f"{indent}layer h{name}: h{name}[B, F] = {source} * u{name} {wide}{at}"
                )
                lines.append(f"{indent}layer {name}: {name}[B, D] = h{name} * v{name} {wide}{at}")
        names.append(name)
        return name

    def outside(count):
        for _ in range(count):
            layer(known, "", draw(st.sampled_from(("", " at pp[0]", " at pp[last]"))))

    outside(draw(st.integers(0, 2)))
    lines.append(f"stack s[L]: {known[-1]} -> y {{")
    inner = list(known)
    for _ in range(draw(st.integers(1, 3))):
        last = layer(inner, "  ", "")
    lines += [f"  layer out: y[B, D] = {last} + {draw(st.sampled_from(inner))}", "}"]
    known.append("y")
    outside(draw(st.integers(1, 4)))
    lines += [f"output {known[-1]}", f"output {draw(st.sampled_from(known[1:-1]))}"]
    return "\n".join(lines)


def staged(program, stages):
    """A program with its stack dealt over some stages."""
    text = program.replace("pp[last]", f"pp[{stages - 1}]")
    return f"mesh pp = {stages}, tp = 2\n{text}\nfor s: partition L on pp"


def unstaged(program):
    """A program on a mesh without stages."""
    return "mesh tp = 2\n" + re.sub(r" at pp\[\w+\]", "", program)


def sound(text):
    """The analysis of a spec without errors."""
    found = analysis_of(text)
    assume(not any(catalogue.severity(finding) == "error" for finding in found.findings))
    return found


@settings(max_examples=60)
@given(program=programs(["", "partition B on tp"]))
def test_one_stage_has_the_memory_of_a_plan_without_stages(program):
    one, plain = sound(staged(program, 1)), sound(unstaged(program))
    assert one.totals.memory == plain.totals.memory
    assert [stage.memory for stage in one.stages] == [plain.totals.memory]


@settings(max_examples=60)
@given(program=programs([""]), stages=st.sampled_from((2, 4)))
def test_no_stage_has_more_than_a_device_without_stages(program, stages):
    """In one layout: of what is sent in slices a stage may keep the slices besides."""
    several, plain = sound(staged(program, stages)), sound(unstaged(program))
    whole = plain.totals.memory
    for stage in several.stages:
        memory = stage.memory
        assert memory.weights <= whole.weights
        assert memory.activations <= whole.activations
        assert memory.buffers <= whole.buffers
    assert several.totals.memory.total == max(stage.memory.total for stage in several.stages)

"""The batch equation and the rounds of an interleaved schedule."""

import pytest

from parspec.interpreter.diagnostics import catalogue


def of(analysis, name):
    return [f for f in analysis.findings if f.name == name]


def errors(analysis):
    return [f.name for f in analysis.findings if catalogue.severity(f) == "error"]


RANKS = """
mesh dp = {dp}
dim B = {batch}
dim D = 64, F = 256
input x[B, D]
weight w[D, F]
layer up: h[B, F] = x * w partition B on dp
output h
train adam {{ {settings} }}
"""


def ranks(batch, dp, settings):
    return RANKS.format(batch=batch, dp=dp, settings=settings)


@pytest.mark.parametrize(
    ("batch", "dp", "settings", "remainder", "below", "above"),
    [
        ("256 uneven", 7, "global_batch = B  microbatch = 2", 4, 252, 266),
        (256, 7, "global_batch = B  microbatch = 2", 4, 252, 266),
        (250, 8, "global_batch = B", 2, 248, 256),
        (2, 8, "global_batch = B", 2, None, 8),
        (24, 2, "global_batch = B  microbatches = 5", 4, 20, 30),
        (256, 7, "global_batch = B  microbatch = 2  microbatches = 18", 4, 252, 266),
    ],
)
def test_a_batch_that_does_not_come_out_even(
    analyzed, batch, dp, settings, remainder, below, above
):
    analysis = analyzed(ranks(batch, dp, settings))
    assert errors(analysis) == ["batch_mismatch"]  # and no `indivisible` beside it
    (finding,) = of(analysis, "batch_mismatch")
    data = dict(finding.data)
    assert (data["remainder"], data["below"], data["above"]) == (remainder, below, above)
    assert data["dp"] == dp
    assert finding.site == analysis.model.settings.site


@pytest.mark.parametrize(
    ("batch", "dp", "settings"),
    [
        (252, 7, "global_batch = B  microbatch = 2"),
        (256, 8, "global_batch = B  microbatch = 2  microbatches = 16"),
        (256, 8, "global_batch = B"),
        ("250 uneven", 8, "global_batch = B"),
        ("250 padded to 8 * dp", 8, "global_batch = B  microbatches = 4"),
    ],
)
def test_a_batch_that_does(analyzed, batch, dp, settings):
    assert errors(analyzed(ranks(batch, dp, settings))) == []


def test_the_accumulation_steps_of_microbatches(analyzed):
    (finding,) = of(
        analyzed(ranks("256 uneven", 7, "global_batch = B  microbatch = 2")), "batch_mismatch"
    )
    assert dict(finding.data)["acc"] == 18
    assert "252 or 266" in catalogue.message(finding)


def test_the_nearest_number_of_microbatches_is_the_fix(analyzed):
    (finding,) = of(analyzed(ranks(24, 2, "global_batch = B  microbatches = 5")), "batch_mismatch")
    assert [fix.edits[0].text for fix in finding.fixes] == ["microbatches = 4"]


def test_a_dimension_that_train_does_not_name_is_indivisible(analyzed):
    spec = ranks(250, 8, "microbatches = 2")
    assert errors(analyzed(spec)) == ["indivisible"]


def test_dp_is_what_splits_the_batch_in_the_layer_that_first_reads_it(analyzed):
    spec = """
mesh pod = 2, dp = 4, tp = 2
dim B = 64, D = 64, F = 256
input x[B, D]
weight w1[D, F], w2[F, D]
layer up: h[B, F] = x * w1 partition B on pod * dp, F on tp
layer down: y[B, D] = h * w2 partition B on pod * dp, F on tp
output y replicated on tp
train adam { global_batch = B  microbatch = 3 }
"""
    (finding,) = of(analyzed(spec), "batch_mismatch")
    data = dict(finding.data)
    assert (data["dp"], data["axis"], data["remainder"]) == (8, "pod,dp", 64 % 24)


def test_settings_that_say_too_much_must_agree(analyzed):
    spec = ranks(256, 8, "global_batch = B  microbatch = 2  microbatches = 8")
    analysis = analyzed(spec)
    assert errors(analysis) == ["conflicting_settings"]
    (finding,) = of(analysis, "conflicting_settings")
    data = dict(finding.data)
    assert (data["product"], data["batch"], data["remainder"]) == (128, 256, 128)
    assert [fix.edits[0].text for fix in finding.fixes] == ["microbatches = 16"]


ROUNDS = """
mesh pp = 4
dim B = 240, D = 64, D2 = D, L = 32
input x[B, D]
stack decoder[L]: x -> y partition L on pp {{
  weight w[D, D2]
  layer up: y[B, D2] = x * w
}}
output y
train adam {{ global_batch = B  schedule = {settings} }}
"""


@pytest.mark.parametrize(
    ("settings", "remainder"),
    [
        ("interleaved  chunks = 2  microbatches = 10", 2),
        ("interleaved  chunks = 2  microbatch = 24", 2),
        ("interleaved  chunks = 2  microbatches = 3", 3),
        ("interleaved  chunks = 2  microbatches = 20  group = 6", 2),
        ("interleaved  chunks = 2  microbatches = 20  group = 2", 0),
    ],
)
def test_a_round_shorter_than_the_stages(analyzed, settings, remainder):
    analysis = analyzed(ROUNDS.format(settings=settings))
    assert errors(analysis) == ["schedule_constraint"]
    (finding,) = of(analysis, "schedule_constraint")
    assert dict(finding.data)["remainder"] == remainder


@pytest.mark.parametrize(
    "settings",
    [
        "interleaved  chunks = 2  microbatches = 8",
        "interleaved  chunks = 2  microbatches = 40  group = 8",
        "interleaved  chunks = 2  microbatches = 20  group = 8",  # the last round has 4
        "1f1b  microbatches = 10",
        "interleaved  chunks = 2",
    ],
)
def test_whole_rounds(analyzed, settings):
    assert errors(analyzed(ROUNDS.format(settings=settings))) == []


def test_a_number_of_microbatches_that_mends_the_rounds_also_divides_the_batch(analyzed):
    analysis = analyzed(
        ROUNDS.format(settings="interleaved  chunks = 2  microbatches = 10").replace("240", "40")
    )
    (finding,) = of(analysis, "schedule_constraint")
    assert dict(finding.data)["below"] == 8
    assert dict(finding.data)["above"] == 12
    assert [fix.edits[0].text for fix in finding.fixes] == ["microbatches = 8"]


def test_chunks_that_are_listed_and_counted_must_agree(analyzed):
    spec = """
mesh pp = 4
dim B = 32, D = 64, D2 = D, L = 32
input x[B, D]
stack decoder[L]: x -> y {{
  weight w[D, D2]
  layer up: y[B, D2] = x * w
}}
output y
stages pp: 16 of 2 decoder
train adam {{ global_batch = B  microbatches = 8  schedule = interleaved  chunks = {chunks} }}
"""
    assert errors(analyzed(spec.format(chunks=4))) == []
    (finding,) = of(analyzed(spec.format(chunks=2)), "conflicting_settings")
    assert dict(finding.data)["remainder"] == 16 - 4 * 2


def test_equal_chunks_that_would_deal_out_all_layers(analyzed):
    spec = """
mesh pp = 16
dim B = 32, D = 64, D2 = D, L = 80
input x[B, D]
stack decoder[L]: x -> y {
  weight w[D, D2]
  layer up: y[B, D2] = x * w
}
output y
stages pp: 32 of 2 decoder
"""
    (finding,) = of(analyzed(spec), "layers_lost")
    data = dict(finding.data)
    assert (data["built"], data["lost"], data["valid_chunk"]) == (64, 16, (1, 5))
    span = finding.site.span
    assert data["dealt"] == (2,) * 32
    assert spec.rpartition("\nstages")[2][span.start - 6 : span.end - 6] == "32 of 2 decoder"


INPUTS = """
mesh dp = 4, cp = 2
dim B = {batch}, S = {length}, D = 64, F = 256
input x[{dims}, D], t[{dims}]
weight w[D, F]
layer z: z[{dims}, D] = x + t
layer up: h[{dims}, F] = z * w
for *: partition B on dp
for *: partition S on cp
output h
train adam {{ {settings} }}
"""


def inputs(settings, batch=64, length=32, dims="B, S"):
    return INPUTS.format(settings=settings, batch=batch, length=length, dims=dims)


@pytest.mark.parametrize("dims", ["B, S", "S, B"])
def test_a_number_of_samples_is_counted_by_the_inputs(analyzed, dims):
    settings = "global_batch = 64  microbatch = 4  microbatches = 8"
    analysis = analyzed(inputs(settings, dims=dims))
    assert errors(analysis) == ["conflicting_settings"]
    (finding,) = of(analysis, "conflicting_settings")
    data = dict(finding.data)
    assert (data["dp"], data["product"], data["remainder"]) == (4, 128, -64)
    assert data["reason"] == "4 x 4 x 8 = 128, and global_batch = 64"
    assert [fix.title for fix in finding.fixes] == ["Write `microbatches = 4`"]
    agreeing = "global_batch = 64  microbatch = 4  microbatches = 4"
    assert analyzed(inputs(agreeing, dims=dims)).findings == ()


def test_a_number_of_samples_that_does_not_come_out_even(analyzed):
    analysis = analyzed(inputs("global_batch = 64  microbatch = 3"))
    assert errors(analysis) == ["batch_mismatch"]
    (finding,) = of(analysis, "batch_mismatch")
    data = dict(finding.data)
    assert (data["dim"], data["remainder"], data["below"], data["above"]) == ("B", 4, 60, 72)
    assert catalogue.message(finding).endswith("4 left over; global_batch = 60 or 72 would")
    analysis = analyzed(inputs("global_batch = 30", batch=30))
    assert errors(analysis) == ["batch_mismatch"]  # and no `indivisible` beside it


def test_of_two_dimensions_of_that_size_the_leading_one_counts(analyzed):
    analysis = analyzed(inputs("global_batch = 64  microbatches = 32", length=64))
    assert errors(analysis) == ["batch_mismatch"]
    assert dict(of(analysis, "batch_mismatch")[0].data)["dp"] == 4
    assert analyzed(inputs("global_batch = 64  microbatches = 16", length=64)).findings == ()


def test_a_number_of_samples_that_the_inputs_cannot_hold(analyzed):
    analysis = analyzed(inputs("global_batch = 100"))
    assert errors(analysis) == ["conflicting_settings"]
    (finding,) = of(analysis, "conflicting_settings")
    reason = "the inputs hold B = 64 and S = 32, and global_batch = 100"
    assert dict(finding.data) == {
        "settings": ("global_batch", "B", "S"),
        "reason": reason,
        "batch": 100,
    }


def test_where_nothing_counts_the_samples_it_is_said(analyzed):
    analysis = analyzed(inputs("global_batch = 16  microbatches = 3"))
    (finding,) = analysis.findings
    assert (finding.name, catalogue.severity(finding)) == ("not_evaluated", "info")
    assert dict(finding.data)["text"] == "global_batch = 16"
    assert analyzed(inputs("global_batch = 16")).findings == ()  # there is nothing to evaluate

"""Inputs that are handed on: as outputs, and partial through layers that take partials."""

HEAD = """
mesh tp = 4
dim B = 64, D = 16
"""
M = 64 * 16 * 2


def test_an_input_that_is_an_output_is_moved_from_where_it_lies(headed, moved):
    analysis = headed("input x[B, D] partition B on tp\noutput x partition D on tp\n")
    assert moved(analysis) == [("All-to-All", "x", "tp", 1)]


def test_a_partial_input_that_is_an_output_is_said_to_be_left_partial(headed, complaints):
    analysis = headed("input x[B, D] partial on tp\noutput x\n")
    assert complaints(analysis) == ["partial_left"]


def test_a_stored_weight_that_is_an_output_is_gathered(headed, moved):
    analysis = headed("weight w[B, D] store on tp\noutput w replicated on tp\n")
    assert moved(analysis) == [("All-Gather", "w", "tp", 1)]


def test_partial_inputs_are_added_before_they_are_reduced(headed):
    analysis = headed("""
      input x[B, D], u[B, D] partial on tp
      layer add: y[B, D] = x + u
      layer copy: z[B, D] = y
      output z replicated on tp
    """)
    (move,) = [move for move in analysis.moves if move.primitive]
    assert (move.primitive, move.cause, move.per_device) == ("All-Reduce", "output", 2 * 3 * M // 4)

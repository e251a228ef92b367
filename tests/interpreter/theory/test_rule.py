"""The dimension rule for every kind of operator."""

import pytest

from parspec.interpreter.theory.layouts import EVERYWHERE, layout
from parspec.interpreter.theory.operators import Operator
from parspec.interpreter.theory.rule import required, whole_dims

LINEAR = Operator("einsum", (("B", "I"), ("I", "O")), ("B", "O"))


def cut(**dims):
    return layout({dim: (axis,) for dim, axis in dims.items()})


@pytest.mark.parametrize(
    ("dim", "inputs", "output"),
    [
        ("B", (cut(B="n"), EVERYWHERE), cut(B="n")),
        ("O", (EVERYWHERE, cut(O="n")), cut(O="n")),
        ("I", (cut(I="n"), cut(I="n")), layout({}, {"n": "sum"})),
    ],
)
def test_a_product(dim, inputs, output):
    needs = required(LINEAR, {dim: ("n",)})
    assert (needs.inputs, needs.output) == (inputs, output)


def test_two_axes_on_two_dimensions():
    needs = required(LINEAR, {"B": ("dp",), "I": ("tp",)})
    assert needs.inputs == (cut(B="dp", I="tp"), cut(I="tp"))
    assert needs.output == layout({"B": ("dp",)}, {"tp": "sum"})


def test_softmax_reduces_its_maximum_and_its_sum():
    softmax = Operator("along", (("B", "V"),), ("B", "V"), "softmax", ("V",))
    needs = required(softmax, {"V": ("tp",), "B": ("dp",)})
    assert needs.output == cut(V="tp", B="dp")
    assert [(s.name, s.kind, s.dims, s.axes) for s in needs.statistics] == [
        ("maximum", "max", ("B",), ("tp",)),
        ("sum", "sum", ("B",), ("tp",)),
    ]


@pytest.mark.parametrize(
    ("function", "count"), [("rmsnorm", 1), ("layernorm", 2), ("logsoftmax", 2)]
)
def test_norms_reduce_statistics(function, count):
    norm = Operator("along", (("B", "D"), ("D",)), ("B", "D"), function, ("D",))
    needs = required(norm, {"D": ("tp",)})
    assert needs.inputs == (cut(D="tp"), cut(D="tp"))
    assert len(needs.statistics) == count
    assert required(norm, {"B": ("tp",)}).statistics == ()


@pytest.mark.parametrize(
    ("function", "kind"), [("sum", "sum"), ("mean", "sum"), ("max", "max"), ("min", "min")]
)
def test_reductions_leave_partials_of_their_kind(function, kind):
    reduction = Operator("along", (("B", "D"),), ("B",), function, ("D",))
    assert required(reduction, {"D": ("n",)}).output == layout({}, {"n": kind})


def test_a_lookup_in_slices_of_a_table_is_partial():
    lookup = Operator("lookup", (("B",), ("V", "D")), ("B", "D"))
    needs = required(lookup, {"V": ("n",)})
    assert needs.inputs == (EVERYWHERE, cut(V="n"))
    assert needs.output == layout({}, {"n": "sum"})


def test_cross_entropy_is_complete_along_the_vocabulary_and_partial_along_its_mean():
    loss = Operator("crossentropy", (("B", "V"), ("B",)), (), "", ("V",))
    needs = required(loss, {"V": ("tp",), "B": ("dp",)})
    assert needs.output == layout({}, {"dp": "sum"})
    assert [s.name for s in needs.statistics] == ["maximum", "sum", "target"]


def test_dispatch_gives_each_block_of_tokens_its_slots_and_combine_takes_them_back():
    dispatch = Operator("dispatch", (("B", "S", "D"), ("B", "S", "E")), ("E", "C", "D"))
    needs = required(dispatch, {"B": ("dp",), "S": ("tp",)})
    assert needs.output == layout({"C": ("dp", "tp")})
    combine = Operator("combine", (("E", "C", "D"), ("B", "S", "E")), ("B", "S", "D"))
    back = required(combine, {"B": ("dp",), "S": ("tp",)})
    assert back.inputs[0] == layout({"C": ("dp", "tp")})
    assert back.output == cut(B="dp", S="tp")


def test_sorting_needs_its_dimension_whole():
    assert whole_dims(Operator("along", (("B", "S"),), ("B", "S"), "sort", ("S",))) == {"S"}
    assert (
        whole_dims(Operator("along", (("B", "S"),), ("B", "S"), "softmax", ("S",))) == frozenset()
    )

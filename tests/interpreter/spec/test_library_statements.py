"""The built-in library, parsed."""

from parspec.grammar.syntax import BlockStatement
from parspec.interpreter.spec.library_statements import (
    brought,
    library_document,
    library_statements,
)


def test_a_file_brings_itself_and_all_that_it_imports_each_once() -> None:
    assert brought("std.dims") == ("std.dims",)
    every = brought("std.dense_layer")
    assert every[0] == "std.dense_layer"
    assert sorted(every) == [
        "std.attention",
        "std.dense_layer",
        "std.dims",
        "std.gqa",
        "std.swiglu",
    ]


def test_the_statements_of_a_file_are_those_in_no_body() -> None:
    blocks = [one for one in library_statements("std.moe") if isinstance(one, BlockStatement)]
    assert [block.name.text for block in blocks] == ["experts", "moe"]


def test_a_file_that_the_library_lacks_is_empty() -> None:
    assert library_document("std.nothing").chunks == ()
    assert library_statements("std.nothing") == ()
    assert brought("std.nothing") == ("std.nothing",)

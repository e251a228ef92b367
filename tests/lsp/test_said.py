"""What a client gives back, and the arguments of commands."""

from typing import NamedTuple

import pytest
from pygls.exceptions import JsonRpcInvalidParams

from parspec.lsp.convert.said import check_arguments, taken


class Form(NamedTuple):
    uri: str
    at: int
    plan: str | None


def command(session, uri: str, line: int = 0):
    """One that takes a URI and a line."""


def test_what_has_the_form_is_taken():
    said = {"uri": "file:///a.par", "at": 7, "more": []}
    assert taken(said, Form) == Form("file:///a.par", 7, None)
    assert taken({**said, "plan": "p"}, Form).plan == "p"


@pytest.mark.parametrize(
    "said", [None, 5, [], {}, {"uri": "x"}, {"uri": 5, "at": 7}, {"uri": "x", "at": 7, "plan": {}}]
)
def test_what_has_not_is_refused(said):
    with pytest.raises(JsonRpcInvalidParams):
        taken(said, Form)


def test_arguments():
    check_arguments(command, ["file:///a.par"])
    check_arguments(command, ["file:///a.par", 3])


@pytest.mark.parametrize("arguments", [[], [5], [None], ["x", "3"], ["x", 3, 4], [[]], [{}]])
def test_arguments_that_it_does_not_take(arguments):
    with pytest.raises(JsonRpcInvalidParams):
        check_arguments(command, arguments)

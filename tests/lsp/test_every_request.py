"""Every request at every place of every example, whole and cut short, is answered."""

import random
from pathlib import Path

import pytest
from lsp_requests import AT_A_PLACE, CAPABLE, OF_A_FILE, ask
from pygls.exceptions import JsonRpcException

from parspec.lsp.client import Client
from parspec.lsp.session import Session

EXAMPLES = sorted(
    path
    for path in Path(__file__).parents[2].joinpath("examples").glob("*.par")
    if path.read_text("utf-8").count("\n") < 200
)
OF_RANGES = [
    route for route in AT_A_PLACE if route.method.endswith(("Formatting", "inlayHint", "/range"))
]
RENAME = [route for route in AT_A_PLACE if route.method == "textDocument/rename"]
OF_PLACES = [route for route in AT_A_PLACE if route not in (*OF_RANGES, *RENAME)]
LAST = 6  # characters in front of a cut at which something is asked


def view_of(example, text):
    session = Session(Client(CAPABLE))
    uri = example.as_uri()
    session.open(uri, 1, text)
    return session.view(uri)


def answered(view, routes, offsets):
    """Asks everything; only renaming may be refused, with a reason."""
    for route in routes:
        for offset in offsets:
            try:
                ask(view, route, offset)
            except JsonRpcException as refusal:
                assert route in RENAME
                assert refusal.message


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_at_every_character(example):
    text = example.read_text("utf-8")
    view = view_of(example, text)
    answered(view, OF_PLACES, range(len(text) + 1))
    answered(view, RENAME, range(0, len(text) + 1, 7))
    answered(view, OF_RANGES, range(0, len(text) + 1, 70))
    answered(view, OF_A_FILE, (0,))


def cuts(example):
    """All of the smallest example, some of the others."""
    text = example.read_text("utf-8")
    if example.stem == "megatron_mlp":
        return range(len(text) + 1)
    return sorted(random.Random(example.stem).sample(range(len(text)), 50))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_where_the_text_breaks_off(example):
    text = example.read_text("utf-8")
    for end in cuts(example):
        view = view_of(example, text[:end])
        answered(view, OF_PLACES, range(max(0, end - LAST), end + 1))
        answered(view, [*OF_RANGES, *RENAME, *OF_A_FILE], (end,))

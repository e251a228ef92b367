"""Requests about whole files give way to those that somebody waits for."""

import sys
from pathlib import Path

import pytest
from lsp_editor import Editor, capabilities_of

sys.path.insert(0, str(Path(__file__).parents[1] / "bench"))

from generated import spec

URI = "file:///whole/whole.par"
TEXT = spec(3000)


@pytest.fixture(scope="module")
def editor():
    with Editor(capabilities_of("vscode")) as started:
        started.open(URI, TEXT)
        started.ask("textDocument/hover", place())  # all is loaded and analysed
        yield started


def place():
    line = TEXT[: TEXT.index("layer q30")].count("\n")
    return {"textDocument": {"uri": URI}, "position": {"line": line, "character": 8}}


def order_of_answers(editor, *numbers):
    came = []

    def all_there():
        came.extend(n for n in numbers if n in editor._answers and n not in came)
        return len(came) == len(numbers)

    editor.until(all_there)
    return came


@pytest.mark.parametrize(
    "method",
    [
        "textDocument/semanticTokens/full",
        "textDocument/documentSymbol",
        "textDocument/codeLens",
    ],
)
def test_a_hover_does_not_wait_for_them(editor, method):
    alone = editor.ask(method, {"textDocument": {"uri": URI}})
    whole = editor.begin(method, {"textDocument": {"uri": URI}})
    hover = editor.begin("textDocument/hover", place())
    assert order_of_answers(editor, whole, hover) == [hover, whole]
    assert "layer q30" in editor.answer(hover)["contents"]["value"]
    assert editor.answer(whole) == alone

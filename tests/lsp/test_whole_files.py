"""Requests about whole files give way to those that somebody waits for."""

import sys
from pathlib import Path

import pytest
from lsp_editor import Editor, capabilities_of

sys.path.insert(0, str(Path(__file__).parents[1] / "bench"))

from generated import spec

TEXT = spec(3000)
END = {"line": 9999, "character": 0}
LINE = TEXT[: TEXT.index("layer q30")].count("\n")


@pytest.fixture(scope="module")
def editor():
    with Editor(capabilities_of("vscode")) as started:
        yield started


def order_of_answers(editor, *numbers):
    came = []

    def all_there():
        came.extend(n for n in numbers if n in editor._answers and n not in came)
        return len(came) == len(numbers)

    editor.until(all_there)
    return came


@pytest.mark.parametrize("what", ["semanticTokens/full", "documentSymbol", "codeLens", "inlayHint"])
def test_a_hover_does_not_wait_for_them(editor, what):
    document = {"textDocument": {"uri": f"file:///whole/{what.partition('/')[0]}.par"}}
    place = document | {"position": {"line": LINE, "character": 8}}
    whole_file = document | {"range": {"start": place["position"] | {"line": 0}, "end": END}}
    editor.open(document["textDocument"]["uri"], TEXT)
    editor.ask("textDocument/hover", place)  # the file is analysed
    whole = editor.begin(f"textDocument/{what}", whole_file)
    hover = editor.begin("textDocument/hover", place)
    assert order_of_answers(editor, whole, hover) == [hover, whole]
    assert "layer q30" in editor.answer(hover)["contents"]["value"]
    assert editor.answer(whole) == editor.ask(f"textDocument/{what}", whole_file)

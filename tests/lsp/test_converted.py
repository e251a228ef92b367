"""Answers as clients get them: their columns, what they can, and what they are refused."""

import pytest
from lsp_editor import Editor, Refused, capabilities_of
from lsp_requests import CAPABLE, session_with, uri
from lsprotocol import types

from parspec.lsp.capabilities import capabilities
from parspec.lsp.client import Client
from parspec.lsp.convert import coloring, completing, moving, outline

TEXT = """\
dim B = 4
input x[B]
layer up: y[B] = gelu(x)  # 🚀🚀
# 🚀
layer 层: 出[B] = gelu(y)
output 出
"""


def encoded(encoding):
    said = {
        "capabilities": {**CAPABLE["capabilities"], "general": {"positionEncodings": [encoding]}}
    }
    return session_with(("a.par", TEXT), said=said)


@pytest.mark.parametrize(
    ("encoding", "columns"), [("utf-8", (11, 14)), ("utf-16", (9, 10)), ("utf-32", (9, 10))]
)
def test_columns_are_counted_as_the_client_counts(encoding, columns):
    view = encoded(encoding).view(uri("a.par"))
    place = types.Position(5, 7)
    asked = types.DefinitionParams(types.TextDocumentIdentifier(uri("a.par")), place)
    (found,) = moving.definition(view, asked)
    start, end = found.range.start, found.range.end
    assert (start.line, start.character, end.character) == (4, *columns)


def test_an_emoji_in_front_counts_two_in_utf_16():
    text = "dim B = 4\ninput x[B]  # 🚀\nlayer a: y[B] = gelu(x) output y  # 🚀\n"
    session = session_with(("a.par", text.replace("x[B]  # 🚀\n", "x[B]\n")))
    view = session.view(uri("a.par"))
    tokens = coloring.semantic_tokens_full(view, types.SemanticTokensParams(asked_of("a.par")))
    assert len(tokens.data) % 5 == 0
    assert tokens.data[:5] == [0, 0, 3, 0, 0]


@pytest.mark.parametrize(("encoding", "ahead"), [("utf-8", 6), ("utf-16", 4), ("utf-32", 4)])
def test_half_a_character_counts_as_it_does_in_other_answers(encoding, ahead):
    said = {"capabilities": {"general": {"positionEncodings": [encoding]}}}
    view = session_with(("a.par", "dim \ud800 B\n"), said=said).view(uri("a.par"))
    tokens = coloring.semantic_tokens_full(view, types.SemanticTokensParams(asked_of("a.par")))
    assert view.position(6).character == ahead + 2
    assert len(tokens.data) % 5 == 0


def asked_of(name):
    return types.TextDocumentIdentifier(uri(name))


def test_a_client_without_snippets_gets_plain_words():
    for said, wanted in ((CAPABLE, "plan ${1:name} {\n  $0\n}"), ({"capabilities": {}}, "plan")):
        view = session_with(("a.par", "\n"), said=said).view(uri("a.par"))
        asked = types.CompletionParams(asked_of("a.par"), types.Position(0, 0))
        found = {
            item.label: item.text_edit.new_text for item in completing.complete(view, asked).items
        }
        assert found["plan"] == wanted


def test_a_suggestion_is_documented_when_it_is_looked_at():
    session = session_with(("a.par", "dim B = 4  # samples\ninput x[B]\nlayer a: y["))
    view = session.view(uri("a.par"))
    asked = types.CompletionParams(asked_of("a.par"), types.Position(2, 11))
    items = {item.label: item for item in completing.complete(view, asked).items}
    assert items["B"].documentation is None
    shown = completing.resolve(session, items["B"]).documentation
    assert (shown.kind, shown.value) == ("markdown", "```par\ndim B = 4\n```\n\nsamples")


def test_a_device_of_the_library_brings_its_import():
    said = {
        "capabilities": {
            "textDocument": {
                "completion": {
                    "completionItem": {
                        "labelDetailsSupport": True,
                        "documentationFormat": ["markdown"],
                    }
                }
            }
        }
    }
    session = session_with(("a.par", "mesh tp = 8 on 8 "), said=said)
    view = session.view(uri("a.par"))
    asked = types.CompletionParams(asked_of("a.par"), types.Position(0, 17))
    items = completing.complete(view, asked).items
    found = next(item for item in items if item.label == "h100")
    start = types.Position(0, 0)
    assert found.additional_text_edits == [
        types.TextEdit(types.Range(start, start), "import std.h100\n")
    ]
    assert (found.label_details.description, found.detail) == ("std.h100", "import std.h100")
    shown = completing.resolve(session, found).documentation.value
    assert shown.startswith("```par\ndevice h100 { memory = 80 GiB flops")


def test_a_slash_brings_up_paths_only():
    for text, paths in (('import "../', True), ("dim F = D /", False)):
        view = session_with(("a.par", text)).view(uri("a.par"))
        trigger = types.CompletionContext(types.CompletionTriggerKind.TriggerCharacter, "/")
        place = types.Position(0, len(text))
        found = completing.complete(view, types.CompletionParams(asked_of("a.par"), place, trigger))
        assert (found is not None) == paths


def test_a_client_without_nesting_gets_a_flat_list():
    text = "dim L = 2\nstack s[L]: x -> y {\n  weight w[L]\n}\n"
    view = session_with(("a.par", text), said={"capabilities": {}}).view(uri("a.par"))
    found = outline.document_symbol(view, types.DocumentSymbolParams(asked_of("a.par")))
    assert [(each.name, each.container_name) for each in found] == [
        ("L", None),
        ("s", None),
        ("w", "s"),
    ]


def test_folds_leave_the_closing_brace_in_sight():
    text = "stack s[L]: x -> y {\n  weight w[L]\n  weight v[L]\n}\n"
    view = session_with(("a.par", text)).view(uri("a.par"))
    found = outline.folding_range(view, types.FoldingRangeParams(asked_of("a.par")))
    assert [(each.start_line, each.end_line) for each in found] == [(0, 2)]


def test_labels_of_signatures_count_in_utf_16():
    text = "dim 🚀B = 4\nop f(X[𝐁]) -> Y[𝐁] = X\ninput x[B]\nlayer a: y[B] = f("
    view = session_with(("a.par", text)).view(uri("a.par"))
    asked = types.SignatureHelpParams(asked_of("a.par"), types.Position(3, 18))
    found = completing.signature_help(view, asked)
    (shown,) = found.signatures
    assert shown.label == "f(X[𝐁]) -> Y[𝐁]"
    assert shown.parameters[0].label == (2, 7)


MODEL = "dim B, D = 8\ninput x[B, D]\nlayer up: h[B, D] = gelu(x)\noutput h\n"
PLAN = 'import "model.par"\nmesh tp = 2\ndim B = 4\nfor up: partition B on tp\n'


def test_renaming_in_two_files_of_which_one_is_closed(tmp_path):
    """Asked in the file that is imported: the one that imports it is found in the folder."""
    model, plan = tmp_path / "model.par", tmp_path / "plan é.par"
    plan.write_text(PLAN, "utf-8")
    with Editor(capabilities_of("vscode"), folders=[tmp_path]) as editor:
        editor.open(model.as_uri(), MODEL)
        place = {"textDocument": {"uri": model.as_uri()}, "position": {"line": 0, "character": 4}}
        prepared = editor.ask("textDocument/prepareRename", place)
        assert prepared["start"] == {"line": 0, "character": 4}
        edit = editor.ask("textDocument/rename", place | {"newName": "N"})
        counts = {
            each["textDocument"]["uri"]: len(each["edits"]) for each in edit["documentChanges"]
        }
        assert counts == {model.as_uri(): 3, plan.as_uri(): 2}
        context = {"context": {"includeDeclaration": False}}
        found = editor.ask("textDocument/references", place | context)
        assert [each["uri"] for each in found] == [model.as_uri()] * 2 + [plan.as_uri()]
        with pytest.raises(Refused, match="`D` is a dimension already"):
            editor.ask("textDocument/rename", place | {"newName": "D"})
        nowhere = {"position": {"line": 0, "character": 0}}
        assert editor.ask("textDocument/prepareRename", place | nowhere) is None
        with pytest.raises(Refused, match="there is no name here"):
            editor.ask("textDocument/rename", place | nowhere | {"newName": "N"})
        symbols = editor.ask("workspace/symbol", {"query": "up"})
        assert [(each["name"], each["location"]["uri"]) for each in symbols] == [
            ("up", model.as_uri())
        ]


@pytest.mark.parametrize(
    ("name", "full"), [("vscode", False), ("neovim", {"delta": True}), ("emacs", True)]
)
def test_colours_of_whole_files_are_for_clients_that_ask_for_no_parts(name, full):
    offered = capabilities(Client({"capabilities": capabilities_of(name)}))
    assert offered["semanticTokensProvider"]["full"] == full
    assert offered["semanticTokensProvider"]["range"] is True


def test_dataflow_as_a_call_hierarchy():
    with Editor(capabilities_of("vscode")) as editor:
        editor.open(uri("a.par"), MODEL)
        place = {
            "textDocument": {"uri": uri("a.par")},
            "position": {"line": 2, "character": 6},
        }
        (item,) = editor.ask("textDocument/prepareCallHierarchy", place)
        (call,) = editor.ask("callHierarchy/incomingCalls", {"item": item})
        assert (item["name"], call["from"]["name"]) == ("up", "x")
        assert editor.ask("callHierarchy/outgoingCalls", {"item": item}) == []


def test_who_uses_a_block_as_a_call_hierarchy():
    text = "dim B = 4\ninput x[B]\nblock b(p[B]) -> q {\n  layer a: q[B] = gelu(p)\n}\n"
    text += "layer y: y[B] = b(x)\noutput y\n"
    with Editor(capabilities_of("vscode")) as editor:
        editor.open(uri("b.par"), text)
        place = {
            "textDocument": {"uri": uri("b.par")},
            "position": {"line": 2, "character": 6},
        }
        (item,) = editor.ask("textDocument/prepareCallHierarchy", place)
        (call,) = editor.ask("callHierarchy/incomingCalls", {"item": item})
        assert (item["name"], item["detail"]) == ("b", "block b(p[B]) -> q")
        assert (call["from"]["name"], call["fromRanges"][0]["start"]) == (
            "y",
            {"line": 5, "character": 16},
        )
        assert editor.ask("callHierarchy/outgoingCalls", {"item": item}) == []

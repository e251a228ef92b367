"""Code actions over the protocol, as three editors ask for them."""

import pytest
from lsp_editor import Editor, capabilities_of
from lsprotocol import types

from parspec.lsp.client import Client
from parspec.lsp.convert.actions import code_actions
from parspec.lsp.schedule import GivenUp, Ticket
from parspec.lsp.session import Session

URI = "file:///repo/plan.par"
TEXT = """\
mesh N = 8
dim B = 64, F = 32, D = 16  # 批次 😀
input a[B, F]
weight w[F, D]
layer down: y[B, D] = a * w partition F on N
layer act: z[B, D] = sigmoidd(y)
output z
"""
AUTOMATIC = 2


def asked(editor, line, column, **context):
    place = {"line": line, "character": column}
    return editor.ask(
        "textDocument/codeAction",
        {
            "textDocument": {"uri": URI},
            "range": {"start": place, "end": place},
            "context": {"diagnostics": [], **context},
        },
    )


def titles(found):
    return [each["title"] for each in found]


@pytest.fixture(params=["vscode", "neovim", "emacs"])
def editor(request):
    with Editor(capabilities_of(request.param)) as editor:
        editor.open(URI, TEXT)
        yield editor


def texts_of(edit):
    """The edits of a workspace edit by their new texts, in either of its forms."""
    files = edit.get("documentChanges") or [{"edits": each} for each in edit["changes"].values()]
    return [(each["range"]["start"]["line"], each["newText"]) for f in files for each in f["edits"]]


def test_a_quick_fix_comes_with_its_edit_and_the_clients_diagnostic(editor):
    spot = {"start": {"line": 5, "character": 21}, "end": {"line": 5, "character": 29}}
    mine = {"range": spot, "message": "there is no function", "code": "PAR101", "source": "parspec"}
    other = mine | {"code": "PAR102"}
    (fix,) = asked(editor, 5, 23, diagnostics=[mine, other], only=["quickfix"])
    assert (fix["title"], fix["kind"]) == ("Replace `sigmoidd` with `sigmoid`", "quickfix")
    assert fix["isPreferred"] is True
    assert texts_of(fix["edit"]) == [(5, "sigmoid")]
    assert [each["code"] for each in fix["diagnostics"]] == ["PAR101"]


def test_kinds_are_those_asked_for(editor):
    assert titles(asked(editor, 5, 23, only=["source"])) == ["Fix all that needs no choice"]
    assert titles(asked(editor, 5, 23, only=["source.fixAll"])) == ["Fix all that needs no choice"]
    assert asked(editor, 5, 23, only=["source.organizeImports"]) == []
    assert titles(asked(editor, 5, 23, triggerKind=AUTOMATIC)) == [
        "Replace `sigmoidd` with `sigmoid`"
    ]


def test_what_is_worked_out_late_has_its_edit_at_last(editor):
    (action,) = asked(editor, 0, 0, only=["source.fixAll.par"])
    if "edit" not in action:
        action = editor.ask("codeAction/resolve", action)
    assert texts_of(action["edit"]) == [(5, "sigmoid")]


def test_a_client_that_asks_later_gets_edits_later():
    with Editor(capabilities_of("vscode")) as editor:
        editor.open(URI, TEXT)
        (action,) = asked(editor, 0, 0, only=["source.fixAll.par"])
        assert "edit" not in action
        editor.change(URI, 2, [TEXT.replace("sigmoidd", "gelu")])
        assert "edit" not in editor.ask("codeAction/resolve", action)


def test_a_client_without_code_actions_of_its_own_gets_none():
    with Editor({}) as editor:
        editor.open(URI, TEXT)
        assert asked(editor, 5, 23) == []


def test_what_nobody_waits_for_is_given_up():
    session = Session(Client({"capabilities": capabilities_of("vscode")}))
    session.open(URI, 1, TEXT.replace("sigmoidd", "sigmoid"))
    place = types.Position(4, 8)
    params = types.CodeActionParams(
        types.TextDocumentIdentifier(URI),
        types.Range(place, place),
        types.CodeActionContext([]),
    )
    ticket = Ticket()
    session.checkpoint = ticket.check
    assert code_actions(session.view(URI), params)
    ticket.give_up()
    with pytest.raises(GivenUp):
        code_actions(session.view(URI), params)
    session.checkpoint = Ticket().check
    assert code_actions(session.view(URI), params)

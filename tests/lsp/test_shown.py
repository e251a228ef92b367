"""Hovers, hints, lenses and reports as the protocol has them, for what a client can take."""

import json
from pathlib import Path

import pytest
from lsp_fixtures import MAIN
from lsprotocol import converters, types
from pygls.exceptions import JsonRpcException

from parspec.interpreter.explanations.index import explained
from parspec.lsp.client import Client
from parspec.lsp.convert.report import explain, plans, report, summary, words
from parspec.lsp.convert.shown import hints, hover, lenses
from parspec.lsp.session import Session
from parspec.lsp.settings import settings

URI = f"file://{MAIN}"
TEXT = """\
mesh N = 2
dim 批次 = 4
input x[批次]  # 😀 in front
layer y: s[] = sum over 批次 (x)  partition 批次 on N
output s replicated on N
plan four { mesh N = 4 }
"""


def session(capabilities=None, said=None):
    found = Session(Client({"capabilities": capabilities or {}}), settings(said))
    found.open(URI, 1, TEXT)
    return found


def asked(found, function, params):
    return converters.get_converter().unstructure(function(found.view(URI), params))


def hover_at(found, line, character):
    document = types.TextDocumentIdentifier(URI)
    return asked(found, hover, types.HoverParams(document, types.Position(line, character)))


def hints_of(found):
    document = types.TextDocumentIdentifier(URI)
    whole = types.Range(types.Position(0, 0), types.Position(99, 0))
    return asked(found, hints, types.InlayHintParams(document, whole))


def lenses_of(found):
    params = types.CodeLensParams(types.TextDocumentIdentifier(URI))
    return asked(found, lenses, params)


def test_markdown_for_who_draws_it():
    drawing = {"textDocument": {"hover": {"contentFormat": ["markdown", "plaintext"]}}}
    shown = hover_at(session(drawing), 1, 4)
    assert shown["contents"]["kind"] == "markdown"
    assert shown["contents"]["value"].startswith("```par\ndim 批次 = 4\n```")
    assert shown["range"]["end"] == {"line": 1, "character": 6}


def test_plain_text_for_others():
    shown = hover_at(session(), 3, 6)
    assert shown["contents"]["kind"] == "plaintext"
    assert shown["contents"]["value"].startswith(
        "layer y: s[] = sum over 批次 (x) partition 批次 on N\n\n"
    )
    assert "`" not in shown["contents"]["value"]
    assert hover_at(session(), 2, 18) is None


def test_a_word_leads_to_its_explanation_where_links_run_commands():
    found = Session(Client({"initializationOptions": {"commandLinks": True}}))
    found.open(URI, 1, TEXT)
    link = "[an example](command:parspec.explain?%5B%22partition%22%5D)"
    column = TEXT.split("\n")[3].index("partition")
    assert hover_at(found, 3, column)["contents"]["value"].endswith(link)
    assert "command:" not in hover_at(found, 3, 6)["contents"]["value"]
    assert "command:" not in hover_at(session(), 3, column)["contents"]["value"]


def test_hints():
    found = hints_of(session())
    labels = ["".join(part["value"] for part in hint["label"]) for hint in found]
    assert labels == ["All-Reduce s → R on N · 6 B · 2 B/device"]
    assert found[0]["position"] == {"line": 4, "character": 8}
    target = found[0]["label"][1]["location"]
    assert (target["uri"], target["range"]["start"]) == (URI, {"line": 3, "character": 9})
    assert "kind" not in found[0]
    assert (found[0]["paddingLeft"], found[0]["paddingRight"]) == (True, True)
    assert found[0]["tooltip"]["value"].startswith("- All-Reduce s · 6 B")


def test_hints_as_they_are_wanted():
    assert hints_of(session(said={"inlayHints": {"enable": False}})) == []
    only = hints_of(session(said={"inlayHints": {"states": False, "minimumTraffic": 7}}))
    assert only == []


def test_lenses():
    found = lenses_of(session())
    titles = [lens["command"]["title"] for lens in found]
    assert titles == [
        "traffic 6 B · 2 B/device · memory 6 B/device",
        "traffic 15 B · 3 B/device · memory 4 B/device",
    ]
    assert [lens["command"]["arguments"] for lens in found] == [[URI, None], [URI, "four"]]
    assert {lens["command"]["command"] for lens in found} == {"parspec.report"}
    assert lenses_of(session(said={"codeLens": {"enable": False}})) == []


def test_report_page():
    page = report(session(), URI, "four")
    assert page["title"] == "main.par · four"
    assert page["html"].startswith("<!DOCTYPE html>")
    assert "All-Reduce" in page["html"]
    assert report(session(), URI)["title"] == "main.par"
    with pytest.raises(JsonRpcException, match=r"main\.par has no plan none; it has four"):
        report(session(), URI, "none")
    assert report(session(), "file:///nowhere.par") is None


def test_the_page_names_the_file_below_the_clients_folder():
    found = session()
    found.folders.append(str(Path(MAIN).parent.parent))
    name = f"{Path(MAIN).parent.name}/main.par"
    assert f"<title>{name} · parspec</title>" in report(found, URI)["html"]
    assert str(Path(MAIN).parent) not in report(found, URI)["html"]


def test_plans_to_report_on():
    assert plans(session(), URI, 0, 0) == [None]
    assert plans(session(), URI, 5, 14) == ["four"]
    bare = session()
    bare.open(URI, 2, "dim B = 4\nplan two { mesh N = 2 }\nplan four {\n  mesh N = 4\n}\n")
    assert plans(bare, URI, 0, 3) == ["two", "four"]
    assert plans(bare, URI, 3, 0) == ["four"]
    bare.open(URI, 2, UNSPREAD)
    assert plans(bare, URI, 0, 3) == ["half", "all"]
    bare.open(URI, 3, "dim B = 4\n")
    assert plans(bare, URI, 0, 3) == [None]
    assert plans(bare, "file:///nowhere.par", 0, 0) == []


UNSPREAD = TEXT.replace("  partition 批次 on N", "") + (
    "plan half { for *: partition 批次 on N }\nplan all { mesh N = 4 for *: partition 批次 on N }\n"
)


def test_explain():
    assert explain(session(), "all gather")["markdown"].startswith("## All-Gather (primitive)")
    assert explain(session(), "PAR201")["title"].startswith("PAR201 ")
    unknown = explain(session(), "All-Gatherr")
    assert unknown["markdown"].startswith(
        "There is nothing to explain about `All-Gatherr`. Did you"
    )


def test_words_to_explain():
    found = words(session())
    kinds = list(dict.fromkeys(each["kind"] for each in found))
    assert (kinds[0], kinds[-1]) == ("statements", "diagnostics")
    assert "communication primitives" in kinds
    by_name = {name: each for each in found for name in each["names"]}
    assert by_name["all-gather"]["title"] == "All-Gather"
    assert by_name["par201"]["title"] == by_name["indivisible"]["title"] == "PAR201 indivisible"
    assert all(explained(each["title"]) and each["text"] for each in found)
    assert json.dumps(found)


def test_summary():
    shown = summary(session(), URI)
    assert shown["text"] == "6 B · 2 B/device"
    assert [line.partition(" · traffic")[0] for line in shown["tooltip"].split("\n")] == [
        "main.par · no plan: ok · 1 layer · mesh N = 2",
        "main.par · four: ok · 1 layer · mesh N = 4",
    ]
    assert json.dumps(shown)
    unspread = session()
    unspread.open(URI, 2, UNSPREAD)
    assert summary(unspread, URI)["text"] == "half 6 B · 2 B/device, all 15 B · 3 B/device"
    plans_of_many = "".join(f"plan p{n} {{ mesh M = 2 }}\n" for n in range(5))
    unspread.open(URI, 3, "dim B = 4\ninput x[B]\nlayer y: y[B] = gelu(x)\n" + plans_of_many)
    assert (
        summary(unspread, URI)["text"] == "p0 no traffic, p1 no traffic, p2 no traffic, and 2 more"
    )
    assert summary(session(), "file:///nowhere.par") is None

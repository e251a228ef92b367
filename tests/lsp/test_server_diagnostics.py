"""Diagnostics through the server: pushed to clients that wait, pulled by those that ask."""

import pytest
from lsp_editor import Editor, Refused, capabilities_of, summed

MODEL = """\
dim B = 4, H = 52
input x[B, H]
layer up: y[B, H] = gelu(x)
output y
"""
PLAN = """\
import "model.par"
mesh N = 3
for up: partition H on N
"""
ENCODINGS = {"utf-8": 6, "utf-16": 3, "utf-32": 2}


def pushing(**more):
    """What a client says that does not pull."""
    about = {"relatedInformation": True, "tagSupport": {"valueSet": [1, 2]}}
    return {"textDocument": {"publishDiagnostics": about}, **more}


def pulling(**workspace):
    """What a client says that pulls."""
    return {"textDocument": {"diagnostic": {}}, "workspace": workspace}


@pytest.fixture
def folder(tmp_path):
    tmp_path.joinpath("model.par").write_text(MODEL, encoding="utf-8")
    tmp_path.joinpath("plan.par").write_text(PLAN, encoding="utf-8")
    return tmp_path


def uri(folder, name):
    return folder.joinpath(name).as_uri()


# -- pushed ----------------------------------------------------------------------------------------


def test_a_diagnostic_has_a_code_a_place_and_related_places(folder):
    with Editor(pushing()) as editor:
        editor.open(uri(folder, "plan.par"), PLAN)
        (found,) = editor.diagnostics(uri(folder, "plan.par"))
    assert found["code"] == "PAR201"
    assert found["source"] == "parspec"
    assert found["severity"] == 1
    assert found["message"].startswith("H = 52 does not split 3 ways on N: 52 mod 3 = 1")
    assert found["range"] == {
        "start": {"line": 2, "character": 18},
        "end": {"line": 2, "character": 24},
    }
    (related,) = found["relatedInformation"]
    assert related["location"]["uri"] == uri(folder, "model.par")
    assert related["message"] == "H is declared here"


def test_a_client_without_related_places_reads_them_in_the_message(folder):
    with Editor(capabilities_of("emacs")) as editor:
        editor.open(uri(folder, "plan.par"), PLAN)
        (found,) = editor.diagnostics(uri(folder, "plan.par"))
    assert "relatedInformation" not in found
    assert found["message"].splitlines()[1] == "model.par:1:12: H is declared here"


def test_what_is_unused_is_tagged(folder):
    with Editor(pushing()) as editor:
        editor.open("untitled:one", "dim B = 4, C = 3\ninput x[B]\noutput x\n")
        (found,) = editor.diagnostics("untitled:one")
    assert (found["data"]["name"], found["tags"]) == ("unused_name", [1])


def test_explanations_are_linked_for_a_client_that_follows_commands():
    with Editor(pushing(), options={"commandLinks": True}) as editor:
        editor.open("untitled:one", "dim B = 4\n")
        (found,) = editor.diagnostics("untitled:one")
    code = found["code"]
    assert found["codeDescription"]["href"] == f"command:parspec.explain?%5B%22{code}%22%5D"


def test_an_edit_mends_and_a_close_clears(folder):
    plan = uri(folder, "plan.par")
    with Editor(pushing()) as editor:
        editor.open(plan, PLAN)
        assert summed(editor.diagnostics(plan, 1)) == ["2:18-2:24 indivisible"]
        editor.change(plan, 2, ("4", 1, 9, 1, 10))
        assert editor.diagnostics(plan, 2) == []
        editor.change(plan, 3, ("3", 1, 9, 1, 10))
        assert summed(editor.diagnostics(plan, 3)) == ["2:18-2:24 indivisible"]
        editor.close(plan)
        editor.until(lambda: editor.published[plan]["diagnostics"] == [])


def test_an_error_in_an_import_shows_there_and_at_the_import(folder):
    folder.joinpath("model.par").write_text(MODEL.replace("gelu(x)", ""), encoding="utf-8")
    plan, model = uri(folder, "plan.par"), uri(folder, "model.par")
    with Editor(pushing()) as editor:
        editor.open(plan, PLAN)
        (at_import, *_) = editor.diagnostics(plan)
        assert at_import["message"].startswith("model.par: expected an expression")
        assert at_import["range"]["start"] == {"line": 0, "character": 7}
        editor.diagnostics(model)
        assert summed(editor.published[model]["diagnostics"]) == ["2:19-2:19 syntax_error"]
        editor.close(plan)
        editor.until(lambda: editor.published[model]["diagnostics"] == [])


def test_an_edit_of_an_import_changes_what_its_importers_show(folder):
    plan, model = uri(folder, "plan.par"), uri(folder, "model.par")
    with Editor(pushing()) as editor:
        editor.open(plan, PLAN)
        editor.open(model, MODEL)
        assert summed(editor.diagnostics(plan)) == ["2:18-2:24 indivisible"]
        editor.change(model, 2, ("51", 0, 15, 0, 17))
        editor.until(lambda: editor.published[plan]["diagnostics"] == [])


def test_a_change_on_disk_shows(folder):
    plan, model = uri(folder, "plan.par"), folder / "model.par"
    with Editor(pushing()) as editor:
        editor.open(plan, PLAN)
        assert summed(editor.diagnostics(plan)) == ["2:18-2:24 indivisible"]
        model.write_text(MODEL.replace("52", "51"), encoding="utf-8")
        changed = {"changes": [{"uri": model.as_uri(), "type": 2}]}
        editor.tell("workspace/didChangeWatchedFiles", changed)
        editor.until(lambda: editor.published[plan]["diagnostics"] == [])
        model.unlink()
        changed = {"changes": [{"uri": model.as_uri(), "type": 3}]}
        editor.tell("workspace/didChangeWatchedFiles", changed)
        editor.until(lambda: editor.published[plan]["diagnostics"] != [])
        assert "file_not_found" in str(summed(editor.published[plan]["diagnostics"]))


def test_a_buffer_without_a_file_imports_from_the_first_folder(folder):
    with Editor(pushing(), folders=[folder]) as editor:
        editor.open("untitled:Untitled-1", PLAN)
        assert summed(editor.diagnostics("untitled:Untitled-1")) == ["2:18-2:24 indivisible"]


def test_imports_reach_into_the_folders_of_the_client_and_no_further(folder):
    below, plan = folder / "plans", PLAN.replace("model.par", "../model.par")
    below.mkdir()
    with Editor(pushing(), folders=[folder]) as editor:
        editor.open(uri(below, "plan.par"), plan)
        assert summed(editor.diagnostics(uri(below, "plan.par"))) == ["2:18-2:24 indivisible"]
    with Editor(pushing(), folders=[below]) as editor:
        editor.open(uri(below, "plan.par"), plan)
        assert "import_outside" in str(summed(editor.diagnostics(uri(below, "plan.par"))))


def test_folders_that_come_and_go_allow_imports_and_forbid_them(folder):
    below, plan = folder / "plans", PLAN.replace("model.par", "../model.par")
    below.mkdir()
    with Editor(pushing(), folders=[below]) as editor:
        editor.open(uri(below, "plan.par"), plan)
        told = lambda: summed(editor.published[uri(below, "plan.par")]["diagnostics"])  # noqa: E731
        outside = summed(editor.diagnostics(uri(below, "plan.par")))
        assert "import_outside" in str(outside)
        here = {"uri": folder.as_uri(), "name": "above"}
        for added, removed in (([here], []), ([], [here])):
            change = {"event": {"added": added, "removed": removed}}
            editor.tell("workspace/didChangeWorkspaceFolders", change)
            expected = ["2:18-2:24 indivisible"] if added else outside
            editor.until(lambda expected=expected: told() == expected)


def test_an_import_that_leads_outside_and_back(folder):
    below, outside = folder / "plans", folder / "model.par"
    below.mkdir()
    plan, model, link = uri(below, "plan.par"), below / "model.par", below / "link"
    model.symlink_to(outside)
    changed = {"changes": [{"uri": model.as_uri(), "type": 2}]}
    with Editor(pushing(), folders=[below]) as editor:
        editor.open(plan, PLAN)
        told = lambda: summed(editor.published[plan]["diagnostics"])  # noqa: E731
        refused = summed(editor.diagnostics(plan))
        assert "import_outside" in str(refused)
        link.write_text(MODEL, encoding="utf-8")
        link.replace(model)
        editor.tell("workspace/didChangeWatchedFiles", changed)
        editor.until(lambda: told() == ["2:18-2:24 indivisible"])
        assert model.read_bytes() == outside.read_bytes()
        link.symlink_to(outside)
        link.replace(model)
        editor.tell("workspace/didChangeWatchedFiles", changed)
        editor.until(lambda: told() == refused)


def test_a_name_with_a_space_and_a_link_are_the_same_file(folder):
    folder.joinpath("my model.par").write_text(MODEL, encoding="utf-8")
    folder.joinpath("link.par").symlink_to(folder / "my model.par")
    plan = folder.joinpath("plan.par").as_uri()
    with Editor(pushing()) as editor:
        editor.open(uri(folder, "my model.par"), MODEL.replace("52", "51"))
        editor.open(plan, PLAN.replace("model.par", "link.par"))
        assert editor.diagnostics(plan) == []
        editor.change(uri(folder, "my model.par"), 2, ("52", 0, 15, 0, 17))
        editor.until(lambda: editor.published[plan]["diagnostics"] != [])


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
def test_columns_count_in_the_client_s_units(encoding, end):
    text = end.join(
        ["dim 批 = 4  # 😀", "input x[批]", "layer 😀: y[批] = gelu(x)", "output x", ""]
    )
    said = pushing(general={"positionEncodings": [encoding, "utf-16"]})
    with Editor(said) as editor:
        editor.open("untitled:one", text)
        editor.change(
            "untitled:one", 2, ("层", 2, 6, 2, 6 + {"utf-8": 4, "utf-16": 2}.get(encoding, 1))
        )
        editor.change("untitled:one", 3, ("批 = 4, 余", 0, 4, 0, 4 + {"utf-8": 3}.get(encoding, 1)))
        (first, *_) = editor.diagnostics("untitled:one", 3)
    start = len("dim 批 = 4, ".encode()) if encoding == "utf-8" else len("dim 批 = 4, ")
    assert first["message"].startswith("余") or "余" in first["message"]
    assert first["range"]["start"] == {"line": 0, "character": start}


def test_a_client_that_sends_whole_texts(folder):
    plan = uri(folder, "plan.par")
    with Editor(pushing()) as editor:
        editor.open(plan, PLAN)
        editor.change(plan, 2, (PLAN.replace("N = 3", "N = 4"),))
        assert editor.diagnostics(plan, 2) == []


def test_a_storm_is_answered_with_at_most_two_publications(folder):
    plan = uri(folder, "plan.par")
    with Editor(pushing()) as editor:
        editor.open(plan, PLAN)
        editor.diagnostics(plan, 1)
        editor.publications.clear()
        for version in range(2, 202):
            editor.change(plan, version, (str(4 - version % 2), 1, 9, 1, 10))
        place = {"textDocument": {"uri": plan}, "position": {"line": 1, "character": 5}}
        assert "3" in editor.ask("textDocument/hover", place)["contents"]["value"]
        assert editor.diagnostics(plan, 201) != []
        editor.rest(0.3)
        versions = [each["version"] for each in editor.publications if each["uri"] == plan]
    assert len(versions) <= 2
    assert versions[-1] == 201


def test_settings_say_which_are_shown(folder):
    plan = uri(folder, "plan.par")
    said = pushing(workspace={"configuration": True})
    settings = {"diagnostics": {"minimumSeverity": "error"}}
    text = "dim B = 4, C = 3\ninput x[B]\noutput x\n"
    with Editor(said, settings=settings) as editor:
        editor.until(lambda: "workspace/configuration" in editor.asked)
        editor.open(plan, text)
        assert editor.diagnostics(plan, 1) == []
        editor.settings = None
        editor.tell("workspace/didChangeConfiguration", {"settings": {"parspec": {}}})
        editor.until(lambda: editor.published[plan]["diagnostics"] != [])


# -- pulled ----------------------------------------------------------------------------------------


def test_a_client_that_pulls_is_not_sent_any(folder):
    plan = uri(folder, "plan.par")
    with Editor(pulling()) as editor:
        editor.open(plan, PLAN)
        full = editor.pull(plan)
        assert full["kind"] == "full"
        assert summed(full["items"]) == ["2:18-2:24 indivisible"]
        editor.rest(0.2)
        assert editor.publications == []


def test_what_has_not_changed_is_not_told_again(folder):
    plan = uri(folder, "plan.par")
    with Editor(pulling()) as editor:
        editor.open(plan, PLAN)
        first = editor.pull(plan)
        again = editor.pull(plan, first["resultId"])
        assert again == {"kind": "unchanged", "resultId": first["resultId"]}
        editor.change(plan, 2, ("4", 1, 9, 1, 10))
        other = editor.pull(plan, first["resultId"])
        assert (other["kind"], other["items"]) == ("full", [])
        assert other["resultId"] != first["resultId"]


def test_files_depend_on_one_another(folder):
    plan, model = uri(folder, "plan.par"), uri(folder, "model.par")
    with Editor(pulling(diagnostics={"refreshSupport": True})) as editor:
        about = editor.about["capabilities"]["diagnosticProvider"]
        assert about["interFileDependencies"] is True
        editor.open(plan, PLAN)
        editor.open(model, MODEL)
        assert summed(editor.pull(plan)["items"]) == ["2:18-2:24 indivisible"]
        editor.change(model, 2, ("51", 0, 15, 0, 17))
        editor.until(lambda: "workspace/diagnostic/refresh" in editor.asked)
        assert editor.pull(plan)["items"] == []


def test_all_files_of_the_folders(folder):
    model, plan = uri(folder, "model.par"), uri(folder, "plan.par")
    with Editor(pulling(), folders=[folder]) as editor:
        report = editor.ask("workspace/diagnostic", {"previousResultIds": []})
        assert {each["uri"]: summed(each["items"]) for each in report["items"]} == {
            model: [],
            plan: ["2:18-2:24 indivisible"],
        }
        assert all(each["version"] is None for each in report["items"])
        known = [{"uri": each["uri"], "value": each["resultId"]} for each in report["items"]]
        gone = {"uri": uri(folder, "gone.par"), "value": "x"}
        params = {"previousResultIds": [*known, gone]}
        again = editor.ask("workspace/diagnostic", params)
        assert [(each["uri"], each["kind"]) for each in again["items"]] == [
            (model, "unchanged"),
            (plan, "unchanged"),
            (gone["uri"], "full"),
        ]


def test_folders_come_and_go(folder, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    other.joinpath("more.par").write_text("dim B = 4\ninput x[B]\noutput x\n", encoding="utf-8")
    with Editor(pulling()) as editor:
        ask = lambda: editor.ask("workspace/diagnostic", {"previousResultIds": []})["items"]  # noqa: E731
        assert ask() == []
        here = {"uri": other.as_uri(), "name": "other"}
        change = {"event": {"added": [here], "removed": []}}
        editor.tell("workspace/didChangeWorkspaceFolders", change)
        assert [each["uri"] for each in ask()] == [uri(other, "more.par")]
        change = {"event": {"added": [], "removed": [here]}}
        editor.tell("workspace/didChangeWorkspaceFolders", change)
        assert ask() == []


def test_a_request_that_is_cancelled_is_answered_so(folder):
    slow = "".join(f"layer l{i}: y{i}[B] = gelu(x)\noutput y{i}\n" for i in range(400))
    with Editor(pulling()) as editor:
        editor.open("untitled:slow", f"dim B = 4\ninput x[B]\n{slow}")
        number = editor.begin("textDocument/diagnostic", {"textDocument": {"uri": "untitled:slow"}})
        other = editor.begin("textDocument/diagnostic", {"textDocument": {"uri": "untitled:x"}})
        editor.tell("$/cancelRequest", {"id": number})
        with pytest.raises(Refused, match="-32800"):
            editor.answer(number)
        assert editor.answer(other)["items"] == []


def test_a_file_that_is_not_open_is_read_from_disk(folder):
    with Editor(pulling()) as editor:
        assert summed(editor.pull(uri(folder, "plan.par"))["items"]) == ["2:18-2:24 indivisible"]
        assert editor.pull(uri(folder, "nowhere.par"))["items"] == []
        assert editor.pull("git:/nowhere.par")["items"] == []


# -- of files that others import -------------------------------------------------------------------

SUMMED = """\
dim B = 4, F = 8
input x[B, F]
weight w[F]
layer a: y[B] = x * w
output y
"""
WIDE = 'import "model.par"\nmesh N = 8\nfor a: partition F on N\n'
PLANS = """\
import "model.par"
plan two {
  mesh N = 2
  for a: partition F on N
}
plan four {
  mesh N = 4
  for a: partition F on N
}
"""


def test_what_an_importer_finds_in_a_file_names_the_importer(folder):
    folder.joinpath("model.par").write_text(SUMMED, encoding="utf-8")
    model = uri(folder, "model.par")
    with Editor(pushing()) as editor:
        editor.open(uri(folder, "wide.par"), WIDE)
        (found,) = editor.diagnostics(model)
        assert found["range"]["start"] == {"line": 4, "character": 7}
        assert found["message"].endswith(" (imported by wide.par)")
        editor.open(uri(folder, "plans.par"), PLANS)
        editor.until(lambda: "plans" in editor.published[model]["diagnostics"][0]["message"])
        (found,) = editor.published[model]["diagnostics"]
        assert found["message"].endswith(" (imported by plans.par, plan two, four; wide.par)")


def test_what_a_file_has_by_itself_names_no_importer(folder):
    text = "mesh N = 2\n" + SUMMED.replace("x * w", "x * w partition F on N")
    folder.joinpath("model.par").write_text(text, encoding="utf-8")
    model = uri(folder, "model.par")
    with Editor(pushing()) as editor:
        editor.open(uri(folder, "plan.par"), 'import "model.par"\n')
        editor.open(model, text)
        editor.until(lambda: editor.published.get(model, {}).get("version") == 1)
        (found,) = editor.published[model]["diagnostics"]
        assert "imported" not in found["message"]

"""`check` in the formats that services read: github, gitlab, sarif, junit.

`tests/data/sarif-schema-2.1.0.json` is the schema that OASIS publishes
(github.com/oasis-tcs/sarif-spec, Documents/CommitteeSpecifications/2.1.0).
"""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import unquote

import jsonschema
import pytest
from handmade import TEXT
from junitparser import Error as Unread
from junitparser import Failure, JUnitXml, Skipped
from processes import printed

from parspec.interpreter.commands import main
from parspec.interpreter.diagnostics.catalogue import ENTRIES
from parspec.interpreter.output.checks.diagnostic import (
    Diagnostic,
    Note,
    Place,
    Position,
    Remedy,
    Replacement,
)
from parspec.interpreter.output.checks.fingerprints import fingerprinted
from parspec.interpreter.output.checks.github import check_github
from parspec.interpreter.output.checks.sarif import check_sarif

pytestmark = pytest.mark.usefixtures("folder")

SCHEMA = json.loads(
    (Path(__file__).parents[2] / "data" / "sarif-schema-2.1.0.json").read_text("utf-8")
)
SARIF = jsonschema.Draft7Validator(SCHEMA)
FORMATS = ("github", "gitlab", "sarif", "junit")

WRONG = TEXT.replace("= x * w_up ", "= x * w_upp ")
PLANS = (
    TEXT
    + "plan good { mesh N = 4 }\nplan bad { mesh N = 3 }\nplan costly { expect traffic <= 1 GB }\n"
)


@pytest.fixture
def checked(capsys):
    """What `check` of these operands prints in a format."""

    def run(form, *words):
        main.main(["check", "--format", form, *words])
        return capsys.readouterr().out

    return run


def write(name, text):
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return name


def place(line, column, end_line=None, end_column=None, file="a.par"):
    end = Position(end_line or line, end_column or column + 1)
    return Place(file, Position(line, column), end)


def made(message="wrong", where=None, **changes):
    fields = {
        "code": "PAR201",
        "name": "indivisible",
        "severity": "error",
        "message": message,
        "data": (),
        "place": where or place(3, 5),
        "notes": (),
        "remedies": (),
        "under": (),
    }
    return Diagnostic(**fields | changes)


class TestGithub:
    def test_an_error_with_what_goes_with_it(self, checked):
        write("plans/mlp.par", WRONG)
        assert checked("github", "plans") == (
            "::error file=plans/mlp.par,line=7,col=25,endLine=7,endColumn=30,"
            "title=PAR101 unknown_name::there is no tensor w_upp; did you mean w_up?"
            "%0Ahelp: Replace `w_upp` with `w_up`\n"
        )

    def test_what_would_end_a_part_is_escaped(self):
        text = check_github([made("50% of\na, b: c\r", place(1, 1, file="a,b:c%.par"))])
        assert text.startswith("::error file=a%2Cb%3Ac%25.par,line=1,")
        assert text.endswith("::50%25 of%0Aa, b: c%0D\n")

    def test_a_place_of_several_lines_has_no_columns(self):
        text = check_github([made(where=place(1, 4, 3, 2))])
        assert text == "::error file=a.par,line=1,endLine=3,title=PAR201 indivisible::wrong\n"

    def test_severities(self):
        text = check_github([made(severity=s) for s in ("error", "warning", "info", "hint")])
        assert [line.split()[0] for line in text.splitlines()] == [
            "::error",
            "::warning",
            "::notice",
            "::notice",
        ]

    def test_plans_are_named(self):
        assert "::wrong (in a, b)\n" in check_github([made(under=("a", "b"))])


class TestFingerprints:
    def marks(self, checked, text):
        write("a.par", text)
        return [issue["fingerprint"] for issue in json.loads(checked("gitlab", "a.par"))]

    def test_lines_above_do_not_matter(self, checked):
        before = self.marks(checked, WRONG)
        assert len(before) == 1
        assert self.marks(checked, "# more\n\n" + WRONG.replace("layer up", "  layer up")) == before

    def test_the_line_matters(self, checked):
        assert self.marks(checked, WRONG) != self.marks(checked, WRONG.replace(" up:", " top:"))

    def test_sizes_in_the_message_do_not_matter(self, checked):
        text = TEXT.replace("N = 8", "N = 3")
        other = text.replace("N = 3", "N = 5")
        assert self.marks(checked, text) == self.marks(checked, other)

    def test_those_that_agree_in_all_are_told_apart(self):
        marks = [mark for _, mark in fingerprinted([made("one"), made("two")], {})]
        assert len(set(marks)) == 2
        assert [mark for _, mark in fingerprinted([made("one")], {})] == marks[:1]


class TestGitlab:
    def test_an_issue(self, checked):
        write("plans/mlp.par", WRONG)
        (issue,) = json.loads(checked("gitlab", "plans"))
        assert len(issue.pop("fingerprint")) == 32
        assert issue == {
            "type": "issue",
            "check_name": "PAR101 unknown_name",
            "description": "there is no tensor w_upp; did you mean w_up?",
            "severity": "critical",
            "location": {"path": "plans/mlp.par", "lines": {"begin": 7, "end": 7}},
        }

    def test_nothing_found_is_an_empty_list(self, checked):
        write("mlp.par", TEXT)
        assert json.loads(checked("gitlab", "mlp.par")) == []


class TestSarif:
    def run(self, text):
        log = json.loads(text)
        SARIF.validate(log)
        (run,) = log["runs"]
        return run

    def test_a_result(self, checked):
        write("plans/mlp.par", WRONG)
        run = self.run(checked("sarif", "plans"))
        assert run["columnKind"] == "unicodeCodePoints"
        (rule,) = run["tool"]["driver"]["rules"]
        assert (rule["id"], rule["name"]) == ("PAR101", "unknown_name")
        assert rule["help"]["markdown"].startswith("## PAR101 unknown_name")
        assert "```par\n" in rule["help"]["markdown"]
        (result,) = run["results"]
        assert (result["ruleId"], result["ruleIndex"], result["level"]) == ("PAR101", 0, "error")
        assert result["message"] == {"text": "there is no tensor w_upp; did you mean w_up?"}
        (location,) = result["locations"]
        assert location["physicalLocation"] == {
            "artifactLocation": {"uri": "plans/mlp.par", "uriBaseId": "%SRCROOT%"},
            "region": {"startLine": 7, "startColumn": 25, "endLine": 7, "endColumn": 30},
        }
        (fix,) = result["fixes"]
        (change,) = fix["artifactChanges"]
        assert change["replacements"] == [
            {
                "deletedRegion": {
                    "startLine": 7,
                    "startColumn": 25,
                    "endLine": 7,
                    "endColumn": 30,
                },
                "insertedContent": {"text": "w_up"},
            }
        ]

    def test_columns_count_code_points(self, checked):
        write("wide.par", "dim 𝔅 = 4 input x[𝔅] output y\n")
        _, result = self.run(checked("sarif", "wide.par"))["results"]
        region = result["locations"][0]["physicalLocation"]["region"]
        assert (region["startColumn"], region["endColumn"]) == (29, 30)

    def test_changes_are_grouped_by_file(self):
        edits = [
            Replacement(place(2, 1, file="b.par"), "x"),
            Replacement(place(9, 1), "y"),
            Replacement(place(1, 1, file="b.par"), "z"),
        ]
        note = Note(place(4, 4, file="b c#.par"), "declared here")
        diagnostic = made(notes=(note,), remedies=(Remedy("Mend it", tuple(edits)),))
        (result,) = self.run(check_sarif([diagnostic], {}, "1"))["results"]
        (related,) = result["relatedLocations"]
        assert related["message"] == {"text": "declared here"}
        where = related["physicalLocation"]["artifactLocation"]["uri"]
        assert (where, unquote(where)) == ("b%20c%23.par", "b c#.par")
        changes = result["fixes"][0]["artifactChanges"]
        assert [
            (
                change["artifactLocation"]["uri"],
                [each["insertedContent"]["text"] for each in change["replacements"]],
            )
            for change in changes
        ] == [("a.par", ["y"]), ("b.par", ["z", "x"])]

    def test_nothing_found(self, checked):
        write("mlp.par", TEXT)
        run = self.run(checked("sarif", "mlp.par"))
        assert (run["results"], run["tool"]["driver"]["rules"]) == ([], [])

    def test_a_file_that_cannot_be_read(self, checked):
        run = self.run(checked("sarif", "gone.par"))
        assert run["results"][0]["message"]["text"] == "there is no file gone.par"

    def test_every_diagnostic_of_the_catalogue(self, checked):
        for entry in ENTRIES:
            for name, data in entry.beside:
                Path(name).write_bytes(data)
            write(f"all/{entry.code}.par", entry.example)
        run = self.run(checked("sarif", "all"))
        assert len(run["tool"]["driver"]["rules"]) > 50
        for result in run["results"]:
            rule = run["tool"]["driver"]["rules"][result["ruleIndex"]]
            assert rule["id"] == result["ruleId"]


class TestJunit:
    def report(self, text):
        return JUnitXml.fromstring(text.encode())

    def test_files_plans_and_expects(self, checked):
        write("plans/mlp.par", PLANS)
        report = self.report(checked("junit", "plans"))
        (suite,) = report
        assert (suite.name, suite.tests, suite.failures) == ("plans/mlp.par", 9, 2)
        assert [(case.name, len(case.result)) for case in suite] == [
            ("file", 0),
            ("expect traffic <= 1.2 GB", 0),
            ("plan good", 0),
            ("expect traffic <= 1.2 GB (plan good)", 0),
            ("plan bad", 1),
            ("expect traffic <= 1.2 GB (plan bad)", 1),  # skipped
            ("plan costly", 0),
            ("expect traffic <= 1.2 GB (plan costly)", 0),
            ("expect traffic <= 1 GB (plan costly)", 1),
        ]

    def test_an_error_fails_what_has_it(self, checked):
        ends = {
            "dim B = 4\nplan a { dim C = 4 }\nplan b { dim ~ }\n": [0, 0, 1],
            "dim B = 4, B = 5\nplan a { dim C = 4 }\nplan b { dim D = 4 }\n": [1, 1, 1],
        }
        for text, failed in ends.items():
            write("plans.par", text)
            (suite,) = self.report(checked("junit", "plans.par"))
            assert [case.name for case in suite] == ["file", "plan a", "plan b"]
            assert [len(case.result) for case in suite] == failed

    def test_a_failed_expect_fails_its_own_case(self, checked):
        write("mlp.par", TEXT.replace("1.2 GB", "1 GB"))
        (suite,) = self.report(checked("junit", "mlp.par"))
        itself, expect = suite
        assert (itself.result, itself.classname) == ([], "mlp")
        (failure,) = expect.result
        assert isinstance(failure, Failure)
        assert "1.06 GB" in failure.message
        assert "11 | expect traffic <= 1 GB\n" in failure.text

    def test_an_expect_that_is_not_evaluated_is_skipped(self, checked):
        write("mlp.par", TEXT.replace("B = 4096", "B"))
        (suite,) = self.report(checked("junit", "mlp.par"))
        _, expect = suite
        assert [type(end) for end in expect.result] == [Skipped]
        assert "B has no size" in expect.result[0].message

    def test_a_file_that_cannot_be_read_is_an_error(self, checked):
        write("mlp.par", TEXT)
        missing, good = self.report(checked("junit", "gone.par", "mlp.par"))
        (case,) = missing
        assert [type(end) for end in case.result] == [Unread]
        assert (missing.errors, good.errors, good.failures) == (1, 0, 0)

    def test_what_xml_cannot_hold(self, checked):
        write("odd.par", "dim B = 4 \x01\x1b <&>\ufffe\n")
        (suite,) = self.report(checked("junit", "odd.par"))
        assert suite.failures == 1


class TestAll:
    @pytest.mark.parametrize("form", FORMATS)
    def test_paths_are_relative_to_the_working_folder(self, checked, folder, form):
        write("plans/mlp.par", WRONG)
        relative = checked(form, "plans/mlp.par")
        assert "plans/mlp.par" in relative
        assert checked(form, str(folder / "plans" / "mlp.par")) == relative
        assert checked(form, "./plans/../plans/mlp.par") == relative

    def test_the_same_bytes_whatever_the_order_of_sets(self):
        write("plans/mlp.par", PLANS)
        write("plans/wrong.par", WRONG)
        script = (
            "from parspec.interpreter.commands.main import main\n"
            f"for form in {FORMATS}:\n"
            "    assert main(['check', '--format', form, 'plans', 'gone.par']) == 2\n"
        )
        one, other = (printed(script, PYTHONHASHSEED=seed)[0] for seed in "12")
        assert one == other
        assert all(sign in one for sign in ("::error", "fingerprint", "2.1.0", "<testsuite"))

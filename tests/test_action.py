"""The GitHub action, as far as a machine without GitHub goes: its steps, run as GitHub runs them
in a repository with a base branch, and the summary that they write. `.pre-commit-hooks.yaml` too.
"""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from processes import environment
from specs import MEGATRON

from parspec.interpreter.commands import main
from parspec.interpreter.commands.commands import COMMANDS

ROOT = Path(__file__).parents[1]
ACTION = ROOT / ".github" / "actions" / "check"

SPEC = MEGATRON.replace("expect traffic <= 1.2 GB\n", "")

PIPELINE = """\
device box { memory = 1 GB  flops = 1 Tflop/s  hbm = 1 TB/s }
link wire { bandwidth = 1 GB/s  latency = 1 us }
mesh pp = 2 over wire on 2 box
dim B = 256, D = 256, F = 256, L = 4
input x[B, D]
stack decoder[L]: x -> y partition L on pp {
  weight v[D, F], w[F, D]
  layer up:   h[B, F] = x * v
  layer down: y[B, D] = h * w
}
output y
"""


@pytest.fixture(scope="module")
def summary():
    """The module beside the action."""
    spec = importlib.util.spec_from_file_location("action_summary", ACTION / "summary.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def write(folder, name, text):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


class TestSummary:
    @pytest.fixture
    def compared(self, tmp_path, summary, monkeypatch):
        """The summary of two sets of files."""

        def compare(before, after, *paths):
            for side, files in (("before", before), ("after", after)):
                (tmp_path / side).mkdir()
                for name, text in files.items():
                    write(tmp_path / side, name, text)
            sides = [
                summary.costs(tmp_path / side, paths or (".",)) for side in ("before", "after")
            ]
            return summary.summary(*sides, "main")

        return compare

    def test_a_plan_that_costs_more(self, compared):
        text = compared({"mlp.par": SPEC}, {"mlp.par": SPEC.replace("B = 4096", "B = 8192")})
        assert text == (
            "## parspec: plans against `main`\n\n"
            "| plan | traffic a step | memory a device | time a step |\n"
            "| --- | ---: | ---: | ---: |\n"
            "| mlp.par | 1.06 GB → 2.11 GB (**+100 %**) | 252 MB → 386 MB (**+53.3 %**) | - |\n\n"
            "<details><summary>mlp.par</summary>\n\n"
            "- traffic, forward: 1.06 GB → 2.11 GB (+100 %)\n"
            "- traffic on N: 1.06 GB → 2.11 GB (+100 %)\n"
            "- All-Reduce: 1.06 GB → 2.11 GB (+100 %)\n"
            "- memory, activations: 134 MB → 268 MB (+100 %)\n\n"
            "</details>\n"
        )

    def test_a_row_for_each_plan_that_changed(self, compared):
        before = SPEC + "plan half { mesh N = 4 }\nplan all { mesh N = 8 }\n"
        text = compared(
            {"plans/mlp.par": before, "same.par": SPEC},
            {"plans/mlp.par": before.replace("N = 4", "N = 2"), "same.par": SPEC},
        )
        rows = [line for line in text.splitlines() if line.startswith("| plans")]
        assert [row.split(" | ")[0] for row in rows] == ["| plans/mlp.par · half"]
        assert "2 plans as before.\n" in text

    def test_new_and_removed(self, compared):
        text = compared({"old.par": SPEC}, {"new.par": SPEC})
        assert "| new.par (new) | 1.06 GB | 252 MB | - |\n" in text
        assert "| old.par (removed) | 1.06 GB → - | 252 MB → - | - |\n" in text
        assert "<details>" not in text

    def test_nothing_changed(self, compared):
        assert compared({"a.par": SPEC}, {"a.par": "# a comment\n" + SPEC}) == (
            "## parspec: plans against `main`\n\n1 plan as before: no figure changed.\n"
        )

    def test_no_spec(self, compared):
        assert compared({}, {}).endswith("There is no spec.\n")

    def test_errors_are_told(self, compared):
        text = compared({"a.par": SPEC.replace("N = 8", "N = 3")}, {"a.par": SPEC})
        assert "| a.par | errors → 1.06 GB | 252 MB | - |\n" in text
        assert "- mended: F = 28672 does not split 3 ways on N" in text

    def test_what_has_errors_has_no_figures(self, compared):
        wrong = SPEC.replace("N = 8", "N = 3")
        text = compared({"a.par": SPEC}, {"a.par": wrong, "b.par": wrong})
        assert "| a.par | 1.06 GB → errors | 252 MB → - | - |\n" in text
        assert "| b.par (new) | errors | - | - |\n" in text
        assert "0 B" not in text

    def test_a_budget_that_is_not_kept_hides_no_figure(self, compared):
        budget = SPEC + "expect traffic <= 1.1 GB\n"
        text = compared({"a.par": budget}, {"a.par": budget.replace("B = 4096", "B = 8192")})
        row = "1.06 GB → 2.11 GB (**+100 %**), 1 error | 252 MB → 386 MB (**+53.3 %**) | - |\n"
        assert f"| a.par | {row}" in text
        assert "- error: expect traffic &lt;= 1.1 GB does not hold: it is 2.11 GB" in text
        assert "- traffic, forward: 1.06 GB → 2.11 GB (+100 %)\n" in text

    def test_times_of_a_pipeline_are_those_of_its_parts(self, compared):
        text = compared({}, {"a.par": PIPELINE})
        assert "| a.par (new) | 131 kB | 786 kB | compute 134 us, communication 132 us |\n" in text

    def test_names_are_no_markup(self, summary):
        assert summary._named(("a|<b>.par", "x & y")) == "a&#124;&lt;b&gt;.par · x &amp; y"

    def test_only_the_paths_that_are_asked_for(self, compared):
        text = compared({"in/a.par": SPEC}, {"in/a.par": SPEC, "out/b.par": SPEC}, "in", "gone")
        assert "no figure changed" in text

    def test_what_has_no_sizes_is_left_out(self, compared):
        model = SPEC.replace("B = 4096, D = 8192, F = 28672", "B, D, F")
        assert compared({"a.par": model}, {"a.par": model}).endswith("There is no spec.\n")

    @pytest.mark.parametrize(
        ("was", "now", "change"),
        [
            (100, 112, "+12 %"),
            (100, 50, "-50 %"),
            (100, 300, "3 times"),
            (0, 5, "new"),
            (5, 0, "gone"),
        ],
    )
    def test_changes(self, summary, was, now, change):
        assert summary._change(was, now) == change


class Runner:
    """What GitHub does with a composite action, for the `run` steps."""

    def __init__(self, repository, temporary, base_ref, **inputs):
        self.action = yaml.safe_load((ACTION / "action.yml").read_text("utf-8"))
        defaults = {name: each["default"] for name, each in self.action["inputs"].items()}
        self.values = {f"inputs.{name}": value for name, value in (defaults | inputs).items()}
        self.values |= {"github.base_ref": base_ref}
        self.repository = repository
        self.temporary = temporary
        self.summary = temporary / "summary.md"
        self.output = temporary / "output"
        self.used = []
        self.printed = ""

    def run(self):
        """Runs all steps but the installation; the exit code of the one that failed, else 0."""
        for step in self.action["runs"]["steps"]:
            if "if" in step and not self.holds(step["if"]):
                continue
            if "uses" in step:
                self.used.append((step["uses"], self.filled(step["with"])))
            elif step["name"] != "Install parspec":
                code = self.step(step)
                if code:
                    return code
        return 0

    def step(self, step):
        self.output.write_text("", "utf-8")
        settings = environment(
            **self.filled(step.get("env", {})),
            PATH=f"{self.temporary}{os.pathsep}{os.environ['PATH']}",
            GITHUB_ACTION_PATH=str(ACTION),
            GITHUB_OUTPUT=str(self.output),
            GITHUB_STEP_SUMMARY=str(self.summary),
            RUNNER_TEMP=str(self.temporary),
        )
        script = self.temporary / "step.sh"
        script.write_text(step["run"], "utf-8")
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", script],
            cwd=self.repository,
            env=settings,
            capture_output=True,
            text=True,
            check=False,
        )
        self.printed += done.stdout
        assert "Traceback" not in done.stderr
        for line in self.output.read_text("utf-8").splitlines():
            name, _, value = line.partition("=")
            self.values[f"steps.{step['id']}.outputs.{name}"] = value
        return done.returncode

    def filled(self, settings):
        return {
            name: re.sub(r"\$\{\{ (.*?) \}\}", lambda found: str(self.value(found[1])), str(value))
            for name, value in settings.items()
        }

    def value(self, expression):
        """An expression's value: names, strings, `==`, `!=`, `&&`, `||`."""
        text = expression.replace("&&", " and ").replace("||", " or ")
        for name in sorted(self.values, key=len, reverse=True):
            text = text.replace(name, repr(self.values[name]))
        return eval(text, {"__builtins__": {}})

    def holds(self, expression):
        return bool(self.value(expression))


def git(folder, *words):
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false")
    return subprocess.run(
        ["git", *identity, *words], cwd=folder, check=True, capture_output=True, text=True
    ).stdout


@pytest.fixture
def repository(tmp_path):
    """A clone on a branch whose plan sends twice as much as that of `main`."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    origin, clone = tmp_path / "origin", tmp_path / "clone"
    origin.mkdir()
    git(origin, "init", "--quiet", "--initial-branch=main")
    write(origin, "plans/mlp.par", SPEC)
    git(origin, "add", ".")
    git(origin, "commit", "--quiet", "-m", "base")
    git(tmp_path, "clone", "--quiet", f"file://{origin}", str(clone))
    git(clone, "checkout", "--quiet", "-b", "change")
    write(clone, "plans/mlp.par", SPEC.replace("B = 4096", "B = 8192"))
    git(clone, "commit", "--quiet", "-am", "change")
    return clone


@pytest.fixture
def runner(tmp_path, repository):
    """A runner for the repository, with `parspec` and `python` on the path."""

    def make(base_ref="main", **inputs):
        temporary = tmp_path / "runner"
        temporary.mkdir()
        for name, words in (
            ("python", f'"{sys.executable}" "$@"'),
            ("parspec", f'"{sys.executable}" -m parspec.interpreter.commands.main "$@"'),
        ):
            (temporary / name).write_text(f"#!/bin/sh\nexec {words}\n", "utf-8")
            (temporary / name).chmod(0o755)
        return Runner(repository, temporary, base_ref, **inputs)

    return make


class TestAction:
    def test_a_pull_request_that_costs_more(self, runner, repository):
        job = runner()
        assert job.run() == 0
        assert "| plans/mlp.par | 1.06 GB → 2.11 GB (**+100 %**) |" in job.summary.read_text()
        assert "against `main`" in job.summary.read_text()
        assert [name for name, _ in job.used] == ["actions/setup-python@v5"]
        assert git(repository, "worktree", "list").count("\n") == 1
        assert git(repository, "status", "--porcelain") == ""

    def test_an_error_is_annotated_and_fails_at_the_end(self, runner, repository):
        write(repository, "plans/mlp.par", SPEC.replace("N = 8", "N = 3"))
        job = runner(sarif="true")
        assert job.run() == 1
        assert job.printed.startswith("::error file=plans/mlp.par,line=7,")
        uploaded = dict(job.used)["github/codeql-action/upload-sarif@v3"]
        log = json.loads(Path(uploaded["sarif_file"]).read_text("utf-8"))
        assert log["runs"][0]["results"][0]["ruleId"] == "PAR201"
        assert "- error: F = 28672 does not split 3 ways" in job.summary.read_text()

    def test_a_push_compares_with_nothing(self, runner):
        job = runner(base_ref="")
        assert job.run() == 0
        assert not job.summary.exists()

    def test_comparing_is_switched_off(self, runner):
        job = runner(compare="false")
        assert job.run() == 0
        assert not job.summary.exists()

    def test_a_base_that_is_not_there_is_a_warning(self, runner):
        job = runner(**{"base-ref": "nowhere"})
        assert job.run() == 0
        assert "::warning title=parspec::nowhere could not be fetched" in job.printed

    def test_several_paths_with_spaces_and_warnings_as_errors(self, runner, repository):
        write(repository, "my plans/a.par", SPEC.replace("output y replicated on N", "output y"))
        paths = {"paths": "plans/mlp.par\nmy plans\n"}
        job = runner(**paths)
        assert job.run() == 0
        assert "::warning file=my plans/a.par," in job.printed
        assert "| my plans/a.par (new) |" in job.summary.read_text()

    def test_warnings_as_errors(self, runner, repository):
        write(repository, "plans/mlp.par", SPEC.replace("output y replicated on N", "output y"))
        job = runner(**{"warn-as-error": "true"})
        assert job.run() == 1
        assert "::error file=plans/mlp.par,line=10," in job.printed

    def test_nothing_that_users_write_is_part_of_a_script(self):
        action = yaml.safe_load((ACTION / "action.yml").read_text("utf-8"))
        assert all("${{" not in step.get("run", "") for step in action["runs"]["steps"])

    def test_it_needs_no_other_actions_than_the_usual_ones(self):
        action = yaml.safe_load((ACTION / "action.yml").read_text("utf-8"))
        used = {step["uses"].split("/")[0] for step in action["runs"]["steps"] if "uses" in step}
        assert used == {"actions", "github"}


class TestPreCommit:
    HOOKS = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))

    def test_hooks_run_commands_that_there_are(self):
        assert [hook["id"] for hook in self.HOOKS] == ["parspec-check", "parspec-fmt"]
        for hook in self.HOOKS:
            program, command, *_ = hook["entry"].split()
            assert program == "parspec"
            assert command in COMMANDS
            assert (hook["language"], hook["files"]) == ("python", r"\.par$")

    def test_the_check_of_a_commit_fails_on_errors(self, tmp_path, monkeypatch, capsys):
        monkeypatch.chdir(tmp_path)
        write(tmp_path, "good.par", SPEC)
        write(tmp_path, "bad.par", SPEC.replace("N = 8", "N = 3"))
        _, *words = self.HOOKS[0]["entry"].split()
        assert main.main([*words, "good.par"]) == 0
        assert main.main([*words, "good.par", "bad.par"]) == 1
        assert capsys.readouterr().out.startswith("bad.par:7:")

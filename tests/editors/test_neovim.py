"""A real Neovim with the two lines of its README: what it shows of a workspace."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from server_program import environment

HERE = Path(__file__).parent
README = HERE.parents[1] / "editors/neovim/README.md"
PLACE = "/path/to/parspec/editors/neovim"
NVIM = shutil.which("nvim", path=os.pathsep.join((str(Path(sys.executable).parent), os.defpath)))

pytestmark = pytest.mark.skipif(NVIM is None, reason="needs nvim; setup.sh installs it")


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    """What every step of session.lua saw, by name."""
    home = tmp_path_factory.mktemp("neovim")
    workspace = shutil.copytree(HERE / "workspace", home / "a workspace")
    results = home / "results.json"
    variables = environment(home) | {"PARSPEC_RESULTS": str(results)}
    lines = re.search(r"```lua\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)[1]
    init = home / "init.lua"
    init.write_text(lines.replace(PLACE, str(README.parent)), encoding="utf-8")
    scripts = ("-u", init, "-S", HERE / "neovim/session.lua")
    run = subprocess.run(
        [NVIM, "--headless", "-n", *scripts],
        cwd=workspace,
        env=variables,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert results.exists(), run.stderr
    return json.loads(results.read_text(encoding="utf-8"))


@pytest.fixture
def shown(session, request):
    """The result of the step that is named like the test."""
    step = session.get(request.node.name.removeprefix("test_"), session["server"])
    assert "error" not in step, step["error"]
    return step.get("result")


def test_filetype(shown):
    assert shown == ["par", "# %s", 2]


def test_comment(shown):
    assert shown == "# output y"


def test_indentation(shown):
    assert shown == [
        "stack decoder[L]: x -> y {",
        "  layer up: h[B] = x",
        "}",
        "output y",
    ]


def test_colours(shown):
    assert shown == {
        "# Column": "parComment",
        "mesh": "parStatement",
        "= 8": "parNumber",
        "layer one": "parDeclared",
        "gelu": "parFunction",
        "partition": "parClause",
    }


def test_semantic_tokens(shown):
    assert isinstance(shown, str)


def test_diagnostics(shown):
    assert shown["code"] == "PAR101"
    assert shown["text"] == "tenser"
    assert shown["line"] == 6


def test_quick_fix(shown):
    assert shown == "fixed"


def test_hover(shown):
    assert "All-Gather" in shown
    assert "GB" in shown


def test_inlay_hints(shown):
    by_line = {}
    for hint in shown:
        by_line.setdefault(hint["line"], []).append(hint["label"])
    assert any("follows h" in label for label in by_line[11])
    assert any("All-Gather" in label for label in by_line[12])


def test_code_lens(shown):
    assert any("GB" in title for title in shown)


def test_definition(shown):
    assert shown.startswith("dim F = 28672")


def test_library(shown):
    assert shown == ["par", True, False]


def test_rename(shown):
    assert "dim Width = 28672           # feed-forward" in shown["model"]
    assert "weight w_up[D, Width], w_down[Width, D]" in shown["model"]
    assert "for up, down: partition Width on tp" in shown["plan"]


def test_formatting(shown):
    assert shown == [
        "mesh tp = 8",
        "dim B = 64, D = 32, F = 128",
        "input  x[B, D]",
        "weight w[D, F]",
        "layer up: h[B, F] = x * w  partition F on tp",
        "output h",
    ]


def test_completion(shown):
    assert shown["line"] == "layer three: z[B, D] = rms"
    assert "rmsnorm" in shown["labels"]


def test_report(shown):
    assert "All-Gather" in shown
    assert "<html" in shown


def test_explanation(shown):
    assert "All-Gather" in shown


def test_another_explanation(shown):
    assert "All-Reduce (primitive)" in shown


def test_report_of_the_plan_that_is_picked(shown):
    assert shown["offered"] == ["narrow", "wide"]
    assert "planned.par" in shown["page"]
    assert "wide" in shown["page"]


def test_report_of_a_plan_that_is_not_there(shown):
    assert shown == "parspec: planned.par has no plan nope; it has narrow, wide"


def test_report_without_a_browser(shown):
    assert shown["told"] == f"parspec: the report is in {shown['page']}, no browser"

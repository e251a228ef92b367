"""A real Emacs with the README's lines: mode, diagnostics, hover and fix."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from server_program import environment

HERE = Path(__file__).parent
README = HERE.parents[1] / "editors/README.md"
EMACS = shutil.which("emacs")

pytestmark = pytest.mark.skipif(EMACS is None, reason="needs emacs; setup.sh installs it")


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """What session.el printed, by the word in front."""
    home = tmp_path_factory.mktemp("emacs")
    workspace = shutil.copytree(HERE / "workspace", home / "workspace")
    snippet = home / "snippet.el"
    lines = re.search(r"```elisp\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)[1]
    snippet.write_text(lines, encoding="utf-8")
    run = subprocess.run(
        [EMACS, "--batch", "-f", "package-initialize", "-l", HERE / "emacs/session.el"],
        cwd=workspace,
        env=environment(home) | {"PARSPEC_SNIPPET": str(snippet)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return dict(line.split(": ", 1) for line in run.stdout.splitlines() if ": " in line)


def test_mode(shown):
    assert shown["mode"] == "par-mode"


def test_diagnostic(shown):
    assert "there is no axis tenser; did you mean tensor?" in shown["diagnostic"]


def test_hover(shown):
    assert "h" in shown["hover"]


def test_fix(shown):
    assert shown["fixed"] == "layer up: h[B, F] = x * w  partition F on tensor"

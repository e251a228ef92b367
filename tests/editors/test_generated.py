"""What editors are given: word lists of the grammar, and an extension as new as the language."""

import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
EDITORS = ROOT / "editors"
PACKAGE = json.loads((EDITORS / "vscode/package.json").read_text(encoding="utf-8"))


def test_generated_files_are_what_the_grammar_gives():
    run = subprocess.run(
        [sys.executable, EDITORS / "generate.py", "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.stdout, run.stderr, run.returncode) == ("", "", 0)


def test_the_extension_is_as_new_as_the_language():
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert PACKAGE["version"] == re.search(r'^version = "(.*)"$', project, re.MULTILINE)[1]


def test_the_lock_file_names_no_registry():
    assert "resolved" not in (EDITORS / "vscode/package-lock.json").read_text(encoding="utf-8")

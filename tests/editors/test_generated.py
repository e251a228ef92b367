"""Editors' word lists are those of the grammar, and snippets are statements of the language."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from parspec.grammar.keywords import PRIMITIVES, STARTERS
from parspec.grammar.parser import parse

ROOT = Path(__file__).parents[2]
EDITORS = ROOT / "editors"
SNIPPETS = json.loads((EDITORS / "vscode/snippets/par.json").read_text(encoding="utf-8"))
PACKAGE = json.loads((EDITORS / "vscode/package.json").read_text(encoding="utf-8"))


def test_generated_files_are_what_the_grammar_gives():
    run = subprocess.run(
        [sys.executable, EDITORS / "generate.py", "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.stdout, run.stderr, run.returncode) == ("", "", 0)


def text_of(snippet):
    """What a snippet inserts when every placeholder is left as it is."""
    body = snippet["body"]
    lines = body if isinstance(body, list) else [body]
    text = re.sub(r"\$\{\d+\|([^,|]*)[^|]*\|\}", r"\1", "\n".join(lines))
    return re.sub(r"\$\{\d+:([^}]*)\}|\$\d", lambda match: match[1] or "", text)


@pytest.mark.parametrize("name", SNIPPETS)
def test_a_snippet_is_a_statement(name):
    assert parse(text_of(SNIPPETS[name])).faulty == ()


def test_every_statement_has_a_snippet():
    assert {text_of(snippet).split()[0] for snippet in SNIPPETS.values()} == set(STARTERS)


def test_a_snippet_that_offers_primitives_offers_all():
    offered = re.search(r"\|(.*)\|", SNIPPETS["expect no"]["body"])[1]
    assert offered.split(",") == list(PRIMITIVES)


def test_the_extension_is_as_new_as_the_language():
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert PACKAGE["version"] == re.search(r'^version = "(.*)"$', project, re.MULTILINE)[1]


def test_the_lock_file_names_no_registry():
    assert "resolved" not in (EDITORS / "vscode/package-lock.json").read_text(encoding="utf-8")

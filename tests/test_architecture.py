"""The house: everything flows one way."""

import ast
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

# What the command line and the language server share: neither of them knows the other.
CORE = {
    "parspec.grammar",
    "parspec.interpreter.theory",
    "parspec.interpreter.diagnostics",
    "parspec.interpreter.spec",
    "parspec.interpreter.analysis",
    "parspec.interpreter.fixes",
    "parspec.interpreter.explanations",
    "parspec.interpreter.simulate",
    "parspec.interpreter.output",
}

VALUES = "parspec.grammar.values"  # how values are defined: every part has some

# What each part may import of the others: text -> syntax -> model -> layouts -> what is looked at.
MAY_IMPORT = {
    "parspec.grammar": set(),
    "parspec.interpreter.theory": set(),
    "parspec.interpreter.diagnostics": {"parspec.grammar"},
    "parspec.interpreter.spec": {
        "parspec.grammar",
        "parspec.interpreter.theory",
        "parspec.interpreter.diagnostics",
    },
    "parspec.interpreter.analysis": {
        "parspec.grammar",
        "parspec.interpreter.theory",
        "parspec.interpreter.diagnostics",
        "parspec.interpreter.spec",
    },
    "parspec.interpreter.fixes": {
        "parspec.grammar",
        "parspec.interpreter.diagnostics",
        "parspec.interpreter.spec",
    },
    "parspec.interpreter.explanations": {
        "parspec.grammar",
        "parspec.interpreter.theory",
        "parspec.interpreter.diagnostics",
        "parspec.interpreter.spec",
    },
    "parspec.interpreter.simulate": {
        "parspec.grammar",
        "parspec.interpreter.theory",
        "parspec.interpreter.diagnostics",
        "parspec.interpreter.spec",
        "parspec.interpreter.analysis",
    },
    "parspec.interpreter.output": CORE - {"parspec.interpreter.output"},
    "parspec.interpreter.commands": CORE,
    "parspec.lsp.features": {*CORE, "parspec.lsp"},
    "parspec.lsp.convert": {*CORE, "parspec.lsp.features", "parspec.lsp"},
    "parspec.lsp": {*CORE, "parspec.lsp.features", "parspec.lsp.convert"},
}

# Who may know the protocol: what turns plain data into it, and what speaks it.
PROTOCOL = {"convert", "server.py", "progress.py"}


def modules(package):
    folder = ROOT.joinpath(*package.split(".")[1:])
    return sorted(folder.rglob("*.py"))


@cache
def imports(path):
    """Every module that a file imports, wherever the statement stands."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            found.append(node.module or "")
    return found


def part_of(module):
    return next((part for part in MAY_IMPORT if f"{module}.".startswith(f"{part}.")), None)


@pytest.mark.parametrize("part", MAY_IMPORT)
def test_no_import_runs_back(part):
    assert modules(part)
    for path in modules(part):
        for module in imports(path):
            if module.split(".")[0] == "parspec" and module != VALUES:
                assert part_of(module) in MAY_IMPORT[part] | {part}, f"{path} imports {module}"


def test_only_commands_know_the_terminal():
    for part in MAY_IMPORT:
        if part == "parspec.interpreter.commands":
            continue
        streams = {"argparse", "sys"} if part == "parspec.interpreter.output" else {"argparse"}
        for path in modules(part):
            outside = {module.split(".")[0] for module in imports(path)}
            assert not outside & streams, path
            assert "rich" not in outside or path in drawn_by_rich(), path


def drawn_by_rich():
    """Where tables are drawn within a terminal's columns; the result is a string."""
    output = ROOT / "interpreter" / "output"
    return {output / "terminal" / "drawing.py", *output.glob("*/text.py")}


def test_the_protocol_stays_at_the_edge():
    for folder in ("grammar", "interpreter", "lsp"):
        for path in sorted(ROOT.joinpath(folder).rglob("*.py")):
            if folder == "lsp" and path.relative_to(ROOT / "lsp").parts[0] in PROTOCOL:
                continue
            outside = {module.split(".")[0] for module in imports(path)}
            assert not outside & {"pygls", "lsprotocol"}, path

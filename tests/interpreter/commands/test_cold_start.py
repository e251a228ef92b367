"""What a command loads before it answers: nothing that takes long and that it does not need."""

from __future__ import annotations

import json

import pytest
from command_line import TEXT, write
from processes import printed

ALWAYS = {
    "grammar",
    "interpreter",
    "interpreter.commands",
    "interpreter.output",
    "interpreter.output.terminal",
}
SPEC = {"interpreter.diagnostics", "interpreter.spec", "interpreter.theory"}
CHECK = {
    "interpreter.analysis",
    "interpreter.fixes",
    "interpreter.output.checks",
    "interpreter.output.wording",
}
EXPLAIN = {"interpreter.explanations", "interpreter.output.explanations"}

SLOW = {"argparse", "asyncio", "email", "fractions", "json", "logging", "subprocess", "tempfile"}
"""Modules of the standard library of which each takes a millisecond or more."""

SELDOM = {
    "parspec.interpreter.commands.watch",
    "parspec.interpreter.output.checks.portable",
    "parspec.interpreter.output.checks.services",
}
"""Our own that most checks do without."""

SCRIPT = """\
import sys
before = set(sys.modules)
from parspec.interpreter.commands.main import main
assert main({words}) == 0
loaded = {{name: hasattr(sys.modules[name], "__path__") for name in set(sys.modules) - before}}
import json
print(json.dumps([loaded, sorted(sys.stdlib_module_names)]))
"""


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("words", "packages", "slow"),
    [
        (["--help"], ALWAYS, set()),
        (["--version"], ALWAYS, {"email", "tempfile"}),  # both by what reads about a package
        (["explain", "PAR201"], ALWAYS | SPEC | EXPLAIN, {"fractions"}),
        (["check", "mlp.par"], ALWAYS | SPEC | CHECK, {"fractions", "json"}),
        (["fmt", "mlp.par"], ALWAYS | SPEC, {"fractions", "json", "tempfile"}),
    ],
    ids=lambda words: words[0] if isinstance(words, list) else "",
)
def test_a_command_loads_what_it_needs(words, packages, slow):
    """JSON is what the tables of the grammar are kept in; a file is rewritten by way of another."""
    write("mlp.par", TEXT)
    loaded, standard = json.loads(printed(SCRIPT.format(words=words))[0].splitlines()[-1])
    ours = {name for name in loaded if name.startswith("parspec.")}
    assert {name.removeprefix("parspec.") for name in ours if loaded[name]} == packages
    assert ours & SELDOM == set()
    assert {name.partition(".")[0] for name in loaded} - {*standard, "parspec"} == set()
    assert loaded.keys() & SLOW <= slow

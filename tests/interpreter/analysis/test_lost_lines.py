"""A real spec without any one of its lines is still analysed."""

import json
from pathlib import Path

import pytest

from parspec.interpreter.analysis.analyze import analyze
from parspec.interpreter.spec.readers import DiskReader
from parspec.interpreter.spec.resolve import resolve

CASES = json.loads((Path(__file__).parents[2] / "data" / "cases.json").read_text("utf-8"))
SPECS = [case for case in (*CASES["plans"], *CASES["mistakes"]) if "spec" in case]


class Models(DiskReader):
    """The models that the cases import, and the library."""

    def read(self, file):
        return CASES["models"].get(Path(file).name) or super().read(file)


@pytest.mark.parametrize("case", SPECS, ids=lambda case: case["id"])
def test_without_a_line(case):
    lines = case["spec"].splitlines(keepends=True)
    for lost in range(len(lines)):
        text = "".join(lines[:lost] + lines[lost + 1 :])
        analysis = analyze(resolve("spec.par", text, Models()))
        syntax_errors = [f for f in analysis.findings if f.name == "syntax_error"]
        assert len(syntax_errors) <= 1

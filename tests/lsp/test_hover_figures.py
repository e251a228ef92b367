"""What hovers and hints say is what `parspec report` says, at every place of every example."""

import json
import re
from pathlib import Path

import pytest

from parspec.interpreter.diagnostics.readable import bytes_text, seconds_text
from parspec.interpreter.output.checks.checked import checked
from parspec.interpreter.output.reports.json import report_json
from parspec.interpreter.spec.readers import DiskReader
from parspec.lsp.analysing import Written, analysed
from parspec.lsp.features.hover import hover
from parspec.lsp.features.inlay_hints import inlay_hints
from parspec.lsp.features.prose import markdown, plain
from parspec.lsp.ranges import Range

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.par"))
_LAYER = re.compile(r"^(\s*)layer\s+(\w+)", re.MULTILINE)


def snapshot_of(path, text):
    return analysed(Written(str(path), text, 1), DiskReader())


def ids(path):
    return path.stem


@pytest.mark.parametrize("path", EXAMPLES, ids=ids)
def test_hover_everywhere(path):
    text = path.read_text(encoding="utf-8")
    snapshot = snapshot_of(path, text)
    said = 0
    for offset in range(len(text) + 1):
        found = hover(snapshot, offset)
        if found is not None:
            said += 1
            assert found.range.start <= offset <= found.range.end
            assert markdown(found.blocks)
            assert plain(found.blocks)
    assert said > len(text) / 5


@pytest.mark.parametrize("path", EXAMPLES, ids=ids)
def test_figures_are_those_of_the_report(path):
    text = path.read_text(encoding="utf-8")
    snapshot = snapshot_of(path, text)
    found = checked(str(path), (snapshot.analysis,))
    moves = [move for move in snapshot.analysis.moves if move.primitive is not None]
    report = json.loads(report_json(found, moves))
    labels = {layer["name"]: layer for layer in report["layers"]}
    for match in _LAYER.finditer(text):
        name = f"decoder.{match[2]}" if match[1] else match[2]
        if name not in labels:
            continue
        shown = plain(hover(snapshot, match.start(2)).blocks)
        for primitive in report["primitives"]:
            if primitive["layer"] == name:
                assert f" · {told(primitive)}\n" in shown
                assert f"{primitive['from']} → {primitive['to']}" in shown
        if labels[name]["bytes_per_device"] is not None:
            assert f"{bytes_text(labels[name]['bytes_per_device'])}/device" in shown
        if labels[name]["time_s"] is not None:
            assert seconds_text(labels[name]["time_s"]) in shown


@pytest.mark.parametrize("path", EXAMPLES, ids=ids)
def test_hints_have_the_figures_of_the_report(path):
    text = path.read_text(encoding="utf-8")
    snapshot = snapshot_of(path, text)
    if not snapshot.analysis.model.mesh.axes:
        return
    hints = [
        _unplaced(hint.text) for hint in inlay_hints(snapshot, Range(0, len(text)), ("primitive",))
    ]
    found = checked(str(path), (snapshot.analysis,))
    report = json.loads(report_json(found, snapshot.analysis.moves))
    for primitive in report["primitives"]:
        alike = [
            other
            for other in report["primitives"]
            if (other["layer"], other["path"]) == (primitive["layer"], primitive["path"])
        ]
        here = f"layer {primitive['layer'].rpartition('.')[2]}:" in text
        if here and primitive["primitive"] and len(alike) == 1:
            name = f"{primitive['primitive']} {primitive['tensor']}"
            assert f"{name} · {told(primitive)}" in hints


def _unplaced(text):
    """A hint without the state that a variable is brought to."""
    return re.sub(r" → .*? · ", " · ", text, count=1)


def told(primitive):
    time = primitive["time_s"]
    figures = [bytes_text(primitive["traffic_bytes"])]
    figures.append(f"{bytes_text(primitive['per_device_bytes'])}/device")
    return " · ".join(figures + ([] if time is None else [seconds_text(time)]))

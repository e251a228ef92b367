"""Of every word that is written in a sound spec, completion knows it at its place."""

import re
from pathlib import Path

import pytest

from parspec.interpreter.spec.library_files import LIBRARY
from parspec.interpreter.spec.readers import DiskReader
from parspec.lsp.analysing import Written, analysed
from parspec.lsp.features.completion import completion
from parspec.lsp.regions import is_op

EXAMPLES = Path(__file__).parents[2] / "examples"
SPECS = [*sorted(EXAMPLES.glob("*.par")), *sorted(LIBRARY.glob("*.par"))]
_UNREAD = re.compile(r'#[^\n]*|"[^"\n]*"')
_WORD = re.compile(r"(?<![\w.])per device|(?<!\w)[^\W\d]\w*(?:-[^\W\d]\w*)*(?:/s\b)?")


def words(snapshot):
    """The words of a spec that are no new names: where they start, and what they are."""
    text = _UNREAD.sub(lambda found: " " * len(found[0]), snapshot.text)
    for word in _WORD.finditer(text):
        entry = snapshot.names.at(snapshot.file, word.start())
        new = entry is not None and (entry.mention.act != "uses" or is_op(entry.region))
        if not new:
            yield word.start(), word[0]


@pytest.mark.parametrize("spec", SPECS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_what_is_written_is_offered_there(spec):
    snapshot = analysed(Written(str(spec), spec.read_text("utf-8"), 1), DiskReader())
    missing = []
    for start, word in words(snapshot):
        found = completion(snapshot, start).suggestions
        if word not in {each.label for each in found}:
            missing.append((word, snapshot.text[:start].rpartition("\n")[2]))
    assert missing == []

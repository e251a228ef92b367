"""What tests of code actions share: a bench of texts, an action done, the difference that it makes.

    assert done(source, "Write `50 GB/s`") == [
        "-link ib { bandwidth = 50 GB  latency = 5 us }",
        "+link ib { bandwidth = 50 GB/s  latency = 5 us }",
    ]

Whatever is done is looked at again from the text alone.
"""

from collections import Counter
from difflib import unified_diff

from lsp_fixtures import FOLDER, MAIN, Files, cut

from parspec.interpreter.diagnostics import catalogue
from parspec.interpreter.diagnostics.sharing import found_under
from parspec.lsp.analysing import Written, analysed
from parspec.lsp.features.actions.actions import KINDS, actions, worked_out
from parspec.lsp.features.actions.trial import Bench
from parspec.lsp.features.edits import edited
from parspec.lsp.ranges import Range

UNUSED = catalogue.entry("unused_name").code  # what a removed use may leave


def bench_of(text, **others):
    """A bench of a spec, with other files by their stem."""
    texts = {f"{FOLDER}/{stem}.par": other for stem, other in others.items()} | {MAIN: text}

    def attempt(new):
        return snapshot_of(texts | new)

    return Bench(snapshot_of(texts), attempt)


def snapshot_of(texts):
    names = {name.removeprefix(f"{FOLDER}/"): text for name, text in texts.items()}
    return analysed(Written(MAIN, texts[MAIN], 1), Files(names))


def offered(source, *kinds, **others):
    """The actions at the cursor mark, or anywhere in a text without one, by title."""
    text, within = _place(source)
    return {
        action.title: action for action in actions(bench_of(text, **others), within, kinds or KINDS)
    }


def quick(source, **others):
    """The titles of the quick fixes at the cursor mark."""
    return list(offered(source, "quickfix", **others))


def done(source, title, **others):
    """What an action changes, line by line; nothing new is found afterwards, and what it mends is
    gone."""
    text, within = _place(source)
    bench = bench_of(text, **others)
    found = {action.title: action for action in actions(bench, within)}
    assert title in found, list(found)
    action = found[title]
    edits = edits_of(bench, action, within.start)
    checked(bench, action, edits)
    texts = {f"{FOLDER}/{stem}.par": other for stem, other in others.items()} | {MAIN: text}
    lines = []
    for name, before in texts.items():
        after = edited(before, [edit for edit in edits if edit.location.file == name])
        changes = unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=0)
        lines += [line for line in changes if not line.startswith(("---", "+++", "@@"))]
    return lines


def edits_of(bench, action, offset):
    return action.edits if action.task is None else worked_out(bench, action.task, offset)


def checked(bench, action, edits):
    """An action does what it promises; the names of what is found afterwards."""
    before, after = found_in(bench.snapshot), found_in(bench.tried(edits))
    if action.mends is not None:
        assert count(after, action.mends.code) < count(before, action.mends.code)
    new = {code for code, severity in after - before if severity in ("error", "warning")}
    assert new <= {UNUSED}
    return after


def count(found, code):
    """How often a code is found."""
    return sum(number for (each, _), number in found.items() if each == code)


def found_in(snapshot):
    """How often each code is found with each severity."""
    found = found_under((each.model.plan, each.findings) for each in snapshot.analyses)
    return Counter((catalogue.code(f), catalogue.severity(f)) for f in found)


def _place(source):
    if "‸" not in source:
        return source, Range(0, len(source))
    text, offset = cut(source)
    return text, Range(offset, offset)

"""Commands that answer with something to read: the report page, an explanation, a summary; and
which plans there are to report on, which words to explain."""

from __future__ import annotations

from pathlib import Path
from typing import TypedDict

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from parspec.interpreter.diagnostics.entry import choice, plural
from parspec.interpreter.explanations.explanation import HEADINGS
from parspec.interpreter.explanations.index import EXPLANATIONS, explained, nearest
from parspec.interpreter.output.checks.checked import checked
from parspec.interpreter.output.checks.portable import portable_checked
from parspec.interpreter.output.checks.summary import summary as summed_up
from parspec.interpreter.output.explanations.markdown import explained_markdown
from parspec.interpreter.output.reports.html import report_html
from parspec.interpreter.output.terminal.screen import PLAIN, Screen
from parspec.interpreter.output.wording.facts import at_work, per_device_of, traffic_of
from parspec.lsp.features.prices import DOT, short
from parspec.lsp.session import Session
from parspec.lsp.snapshot import Snapshot

_WIDE = Screen(PLAIN, 120)


class Page(TypedDict):
    """A page of HTML."""

    title: str
    html: str


class Text(TypedDict):
    """A text in markdown."""

    title: str
    markdown: str


class Summary(TypedDict):
    """A few words, and a line of them."""

    text: str
    tooltip: str


class Word(TypedDict):
    """A word that can be explained: its kind, what there is to say in one line, and the names that
    lead to it, without regard to case."""

    title: str
    kind: str
    text: str
    names: list[str]


def report(session: Session, uri: str, plan: str | None = None) -> Page | None:
    """The report on a file, under one of its plans or none; None where there is no such file. A
    plan that it does not have is refused, with those that it has."""
    view = session.view(uri)
    if view is None:
        return None
    analyses = view.snapshot.analyses
    analysis = next((one for one in analyses if one.model.plan == plan), None)
    if analysis is None:
        raise JsonRpcException(_no_plan(view.snapshot, plan), types.LSPErrorCodes.RequestFailed)
    file = analysis.model.file
    under = "" if plan is None else f"{DOT}{plan}"
    found = portable_checked(checked(file, (analysis,)), _folder_of(file, session))
    html = report_html(found, at_work(analysis.moves))
    return {"title": f"{Path(file).name}{under}", "html": html}


def _no_plan(snapshot: Snapshot, plan: str | None) -> str:
    has = ", ".join(one.model.plan for one in snapshot.plans if one.model.plan) or "none"
    return f"{Path(snapshot.file).name} has no plan {plan}; it has {has}"


def plans(session: Session, uri: str, line: int, character: int) -> list[str | None]:
    """The plans whose report somebody at a place of a file may want, None for the file under no
    plan: the one in whose body the place is; else the file itself if it has a mesh, or no plans;
    else all of them. Empty where there is no such file."""
    view = session.view(uri)
    if view is None:
        return []
    snapshot = view.snapshot
    here = snapshot.analysis_at(snapshot.lines.offset(line, character, view.client.encoding))
    if here.model.plan is not None or here.model.mesh.axes or not snapshot.plans:
        return [here.model.plan]
    return [analysis.model.plan for analysis in snapshot.plans]


def _folder_of(file: str, session: Session) -> Path | None:
    """The client's folder that a file lies in."""
    folders = (Path(folder) for folder in session.folders)
    return next((folder for folder in folders if Path(file).is_relative_to(folder)), None)


def explain(session: Session, word: str) -> Text:
    """What a code, a primitive or a word of the language means."""
    found = explained(word)
    if found:
        return {"title": found[0].name, "markdown": explained_markdown(found)}
    near = nearest(word)
    mend = f" Did you mean {choice(near)}?" if near else ""
    return {"title": word, "markdown": f"There is nothing to explain about `{word}`.{mend}\n"}


def words(session: Session) -> list[Word]:
    """Everything that can be explained, by kind."""
    return [
        {
            "title": each.name,
            "kind": HEADINGS[each.kind],
            "text": " ".join(each.text.split()),
            "names": [name.casefold() for name in dict.fromkeys((each.name, *each.aliases))],
        }
        for each in EXPLANATIONS
    ]


def summary(session: Session, uri: str) -> Summary | None:
    """What a file costs in a few words, and the line that `parspec check` sums it up in."""
    view = session.view(uri)
    if view is None:
        return None
    snapshot = view.snapshot
    found = checked(snapshot.file, snapshot.analyses)
    analysis = snapshot.analysis
    line = summed_up(Path(snapshot.file).name, found.diagnostics, analysis, _WIDE)
    if not at_work(analysis.moves):
        return {"text": plural(len(analysis.layers), "layer"), "tooltip": line}
    device = short(per_device_of(analysis))
    return {"text": f"{short(traffic_of(analysis))}{DOT}{device}/device", "tooltip": line}

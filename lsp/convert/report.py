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
from parspec.interpreter.output.checks.summary import summaries
from parspec.interpreter.output.explanations.markdown import explained_markdown
from parspec.interpreter.output.reports.html import report_html
from parspec.interpreter.output.terminal.screen import PLAIN, Screen
from parspec.interpreter.output.wording.facts import at_work, per_device_of, traffic_of
from parspec.lsp.facts import Facts
from parspec.lsp.features.focus import focus, of_file
from parspec.lsp.features.prices import DOT, short
from parspec.lsp.session import Session
from parspec.lsp.snapshot import Snapshot

_WIDE = Screen(PLAIN, 120)
_MOST_PLANS = 3  # whose figures stand beside one another


class Page(TypedDict):
    """A page of HTML."""

    title: str
    html: str


class Text(TypedDict):
    """A text in markdown."""

    title: str
    markdown: str


class Summary(TypedDict):
    """A few words, and lines that say more."""

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
    plan: the one in whose body the place is; else the file itself, or its plans where only these
    spread it over a mesh. Empty where there is no such file."""
    view = session.view(uri)
    if view is None:
        return []
    snapshot = view.snapshot
    about = focus(snapshot, snapshot.lines.offset(line, character, view.client.encoding))
    return [facts.plan for facts in about]


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
    """What a file costs in a few words, those of its plans where only these spread it, and the
    lines that `parspec check` sums it up in."""
    view = session.view(uri)
    if view is None:
        return None
    snapshot = view.snapshot
    found = checked(Path(snapshot.file).name, snapshot.analyses)
    about = of_file(snapshot)
    shown = [_figures(facts) for facts in about[:_MOST_PLANS]]
    if len(about) > len(shown):
        shown.append(f"and {len(about) - len(shown)} more")
    return {"text": ", ".join(shown), "tooltip": "\n".join(summaries(found, _WIDE))}


def _figures(facts: Facts) -> str:
    """`7.9 GB · 0.9 GB/device`, with the name of a plan; where nothing moves how many layers a file
    has; and how many errors there are, these alone where they leave the figures open."""
    told = facts.doubt or DOT.join(filter(None, (*_moved(facts), facts.errors)))
    return told if facts.plan is None else f"{facts.plan} {told}"


def _moved(facts: Facts) -> tuple[str, ...]:
    analysis = facts.analysis
    if at_work(analysis.moves):
        return short(traffic_of(analysis)), f"{short(per_device_of(analysis))}/device"
    forward = " forward" if analysis.model.trains else ""
    return (f"no traffic{forward}" if facts.plan else plural(len(analysis.layers), "layer"),)

"""`report --format html`: one page that a person would send to a colleague.

It needs nothing beside it: no network, no font, no script from elsewhere; a policy in its head
forbids them, and allows its one style and one script by their hashes. It reads without the script,
too, which sorts, filters and zooms. The same analysis gives the same bytes.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Iterator
from importlib.resources import files

from parspec.interpreter.analysis.result import Move
from parspec.interpreter.output.checks.checked import Checked
from parspec.interpreter.output.reports.page import breakdowns, listings, summary
from parspec.interpreter.output.reports.page.markup import NOTHING, Html, element, joined, raw
from parspec.interpreter.output.reports.page.picture import MOST_LAYERS, picture, signs
from parspec.interpreter.output.reports.page.states import legend

_DOCTYPE = Html("<!DOCTYPE html>\n")


def report_html(found: Checked, moves: Iterable[Move]) -> str:
    """The page about the first analysis, with the given moves."""
    style, script = _shipped("page.css"), _shipped("page.js")
    policy = (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; "
        "base-uri 'none'; form-action 'none'"
    )
    head = element(
        "head",
        {},
        element("meta", {"charset": "utf-8"}),
        element("meta", {"http-equiv": "Content-Security-Policy", "content": policy}),
        element("meta", {"name": "viewport", "content": "width=device-width, initial-scale=1"}),
        element("meta", {"name": "color-scheme", "content": "light dark"}),
        element("title", {}, _title(found)),
        raw("style", {}, style),
    )
    sections = [*_sections(found, tuple(moves))]
    links = (element("a", {"href": f"#{name}"}, title) for name, title, _ in sections)
    body = element(
        "body",
        {},
        element(
            "main",
            {},
            element("header", {}, _bar(), summary.header(found), summary.key_figures(found)),
            element("nav", {"aria-label": "sections"}, *links),
            *(_section(*section) for section in sections),
        ),
        raw("script", {}, script),
    )
    return f"{_DOCTYPE}{element('html', {'lang': 'en'}, head, body)}\n"


def _title(found: Checked) -> str:
    model = found.analyses[0].model
    plan = f" · plan {model.plan}" if model.plan is not None else ""
    return f"{found.file}{plan} · parspec"


def _bar() -> Html:
    button = element("button", {"id": "theme", "type": "button", "hidden": "hidden"}, "Dark")
    return element("div", {"class": "brand"}, element("span", {}, "parspec report"), button)


def _sections(found: Checked, moves: tuple[Move, ...]) -> Iterator[tuple[str, str, Html]]:
    """Sections that have something in them: name, title and what they show."""
    analysis = found.analyses[0]
    for name, title, shown in (
        ("diagnostics", "Diagnostics", listings.diagnostics(found)),
        ("memory", "Memory per device", breakdowns.memory(analysis)),
        ("time", "Time", breakdowns.time(analysis)),
        ("traffic", "Traffic", breakdowns.traffic(analysis)),
        ("plan", "Plan", _plan(found, moves)),
        ("expectations", "Expectations", listings.expectations(found)),
        ("layers", "Layers", listings.layers(analysis)),
        ("primitives", "Primitives", listings.primitives(analysis, moves)),
        ("variables", "Variables", listings.variables(analysis)),
    ):
        if shown:
            yield name, title, shown


def _plan(found: Checked, moves: tuple[Move, ...]) -> Html:
    analysis = found.analyses[0]
    drawn = picture(analysis, moves)
    if not drawn:
        return NOTHING
    zoom = (
        element(
            "button",
            {"type": "button", "data-zoom": name, "aria-label": label, "title": label},
            shown,
        )
        for name, shown, label in (
            ("out", "−", "smaller"),
            ("in", "+", "larger"),
            ("one", "100%", "unscaled"),
            ("fit", "Fit", "as wide as the page"),
        )
    )
    tools = element("div", {"class": "zoom", "hidden": "hidden"}, *zoom)
    frame = {"class": "canvas", "tabindex": "0", "role": "region", "aria-label": "the plan drawn"}
    layers = len(analysis.layers)
    cut = f"The first {MOST_LAYERS} of {layers} layers." if layers > MOST_LAYERS else ""
    return joined(
        (
            element("div", {"class": "tools"}, legend(signs()), tools),
            element("div", frame, element("div", {"class": "sheet"}, drawn)),
            element("p", {"class": "note"}, cut) if cut else NOTHING,
        )
    )


def _section(name: str, title: str, shown: Html) -> Html:
    return element(
        "section",
        {"id": name, "aria-labelledby": f"{name}-title"},
        element("h2", {"id": f"{name}-title"}, title),
        shown,
    )


def _shipped(name: str) -> str:
    return files("parspec.interpreter.output.reports.page").joinpath(name).read_text("utf-8")


def _hash(text: str) -> str:
    """The text's hash as a policy names it."""
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"

"""`check --format junit`: a test report, which every CI service reads.

A file is a suite. Its cases are the file itself, each of its plans and each `expect` under each of
them; an error fails the cases that it belongs to: one that the file has without a plan and under
each of them fails all of these. A file that cannot be read is an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Literal
from xml.etree import ElementTree

from parspec.grammar.values import value
from parspec.interpreter.analysis.result import Analysis, ExpectResult
from parspec.interpreter.output.checks.checked import Checked
from parspec.interpreter.output.checks.concise import concise
from parspec.interpreter.output.checks.diagnostic import Diagnostic, Place, Sources, place
from parspec.interpreter.output.checks.full import full
from parspec.interpreter.output.checks.portable import portable
from parspec.interpreter.output.terminal.screen import COLUMNS, PLAIN, Screen

_SCREEN = Screen(PLAIN, COLUMNS)
_IN_DOUBT = "not evaluated: there are errors that its value may come from"
_NO_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@value
class _Case:
    """A case by its name: how it ended, in a line and at length, and what else there is to say."""

    name: str
    ended: Literal["passed", "failure", "error", "skipped"]
    line: str = ""
    text: str = ""
    aside: str = ""


def check_junit(found: Iterable[Checked], unread: Iterable[Diagnostic]) -> str:
    """All files, those that could not be read first."""
    suites = [_suite(problem.place.file, [_unread(problem)]) for problem in unread]
    suites += [_suite(each.file, list(_cases(each))) for each in found]
    root = ElementTree.Element("testsuites", {"name": "parspec", **_sum(suites)})
    root.extend(suites)
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _sum(suites: Iterable[ElementTree.Element]) -> dict[str, str]:
    counts = [suite.attrib for suite in suites]
    return {
        key: str(sum(int(count[key]) for count in counts))
        for key in ("tests", "failures", "errors")
    }


def _suite(file: str, cases: list[_Case]) -> ElementTree.Element:
    ends = [case.ended for case in cases]
    suite = ElementTree.Element(
        "testsuite",
        {
            "name": _legal(file),
            "tests": str(len(cases)),
            "failures": str(ends.count("failure")),
            "errors": str(ends.count("error")),
            "skipped": str(ends.count("skipped")),
        },
    )
    group = file.removesuffix(".par").strip("/").replace("/", ".")
    suite.extend(_element(case, group) for case in cases)
    return suite


def _element(case: _Case, group: str) -> ElementTree.Element:
    element = ElementTree.Element(
        "testcase", {"classname": _legal(group), "name": _legal(case.name)}
    )
    if case.ended != "passed":
        end = ElementTree.SubElement(element, case.ended, {"message": _legal(case.line)})
        end.text = _legal(case.text) or None
    if case.aside:
        ElementTree.SubElement(element, "system-out").text = _legal(case.aside)
    return element


def _unread(problem: Diagnostic) -> _Case:
    return _Case("file", "error", problem.message, concise([problem], _SCREEN))


def _cases(found: Checked) -> Iterator[_Case]:
    for analysis in found.analyses:
        plan = analysis.model.plan
        own = [d for d in found.diagnostics if d.concerns(plan)]
        expects = [(expect, _where(expect, analysis, found.sources)) for expect in analysis.expects]
        pinned = {where for _, where in expects}
        general = [d for d in own if not _inside(d, pinned)]
        yield _case("file" if plan is None else f"plan {plan}", general, found.sources)
        for expect, where in expects:
            yield _expected(expect, plan, where, own, found.sources)


def _where(expect: ExpectResult, analysis: Analysis, files: Sources) -> Place:
    where = place(expect.site, files, analysis.model.file)
    return Place(portable(where.file), where.start, where.end)


def _inside(diagnostic: Diagnostic, places: Iterable[Place]) -> bool:
    at = diagnostic.place
    return any(
        at.file == each.file and each.start <= at.start and at.end <= each.end for each in places
    )


def _case(name: str, diagnostics: list[Diagnostic], files: Sources) -> _Case:
    errors = [d for d in diagnostics if d.severity == "error"]
    aside = full((d for d in diagnostics if d.severity != "error"), files, _SCREEN)
    if not errors:
        return _Case(name, "passed", aside=aside)
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    return _Case(name, "failure", errors[0].message + more, full(errors, files, _SCREEN), aside)


def _expected(
    expect: ExpectResult, plan: str | None, where: Place, own: list[Diagnostic], files: Sources
) -> _Case:
    """The case of an `expect`; `own`: all diagnostics under its plan."""
    name = expect.text if plan is None else f"{expect.text} (plan {plan})"
    about = [diagnostic for diagnostic in own if _inside(diagnostic, {where})]
    case = _case(name, about, files)
    if expect.holds is None:
        wrong = any(diagnostic.severity == "error" for diagnostic in own)
        unsaid = _IN_DOUBT if wrong else expect.value
        reason = about[0].message if about else unsaid
        return _Case(name, "skipped", reason, aside=case.aside)
    if not expect.holds and case.ended == "passed":
        return _Case(name, "failure", expect.value, aside=case.aside)
    return case


def _legal(text: str) -> str:
    """The text without what XML cannot hold."""
    return _NO_XML.sub("�", text)

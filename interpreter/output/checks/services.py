"""Formats of `check` that services read: file names are portable, unread files are diagnostics."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from parspec.interpreter.output.checks.checked import Checked, distinct
from parspec.interpreter.output.checks.diagnostic import Diagnostic
from parspec.interpreter.output.checks.portable import portable_checked, portable_diagnostic


def for_services(form: str, found: Sequence[Checked], unread: Iterable[Diagnostic]) -> str:
    """What was found, and what could not be read, as `github`, `gitlab`, `sarif` or `junit`."""
    found = [portable_checked(each) for each in found]
    unread = [portable_diagnostic(each) for each in unread]
    diagnostics = [*unread, *distinct(found)]
    sources = {file: source for each in found for file, source in each.sources.items()}
    match form:
        case "github":
            from parspec.interpreter.output.checks.github import check_github

            return check_github(diagnostics)
        case "gitlab":
            from parspec.interpreter.output.checks.gitlab import check_gitlab  # json

            return check_gitlab(diagnostics, sources)
        case "sarif":
            from parspec.interpreter.output.checks.sarif import check_sarif  # explanations
            from parspec.interpreter.output.version import version

            return check_sarif(diagnostics, sources, version())
    from parspec.interpreter.output.checks.junit import check_junit  # xml

    return check_junit(found, unread)

"""`check --format full`: diagnostics with the lines that they are about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from parspec.interpreter.diagnostics.sharing import named
from parspec.interpreter.output.checks.diagnostic import Diagnostic, Note, Place, Sources
from parspec.interpreter.output.checks.excerpt import excerpt, gutter
from parspec.interpreter.output.terminal.cells import safe, wrapped
from parspec.interpreter.output.terminal.screen import Screen


def full(diagnostics: Iterable[Diagnostic], files: Sources, screen: Screen) -> str:
    """All diagnostics, an empty line behind each."""
    lines: list[str] = []
    for diagnostic in diagnostics:
        lines += [*_shown(diagnostic, files, screen), ""]
    return "".join(f"{line}\n" for line in lines)


def _shown(diagnostic: Diagnostic, files: Sources, screen: Screen) -> list[str]:
    places = (diagnostic.place, *(note.place for note in diagnostic.notes))
    margin = gutter(*places)
    lines = _title(diagnostic, screen)
    lines += _pointed(diagnostic.place, diagnostic.severity, files, margin, screen)
    for note in diagnostic.notes:
        lines += _note(note, diagnostic.place, files, margin, screen)
    for remedy in diagnostic.remedies:
        lines += _attached("help", remedy.title, margin, screen)
    if diagnostic.under:
        lines += _attached("note", ", ".join(_under(diagnostic)), margin, screen)
    return lines


def _under(diagnostic: Diagnostic) -> Iterator[str]:
    """What it was found under: the file without a plan, plans."""
    if diagnostic.without_plan:
        yield "without a plan"
    names = named(diagnostic.under)
    if names:
        yield f"in {'plan' if len(names) == 1 else 'plans'} {', '.join(names)}"


def _title(diagnostic: Diagnostic, screen: Screen) -> list[str]:
    label = f"{diagnostic.severity}[{diagnostic.code}]"
    first, *rest = wrapped(
        f"{label} {diagnostic.name}: {safe(diagnostic.message)}", screen.columns, "  "
    )
    coloured = screen.palette.paint(diagnostic.severity, label) + first.removeprefix(label)
    return [coloured, *rest]


def _pointed(place: Place, role: str, files: Sources, margin: int, screen: Screen) -> list[str]:
    arrow = screen.palette.paint("frame", f"{' ' * margin}-->")
    where = f"{safe(place.file)}:{place.start.line}:{place.start.column}"
    source = files.get(place.file)
    if source is None:
        return [f"{arrow} {where}"]
    return [f"{arrow} {where}", *excerpt(source, place, role, margin, screen)]


def _note(note: Note, main: Place, files: Sources, margin: int, screen: Screen) -> list[str]:
    return [
        *_attached("note", note.message, margin, screen),
        *_pointed(note.place, "info", files, margin, screen),
    ]


def _attached(label: str, text: str, margin: int, screen: Screen) -> list[str]:
    start = f"{' ' * margin} = {label}: "
    first, *rest = wrapped(safe(text), screen.columns - len(start))
    role = "help" if label == "help" else "info"
    head = f"{' ' * margin} = {screen.palette.paint(role, f'{label}:')} {first}"
    return [head, *(" " * len(start) + line for line in rest)]

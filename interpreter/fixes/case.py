"""A finding with what is needed to mend it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import count

from parspec.grammar.expressions import Name, TensorUse
from parspec.grammar.span import Span
from parspec.grammar.syntax import (
    AxisItem,
    BlockStatement,
    DimItem,
    DimStatement,
    MeshStatement,
    OpStatement,
)
from parspec.grammar.values import value
from parspec.interpreter.diagnostics.entry import Facts
from parspec.interpreter.diagnostics.findings import Edit, Finding, Fix
from parspec.interpreter.fixes.spots import Spot, every, spot
from parspec.interpreter.spec.library_declarations import declaring
from parspec.interpreter.spec.model import Model


@value
class Case:
    """A finding of a model, the statement in which it stands, and the span of it that is meant."""

    finding: Finding
    model: Model
    facts: Facts
    at: Spot

    @property
    def span(self) -> Span:
        """Where the finding stands in its statement."""
        return self.finding.site.span

    def text(self, key: str) -> str:
        """One of the finding's data as a word; "" where it is missing."""
        value = self.facts.get(key)
        return "" if value is None else str(value)

    def is_to_import(self, name: str) -> bool:
        """Whether a link, a device or a function is one of the library that the spec has not
        imported."""
        kind = self.text("kind")
        return bool(declaring(kind, name)) and name not in self._declared(kind)

    def _declared(self, kind: str) -> Iterator[str]:
        """The names of all links, devices or ops and blocks."""
        if kind != "function":
            hardware = self.model.devices if kind == "device" else self.model.links
            yield from (each.name for each in hardware)
            return
        for _, document in self.model.documents:
            for chunk in document.every:
                if isinstance(chunk.statement, OpStatement | BlockStatement):
                    yield chunk.statement.name.text

    def related(self) -> Iterator[Spot]:
        """The statements of the other places that are involved."""
        for note in self.finding.related:
            found = spot(note.site, self.model)
            if found is not None:
                yield found

    def write(self, text: str) -> Fix:
        """The fix that writes other text in place of what the finding is about."""
        return Fix(f"Write `{text}`", (self.at.replace(self.span, text),))

    def named_everywhere(self, name: str) -> tuple[Edit, ...]:
        """Another name in the place of the one that the finding is about, wherever that stands."""
        sites = (self.finding.site, *(note.site for note in self.finding.related))
        return tuple(Edit(site, name) for site in sites)

    def dim(self, name: str) -> tuple[Spot, DimItem] | None:
        """Where a dimension is declared."""
        site = next((dim.site for dim in self.model.dims if dim.name == name), None)
        found = None if site is None else spot(site, self.model)
        if found is None or not isinstance(found.chunk.statement, DimStatement):
            return None
        items = (item for item in found.chunk.statement.items if item.name.text == name)
        item = next(items, None)
        return None if item is None else (found, item)

    def axis(self, name: str) -> tuple[Spot, AxisItem] | None:
        """Where a mesh axis is declared."""
        site = next((axis.site for axis in self.model.mesh.axes if axis.name == name), None)
        found = None if site is None else spot(site, self.model)
        if found is None or not isinstance(found.chunk.statement, MeshStatement):
            return None
        items = (item for item in found.chunk.statement.axes if item.name.text == name)
        item = next(items, None)
        return None if item is None else (found, item)

    def setting(self, key: str) -> tuple[Spot, Span] | None:
        """Where a setting of the step is given."""
        settings = self.model.settings
        site = None if settings is None else dict(settings.sites).get(key)
        found = None if site is None else spot(site, self.model)
        return None if site is None or found is None else (found, site.span)

    def statements(self) -> Iterator[Spot]:
        """The statements of the finding's file, in reading order."""
        return every(self.at.file, self.model)

    def dims_of(self, use: TensorUse) -> Sequence[str]:
        """The dimensions that a variable is read by: those that are written, else its own."""
        return self.own_dims(use.path.text) if use.indices is None else written_dims(use)

    def own_dims(self, name: str) -> Sequence[str]:
        """The dimensions of a variable by its name or its path; () where it is not known."""
        found = self.model.called.get(name)
        return () if found is None else found.dims

    def role(self, name: str) -> str:
        """The role of a variable by its name or its path; "" where it is not known."""
        found = self.model.called.get(name)
        return "" if found is None else found.role


def case(finding: Finding, model: Model) -> Case | None:
    """The case of a finding; None where its statement cannot be edited."""
    at = spot(finding.site, model)
    return None if at is None else Case(finding, model, dict(finding.data), at)


def fix(title: str, *edits: Edit) -> Fix:
    """A fix of some edits."""
    return Fix(title, edits)


def written_dims(use: TensorUse) -> list[str]:
    """The dimensions that are written behind a variable."""
    return [index.name.text for index in use.indices or () if isinstance(index.name, Name)]


def unlike(name: str, taken: Iterable[str]) -> str:
    """A name like this one that is not taken: `D2` for D."""
    used = set(taken)
    return next(new for number in count(2) if (new := f"{name}{number}") not in used)

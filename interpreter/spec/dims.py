"""Dimensions: what `dim` statements declare, sized, with products spelled out as their factors.

Definitions may come in any order. A dimension whose size is wrong or unknown keeps its name and
shape with a symbol for a size, and is *poisoned*: nothing more is reported about it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from parspec.grammar.expressions import Name, Size
from parspec.grammar.syntax import DimItem, DimStatement
from parspec.grammar.values import value
from parspec.interpreter.diagnostics.findings import Finding, Related, Site
from parspec.interpreter.spec.limits import over, times
from parspec.interpreter.spec.model import Dim
from parspec.interpreter.spec.names import dependency_order, duplicate, near, replacing, unknown
from parspec.interpreter.spec.sizes import (
    CAPACITY_ARGUMENTS,
    CAPACITY_DEFAULTS,
    TOO_LONG,
    Problem,
    amount,
    datum,
    flaw,
    names_in,
    product_names,
    shortened,
)
from parspec.interpreter.spec.sources import Placed, Statements, of_kind
from parspec.interpreter.theory.formulas import Amount, ceil_divide, symbol

Products: TypeAlias = "tuple[tuple[str, tuple[str, ...]], ...]"
"""Products of dimensions with their factors, major first."""


@value
class Dims:
    """The dimensions in the order of their declarations. `poisoned`: those whose size cannot be
    trusted because of a mistake that has been reported, or of text that was skipped."""

    items: tuple[Dim, ...] = ()
    poisoned: frozenset[str] = frozenset()
    named: Mapping[str, Dim] = field(default_factory=dict, compare=False, repr=False)

    def find(self, name: str) -> Dim | None:
        """The dimension of that name."""
        return self.named.get(name)

    @property
    def products(self) -> Products:
        """Those that are products of others."""
        return tuple((dim.name, dim.factors) for dim in self.items if len(dim.factors) > 1)

    def leaves(self, name: str) -> tuple[str, ...]:
        """Its factors, major first; the name itself where it is no product or not declared."""
        dim = self.named.get(name)
        return (name,) if dim is None else dim.factors

    def size(self, name: str) -> Amount | None:
        """Its size as declared."""
        dim = self.named.get(name)
        return None if dim is None else dim.size

    def extent(self, name: str) -> Amount | None:
        """What a whole variable holds along it, padding included."""
        dim = self.named.get(name)
        return None if dim is None else dim.extent


def dims_of(dims: Iterable[Dim], poisoned: Iterable[str] = ()) -> Dims:
    """Dimensions with their names looked up once."""
    items = tuple(dims)
    return Dims(items, frozenset(poisoned), {dim.name: dim for dim in items})


@value
class _Written:
    """A size and the statement in which it is written."""

    size: Size
    placed: Placed

    @property
    def site(self) -> Site:
        return self.placed.at(self.size.span)

    @property
    def text(self) -> str:
        return shortened(self.placed.text(self.size.span))


@value
class _Declared:
    """A dimension as all its declarations together write it."""

    name: Name
    placed: Placed  # where it is declared first
    note: str
    size: _Written | None
    unit: _Written | None
    padded: _Written | None
    uneven: bool

    @property
    def site(self) -> Site:
        return self.placed.at(self.name.span)

    def clause(self, written: _Written) -> str:
        """What stands in front of one of its parts."""
        return "padded to" if written is self.padded else "unit" if written is self.unit else "="

    @property
    def half_typed(self) -> bool:
        """Whether its size may have been lost in a syntax error, or breaks off at one: `6.4k`."""
        if self.size is None:
            return bool(self.placed.chunk.parsed.faults)
        span = self.size.size.span
        faults = self.size.placed.chunk.parsed.faults
        return any(span.start <= fault.span.start <= span.end for fault in faults)


def resolve_dims(
    statements: Statements,
    mesh_sizes: Mapping[str, Amount],
    overrides: Mapping[str, int],
    skipped: frozenset[str],
) -> tuple[Dims, tuple[Finding, ...]]:
    """The dimensions of a spec.

    `mesh_sizes` are the sizes of the axes of the mesh; `overrides` take the place of
    written sizes; names in `skipped` are not reported. Findings: `duplicate_name`, `resized`,
    `size_cycle`, `bad_size`, `unknown_name`, `wrong_arguments`.
    """
    declared, repeated, clashes = _declarations(statements)
    resolving = _Resolving(declared, mesh_sizes, overrides, skipped, findings=list(repeated))
    resolving.run()
    findings = resolving.findings
    findings.extend(_resized(name, old, new, resolving.lookup) for name, old, new in clashes)
    items = (resolving.dims[name] for name in declared)
    return dims_of(items, resolving.poisoned), tuple(findings)


def _declarations(
    statements: Statements,
) -> tuple[dict[str, _Declared], list[Finding], list[tuple[Name, _Written, _Written]]]:
    """All declarations by name, repeated ones, and sizes given where there was one."""
    declared: dict[str, _Declared] = {}
    repeated: list[Finding] = []
    clashes: list[tuple[Name, _Written, _Written]] = []
    for statement, placed in of_kind(statements, DimStatement):
        for item in statement.items:
            new = _declared(item, placed)
            old = declared.get(item.name.text)
            if old is not None and new.half_typed:
                continue
            if old is None:
                declared[item.name.text] = new
            elif _sizes(new, old):
                declared[item.name.text] = _merged(old, new)
            elif new.size is not None and old.size is not None:
                clashes.append((item.name, old.size, new.size))
            else:
                repeated.append(duplicate("dimension", item.name.text, new.site, old.site))
    return declared, repeated, clashes


def _declared(item: DimItem, placed: Placed) -> _Declared:
    def written(size: Size | None) -> _Written | None:
        return None if size is None else _Written(size, placed)

    return _Declared(
        item.name,
        placed,
        placed.note(item.name.text),
        written(item.size),
        written(item.unit),
        written(item.padded),
        item.uneven,
    )


def _sizes(new: _Declared, old: _Declared) -> bool:
    """May this declaration and an earlier one stand together? One of them sizes the dimension that
    the other, in another file, leaves symbolic; or a plan sizes it anew, once."""
    if new.placed.plan is not None:
        before = old.size.placed if old.size is not None else old.placed
        return new.size is not None and before.plan is None
    return (old.size is None) != (new.size is None) and old.placed.file != new.placed.file


def _merged(old: _Declared, new: _Declared) -> _Declared:
    return replace(
        old,
        note=old.note or new.note,
        size=new.size or old.size,
        unit=new.unit or old.unit,
        padded=new.padded or old.padded,
        uneven=new.uneven or old.uneven,
    )


def _resized(
    name: Name, old: _Written, new: _Written, lookup: Callable[[str], Amount | None]
) -> Finding:
    def value(written: _Written) -> str | int:
        known = amount(written.size, lookup)
        return known if isinstance(known, int) else written.text

    return Finding(
        "resized",
        new.site,
        (("name", name.text), ("size", value(new)), ("before", value(old))),
        related=(Related(old.site, "sized here first"),),
    )


@dataclass(slots=True)
class _Resolving:
    """Dimensions that are known so far, and what was found."""

    declared: Mapping[str, _Declared]
    mesh_sizes: Mapping[str, Amount]
    overrides: Mapping[str, int]
    skipped: frozenset[str]
    dims: dict[str, Dim] = field(default_factory=dict)
    poisoned: set[str] = field(default_factory=set)
    findings: list[Finding] = field(default_factory=list)

    def lookup(self, name: str) -> Amount | None:
        """The size of a dimension, or else of an axis."""
        dim = self.dims.get(name)
        return self.mesh_sizes.get(name) if dim is None else dim.size

    def run(self) -> None:
        uses = {name: self.uses(item) for name, item in self.declared.items()}
        order, cycles = dependency_order(uses)
        for cycle in cycles:
            self.poisoned.update(cycle)
            data = (("name", cycle[0]), ("cycle", (*cycle, cycle[0])))
            self.findings.append(Finding("size_cycle", self.declared[cycle[0]].site, data))
        for name in order:
            item = self.declared[name]
            lost = item.half_typed or (item.size is None and name in self.skipped)
            if lost or not self.poisoned.isdisjoint(uses[name]):
                self.poisoned.add(name)
            self.dims[name] = self.dim(item)

    def uses(self, item: _Declared) -> tuple[str, ...]:
        """The names that its size, unit and padding are computed from."""
        given = item.name.text in self.overrides and len(self.written_factors(item)) < 2
        size = None if given else item.size
        written = [part.size for part in (size, item.unit, item.padded) if part is not None]
        return tuple(name.text for part in written for name in names_in(part))

    def dim(self, item: _Declared) -> Dim:
        """A dimension, the ones that it uses being known."""
        name = item.name.text
        factors = self.factors(item)
        if len(factors) > 1:
            return self.product(item, factors)
        base = self.same_positions(item)
        size = self.size(item)
        unit = self.whole(item, item.unit) if item.unit else (base.unit if base else 1)
        padded = item.padded is not None
        extent = size
        if item.padded:
            step = self.whole(item, item.padded)
            extent = size if step is None else self.filled(item, size, step)
        elif base is not None:
            extent, padded = base.extent, base.padded
        return Dim(
            name,
            size,
            extent,
            (name,),
            unit if isinstance(unit, int) else 1,  # a symbolic unit cannot be checked yet
            padded,
            item.uneven or (base is not None and base.uneven),
            name if base is None else base.positions,
            note=item.note,
            site=item.site,
        )

    def filled(self, item: _Declared, size: Amount, step: Amount) -> Amount:
        """A size filled up to a multiple of `step`."""
        if over(size, step) is None:
            self.bad(item, item.padded, TOO_LONG)
            return size
        return ceil_divide(size, step) * step

    def product(self, item: _Declared, factors: tuple[str, ...]) -> Dim:
        """A product of dims; its size and extent are those of its factors."""
        name = item.name.text
        size: Amount = 1
        extent: Amount = 1
        for factor in factors:
            longer = times(size, self.dims[factor].size)
            wider = times(extent, self.dims[factor].extent)
            if longer is None or wider is None:
                self.bad(item, item.size, TOO_LONG)
                break
            size, extent = longer, wider
        if reason := flaw(size):
            self.bad(item, item.size, reason)
        if name in self.overrides:
            parts = " and ".join(f"`{factor}`" for factor in factors)
            self.bad_override(item, f"it is the product of {parts}: set those")
        if item.padded:
            self.bad(item, item.padded, "a product of dims is padded in its factors")
        unit = self.whole(item, item.unit) if item.unit else 1
        return Dim(
            name,
            symbol(name) if name in self.poisoned else size,
            symbol(name) if name in self.poisoned else extent,
            factors,
            unit if isinstance(unit, int) else 1,
            any(self.dims[factor].padded for factor in factors),
            item.uneven,
            name,
            note=item.note,
            site=item.site,
        )

    def factors(self, item: _Declared) -> tuple[str, ...]:
        """The leaves of a product of different dims, major first; itself for anything else."""
        known = [self.dims.get(factor) for factor in self.written_factors(item)]
        leaves = [leaf for dim in known if dim is not None for leaf in dim.factors]
        product = len(known) > 1 and None not in known and len(set(leaves)) == len(leaves)
        return tuple(leaves) if product else (item.name.text,)

    def written_factors(self, item: _Declared) -> tuple[str, ...]:
        """The names of a size that is a product of names, major first; none for others."""
        written = product_names(item.size.size) if item.size else None
        return tuple(name.text for name in written or ())

    def same_positions(self, item: _Declared) -> Dim | None:
        """The dimension whose positions it indexes (`dim T = S`), if it is written so."""
        written = None if item.name.text in self.overrides or item.size is None else item.size.size
        return self.dims.get(written.text) if isinstance(written, Name) else None

    def size(self, item: _Declared) -> Amount:
        name = item.name.text
        if name in self.overrides:
            if reason := flaw(self.overrides[name]):
                self.bad_override(item, reason)
                return symbol(name)
            return self.overrides[name]
        value = self.whole(item, item.size) if item.size else None
        return symbol(name) if value is None or name in self.poisoned else value

    def whole(self, item: _Declared, written: _Written) -> Amount | None:
        """The value of a written size if it is a size; else None, after saying why."""
        value = amount(written.size, self.lookup)
        if isinstance(value, Problem):
            self.report(item, written, value)
            return None
        if reason := flaw(value):
            self.bad(item, written, reason)
            return None
        return value

    def report(self, item: _Declared, written: _Written, problem: Problem) -> None:
        """Says why a size has no value, unless that has been said where the cause is."""
        site = written.placed.at(problem.span)
        cause = problem.name if problem.reason == "name" else ""
        known = item.name.text in self.poisoned or cause in self.skipped or cause in self.declared
        if problem.reason not in ("name", "arguments"):
            self.bad(item, written, problem.sentence)
        elif not known and problem.reason == "name":
            self.findings.append(self.unknown(cause, site, written is item.padded))
        elif not known:
            self.findings.append(_wrong_arguments(problem, site))
        self.poisoned.add(item.name.text)

    def unknown(self, name: str, site: Site, padding: bool) -> Finding:
        """A name that nobody knows: of a dimension; what is padded to is as a rule made of axes, so
        there it is that of an axis where one is called like it, or where there is no mesh."""
        if padding and (not self.mesh_sizes or near(name, self.mesh_sizes)):
            return unknown("axis", name, site, self.mesh_sizes)
        return unknown("dimension", name, site, self.declared)

    def bad(self, item: _Declared, written: _Written | None, reason: str) -> None:
        """`bad_size`, unless the dimension is known to be wrong."""
        name = item.name.text
        if name not in self.poisoned and written is not None:
            clause = item.clause(written)
            text = written.text
            data = (("name", name), ("clause", clause), ("text", text), ("reason", reason))
            self.findings.append(Finding("bad_size", written.site, data))
        self.poisoned.add(name)

    def bad_override(self, item: _Declared, reason: str) -> None:
        name = item.name.text
        text = shortened(str(datum(self.overrides[name])))
        data = (("name", name), ("text", text), ("reason", reason))
        self.findings.append(Finding("bad_size", item.site, data))
        self.poisoned.add(name)


def _wrong_arguments(problem: Problem, site: Site) -> Finding:
    """`wrong_arguments` of a capacity, with the arguments that are not said in place of a strange
    one that is close."""
    unsaid = (each for each in CAPACITY_ARGUMENTS if each not in problem.got)
    close = near(problem.name, unsaid) if problem.name else ()
    data = (
        ("function", "capacity"),
        ("wants", CAPACITY_ARGUMENTS),
        ("got", problem.got),
        ("optional", tuple(CAPACITY_DEFAULTS)),
    )
    return Finding("wrong_arguments", site, data, fixes=replacing(problem.name, site, close[:1]))

"""Sizes that do not divide, units and settings that are wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from fractions import Fraction

from parspec.grammar.expressions import Number
from parspec.grammar.span import Span
from parspec.grammar.syntax import StoreClause, TensorStatement
from parspec.interpreter.diagnostics.entry import items, word
from parspec.interpreter.diagnostics.findings import Fix
from parspec.interpreter.fixes.case import Case, fix
from parspec.interpreter.spec.unitless import with_unit

_USUAL: Mapping[str, str] = {  # the unit in which a setting is mostly given
    "memory": "GiB",
    "bandwidth": "GB/s",
    "hbm": "TB/s",
    "flops": "Tflop/s",
    "latency": "us",
    "start": "us",
}
_NUMBER = re.compile(r"[0-9](?:_?[0-9])*(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_WORD = re.compile(r"[\w./-]+")
_MOST_CHOICES = 4  # values of a setting that are offered where none is close to what is written


def indivisible(case: Case) -> Iterator[Fix]:
    """The dimension padded, uneven or of the next size that divides, or fewer nodes."""
    found = case.dim(case.text("dim"))
    if found is not None:
        at, item = found
        name = item.name.text
        if item.size is not None and item.padded is None and not item.uneven:
            unit = _unit(case)
            if unit:
                cut = f"padded to {unit}"
                yield fix(f"Write `{name} {cut}`", at.insert(item.span.end, f" {cut}"))
            yield fix(f"Write `{name} uneven`", at.insert(item.span.end, " uneven"))
    yield from near_size(case)
    yield from fewer_nodes(case)


def near_size(case: Case) -> Iterator[Fix]:
    """The next sizes that divide, the larger first."""
    found = case.dim(case.text("dim"))
    if found is None or not isinstance(found[1].size, Number):
        return
    at, item = found
    for key in ("above", "below"):
        if size := case.text(key):
            text = f"{item.name.text} = {size}"
            yield fix(
                f"Write `{text}`",
                at.replace(Span(item.name.span.start, found[1].size.span.end), text),
            )


def fewer_nodes(case: Case) -> Iterator[Fix]:
    """The most nodes below the present number that divide the dimension."""
    found = case.axis(case.text("axis"))
    if found is None:
        return
    at, item = found
    known = items(case.facts.get("valid") or case.facts.get("valid_without_replication"))
    if isinstance(size := item.size, Number):
        fits = [each for each in known if isinstance(each, int) and 1 < each < size.value]
        if fits:
            fewer = str(max(fits))
            yield fix(f"Write `{item.name.text} = {fewer}`", at.replace(size.span, fewer))


def _unit(case: Case) -> str:
    """What the dimension is to be padded to: the axes where these are all, else a number."""
    unit = case.facts.get("unit")
    if unit is not None and unit == case.facts.get("ways"):
        return case.text("axis").replace(",", " * ")
    return "" if unit is None else word(unit)


def uneven_store(case: Case) -> Iterator[Fix]:
    """The variable stored along another of its dimensions, or the dimension uneven."""
    statement = case.at.chunk.statement
    if isinstance(statement, TensorStatement):
        for clause in statement.clauses:
            if isinstance(clause, StoreClause) and clause.span == case.span and clause.dim:
                dims = dict.fromkeys(name.text for item in statement.items for name in item.dims)
                for dim in (each for each in dims if each != clause.dim.text):
                    yield fix(
                        f"Write `store {dim} on {case.text('axis')}`",
                        case.at.replace(clause.dim.span, dim),
                    )
    found = case.dim(case.text("dim"))
    if found is not None and not found[1].uneven:
        at, item = found
        yield fix(f"Write `{item.name.text} uneven`", at.insert(item.span.end, " uneven"))


def unit(case: Case) -> Iterator[Fix]:
    """The unit that is missing, or the part of it that is missing or too much."""
    text = case.at.text(case.span)
    wants, got = case.text("wants"), case.text("got")
    if got == "no unit":
        usual = _USUAL.get(case.text("name"))
        if usual is not None and _NUMBER.fullmatch(text):
            yield case.write(with_unit(text, Fraction(text), usual))
    elif wants == f"{got}/s":
        yield case.write(f"{text}/s")
    elif got == f"{wants}/s" and text.endswith("/s"):
        yield case.write(text.removesuffix("/s"))


def setting(case: Case) -> Iterator[Fix]:
    """The values that a setting may have, those close to the written one alone if there are
    any."""
    words = [word(choice) for choice in items(case.facts.get("choices"))]
    known = [each for each in words if _WORD.fullmatch(each)]
    close = get_close_matches(case.text("value").casefold(), known, n=2)
    if not close and len(known) > _MOST_CHOICES:
        return
    for each in close or known:
        yield fix(f"Write `{case.text('setting')} = {each}`", case.at.replace(case.span, each))

"""Functions: what may be called at a cursor, those of the library with their import."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from parspec.grammar.syntax import BlockStatement, OpStatement
from parspec.interpreter.spec.functions import FUNCTIONS, Function
from parspec.lsp.features import snippets
from parspec.lsp.features.libraries import fits, import_of, libraries
from parspec.lsp.features.offers.scene import Scene
from parspec.lsp.features.offers.suggestion import Suggestion
from parspec.lsp.features.offers.tensors import nearest
from parspec.lsp.features.signature import operands, parameters_of
from parspec.lsp.names import Symbol

_LITERALS = ("2", "0.1")  # operands that are numbers


def functions(scene: Scene) -> Iterator[Suggestion]:
    """What may be called, with its operands to fill in: the likeliest one is filled in."""
    last = None if scene.verb == "op" else nearest(scene)
    around = _around(scene)
    for symbol in scene.names.visible("function", scene.region):
        if symbol.name in around:
            continue
        named = parameters_of(scene.names, symbol) or (_filled("x", last),)
        for each in scene.all((symbol,), 4):
            yield replace(each, snippet=snippets.call(each.label, named, over=None))
    for name, function in FUNCTIONS.items():
        over = _along(function, last, scene) if function.along else None
        snippet = snippets.call(name, _operands(name, function, last), over=over)
        yield Suggestion(name, "function", "", 5 if over != "" else 6, snippet)
    if scene.verb == "layer":
        yield from _of_library(scene)


def _around(scene: Scene) -> frozenset[str]:
    """The ops and blocks in whose bodies the cursor is: none calls itself."""
    regions = scene.region.around() if scene.region else ()
    headers = (region.owner.statement for region in regions if region.owner)
    return frozenset(
        header.name.text for header in headers if isinstance(header, OpStatement | BlockStatement)
    )


def _operands(name: str, function: Function, last: Symbol | None) -> tuple[str, ...]:
    """The operands that a function cannot do without."""
    first, *further = operands(name)
    wanted = (each for place, each in enumerate(further, 1) if place < function.least)
    numbers = (each for each in further if each in _LITERALS)
    return (_filled(first, last), *wanted, *numbers)


def _filled(name: str, last: Symbol | None) -> str:
    return name if last is None else last.name


def _along(function: Function, last: Symbol | None, scene: Scene) -> str:
    """The dimension that a function most likely works along: the last one that the result has, of a
    statistic the last one that it lacks; "" where there is none."""
    out = scene.subject.dims or ()
    own = scene.names.dims_of(last) if last else out
    keeps = function.keeps and function.kind != "crossentropy"
    likely = [dim for dim in own if not out or (dim in out) == keeps]
    return next(reversed(likely), "")


def _of_library(scene: Scene) -> Iterator[Suggestion]:
    """The ops and blocks that imports would bring, without those that the spec has or that would
    clash with it; first those whose dimensions the spec has."""
    known = scene.known("function")
    dims = frozenset(symbol.name for symbol in scene.names.declared("dim", None))
    for library in libraries():
        new = [each for each in library.functions if each.name not in known]
        adds = import_of(library.name, scene.snapshot) if new and fits(library, scene.names) else ()
        for each in new if adds else ():
            yield Suggestion(
                each.name,
                each.kind,
                f"import {library.name}",
                6 if dims.issuperset(each.dims) else 7,
                snippets.call(each.name, each.parameters, over=None),
                library=library.name,
                adds=adds,
            )

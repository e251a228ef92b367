"""Declarations that are missing: dimensions, axes, variables, functions, hardware of the library.

A variable's dimensions are those that the layer which reads it leaves open: what its result and
the other factors lack.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from parspec.grammar.expressions import Call, Expression, Name, Product, Sum, TensorUse
from parspec.grammar.span import Span
from parspec.grammar.syntax import DimStatement, ImportStatement, LayerStatement, MeshStatement
from parspec.interpreter.diagnostics.entry import items
from parspec.interpreter.diagnostics.findings import Edit, Fix
from parspec.interpreter.fixes.case import Case, fix
from parspec.interpreter.fixes.spots import Spot
from parspec.interpreter.spec.functions import FUNCTIONS
from parspec.interpreter.spec.library_hardware import declaring
from parspec.interpreter.spec.sources import library_file


def missing(case: Case) -> Iterator[Fix]:
    """The declaration of a name that nobody knows."""
    name = case.text("name")
    if "." in name or case.facts.get("made") == "below":
        return
    match case.text("kind"):
        case "dimension":
            yield fix(f"Declare `dim {name}`", _beside_dims(case, name))
        case "axis":
            yield fix(f"Declare `mesh {name}`", _in_mesh(case, name))
        case "tensor":
            yield from _variable(case, name)
        case "function" if not items(case.facts.get("near")) and not case.text("here"):
            declared = f"op {name}: pointwise"
            yield fix(f"Declare `{declared}`", _outermost(case).above(declared))
        case "link" | "device" as kind:
            yield from _hardware(case, kind, name)


def _outermost(case: Case) -> Spot:
    """The outermost statement around the finding."""
    return case.at.of(case.at.around[-1]) if case.at.around else case.at


def _beside_dims(case: Case, name: str) -> Edit:
    dims = [
        one
        for one in case.statements()
        if isinstance(one.chunk.statement, DimStatement) and not one.around
    ]
    return dims[-1].below(f"dim {name}") if dims else _outermost(case).above(f"dim {name}")


def _in_mesh(case: Case, name: str) -> Edit:
    """One more axis of the mesh that is in force, innermost; its size is for the user to say."""
    meshes = [one for one in case.statements() if isinstance(one.chunk.statement, MeshStatement)]
    plan = case.at.around[-1:]
    for mesh in (*(m for m in meshes if m.around and m.around[-1:] == plan), *meshes):
        statement = mesh.chunk.statement
        if isinstance(statement, MeshStatement) and statement.axes:
            return mesh.insert(statement.axes[-1].span.end, f", {name}")
    return _outermost(case).above(f"mesh {name}")


def _hardware(case: Case, kind: str, name: str) -> Iterator[Fix]:
    """An import of each library file that declares it, in place of one that declares the same
    links; where some declare everything that is missing, only of these."""
    files = declaring(kind, name)
    complete = set(files).intersection(*(declaring(*each) for each in _missing_hardware(case)))
    for library in files if not complete else sorted(complete):
        statement = f"import {library}"
        links = _links(library)
        clash = next((one for one in _imports(case) if not links.isdisjoint(_links(one[1]))), None)
        if clash is None:
            yield fix(f"Add `{statement}`", _outermost(case).above(statement))
        elif kind == "device":
            at, before, span = clash
            title = f"Replace `import {before}` with `{statement}`"
            yield fix(title, at.replace(span, statement))


def _missing_hardware(case: Case) -> Iterator[tuple[str, str]]:
    """The kinds and names of the links and devices that the library has and the spec lacks."""
    for finding in case.model.findings:
        facts = dict(finding.data)
        kind, name = str(facts.get("kind")), str(facts.get("name"))
        if finding.name == "unknown_name" and kind in ("link", "device") and declaring(kind, name):
            yield kind, name


def _imports(case: Case) -> Iterator[tuple[Spot, str, Span]]:
    """The library files that the finding's file imports."""
    for one in case.statements():
        match one.chunk.statement:
            case ImportStatement(quoted=False, target=target, span=span):
                yield one, target, span


def _links(library: str) -> frozenset[str]:
    """The links that a library file declares."""
    text = library_file(library) or ""
    return frozenset(re.findall(r"^link (\S+)", text, re.MULTILINE))


def _variable(case: Case, name: str) -> Iterator[Fix]:
    """A weight or an input; what is multiplied by something else is a weight first."""
    statement = case.at.chunk.statement
    if not isinstance(statement, LayerStatement) or statement.expression is None:
        return
    wanted = _wanted(statement.expression, [d.text for d in statement.out_dims or ()], name, case)
    if wanted is None:
        return
    dims, role = wanted
    for each in (role, "input" if role == "weight" else "weight"):
        declared = f"{each} {name}[{', '.join(dims)}]"
        place = case.at if each == "weight" else _outermost(case)
        yield fix(f"Declare `{declared}`", place.above(declared))


def _wanted(
    expression: Expression, result: Sequence[str], name: str, case: Case
) -> tuple[Sequence[str], str] | None:
    """The dimensions that a variable has if `expression` has those of the result, and its role."""
    match expression:
        case TensorUse(path=path) if path.text == name:
            return _written(expression) or result, "input"
        case Sum(terms=terms):
            return _first([term.value for term in terms], result, name, case)
        case Call(over=over, arguments=arguments, function=function):
            known = FUNCTIONS.get(function.text)
            weights = arguments[1:] if known is not None and known.weighted else ()
            for use in weights:
                if isinstance(use, TensorUse) and use.path.text == name:
                    return _written(use) or [dim.text for dim in over], "weight"
            lost = () if known is None or known.keeps else [dim.text for dim in over]
            return _first(arguments, [*result, *lost], name, case)
        case Product(factors=factors):
            own = [f for f in factors if isinstance(f, TensorUse) and f.path.text == name]
            others = [f for f in factors if isinstance(f, TensorUse) and f.path.text != name]
            if not own:
                return None
            if not others:
                return _written(own[0]) or result, "input"
            known_dims = list(dict.fromkeys(dim for each in others for dim in _dims(each, case)))
            summed = [dim for dim in known_dims if dim not in result]
            fresh = [dim for dim in result if dim not in known_dims]
            return _written(own[0]) or [*summed, *fresh], "weight"
    return None


def _first(
    parts: Sequence[Expression], result: Sequence[str], name: str, case: Case
) -> tuple[Sequence[str], str] | None:
    found = (_wanted(part, result, name, case) for part in parts)
    return next((each for each in found if each is not None), None)


def _written(use: TensorUse) -> list[str]:
    return [each.name.text for each in use.indices or () if isinstance(each.name, Name)]


def _dims(use: TensorUse, case: Case) -> Sequence[str]:
    if use.indices is not None:
        return _written(use)
    known = (t.dims for t in case.model.tensors if use.path.text in (t.label, t.name))
    return next(known, ())

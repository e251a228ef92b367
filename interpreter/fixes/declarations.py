"""Declarations that are missing: dimensions, axes, variables, functions, hardware of the library.

A variable's dimensions are those that the layer which reads it leaves open: what its result and
the other factors lack.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from parspec.grammar.expressions import Call, Expression, Product, Sum, TensorUse
from parspec.grammar.span import Span
from parspec.grammar.syntax import DimStatement, ImportStatement, LayerStatement, MeshStatement
from parspec.interpreter.diagnostics.entry import items, word
from parspec.interpreter.diagnostics.findings import Edit, Fix
from parspec.interpreter.fixes.case import Case, fix, written_dims
from parspec.interpreter.fixes.imports import import_edit
from parspec.interpreter.fixes.spots import Spot, inside, last, of_type
from parspec.interpreter.spec.functions import FUNCTIONS
from parspec.interpreter.spec.library_declarations import declared_in, declaring


def missing(case: Case) -> Iterator[Fix]:
    """The declaration of a name that nobody knows."""
    name = case.text("name")
    if "." in name or case.facts.get("made") == "below":
        return
    match case.text("kind"):
        case "dimension":
            yield fix(f"Declare `dim {name}`", _beside_dims(case, name))
        case "axis":
            yield _axis(case, name)
        case "tensor":
            yield from _variable(case, name)
        case "function" if not (items(case.facts.get("near")) or case.text("here")):
            if not declaring("function", name):
                declared = f"op {name}: pointwise"
                yield fix(f"Declare `{declared}`", case.at.outermost.above(declared))
        case "link" | "device" as kind:
            for meant in (name, *map(word, items(case.facts.get("near")))):
                yield from _hardware(case, kind, meant)


def _beside_dims(case: Case, name: str) -> Edit:
    dims = last(DimStatement, case.at.file, case.model)
    declared = f"dim {name}"
    return case.at.outermost.above(declared) if dims is None else dims.below(declared)


def _axis(case: Case, name: str) -> Fix:
    """One more axis of the mesh that is in force, innermost. Beside axes that have sizes it has one
    node, so that their product stays what it is; how many it is to have is for the user to say."""
    meshes = of_type(MeshStatement, case.at.file, case.model)
    for mesh in chain(inside(case.at.outermost) if case.at.around else (), meshes):
        statement = mesh.chunk.statement
        if isinstance(statement, MeshStatement) and statement.axes:
            sized = any(axis.size is not None for axis in statement.axes)
            axis = f"{name} = 1" if sized else name
            edit = mesh.insert(statement.axes[-1].span.end, f", {axis}")
            return fix(f"Add `{axis}` to the mesh", edit)
    return fix(f"Declare `mesh {name}`", case.at.outermost.above(f"mesh {name}"))


def _hardware(case: Case, kind: str, meant: str) -> Iterator[Fix]:
    """An import of each library file that declares what is meant, in place of one that declares the
    same links; where some declare everything that is missing, only of these. The name that is
    written becomes the one that is meant."""
    files = declaring(kind, meant) if case.is_to_import(meant) else ()
    complete = set(files).intersection(*(declaring(*each) for each in _missing_hardware(case)))
    written = case.text("name")
    renamed = () if meant == written else (case.at.replace(case.span, meant),)
    beside = f" for `{meant}`" if renamed else ""
    for library in files if not complete else sorted(complete):
        statement = f"import {library}"
        links = declared_in(library, "link")
        alike = (one for one in _imports(case) if links & declared_in(one[1], "link"))
        clash = next(alike, None)
        if clash is None:
            added = import_edit(library, case.at.file, case.model)
            if added is not None:
                yield fix(f"Add `{statement}`{beside}", added, *renamed)
        elif kind == "device":
            at, before, span = clash
            title = f"Replace `import {before}` with `{statement}`{beside}"
            yield fix(title, at.replace(span, library), *renamed)


def _missing_hardware(case: Case) -> Iterator[tuple[str, str]]:
    """The kinds and names of the links and devices that the library has and the spec lacks."""
    for finding in case.model.findings:
        facts = dict(finding.data)
        kind, name = str(facts.get("kind")), str(facts.get("name"))
        if finding.name == "unknown_name" and kind in ("link", "device") and declaring(kind, name):
            yield kind, name


def _imports(case: Case) -> Iterator[tuple[Spot, str, Span]]:
    """The library files that the finding's file imports, and where each is named."""
    for one in of_type(ImportStatement, case.at.file, case.model):
        match one.chunk.statement:
            case ImportStatement(quoted=False, target=target, span=span):
                yield one, target, span


def _variable(case: Case, name: str) -> Iterator[Fix]:
    """A weight or an input; what is multiplied by weights alone is an input first, what is
    multiplied by something else, or is a bias, a weight. Nothing where its dimensions are not
    known."""
    statement = case.at.chunk.statement
    if not isinstance(statement, LayerStatement) or statement.expression is None:
        return
    if statement.out_dims is None:
        result = case.own_dims(statement.out.text)
    else:
        result = [dim.text for dim in statement.out_dims]
    wanted = _wanted(statement.expression, result, name, case)
    if wanted is None or not (wanted[0] or statement.out_dims is not None):
        return
    dims, role = wanted
    for each in (role, "input" if role == "weight" else "weight"):
        declared = f"{each} {name}[{', '.join(dims)}]"
        place = case.at if each == "weight" else case.at.outermost
        yield fix(f"Declare `{declared}`", place.above(declared))


def _wanted(
    expression: Expression, result: Sequence[str], name: str, case: Case
) -> tuple[Sequence[str], str] | None:
    """The dimensions that a variable has if `expression` has those of the result, and its role."""
    match expression:
        case TensorUse(path=path) if path.text == name:
            return written_dims(expression) or result, "input"
        case Sum(terms=terms) if bias := _bias([term.value for term in terms], result, name, case):
            return bias, "weight"
        case Sum(terms=terms):
            return _first([term.value for term in terms], result, name, case)
        case Call(over=over, arguments=arguments, function=function):
            known = FUNCTIONS.get(function.text)
            weights = arguments[1:] if known is not None and known.weighted else ()
            for use in weights:
                if isinstance(use, TensorUse) and use.path.text == name:
                    return written_dims(use) or [dim.text for dim in over], "weight"
            lost = () if known is None or known.keeps else [dim.text for dim in over]
            return _first(arguments, [*result, *lost], name, case)
        case Product(factors=factors):
            own = [f for f in factors if isinstance(f, TensorUse) and f.path.text == name]
            others = [f for f in factors if isinstance(f, TensorUse) and f.path.text != name]
            if not own:
                return None
            if not others:
                return written_dims(own[0]) or result, "input"
            known_dims = list(dict.fromkeys(dim for each in others for dim in case.dims_of(each)))
            summed = [dim for dim in known_dims if dim not in result]
            fresh = [dim for dim in result if dim not in known_dims]
            if all(case.role(use.path.text) == "weight" for use in others):
                return written_dims(own[0]) or [*fresh, *summed], "input"
            return written_dims(own[0]) or [*summed, *fresh], "weight"
    return None


def _bias(
    terms: Sequence[Expression], result: Sequence[str], name: str, case: Case
) -> Sequence[str]:
    """The dimensions of a variable that is added to a product with a weight, if all of them are
    dimensions of the weight; () where it is no bias."""
    uses = [term for term in terms if isinstance(term, TensorUse) and term.path.text == name]
    for term in terms if uses else ():
        factors = term.factors if isinstance(term, Product) else ()
        read = [factor for factor in factors if isinstance(factor, TensorUse)]
        weights = [use for use in read if case.role(use.path.text) == "weight"]
        if len(weights) == len(read):
            continue
        own = [dim for weight in weights for dim in case.dims_of(weight)]
        dims = written_dims(uses[0]) or [dim for dim in result if dim in own]
        if dims and set(dims) <= set(own):
            return dims
    return ()


def _first(
    parts: Sequence[Expression], result: Sequence[str], name: str, case: Case
) -> tuple[Sequence[str], str] | None:
    found = (_wanted(part, result, name, case) for part in parts)
    return next((each for each in found if each is not None), None)

"""Hover: what stands at an offset, in a box beside it.

The most telling line comes first: what it is, then what it costs under the plan that the text is
about, then why. Figures are those of the analysis, as `parspec report` prints them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from parspec.grammar.span import Span
from parspec.grammar.syntax import (
    BlockStatement,
    ExpectStatement,
    ImportStatement,
    MeshStatement,
    OpStatement,
    PlanStatement,
    PointwiseStatement,
)
from parspec.grammar.values import value
from parspec.interpreter.diagnostics.findings import Site
from parspec.interpreter.explanations.explanation import Kind
from parspec.lsp.facts import Facts
from parspec.lsp.features import meaning, patterns
from parspec.lsp.features.focus import besides, focus
from parspec.lsp.features.hovers import (
    axis,
    dimension,
    elsewhere,
    expectation,
    file,
    group,
    hardware,
    layer,
    pattern,
    plan,
    variable,
    word,
)
from parspec.lsp.features.hovers.subject import Place, Subject, told
from parspec.lsp.features.meaning import Meaning
from parspec.lsp.features.prose import Block, Code, note
from parspec.lsp.features.written import chunk_at, comment, statement
from parspec.lsp.ranges import Range
from parspec.lsp.snapshot import Snapshot

_WORDS: Mapping[str, tuple[Kind, ...]] = {
    "keyword": ("statement", "clause", "figure"),
    "function": ("function",),
    "unit": ("unit",),
    "dtype": ("unit",),
    "setting": ("setting",),
    "value": ("setting", "unit", "clause", "strategy"),
    "optimizer": ("statement",),
    "figure": ("figure",),
    "state": ("state",),
    "partial": ("state", "function"),
    "price list": ("price list",),
    "mode": ("statement", "clause"),
    "argument": ("clause", "function", "setting"),
    "mark": ("mark",),
}


_OF_EXPECTS = frozenset(("keyword", "figure", "primitive", "state", "unit", "mark"))


@value
class Hover:
    """What is said of a range of the text. `word`: the word of the language that it is about, of
    which `parspec explain` has more to say."""

    range: Range
    blocks: tuple[Block, ...]
    word: str | None = None


def hover(snapshot: Snapshot, offset: int, importers: Iterable[Snapshot] = ()) -> Hover | None:
    """What there is to say of what stands at an offset; None for nothing. `importers`: files that
    import this one, under whose plans it is seen where it has no mesh itself."""
    found = meaning.at(snapshot, offset)
    placed = snapshot.chunk_at(offset)
    if placed is None:
        return None
    asked = patterns.asked(placed, offset)
    if asked is not None and found is not None and found.kind == "mark":
        found = None  # a part of the pattern
    shown = found.range if found else asked.range if asked else placed.range
    if not shown.start <= offset <= shown.end:
        return None
    place = Place(snapshot, offset, shown, focus(snapshot, offset))
    subjects = [] if found is None else [*_subjects(found, place)]
    if isinstance(placed.chunk.statement, ExpectStatement) and _is_verdict(found):
        subjects.insert(0, expectation.expectation(placed, place))
    if asked is not None:
        subjects.insert(0, pattern.pattern(asked, placed, place))
    others = besides(snapshot, place.focus)
    blocks = tuple(block for subject in subjects for block in told(subject, place.focus, others))
    of_language = found is not None and found.kind in (*_WORDS, "primitive")
    if blocks and not any(facts.model.mesh.axes for facts in place.focus):
        blocks += tuple(elsewhere.elsewhere(subjects, snapshot.file, importers))
    about = found.name if found is not None and of_language else None
    return Hover(shown, blocks, about) if blocks else None


def _is_verdict(found: Meaning | None) -> bool:
    """Whether at a word of an `expect` its verdict is asked for."""
    return found is None or found.kind in _OF_EXPECTS


def _subjects(found: Meaning, place: Place) -> Iterator[Subject]:
    known = _declared(found, place) or _as_written(found, place)
    if known is not None:
        yield known
    elif found.kind in _WORDS:
        meant = word.word(_asked_for(found, place), _WORDS[found.kind])
        if meant is not None:
            yield meant


def _asked_for(found: Meaning, place: Place) -> str:
    """The word that is explained: of the `on` in front of devices the statement that it is in."""
    placed = place.snapshot.chunk_at(place.offset)
    of_mesh = placed is not None and isinstance(placed.chunk.statement, MeshStatement)
    return "mesh" if of_mesh and (found.kind, found.name) == ("keyword", "on") else found.name


def _declared(found: Meaning, place: Place) -> Subject | None:
    """What has a declaration, or figures of its own."""
    match found.kind:
        case "dim":
            return dimension.dimension(found.name, place)
        case "axis":
            return axis.axis(found.name, place)
        case "tensor":
            return _variable(found, place)
        case "layer":
            return _layer(found, place)
        case "stack":
            return _stack(found, place)
        case "link":
            return hardware.link(found.name, place)
        case "device":
            return hardware.device(found.name, place)
        case "op" | "block" | "plan" | "import":
            return _by_statement(found, place)
        case "primitive":
            return word.primitive(found.name)
    return None


def _as_written(found: Meaning, place: Place) -> Subject | None:
    """What is declared and could not be understood, or is declared inside of something: the
    statement."""
    chunk = None if found.site is None else chunk_at(found.site, place.snapshot)
    if found.site is None or chunk is None:
        return None
    said = comment(found.name, found.site, place.snapshot)
    return Subject((Code(statement(chunk)), note(said)))


def _by_statement(found: Meaning, place: Place) -> Subject | None:
    """What is known by the statement that declares it."""
    if found.kind == "import":
        placed = place.snapshot.chunk_at(place.offset)
        target = None if placed is None else placed.chunk.statement
        return file.imported(target, place) if isinstance(target, ImportStatement) else None
    header = None if found.site is None else chunk_at(found.site, place.snapshot)
    if found.site is None or header is None:
        return None
    match header.statement:
        case BlockStatement(name):
            return group.block(header, found.site.file, name.text)
        case OpStatement(name) | PointwiseStatement(name):
            return group.template(header, name.text)
        case PlanStatement(name):
            return plan.plan(header, name.text, place)
    return None


def _variable(found: Meaning, place: Place) -> Subject | None:
    """A variable as it is read where it stands, else as it is declared."""
    names = _read_here(place) or [
        name for site in found.sites for name in _given_at(site, found.name, place.facts)
    ]
    distinct = tuple(dict.fromkeys(names))
    if len(distinct) > 1:
        return variable.variables(found.name, distinct)
    return variable.variable(distinct[0], place) if distinct else None


def _given_at(site: Site, label: str, facts: Facts) -> list[str]:
    """The variables that are declared at a site; what a block gives has its caller's name."""
    declared = [tensor.name for tensor in facts.tensors_at(site) if tensor.label == label]
    if declared:
        return declared
    return [one.out for one in facts.layers_at(site) if one.name == one.parent and one.site != site]


def _read_here(place: Place) -> list[str]:
    """The variables that layers read by the name at the offset."""
    placed = place.snapshot.chunk_at(place.offset)
    if placed is None:
        return []
    statement = Site(
        place.snapshot.file,
        placed.chunk.key,
        Span(place.range.start - placed.start, place.range.end - placed.start),
    )
    return [
        operand.tensor
        for layer_here in place.facts.layers_at(statement)
        for operand in layer_here.operands
        if operand.site == statement
    ]


def _layer(found: Meaning, place: Place) -> Subject | None:
    """A layer, or the use of a block that a layer is."""
    for site in found.sites:
        layers = place.facts.layers_at(site)
        names = [one.name for one in layers if one.name == one.parent]
        if names:
            return layer.layer(names, place)
        path = place.facts.use_at(site, found.name)
        if path is not None:
            return group.use(path, site, place)
    return None


def _stack(found: Meaning, place: Place) -> Subject | None:
    for site in found.sites:
        for stack in place.facts.stacks_at(site):
            return group.stack(stack.name, place)
    return None

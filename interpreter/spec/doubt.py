"""Doubt: which findings may only follow from text that could not be read.

A missing import, or a declaration whose name was lost in a syntax error, would make every use of
its names an error of its own. Of a statement with a syntax error nothing else is said. Where a
name may have been lost, unknown names of its kind are not reported, unless a known name is so
close that it must have been meant: where a statement is still to be given a name, one that nobody
else reads. Nor are unused names reported where a statement that may have used them was lost, nor
what a body gives while something in it is broken.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from parspec.grammar.keywords import NAME, STARTERS, misspelt_starter
from parspec.grammar.syntax import (
    BlockStatement,
    ExpectStatement,
    PlanStatement,
    StackStatement,
)
from parspec.interpreter.diagnostics import catalogue
from parspec.interpreter.diagnostics.entry import items
from parspec.interpreter.diagnostics.findings import Fix, Related, Site

if TYPE_CHECKING:
    from parspec.grammar.document import Chunk, Document
    from parspec.interpreter.diagnostics.findings import Datum, Finding
    from parspec.interpreter.spec.sources import Statements

LOST_FILES = frozenset(
    {
        "file_not_found",
        "unreadable_file",
        "not_utf8",
        "file_too_large",
        "import_depth",
        "import_outside",
    }
)
DECLARES: Mapping[str, tuple[str, ...]] = {
    "dim": ("dimension",),
    "mesh": ("axis",),
    "axis": ("axis",),
    "link": ("link",),
    "device": ("device",),
    "input": ("tensor",),
    "weight": ("tensor",),
    "cache": ("tensor",),
    "var": ("tensor",),
    "layer": ("tensor", "layer"),
    "stack": ("tensor", "layer"),
    "op": ("function",),
    "block": ("function", "tensor"),
}
"""The kinds of names that a statement declares, by its keyword."""
LISTS = frozenset({"dim", "mesh", "axis", "input", "weight", "cache", "var"})
"""The statements that declare as many names as one likes: one that breaks off may declare more."""
READS = frozenset(
    {
        *("dim", "input", "weight", "cache", "var", "layer", "op", "block", "stack", "output"),
        *("train", "infer"),
    }
)
"""The statements that read variables or dimensions: one with an error may read any."""
SHAPES = frozenset({"dim", "cache", "stack"})
"""The statements that tell which dimensions are of one size, and which a variable has."""
MISMATCHES = frozenset({"rank_mismatch", "global_size_mismatch"})
"""What is said of a variable that has other dimensions than are meant."""
EVERY_KIND = "import"  # an import declares names of all kinds
READING = "reading"  # what is read may be missing
SHAPING = "shaping"  # the dimensions of variables may not be those that are meant
CALLED = "called"  # a function of which nothing is known may have dimensions inside
NAMES = ("dimension", "axis", "link", "device", "tensor", "layer", "function")
ANY = "?"  # a statement whose keyword was lost may be of any kind
_Unnamed: TypeAlias = tuple[str, str, str]
"""A kind of names, how the one begins that a statement is still to be given, and its file."""
_WORD = re.compile(NAME)
_LAST = re.compile(rf"{NAME}\s*\Z")
_LEAVES = re.compile(rf"->\s*{NAME}")  # what a stack leaves


def without_consequences(
    findings: Iterable[Finding],
    documents: Iterable[tuple[str, Document]],
    aside: Collection[tuple[str, int]] = (),
) -> Iterator[Finding]:
    """The findings but for those that may follow from what was lost; `aside`: the chunks from which
    nothing follows, by file and key."""
    by_file = dict(documents)
    broken = broken_chunks(by_file.items())
    given = frozenset(_given(by_file.items())) if broken else frozenset()
    findings = tuple(each for each in findings if not _is_given(each, given))
    lost_in = [
        (file, document.start_of(chunk.key), chunk)
        for file, document in by_file.items()
        for chunk in document.faulty
        if (file, chunk.key) not in aside
    ]
    faulty = [chunk for _, _, chunk in lost_in]
    mangled = {word for chunk in faulty for word in _WORD.findall(chunk.text)}
    doubtful = {*_doubts(findings), *(kind for chunk in faulty for kind in _doubtful(chunk))}
    longer = {each for chunk in faulty for each in _longer(chunk)}
    unnamed: dict[_Unnamed, int] = {}
    for file, start, chunk in lost_in:
        for kind, begun in _unnamed(chunk):
            unnamed.setdefault((kind, begun, file), start)
    spare = {dict(each.data)["name"] for each in findings if each.name == "unused_name"}
    meant = {
        str(near).rpartition(".")[2]
        for finding in findings
        if finding.name == "unknown_name"
        for near in _near(finding)
    }
    for finding in _said_once(findings):
        here = finding.site.file, finding.site.chunk
        if (
            (finding.name != "syntax_error" and here in broken)
            or (finding.name == "unused_name" and dict(finding.data)["name"] in meant)
            or not mangled.isdisjoint(_meant(finding))
            or (spare.isdisjoint(_meant(finding)) and _is_of(finding, unnamed, by_file))
            or _follows(finding, doubtful)
            or (READING in doubtful and _looks_inside(finding, by_file))
            or _is_part(finding, longer)
        ):
            continue
        yield finding


def _given(documents: Iterable[tuple[str, Document]]) -> Iterator[Site]:
    """Where it is said what stacks and blocks give in the bodies of which there is an error."""
    runs = ((file, run) for file, document in documents for run in document.runs if run.faulty)
    for file, header in ((file, each) for file, run in runs for each in run.every if each.body):
        if any(inner.parsed.faults for each in header.body for inner in each.preorder()):
            match header.statement:
                case StackStatement(carry_out=name) | BlockStatement(out=name):
                    yield Site(file, header.key, name.span)


def _is_given(finding: Finding, given: Collection[Site]) -> bool:
    """Is it about what a stack or a block gives, at one of these places?"""
    return finding.site in given and finding.name in {"unknown_name", *MISMATCHES}


def broken_chunks(documents: Iterable[tuple[str, Document]]) -> frozenset[tuple[str, int]]:
    """The chunks that have a syntax error, by file and index."""
    return frozenset((file, chunk.key) for file, document in documents for chunk in document.faulty)


def broken_kinds(findings: Iterable[Finding], statements: Statements) -> frozenset[str]:
    """The keywords of the statements in force in which there is an error: what they say may be
    missing in the model. `import` where a file was lost, `ANY` where the keyword was."""
    errors = [f for f in findings if catalogue.severity(f) == "error"]
    wrong = {(finding.site.file, finding.site.chunk) for finding in errors}
    kinds = {EVERY_KIND for finding in errors if _lost(finding) or finding.name in LOST_FILES}
    keys = {key for _, key in wrong}
    pending = [
        (placed.file, placed.chunk)
        for passage in statements.passages
        if passage.has(keys)
        for placed in passage.statements
    ]
    while pending:
        file, chunk = pending.pop()
        if (file, chunk.key) in wrong:
            kinds.update(_keywords(chunk))
        if not isinstance(chunk.statement, PlanStatement):
            pending += [(file, inner) for inner in chunk.body]
    return frozenset(kinds)


def _keywords(chunk: Chunk) -> Iterator[str]:
    """What kinds of statements a chunk may hold: those of its keywords, if it is broken."""
    words = _WORD.findall(chunk.text)
    first = words[0] if words else ""
    if not chunk.parsed.faults:
        yield first
    elif first in STARTERS:
        yield from (word for word in words if word in STARTERS)
    else:
        yield misspelt_starter(first) or ANY


def _near(finding: Finding) -> tuple[Datum, ...]:
    """The names that are close to an unknown one."""
    return items(dict(finding.data)["near"])


def _meant(finding: Finding) -> Iterator[Datum]:
    """The words that may be another one's that was lost: names close to one that is not known, and
    those of a pattern that matches nothing."""
    if finding.name == "unknown_name":
        yield from _near(finding)
    elif finding.name == "unmatched_pattern":
        yield from _WORD.findall(str(dict(finding.data)["pattern"]))


def _said_once(findings: Iterable[Finding]) -> Iterator[Finding]:
    """A name that is unknown is said once in a file, with the other places as related."""
    first: dict[tuple[Datum, ...], Finding] = {}
    for place, finding in enumerate(findings):
        key: tuple[Datum, ...] = (place,)
        if finding.name == "unknown_name":
            data = dict(finding.data)
            key = (finding.site.file, data["kind"], data["name"])
        known = first.get(key)
        if known is not None:
            also = Related(finding.site, f"{key[2]} is used here, too")
            fixes = tuple(_together(known.fixes, finding.fixes))
            finding = replace(known, related=(*known.related, also), fixes=fixes)
        first[key] = finding
    yield from first.values()


def _together(fixes: Iterable[Fix], others: Iterable[Fix]) -> Iterator[Fix]:
    """Fixes, each with what others of the same title do elsewhere."""
    edits = {fix.title: fix.edits for fix in others}
    yield from (Fix(fix.title, (*fix.edits, *edits.get(fix.title, ()))) for fix in fixes)


def _follows(finding: Finding, doubtful: set[str]) -> bool:
    """May a finding follow from names that were lost?"""
    data = dict(finding.data)
    if finding.name == "unused_name" and data["kind"] == "dimension" and CALLED in doubtful:
        return True
    if finding.name == "unused_name":
        return not doubtful.isdisjoint((EVERY_KIND, READING))
    if finding.name in MISMATCHES:
        return SHAPING in doubtful
    if finding.name == "unmatched_pattern" and "lacks" in data and READING in doubtful:
        return True
    if finding.name == "unmatched_pattern":
        return EVERY_KIND in doubtful or ("layer" in doubtful and not data["near"])
    if finding.name != "unknown_name" or data["kind"] not in NAMES:
        return False
    return EVERY_KIND in doubtful or (data["kind"] in doubtful and not data["near"])


def _is_of(
    finding: Finding, unnamed: Mapping[_Unnamed, int], documents: Mapping[str, Document]
) -> bool:
    """Is it about a name that one of the statements may be given that have none yet, the first of
    which begins at an offset? Variables are read below the statement that gives them."""
    if not unnamed or finding.name not in ("unknown_name", "unmatched_pattern"):
        return False
    data, site = dict(finding.data), finding.site
    if finding.name == "unmatched_pattern":
        begun = tuple(begun for kind, begun, _ in unnamed if kind == "layer")
        return any(str(word).startswith(begun) for word in _meant(finding))
    kind, name = data["kind"], str(data["name"])
    return any(
        each == kind
        and name.startswith(begun)
        and (kind != "tensor" or file != site.file or start < documents[file].start_of(site.chunk))
        for (each, begun, file), start in unnamed.items()
    )


def _longer(chunk: Chunk) -> Iterator[tuple[str, str]]:
    """The words that may be a name with a dimension behind it, as a bracket is missing between them
    (`xB` of `input xB, D]`), by the kinds of names that the chunk declares."""
    if chunk.text.count("]") > chunk.text.count("["):
        first, *words = _WORD.findall(chunk.text) or [""]
        yield from ((kind, word) for kind in DECLARES.get(first, ()) for word in words)


def _is_part(finding: Finding, longer: Collection[tuple[str, str]]) -> bool:
    """Is it about a name with which one of these words of its kind begins?"""
    data = dict(finding.data)
    return finding.name == "unknown_name" and any(
        kind == data["kind"] and word.startswith(str(data["name"])) for kind, word in longer
    )


def _looks_inside(finding: Finding, documents: Mapping[str, Document]) -> bool:
    """Is it about a variable that an expectation names? It may be one inside what was lost."""
    data, site = dict(finding.data), finding.site
    return (
        finding.name == "unknown_name"
        and data["kind"] == "tensor"
        and not data["near"]
        and site.chunk in documents[site.file].by_type.get(ExpectStatement, ())
    )


def _doubts(findings: Iterable[Finding]) -> Iterator[str]:
    """What findings put in doubt: names of every kind where an import brought nothing, and what is
    read where not all was looked at, or inside a function that nobody knows."""
    for finding in findings:
        if _lost(finding):
            yield EVERY_KIND
        elif finding.name == "over_limit":
            yield READING
        elif _is_foreign(finding):
            yield CALLED


def _is_foreign(finding: Finding) -> bool:
    """Is it about a function that is none of those that are known, mistyped?"""
    data = dict(finding.data)
    function = finding.name == "unknown_name" and data["kind"] == "function"
    return function and "here" not in data and not finding.fixes


def _lost(finding: Finding) -> bool:
    """Is it about an import that brought nothing?"""
    kind = dict(finding.data).get("kind")
    return finding.name in LOST_FILES or (finding.name == "unknown_name" and kind == "library file")


def _doubtful(chunk: Chunk) -> Iterator[str]:
    """The kinds of names that a chunk with a syntax error may have declared, and `READING` where
    it may have read some."""
    words = _WORD.findall(chunk.text)
    first = 1 if words and chunk.statement is not None else 0
    nameless = any(_wants_name(fault.expected) for fault in chunk.parsed.faults)
    begun = [*_begun(chunk)]
    if EVERY_KIND in (*words, *begun) or '"' in chunk.text:
        yield EVERY_KIND
    if not READS.isdisjoint((*words, *begun)):
        yield READING
    if not SHAPES.isdisjoint((*words, *begun)):
        yield SHAPING
    for word in dict.fromkeys((*(words if nameless else words[first:]), *begun)):
        yield from DECLARES.get(word, ())


def _unnamed(chunk: Chunk) -> Iterator[tuple[str, str]]:
    """The kinds of names that a chunk declares without saying them yet (`layer`, `stack s[L]: {`,
    `dim B = 4,`), with what is said of them: `hid` of `layer up: hid`."""
    words = _WORD.findall(chunk.text)
    first, begun = words[0] if words else "", ""
    match first:
        case "layer":
            named = chunk.statement is not None
        case "stack":
            named = _LEAVES.search(chunk.text) is not None
        case _:
            wanted = {text for fault in chunk.parsed.faults for text in fault.expected}
            kinds = DECLARES.get(first, ())
            named = len(words) > 1 and wanted.isdisjoint(f"a {kind}" for kind in kinds)
    if first in LISTS and _may_go_on(chunk):
        named = False
    if named and (last := _LAST.search(chunk.text)) and _is_broken_off(chunk):
        named, begun = False, last[0].strip()
    for word in () if named else (first,):
        yield from ((kind, begun) for kind in DECLARES.get(word, ()))
    for word in _begun(chunk):
        yield from ((kind, "") for kind in DECLARES.get(word, ()))


def _is_broken_off(chunk: Chunk) -> bool:
    """Does its text end where something is missing?"""
    end = len(chunk.text.rstrip())
    return any(fault.span.start >= end for fault in chunk.parsed.faults)


def _may_go_on(chunk: Chunk) -> bool:
    """Is the last that is written of it wrong, so that more may be missing behind it?"""
    end = len(chunk.text.rstrip())
    return any(fault.span.end >= end for fault in chunk.parsed.faults)


def _begun(chunk: Chunk) -> Iterator[str]:
    """The keywords of the statements that an error at the beginning of a line may be the beginning
    of: `la` of a layer."""
    for fault in chunk.parsed.faults:
        start = fault.span.start
        line = re.split(r"[\r\n]", chunk.text[:start])[-1]
        word = _WORD.match(chunk.text, start)
        if word is not None and not line.strip():
            meant = misspelt_starter(word[0])
            yield from (each for each in STARTERS if each == meant or each.startswith(word[0]))


def _wants_name(expected: Iterable[str]) -> bool:
    """Was a name expected where the error is?"""
    return any(text.startswith(("a ", "an ")) for text in expected)

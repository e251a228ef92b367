"""Names: which ones are close, and the findings about unknown and repeated ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from functools import lru_cache
from heapq import nlargest
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from parspec.interpreter.diagnostics.findings import Edit, Finding, Fix, Related, Site

if TYPE_CHECKING:
    from parspec.grammar.expressions import Name
    from parspec.interpreter.spec.sources import Placed

T = TypeVar("T")
MOST_NAMES = 1000  # names that one is compared with
MOST_LETTERS = 100  # letters of a name that may be mistyped; those of a longer one were pasted
_COMPARED = 256  # letters of the names with which one is compared letter by letter
_CLOSENESS = 0.6  # of difflib: `hiden` is near `hidden`, `head` is not
_FOUND: dict[tuple[str, int, int], tuple[str, ...]] = {}  # without all the names to look among
_MOST_FOUND = 4096
_KINDS, _COUNTED = 64, 16  # kinds of letters that are told apart, and how often each is counted


class _Known(NamedTuple):
    """A known name without case, and its letters as bits."""

    folded: str
    letters: int


def near(name: str, names: Iterable[str]) -> tuple[str, ...]:
    """The names that were most likely meant, best first, at most three; case does not count, and
    those that begin with the name come first. Names of one letter are all alike: near to one is
    only that letter in the other case, and it to that letter twice or with an `s`. Of very many
    names only the first are looked at, and no very long one is near to another: the work is
    bounded."""
    known = tuple(islice(names, MOST_NAMES))
    asked = name, len(known), hash(known)  # each plan of a spec asks again
    found = _FOUND.get(asked)
    if found is None:
        if len(_FOUND) > _MOST_FOUND:
            _FOUND.clear()
        found = _FOUND[asked] = _near(name, known)
    return found


def _near(name: str, names: tuple[str, ...]) -> tuple[str, ...]:
    spelled, known = _index(names)
    written = name.casefold()
    close = _close(written, known)
    longer = sorted(close, key=lambda key: not key.startswith(written))
    same = (spelled[written],) if written in spelled else ()
    return (*same, *(spelled[key] for key in longer))[:3]


@lru_cache(maxsize=4)
def _index(names: tuple[str, ...]) -> tuple[dict[str, str], tuple[_Known, ...]]:
    """Names by what they are without case, and those that others are compared with."""
    spelled: dict[str, str] = {}
    for name in names:
        spelled.setdefault(name.casefold(), name)
    short = (key for key in spelled if len(key) <= MOST_LETTERS)
    return spelled, tuple(_Known(key, _letters(key)) for key in short)


def _close(written: str, known: Iterable[_Known]) -> list[str]:
    """The three closest names that are near enough, but for the same one: those that share the
    most letters are compared letter by letter; the same letters in another order are near."""
    length = len(written)
    if not 0 < length <= MOST_LETTERS or _is_letter(written):
        return []
    letters = _letters(written)
    sharing = [
        (bound, key)
        for key, own in known
        if (bound := 2 * (letters & own).bit_count() / (length + len(key))) >= _CLOSENESS
        and key != written
        and (not _is_letter(key) or written in (2 * key, f"{key}s"))
    ]
    matcher = SequenceMatcher(b=written)
    scored: list[tuple[float, str]] = []
    for bound, key in nlargest(max(3, _COMPARED // length), sharing, key=lambda each: each[0]):
        matcher.set_seq1(key)
        scored.append((max(matcher.ratio(), _CLOSENESS * (bound == 1)), key))
    return [key for score, key in nlargest(3, scored) if score >= _CLOSENESS]


def _is_letter(word: str) -> bool:
    """Is it a single letter? A character that has no upper case may be a whole word: `节`."""
    return len(word) == 1 and word != word.upper()


@lru_cache(maxsize=MOST_NAMES)
def _letters(word: str) -> int:
    """The letters of a word as bits, the first, the second ... of each kind a bit of its own: two
    words have as many letters in common as bits, at most."""
    bits = 0
    for place, count in Counter(ord(letter) % _KINDS for letter in word).items():
        bits |= ((1 << min(count, _COUNTED)) - 1) << place * _COUNTED
    return bits


def unknown(kind: str, name: str, site: Site, names: Iterable[str]) -> Finding:
    """`unknown_name`, with a fix where only one known name is close."""
    return unknown_but_for(kind, name, site, near(name, names))


def unknown_but_for(kind: str, name: str, site: Site, close: tuple[str, ...]) -> Finding:
    """`unknown_name`, with the names that may be meant, and a fix where that is one only."""
    data = (("kind", kind), ("name", name), ("near", close))
    return Finding("unknown_name", site, data, fixes=replacing(name, site, close))


def replacing(name: str, site: Site, close: tuple[str, ...]) -> tuple[Fix, ...]:
    """The fix that writes the one name that may be meant; none where there are more, or none."""
    if len(close) != 1:
        return ()
    return (Fix(f"Replace `{name}` with `{close[0]}`", (Edit(site, close[0]),)),)


def duplicate(kind: str, name: str, site: Site, first: Site) -> Finding:
    """`duplicate_name`, related to the first declaration; at the user's where the other one is the
    library's."""
    library = tuple(_library(each.file) for each in (first, site) if _is_library(each.file))
    told = "declared here first"
    if len(library) == 1:
        told = f"declared here in {library[0]}"
        if _is_library(site.file):
            site, first = first, site
    data = (("kind", kind), ("name", name), *((("library", library),) if library else ()))
    return Finding("duplicate_name", site, data, related=(Related(first, told),))


def _is_library(file: str) -> bool:
    return file.startswith("std/")


def _library(file: str) -> str:
    """A built-in file as an import names it: `std.h100`."""
    return file.removesuffix(".par").replace("/", ".")


def in_force(
    kind: str, declarations: Iterable[tuple[Name, T, Placed]]
) -> tuple[dict[str, tuple[T, Placed]], tuple[Finding, ...]]:
    """For each declared name what holds: what a plan says takes the place of what stands outside
    it; any other repetition is a finding. A declaration is a name, what it declares, and the
    statement that it stands in."""
    holds: dict[str, tuple[T, Placed]] = {}
    first: dict[str, Site] = {}
    findings: list[Finding] = []
    for name, declared, placed in declarations:
        site = placed.at(name.span)
        before = holds.get(name.text)
        if before is None or (placed.plan is not None and before[1].plan is None):
            holds[name.text] = (declared, placed)
            first[name.text] = site
        else:
            findings.append(duplicate(kind, name.text, site, first[name.text]))
    return holds, tuple(findings)


def dependency_order(
    uses: dict[str, tuple[str, ...]],
) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Names so that each comes after the names that it uses, and the cycles among them.

    Names that are used but not defined do not count. Each name is in one reported cycle at most.
    """
    order: list[str] = []
    cycles: list[tuple[str, ...]] = []
    reported: set[str] = set()
    opened: set[str] = set()
    closed: set[str] = set()
    for root in uses:
        if root in closed:
            continue
        path: list[tuple[str, Iterator[str]]] = [(root, iter(uses[root]))]
        opened.add(root)
        while path:
            name, rest = path[-1]
            used = next((u for u in rest if u in uses and u not in closed), None)
            if used is None:
                path.pop()
                opened.discard(name)
                closed.add(name)
                order.append(name)
            elif used not in opened:
                opened.add(used)
                path.append((used, iter(uses[used])))
            else:
                trail = [step for step, _ in path]
                cycle = tuple(trail[trail.index(used) :])
                if reported.isdisjoint(cycle):
                    cycles.append(cycle)
                    reported.update(cycle)
    return tuple(order), tuple(cycles)

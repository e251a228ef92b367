"""Does an edited file's analysis equal a fresh one? Draws random edits of the examples, of a long
generated spec and of a model in two files, and looks at each text twice: with what earlier looks
have left behind, and with nothing.

Prints how many edits of each kind were drawn, and the first differences.

    python tests/edits_many.py [--count 5000] [--seed 1]
"""

from __future__ import annotations

import argparse
import dataclasses
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from parspec.grammar.document import Document
from parspec.interpreter.analysis.analyze import analyze
from parspec.interpreter.analysis.looks import Looks
from parspec.interpreter.diagnostics.findings import Site
from parspec.interpreter.spec.model import Model
from parspec.interpreter.spec.readers import Reader, Unread
from parspec.interpreter.spec.resolve import resolve

EXAMPLES = Path(__file__).parents[1] / "examples"
MODEL = """dim B = 64, D = 96, F = 384
input x[B, D]
weight up[D, F], down[F, D]
layer h: h[B, F] = x * up
layer a: a[B, F] = gelu(h)
layer y: y[B, D] = a * down
"""
PLAN = """import "model.par"
mesh dp = 2, tp = 4
for *: partition B on dp, F on tp
output y replicated on tp
plan wide {
    mesh dp = 1, tp = 8
}
"""
BLOCK = """# block {0}
weight up{0}[D, F], down{0}[F, D], g{0}[D]
layer n{0}: n{0}[B, D] = rmsnorm over D (x{0}, g{0})
layer u{0}: u{0}[B, F] = n{0} * up{0}  partition F on tp  # column
layer a{0}: a{0}[B, F] = gelu(u{0})
layer d{0}: d{0}[B, D] = a{0} * down{0}  partition F on tp  # row
layer r{0}: x{1}[B, D] = d{0} + x{0}

"""
LONG = (
    "mesh dp = 4, tp = 8\ndim B = 64, D = 96, F = 384, L = 3\ninput x0[B, D] partition B on dp\n"
    + "".join(BLOCK.format(i, i + 1) for i in range(30))
    + "stack deep[L]: x30 -> x30 {\n    weight w[D, D2]\n    layer m: t[B, D2] = x30 * w\n"
    "    layer b: x30[B, D] = t[B, D]\n}\ndim D2 = D\noutput x30\n"
    "expect no All-to-All\nexpect u3 is P(F) on tp\n"
)
WORDS = (
    "layer", "dim", "weight", "output", "partition", "on", "tp", "dp", "for *: partition B on dp\n",
    "{", "}", "[", "]", ":", "=", "*", "+", ",", "\n", " ", "# c\n", "\r\n", "7", "0", "x0", "w1",
    "dim Z = 8\n", "stack s[L]: x0 -> x1 {\n", "frozen", "?", "none on tp", "replicated on tp", "B",
    "expect traffic <= 1 MB\n", "plan p {\n mesh tp = 4\n}\n", "op f: pointwise\n", "D", "import",
)  # fmt: skip


class Files(Reader):
    """Files in memory."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.texts = texts

    def read(self, file: str) -> str | Unread:
        """The text of a file."""
        return self.texts.get(file) or Unread("missing")


def looked_at(texts: Mapping[str, str], file: str, looks: Looks) -> object:
    """Everything that is found in a file, as it is and under each of its plans, with places in
    place of sites."""
    reader = Files(texts)
    found: list[object] = []
    plans: list[str | None] = [None]
    for plan in plans:
        model = resolve(file, texts[file], reader, plan=plan, known=looks.resolved)
        if plan is None:
            plans += model.plans[:3]
        analysis = analyze(model, looks.analysed(plan))
        found.append(plain(analysis, dict(model.documents)))
    return found


def plain(value: object, documents: Mapping[str, Document]) -> object:
    """A value as nested tuples, its sites as absolute offsets, documents left out."""
    if isinstance(value, Site):
        start = documents[value.file].start_of(value.chunk) if value.file in documents else 0
        return value.file, start + value.span.start, start + value.span.end
    if isinstance(value, Document):
        return value.text
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in dataclasses.fields(value) if field.name != "parts"]
        names += ["items", "tensors"] if isinstance(value, Model) else []
        inside = ((name, plain(getattr(value, name), documents)) for name in names)
        return type(value).__name__, *inside
    if isinstance(value, (tuple, list)):
        return tuple(plain(each, documents) for each in value)
    if isinstance(value, Mapping):
        return tuple((key, plain(each, documents)) for key, each in value.items())
    if isinstance(value, (set, frozenset)):
        return tuple(sorted(map(str, value)))
    return value


def edit(texts: Mapping[str, str], draw: random.Random) -> tuple[str, dict[str, str]]:
    """One random edit: its kind, and the texts after it."""
    file = draw.choice(sorted(texts))
    text = texts[file]
    lines = text.splitlines(keepends=True) or [""]
    kind = draw.choice(("characters", "word", "number", "line", "move line", "two files"))
    if kind == "two files" and len(texts) < 2:
        kind = "move line"
    at = draw.randrange(len(text) + 1)
    line = draw.randrange(len(lines))
    match kind:
        case "characters":
            gone = draw.choice((0, 1, 1, 2, 5, 30))
            put = "".join(draw.choice("aBx0[]{}=*:,# \n") for _ in range(draw.choice((0, 1, 1, 3))))
            new = text[:at] + put + text[at + gone :]
        case "word":
            new = text[:at] + f" {draw.choice(WORDS)} " + text[at:]
        case "number":
            digits = [place for place, letter in enumerate(text) if letter.isdigit()]
            at = draw.choice(digits) if digits else 0
            new = text[:at] + draw.choice("0123468") + text[at + 1 :]
        case "line":
            there = draw.randrange(len(lines))
            new = "".join([*lines[:line], lines[there], *lines[line + draw.randrange(2) :]])
        case "move line":
            rest = [*lines[:line], *lines[line + 1 :]]
            there = draw.randrange(len(rest) + 1)
            new = "".join([*rest[:there], lines[line], *rest[there:]])
        case _:
            other = next(name for name in texts if name != file)
            moved = {**texts, other: texts[other] + lines[line]}
            return kind, {**moved, file: "".join([*lines[:line], *lines[line + 1 :]])}
    return kind, {**texts, file: new}


def starts() -> Iterator[tuple[str, dict[str, str]]]:
    """What is edited: the file that is looked at, and all files."""
    for path in sorted(EXAMPLES.glob("*.par")):
        texts = {p.name: p.read_text("utf-8") for p in EXAMPLES.glob("*.par")}
        text = texts[path.name]
        imported = {name for name in texts if f'"{name}"' in text}
        yield path.name, {name: texts[name] for name in {path.name, *imported}}
    yield "plan.par", {"plan.par": PLAN, "model.par": MODEL}
    yield "long.par", {"long.par": LONG}


def differences(count: int, seed: int) -> Iterator[tuple[str, str]]:
    """Draws edits; each one's kind, and what differs ("" where nothing does)."""
    draw = random.Random(seed)
    choices = sorted(starts())
    while count > 0:
        file, texts = draw.choice([*choices, choices[-1], choices[-2]])
        looks = Looks()
        looked_at(texts, file, looks)
        begun = texts
        for step in range(min(count, 25)):
            kind, texts = edit(begun if step % 6 == 5 else texts, draw)
            now = looked_at(texts, file, looks)
            fresh = looked_at(texts, file, Looks())
            yield kind, "" if now == fresh else f"{file}: {first_difference(now, fresh)}"
            count -= 1


def first_difference(one: object, other: object, path: str = "") -> str:
    """Where two plain values differ first."""
    if isinstance(one, tuple | list) and isinstance(other, tuple | list):
        for place, (left, right) in enumerate(zip(one, other, strict=False)):
            if left != right:
                named = isinstance(left, tuple) and left and isinstance(left[0], str)
                step = left[0] if named and isinstance(left, tuple) else place
                return first_difference(left, right, f"{path}.{step}")
        return f"{path}: {len(one)} and {len(other)} values"
    return f"{path}: {one!r} is not {other!r}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    drawn: Counter[str] = Counter()
    wrong: list[str] = []
    began = time.perf_counter()
    for kind, difference in differences(arguments.count, arguments.seed):
        drawn[kind] += 1
        wrong += [difference] if difference else []
    for kind, number in sorted(drawn.items()):
        print(f"{kind:12} {number:6}")
    for difference in wrong[:10]:
        print(difference[:1500])
    seconds = time.perf_counter() - began
    print(f"{drawn.total()} edits, {len(wrong)} differ from a fresh look, {seconds:.0f} s")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())

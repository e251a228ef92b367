"""Hostile files, drawn at random: broken, half-typed, huge, deep, with bytes that are no text, or
none at all. Each kind is a function from a random generator to what lies in a folder."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import TypeAlias

EXAMPLES = Path(__file__).parents[1] / "examples"
TEXTS = tuple(path.read_text("utf-8") for path in sorted(EXAMPLES.glob("*.par")))
FILE = "spec.par"
OTHER = "other.par"
IMPORTING = f'import "{OTHER}"\ndim B = 4\ninput x[B]\noutput x\n'
TOO_LARGE = 17 * 2**20  # bytes


@dataclass(frozen=True)
class Unreadable:
    """A file that may not be read; to those who may read everything, a circle of links."""


@dataclass(frozen=True)
class Folder:
    """A folder where a file is looked for."""


Content: TypeAlias = bytes | Unreadable | Folder
Draw: TypeAlias = Mapping[str, Content]  # by name; `FILE` is the one that is looked at, if any
Kind: TypeAlias = Callable[[Random], Draw]


def written(text: str) -> Draw:
    return {FILE: text.encode("utf-8", "surrogatepass")}


def words_of(text: str) -> list[str]:
    """A text in words, marks and blanks."""
    return re.findall(r"\w+|\s+|[^\w\s]", text)


def prefix(draw: Random) -> Draw:
    text = draw.choice(TEXTS)
    return written(text[: draw.randrange(len(text) + 1)])


def deletion(draw: Random) -> Draw:
    words = words_of(draw.choice(TEXTS))
    for _ in range(draw.randrange(1, 5)):
        del words[draw.randrange(len(words))]
    return written("".join(words))


def duplication(draw: Random) -> Draw:
    words = words_of(draw.choice(TEXTS))
    at = draw.randrange(len(words))
    times = draw.choice((2, 2, 3, 40))
    return written("".join([*words[:at], *words[at : at + 30] * times, *words[at:]]))


def swap(draw: Random) -> Draw:
    words = words_of(draw.choice(TEXTS))
    for _ in range(draw.randrange(1, 6)):
        a, b = draw.randrange(len(words)), draw.randrange(len(words))
        words[a], words[b] = words[b], words[a]
    return written("".join(words))


def random_bytes(draw: Random) -> Draw:
    if draw.random() < 0.2:
        return {FILE: draw.randbytes(300)}
    data = bytearray(draw.choice(TEXTS).encode())
    for _ in range(draw.choice((1, 3, 30))):
        data[draw.randrange(len(data))] = draw.randrange(256)
    return {FILE: bytes(data)}


def splice(draw: Random) -> Draw:
    a, b = draw.choice(TEXTS), draw.choice(TEXTS)
    return written(a[: draw.randrange(len(a))] + b[draw.randrange(len(b)) :])


def line_ends(end: str) -> Kind:
    """All lines of a text end so, or some, or it stands anywhere."""

    def kind(draw: Random) -> Draw:
        text = draw.choice(TEXTS)
        match draw.randrange(3):
            case 0:
                return written(text.replace("\n", end))
            case 1:
                lines = text.split("\n")
                return written("".join(line + draw.choice(("\n", end)) for line in lines))
        at = draw.randrange(len(text))
        return written(text[:at] + end * draw.choice((1, 2)) + text[at:])

    return kind


def byte_order_mark(draw: Random) -> Draw:
    text = draw.choice(TEXTS)
    at = draw.choice((0, 0, draw.randrange(len(text))))
    marked = text[:at] + "\ufeff" + text[at:]
    encoding = draw.choice(("utf-8", "utf-8", "utf-8", "utf-16-le", "utf-32-be"))
    return {FILE: marked.encode(encoding)}


def bad_bytes(*choices: bytes) -> Kind:
    """One of these stands somewhere in a text."""

    def kind(draw: Random) -> Draw:
        data = draw.choice(TEXTS).encode()
        at = draw.randrange(len(data))
        return {FILE: data[:at] + draw.choice(choices) + data[at:]}

    return kind


def nesting(draw: Random) -> Draw:
    depth = draw.choice((5, 33, 65, 101, 1000, 10_000))
    texts: tuple[str, ...] = (
        f"dim A = {'(' * depth}1{')' * depth}",
        f"dim A = {'-' * depth}1\nplan {'p {' * depth}",
        f"dim B = 2\ninput x[B]\nlayer l: y[B] = {'gelu(' * depth}x{')' * depth}",
        "dim L = 2\n" + "stack s[L]: x -> x {\n" * depth + "}\n" * depth,
        "block b(x[B]) -> x {\n" * depth + "}\n" * depth,
        f"for {'{' * depth}a{'}' * depth}: partition B on tp",
        f"for {'a.' * depth}a: partition B on tp\noutput {'a.' * depth}a",
        "plan p { layer l: y[B] = x " * depth,
        "{[(" * depth,
    )
    text = draw.choice(texts)
    return written(text if draw.random() < 0.7 else text[: draw.randrange(len(text))])


def size_cycles(draw: Random) -> Draw:
    names = [f"d{number}" for number in range(draw.choice((1, 2, 3, 50, 2000)))]
    draw.shuffle(names)
    last = names[0] if draw.random() < 0.7 else "4"
    operator = draw.choice(("", "2 * ", "1 + ", "d0 * "))
    dims = "".join(f"dim {a} = {operator}{b}\n" for a, b in pairwise([*names, last]))
    return written(f"{dims}input x[{names[0]}]\n")


def import_cycles(draw: Random) -> Draw:
    count = draw.choice((1, 2, 3, 33, 60))
    names = [FILE, *(f"f{number}.par" for number in range(1, count))]
    files = {}
    for place, name in enumerate(names):
        target = names[(place + 1) % count] if draw.random() < 0.9 else draw.choice(names)
        text = draw.choice(TEXTS) if draw.random() < 0.3 else ""
        files[name] = f'import "{target}"\n{text}'.encode()
    return files


def missing(draw: Random) -> Draw:
    if draw.random() < 0.3:
        return {}
    names = (
        OTHER, "", ".", "..", "../../../etc/passwd", "/dev/zero", "/dev/stdin", "a" * 300,
        "a/" * 3000, "n\x00l", "~", "C:\\a.par", "\\\\host\\a", "std.h100", "https://a.b/c.par",
        FILE + "/", "\n",
    )  # fmt: skip
    return written(f'import "{draw.choice(names)}"\n{draw.choice(TEXTS)}')


def unreadable(draw: Random) -> Draw:
    if draw.random() < 0.5:
        return {FILE: Unreadable()}
    return {FILE: IMPORTING.encode(), OTHER: Unreadable()}


def huge(draw: Random) -> Draw:
    filler = draw.choice(
        (b"# " + b"x" * TOO_LARGE, b"\n" * TOO_LARGE, b"dim a\n" * (TOO_LARGE // 6))
    )
    if draw.random() < 0.5:
        return {FILE: filler}
    return {FILE: IMPORTING.encode(), OTHER: filler}


def folder(draw: Random) -> Draw:
    if draw.random() < 0.5:
        return {FILE: Folder()}
    return {FILE: IMPORTING.encode(), OTHER: Folder()}


def sizes(*choices: str) -> Kind:
    """Some numbers of a text are among these."""

    def kind(draw: Random) -> Draw:
        words = words_of(draw.choice(TEXTS))
        places = [place for place, word in enumerate(words) if word[0].isdigit()]
        count = draw.choice((1, 1, 2, 5, len(places)))
        for place in draw.sample(places, min(count, len(places))):
            words[place] = draw.choice(choices)
        return written("".join(words))

    return kind


def axes_of_one(draw: Random) -> Draw:
    count = draw.choice((1, 4, 16, 17, 200))
    axes = ", ".join(f"a{n} = {draw.choice((1, 1, 2, 0, 3))}" for n in range(count))
    cuts = " * ".join(f"a{n}" for n in range(draw.randrange(1, 17)))
    size = draw.choice((0, 1, 3, 2**40))
    return written(
        f"mesh {axes}\ndim B = {size}, D = 4\ninput x[B, D] partition B on {cuts}\n"
        f"weight w[D, B]\nlayer l: y[B] = x * w[D, B]  partition D on a0\n"
        f"output y replicated on {cuts}\n"
    )


def long_lists(draw: Random) -> Draw:
    count = draw.choice((100, 1000, 3000))
    texts = (
        "dim " + ", ".join(f"a{n} = {n}" for n in range(count)),
        "dim B = 2\ninput x[B]\nlayer l: y[B] = " + " + ".join(["x"] * count),
        "dim B = 2\n" + "".join(f"layer l{n}: y{n}[B] = y{n - 1}\n" for n in range(count)),
        "# " + "x" * (count * 50),
        "expect " + " ".join(["no"] * count),
    )
    return written(draw.choice(texts))


def many_faults(draw: Random) -> Draw:
    """The same mistake again and again: what is looked up for one must not grow with the others."""
    count = draw.choice((50, 200, 600))
    long = "abcdefghij" * draw.choice((1, 10, 30))
    head = "mesh tp = 4\ndim B = 6, C = 6\ninput x[B]\n"
    texts = (
        head + "".join(f"layer l{n}: y{n}[C] = gelu(x)\n" for n in range(count)),
        head + "".join(f"layer l{n}: y{n}[B] = gelu(x) partition B on tp\n" for n in range(count)),
        head + "".join(f"layer l{n}: y{n}[B] = gelu(z{n})\noutput y{n}\n" for n in range(count)),
        head + "input " + ", ".join(f"x{n}[B]" for n in range(count * 5)) + "\noutput nothing\n",
        "".join(f"dim n{n}_{long} = 4\n" for n in range(count))
        + "".join(f"input x{n}[m{n}_{long}]\n" for n in range(count)),
        head + "".join(f"plan p{n} {{ mesh tp = 2  dim Q{n} = 2 }}\n" for n in range(count)),
        "dim " * (count * 20),
        "# a comment\n" * (count * 20) + "dim\n" * draw.choice((1, count)),
    )
    return written(draw.choice(texts))


def many_patterns(draw: Random) -> Draw:
    """Many patterns, or one of many alternatives, over many layers."""
    count = draw.choice((20, 100, 300))
    names = ",".join(f"a{n}" for n in range(count))
    layers = "".join(f"layer l{n}: y{n}[B] = gelu(y{n - 1})\n" for n in range(1, count + 1))
    head = f"mesh tp = 4\ndim B = 4, {', '.join(f'D{n} = 4' for n in range(count))}\ninput y0[B]\n"
    calls = "block g(x[B]) -> y { layer a: y[B] = gelu(x) }\n" + layers.replace("gelu", "g")
    patterns = (
        f"for {{{names}}}.{{{names}}}: partition B on tp\n",
        "for *: partition B on tp\n" * count,
        "".join(f"for *: partition D{n} on tp\n" for n in range(count)),
        "".join(f"for *.a{n}: partition B on tp\n" for n in range(count)),
        "".join(f"for l{n}.a: partition B on tp\n" for n in range(count)),
        "".join(f"for l{n}: partition ? on tp\n" for n in range(count // 10)),
    )
    return written(head + draw.choice((layers, calls)) + draw.choice(patterns))


KINDS: Mapping[str, Kind] = {
    "prefix": prefix,
    "token deletion": deletion,
    "duplication": duplication,
    "swap": swap,
    "random bytes": random_bytes,
    "splice of two files": splice,
    "byte order mark": byte_order_mark,
    "CRLF": line_ends("\r\n"),
    "form feed": line_ends("\x0c"),
    "NEL": line_ends("\x85"),
    "U+2028": line_ends("\u2028"),
    "other line ends": line_ends("\r"),
    "NUL": bad_bytes(b"\x00"),
    "invalid UTF-8": bad_bytes(
        b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xf8\x88\x80\x80\x80", b"\xc0\x80"
    ),
    "deep nesting": nesting,
    "dim cycle": size_cycles,
    "import cycle": import_cycles,
    "missing file": missing,
    "unreadable file": unreadable,
    "huge file": huge,
    "directory": folder,
    "size 0": sizes("0", "0.0", "00"),
    "size negative": sizes("-1", "(-8)", "0 - 4"),
    "size 10^400": sizes("1" + "0" * 400, "1e400", "9" * 5000, "1e-400", "1e999999999"),
    "size of other kinds": sizes("1", "0.5", "1e-9", "4Ki", "7 GB", "3%", "1f1b", "1_000", "٣"),
    "axis of size 1": axes_of_one,
    "long list": long_lists,
    "many faults": many_faults,
    "many patterns": many_patterns,
}

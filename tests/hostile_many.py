"""Hostile input: whatever is in a file, `check` and `fmt` answer with a result or a diagnostic, soon.

Draws specs of many kinds in equal shares, made from the examples: broken, half-typed, huge, with
bytes that are no text, files that are none. Prints for each kind how many were drawn, how many had
diagnostics, and the longest time; then every draw that raised, hung or took too long.

    python tests/hostile_many.py [--count 20000] [--seed 1] [--largest]
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from parspec.interpreter.commands.main import main as parspec

EXAMPLES = Path(__file__).parents[1] / "examples"
TEXTS = [path.read_text("utf-8") for path in sorted(EXAMPLES.glob("*.par"))]
SOON = 2.0  # seconds
HUNG = 20  # seconds
BREAKS = ("\r\n", "\r", "\x0b", "\x0c", "\x85", "\u2028", "\u2029", "\x1c")


class Hung(BaseException):
    """A draw that takes far too long."""


@dataclass(frozen=True)
class Draw:
    """A file and its folder, as bytes by name; None is a directory. `modes`: those of files."""

    files: dict[str, bytes | None]
    modes: tuple[tuple[str, int], ...] = ()


def words_of(text: str) -> list[str]:
    """A text in words, marks and blanks."""
    import re

    return re.findall(r"\w+|\s+|[^\w\s]", text)


def one(text: str) -> Draw:
    return Draw({"spec.par": text.encode("utf-8", "surrogatepass")})


def prefix(draw: random.Random) -> Draw:
    text = draw.choice(TEXTS)
    return one(text[: draw.randrange(len(text) + 1)])


def deletion(draw: random.Random) -> Draw:
    words = words_of(draw.choice(TEXTS))
    for _ in range(draw.randrange(1, 5)):
        del words[draw.randrange(len(words))]
    return one("".join(words))


def duplication(draw: random.Random) -> Draw:
    words = words_of(draw.choice(TEXTS))
    at = draw.randrange(len(words))
    return one("".join([*words[:at], *words[at : at + 30] * draw.choice((2, 2, 3, 40)), *words[at:]]))


def swap(draw: random.Random) -> Draw:
    words = words_of(draw.choice(TEXTS))
    for _ in range(draw.randrange(1, 6)):
        a, b = draw.randrange(len(words)), draw.randrange(len(words))
        words[a], words[b] = words[b], words[a]
    return one("".join(words))


def bytes_at_random(draw: random.Random) -> Draw:
    data = bytearray(draw.choice(TEXTS).encode())
    for _ in range(draw.choice((1, 3, 30))):
        data[draw.randrange(len(data))] = draw.randrange(256)
    return Draw({"spec.par": bytes(data) if draw.random() < 0.8 else draw.randbytes(300)})


def splice(draw: random.Random) -> Draw:
    a, b = draw.choice(TEXTS), draw.choice(TEXTS)
    return one(a[: draw.randrange(len(a))] + b[draw.randrange(len(b)) :])


def line_ends(draw: random.Random) -> Draw:
    text = draw.choice(TEXTS)
    end = draw.choice(BREAKS)
    if draw.random() < 0.5:
        text = text.replace("\n", end)
    else:
        lines = text.split("\n")
        text = "".join(line + draw.choice(("\n", end)) for line in lines)
    mark = "\ufeff" if draw.random() < 0.3 else ""
    return one(mark + text)


def nul_and_invalid(draw: random.Random) -> Draw:
    data = draw.choice(TEXTS).encode()
    at = draw.randrange(len(data))
    bad = draw.choice((b"\x00", b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xf8\x88\x80\x80\x80", b"\xfe\xff"))
    return Draw({"spec.par": data[:at] + bad + data[at:]})


def nesting(draw: random.Random) -> Draw:
    depth = draw.choice((5, 99, 101, 1000, 10_000))
    kind = draw.randrange(6)
    text = (
        f"dim A = {'(' * depth}1{')' * depth}",
        "dim B = 2\ninput x[B]\nlayer l: y[B] = " + "gelu(" * depth + "x" + ")" * depth,
        "dim L = 2\n" + "stack s[L]: x -> x {\n" * depth + "}\n" * depth,
        "block b(x[B]) -> x {\n" * depth + "}\n" * depth,
        f"for {'{' * depth}a{'}' * depth}: partition B on tp",
        f"dim A = {'-' * depth}1\nplan {'p {' * depth}",
    )[kind]
    return one(text if draw.random() < 0.7 else text[: draw.randrange(len(text))])


def size_cycles(draw: random.Random) -> Draw:
    count = draw.choice((1, 2, 3, 50, 2000))
    names = [f"d{number}" for number in range(count)]
    draw.shuffle(names)
    pairs = zip(names, [*names[1:], names[0] if draw.random() < 0.7 else "4"], strict=True)
    operator = draw.choice(("", "2 * ", "1 + ", "d0 * "))
    return one("".join(f"dim {a} = {operator}{b}\n" for a, b in pairs) + f"input x[{names[0]}]\n")


def import_cycles(draw: random.Random) -> Draw:
    count = draw.choice((1, 2, 3, 33, 60))
    names = ["spec.par", *(f"f{number}.par" for number in range(1, count))]
    files: dict[str, bytes | None] = {}
    for place, name in enumerate(names):
        target = names[(place + 1) % count] if draw.random() < 0.9 else draw.choice(names)
        files[name] = f'import "{target}"\n{draw.choice(TEXTS) if draw.random() < 0.3 else ""}'.encode()
    return Draw(files)


def files_that_are_none(draw: random.Random) -> Draw:
    kind = draw.randrange(7)
    importing = b'import "other.par"\ndim B = 4\ninput x[B]\noutput x\n'
    match kind:
        case 0:
            return Draw({"spec.par": importing})
        case 1:
            return Draw({"spec.par": importing, "other.par": b"dim D = 4"}, (("other.par", 0),))
        case 2:
            return Draw({"spec.par": importing, "other.par": None})
        case 3:
            return Draw({"spec.par": None})
        case 4:
            return Draw({"spec.par": importing, "other.par": b"# " + b"x" * (17 * 2**20)})
        case 5:
            name = draw.choice(("", ".", "..", "../../../etc/passwd", "/dev/zero", "a" * 300, "n\x00l", "~", "C:\\a.par", "std.h100"))
            return Draw({"spec.par": f'import "{name}"\n'.encode()})
    return Draw({})


def sizes(draw: random.Random) -> Draw:
    text = draw.choice(TEXTS)
    numbers = ["0", "-1", "1", "1" + "0" * 400, "1e400", "0.5", "1e-9", "9" * 5000, "4Ki", "7 GB"]
    words = words_of(text)
    places = [place for place, word in enumerate(words) if word.isdigit()]
    for place in draw.sample(places, min(len(places), draw.choice((1, 2, len(places))))):
        words[place] = draw.choice(numbers)
    return one("".join(words))


def axes_of_one(draw: random.Random) -> Draw:
    axes = ", ".join(f"a{n} = {draw.choice((1, 1, 2, 0, 3))}" for n in range(draw.choice((1, 4, 16, 17, 200))))
    cuts = " * ".join(f"a{n}" for n in range(draw.randrange(1, 17)))
    return one(
        f"mesh {axes}\ndim B = {draw.choice((0, 1, 3, 2**40))}, D = 4\ninput x[B, D] partition B on {cuts}\n"
        f"weight w[D, B]\nlayer l: y[B] = x * w[D, B]  partition D on a0\noutput y replicated on {cuts}\n"
    )


def long_lines(draw: random.Random) -> Draw:
    count = draw.choice((100, 1000, 3000))
    kind = draw.randrange(5)
    return one(
        (
            "dim " + ", ".join(f"a{n} = {n}" for n in range(count)),
            "dim B = 2\ninput x[B]\nlayer l: y[B] = " + " + ".join(["x"] * count),
            "dim B = 2\n" + "".join(f"layer l{n}: y{n}[B] = y{n - 1}\n" for n in range(count)),
            "# " + "x" * (count * 50),
            "expect " + " ".join(["no"] * count),
        )[kind]
    )


KINDS: dict[str, Callable[[random.Random], Draw]] = {
    "prefix": prefix,
    "token deletion": deletion,
    "duplication": duplication,
    "swap": swap,
    "random bytes": bytes_at_random,
    "splice": splice,
    "line ends, marks": line_ends,
    "NUL, invalid UTF-8": nul_and_invalid,
    "deep nesting": nesting,
    "dim cycles": size_cycles,
    "import cycles": import_cycles,
    "no files": files_that_are_none,
    "sizes": sizes,
    "axes of one": axes_of_one,
    "long": long_lines,
}


@dataclass(frozen=True)
class Outcome:
    """What came of a draw: exit code, seconds, and what was wrong with the answer, or ""."""

    code: int
    seconds: float
    wrong: str


def answered(drawn: Draw, folder: Path) -> Outcome:
    """Checks and formats a draw's file in a folder of its own."""
    for name, data in drawn.files.items():
        path = folder / name
        if data is None:
            path.mkdir()
        else:
            path.write_bytes(data)
    for name, mode in drawn.modes:
        (folder / name).chmod(mode)
    file = str(folder / "spec.par")
    began = time.perf_counter()
    code, out, err, wrong = ran("check", "--format", "json", file)
    if not wrong and out:
        found = json.loads(out)["diagnostics"]
        if code == 1 and not any(each["severity"] == "error" for each in found):
            wrong = "exit 1 without an error"
    if not wrong and code not in (0, 1, 2):
        wrong = f"exit {code}"
    if not wrong and code == 2 and not err:
        wrong = "exit 2 without a word"
    if not wrong:
        _, _, _, wrong = ran("fmt", "--diff", file)
    return Outcome(code, time.perf_counter() - began, wrong)


def ran(*words: str) -> tuple[int, str, str, str]:
    """Runs a command line: its exit code, both outputs, and what was raised, or ""."""
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    signal.alarm(HUNG)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = parspec(words)
        wrong = ""
    except Hung:
        code, wrong = -1, "hung"
    except BaseException as error:
        code, wrong = -1, f"{type(error).__name__}: {error}"[:300]
    finally:
        signal.alarm(0)
    out.flush()
    return code, out.buffer.getvalue().decode(), err.getvalue(), wrong  # type: ignore[attr-defined]


def draws(count: int, seed: int) -> Iterator[tuple[str, int, Outcome, Draw]]:
    """Kind, number and outcome of each draw, the kinds in equal shares."""
    kinds = list(KINDS)
    for number in range(count):
        kind = kinds[number % len(kinds)]
        drawn = KINDS[kind](random.Random(f"{seed} {number}"))
        with tempfile.TemporaryDirectory() as folder:
            yield kind, number, answered(drawn, Path(folder)), drawn


def prepare() -> None:
    """Exceptions are to be seen, and what hangs is stopped."""
    os.environ["PARSPEC_DEBUG"] = "1"

    def stop(signal_number: int, frame: object) -> None:
        raise Hung

    signal.signal(signal.SIGALRM, stop)


def largest() -> bool:
    """A file of a million statements: refused or done, within a minute."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "spec.par"
        path.write_text("".join(f"dim d{n}\n" for n in range(1_000_000)))
        began = time.perf_counter()
        signal.alarm(0)
        code, _, _, wrong = ran("check", str(path))
        seconds = time.perf_counter() - began
    print(f"a million statements: exit {code}, {seconds:.1f} s {wrong}")
    return bool(wrong) or seconds > 60


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--largest", action="store_true", help="also a file of a million statements")
    options = parser.parse_args()
    prepare()
    drawn: Counter[str] = Counter()
    codes: dict[str, Counter[int]] = defaultdict(Counter)
    longest: dict[str, float] = defaultdict(float)
    wrong: list[str] = []
    for kind, number, outcome, _ in draws(options.count, options.seed):
        drawn[kind] += 1
        codes[kind][outcome.code] += 1
        longest[kind] = max(longest[kind], outcome.seconds)
        if outcome.wrong or outcome.seconds > SOON:
            wrong.append(f"{kind} {number}: {outcome.wrong or 'late'} ({outcome.seconds:.1f} s)")
            print(wrong[-1], flush=True)
    print(f"{'kind':22}{'draws':>7}{'clean':>7}{'errors':>8}{'unread':>8}{'longest':>10}")
    for kind, count in drawn.items():
        clean, errors, unread = (codes[kind][code] for code in (0, 1, 2))
        print(f"{kind:22}{count:7}{clean:7}{errors:8}{unread:8}{longest[kind]:8.2f} s")
    print(f"{drawn.total()} draws, {len(wrong)} raised, hung or late")
    late = largest() if options.largest else False
    return bool(wrong) or late


if __name__ == "__main__":
    sys.exit(main())

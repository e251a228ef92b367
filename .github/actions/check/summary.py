"""What a change costs: traffic, memory and time of every plan against those of the base branch.

`python summary.py BASE NAME` runs in the changed repository; BASE is the folder of the base
branch, NAME what it is called, the environment's PATHS the files and folders to look at, one a
line. It prints Markdown for the summary of a job. Both sides are reported by the same parspec.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from math import floor, log10
from pathlib import Path
from typing import Any

from parspec.interpreter.commands.loading import files
from parspec.interpreter.commands.main import main as parspec

_DIGITS = 3
_NOTHING = "-"
_BYTES = ("B", "kB", "MB", "GB", "TB", "PB", "EB")
_SECONDS = ("ns", "µs", "ms", "s")
_FIGURES = (
    ("traffic a step", _BYTES),
    ("memory a device", _BYTES),
    ("time a step", _SECONDS),
)

Key = tuple[str, str]
"""A spec and the plan that it is reported under, "" for none."""


@dataclass(frozen=True)
class Costs:
    """What one plan costs: a figure under each heading of the table, None where there is none; the
    parts that they are made of; its errors."""

    figures: tuple[float | None, ...]
    parts: Mapping[str, tuple[float, tuple[str, ...]]]
    errors: tuple[str, ...]


def summary(before: Mapping[Key, Costs], after: Mapping[Key, Costs], base: str) -> str:
    """The Markdown: a row for each plan that changed, and what changed in it."""
    keys = sorted(before.keys() | after.keys())
    changed = [key for key in keys if before.get(key) != after.get(key)]
    same = sum(1 for key in keys if key not in changed)
    lines = [f"## parspec: plans against `{base}`", ""]
    if not keys:
        lines.append("There is no spec.")
    elif not changed:
        lines.append(f"{_counted(same)} as before: no figure changed.")
    else:
        lines += _table(changed, before, after)
        if same:
            lines += ["", f"{_counted(same)} as before."]
        for key in changed:
            lines += _details(key, before.get(key), after.get(key))
    return "".join(f"{line}\n" for line in lines)


def costs(folder: Path, paths: Iterable[str]) -> dict[Key, Costs]:
    """The costs of every spec below a folder, under each of its plans or, without plans, as it is.

    What has no figure at all, such as a model without sizes, is left out unless it has errors.
    """
    found: dict[Key, Costs] = {}
    with chdir(folder):
        for file in files(paths):
            itself = _report(file, "")
            plans = itself.get("plans", ()) if itself else ()
            reports = {plan: _report(file, plan) for plan in plans} or {"": itself}
            for plan, report in reports.items():
                if report is not None:
                    found[file, plan] = _costs(report)
    return {key: cost for key, cost in found.items() if cost.errors or any(cost.figures)}


def _report(file: str, plan: str) -> dict[str, Any] | None:
    """What `parspec report --format json` says; None where the file cannot be read."""
    printed = StringIO()
    asked = ["--plan", plan] if plan else []
    with redirect_stdout(printed), redirect_stderr(StringIO()):
        parspec(["report", file, "--format", "json", *asked])
    return json.loads(printed.getvalue()) if printed.getvalue() else None


def _costs(report: Mapping[str, Any]) -> Costs:
    totals = report["totals"]
    traffic, memory = totals["traffic_bytes"], totals["memory_per_device"]
    sent = [amount for amount in traffic.values() if amount is not None]
    time = totals["time_s"]
    parts = {
        **{f"traffic, {name}": (amount, _BYTES) for name, amount in traffic.items()},
        **{f"traffic on {name}": (amount, _BYTES) for name, amount in totals["by_axis"].items()},
        **{name: (amount, _BYTES) for name, amount in totals["by_primitive"].items()},
        **{f"memory, {name}": (each, _BYTES) for name, each in memory.items() if name != "total"},
        **{f"time, {name}": (each, _SECONDS) for name, each in time.items() if name != "step"},
        "parameters": (totals["parameters"], ("", "k", "M", "G", "T")),
    }
    errors = (each["message"] for each in report["diagnostics"] if each["severity"] == "error")
    return Costs(
        (sum(sent) if sent else None, memory["total"], time["step"]),
        {name: part for name, part in parts.items() if part[0]},
        tuple(errors),
    )


def _table(
    keys: Iterable[Key], before: Mapping[Key, Costs], after: Mapping[Key, Costs]
) -> Iterator[str]:
    yield f"| plan | {' | '.join(heading for heading, _ in _FIGURES)} |"
    yield f"| --- |{' ---: |' * len(_FIGURES)}"
    nothing: tuple[float | None, ...] = (None,) * len(_FIGURES)
    for key in keys:
        old = before[key].figures if key in before else nothing
        new = after[key].figures if key in after else nothing
        cells = [
            _cell(was, now, units) for was, now, (_, units) in zip(old, new, _FIGURES, strict=True)
        ]
        note = " (new)" if key not in before else " (removed)" if key not in after else ""
        yield f"| {_named(key)}{note} | {' | '.join(cells)} |"


def _cell(was: float | None, now: float | None, units: tuple[str, ...]) -> str:
    if was == now or was is None:
        return _amount(now, units)
    if now is None:
        return f"{_amount(was, units)} → {_NOTHING}"
    return f"{_amount(was, units)} → {_amount(now, units)} (**{_change(was, now)}**)"


def _details(key: Key, before: Costs | None, after: Costs | None) -> Iterator[str]:
    """What changed in a plan that both sides have, and its errors."""
    if after is None:
        return
    lines = [f"- error: {_escaped(error)}" for error in after.errors]
    if before is not None:
        for name in dict.fromkeys((*before.parts, *after.parts)):
            was, units = before.parts.get(name, (0.0, ()))
            now, units = after.parts.get(name, (0.0, units))
            if was != now:
                change = f"{_amount(was, units)} → {_amount(now, units)}"
                lines.append(f"- {_escaped(name)}: {change} ({_change(was, now)})")
        lines += [f"- mended: {_escaped(e)}" for e in before.errors if e not in after.errors]
    if lines:
        yield from ("", f"<details><summary>{_named(key)}</summary>", "", *lines, "", "</details>")


def _change(was: float, now: float) -> str:
    """`+12 %`; a factor where it more than doubles; `new` and `gone` to and from nothing."""
    if not was:
        return "new"
    if not now:
        return "gone"
    if now > 2 * was:
        return f"{_rounded(now / was)} times"
    return f"{(now / was - 1) * 100:+.3g} %"


def _amount(value: float | None, units: tuple[str, ...]) -> str:
    """Three digits with the unit that leaves one to three in front of the point."""
    if value is None:
        return _NOTHING
    if units is _SECONDS:
        value *= 10 ** (3 * (len(_SECONDS) - 1))
    power = min(max(floor(log10(value) / 3), 0), len(units) - 1) if value else 0
    scaled = _rounded(value / 1000**power)
    return f"{scaled} {units[power]}".rstrip() if value else f"0 {units[0]}".rstrip()


def _rounded(value: float) -> str:
    digits = max(_DIGITS - 1 - floor(log10(value)), 0) if value >= 1 else _DIGITS
    return f"{value:.{digits}f}".rstrip("0").rstrip(".") if digits else f"{value:.0f}"


def _named(key: Key) -> str:
    file, plan = key
    return _escaped(f"{file} · {plan}" if plan else file)


def _escaped(text: str) -> str:
    """The text without what means something in a table or in HTML."""
    for character, name in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("|", "&#124;")):
        text = text.replace(character, name)
    return " ".join(text.split())


def _counted(plans: int) -> str:
    return f"{plans} plan{'' if plans == 1 else 's'}"


def main() -> None:
    """Compares the working folder with the base."""
    base, name = sys.argv[1:]
    paths = [path for path in os.environ.get("PATHS", ".").splitlines() if path]
    print(summary(costs(Path(base), paths), costs(Path(), paths), name), end="")


if __name__ == "__main__":
    main()

"""What a change costs: traffic, memory and time of every plan against those of the base branch.

`python summary.py BASE NAME` runs in the changed repository; BASE is the folder of the base
branch, NAME what it is called, the environment's PATHS the files and folders to look at, one a
line. It prints Markdown for the summary of a job. Both sides are reported by the same parspec.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any

from parspec.interpreter.commands.loading import files
from parspec.interpreter.commands.main import main as parspec
from parspec.interpreter.diagnostics.entry import plural
from parspec.interpreter.diagnostics.readable import bytes_text, count_text, digits, seconds_text

_NOTHING = "-"
_ERRORS = "errors"
_EXPECTED = "PAR4"  # what the codes of budgets and pins begin with: they change no figure
_HEADINGS = ("traffic a step", "memory a device", "time a step")
_PARTS_OF_A_STEP = ("compute", "communication")  # what is known of one whose schedule is not

Unit = Callable[[float], str]
"""How an amount is read."""

Key = tuple[str, str]
"""A spec and the plan that it is reported under, "" for none."""


@dataclass(frozen=True)
class Costs:
    """What one plan costs: bytes moved and held, None where they are not known; seconds by what
    takes them; the parts that all of it is made of; its errors, which leave no figures where they
    are of more than budgets and pins."""

    traffic: float | None = None
    memory: float | None = None
    times: Mapping[str, float] = field(default_factory=dict)
    parts: Mapping[str, tuple[float, Unit]] = field(default_factory=dict)
    errors: tuple[str, ...] = ()

    @property
    def known(self) -> bool:
        """Whether there is anything to tell."""
        return bool(self.errors or self.figured)

    @property
    def figured(self) -> bool:
        """Whether there is a figure."""
        return bool(self.traffic or self.memory or self.times)


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
    return {key: cost for key, cost in found.items() if cost.known}


def _report(file: str, plan: str) -> dict[str, Any] | None:
    """What `parspec report --format json` says; None where the file cannot be read."""
    printed = StringIO()
    asked = ["--plan", plan] if plan else []
    with redirect_stdout(printed), redirect_stderr(StringIO()):
        parspec(["report", file, "--format", "json", *asked])
    return json.loads(printed.getvalue()) if printed.getvalue() else None


def _costs(report: Mapping[str, Any]) -> Costs:
    found = report["diagnostics"]
    wrong = [each for each in found if each["severity"] == "error"]
    errors = tuple(each["message"] for each in wrong)
    if not all(each["code"].startswith(_EXPECTED) for each in wrong):
        return Costs(errors=errors)
    totals = report["totals"]
    traffic, memory = totals["traffic_bytes"], totals["memory_per_device"]
    sent = [amount for amount in traffic.values() if amount is not None]
    times = {name: time for name, time in totals["time_s"].items() if time}
    kinds = {name: each for name, each in memory.items() if name != "total"}
    amounts = {
        **{f"traffic, {name}": amount for name, amount in traffic.items()},
        **{f"traffic on {name}": amount for name, amount in totals["by_axis"].items()},
        **totals["by_primitive"],
        **{f"memory, {name}": amount for name, amount in kinds.items()},
    }
    parts = {
        **{name: (amount, bytes_text) for name, amount in amounts.items()},
        **{f"time, {name}": (each, seconds_text) for name, each in times.items() if name != "step"},
        "parameters": (totals["parameters"], count_text),
    }
    return Costs(
        sum(sent) if sent else None,
        memory["total"],
        times,
        {name: part for name, part in parts.items() if part[0]},
        errors,
    )


def _table(
    keys: Iterable[Key], before: Mapping[Key, Costs], after: Mapping[Key, Costs]
) -> Iterator[str]:
    yield f"| plan | {' | '.join(_HEADINGS)} |"
    yield f"| --- |{' ---: |' * len(_HEADINGS)}"
    for key in keys:
        old, new = before.get(key, Costs()), after.get(key, Costs())
        cells = (_traffic(old, new), _cell(old.memory, new.memory, bytes_text), _time(old, new))
        note = " (new)" if key not in before else " (removed)" if key not in after else ""
        yield f"| {_named(key)}{note} | {' | '.join(cells)} |"


def _traffic(old: Costs, new: Costs) -> str:
    """The traffic with the errors beside it, or that there are errors in its place."""
    if new.errors and not new.figured:
        was = None if old.traffic is None else bytes_text(old.traffic)
        return f"{was} → {_ERRORS}" if was else _ERRORS
    beside = f", {plural(len(new.errors), 'error')}" if new.errors else ""
    if old.errors and not old.figured:
        return f"{_ERRORS} → {_amount(new.traffic, bytes_text)}{beside}"
    return f"{_cell(old.traffic, new.traffic, bytes_text)}{beside}"


def _time(old: Costs, new: Costs) -> str:
    """The time of a step; where only its parts are known, theirs."""
    if "step" in old.times or "step" in new.times:
        return _cell(old.times.get("step"), new.times.get("step"), seconds_text)
    parts = [
        f"{name} {_cell(old.times.get(name), new.times.get(name), seconds_text)}"
        for name in _PARTS_OF_A_STEP
        if name in old.times or name in new.times
    ]
    return ", ".join(parts) or _NOTHING


def _cell(was: float | None, now: float | None, unit: Unit) -> str:
    if was == now or was is None:
        return _amount(now, unit)
    if now is None:
        return f"{_amount(was, unit)} → {_NOTHING}"
    return f"{_amount(was, unit)} → {_amount(now, unit)} (**{_change(was, now)}**)"


def _details(key: Key, before: Costs | None, after: Costs | None) -> Iterator[str]:
    """What changed in a plan that both sides have, and its errors."""
    if after is None:
        return
    lines = [f"- error: {_escaped(error)}" for error in after.errors]
    if before is not None and before.figured and after.figured:
        for name in dict.fromkeys((*before.parts, *after.parts)):
            was, unit = before.parts.get(name, (0, digits))
            now, unit = after.parts.get(name, (0, unit))
            if was != now:
                change = f"{unit(was)} → {unit(now)}"
                lines.append(f"- {_escaped(name)}: {change} ({_change(was, now)})")
    mended = before.errors if before is not None else ()
    lines += [f"- mended: {_escaped(error)}" for error in mended if error not in after.errors]
    if lines:
        yield from ("", f"<details><summary>{_named(key)}</summary>", "", *lines, "", "</details>")


def _change(was: float, now: float) -> str:
    """`+12 %`; a factor where it more than doubles; `new` and `gone` to and from nothing."""
    if not was:
        return "new"
    if not now:
        return "gone"
    if now > 2 * was:
        return f"{digits(now / was)} times"
    return f"{(now / was - 1) * 100:+.3g} %"


def _amount(value: float | None, unit: Unit) -> str:
    return _NOTHING if value is None else unit(value)


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

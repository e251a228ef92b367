"""Print what parspec moves beside what each system moves, program by program, with totals.

Run as `python tests/oracle/compare.py`. Bytes per device of ring collectives. `=`: as many as ours
(`=~`: with other primitives); `+` and `-`: the system moves more or fewer; blank: not comparable.
"""

from __future__ import annotations

from collections import Counter

from oracle_cases import Case, Run, load
from oracle_outcome import alike, outcome

WIDTH = 19


def verdict(ours: Run, theirs: Run) -> str:
    """How a system's bytes compare with ours."""
    if theirs.moved == ours.moved:
        return "="
    return "+" if theirs.moved > ours.moved else "-"


def cell(ours: Run, theirs: Run | None) -> str:
    """A system's bytes, marked."""
    if theirs is None:
        return " " * (WIDTH + 2)
    mark = verdict(ours, theirs)
    other = "~" if mark == "=" and not alike(ours, theirs) else " "
    return f"{theirs.moved:>{WIDTH}}{mark}{other}"


def main() -> None:
    """Print the table and the totals."""
    cases = load()
    systems = list(dict.fromkeys(name for case in cases for name in case.runs))
    ours = {case.id: outcome(case).run for case in cases}
    names = max(len(case.id) for case in cases)
    header = "".join(f"{name:>{WIDTH}}  " for name in ("ours", "best known", *systems))
    print(f"{'':{names}}{header}".rstrip())
    for case in cases:
        run = ours[case.id]
        best = f"{run.moved:>{WIDTH}}  {case.best_known:>{WIDTH}}  "
        cells = "".join(cell(run, case.runs.get(name)) for name in systems)
        print(f"{case.id:{names}}{best}{cells}".rstrip())
    print()
    for name in systems:
        print(f"{name:20}{totals(name, cases, ours)}")


def totals(system: str, cases: tuple[Case, ...], ours: dict[str, Run]) -> str:
    """How often we move as much as a system, less and more."""
    ran = [(ours[case.id], case.runs[system]) for case in cases if system in case.runs]
    marks = Counter(verdict(run, theirs) for run, theirs in ran)
    same = sum(alike(run, theirs) for run, theirs in ran)
    return (
        f"{len(ran):4} programs: equal {marks['=']:3} (same primitives {same:3}), "
        f"fewer {marks['+']:3}, more {marks['-']:3}"
    )


if __name__ == "__main__":
    main()

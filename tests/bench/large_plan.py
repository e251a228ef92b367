"""How long the plan of the 405B example takes, from its text to what `report --format json` prints.

Every run is a process of its own, so no cache is left from before; imports and the grammar's table
are loaded first and timed apart. Prints the median and the worst of the runs, in milliseconds.

    python tests/bench/large_plan.py [--runs 20]
"""

import argparse
import json
import statistics
import subprocess
import sys
from pathlib import Path

EXAMPLE = Path(__file__).parents[2] / "examples" / "llama3_405b_16k.par"
ONE_RUN = """
import json, sys, time
start = time.perf_counter()
from parspec.grammar.parser import parse
from parspec.interpreter.analysis.analyze import analyze
from parspec.interpreter.output.reports.json import report_json
from parspec.interpreter.output.checks.checked import checked
from parspec.interpreter.spec.resolve import resolve
from parspec.interpreter.spec.readers import DiskReader
parse("dim B")
loaded = time.perf_counter()
file = sys.argv[1]
text = open(file, encoding="utf-8").read()
model = resolve(file, text, DiskReader())
resolved = time.perf_counter()
analysis = analyze(model)
analysed = time.perf_counter()
printed = report_json(checked(file, (analysis,)), analysis.moves)
done = time.perf_counter()
assert '"parameters": 405853388800' in printed
print(json.dumps({
    "import": loaded - start,
    "parse and resolve": resolved - loaded,
    "analyse": analysed - resolved,
    "print": done - analysed,
    "text to JSON": done - loaded,
}))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=20)
    runs = parser.parse_args().runs
    command = [sys.executable, "-c", ONE_RUN, str(EXAMPLE)]
    figures = [
        json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        for _ in range(runs)
    ]
    for name in figures[0]:
        taken = [1000 * figure[name] for figure in figures]
        print(f"{name:18} median {statistics.median(taken):6.1f} ms  worst {max(taken):6.1f} ms")


if __name__ == "__main__":
    main()

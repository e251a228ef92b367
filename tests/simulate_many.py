"""Simulates many random plans, and every planted fault of the engine.

python tests/simulate_many.py --count 10000 --seed 1
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from itertools import islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "interpreter" / "simulate"))

from drawn_models import models
from faults import FAULTS, planted

from parspec.interpreter.simulate.simulate import proved

FAULT_MODELS = 400  # models that may be tried until a fault shows


def main() -> int:
    """Prints what came out; 1 where a plan does not hold or a fault does not show."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=1000, help="plans to simulate")
    parser.add_argument("--seed", type=int, default=1, help="seed of the first spec")
    options = parser.parse_args()
    sound = _plans(options.seed, options.count)
    return 0 if _faults(options.seed) and sound else 1


def _plans(first: int, wanted: int) -> bool:
    start = time.perf_counter()
    primitives: Counter[str] = Counter()
    results = wrong = 0
    last = first
    for seed, text, model in islice(models(first), wanted):
        proof = proved(model, seed)
        results += proof.results
        primitives.update(entry.primitive for entry in proof.traffic)
        last = seed
        if not proof.holds:
            wrong += 1
            print(f"seed {seed}: {proof.fault or proof.mispriced}\n{text}")
    seconds = time.perf_counter() - start
    print(f"seed {first}: {wanted} plans of {last - first + 1} specs in {seconds:.1f} s")
    print(f"{wrong} do not hold; {results} results compared")
    for primitive, times in primitives.most_common():
        print(f"  {primitive:<15}{times:>8}")
    return wrong == 0


def _faults(first: int) -> bool:
    drawn = list(islice(models(first), FAULT_MODELS))
    print(f"\n{'planted fault':<52}{'shown by plan':>14}{'seed':>8}{'seconds':>9}")
    missed = 0
    for fault in FAULTS:
        start = time.perf_counter()
        with planted(fault):
            shown = (
                (place, seed)
                for place, (seed, _, model) in enumerate(drawn, 1)
                if not proved(model, seed).holds
            )
            place, seed = next(shown, (None, None))
        missed += place is None
        seconds = time.perf_counter() - start
        print(f"{fault:<52}{place or 'MISSED':>14}{seed if place else '-':>8}{seconds:>9.1f}")
    print(f"{len(FAULTS) - missed} of {len(FAULTS)} faults show")
    return missed == 0


if __name__ == "__main__":
    sys.exit(main())

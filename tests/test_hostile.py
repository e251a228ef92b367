"""A few hundred hostile files; `hostile_many.py` draws as many as one likes."""

from pathlib import Path
from random import Random

import pytest
from hostile_draws import KINDS
from hostile_many import answered, watched

EACH = 12  # draws of each kind


@pytest.mark.parametrize("kind", KINDS)
def test_every_draw_is_answered_soon(kind: str, tmp_path: Path) -> None:
    wrong = []
    with watched():
        for number in range(EACH):
            draw = Random(f"{kind} {number}")
            folder = tmp_path / str(number)
            folder.mkdir()
            outcome = answered(KINDS[kind](draw), folder, draw)
            wrong += [f"draw {number}: {outcome.wrong}"] if outcome.wrong else []
    assert wrong == []

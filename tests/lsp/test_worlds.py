"""Clients that edit and ask at random stay of one mind with their server.

A sample; `python tests/lsp_many.py` does it for long.
"""

from random import Random

import pytest
from worlds import KINDS, World


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: "-".join(kind))
def test_a_client_and_its_server_agree(kind, tmp_path):
    world = World(kind, tmp_path, Random("-".join(kind)))
    world.run(60)
    assert world.wrong == []
    assert world.compared["formatted text"] > 0

"""A few hundred of the edits that `edits_many.py` draws: each gives what a fresh look gives."""

import pytest
from edits_many import differences


@pytest.mark.parametrize("seed", range(8))
def test_an_edited_file_is_analysed_as_a_fresh_one(seed):
    assert [difference for _, difference in differences(30, seed) if difference] == []

"""A row of values is found again from its different ones."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from parspec.interpreter.analysis.alike import alike


@given(st.lists(st.integers(0, 5)))
def test_every_place_has_its_value(row):
    found = alike(row)
    assert list(found.each(found.different)) == row
    assert list(found.different) == list(dict.fromkeys(row))
    assert dict(found.counted(found.different)) == Counter(row)

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parspec.interpreter.diagnostics.readable import (
    bytes_text,
    count_text,
    digits,
    flops_text,
    seconds_text,
    share_text,
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0 B"),
        (512, "512 B"),
        (999, "999 B"),
        (999_600, "1 MB"),
        (7_900_000_000, "7.9 GB"),
        (536_870_912, "537 MB"),
        (1_056_964_608, "1.06 GB"),
        (Fraction(1, 3), "0.333 B"),
        (10**33, "1e+33 B"),
        (10**40, "1e+40 B"),
        (-5_000, "-5 kB"),
    ],
)
def test_bytes(value, text):
    assert bytes_text(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0 s"),
        (1.2345e-3, "1.23 ms"),
        (8e-6, "8 us"),
        (0.9999, "1 s"),
        (12345, "12300 s"),
        (5e-10, "0.5 ns"),
        (Fraction(1, 4), "250 ms"),
    ],
)
def test_seconds(value, text):
    assert seconds_text(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (9999, "9999"), (469_762_048, "470M"), (70_553_706_496, "70.6B"), (10_000, "10k")],
)
def test_counts(value, text):
    assert count_text(value) == text


def test_shares():
    assert share_text(0.0523) == "5.23%"
    assert share_text(Fraction(1, 8)) == "12.5%"


def test_digits_keep_whole_numbers_whole():
    assert digits(10**30) == "1" + "0" * 30
    assert digits(2.5) == "2.5"
    assert digits(4.0) == "4"


@given(st.integers(min_value=0, max_value=10**35))
def test_bytes_are_within_half_a_percent(value):
    number, unit = bytes_text(value).split()
    units = ("B", "kB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB", "RB", "QB")
    shown = Fraction(number) * 1000 ** units.index(unit)
    assert abs(shown - value) * 200 <= value


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0 flop"), (241_000_000_000, "241 Gflop"), (8.8e12, "8.8 Tflop"), (999, "999 flop")],
)
def test_flops(value, text):
    assert flops_text(value) == text

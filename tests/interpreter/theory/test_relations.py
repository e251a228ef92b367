"""Relations: the article's first table."""

from __future__ import annotations

import pytest

from parspec.interpreter.theory.relations import relation


@pytest.mark.parametrize(
    ("variable", "dims", "row"),
    [
        ("X", "BI", ("√", "√", "-", "√")),
        ("W", "IO", ("√", "-", "√", "√")),
        ("Y", "BO", ("√", "√", "√", "-")),
    ],
)
def test_the_articles_rows(variable: str, dims: str, row: tuple[str, ...]) -> None:
    assert relation(variable, dims, "L").row("LBOI") == row


def test_dims_stand_as_declared_after_the_stacks() -> None:
    assert relation("W", ("I", "O"), "L").dims == ("L", "I", "O")
    assert relation("W", ("I", "O")).dims == ("I", "O")


def test_related() -> None:
    weight = relation("W", ("I", "O"))
    assert weight.related("O")
    assert not weight.related("B")

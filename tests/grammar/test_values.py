"""Values behave as frozen dataclasses with slots do."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, dataclass, field, fields, is_dataclass, replace
from typing import ClassVar, Generic, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parspec.grammar.values import changed, the_one, value

T = TypeVar("T")


@value
class Pair:
    """Two things."""

    first: int
    second: str = "b"

    def swapped(self) -> tuple[str, int]:
        return self.second, self.first


@dataclass(frozen=True, slots=True)
class Plain:
    """The same, made by the standard library."""

    first: int
    second: str = "b"


@value
class Noted:
    """With all that a field may be."""

    name: str
    note: str = field(default="", compare=False)
    hidden: int = field(default=0, repr=False)
    parts: list[int] = field(default_factory=list, compare=False)
    length: int = field(init=False)
    KIND: ClassVar[str] = "noted"

    def __post_init__(self) -> None:
        object.__setattr__(self, "length", len(self.name))


@value
class Empty:
    """Nothing."""


@value
class Boxed(Generic[T]):
    """Of some type."""

    inside: T
    make: Callable[[], T] | None = None


@value
class Own:
    """With equality and text of its own."""

    name: str

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Own) and self.name.lower() == other.name.lower()

    def __hash__(self) -> int:
        return hash(self.name.lower())

    def __repr__(self) -> str:
        return f"<{self.name}>"


@given(st.integers(), st.text(), st.integers(), st.text())
def test_it_equals_and_hashes_as_a_dataclass(a, b, c, d):
    assert (Pair(a, b) == Pair(c, d)) == (Plain(a, b) == Plain(c, d))
    assert hash(Pair(a, b)) == hash(Plain(a, b))
    assert repr(Pair(a, b)) == repr(Plain(a, b)).replace("Plain", "Pair")


def test_another_class_is_another_value():
    assert Pair(1) != Plain(1)
    assert Pair(1) != (1, "b")


def test_positions_names_and_defaults():
    assert Pair(1) == Pair(first=1, second="b") == Pair(1, "b")
    with pytest.raises(TypeError):
        Pair()
    with pytest.raises(TypeError):
        Pair(1, "b", 3)


def test_it_is_frozen_and_has_slots():
    pair = Pair(1)
    for change in (lambda: setattr(pair, "first", 2), lambda: delattr(pair, "first")):
        with pytest.raises(FrozenInstanceError):
            change()
    with pytest.raises(FrozenInstanceError):
        pair.other = 1
    assert not hasattr(pair, "__dict__")
    assert Pair.__slots__ == ("first", "second")


def test_what_takes_dataclasses_takes_it():
    assert is_dataclass(Pair)
    assert [one.name for one in fields(Pair)] == ["first", "second"]
    assert replace(Pair(1), second="c") == Pair(1, "c")
    with pytest.raises(TypeError):
        replace(Pair(1), third=3)


def test_changed_is_replace():
    pair, noted = Pair(1, "x"), Noted("ab")
    assert changed(pair, second="y") == replace(pair, second="y") == Pair(1, "y")
    assert changed(pair) == pair
    assert pair == Pair(1, "x")
    assert changed(noted, name="abc") == replace(noted, name="abc") == Noted("abc")
    assert changed(noted, name="abc").length == 3
    assert changed(Own("a"), name="b") == Own("b")
    assert changed(Empty()) == Empty()
    with pytest.raises(TypeError):
        changed(pair, third=3)


def test_patterns():
    match Pair(1, "c"):
        case Pair(first, "c"):
            assert first == 1
        case _:
            pytest.fail("not matched")


@pytest.mark.parametrize("it", [Pair(1, "c"), Empty(), Noted("abc", "n", 3, [1])])
def test_copies_and_pickles(it):
    for twin in (copy.copy(it), copy.deepcopy(it), pickle.loads(pickle.dumps(it))):
        assert twin == it
        assert repr(twin) == repr(it)


def test_fields_of_all_kinds():
    noted = Noted("abc", "note")
    assert noted == Noted("abc", "another") != Noted("abd", "note")
    assert hash(noted) == hash(Noted("abc", "another"))
    assert repr(noted) == "Noted(name='abc', note='note', parts=[], length=3)"
    assert noted.parts is not Noted("abc").parts
    assert replace(noted, name="abcd").length == 4
    assert Noted.KIND == "noted"


def test_methods_names_and_docs_stay():
    assert Pair(1, "c").swapped() == ("c", 1)
    assert (Pair.__name__, Pair.__qualname__, Pair.__module__) == ("Pair", "Pair", __name__)
    assert Pair.__doc__ == "Two things."


def test_what_it_defines_itself_stays():
    assert Own("a") == Own("A")
    assert hash(Own("a")) == hash(Own("A"))
    assert repr(Own("a")) == "<a>"


def test_nothing_and_generics():
    assert Empty() == Empty()
    assert Boxed[int](1) == Boxed(1)
    assert Boxed.__class_getitem__(int)(2).inside == 2


def test_fields_may_be_called_anything():
    @value
    class Odd:
        """Names that its own machinery might want."""

        MISSING: int
        other: int
        made: int = 3
        fields: list[int] = field(default_factory=list)

    assert Odd(1, 2) == Odd(1, 2, 3, [])
    assert Odd(1, 2) != Odd(2, 2)


def test_of_equal_values_there_is_one():
    one, other = frozenset({"tp", "".join("dp")}), frozenset({"dp", "tp"})
    assert one is not other
    assert the_one(one) is one
    assert the_one(other) is one
    assert the_one((*one,)) == (*one,)

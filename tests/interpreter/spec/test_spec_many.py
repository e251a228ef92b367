"""Much of one kind: the work for each of many does not grow with the others, and what cannot be
made small has a limit that says so."""

from __future__ import annotations

from difflib import SequenceMatcher, get_close_matches

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from reading import layers, model, only

from parspec.interpreter.spec.names import MOST_LETTERS, near

WORDS = st.text("abxyAB_1", min_size=2, max_size=8)
CHAIN = "mesh tp = 4\ndim B = 4\ninput y0[B]\n"


def chain(count: int) -> str:
    """A spec of so many layers, one after the other."""
    steps = "".join(f"layer l{n}: y{n}[B] = gelu(y{n - 1})\n" for n in range(1, count + 1))
    return f"{CHAIN}{steps}output y{count}\n"


# -- close names


@given(WORDS, st.lists(WORDS, max_size=10, unique_by=str.casefold))
def test_close_names_are_those_of_difflib(name, names):
    folded = {known.casefold(): known for known in names}
    letters = sorted(name.casefold())
    assume(all(key == name.casefold() or sorted(key) != letters for key in folded))
    same = folded.pop(name.casefold(), None)
    close = get_close_matches(name.casefold(), folded)
    assert set(near(name, names)) >= {folded[key] for key in close[: 2 if same else 3]}
    assert len(near(name, names)) == min(3, len(close) + (same is not None))


@pytest.mark.parametrize(
    ("name", "close"),
    [
        *(("y", ()), ("Y", ()), ("X", ("x",)), ("w", ())),
        *(("xx", ("x",)), ("xs", ("x",)), ("x2", ()), ("wx", ()), ("wqq", ("wq",))),
    ],
)
def test_of_names_of_one_letter_none_is_close_to_another(name, close):
    assert near(name, ("x", "o", "wq")) == close


def test_a_character_may_be_a_word():
    assert near("节", ("点", "节点")) == ("节点",)


def test_a_name_is_compared_with_few_of_very_many(monkeypatch):
    compared = []
    ratio = SequenceMatcher.ratio
    monkeypatch.setattr(
        SequenceMatcher, "ratio", lambda self: compared.append(self.a) or ratio(self)
    )
    names = [f"hidden{number}" for number in range(900)]
    assert near("hiden17", names)[0] == "hidden17"
    assert len(compared) <= 40


def test_the_same_letters_in_another_order_are_near():
    assert near("pt", ("dp", "tp", "pp")) == ("tp",)


def test_very_long_names_are_near_to_none_but_themselves():
    long = "a" * (MOST_LETTERS + 1)
    assert near(f"{long}b", [f"{long}c"]) == ()
    assert near(long.upper(), [long]) == (long,)


# -- patterns


def test_of_patterns_that_say_the_same_of_the_same_all_reach_it():
    read = model(chain(3) + "for *: partition B on tp\n" * 20)
    assert read.findings == ()
    sites = [layer.assignments[0].site.chunk for layer in layers(read).values()]
    assert len(set(sites)) == 1  # the last one's


def test_an_earlier_pattern_counts_again_where_it_is_repeated():
    said = "for *: partition B on tp\nfor l2: partition none on tp\n"
    once, again = model(chain(3) + said), model(chain(3) + said + said.split("\n", 1)[0])
    assert layers(once)["l2"].assignments[0].saying == "none"
    assert layers(again)["l2"].assignments[0].saying == "partition"


def test_patterns_beyond_what_can_be_matched_are_left_out(monkeypatch):
    monkeypatch.setattr("parspec.interpreter.spec.patterns.MATCHES", 20)
    dims = "dim C = 4, D = 4\ninput c[C, D]\noutput c\n"
    fits = "for *: partition B on tp\n"
    read = model(chain(10) + dims + fits + "for *.x: partition C on tp\nfor *: partition D on tp\n")
    assert only(read, "over_limit")["limit"] == 20
    assert all(layer.assignments for layer in layers(read).values())
    assert "over_limit" not in {f.name for f in model(chain(10) + fits * 30).findings}
    named = "".join(f"for l{n}: partition B on tp\n" for n in range(1, 11))
    assert model(chain(10) + named).findings == ()


def test_a_pattern_of_very_many_alternatives_is_told_with_few_of_them():
    names = ",".join(f"a{number}" for number in range(3000))
    read = model(chain(1) + f"for {{{names}}}.{{{names}}}: partition B on tp\n")
    assert len(read.findings) == 3000
    told = [str(dict(finding.data)["pattern"]) for finding in read.findings]
    assert told[5].startswith("a5.{a0,a1,a10,") and told[5].endswith(" and 2,989 more}")
    assert max(map(len, told)) < 100


# -- plans


def plans(count: int) -> str:
    return "".join(f"plan p{number} {{ mesh tp = 2 }}\n" for number in range(count))


@pytest.fixture
def few_plans(monkeypatch):
    monkeypatch.setattr("parspec.interpreter.spec.sources.PLANNED", 90)
    monkeypatch.setattr("parspec.interpreter.spec.sources._FEW_PLANS", 2)


def test_more_plans_than_can_be_looked_at_are_told(few_plans):
    read = model(chain(1) + plans(5))
    assert read.plans == ("p0", "p1", "p2")
    assert only(read, "over_limit")["limit"] == 3
    assert model(chain(1) + plans(3)).findings == ()


def test_one_of_them_may_still_be_asked_for(few_plans):
    read = model(chain(1) + plans(5), plan="p4")
    assert read.plans == ("p0", "p1", "p2", "p4")
    assert [axis.size for axis in read.mesh.axes] == [2]


def test_few_plans_of_a_large_spec_are_looked_at(few_plans):
    assert model(chain(200) + plans(2)).findings == ()

"""What holds for the formatted form of every text."""

from __future__ import annotations

import json
from random import Random

import pytest
from formatter_reports import reported
from formatter_texts import ROOT, complaints, mutated, written
from hypothesis import given, settings
from hypothesis import strategies as st

from parspec.grammar.formatter import formatted
from parspec.grammar.keywords import BODIED
from parspec.grammar.parser import parse

SPECS = written()
FORMS = [
    block.split("\n")[0]
    for block in (ROOT / "tests" / "data" / "grammar_forms.txt").read_text("utf-8").split("\n\n")
    if block
]
MUTATIONS = 150


@pytest.mark.parametrize("at", range(len(SPECS)))
def test_specs_keep_their_meaning_and_their_analysis(at: int) -> None:
    file, text = SPECS[at]
    assert complaints(text) == []
    assert reported(file, formatted(text)) == reported(file, text)


@pytest.mark.parametrize("form", FORMS)
def test_forms_keep_their_meaning(form: str) -> None:
    text = form + "}" if form.split()[0] in BODIED else form
    assert parse(text).faulty == ()
    pressed = text.replace(", ", ",").replace(" = ", "=").replace(" * ", "*")
    assert complaints(text) == complaints(pressed) == []


@pytest.mark.parametrize("seed", range(MUTATIONS))
def test_mutated_specs_keep_their_meaning(seed: int) -> None:
    random = Random(seed)
    text = mutated(random, random.choice(SPECS)[1])
    assert complaints(text) == [], json.dumps(text, ensure_ascii=False)


@settings(max_examples=200, derandomize=True)
@given(
    st.text(st.sampled_from([*'dimlayerfxyABD  \n\r\t#{}[](),:=*+-.|"?5%é\ufeff\x1c']), max_size=80)
)
def test_any_text_keeps_its_meaning(text: str) -> None:
    assert complaints(text) == []

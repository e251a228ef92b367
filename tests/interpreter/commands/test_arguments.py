"""Command lines, understood or answered with the nearest thing that would be."""

from __future__ import annotations

import re

import pytest

from parspec.interpreter.commands.arguments import Help, Mistake, Request, command_help, parsed
from parspec.interpreter.commands.commands import CHECK, COMMANDS, REPORT, TABLES
from parspec.interpreter.output.terminal.cells import width


def test_operands_and_options_in_any_order():
    assert parsed(REPORT, ["--cost", "ring", "a.par", "--all", "--format=json"]) == Request(
        "report", ("a.par",), {"--cost": ("ring",), "--all": (), "--format": ("json",)}
    )


def test_several_values_follow_one_option():
    request = parsed(REPORT, ["--set", "B=8192", "tp=16", "a.par", "--set=N=4"])
    assert request == Request("report", ("a.par",), {"--set": ("B=8192", "tp=16", "N=4")})


def test_the_last_value_holds():
    request = parsed(CHECK, ["a.par", "--plan", "a", "--plan", "b"])
    assert isinstance(request, Request)
    assert request.value("--plan") == "b"
    assert request.value("--format") is None


def test_a_dash_is_an_operand_and_two_end_the_options():
    assert parsed(CHECK, ["-", "--", "--plan"]) == Request("check", ("-", "--plan"), {})


@pytest.mark.parametrize("words", [["--help"], ["a.par", "-h"]])
def test_help_is_asked_for_anywhere(words):
    assert parsed(TABLES, words) == Help(TABLES)


@pytest.mark.parametrize(
    ("command", "words", "message"),
    [
        (
            CHECK,
            ["--fromat", "json"],
            "parspec check has no option --fromat; did you mean --format?",
        ),
        (CHECK, [], "parspec check needs FILE|DIR..."),
        (REPORT, ["a", "b"], "parspec report takes FILE; what is b?"),
        (REPORT, ["a", "--cost"], "--cost needs a value: --cost LIST"),
        (REPORT, ["a", "--cost", "rings"], "--cost rings: did you mean ring?"),
        (REPORT, ["a", "--format", "q"], "--format q: there is text, json, csv, markdown and html"),
        (CHECK, ["a", "--warn-as-error=yes"], "--warn-as-error takes no value"),
    ],
)
def test_mistakes(command, words, message):
    assert parsed(command, words) == Mistake(message)


@pytest.mark.parametrize("command", COMMANDS.values(), ids=list(COMMANDS))
def test_help_has_every_option_and_examples_within_the_columns(command):
    text = command_help(command, 80)
    assert all(width(line) <= 80 for line in text.splitlines())
    for option in command.options:
        assert option.flag in text
    assert "examples:\n  # " in text


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_descriptions_of_options_stand_in_one_column(command):
    options = command_help(command, 80).partition("options:\n")[2].partition("\n\n")[0]
    starts = {re.match(r"  --.*? {2,}| +", line).end() for line in options.splitlines()}
    assert len(starts) == 1


def test_help_text():
    assert command_help(TABLES, 80) == (
        """\
usage: parspec tables FILE [OP] [options]

Derives the tables of parallel strategies for a spec's operators, as formulas:
which variable has which dimensions, what each partition does to its state,
storage and traffic; without OP those of states and primitives as well. - for
FILE reads standard input. An operator in blocks or stacks may go by the end of
its name.

options:
  --format FORMAT        text (default), json or markdown
  --plan NAME            as of this plan
  --import-from DIR      a further folder from which specs may import
  --all                  with one operator the tables of states and primitives
                         as well
  --help                 show this

examples:
  # all operators of a spec
  parspec tables examples/article.par
  # one operator, or one layer
  parspec tables examples/article.par linear
"""
    )

"""Colours and columns."""

from __future__ import annotations

import io
import os
import pty

import pytest

from parspec.interpreter.output.terminal.screen import COLOURED, PLAIN, screen


@pytest.fixture(autouse=True)
def no_colour_variables(monkeypatch):
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")


@pytest.fixture
def terminal():
    leader, follower = pty.openpty()
    with os.fdopen(follower, "w") as stream:
        yield stream
    os.close(leader)


def test_a_pipe_is_plain_and_80_columns_wide():
    shown = screen(io.StringIO())
    assert (shown.palette, shown.columns, shown.limit) == (PLAIN, 80, None)


def test_a_terminal_is_coloured(terminal):
    assert screen(terminal).palette == COLOURED


def test_no_color_beats_force_color(monkeypatch, terminal):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("NO_COLOR", "1")
    assert screen(terminal).palette == PLAIN


@pytest.mark.parametrize(("value", "palette"), [("1", COLOURED), ("0", PLAIN), ("", PLAIN)])
def test_force_color(monkeypatch, value, palette):
    monkeypatch.setenv("FORCE_COLOR", value)
    assert screen(io.StringIO()).palette == palette


def test_a_dumb_terminal_is_plain(monkeypatch, terminal):
    monkeypatch.setenv("TERM", "dumb")
    assert screen(terminal).palette == PLAIN


@pytest.mark.parametrize(("size", "columns"), [(200, 120), (100, 100), (72, 72), (20, 60), (0, 80)])
def test_lines_are_as_long_as_a_terminals_within_reason(monkeypatch, terminal, size, columns):
    monkeypatch.setattr(os, "get_terminal_size", lambda _: os.terminal_size((size, 24)))
    shown = screen(terminal)
    assert (shown.columns, shown.limit) == (columns, columns)


def test_nothing_is_painted_around_nothing():
    assert COLOURED.paint("error", "") == ""
    assert COLOURED.paint("unheard of", "a") == "a"
    assert PLAIN.paint("error", "a") == "a"

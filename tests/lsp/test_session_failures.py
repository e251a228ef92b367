"""A bug of ours in an analysis: what there was before is kept, and it is told once."""

import logging

import pytest

from parspec.lsp import session as sessions
from parspec.lsp.client import Client
from parspec.lsp.convert.publishing import Board
from parspec.lsp.schedule import GivenUp, Ticket
from parspec.lsp.session import Failed, Session

URI, OTHER = "file:///repo/main.par", "file:///repo/other.par"


@pytest.fixture
def broken(monkeypatch):
    """Texts that say so cannot be analysed; `broken`: how often that was tried."""
    tried = []
    sound = sessions.analysed

    def analysed(written, *others, **more):
        if "bug" in written.text or ("stale" in written.text and any(others[2:3])):
            tried.append(written.text)
            raise ZeroDivisionError
        return sound(written, *others, **more)

    monkeypatch.setattr(sessions, "analysed", analysed)
    return tried


def change(session, version, text):
    session.documents.put(sessions.opened(URI, session.file(URI), version, text))


def test_the_last_good_snapshot_stays_and_it_is_logged_once(broken, caplog):
    session = Session(Client({}))
    session.open(URI, 1, "dim B = 4\n")
    good = session.view(URI).snapshot
    change(session, 2, "dim bug = 4\n")
    with caplog.at_level(logging.ERROR, "parspec"):
        for _ in range(3):
            with pytest.raises(Failed):
                session.view(URI)
    assert (len(broken), len(caplog.records)) == (2, 1)
    assert session.last_view(URI).snapshot is good
    change(session, 3, "dim C = 4\n")
    assert session.view(URI).snapshot.text == "dim C = 4\n"


def test_other_files_are_not_concerned(broken):
    session = Session(Client({}))
    session.open(URI, 1, "dim bug = 4\n")
    session.open(OTHER, 1, "dim B = 4\n")
    assert [view.snapshot.text for view in session.open_views()] == ["dim B = 4\n"]
    assert session.last_view(URI) is None


def test_what_only_fails_with_what_was_before_is_analysed_anew(broken):
    session = Session(Client({}))
    session.open(URI, 1, "dim B = 4\n")
    assert session.view(URI) is not None
    change(session, 2, "dim stale = 4\n")
    assert session.view(URI).snapshot.text == "dim stale = 4\n"
    assert len(broken) == 1


def test_other_files_keep_their_diagnostics(broken):
    session = Session(Client({}))
    session.open(URI, 1, "dim bug = 4\n")
    session.open(OTHER, 1, "dim B =\n")
    board = Board(session)
    assert board.of(session.file(URI)) == []
    assert [found.code for found in board.of(session.file(OTHER))] == ["PAR001"]


def test_a_look_through_folders_can_be_given_up(tmp_path):
    session = Session(Client({"rootUri": tmp_path.as_uri()}))
    ticket = Ticket()
    session.checkpoint = ticket.check
    assert list(session.files()) == []
    ticket.give_up()
    with pytest.raises(GivenUp):
        list(session.files())

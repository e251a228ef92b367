"""Which diagnostics are kept, and for how long; the ids of what a client was told."""

import gc
from weakref import ref

from parspec.lsp.client import Client
from parspec.lsp.convert.publishing import Board
from parspec.lsp.convert.pulling import Pulling
from parspec.lsp.session import Session

MANY = 40  # files that are opened and closed; of closed ones a session keeps a few


def _uri(number):
    return f"file:///repo/f{number}.par"


def test_what_was_found_in_closed_files_is_forgotten():
    session = Session(Client({}))
    board = Board(session)
    pulling = Pulling(board)
    sources = []
    for number in range(MANY):
        session.open(_uri(number), 1, f"dim D{number} = 4\n")
        assert len(pulling.of(_uri(number), None).items) == 1
        sources.append(ref(session.view(_uri(number)).snapshot.facts[0]))
        session.close(_uri(number))
    gc.collect()
    assert sum(one() is not None for one in sources) <= 1


def test_what_is_found_of_one_snapshot_is_found_once():
    session = Session(Client({}))
    board = Board(session)
    session.open(_uri(1), 1, "dim D = 4\n")
    snapshot = session.view(_uri(1)).snapshot
    found = board.found(snapshot)
    session.open(_uri(2), 1, "dim E = 4\n")
    board.all()
    assert board.found(snapshot) is found


def test_ids_are_the_same_for_the_same():
    session = Session(Client({}))
    pulling = Pulling(Board(session))
    session.open(_uri(1), 1, "dim D = 4\n")
    first = pulling.of(_uri(1), None)
    assert pulling.of(_uri(1), first.result_id).kind == "unchanged"
    session.open(_uri(1), 2, "dim E = 4\n")
    second = pulling.of(_uri(1), first.result_id)
    assert second.kind == "full"
    assert second.result_id != first.result_id
    session.open(_uri(1), 3, "dim D = 4\n")
    assert pulling.of(_uri(1), second.result_id).result_id == first.result_id

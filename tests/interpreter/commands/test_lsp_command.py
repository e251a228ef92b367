"""`parspec lsp`: finds the server, says where it shall wait, and hands back its exit code."""

import json
import os
import socket
import subprocess
from importlib.metadata import PackageNotFoundError

import pytest
from framing import framed
from processes import IMPORTS, PARSPEC, environment

from parspec.interpreter.commands import lsp
from parspec.interpreter.commands.arguments import Mistake
from parspec.interpreter.commands.lsp import Address, address
from parspec.interpreter.commands.main import main

SECONDS = 30  # more than a server needs on a busy machine


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("2087", Address("127.0.0.1", 2087)),
        ("localhost:0", Address("localhost", 0)),
        ("0.0.0.0:80", Address("0.0.0.0", 80)),
        ("[::1]:2087", Address("::1", 2087)),
        ("[fe80::1%eth0]:0", Address("fe80::1%eth0", 0)),
    ],
)
def test_addresses(written, meant):
    assert address(written) == meant


@pytest.mark.parametrize(
    "written", ["", "x", ":", ":80", "host:", "host:x", "65536", "-1", "²", "9" * 5000]
)
def test_what_is_no_address(written):
    assert address(written) == Mistake(f"{written}: write HOST:PORT or PORT")


@pytest.mark.parametrize("written", ["::1", "::1:2087", "[::1]", "[::1]:", "fe80::1"])
def test_an_ipv6_address_stands_in_brackets(written):
    told = f"{written}: write HOST:PORT or PORT, an IPv6 address in brackets ([::1]:PORT)"
    assert address(written) == Mistake(told)


def test_mistakes_are_told(capsys):
    assert main(["lsp", "--tcp", "x"]) == 2
    assert main(["lsp", "plan.par"]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert "--tcp x: write HOST:PORT or PORT" in told.err
    assert "parspec lsp takes options only; what is plan.par?" in told.err


def test_without_the_server_there_is_a_sentence(capsys, monkeypatch):
    def missing(name):
        raise PackageNotFoundError(name)

    monkeypatch.setattr(lsp, "distribution", missing)
    assert main(["lsp"]) == 2
    assert "the language server is not installed here" in capsys.readouterr().err


@pytest.fixture
def installed(tmp_path):
    """The environment of a process for which the package is installed."""
    about = tmp_path / "parspec-1.2.3.dist-info"
    about.mkdir()
    about.joinpath("METADATA").write_text("Name: parspec\nVersion: 1.2.3\n", encoding="utf-8")
    entry = "[parspec.commands]\nlsp = parspec.lsp.main:serve\n"
    about.joinpath("entry_points.txt").write_text(entry, encoding="utf-8")
    return environment(PYTHONPATH=os.pathsep.join((str(tmp_path), IMPORTS)))


@pytest.fixture
def started(installed, tmp_path):
    """Starts `parspec lsp` as an editor does."""

    def start(*arguments):
        # `-m` looks into the working folder first, where an installation may have left its metadata
        return subprocess.Popen(
            [*PARSPEC, "lsp", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=installed,
            cwd=tmp_path,
        )

    return start


INITIALIZE = {"id": 1, "method": "initialize", "params": {"capabilities": {}}}
SAID = b"".join(map(framed, (INITIALIZE, {"id": 2, "method": "shutdown"}, {"method": "exit"})))


def greeted(answers):
    """Whether the first of the answers is that of this server."""
    answer = json.loads(answers.split(b"\r\n\r\n")[1].partition(b"Content-Length")[0])
    return answer["result"]["serverInfo"] == {"name": "parspec", "version": "1.2.3"}


@pytest.mark.parametrize("arguments", [(), ("--stdio",)])
def test_an_editor_starts_it(started, arguments):
    process = started(*arguments)
    answers, errors = process.communicate(SAID, timeout=SECONDS)
    assert (process.returncode, errors) == (0, b"")
    assert greeted(answers)


def has_ipv6():
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        return False
    return True


@pytest.mark.skipif(not has_ipv6(), reason="no IPv6 here")
def test_an_editor_connects_to_an_address_in_brackets(started):
    process = started("--tcp", "[::1]:0")
    where = process.stderr.readline().decode()
    assert where.startswith("listening on tcp://[::1]:")
    port = int(where.rpartition(":")[2])
    with socket.create_connection(("::1", port), timeout=SECONDS) as client:
        client.sendall(SAID)
        answers = client.makefile("rb").read()
    out, errors = process.communicate(timeout=SECONDS)
    assert (process.returncode, out, errors) == (0, b"", b"")
    assert greeted(answers)


@pytest.mark.skipif(not has_ipv6(), reason="no IPv6 here")
def test_a_web_socket_listens_at_an_address_in_brackets(started):
    process = started("--ws", "[::1]:0")
    assert process.stderr.readline().decode().startswith("listening on ws://[::1]:")
    process.kill()
    process.communicate(timeout=SECONDS)

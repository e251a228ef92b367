"""`parspec lsp`: finds the server, says where it shall wait, and hands back its exit code."""

import json
import os
import subprocess
import sys
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

from parspec.interpreter.commands import lsp
from parspec.interpreter.commands.arguments import Mistake
from parspec.interpreter.commands.lsp import Address, address
from parspec.interpreter.commands.main import main


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("2087", Address("127.0.0.1", 2087)),
        ("localhost:0", Address("localhost", 0)),
        ("0.0.0.0:80", Address("0.0.0.0", 80)),
        ("[::1]:2087", Address("::1", 2087)),
    ],
)
def test_addresses(written, meant):
    assert address(written) == meant


@pytest.mark.parametrize(
    "written", ["", "x", ":", ":80", "host:", "host:x", "65536", "-1", "²", "9" * 5000]
)
def test_what_is_no_address(written):
    assert address(written) == Mistake(f"{written}: write HOST:PORT or PORT")


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
    paths = [str(tmp_path), *(str(Path(entry).absolute()) for entry in sys.path)]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}


@pytest.mark.parametrize("arguments", [(), ("--stdio",)])
def test_an_editor_starts_it(installed, arguments, tmp_path):
    messages = [
        {"id": 1, "method": "initialize", "params": {"capabilities": {}}},
        {"id": 2, "method": "shutdown"},
        {"method": "exit"},
    ]
    said = b""
    for message in messages:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        said += b"Content-Length: %d\r\n\r\n%b" % (len(body), body)
    command = [sys.executable, "-m", "parspec.interpreter.commands.main", "lsp", *arguments]
    # `-m` looks into the working folder first, where an installation may have left its metadata
    run = subprocess.run(
        command, input=said, capture_output=True, check=False, env=installed, cwd=tmp_path
    )
    assert (run.returncode, run.stderr) == (0, b"")
    answer = json.loads(run.stdout.split(b"\r\n\r\n")[1].partition(b"Content-Length")[0])
    assert answer["result"]["serverInfo"] == {"name": "parspec", "version": "1.2.3"}

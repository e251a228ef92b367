"""How a server begins, lives and ends."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time

import pytest
from framing import framed, headed
from lsp_editor import PATIENCE, SERVE, Editor, Refused, capabilities_of, server_process
from processes import environment, printed

CLEAN = "dim B = 4\ninput x[B]\nlayer up: y[B] = gelu(x)\noutput y\n"
URI = "file:///repo/a.par"


def talk(*messages):
    """The exit code, the output and the errors of a server that is told some messages."""
    process = server_process()
    out, errors = process.communicate(b"".join(map(framed, messages)), timeout=PATIENCE)
    return process.returncode, out, errors.decode()


INITIALIZE = {
    "id": 1,
    "method": "initialize",
    "params": {"processId": None, "rootUri": None, "capabilities": {}},
}


def test_an_orderly_end_is_0():
    code, _, errors = talk(INITIALIZE, {"id": 2, "method": "shutdown"}, {"method": "exit"})
    assert (code, errors) == (0, "")


@pytest.mark.parametrize(
    "messages",
    [(), ({"method": "exit"},), (INITIALIZE,), (INITIALIZE, {"method": "exit"})],
    ids=["nothing", "exit", "initialize", "initialize and exit"],
)
def test_a_client_that_goes_without_a_word_is_1(messages):
    code, _, errors = talk(*messages)
    assert (code, errors) == (1, "")


def test_what_comes_before_initialize_is_refused():
    code, out, _ = talk({"id": 7, "method": "textDocument/hover", "params": {}})
    assert code == 1
    answer = json.loads(out.split(b"\r\n\r\n")[1])
    assert answer["id"] == 7
    assert answer["error"]["code"] == -32002


def test_what_comes_after_shutdown_is_refused():
    shutdown = {"id": 2, "method": "shutdown"}
    late = {"id": 3, "method": "workspace/symbol", "params": {"query": ""}}
    code, out, errors = talk(INITIALIZE, shutdown, late, {"method": "exit"})
    assert (code, errors) == (0, "")
    assert b'"id": 3, "error": {"code": -32600' in out


def test_what_is_not_the_protocol_ends_it():
    process = server_process()
    out, errors = process.communicate(b"GET / HTTP/1.1\r\n\r\n", timeout=PATIENCE)
    assert (process.returncode, out) == (1, b"")
    assert b"not the protocol" in errors
    assert b"Traceback" not in errors


def test_a_message_that_is_not_understood_is_refused_and_the_next_is_answered():
    with Editor() as editor:
        with pytest.raises(Refused):
            editor.ask("textDocument/diagnostic", {"textDocument": 3})
        with pytest.raises(Refused):
            editor.ask("workspace/executeCommand", {"command": "nonsense"})
        with pytest.raises(Refused):
            editor.ask("parspec/nonsense", {})
        with pytest.raises(Refused):
            editor.ask("initialize", INITIALIZE["params"])
        editor.tell("parspec/nonsense", {})
        editor.open(URI, CLEAN)
        assert editor.diagnostics(URI) == []


def test_what_it_is_given_back_is_looked_at():
    start = {"line": 0, "character": 0}
    place = {"start": start, "end": start}
    item = {"name": "up", "kind": 12, "uri": URI, "range": place, "selectionRange": place}
    with Editor() as editor:
        editor.open(URI, CLEAN)
        for data in (None, 5, {}, {"uri": 5}, {"uri": URI, "step": [], "plan": 1}):
            for method in ("callHierarchy/incomingCalls", "callHierarchy/outgoingCalls"):
                with pytest.raises(Refused, match="-32602"):
                    editor.ask(method, {"item": {**item, "data": data}})
        for data in (5, {}, {"uri": URI}, {"library": "std.h100"}):
            with pytest.raises(Refused, match="-32602"):
                editor.ask("codeAction/resolve", {"title": "x", "data": data})
            with pytest.raises(Refused, match="-32602"):
                editor.ask("completionItem/resolve", {"label": "x", "data": data})
        task = {"uri": URI, "version": 1, "task": "none", "offset": -5}
        assert "data" in editor.ask("codeAction/resolve", {"title": "x", "data": task})
        for arguments in ([], [None], [5], [URI, [], 3]):
            with pytest.raises(Refused, match="-32602"):
                editor.ask(
                    "workspace/executeCommand",
                    {"command": "parspec.report", "arguments": arguments},
                )
        places = {"command": "parspec.plans", "arguments": [URI, -1, 10**30]}
        assert editor.ask("workspace/executeCommand", places) == [None]


def test_an_answer_that_nobody_asked_for_is_refused():
    with Editor() as editor:
        editor.open(URI, CLEAN)
        place = {"textDocument": {"uri": URI}, "position": {"line": 0, "character": 4}}
        number = editor.begin("textDocument/hover", place)
        editor.send({"id": number, "result": None})
        editor.tell("$/cancelRequest", {"id": []})
        assert editor.ask("textDocument/hover", place)


def test_a_client_that_refuses_to_register_is_asked_for_settings():
    watches = {"didChangeWatchedFiles": {"dynamicRegistration": True}, "configuration": True}
    with Editor({"workspace": watches}, refused=["client/registerCapability"]) as editor:
        editor.until(lambda: "workspace/configuration" in editor.asked)
        assert editor.asked == ["client/registerCapability", "workspace/configuration"]


@pytest.mark.parametrize("asks", [True, False])
def test_settings_that_are_said_wrongly_are_told_once(asks):
    capabilities = {"workspace": {"configuration": True}} if asks else {}
    said = {"inlayHints": 5, "diagnostics": {"minimumSeverity": "Error"}}
    told = (
        "These settings are as by default: parspec.inlayHints: 5 is no group of settings; "
        'parspec.diagnostics.minimumSeverity: "Error" is none of error, warning, info, hint'
    )
    given = {"settings": said} if asks else {"options": {"settings": said}}
    with Editor(capabilities, **given) as editor:
        editor.until(lambda: editor.messages)
        editor.tell("workspace/didChangeConfiguration", {"settings": {"parspec": said}})
        editor.open(URI, CLEAN)
        assert editor.messages == [told]


NO_MESSAGES = (
    (b"{not JSON", -32700),
    (b"\xff\xfe", -32700),
    (b"", -32700),
    (b"[" * 100_000, -32700),
    (b"null", -32600),
    (b"[1, 2]", -32600),
    (b"{}", -32600),
    (b'{"jsonrpc": "2.0"}', -32600),
    (b'{"jsonrpc": "2.0", "id": 1.5, "method": "textDocument/hover"}', -32600),
    (b'{"jsonrpc": "2.0", "id": {"a": 1}, "method": "shutdown"}', -32600),
    (b'{"jsonrpc": "2.0", "id": 7, "method": null}', -32600),
    (b'{"jsonrpc": "1.0", "id": 9, "method": "shutdown"}', -32600),
    (b'{"jsonrpc": "2.0", "id": 8, "method": "textDocument/hover", "params": 5}', -32602),
)


def test_what_is_no_message_is_refused():
    """Each for itself: what comes behind it is answered."""
    data = framed(INITIALIZE) + b"".join(headed(body) for body, _ in NO_MESSAGES)
    data += framed({"id": 2, "method": "shutdown"}) + framed({"method": "exit"})
    out, errors = server_process().communicate(data, timeout=PATIENCE)
    assert re.findall(rb'"code": (-\d+)', out) == [b"%d" % code for _, code in NO_MESSAGES]
    assert b'"id": 2' in out
    assert b"Traceback" not in errors


@pytest.mark.parametrize(
    "params",
    [
        5,
        [],
        {"capabilities": 5, "workspaceFolders": 3, "rootUri": {}},
        {"capabilities": {"general": {"positionEncodings": 8}}, "workspaceFolders": [5, {}]},
        {"capabilities": {"general": {"positionEncodings": [None, "utf-7"]}}, "processId": "x"},
        {"initializationOptions": [1], "capabilities": {"textDocument": []}},
    ],
)
def test_a_client_that_says_nonsense_of_itself_is_served(params):
    greeting = {"id": 1, "method": "initialize", "params": params}
    code, out, errors = talk(greeting, {"id": 2, "method": "shutdown"}, {"method": "exit"})
    assert (code, errors) == (0, "")
    assert b'"capabilities"' in out


FAILS = f"""\
from parspec.lsp import registry
def fails(*_):
    print("something on standard output")
    raise LookupError("a bug of ours")
registry.loaded = lambda entry: fails
registry.COMMANDS = {{"parspec.x": registry.Command("x", "x")}}
registry.ROUTES = (
    registry.Route("textDocument/hover", "x", "x"),
    registry.Route("codeLens/resolve", "x", "x", of="item"),
    registry.Route("workspace/symbol", "x", "x", of="workspace"),
)
{SERVE}
"""


def test_a_feature_that_fails_is_logged_and_answered_empty():
    process = server_process(script=FAILS)
    editor = Editor(process=process)
    editor.open(URI, CLEAN)
    start = {"line": 0, "character": 0}
    place = {"textDocument": {"uri": URI}, "position": start}
    assert editor.ask("textDocument/hover", place) is None
    assert editor.ask("workspace/symbol", {"query": ""}) is None
    lens = {"range": {"start": start, "end": start}, "data": 7}
    assert editor.ask("codeLens/resolve", lens) == lens
    assert editor.ask("workspace/executeCommand", {"command": "parspec.x"}) is None
    assert editor.diagnostics(URI) == []
    editor.ask("shutdown", None)
    editor.tell("exit", None)
    assert process.wait(PATIENCE) == 0
    talk = process.stderr.read().decode()
    assert talk.count("LookupError: a bug of ours") == 4
    assert talk.count("something on standard output") == 4


WAITS = f"""\
import time
from parspec.lsp import registry, schedule
def waits(session, _):
    while True:
        session.checkpoint()
        time.sleep(0.01)
schedule.LONG = 0.05
registry.loaded = lambda entry: waits
registry.ROUTES = (registry.Route("workspace/symbol", "x", "x", of="workspace"),)
{SERVE}
"""


def test_long_work_is_shown_until_it_ends():
    process = server_process(script=WAITS)
    with Editor({"window": {"workDoneProgress": True}}, process=process) as editor:
        number = editor.begin("workspace/symbol", {"query": ""})
        editor.until(lambda: editor.progress)
        assert editor.progress == ["begin"]
        editor.tell("$/cancelRequest", {"id": number})
        with pytest.raises(Refused, match="-32800"):
            editor.answer(number)
        editor.until(lambda: len(editor.progress) > 1)
    assert editor.progress == ["begin", "end"]


def test_it_does_not_end_while_its_client_lives():
    with Editor() as editor:
        time.sleep(1.5)
        editor.open(URI, CLEAN)
        assert editor.diagnostics(URI) == []


def test_it_does_not_outlive_its_client():
    editor = Editor()
    editor.process.stdin.close()
    assert editor.process.wait(PATIENCE) == 1


def test_it_ends_in_the_middle_of_work():
    process = server_process(script=WAITS)
    editor = Editor({"window": {"workDoneProgress": True}}, process=process)
    editor.begin("workspace/symbol", {"query": ""})
    editor.until(lambda: editor.progress == ["begin"])
    process.stdin.close()
    assert process.wait(PATIENCE) == 1


def connected(process, scheme):
    """The port that a server says it listens on."""
    line = process.stderr.readline().decode()
    assert line.startswith(f"listening on {scheme}://127.0.0.1:"), line
    return int(line.rpartition(":")[2])


def test_over_a_socket():
    process = server_process("tcp")
    client = socket.create_connection(("127.0.0.1", connected(process, "tcp")))
    pipes = (client.makefile("rb"), client.makefile("wb"))
    with Editor(process=process, pipes=pipes) as editor:
        editor.open(URI, CLEAN)
        assert editor.diagnostics(URI) == []


def test_over_a_socket_it_does_not_outlive_the_connection():
    process = server_process("tcp")
    with socket.create_connection(("127.0.0.1", connected(process, "tcp"))) as client:
        client.sendall(framed(INITIALIZE))
        assert client.recv(10)
    assert process.wait(PATIENCE) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="another way to end a process")
def test_over_a_socket_it_does_not_outlive_the_process_that_it_was_told_of():
    idle = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    process = server_process("tcp")
    with socket.create_connection(("127.0.0.1", connected(process, "tcp"))) as client:
        params = INITIALIZE["params"] | {"processId": idle.pid}
        client.sendall(framed(INITIALIZE | {"params": params}))
        assert client.recv(10)
        time.sleep(1.5)
        assert process.poll() is None
        os.kill(idle.pid, signal.SIGKILL)
        idle.wait()
        assert process.wait(PATIENCE) == 1


def test_over_a_websocket():
    from websockets.sync.client import connect

    process = server_process("ws")
    with connect(f"ws://127.0.0.1:{connected(process, 'ws')}", max_size=None) as client:
        client.send(json.dumps({"jsonrpc": "2.0", **INITIALIZE}))
        assert (
            json.loads(client.recv(timeout=PATIENCE))["result"]["serverInfo"]["name"] == "parspec"
        )
        client.send(json.dumps({"jsonrpc": "2.0", "id": 2, "method": "shutdown"}))
        assert json.loads(client.recv(timeout=PATIENCE)) == {
            "jsonrpc": "2.0",
            "id": 2,
            "result": None,
        }
        client.send(json.dumps({"jsonrpc": "2.0", "method": "exit"}))
        assert process.wait(PATIENCE) == 0


def test_a_websocket_that_is_cut_ends_it():
    from websockets.sync.client import connect

    process = server_process("ws")
    with connect(f"ws://127.0.0.1:{connected(process, 'ws')}", max_size=None) as client:
        client.send(json.dumps({"jsonrpc": "2.0", **INITIALIZE}))
        client.recv(timeout=PATIENCE)
        client.socket.shutdown(socket.SHUT_RDWR)
        assert process.wait(PATIENCE) == 1
    assert process.stderr.read() == b""


def test_an_address_that_cannot_be_had_is_2():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        script = f"{SERVE.rpartition(';')[0]}; sys.exit(serve('tcp', '127.0.0.1', {port}))"
        run = subprocess.run(
            [sys.executable, "-c", script],
            capture_output=True,
            text=True,
            check=False,
            env=environment(),
        )
    assert run.returncode == 2
    assert run.stderr.startswith(f"parspec lsp: 127.0.0.1:{port}: ")


@pytest.mark.parametrize(
    ("client", "encoding"), [("vscode", "utf-16"), ("neovim", "utf-8"), ("emacs", "utf-32")]
)
def test_the_first_encoding_that_a_client_offers_is_taken(client, encoding):
    with Editor(capabilities_of(client)) as editor:
        assert editor.about["capabilities"]["positionEncoding"] == encoding


def test_it_answers_before_it_has_loaded_the_protocol():
    script = (
        "import sys\n"
        "from parspec.lsp import main, greeting, wire\n"
        'heavy = {"lsprotocol", "pygls", "lark", "asyncio"}\n'
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    assert printed(script) == ("[]\n", "")

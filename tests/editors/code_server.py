"""A VS Code with the packed extension, in a browser, on a folder of its own."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]
VSIX = ROOT / "editors/vscode/dist/parspec.vsix"
TOOLS = Path(os.environ.get("PARSPEC_EDITORS", "/nowhere"))
ENTRY = TOOLS / "code-server/node_modules/code-server/out/node/entry.js"
CHROMIUM = shutil.which("chromium")
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)

SETTINGS = {
    "[par]": {"editor.formatOnSave": True},
    "chat.commandCenter.enabled": False,
    "editor.fontSize": 13,
    "editor.inlayHints.enabled": "on",
    "editor.minimap.enabled": False,
    "extensions.autoCheckUpdates": False,
    "security.workspace.trust.enabled": False,
    "telemetry.telemetryLevel": "off",
    "workbench.startupEditor": "none",
    "workbench.tips.enabled": False,
}


def node():
    """Node 20: the one that was set up, or the machine's."""
    own = TOOLS / "node/bin/node"
    return str(own) if own.exists() else shutil.which("node")


def missing():
    """What is not there to run VS Code with; "" where all is."""
    needed = {"PARSPEC_EDITORS": ENTRY.exists(), "parspec.vsix": VSIX.exists()}
    needed |= {"node": node(), "chromium": CHROMIUM}
    return ", ".join(name for name, there in needed.items() if not there)


def server_settings(home, settings):
    """Writes the settings that belong to the machine on which the server runs."""
    own = {"parspec.server.python": str(home / "bin/python3")}
    write_settings(home / "data/Machine", own | settings)


def write_settings(folder, settings):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "settings.json").write_text(json.dumps(settings), encoding="utf-8")


@contextmanager
def serving(workspace, home):
    """The address of a code-server with the extension on `workspace`. There is no `parspec` on its
    PATH, and its Python has no packages, so that the copy in the extension is used."""
    bare = home / "bin"
    bare.mkdir()
    (bare / "python3").symlink_to(Path(sys.executable).resolve())
    write_settings(home / "data/User", SETTINGS)
    server_settings(home, {})
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in ("VIRTUAL_ENV", "PYTHONPATH", "PYTHONHOME")
    }
    environment |= {"PATH": f"{bare}:/usr/bin:/bin", "HOME": str(home)}
    port = free_port()
    command = [node(), str(ENTRY), "--config", str(home / "config.yaml")]
    command += ["--user-data-dir", str(home / "data"), "--extensions-dir", str(home / "extensions")]
    subprocess.run(
        [*command, "--install-extension", str(VSIX)],
        check=True,
        env=environment,
        stdout=subprocess.DEVNULL,
        timeout=120,
    )
    command += ["--auth", "none", "--bind-addr", f"127.0.0.1:{port}", "--disable-telemetry"]
    command += ["--disable-update-check", "--disable-workspace-trust", str(workspace)]
    with (home / "log").open("w") as log:
        # It leaves children behind: its group is ended as one.
        server = subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        try:
            wait_for(f"http://127.0.0.1:{port}/healthz")
            yield f"http://127.0.0.1:{port}/?folder={workspace}"
        finally:
            os.killpg(server.pid, signal.SIGTERM)
            server.wait(timeout=20)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(address, seconds=60):
    end = time.monotonic() + seconds
    while True:
        try:
            urllib.request.urlopen(address, timeout=2).close()
            return
        except (urllib.error.URLError, OSError):
            if time.monotonic() > end:
                raise
            time.sleep(0.1)

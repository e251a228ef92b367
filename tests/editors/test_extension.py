"""The VS Code extension by itself: types, style, unit tests, the TextMate grammar."""

import os
import shutil
import subprocess
from pathlib import Path
from zipfile import ZipFile

import pytest
from code_server import TOOLS, VSIX

ROOT = Path(__file__).parents[2]
EXTENSION = ROOT / "editors/vscode"
BUNDLED = "extension/bundled/parspec/"
FOLDERS = ("grammar", "interpreter", "lsp")
PATH = os.pathsep.join((str(TOOLS / "node/bin"), os.environ["PATH"]))
NPM = shutil.which("npm", path=PATH)

pytestmark = pytest.mark.skipif(
    not VSIX.exists() or NPM is None,
    reason="needs npm and the packed extension; setup.sh makes them ready",
)


@pytest.mark.parametrize("script", ["typecheck", "format", "test", "test:grammar"])
def test_script(script):
    run = subprocess.run(
        [NPM, "run", "--silent", script],
        cwd=EXTENSION,
        env=os.environ | {"PATH": PATH},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr


def test_the_package_holds_what_it_runs():
    with ZipFile(VSIX) as package:
        files = {name.removeprefix("extension/") for name in package.namelist()}
    assert {
        "package.json",
        "language-configuration.json",
        "syntaxes/par.tmLanguage.json",
        "dist/extension.js",
        "bundled/launch.py",
        "bundled/lsprotocol/types.py",
    } <= files
    assert not [name for name in files if name.startswith(("src/", "node_modules/"))]
    assert not [name for name in files if name.endswith((".so", ".pyd", ".pyc"))]


def test_the_package_holds_the_whole_of_parspec():
    with ZipFile(VSIX) as package:
        held = {name for name in package.namelist() if name.startswith(BUNDLED)}
    sources = (path for folder in FOLDERS for path in (ROOT / folder).rglob("*"))
    names = (str(path.relative_to(ROOT)) for path in sources if path.is_file())
    assert held >= {BUNDLED + name for name in names if "__pycache__" not in name}

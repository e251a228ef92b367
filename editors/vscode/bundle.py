"""Puts parspec and what it needs into `bundled/`, for the .vsix: pure Python, for every platform.

`python editors/vscode/bundle.py` builds parspec's own wheel from a copy of this checkout (nothing
is left in it) and installs it there with its dependencies.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BUNDLED = HERE / "bundled"

SOURCES = ("pyproject.toml", "README.md", "LICENSE", "grammar", "interpreter", "lsp")
UNUSED = ("bin", "**/__pycache__", "**/tests")


def main() -> None:
    """Builds `bundled/` anew."""
    shutil.rmtree(BUNDLED, ignore_errors=True)
    with tempfile.TemporaryDirectory() as folder:
        wheel = built(Path(folder))
        pip(
            "install",
            *("--target", str(BUNDLED), "--no-compile", "--only-binary", ":all:"),
            *("--platform", "any", "--python-version", "3.11", "--implementation", "py"),
            *("--abi", "none", str(wheel)),
        )
    for pattern in UNUSED:
        for path in list(BUNDLED.glob(pattern)):
            shutil.rmtree(path)
    shutil.copy(HERE / "launch.py", BUNDLED)


def built(folder: Path) -> Path:
    """The wheel of this checkout, made in `folder`."""
    source = folder / "source"
    source.mkdir()
    for name in SOURCES:
        path = ROOT / name
        if path.is_dir():
            shutil.copytree(path, source / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(path, source)
    pip("wheel", "--no-deps", "--wheel-dir", str(folder), str(source))
    return next(folder.glob("*.whl"))


def pip(*words: str) -> None:
    """Runs this Python's pip, which has to succeed."""
    command = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", *words)
    subprocess.run(command, check=True)


if __name__ == "__main__":
    main()

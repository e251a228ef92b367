"""Writes what editors know of the language from the grammar and the interpreter's tables.

`python editors/generate.py` writes the files; with `--check` it writes nothing, names those that
differ from what it would write, and exits 1 if there are any.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from configuration import configuration
from textmate import grammar
from vim import syntax

HERE = Path(__file__).parent


def generated() -> Mapping[Path, str]:
    """Every generated file with its text."""
    return {
        HERE / "vscode/syntaxes/par.tmLanguage.json": _json(grammar()),
        HERE / "vscode/language-configuration.json": _json(configuration()),
        HERE / "neovim/syntax/par.vim": syntax(),
    }


def main(arguments: list[str]) -> int:
    """Writes or checks the files; the exit code."""
    if arguments not in ([], ["--check"]):
        sys.stderr.write("usage: generate.py [--check]\n")
        return 2
    differing = {path: text for path, text in generated().items() if _text(path) != text}
    for path, text in differing.items():
        print(path.relative_to(HERE))
        if not arguments:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
    return 1 if arguments and differing else 0


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

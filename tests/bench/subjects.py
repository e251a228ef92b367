"""What the benchmark of language servers measures: the servers, each with a text of its language
and the edits that it is given.

An edit of the others makes an error at a random place or mends it, so that a publication must
come; so does parspec's kind `name`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import generated
from edited_text import Drawing, flipping, mending, resizing

ROOT = Path(__file__).parents[2]
SERVE = ("-m", "parspec.interpreter.commands.entry", "lsp")


@dataclass(frozen=True)
class Subject:
    """A server. `text`: one of so many lines; `edits`: by their kind; `typed`: a name behind which
    somebody types on, `settings`: what it is told when it asks."""

    name: str
    command: tuple[str, ...]
    suffix: str
    language: str
    text: Callable[[int], str]
    edits: Mapping[str, Drawing]
    typed: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)


def subjects(tools: Path | None) -> list[Subject]:
    """parspec's server, and of the others those that are in `tools` (setup.sh)."""
    found = [
        Subject(
            "parspec",
            (sys.executable, *SERVE),
            "par",
            "par",
            generated.spec,
            {
                "name": mending("swiglu(g", "swiglu(zz"),
                "clause": flipping("partition F on tp", "partition D on tp"),
                "dim": resizing("D", 8192, 512),
                "comment": flipping("# scores", "# logits"),
            },
            "swiglu(g1",
            environment={"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
    ]
    return found if tools is None else [*found, *filter(_is_there, _others(tools.absolute()))]


def _others(tools: Path) -> list[Subject]:
    programs, modules = tools / "python" / "bin", tools / "node_modules" / ".bin"
    python = {"undefined name": mending("x * y", "x * zz")}
    return [
        _python("ty", (f"{programs}/ty", "server"), python),
        _python("ruff", (f"{programs}/ruff", "server"), python),
        _python("pyright", (f"{modules}/pyright-langserver", "--stdio"), python),
        Subject(
            "yaml-language-server",
            (f"{modules}/yaml-language-server", "--stdio"),
            "yaml",
            "yaml",
            generated.yaml,
            {"key": mending("result: h", "operands: h")},
            "result: h1",
            {"yaml": {"validate": True, "hover": True, "schemaStore": {"enable": False}}},
        ),
        Subject(
            "vscode-json",
            (f"{modules}/vscode-json-language-server", "--stdio"),
            "json",
            "json",
            generated.json,
            {"comma": mending('],\n    "partition', '] \n    "partition')},
            '"result": "h1',
        ),
    ]


def _python(name: str, command: tuple[str, ...], edits: Mapping[str, Drawing]) -> Subject:
    return Subject(name, command, "py", "python", generated.python, edits, "z = x")


def _is_there(subject: Subject) -> bool:
    return Path(subject.command[0]).exists()

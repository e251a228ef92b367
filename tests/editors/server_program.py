"""A `parspec` on PATH that is the one under test, for editors that start it themselves."""

import os
import sys
from pathlib import Path


def environment(home):
    """The environment of an editor that has nothing of the user's but that program."""
    programs = home / "bin"
    programs.mkdir()
    program = programs / "parspec"
    program.write_text(
        f'#!/bin/sh\nexec "{sys.executable}" -m parspec.interpreter.commands.main "$@"\n',
        encoding="utf-8",
    )
    program.chmod(0o755)
    folders = [folder for folder in os.environ.get("PYTHONPATH", "").split(os.pathsep) if folder]
    return os.environ | {
        "HOME": str(home),
        "PATH": os.pathsep.join((str(programs), os.environ["PATH"])),
        "PYTHONPATH": os.pathsep.join(str(Path(folder).resolve()) for folder in folders),
        **{f"XDG_{name}_HOME": str(home / name) for name in ("CONFIG", "DATA", "STATE", "CACHE")},
    }

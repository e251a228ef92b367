"""Processes that tests start: Python with the folders that this one imports from."""

import os
import subprocess
import sys
from pathlib import Path

IMPORTS = os.pathsep.join(str(Path(entry).absolute()) for entry in sys.path)
PARSPEC = (sys.executable, "-m", "parspec.interpreter.commands.main")


def environment(**settings):
    """The environment of this process with other settings, in which `parspec` can be imported."""
    return {**os.environ, "PYTHONPATH": IMPORTS, **settings}


def printed(script, **settings):
    """What a Python script prints that ends well: standard output and standard error."""
    command = [sys.executable, "-c", script]
    done = subprocess.run(
        command, capture_output=True, text=True, env=environment(**settings), check=True
    )
    return done.stdout, done.stderr

"""`parspec completion`: what a shell needs to complete command lines.

A script is made from the registry of commands and the index of explanations and holds all of it:
a shell that completes does not start parspec. Plans, sizes and operators come out of the files on
the command line.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping

from parspec.interpreter.commands.arguments import Request
from parspec.interpreter.commands.commands import COMMANDS, SHELLS
from parspec.interpreter.commands.outcome import CLEAN
from parspec.interpreter.commands.shells.bash import bash_script
from parspec.interpreter.commands.shells.fish import fish_script
from parspec.interpreter.commands.shells.words import Completed, completed
from parspec.interpreter.commands.shells.zsh import zsh_script
from parspec.interpreter.commands.talk import unable

_SCRIPTS: Mapping[str, Callable[[tuple[Completed, ...]], str]] = {
    "bash": bash_script,
    "zsh": zsh_script,
    "fish": fish_script,
}


def run(request: Request) -> int:
    """Prints the script of a shell."""
    (shell,) = request.operands
    script = _SCRIPTS.get(shell)
    if script is None:
        return unable(f"there is no completion for {shell}; there is {', '.join(SHELLS)}")
    sys.stdout.write(script(completed(COMMANDS.values())))
    return CLEAN

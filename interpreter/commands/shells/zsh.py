"""Completion for zsh."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from shlex import quote

from parspec.interpreter.commands.arguments import Option
from parspec.interpreter.commands.shells.words import GENERAL, PLAN_LINE, Completed

_HEAD = f"""\
#compdef parspec
# parspec: completion for zsh
_parspec_plans() {{
  local -a files plans
  files=(${{(M)words:#*.par}})
  files=(${{^files}}(N.))
  (( $#files )) && plans=(${{(f)"$(sed -nE {quote(PLAN_LINE)} -- $files)"}})
  compadd -a plans
}}

_parspec() {{
  if (( CURRENT == 2 )); then
"""
_TAIL = """\
}

if [[ $funcstack[1] == _parspec ]]; then
  _parspec "$@"
else
  compdef _parspec parspec
fi
"""


def zsh_script(commands: Iterable[Completed]) -> str:
    """The script that zsh reads, from a folder of its functions or by `eval`."""
    lines = "".join(f"{line}\n" for line in _lines(tuple(commands)))
    return _HEAD + lines + _TAIL


def _lines(commands: tuple[Completed, ...]) -> Iterator[str]:
    yield "    local -a commands=("
    for command in commands:
        yield f"      {quote(f'{command.name}:{command.summary}')}"
    for option in GENERAL:
        yield f"      {quote(f'{option.flag}:{option.summary}')}"
    yield "    )"
    yield "    _describe command commands"
    yield "    return"
    yield "  fi"
    yield "  local name=$words[2]"
    yield "  shift words"
    yield "  (( CURRENT-- ))"
    yield "  case $name in"
    for command in commands:
        yield f"    {command.name})"
        yield "      _arguments \\"
        for option in command.options:
            yield f"        {quote(_option(option))} \\"
        yield f"        {quote(_operands(command))}"
        yield "      ;;"
    yield "  esac"


def _option(option: Option) -> str:
    summary = re.sub(r"([\[\]:\\])", r"\\\1", option.summary)
    if not option.value:
        return f"{option.flag}[{summary}]"
    action = f"({' '.join(option.choices)})" if option.choices else ""
    if option.flag == "--plan":
        action = "_parspec_plans"
    return f"*{option.flag}=[{summary}]:{option.value}:{action}"


def _operands(command: Completed) -> str:
    if command.files:
        return '*:spec:_files -g "*.par"'
    return f"*:word:({' '.join(command.words)})"

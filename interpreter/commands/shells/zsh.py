"""Completion for zsh."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from shlex import quote

from parspec.interpreter.commands.arguments import Option
from parspec.interpreter.commands.shells.words import (
    GENERAL,
    IMPORT_LINE,
    OPERATOR_LINE,
    PLAN_LINE,
    SIZE,
    SIZE_LINE,
    Completed,
)

_HEAD = f"""\
#compdef parspec
# parspec: completion for zsh
_parspec_specs() {{
  specs=(${{(M)words:#*.par}})
  specs=(${{^specs}}(N.))
  (( $#specs ))
}}

_parspec_imported() {{
  local spec
  local -a files
  for spec in $specs; do
    files=(${{(f)"$(sed -nE {quote(IMPORT_LINE)} -- $spec)"}})
    files=(${{spec:h}}/${{^files}}(N.))
    specs+=($files)
  done
}}

_parspec_plans() {{
  local -a specs plans
  _parspec_specs && plans=(${{(f)"$(sed -nE {quote(PLAN_LINE)} -- $specs)"}})
  compadd -a plans
}}

_parspec_operators() {{
  local -a specs operators
  _parspec_specs || return
  _parspec_imported
  operators=(${{(f)"$(sed -nE {quote(OPERATOR_LINE)} -- $specs)"}})
  compadd -a operators
}}

_parspec_sizes() {{
  local -a specs sizes
  _parspec_specs || return
  _parspec_imported
  sizes=(${{(f)"$(
    sed -nE {quote(SIZE_LINE)} -- $specs | tr , '\\n' | sed -nE {quote(SIZE)}
  )"}})
  compadd -S '' -a sizes
}}

_parspec() {{
  if (( CURRENT == 2 )); then
"""
_FROM_SPECS = {"--plan": "_parspec_plans", "--set": "_parspec_sizes"}
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
        yield f"        {' '.join(map(quote, _operands(command)))}"
        yield "      ;;"
    yield "  esac"


def _option(option: Option) -> str:
    summary = re.sub(r"([\[\]:\\])", r"\\\1", option.summary)
    if not option.value:
        return f"{option.flag}[{summary}]"
    action = f"({' '.join(option.choices)})" if option.choices else ""
    action = _FROM_SPECS.get(option.flag, action)
    return f"*{option.flag}=[{summary}]:{option.value}:{action}"


def _operands(command: Completed) -> tuple[str, ...]:
    if command.of_operators:
        return ('1:spec:_files -g "*.par"', "2:operator:_parspec_operators")
    if command.files:
        return ('*:spec:_files -g "*.par"',)
    return (f"*:word:({' '.join(command.words)})",)

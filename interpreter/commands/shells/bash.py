"""Completion for bash, from 3.2 on."""

from __future__ import annotations

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
# parspec: completion for bash
_parspec_words() {{
  COMPREPLY=($(compgen -W "$1" -- "$2"))
}}

_parspec_files() {{
  local file
  compopt -o filenames 2>/dev/null
  while IFS= read -r file; do COMPREPLY+=("$file"); done < <(
    compgen -f -X '!*.par' -- "$1"
    compgen -d -- "$1"
  )
}}

_parspec_specs() {{
  local word
  for word in "${{COMP_WORDS[@]:2}}"; do
    if [[ $word == *.par && -f $word ]]; then specs+=("$word"); fi
  done
  ((${{#specs[@]}}))
}}

_parspec_imported() {{
  local spec file
  for spec in "${{specs[@]}}"; do
    while IFS= read -r file; do
      file=$(dirname -- "$spec")/$file
      if [[ -f $file ]]; then specs+=("$file"); fi
    done < <(sed -nE {quote(IMPORT_LINE)} -- "$spec")
  done
}}

_parspec_plans() {{
  local specs=()
  _parspec_specs || return
  _parspec_words "$(sed -nE {quote(PLAN_LINE)} -- "${{specs[@]}}")" "$1"
}}

_parspec_operators() {{
  local specs=()
  _parspec_specs || return
  _parspec_imported
  _parspec_words "$(sed -nE {quote(OPERATOR_LINE)} -- "${{specs[@]}}")" "$1"
}}

_parspec_sizes() {{
  local specs=()
  _parspec_specs || return
  _parspec_imported
  compopt -o nospace 2>/dev/null
  _parspec_words "$(
    sed -nE {quote(SIZE_LINE)} -- "${{specs[@]}}" | tr , '\\n' | sed -nE {quote(SIZE)}
  )" "$1"
}}

_parspec() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}}
  COMPREPLY=()
  if [[ $current == = ]]; then current=
  elif [[ $before == = ]]; then before=${{COMP_WORDS[COMP_CWORD - 2]}}
  fi
  if ((COMP_CWORD == 1)); then
"""


def bash_script(commands: Iterable[Completed]) -> str:
    """The script that bash reads."""
    return "".join(f"{line}\n" for line in _lines(tuple(commands)))


def _lines(commands: tuple[Completed, ...]) -> Iterator[str]:
    first = [command.name for command in commands] + [option.flag for option in GENERAL]
    yield _HEAD.rstrip("\n")
    yield f'    _parspec_words {quote(" ".join(first))} "$current"'
    yield "    return"
    yield "  fi"
    yield '  case "${COMP_WORDS[1]} $before" in'
    for command in commands:
        for option in command.options:
            if option.value:
                yield f"    {quote(f'{command.name} {option.flag}')}) {_value(option)}; return ;;"
    yield "  esac"
    yield '  case "${COMP_WORDS[1]} $current" in'
    for command in commands:
        flags = " ".join(option.flag for option in command.options)
        yield f'    {command.name}" "-*) _parspec_words {quote(flags)} "$current" ;;'
        if command.of_operators:
            operators = '_parspec_operators "$current" || _parspec_files "$current"'
            yield f'    {command.name}" "*) {operators} ;;'
        elif command.files:
            yield f'    {command.name}" "*) _parspec_files "$current" ;;'
        elif command.words:
            words = quote(" ".join(command.words))
            yield f'    {command.name}" "*) _parspec_words {words} "$current" ;;'
    yield "  esac"
    yield "}"
    yield ""
    yield "complete -F _parspec parspec"


def _value(option: Option) -> str:
    if option.choices:
        return f'_parspec_words {quote(" ".join(option.choices))} "$current"'
    match option.flag:
        case "--plan":
            return '_parspec_plans "$current"'
        case "--set":
            return '_parspec_sizes "$current"'
    return ":"

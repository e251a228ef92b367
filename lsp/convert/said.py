"""What a client gives back of what it was given, and the arguments of commands: they may be
anything, and are looked at before they are taken."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from inspect import signature
from itertools import islice
from typing import Any, TypeVar, get_type_hints

from pygls.exceptions import JsonRpcInvalidParams

T = TypeVar("T")


def taken(said: object, form: type[T]) -> T:
    """JSON in a form, a named tuple: its members of these names, each of its type. Raises
    JsonRpcInvalidParams."""
    kinds = get_type_hints(form)
    members = {name: said.get(name) for name in kinds} if isinstance(said, Mapping) else {}
    if members and all(isinstance(members[name], kind) for name, kind in kinds.items()):
        return form(**members)
    raise JsonRpcInvalidParams("this is not what it was given")


def check_arguments(command: Callable[..., Any], arguments: Sequence[object]) -> None:
    """Raises JsonRpcInvalidParams where a command, whose first parameter is the session, does not
    take these arguments."""
    try:
        given = signature(command).bind(None, *arguments).arguments
    except TypeError as error:
        raise JsonRpcInvalidParams(str(error)) from None
    kinds = get_type_hints(command)
    for name, argument in islice(given.items(), 1, None):
        if not isinstance(argument, kinds.get(name, object)):
            raise JsonRpcInvalidParams(f"the argument '{name}' is of another kind")

"""The built-in library: the files that `import std.NAME` brings, shown as `std/NAME.par`."""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path

LIBRARY = Path(__file__).with_name("library")


@cache
def library_names() -> tuple[str, ...]:
    """The built-in files by name: `std.NAME`."""
    return tuple(sorted(path.stem for path in LIBRARY.glob("*.par")))


def library_name(target: str) -> str:
    """The name under which a built-in file is shown: `std/h100.par`."""
    return target.replace(".", "/") + ".par"


@lru_cache(maxsize=64)
def is_library(file: str) -> bool:
    """Whether a file of this name is a built-in one."""
    return file in {library_name(f"std.{name}") for name in library_names()}


@lru_cache(maxsize=64)
def library_file(target: str) -> str | None:
    """The text of a built-in file (`std.h100`), None where there is none."""
    root, _, name = target.partition(".")
    if root != "std" or name not in library_names():
        return None
    return (LIBRARY / f"{name}.par").read_text("utf-8")

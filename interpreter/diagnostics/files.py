"""PAR6xx: files, imports and encoding."""

from __future__ import annotations

from pathlib import PurePath
from posixpath import relpath

from parspec.interpreter.diagnostics.entry import (
    Entry,
    Facts,
    chain,
    items,
    near,
    size_in_bytes,
    word,
)


def _file_not_found(facts: Facts) -> str:
    return f"there is no file {word(facts['file'])}{near(facts)}"


def _unreadable_file(facts: Facts) -> str:
    return f"{word(facts['file'])} cannot be read: {word(facts['reason'])}"


def _import_cycle(facts: Facts) -> str:
    first, *more = map(word, items(facts["cycle"]))
    folder = PurePath(first).parent.as_posix()
    names = (relpath(PurePath(file).as_posix(), folder) for file in (first, *more))
    return f"files import each other: {chain(tuple(names))}"


def _not_utf8(facts: Facts) -> str:
    return (
        f"{word(facts['file'])} is not UTF-8: byte {word(facts['byte'])} at offset "
        f"{word(facts['offset'])}"
    )


def _import_depth(facts: Facts) -> str:
    return f"imports are nested {word(facts['depth'])} deep; {word(facts['limit'])} levels are read"


def _file_too_large(facts: Facts) -> str:
    most = size_in_bytes(facts["limit"])
    if facts["size"] is None:
        return f"{word(facts['file'])} has more than the {most} that a spec may have"
    return f"{word(facts['file'])} has {size_in_bytes(facts['size'])}; a spec may have {most}"


def _import_outside(facts: Facts) -> str:
    return (
        f"{word(facts['file'])} lies neither below the folder of the file that is read nor below "
        "the working folder"
    )


_NESTED = 40  # more files inside one another than are read
_MODEL = b"mesh N = 8\ndim B = 64\ninput x[B] partition B on N\noutput x\n"

ENTRIES = (
    Entry(
        code="PAR601",
        name="file_not_found",
        severity="error",
        message=_file_not_found,
        explanation=(
            "A quoted import is a path from the file that imports it; an unquoted one "
            "(`std.h100`) names a file of the built-in library."
        ),
        example="""\
import "modle.par"
""",
        mend=(('"modle.par"', '"model.par"'),),
        beside=(("model.par", _MODEL),),
    ),
    Entry(
        code="PAR602",
        name="unreadable_file",
        severity="error",
        message=_unreadable_file,
        explanation="The file is there, but the system does not give its text.",
        example="""\
import "."
""",
        mend=(('import "."', 'import "model.par"'),),
        beside=(("model.par", _MODEL),),
    ),
    Entry(
        code="PAR603",
        name="import_cycle",
        severity="error",
        message=_import_cycle,
        explanation="A file that imports itself, over however many others, has no beginning.",
        example="""\
import "model.par"
""",
        mend=(('"model.par"', '"sizes.par"'),),
        beside=(
            ("model.par", b'import "plan.par"\n'),
            ("plan.par", b'import "model.par"\n'),
            ("sizes.par", _MODEL),
        ),
    ),
    Entry(
        code="PAR604",
        name="not_utf8",
        severity="error",
        message=_not_utf8,
        explanation="Specs are UTF-8. Most editors can save a file again in that encoding.",
        example="""\
import "latin.par"
""",
        mend=(('"latin.par"', '"model.par"'),),
        beside=(("latin.par", b"# caf\xe9\n"), ("model.par", _MODEL)),
    ),
    Entry(
        code="PAR605",
        name="import_depth",
        severity="error",
        message=_import_depth,
        explanation="Imports nest so deep that no person could follow them.",
        example="""\
import "1.par"
""",
        mend=(('"1.par"', '"model.par"'),),
        beside=(
            *((f"{level}.par", f'import "{level + 1}.par"\n'.encode()) for level in range(_NESTED)),
            (f"{_NESTED}.par", _MODEL),
            ("model.par", _MODEL),
        ),
    ),
    Entry(
        code="PAR606",
        name="file_too_large",
        severity="error",
        message=_file_too_large,
        explanation="A spec is written by people; a file of this size is something else.",
        example="",
        mend=(),
    ),
    Entry(
        code="PAR607",
        name="import_outside",
        severity="error",
        message=_import_outside,
        explanation=(
            "Imports stay in the folder of the file that is read and in the working folder, with "
            "what is below these; links are followed first. So a spec of somebody else cannot have "
            "other files of yours shown. Start parspec in a folder around both, or allow another "
            "folder with `--import-from`."
        ),
        example="""\
import "../model.par"
""",
        mend=(('"../model.par"', '"model.par"'),),
        beside=(("model.par", _MODEL),),
    ),
)

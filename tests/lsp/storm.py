"""A storm: a client sends many changes of a file and waits for nothing, then asks for a hover.

python tests/lsp/storm.py [--changes 200] [--lines 1000]
"""

import argparse
import sys
import time
from pathlib import Path
from typing import NamedTuple

from lsp_editor import PATIENCE, Editor, capabilities_of

sys.path.insert(0, str(Path(__file__).parents[1] / "bench"))

from generated import spec

CHANGES = 200
QUIET = 0.4  # seconds without a publication after which no more is to come
URI = "file:///storm/storm.par"


class Weathered(NamedTuple):
    """How a server took a storm: the hover behind it and the seconds until that came; the size
    and the version that the storm left; the versions that were published since it began."""

    hover: str
    seconds: float
    size: int
    version: int
    published: list[int]


def storm(editor, text, changes=CHANGES):
    """Opens a spec and gives its dimension B as many other sizes, then hovers over that."""
    editor.open(URI, text)
    editor.diagnostics(URI)
    seen = len(editor.publications)
    before, _, behind = text.partition("dim B = ")
    line, column = before.count("\n"), len("dim B = ")
    width = len(behind.split()[0])
    begun = time.perf_counter()
    for version in range(2, changes + 2):
        size = 10 + version % 90
        editor.change(URI, version, (str(size), line, column, line, column + width))
        width = len(str(size))
    place = {"textDocument": {"uri": URI}, "position": {"line": line, "character": 4}}
    hover = editor.ask("textDocument/hover", place)
    seconds = time.perf_counter() - begun
    editor.until(lambda: editor.publications[-1]["version"] == version, 4 * PATIENCE)
    editor.rest(QUIET)
    published = [each["version"] for each in editor.publications[seen:]]
    return Weathered(hover["contents"]["value"], seconds, size, version, published)


def main():
    """Prints how a server takes a storm in a generated spec."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--changes", type=int, default=CHANGES)
    parser.add_argument("--lines", type=int, default=1000)
    options = parser.parse_args()
    with Editor(capabilities_of("emacs")) as editor:
        seen = storm(editor, spec(options.lines), options.changes)
    print(f"{options.changes} changes, then a hover: {1000 * seen.seconds:.0f} ms")
    print(f"published: {seen.published}, the last is {seen.version}")
    print(seen.hover)


if __name__ == "__main__":
    main()

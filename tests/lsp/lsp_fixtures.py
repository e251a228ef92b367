"""What tests of the language server share: readable fixtures.

A source is written with a cursor mark `‸` in it; what a feature answers is drawn below the lines
that it is about:

    layer up: h[B, F] = x * w
                            ^ weight
"""

from pathlib import PurePosixPath

from parspec.grammar.lines import LineIndex
from parspec.interpreter.spec.readers import Reader, Unread
from parspec.lsp.analysing import Written, analysed

CURSOR = "‸"
FOLDER = "/repo"
MAIN = f"{FOLDER}/main.par"


class Files(Reader):
    """A reader of files that a test writes down: their names relative to the main one's folder."""

    def __init__(self, texts):
        self.texts = {str(PurePosixPath(FOLDER, name)): text for name, text in texts.items()}

    def read(self, file):
        return self.texts.get(file, Unread("missing", (("near", ()),)))


def snapshot_of(text, **others):
    """The snapshot of a spec, with other files by their stem: `model="dim B = 4"` is model.par."""
    reader = Files({f"{stem}.par": other for stem, other in others.items()})
    return analysed(Written(MAIN, text, 1), reader)


def cut(source):
    """A source without its cursor mark, and the offset at which it stood."""
    assert source.count(CURSOR) == 1, "a source has one cursor mark"
    return source.replace(CURSOR, ""), source.index(CURSOR)


def at_cursor(source, **others):
    """The snapshot of a source without its cursor mark, and the offset of the mark."""
    text, offset = cut(source)
    return snapshot_of(text, **others), offset


def drawn(text, marks):
    """The lines that marks `(start, end, label)` are in, each with its marks drawn below; one that
    ends on a later line is drawn to the end of its first."""
    lines = LineIndex(text)
    out = []
    last = None
    for start, end, label in sorted(marks):
        line = lines.line_of(start)
        begin, stop = lines.line_span(line)
        if line != last:
            out.append(text[begin:stop])
            last = line
        carets = "^" * max(min(end, stop) - start, 1)
        out.append(f"{' ' * (start - begin)}{carets} {label}".rstrip())
    return "\n".join(out)


def changed(text, edits):
    """A text after edits `(start, end, new)` that do not overlap."""
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return text

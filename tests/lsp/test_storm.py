"""After a storm of changes a server is soon at rest, and what it says is about the last one."""

import pytest
from lsp_editor import Editor, capabilities_of
from storm import storm

SPEC = """mesh N = 8
dim B = 64   # samples
dim D = 512, F = 2048
input x[B, D]
weight w[D, F]
layer up: h[B, F] = x * w  partition F on N
layer act: a[B, F] = gelu(h)
output a
"""
LONG = SPEC + "".join(
    f"weight v{i}[F, D], u{i}[D, F]\n"
    f"layer d{i}: y{i}[B, D] = a * v{i}  partition F on N\n"
    f"layer u{i}: z{i}[B, F] = y{i} * u{i}  partition F on N\n"
    f"output z{i}\n"
    for i in range(40)
)


@pytest.mark.parametrize("text", [SPEC, LONG], ids=["short", "long"])
def test_at_most_two_publications_follow_and_the_last_is_of_the_last_version(text):
    with Editor(capabilities_of("emacs")) as editor:
        seen = storm(editor, text)
    assert len(seen.published) <= 2
    assert seen.published[-1] == seen.version == 201
    assert str(seen.size) in seen.hover


def test_the_published_set_is_the_one_of_the_last_text():
    with Editor(capabilities_of("emacs")) as editor:
        seen = storm(editor, SPEC)
        uri, found = editor.publications[-1]["uri"], editor.publications[-1]["diagnostics"]
        size = f"dim B = {seen.size} "
        editor.open(uri.replace("storm.par", "fresh.par"), SPEC.replace("dim B = 64 ", size))
        assert editor.diagnostics(uri.replace("storm.par", "fresh.par")) == found

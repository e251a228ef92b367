"""A name is found wherever it stands, though only the runs that write it are looked at."""

import unicodedata
from pathlib import Path

import pytest
from lsp_fixtures import snapshot_of

from parspec.lsp.names import Names, Symbol

EXAMPLES = Path(__file__).parents[2] / "examples"
TEXTS = {path.stem: path.read_text("utf-8") for path in sorted(EXAMPLES.glob("*.par"))}
FILLED = "".join(
    f"weight v{i}[F, D], u{i}[D, F]\n"
    f"layer d{i}: y{i}[B, D] = a * v{i}\n"
    f"layer u{i}: z{i}[B, F] = y{i} * u{i}\n"
    for i in range(60)
)
TEXTS["long"] = f"dim B = 4, D = 8, F = 16\ninput a[B, F]\n{FILLED}output z59\n"
TEXTS["decomposed"] = unicodedata.normalize("NFD", TEXTS["long"].replace("D", "Größe"))


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_what_declares_a_name_and_where_it_is_written(text):
    sources = snapshot_of(text).sources.items()
    documents = [(file, source.document) for file, source in sources]
    declared, written = {}, {}
    for listing in Names(documents).listings:
        for key, entries in listing.top.declared.items():
            declared.setdefault(key, []).extend(entries)
        for entry in listing.every():
            written.setdefault(entry.mention.name, []).append(entry)
    for (space, name), entries in declared.items():
        found = Names(documents).declarations(Symbol(space, name, None))
        assert set(found) == set(entries)
    for name, entries in written.items():
        assert [*Names(documents).named(name)] == entries

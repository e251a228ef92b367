"""Open files: whatever a client does to them, they have the text that it has."""

from hypothesis import given
from hypothesis import strategies as st

from parspec.grammar.lines import LineIndex, Position
from parspec.lsp.documents import Change, Documents, changed, opened

ENCODINGS = ("utf-8", "utf-16", "utf-32")
ALPHABET = "ab\n\r\u00e9\u6279\U0001f600\u2028\x0b\x85"
TEXTS = st.text(alphabet=ALPHABET, max_size=30)


def units(text, encoding):
    """How many units a text has."""
    width = {"utf-8": 1, "utf-16": 2, "utf-32": 4}[encoding]
    return len(text.encode(encoding if width == 1 else f"{encoding}-le")) // width


def place(text, offset, encoding):
    """The position of an offset, counted the slow way."""
    before = text[:offset].replace("\r\n", "\n").replace("\r", "\n")
    line = before.rpartition("\n")[2]
    return Position(before.count("\n"), units(line, encoding))


def between(text, offset):
    """Is an offset between the two characters of a line end? No position means that."""
    return text[offset - 1 : offset + 1] == "\r\n"


@given(TEXTS, st.data(), st.sampled_from(ENCODINGS))
def test_random_edits_keep_the_text_that_the_client_has(text, data, encoding):
    file = opened("file:///a.par", "/a.par", 1, text)
    for version in range(2, 8):
        told = []
        for _ in range(data.draw(st.integers(1, 3))):
            places = [at for at in range(len(text) + 1) if not between(text, at)]
            start, end = sorted(data.draw(st.tuples(*[st.sampled_from(places)] * 2)))
            new = data.draw(TEXTS)
            if data.draw(st.integers(0, 9)) == 0:
                told.append(Change(new))
                text = new
                continue
            told.append(Change(new, place(text, start, encoding), place(text, end, encoding)))
            text = text[:start] + new + text[end:]
        file = changed(file, version, told, encoding)
        assert (file.text, file.version) == (text, version)
        fresh = LineIndex(text)
        assert file.lines.line_count == fresh.line_count
        for at in range(len(text) + 1):
            assert file.lines.position(at, encoding) == fresh.position(at, encoding)


@given(TEXTS, st.tuples(*[st.integers(-2, 99)] * 4), TEXTS, st.sampled_from(ENCODINGS))
def test_positions_that_are_nowhere_do_no_harm(text, numbers, new, encoding):
    start, end = Position(*numbers[:2]), Position(*numbers[2:])
    file = changed(opened("u", "u", 1, text), 2, [Change(new, start, end)], encoding)
    assert new in file.text
    assert len(file.text) <= len(text) + len(new)


def test_a_version_stays_as_it_was():
    before = opened("u", "u", 1, "dim B = 4\n")
    after = changed(before, 2, [Change("8", Position(0, 8), Position(0, 9))], "utf-16")
    assert (before.text, before.version) == ("dim B = 4\n", 1)
    assert (after.text, after.version) == ("dim B = 8\n", 2)
    assert before.lines.line_span(0) == (0, 9)


def test_files_are_found_by_every_name(tmp_path):
    tmp_path.joinpath("a.par").write_text("", encoding="utf-8")
    tmp_path.joinpath("b.par").symlink_to(tmp_path / "a.par")
    documents = Documents()
    name, link = str(tmp_path / "a.par"), str(tmp_path / "b.par")
    documents.put(opened("file:///x", name, 1, "old"))
    documents.put(opened("file:///x", name, 2, "new"))
    assert documents.find("file:///x").text == "new"
    assert documents.named(name).text == "new"
    assert documents.named(link).text == "new"
    assert documents.named(str(tmp_path / "c.par")) is None
    assert [file.version for file in documents] == [2]
    assert documents.close("file:///x").version == 2
    assert documents.close("file:///x") is None
    assert documents.named(name) is None
    assert documents.named(link) is None


def test_a_file_that_is_open_under_two_uris_stays_open_when_one_is_closed(tmp_path):
    name = str(tmp_path / "a b.par")
    documents = Documents()
    documents.put(opened("file:///a%20b.par", name, 1, "one"))
    documents.put(opened("file:///a b.par", name, 1, "other"))
    documents.close("file:///a b.par")
    assert documents.named(name).text == "one"
    documents.close("file:///a%20b.par")
    assert documents.named(name) is None

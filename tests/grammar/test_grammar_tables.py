"""The tables of par.lark are the same from lark and from the file in which they are kept."""

import json
import os
import subprocess
import sys
from pathlib import Path
from zlib import crc32

import pytest

from parspec.grammar.compiling import compiled
from parspec.grammar.tables import FORMAT, SOURCE, Tables, tables

EXAMPLE = Path(__file__).parents[2] / "examples" / "megatron_mlp.par"


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """The file; what has been read is forgotten before and after."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    tables.cache_clear()
    yield tmp_path / "parspec" / "grammar.tables"
    tables.cache_clear()


def alike(one: Tables, other: Tables) -> bool:
    """Are two tables the same but for the numbers of their states and rules?"""
    same = {one.start: other.start}
    pending = [one.start]
    while pending:
        here = pending.pop()
        row, mirror = one.states[here], other.states[same[here]]
        if row.keys() != mirror.keys():
            return False
        for name, step in row.items():
            if step < 0 or mirror[name] < 0:
                if one.rules[-1 - step] != other.rules[-1 - mirror[name]]:
                    return False
            elif step not in same:
                same[step] = mirror[name]
                pending.append(step)
            elif same[step] != mirror[name]:
                return False
    rest = [(each.ignored, each.fixed, each.shapes, each.kept) for each in (one, other)]
    return same[one.end] == other.end and json.dumps(rest[0]) == json.dumps(rest[1])


def plain(found: Tables) -> object:
    return json.loads(json.dumps(found))


def from_lark() -> Tables:
    return compiled(SOURCE.read_text("utf-8"))


def test_what_is_kept_is_what_lark_says(kept):
    first = tables()
    assert kept.exists()
    assert [path.name for path in kept.parent.iterdir()] == [kept.name]
    tables.cache_clear()
    second = tables()
    assert second is not first
    assert json.dumps(second) == json.dumps(first)
    assert second.rules == first.rules
    assert alike(second, from_lark())


def test_lark_is_not_loaded_when_they_are_kept(kept):
    script = (
        "import sys\n"
        "from parspec.interpreter.commands.main import main\n"
        f"main(['check', {str(EXAMPLE)!r}])\n"
        "sys.exit('lark' in sys.modules)\n"
    )
    status = [subprocess.run([sys.executable, "-c", script], check=False).returncode for _ in "ab"]
    assert status == [1, 0]


@pytest.mark.parametrize("content", [b"", b"\xff\x00", b"{}", b"00000000\n{}", b"[" * 100_000])
def test_a_file_of_something_else_is_written_anew(kept, content):
    kept.parent.mkdir()
    kept.write_bytes(content)
    assert alike(tables(), from_lark())
    assert json.loads(kept.read_bytes().partition(b"\n")[2])["tables"] == plain(tables())


ENTRIES = {"format": FORMAT, "grammar": SOURCE.read_text("utf-8"), "tables": []}


@pytest.mark.parametrize(
    "content",
    [
        *("[]", "{}", "null", "3", "[" * 100_000),
        json.dumps(ENTRIES),
        json.dumps({**ENTRIES, "tables": [None] * len(Tables._fields)}),
        json.dumps({**ENTRIES, "tables": [[[1]]] * len(Tables._fields)}),
    ],
    ids=lambda content: content[:9],
)
def test_a_whole_file_of_something_else_is_written_anew(kept, content):
    kept.parent.mkdir()
    kept.write_text(f"{crc32(content.encode()):08x}\n{content}")
    assert alike(tables(), from_lark())
    assert json.loads(kept.read_bytes().partition(b"\n")[2])["tables"] == plain(tables())


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes of POSIX")
def test_what_is_no_file_is_not_waited_for(kept):
    kept.parent.mkdir()
    os.mkfifo(kept)
    assert alike(tables(), from_lark())
    assert kept.is_file()


def test_an_interrupt_leaves_nothing_half_written(kept, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        tables()
    assert [*kept.parent.iterdir()] == []


@pytest.mark.parametrize(
    ("settings", "folder"),
    [
        ({"XDG_CACHE_HOME": "relative"}, "home/.cache"),
        ({"XDG_CACHE_HOME": ""}, "home/.cache"),
        ({"XDG_CACHE_HOME": "relative", "HOME": "relative"}, None),
    ],
)
@pytest.mark.skipif(os.name == "nt", reason="HOME is that of POSIX")
def test_nothing_is_kept_in_a_relative_folder(tmp_path, monkeypatch, kept, settings, folder):
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    assert alike(tables(), from_lark())
    assert [*Path().iterdir()] == []
    found = [path.parent.parent for path in tmp_path.rglob("grammar.tables")]
    assert found == ([] if folder is None else [tmp_path / folder])


def test_a_damaged_file_is_written_anew(kept):
    tables()
    for damage in (lambda data: data[:-9], lambda data: data.replace(b"[1,", b"[2,", 1)):
        kept.write_bytes(damage(kept.read_bytes()))
        tables.cache_clear()
        assert alike(tables(), from_lark())
        assert json.loads(kept.read_bytes().partition(b"\n")[2])["tables"] == plain(tables())


def test_the_tables_of_another_grammar_are_not_taken(kept, monkeypatch, tmp_path):
    tables()
    other = tmp_path / "other.lark"
    other.write_text(SOURCE.read_text("utf-8") + "// other\n", "utf-8")
    monkeypatch.setattr("parspec.grammar.tables.SOURCE", other)
    tables.cache_clear()
    tables()
    assert b"// other" in kept.read_bytes()


def test_a_folder_where_nothing_can_be_kept_does_no_harm(tmp_path, monkeypatch, kept):
    place = tmp_path / "a file"
    place.write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(place))
    assert alike(tables(), from_lark())


def test_a_file_that_cannot_be_written_does_no_harm(kept):
    kept.mkdir(parents=True)
    assert alike(tables(), from_lark())
    assert [path.name for path in kept.parent.iterdir()] == [kept.name]

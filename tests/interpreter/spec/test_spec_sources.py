from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from parspec.grammar.syntax import DimStatement, PlanStatement
from parspec.interpreter.spec.readers import SIZE_LIMIT, DiskReader, Reader, Unread, streamed
from parspec.interpreter.spec.sources import DEPTH_LIMIT, Gathered, gather

if TYPE_CHECKING:
    from pathlib import Path

    from parspec.interpreter.diagnostics.findings import Finding


@dataclass(frozen=True)
class Shelf(Reader):
    """A reader of texts in memory."""

    files: dict[str, str | Unread]

    def read(self, file: str) -> str | Unread:
        return self.files.get(file, Unread("missing"))


def gathered(files: dict[str, str | Unread], plan: str | None = None) -> Gathered:
    """The spec `main.par` among these files."""
    text = files["main.par"]
    assert isinstance(text, str)
    return gather("main.par", text, Shelf(files), plan)


def dims(spec: Gathered) -> list[str]:
    """The names of declared dims with the file of each, in effective order."""
    return [
        f"{item.name.text} {placed.file}"
        for placed in spec.statements
        if isinstance(statement := placed.chunk.statement, DimStatement)
        for item in statement.items
    ]


def facts(finding: Finding) -> dict[str, object]:
    return dict(finding.data)


def written(spec: Gathered, finding: Finding) -> str:
    """What stands at a finding's site."""
    document = dict(spec.documents)[finding.site.file]
    chunk = document.every[finding.site.chunk]
    return chunk.text[finding.site.span.start : finding.site.span.end]


def test_imported_statements_stand_where_the_import_stands() -> None:
    spec = gathered(
        {
            "main.par": 'dim A\nimport "sub/model.par"\ndim Z',
            "sub/model.par": 'import "../inner.par"\ndim M',
            "inner.par": "dim I",
        }
    )
    assert dims(spec) == ["A main.par", "I inner.par", "M sub/model.par", "Z main.par"]
    assert [placed.imported for placed in spec.statements] == [False, True, True, False]
    assert [file for file, _ in spec.documents] == ["main.par", "sub/model.par", "inner.par"]
    assert spec.findings == ()


def test_a_file_is_read_once_however_many_import_it() -> None:
    spec = gathered(
        {
            "main.par": 'import "left.par"\nimport "right.par"',
            "left.par": 'import "base.par"\ndim L',
            "right.par": 'import "./base.par"\ndim R',
            "base.par": "dim B",
        }
    )
    assert dims(spec) == ["B base.par", "L left.par", "R right.par"]
    assert spec.findings == ()


def test_a_cycle_is_a_finding_at_the_import_that_leads_into_it() -> None:
    spec = gathered({"main.par": 'dim A\nimport "b.par"', "b.par": 'import "main.par"\ndim B'})
    assert dims(spec) == ["A main.par", "B b.par"]
    (finding,) = spec.findings
    assert finding.name == "import_cycle"
    assert finding.site.file == "main.par"
    assert "b.par" in written(spec, finding)
    assert facts(finding) == {"cycle": ("main.par", "b.par", "main.par")}


def test_a_cycle_is_told_alike_from_wherever_it_is_found() -> None:
    """An editor shows what it finds from each open file: of one fault in one place only once."""
    texts = {"a.par": 'import "b.par"', "b.par": 'dim B\nimport "a.par"'}
    (outside,) = gathered({"main.par": 'import "a.par"', **texts}).findings
    (inside,) = gather("b.par", texts["b.par"], Shelf({**texts})).findings
    assert (outside.site.file, facts(outside)) == ("b.par", {"cycle": ("b.par", "a.par", "b.par")})
    assert outside == inside


def test_a_file_that_imports_itself() -> None:
    (finding,) = gathered({"main.par": 'import "main.par"'}).findings
    assert facts(finding) == {"cycle": ("main.par", "main.par")}


def test_imports_are_followed_so_many_levels_deep() -> None:
    files: dict[str, str | Unread] = {
        f"{n}.par": f'import "{n + 1}.par"\ndim D{n}' for n in range(DEPTH_LIMIT + 5)
    }
    spec = gathered({"main.par": 'import "0.par"', **files})
    (finding,) = spec.findings
    assert finding.name == "import_depth"
    assert facts(finding) == {"depth": DEPTH_LIMIT + 1, "limit": DEPTH_LIMIT}
    assert len(spec.documents) == DEPTH_LIMIT + 1


@pytest.mark.parametrize(
    ("why", "name", "data"),
    [
        (Unread("missing"), "file_not_found", {"near": ()}),
        (Unread("missing", (("near", ("x.par",)),)), "file_not_found", {"near": ("x.par",)}),
        (
            Unread("unreadable", (("reason", "permission denied"),)),
            "unreadable_file",
            {"reason": "permission denied"},
        ),
        (
            Unread("not_utf8", (("offset", 3), ("byte", "0xff"))),
            "not_utf8",
            {"offset": 3, "byte": "0xff"},
        ),
        (
            Unread("too_large", (("size", 20), ("limit", 10))),
            "file_too_large",
            {"size": 20, "limit": 10},
        ),
    ],
)
def test_an_unread_file_is_a_finding_at_its_import(
    why: Unread, name: str, data: dict[str, object]
) -> None:
    spec = gathered({"main.par": 'dim A\nimport "gone.par"\ndim B', "gone.par": why})
    (finding,) = spec.findings
    assert finding.name == name
    assert facts(finding) == {"file": "gone.par", **data}
    assert "gone.par" in written(spec, finding)
    assert dims(spec) == ["A main.par", "B main.par"]


def test_the_built_in_library() -> None:
    spec = gathered({"main.par": "import std.h100\nimport std.h100\ndim B"})
    assert spec.findings == ()
    assert [file for file, _ in spec.documents] == ["main.par", "std/h100.par"]
    assert len(tuple(spec.statements)) == 4  # a device, two links, the dim


@pytest.mark.parametrize(
    ("target", "near"),
    [("std.h10", "std.h100"), ("std.H100", "std.h100"), ("h100", "std.h100")],
)
def test_an_unknown_library_file(target: str, near: str) -> None:
    spec = gathered({"main.par": f"import {target}"})
    (finding,) = spec.findings
    assert finding.name == "unknown_name"
    assert facts(finding)["kind"] == "library file"
    assert facts(finding)["name"] == target
    close = facts(finding)["near"]
    assert isinstance(close, tuple)
    assert close[0] == near
    assert written(spec, finding) == target


def test_the_body_of_the_chosen_plan_follows_at_the_end() -> None:
    files: dict[str, str | Unread] = {
        "main.par": 'import "model.par"\nplan big { dim B = 2 }\nplan small { dim B = 1 }\ndim A',
        "model.par": "dim B\nplan tiny { dim C = 3 }",
    }
    assert dims(gathered(files)) == ["B model.par", "A main.par"]
    spec = gathered(files, "big")
    assert dims(spec) == ["B model.par", "A main.par", "B main.par"]
    assert [placed.plan for placed in spec.statements if placed.plan] == ["big"]
    assert spec.plans == ("tiny", "big", "small")
    assert dims(gathered(files, "tiny"))[-1] == "C model.par"
    headers = [p for p in spec.statements if isinstance(p.chunk.statement, PlanStatement)]
    assert len(headers) == 3


def test_an_unknown_plan() -> None:
    (finding,) = gathered({"main.par": "plan small { dim B = 1 }"}, "smal").findings
    assert facts(finding) == {"kind": "plan", "name": "smal", "near": ("small",)}


def test_a_plan_declared_twice() -> None:
    spec = gathered({"main.par": "plan a { dim B = 1 }\nplan a { dim B = 2 }"})
    (finding,) = spec.findings
    assert finding.name == "duplicate_name"
    assert facts(finding) == {"kind": "plan", "name": "a"}
    assert len(finding.related) == 1


def test_an_import_inside_a_body_is_misplaced() -> None:
    spec = gathered({"main.par": 'plan a { import "model.par"\n dim B = 1 }'}, "a")
    (finding,) = spec.findings
    assert finding.name == "misplaced"
    assert facts(finding) == {"statement": "import", "place": "inside a plan"}
    assert dims(spec) == ["B main.par"]


def test_syntax_faults_of_every_file_are_findings() -> None:
    spec = gathered(
        {"main.par": 'import "model.par"\ndim A =\ndim B = 4', "model.par": "mesh tp 8\ndim C"}
    )
    assert [(f.name, f.site.file) for f in spec.findings] == [
        ("syntax_error", "main.par"),
        ("syntax_error", "model.par"),
    ]
    assert all(facts(f).keys() == {"message", "expected", "help"} for f in spec.findings)
    assert dims(spec)[-1] == "B main.par"


def test_comments_document_items_or_the_statement() -> None:
    spec = gathered({"main.par": "# sizes\ndim B, D  # tokens, hidden\n# kv\ndim G"})
    first, second = spec.statements
    assert (first.note("B"), first.note("D"), second.note("G")) == ("tokens", "hidden", "kv")


class TestDisk:
    def test_utf8_with_and_without_a_byte_order_mark(self, tmp_path: Path) -> None:
        (tmp_path / "a.par").write_bytes(b"\xef\xbb\xbfdim \xce\x94x\r\n")
        assert DiskReader().read(str(tmp_path / "a.par")) == "dim Δx\r\n"

    def test_a_missing_file_offers_its_neighbours(self, tmp_path: Path) -> None:
        (tmp_path / "model.par").write_text("dim B")
        (tmp_path / "model.txt").write_text("")
        assert DiskReader().read(str(tmp_path / "modle.par")) == Unread(
            "missing", (("near", ("model.par",)),)
        )

    def test_a_missing_folder(self, tmp_path: Path) -> None:
        assert DiskReader().read(str(tmp_path / "no" / "a.par")) == Unread(
            "missing", (("near", ()),)
        )

    def test_a_folder(self, tmp_path: Path) -> None:
        assert DiskReader().read(str(tmp_path)) == Unread(
            "unreadable", (("reason", "a directory"),)
        )

    def test_a_device_is_not_read(self) -> None:
        assert DiskReader().read("/dev/zero") == Unread(
            "unreadable", (("reason", "not a regular file"),)
        )

    def test_bytes_that_are_no_utf8(self, tmp_path: Path) -> None:
        (tmp_path / "a.par").write_bytes(b"\xef\xbb\xbfdim \xff")
        assert DiskReader().read(str(tmp_path / "a.par")) == Unread(
            "not_utf8", (("offset", 7), ("byte", "0xff"))
        )

    def test_a_nul(self, tmp_path: Path) -> None:
        (tmp_path / "a.par").write_bytes(b"dim\0")
        why = DiskReader().read(str(tmp_path / "a.par"))
        assert why == Unread("unreadable", (("reason", "not a text: a NUL at offset 3"),))

    def test_a_file_that_is_too_large(self, tmp_path: Path) -> None:
        with (tmp_path / "a.par").open("wb") as file:
            file.truncate(SIZE_LIMIT + 1)
        assert DiskReader().read(str(tmp_path / "a.par")) == Unread(
            "too_large", (("size", SIZE_LIMIT + 1), ("limit", SIZE_LIMIT))
        )

    def test_a_stream_without_an_end(self) -> None:
        class Endless(io.BytesIO):
            def read(self, size: int | None = -1) -> bytes:
                assert size is not None
                assert size > 0
                return b"x" * size

        assert streamed(Endless()) == Unread("too_large", (("size", None), ("limit", SIZE_LIMIT)))

    @pytest.mark.parametrize("name", ["a\0b", "\ud800", "x" * 5000])
    def test_names_that_no_file_can_have(self, name: str) -> None:
        why = DiskReader().read(name)
        assert isinstance(why, Unread)
        assert why.reason in ("missing", "unreadable")

    def test_imports_are_relative_to_the_importing_file(self, tmp_path: Path) -> None:
        (tmp_path / "models").mkdir()
        (tmp_path / "models" / "a.par").write_text('import "b.par"')
        (tmp_path / "models" / "b.par").write_text("dim B")
        main = str(tmp_path / "main.par")
        spec = gather(main, 'import "models/a.par"', DiskReader())
        assert spec.findings == ()
        assert dims(spec) == [f"B {tmp_path / 'models' / 'b.par'}"]

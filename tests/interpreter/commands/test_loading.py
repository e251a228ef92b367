"""From operands to files: order, what is left out, each file once."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from parspec.interpreter.commands import loading
from parspec.interpreter.commands.loading import Unusable, files, spec
from parspec.interpreter.commands.main import main


@pytest.fixture(autouse=True)
def folder(folder):
    for name in ("b/z.par", "b/a.par", "b/c/d.par", "b/.hidden/e.par", "b/.f.par", "b/notes.txt"):
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return folder


def test_folders_are_searched_in_the_order_of_names():
    assert files(["b"]) == ("b/a.par", "b/z.par", "b/c/d.par")
    assert files(["."]) == ("b/a.par", "b/z.par", "b/c/d.par")


def test_what_is_hidden_is_looked_at_only_when_it_is_named():
    assert files(["b/.hidden", "b/.f.par"]) == ("b/.hidden/e.par", "b/.f.par")


def test_each_file_once_by_the_first_of_its_names(folder):
    names = ["b/z.par", "./b/z.par", "b", str(folder / "b" / "a.par"), "b/../b/z.par"]
    assert files(names) == ("b/z.par", "b/a.par", "b/c/d.par")


def test_links_to_folders_are_not_followed():
    Path("b/c/up").symlink_to("..")
    Path("b/again").symlink_to("c")
    assert files(["b"]) == ("b/a.par", "b/z.par", "b/c/d.par")
    assert files(["b/again"]) == ("b/again/d.par",)


def test_a_link_that_leads_to_itself_is_a_file_that_cannot_be_read():
    Path("b/loop.par").symlink_to("loop.par")
    assert "b/loop.par" in files(["b"])
    assert isinstance(spec("b/loop.par"), Unusable)


def test_a_folder_whose_name_ends_like_a_spec():
    Path("b/e.par").mkdir()
    Path("b/e.par/f.par").touch()
    assert files(["b/e.par"]) == ("b/e.par/f.par",)
    assert files(["b"])[-1] == "b/e.par/f.par"


def test_a_folder_that_is_closed_stands_for_itself(monkeypatch):
    scandir = os.scandir

    def closed(folder):
        if Path(folder).name == "c":
            raise PermissionError(13, "Permission denied", folder)
        return scandir(folder)

    monkeypatch.setattr(loading.os, "scandir", closed)
    assert files(["b"]) == ("b/a.par", "b/z.par", "b/c")


def test_names_that_are_no_files_are_kept():
    assert files(["-", "gone.par", "", "-"]) == ("-", "gone.par", "")


def test_a_further_folder_may_be_allowed(tmp_path, monkeypatch, capsys):
    (tmp_path / "plans").mkdir()
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "m.par").write_text("dim B = 4\n")
    (tmp_path / "plans" / "p.par").write_text('import "../models/m.par"\ninput x[B]\noutput x\n')
    monkeypatch.chdir(tmp_path / "plans")
    assert main(["check", "p.par"]) == 1
    assert "PAR607" in capsys.readouterr().out
    assert main(["check", "--import-from", "../models", "p.par"]) == 0
    assert main(["report", "p.par", "--import-from", "../models"]) == 0

"""Imports stay in the folder of the file that is read and in the working folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from parspec.interpreter.diagnostics import catalogue
from parspec.interpreter.spec.model import Model
from parspec.interpreter.spec.readers import DiskReader
from parspec.interpreter.spec.resolve import resolve


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two folders beside one another and one below, in a folder that is not the working one."""
    for name in ("specs/deep/low.par", "specs/near.par", "beside/secret.par", "away/x.par"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("the secret word is swordfish\n" if "secret" in name else "dim Z = 4\n")
    (tmp_path / "specs/link.par").symlink_to(tmp_path / "beside/secret.par")
    (tmp_path / "specs/round.par").symlink_to(tmp_path / "specs/round.par")
    monkeypatch.chdir(tmp_path / "away")
    return tmp_path


def importing(file: Path, target: str) -> Model:
    text = f'import "{target}"\ninput x[Z]\noutput x\n'
    return resolve(str(file), text, DiskReader())


@pytest.mark.parametrize(
    "target", ["near.par", "deep/low.par", "deep/../near.par", "../specs/near.par"]
)
def test_what_lies_below_the_folder_of_the_file_is_read(tree: Path, target: str):
    assert importing(tree / "specs/main.par", target).findings == ()


@pytest.mark.parametrize("target", ["../beside/secret.par", "link.par", "{tree}/beside/secret.par"])
def test_what_lies_elsewhere_is_not_shown(tree: Path, target: str):
    read = importing(tree / "specs/main.par", target.format(tree=tree))
    assert [finding.name for finding in read.findings] == ["import_outside"]
    assert "swordfish" not in " ".join(map(catalogue.message, read.findings))
    assert len(read.documents) == 1


def test_in_the_working_folder_it_is_read(tree: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tree)
    assert importing(tree / "specs/main.par", "../away/x.par").findings == ()


@pytest.mark.parametrize("target", ["", " "])
def test_a_file_without_a_name(tree: Path, target: str):
    (finding,) = importing(tree / "specs/main.par", target).findings
    assert catalogue.message(finding) == '"" cannot be read: the name is empty'


def test_a_circle_of_links_is_one_error(tree: Path):
    assert len(importing(tree / "specs/main.par", "round.par").findings) == 1


def test_of_what_stands_alone_the_kind_is_said_once():
    read = resolve("main.par", "mesh a = 2\nmesh b = 2\n", DiskReader())
    assert [catalogue.message(finding) for finding in read.findings] == ["mesh is declared twice"]

"""What an analysis reads is of one moment, whatever is edited meanwhile."""

from parspec.lsp.documents import Documents, opened
from parspec.lsp.files import Files, Recorder

URI, NAME = "file:///repo/model.par", "/repo/model.par"


def test_a_file_is_read_once_for_an_analysis():
    documents = Documents()
    documents.put(opened(URI, NAME, 1, "dim B = 4\n"))
    files = Files(documents)
    read = Recorder(files)
    assert read.read(NAME) == "dim B = 4\n"
    assert read.is_current()
    documents.put(opened(URI, NAME, 2, "dim B = 8\n"))
    assert read.read(NAME) == "dim B = 4\n"
    assert not read.is_current()
    assert Recorder(files).read(NAME) == "dim B = 8\n"


def test_where_a_file_lies_is_of_one_moment_too(tmp_path):
    target, link = tmp_path / "target.par", tmp_path / "link.par"
    target.write_text("dim B = 4\n")
    files = Files(Documents())
    link.symlink_to(target)
    read = Recorder(files)
    assert read.real(str(link)) == str(target.resolve())
    link.unlink()
    link.write_text("dim B = 4\n")
    assert read.real(str(link)) == str(target.resolve())
    assert not read.is_current()
    assert Recorder(files).real(str(link)) == str(tmp_path.resolve() / "link.par")


def test_an_analysis_is_of_the_folders_that_were_open():
    files = Files(Documents())
    read = Recorder(files)
    assert read.is_current()
    files.folders = ["/repo"]
    assert not read.is_current()
    assert Recorder(files).is_current()

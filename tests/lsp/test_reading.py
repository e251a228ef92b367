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

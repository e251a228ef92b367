"""URIs as editors write them, and the names of files."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parspec.lsp.uris import posix_name, uri_of, windows_name


@pytest.mark.parametrize(
    ("uri", "name"),
    [
        ("file:///work/a.par", "/work/a.par"),
        ("file:///work/my%20plan.par", "/work/my plan.par"),
        ("file:///work/my plan.par", "/work/my plan.par"),
        ("file:///work/a%3Ab.par", "/work/a:b.par"),
        ("file:///work/%E6%89%B9.par", "/work/批.par"),
        ("file:///work/%2523.par", "/work/%23.par"),
        ("file:///work/a%23b%3Fc.par", "/work/a#b?c.par"),
        ("file:///work/a?b#c.par", "/work/a?b#c.par"),
        ("file:///work/../a.par", "/a.par"),
        ("file://localhost/work/a.par", "/work/a.par"),
        ("FILE:///work/a.par", "/work/a.par"),
        ("untitled:Untitled-1", None),
        ("git:/work/a.par?%7B%7D", None),
        ("vscode-remote://ssh/work/a.par", None),
        ("file:", None),
        ("", None),
    ],
)
def test_names_on_posix(uri, name):
    assert posix_name(uri) == name


@pytest.mark.parametrize(
    ("uri", "name"),
    [
        ("file:///c%3A/work/a.par", "c:\\work\\a.par"),
        ("file:///C:/my%20work/a.par", "c:\\my work\\a.par"),
        ("file:///c:/work/a.par", "c:\\work\\a.par"),
        ("file://server/share/a.par", "\\\\server\\share\\a.par"),
        ("untitled:Untitled-1", None),
    ],
)
def test_names_on_windows(uri, name):
    assert windows_name(uri) == name


@pytest.mark.parametrize(
    ("name", "uri"),
    [
        ("/work/my plan.par", "file:///work/my%20plan.par"),
        ("/work/a#b?c%d:e.par", "file:///work/a%23b%3Fc%25d%3Ae.par"),
        ("/work/批.par", "file:///work/%E6%89%B9.par"),
        ("/work/back\\slash.par", "file:///work/back%5Cslash.par"),
        ("C:\\my work\\a.par", "file:///c%3A/my%20work/a.par"),
        ("\\\\server\\share\\a.par", "file://server/share/a.par"),
    ],
)
def test_uris(name, uri):
    assert uri_of(name) == uri


@given(st.text(st.characters(exclude_characters="\0/", codec="utf-8"), min_size=1, max_size=20))
def test_a_name_comes_back(part):
    if part in (".", ".."):
        return
    assert posix_name(uri_of(f"/work/{part}")) == f"/work/{part}"

"""URIs as editors write them, and the names of files."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parspec.lsp.uris import posix_name, uri_of, windows_name


@pytest.mark.parametrize(
    ("uri", "name"),
    [
        ("file:///repo/a.par", "/repo/a.par"),
        ("file:///repo/my%20plan.par", "/repo/my plan.par"),
        ("file:///repo/my plan.par", "/repo/my plan.par"),
        ("file:///repo/a%3Ab.par", "/repo/a:b.par"),
        ("file:///repo/%E6%89%B9.par", "/repo/批.par"),
        ("file:///repo/%2523.par", "/repo/%23.par"),
        ("file:///repo/a%23b%3Fc.par", "/repo/a#b?c.par"),
        ("file:///repo/a?b#c.par", "/repo/a?b#c.par"),
        ("file:///repo/../a.par", "/a.par"),
        ("file://localhost/repo/a.par", "/repo/a.par"),
        ("FILE:///repo/a.par", "/repo/a.par"),
        ("untitled:Untitled-1", None),
        ("git:/repo/a.par?%7B%7D", None),
        ("vscode-remote://ssh/repo/a.par", None),
        ("file:", None),
        ("file:///repo/a%00.par", None),
        ("file://[repo/a.par", None),
        ("http://[::1/a.par", None),
        ("", None),
    ],
)
def test_names_on_posix(uri, name):
    assert posix_name(uri) == name


@pytest.mark.parametrize(
    ("uri", "name"),
    [
        ("file:///c%3A/repo/a.par", "c:\\repo\\a.par"),
        ("file:///C:/my%20work/a.par", "c:\\my work\\a.par"),
        ("file:///c:/repo/a.par", "c:\\repo\\a.par"),
        ("file://server/share/a.par", "\\\\server\\share\\a.par"),
        ("untitled:Untitled-1", None),
    ],
)
def test_names_on_windows(uri, name):
    assert windows_name(uri) == name


@pytest.mark.parametrize(
    ("name", "uri"),
    [
        ("/repo/my plan.par", "file:///repo/my%20plan.par"),
        ("/repo/a#b?c%d:e.par", "file:///repo/a%23b%3Fc%25d%3Ae.par"),
        ("/repo/批.par", "file:///repo/%E6%89%B9.par"),
        ("/repo/back\\slash.par", "file:///repo/back%5Cslash.par"),
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
    assert posix_name(uri_of(f"/repo/{part}")) == f"/repo/{part}"

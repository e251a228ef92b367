"""Messages out of a stream of bytes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parspec.lsp.wire import Frames, Garbled, framed


@given(st.lists(st.binary(max_size=40)), st.lists(st.integers(1, 30)))
def test_messages_come_whole_however_the_stream_is_cut(messages, cuts):
    stream = b"".join(map(framed, messages))
    frames, found = Frames(), []
    for length in [*cuts, len(stream)]:
        found += frames.feed(stream[:length])
        stream = stream[length:]
    assert found == messages


def test_other_headers_are_passed_over():
    data = b"content-type: application/vscode-jsonrpc\r\nCONTENT-LENGTH:  2\r\n\r\n{}rest"
    assert list(Frames().feed(data)) == [b"{}"]


@pytest.mark.parametrize(
    "data",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        b"Content-Length: many\r\n\r\n",
        b"Content-Length: " + b"9" * 5000 + b"\r\n\r\n",
        b"x" * 20000,
    ],
)
def test_what_is_not_the_protocol(data):
    with pytest.raises(Garbled):
        list(Frames().feed(data))

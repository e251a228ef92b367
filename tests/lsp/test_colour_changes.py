"""What changes in the colours of a file: applied to the old ones it gives the new ones."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st
from lsp_requests import session_with, uri
from lsprotocol import types

from parspec.lsp.convert.coloring import semantic_tokens_delta, semantic_tokens_full

SAID = {
    "capabilities": {"textDocument": {"semanticTokens": {"requests": {"full": {"delta": True}}}}}
}
URI = uri("a.par")
HERE = types.TextDocumentIdentifier(URI)
SPEC = """\
mesh tp = 8
dim B = 4, D = 8  # sizes
input x[B, D]
weight 权[D]
layer up: h[B] = x * 权  partition D on tp
output h replicated on tp
"""
PIECES = [
    "",
    "\n",
    " ",
    "x",
    "dim E = 4\n",
    "# 🚀\n",
    "layer a: z[B] = h\n",
    "tp, B",
    "}",
    "plan p {\n",
]


class Client:
    """Keeps the numbers of the colours as an editor does."""

    def __init__(self, text):
        self.session = session_with(("a.par", text), said=SAID)
        found = semantic_tokens_full(self.session.view(URI), types.SemanticTokensParams(HERE))
        self.data, self.number, self.version = list(found.data), found.result_id, 1

    def change(self, text):
        """The answer to the new text, which is taken over."""
        self.version += 1
        self.session.open(URI, self.version, text)
        asked = types.SemanticTokensDeltaParams(HERE, self.number)
        answer = semantic_tokens_delta(self.session.view(URI), asked)
        if isinstance(answer, types.SemanticTokens):
            self.data = list(answer.data)
        else:
            for edit in reversed(answer.edits):
                self.data[edit.start : edit.start + edit.delete_count] = edit.data or []
        self.number = answer.result_id
        return answer


@given(
    st.lists(
        st.tuples(st.integers(0, len(SPEC)), st.integers(0, 30), st.sampled_from(PIECES)),
        min_size=1,
        max_size=6,
    )
)
def test_the_changes_lead_from_the_old_colours_to_the_new_ones(edits):
    text = SPEC
    client = Client(text)
    for start, length, piece in edits:
        text = text[:start] + piece + text[start + length :]
        answer = client.change(text)
        assert isinstance(answer, types.SemanticTokensDelta)
        assert (client.data, client.number) == (Client(text).data, Client(text).number)


def test_an_edit_in_a_line_sends_what_it_touches():
    client = Client(SPEC * 20)
    (edit,) = client.change((SPEC * 20).replace("D = 8", "E, D = 8", 1)).edits
    assert len(edit.data or []) <= 10
    assert edit.delete_count < 10


def test_nothing_is_sent_where_nothing_has_changed():
    client = Client(SPEC)
    before = client.number
    assert client.change(SPEC.replace("# sizes", "# other")).edits == []
    assert client.number == before


def test_all_is_sent_to_who_has_something_else():
    client = Client(SPEC)
    client.number = "of another day"
    answer = client.change(SPEC + "dim E = 4\n")
    assert isinstance(answer, types.SemanticTokens)
    client.session.close(URI)
    client.session.open(URI, 9, SPEC)
    assert isinstance(client.change(SPEC), types.SemanticTokens)


def test_who_asks_for_no_changes_gets_no_number():
    session = session_with(("a.par", SPEC), said={"capabilities": {}})
    found = semantic_tokens_full(session.view(URI), types.SemanticTokensParams(HERE))
    assert found.result_id is None
    assert found.data == Client(SPEC).data


LONG = "\n".join(
    [
        "mesh tp = 2, dp = 2",
        "dim B = 4, D = 8",
        "op twice(X[I]) -> Y[I] = X + X",
        "input x0[B, D]",
        *(f"layer l{n}: x{n}[B, D] = x{n - 1}  partition D on tp  # {n}" for n in range(1, 120)),
        "stack s[B]: x119 -> z {",
        "  layer in: z[B, D] = twice(x119)",
        "}",
        *(f"weight w{n}[D]  layer m{n}: v{n}[B, D] = z * w{n}" for n in range(120)),
        "for l*, s.in: partition B on dp",
        "plan p {",
        "  dim B = 8",
        "}",
        "expect z is P(B) on dp",
    ]
)
WORDS = ["x3", "l5", "w7", "v8", "D", "B", "twice", "z", "in", "tp", "s", "p", "layer", "weight"]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(WORDS), st.sampled_from([*WORDS, "q", "", "#", "\n", "}"])),
        min_size=1,
        max_size=3,
    ),
    st.randoms(use_true_random=False),
)
def test_what_is_kept_of_other_runs_is_what_would_be_found_anew(edits, random):
    text = LONG
    client = Client(text)
    for old, new in edits:
        found = [match.span() for match in re.finditer(rf"\b{old}\b", text)]
        if found:
            start, end = random.choice(found)
            text = text[:start] + new + text[end:]
            client.change(text)
            assert client.data == Client(text).data

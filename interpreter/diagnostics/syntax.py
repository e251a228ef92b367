"""PAR0xx: text that is not a statement."""

from __future__ import annotations

from parspec.interpreter.diagnostics.entry import Entry, Facts, word


def _syntax_error(facts: Facts) -> str:
    """The parser's own sentence, with how to mend it where it says so."""
    mend = facts.get("help")
    return f"{word(facts['message'])}; {word(mend)}" if mend else word(facts["message"])


ENTRIES = (
    Entry(
        code="PAR001",
        name="syntax_error",
        severity="error",
        message=_syntax_error,
        explanation=(
            "The text stops being a statement here. Every statement begins with a keyword (dim, "
            "mesh, input, layer, ...), so the reader goes on with the next one: one broken "
            "statement gives one error and hides nothing of the others."
        ),
        example="""\
mesh N = 8
dim B = 64, = 32
input x[B]
output x
""",
        mend=((", = 32", ""),),
    ),
)

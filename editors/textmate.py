"""The TextMate grammar of the language, for VS Code and everything else that reads one.

Contextual words are coloured in the statements in which they mean something: `ring` is a word in a
partition and a name elsewhere. Statements end where the next one starts, as the language says it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from words import (
    BUDGETS,
    DECLARED_FUNCTIONS,
    PRICE_LISTS,
    SETTING_KEYS,
    SETTING_VALUES,
    TYPES,
    called,
    contextual,
)

from parspec.grammar.keywords import INNER_WORDS, PRIMITIVES, STARTERS, UNITS

Rule = dict[str, Any]

SCOPE = "source.par"

_NAME = r"[^\W\d]\w*"
_WORD_BEFORE, _WORD_BEHIND = r"(?<![\w.])", r"(?!\w)"
_CLAUSES = ("partition", "replicated", "centralized", "partial", "store", "frozen", "at")


def grammar() -> Rule:
    """The grammar as JSON has it."""
    return {
        "name": "parspec",
        "scopeName": SCOPE,
        "fileTypes": ["par"],
        "patterns": [_included("comment"), _included("body"), _included("statement")],
        "repository": {
            "comment": _match(r"#.*$", "comment.line.number-sign"),
            "body": {"begin": r"\{", "end": r"\}", "patterns": [{"include": "$self"}]},
            "statement": {"patterns": list(_statements())},
            "clause": _clause(),
            "shape": _shape(),
            "quantity": _quantity(),
            "expression": _expression(),
            "common": _common(),
        },
    }


def _statements() -> Iterable[Rule]:
    tensor = _match(rf"{_NAME}(?=\s*\[)", "variable.other.tensor")
    path = _match(rf"{_NAME}(?:\.{_NAME})*", "entity.name.function")
    axis = _match(_NAME, "variable.other.constant.axis")
    dimension = _match(_NAME, "entity.name.type.dimension")
    named = _match(rf"\G\s*{_NAME}", "entity.name.function")
    element_type = _match(rf":\s*({_any(TYPES)})", "", "storage.type.dtype")
    layer = _included("clause", "shape", "expression", "common")

    yield _statement(
        ("dim",), [_words(contextual(), "keyword.other"), _called(), _included("common"), dimension]
    )
    yield _statement(
        ("mesh", "axis"),
        [
            _match(rf"\b(over)\s+({_NAME})", "", "keyword.other", "variable.other.constant.link"),
            _match(
                rf"\b(on)\s+(?:(\d\w*)\s+)?({_NAME})",
                "",
                "keyword.other",
                "constant.numeric",
                "variable.other.constant.device",
            ),
            _words(("rest",), "keyword.other"),
            _included("common"),
            axis,
        ],
    )
    yield _statement(("link", "device", "train", "infer"), [_braces(), named, _included("common")])
    yield _statement(("dtype",), [_dtype(), _included("common")])
    yield _statement(("input", "weight", "cache", "var"), [tensor, element_type, layer])
    yield _statement(
        ("output",),
        [_included("clause"), _included("common"), _match(_NAME, "variable.other.tensor")],
    )
    yield _statement(("layer",), [_labelled(), tensor, element_type, layer])
    yield _statement(("op",), [_words(("pointwise",), "keyword.other"), named, tensor, layer])
    yield _statement(
        ("block", "stack", "plan"),
        [_words(("fused",), "keyword.other"), named, tensor, layer],
        r"(?=\{)",
    )
    yield _statement(
        ("stages",),
        [
            _match(rf"\G\s*({_NAME})(?=[^:]*:)", "variable.other.constant.axis"),
            _included("common"),
            path,
        ],
    )
    yield _statement(
        ("for",),
        [
            _group(r"\{", r"\}", [_included("common"), path]),
            _included("clause"),
            _included("common"),
            path,
        ],
    )
    yield _statement(("cost",), [_words(PRICE_LISTS, "constant.language.prices")])
    yield _statement(("communication",), [_match(_NAME, "constant.language.mode")])
    yield _statement(
        ("import",),
        [
            _match(r'"[^"\r\n]*"', "string.quoted.double"),
            _included("comment"),
            _match(rf"{_NAME}(?:\.{_NAME})*", "entity.name.namespace"),
        ],
    )
    yield _statement(("expect",), _expectation())


def _expectation() -> list[Rule]:
    return [
        _called(),
        _match(r"(?<=\bis\s)\s*(?:P|R|C)(?=\W|$)", "constant.language.state"),
        _match(rf"\b(on)\s+({_NAME})", "", "keyword.other", "variable.other.constant.axis"),
        _words(("no", "communication"), "keyword.other"),
        _match(r"\bper\s+device\b", "keyword.other"),
        _words(("forward", "backward", "update"), "keyword.other"),
        _match(rf"\G\s*{_any(BUDGETS)}", "variable.other.figure"),
        _included("common"),
        _match(rf"{_NAME}(?:\.{_NAME})*", "variable.other.tensor"),
    ]


def _clause() -> Rule:
    """`partition B on dp, S on cp zigzag * tp`, up to the next clause or statement."""
    ends = _any((*_CLAUSES, "recompute", "uneven", "over"))
    return {
        "patterns": [
            {
                "begin": _any(("partition", "store")),
                "beginCaptures": {"0": {"name": "keyword.other.clause.par"}},
                "end": rf"(?={ends})|(?=[{{}}])|(?={_starter(STARTERS)})",
                "patterns": [
                    _words(("zigzag", "ring", "none"), "keyword.other"),
                    _match(
                        rf"(?:\b(on)\b|(\*))\s*({_NAME})",
                        "",
                        "keyword.other",
                        "keyword.operator",
                        "variable.other.constant.axis",
                    ),
                    _included("common"),
                    _match(_NAME, "entity.name.type.dimension"),
                ],
            },
            _match(rf"\b(at|on)\s+({_NAME})", "", "keyword.other", "variable.other.constant.axis"),
            _words(("recompute", "uneven"), "keyword.other.clause"),
        ]
    }


def _shape() -> Rule:
    """`[B, S, D]`."""
    dimension = _match(_NAME, "entity.name.type.dimension")
    return _group(r"\[", r"\]", [_included("comment"), _included("quantity"), dimension])


def _quantity() -> Rule:
    """A number with its suffix or unit."""
    number = r"(?<![\w.])\d(?:_?\d)*(?:\.\d+)?(?:[eE][+-]?\d+|[KMGT]i(?!\w))?"
    units = "|".join(sorted(UNITS, key=len, reverse=True))
    pattern = rf"({number})(?:\s*({units})(?!\w)(?!\s*=(?!=)))?(?!\w)"
    return _match(pattern, "", "constant.numeric", "keyword.other.unit")


def _expression() -> Rule:
    along = r"(?=\s*(?:\(|over\b))"
    return {
        "patterns": [
            _match(rf"{_any(DECLARED_FUNCTIONS)}{along}", "support.function"),
            _match(
                rf"\b({_NAME})\s+(over)\s+({_NAME})",
                "",
                "entity.name.function",
                "keyword.other",
                "entity.name.type.dimension",
            ),
            _match(rf"\b(over)\s+({_NAME})", "", "keyword.other", "entity.name.type.dimension"),
            _match(r"\bmasked(?=\s*\()", "keyword.other"),
            _match(rf"\b{_NAME}(?=\s*\()", "entity.name.function"),
        ]
    }


def _common() -> Rule:
    """What means the same in every statement."""
    inner = [word for word in INNER_WORDS if word not in _CLAUSES]
    return {
        "patterns": [
            _included("comment"),
            _included("quantity"),
            _match(rf"(?<![\w-]){_either(PRIMITIVES)}(?![\w-])", "support.class.primitive"),
            _words(_CLAUSES, "keyword.other.clause"),
            _words(inner, "keyword.other"),
            _match(r"->|[<>=]=|[-+*/=<>|]", "keyword.operator"),
            _match(r"\?", "keyword.operator.hole"),
        ]
    }


def _braces() -> Rule:
    """`{ bandwidth = 50 GB/s  latency = 5 us }`."""
    return _group(
        r"\{",
        r"\}",
        [
            _match(rf"{_any(SETTING_KEYS)}(?=\s*=)", "variable.other.property"),
            _match(rf"{_any(SETTING_VALUES)}", "constant.language.setting"),
            _dtype(),
            _included("common"),
        ],
    )


def _dtype() -> Rule:
    return _match(_any(TYPES), "storage.type.dtype")


def _called() -> Rule:
    return _match(rf"{_any(called())}(?=\s*\()", "support.function")


def _labelled() -> Rule:
    return _match(rf"\G\s*({_NAME})(?=\s*:)", "entity.name.function")


def _statement(starters: tuple[str, ...], patterns: list[Rule], until: str = "") -> Rule:
    ends = [until, r"(?=\})", rf"(?={_starter(STARTERS)})"]
    return {
        "name": "meta.statement.par",
        "begin": _starter(starters),
        "beginCaptures": {"0": {"name": "keyword.control.par"}},
        "end": "|".join(end for end in ends if end),
        "patterns": patterns,
    }


def _starter(words: Iterable[str]) -> str:
    """Where one of the words begins a statement: what follows does not make it a name."""
    others = "|".join(word for word in words if word != "for")
    exempting = r"(?!\s*[=:\[(.,)\]}+\-|<>])"
    parts = [rf"(?:{others}){_WORD_BEHIND}(?!\s*\*)"] if others else []
    if "for" in words:
        parts.append(rf"for{_WORD_BEHIND}")
    return rf"{_WORD_BEFORE}(?<!\bno )(?<!\bper )(?:{'|'.join(parts)}){exempting}"


def _any(words: Iterable[str]) -> str:
    return rf"{_WORD_BEFORE}{_either(words)}{_WORD_BEHIND}"


def _either(words: Iterable[str]) -> str:
    return f"(?:{'|'.join(sorted(words, key=lambda word: (-len(word), word)))})"


def _words(words: Iterable[str], scope: str) -> Rule:
    return _match(_any(words), scope)


def _match(pattern: str, scope: str, *captures: str) -> Rule:
    rule: Rule = {"match": pattern}
    if scope:
        rule["name"] = f"{scope}.par"
    if captures:
        rule["captures"] = {
            str(number): {"name": f"{name}.par"} for number, name in enumerate(captures, 1)
        }
    return rule


def _group(begin: str, end: str, patterns: list[Rule]) -> Rule:
    return {"begin": begin, "end": end, "patterns": patterns}


def _included(*names: str) -> Rule:
    if len(names) == 1:
        return {"include": f"#{names[0]}"}
    return {"patterns": [{"include": f"#{name}"} for name in names]}

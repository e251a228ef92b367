"""The legend of semantic tokens: what a word's number means to an editor.

All are standard ones of the protocol, so that every theme has colours for them:

| in a spec | type |
| --- | --- |
| a keyword, a word of the language (`ring`, `P`) | `keyword` |
| a dimension | `typeParameter` |
| an axis | `enumMember` |
| a tensor; a parameter of a block or an op | `variable`; `parameter` |
| a layer; a stack | `method`; `class` |
| an op, a block, a function | `function` |
| a link, a device; a plan | `struct`; `namespace` |
| a setting, a figure, an argument | `property` |
| an element type, a unit | `type` |
| a communication primitive | `macro` |
| a number; a file name | `number`; `string` |

`declaration` marks where something is declared, `readonly` inputs and weights, `defaultLibrary`
what the language or its library brings.
"""

from __future__ import annotations

KINDS = (
    *("keyword", "number", "string", "type", "typeParameter", "enumMember", "variable"),
    *("parameter", "property", "method", "function", "class", "struct", "namespace", "macro"),
)
"""Types of tokens."""

MODIFIERS = ("declaration", "readonly", "defaultLibrary")
"""Modifiers of tokens."""

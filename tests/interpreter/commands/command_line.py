"""What tests of the command line share: specs, files, and JSON held against its schema."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import jsonschema
from specs import MEGATRON

TEXT = MEGATRON
WRONG = TEXT.replace("w_down[F, D]\n", "w_down[F, D], x[B]\n")  # one mistake and no other


def write(name, text, newline="\n"):
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8", newline=newline)
    return name


def validated(name, text):
    schemas = files("parspec.interpreter.output") / "schemas"
    schema = json.loads((schemas / f"{name}.schema.json").read_text())
    value = json.loads(text)
    jsonschema.Draft202012Validator(schema).validate(value)
    return value

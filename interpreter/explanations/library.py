"""The built-in library: what each of its files brings, and the links that several of them declare.

A file says of itself what it is, in the paragraph that it begins with.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from parspec.grammar.values import value
from parspec.interpreter.explanations.explanation import Explanation
from parspec.interpreter.spec.sources import library_file, library_names

_HARDWARE = re.compile(r"^(device|link) (\w+) \{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
_SETTING = re.compile(r"^ *(\w+) = ([^#\n]*[^#\s])", re.MULTILINE)
_TEMPLATE = re.compile(r"^(block|op) (\w+)(\([^=\n]*?)(?: fused)?(?: =[^\n]*| \{)$", re.MULTILINE)

_ON = """\
import std.{file}
mesh tp = 8 over {link} on 8 {device}
dim B = 64, D = 32, F = 128
input h[B, F]
weight w[F, D]
layer down: y[B, D] = h * w partition F on tp
output y replicated on tp
"""


@value
class _File:
    """A file of the library by the end of its name: what it begins with, the figures of its devices
    and links, and its blocks and operators with what they take and give."""

    name: str
    begins: str
    devices: Mapping[str, str]
    links: Mapping[str, str]
    templates: Mapping[str, str]


def _read(name: str) -> _File:
    text = library_file(f"std.{name}") or ""
    paragraph = re.match(r"(?:# .+\n)*", text)
    begins = "" if paragraph is None else " ".join(paragraph[0].replace("# ", "").split())
    figures: dict[str, dict[str, str]] = {"device": {}, "link": {}}
    for kind, one, body in _HARDWARE.findall(text):
        figures[kind][one] = ", ".join(f"{key} {given}" for key, given in _SETTING.findall(body))
    templates = {one: f"{one}{takes}" for _, one, takes in _TEMPLATE.findall(text)}
    return _File(name, begins, figures["device"], figures["link"], templates)


def _file(file: _File) -> Explanation:
    hardware = (("device", file.devices), ("link", file.links))
    facts = [(f"{kind} {one}", told) for kind, table in hardware for one, told in table.items()]
    facts += [("brings", told) for told in file.templates.values()]
    aliases = tuple(dict.fromkeys((file.name, *file.devices, *file.templates)))
    name = f"std.{file.name}"
    return Explanation("library", name, file.begins, _example(file), aliases, tuple(facts))


def _example(file: _File, link: str | None = None) -> str:
    """A plan on a device of a file, over a link of it; "" where there are none."""
    for device in file.devices:
        over = link or next(iter(file.links))
        return _ON.format(file=file.name, link=over, device=device)
    return ""


def _links(files: tuple[_File, ...]) -> Iterator[Explanation]:
    """Each link, with its figures in every file that declares it."""
    for name in dict.fromkeys(name for file in files for name in file.links):
        having = [file for file in files if name in file.links]
        facts = tuple((f"std.{file.name}", file.links[name]) for file in having)
        text = f"A link of the library, {name}: the file of a device brings it with its figures."
        yield Explanation("library", name, text, _example(having[0], name), (), facts)


_FILES = tuple(map(_read, library_names()))

LIBRARY_WORDS: tuple[Explanation, ...] = (*map(_file, _FILES), *_links(_FILES))

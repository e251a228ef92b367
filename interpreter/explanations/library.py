"""The built-in library: what each of its files brings, and the links that several of them declare.

A file says of itself what it is, in the paragraph that it begins with.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from parspec.grammar.values import value
from parspec.interpreter.explanations.explanation import Explanation
from parspec.interpreter.spec.functions import FUNCTIONS
from parspec.interpreter.spec.library_files import library_file, library_names

_HARDWARE = re.compile(r"^(device|link) (\w+) \{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
_SETTING = re.compile(r"^ *(\w+) = ([^#\n]*[^#\s])", re.MULTILINE)
_BODY = re.compile(r"^block (\w+)\([^\n]*\{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
_LAYER = re.compile(r"^ *layer (\w+):[^=\n]*= (?:(\w+)\()?", re.MULTILINE)
_WEIGHTS = re.compile(r"^ *weight ([^#\n]*[^#\s])", re.MULTILINE)
_SIZES = re.compile(r"Sizes to give: (.*?)[.:](?: |$)")
_CALL = re.compile(r"In a stack `decoder` with `(layer [^`]*)`")
_PATTERN = re.compile(r"for decoder\.[^`\n]*")
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
    and links, its blocks and operators with what they take and give, what is inside its blocks
    (layers, with the blocks that they call, and weights), and how they are used: sizes, a call,
    patterns."""

    name: str
    begins: str
    devices: Mapping[str, str]
    links: Mapping[str, str]
    templates: Mapping[str, str]
    inside: Mapping[str, tuple[tuple[str, str], ...]]
    use: tuple[tuple[str, str], ...]


def _read(name: str) -> _File:
    text = library_file(f"std.{name}") or ""
    paragraph = re.match(r"(?:# .+\n)*", text)
    begins = "" if paragraph is None else " ".join(paragraph[0].replace("# ", "").split())
    figures: dict[str, dict[str, str]] = {"device": {}, "link": {}}
    for kind, one, body in _HARDWARE.findall(text):
        figures[kind][one] = ", ".join(f"{key} {given}" for key, given in _SETTING.findall(body))
    templates = {one: f"{one}{takes}" for _, one, takes in _TEMPLATE.findall(text)}
    inside = {one: tuple(_inside(body)) for one, body in _BODY.findall(text)}
    devices, links = figures["device"], figures["link"]
    return _File(name, begins, devices, links, templates, inside, tuple(_use(text)))


def _use(text: str) -> Iterator[tuple[str, str]]:
    """What the comment that a file begins with says about using what it brings."""
    header = "".join(re.findall(r"\A(?:#.*\n)*", text))
    said = " ".join(re.sub(r"^#", "", header, flags=re.MULTILINE).split())
    if sizes := _SIZES.search(said):
        yield "sizes to give", sizes[1]
    if call := _CALL.search(said):
        yield "in `decoder`", call[1]
        yield from (("pattern", pattern) for pattern in _PATTERN.findall(header))


def _inside(body: str) -> Iterator[tuple[str, str]]:
    """What patterns can name in a block: its layers, and in parentheses the block that one calls,
    whose layers are below it; its weights."""
    layers = (
        name if not called or called in FUNCTIONS else f"{name} ({called})"
        for name, called in _LAYER.findall(body)
    )
    yield "layers", ", ".join(layers)
    if weights := ", ".join(_WEIGHTS.findall(body)):
        yield "weights", weights


def _file(file: _File) -> Explanation:
    hardware = (("device", file.devices), ("link", file.links))
    facts = [(f"{kind} {one}", told) for kind, table in hardware for one, told in table.items()]
    for one, told in file.templates.items():
        facts += [("brings", told), *file.inside.get(one, ())]
    facts += file.use
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

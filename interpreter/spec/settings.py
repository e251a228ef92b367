"""Settings of a run: `train`, `infer`, `cost`, `communication`, `dtype`.

`SETTINGS` is the one list of what may stand in the braces of `train` and `infer`, with defaults
and meanings; it also feeds hovers and `explain`. What a plan says takes the place of what stands
outside it, whole statements at a time.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from fractions import Fraction
from typing import Literal, TypeAlias

from parspec.grammar.expressions import Name, Number
from parspec.grammar.span import Span
from parspec.grammar.syntax import (
    CommunicationStatement,
    CostStatement,
    DtypeStatement,
    InferStatement,
    Setting,
    TrainStatement,
)
from parspec.grammar.values import value
from parspec.interpreter.diagnostics.findings import Finding, Related, Site
from parspec.interpreter.spec.dims import Dims
from parspec.interpreter.spec.hardware import axis_sizes
from parspec.interpreter.spec.keys import bad_setting, distinct
from parspec.interpreter.spec.model import Mesh, Settings
from parspec.interpreter.spec.names import in_force, unknown
from parspec.interpreter.spec.sizes import Problem, amount, flaw, product_names
from parspec.interpreter.spec.sources import Placed, Statements, of_kind
from parspec.interpreter.theory.formulas import Amount

Verb: TypeAlias = Literal["train", "infer"]
PriceList: TypeAlias = Literal["composed", "approx", "ring"]
Value: TypeAlias = "Amount | str | tuple[str, ...]"
Step: TypeAlias = TrainStatement | InferStatement

DEFAULT_DTYPE = "bf16"
OPTIMIZERS = ("adam", "sgd")
PRICE_LISTS: tuple[PriceList, ...] = ("composed", "approx", "ring")

_BITS: Mapping[str, Fraction] = {
    **dict.fromkeys(("f64", "fp64", "float64", "i64", "u64", "int64"), Fraction(64)),
    **dict.fromkeys(("f32", "fp32", "float32", "i32", "u32", "int32"), Fraction(32)),
    "tf32": Fraction(32),  # rounded in the multiplier, stored whole
    **dict.fromkeys(("bf16", "bfloat16", "f16", "fp16", "float16"), Fraction(16)),
    **dict.fromkeys(("i16", "u16", "int16"), Fraction(16)),
    **dict.fromkeys(("fp8", "f8", "f8e4m3", "f8e5m2", "fp8_e4m3", "fp8_e5m2"), Fraction(8)),
    **dict.fromkeys(("i8", "u8", "int8", "uint8", "bool"), Fraction(8)),
    **dict.fromkeys(("fp6", "f6e2m3", "f6e3m2"), Fraction(6)),
    **dict.fromkeys(("fp4", "f4e2m1", "i4", "u4", "int4", "uint4"), Fraction(4)),
    # OCP microscaling formats: one scale of 8 bits to 32 elements; nvfp4: one to 16.
    "mxfp8": 8 + Fraction(8, 32),
    "mxfp6": 6 + Fraction(8, 32),
    "mxfp4": 4 + Fraction(8, 32),
    "nvfp4": 4 + Fraction(8, 16),
}
DTYPES: Mapping[str, Fraction] = {name: bits / 8 for name, bits in _BITS.items()}
"""Bytes of one element by type."""


@value
class Rule:
    """One setting. `takes`: a whole number (`count`), a whole number or a dim (`batch`), a number
    or a product of axes (`axes`), a type (`dtype`) or one of `words` only (`word`); `words` may
    be written as well. `default` and `meaning` are for a reader."""

    key: str
    takes: Literal["count", "batch", "axes", "dtype", "word"]
    words: tuple[str, ...]
    default: str
    meaning: str


_MOMENT = "element type of an optimizer moment at rest"

SETTINGS: Mapping[Verb, tuple[Rule, ...]] = {
    "train": (
        Rule("global_batch", "batch", (), "none", "samples of a step, or the dim that counts them"),
        Rule(
            "microbatch", "count", (), "what the batch leaves", "samples of a data rank at a time"
        ),
        Rule("microbatches", "count", (), "1", "microbatches of a step"),
        Rule("schedule", "word", ("gpipe", "1f1b", "interleaved"), "1f1b", "pipeline schedule"),
        Rule("chunks", "count", (), "1", "chunks of layers on each stage"),
        Rule("group", "count", (), "the stages", "microbatches in a round when interleaved"),
        Rule("recompute", "word", ("none", "selective", "full"), "none", "what backward redoes"),
        Rule("zero", "word", ("0", "1", "2", "3"), "0", "what is sharded over replicas (ZeRO)"),
        Rule("weight", "dtype", (), "each weight's own", "element type of weights at rest"),
        Rule("grad", "dtype", (), "the weight's", "element type of gradients"),
        Rule("master", "dtype", ("none",), "fp32", "element type of the optimizer's own weights"),
        Rule("moment1", "dtype", ("none",), "fp32", _MOMENT),
        Rule("moment2", "dtype", ("none",), "fp32", _MOMENT),
        Rule("gathered", "word", ("keep", "again"), "keep", "gathered copies until backward"),
        Rule("compute", "dtype", (), "each tensor's own", "element type that layers compute in"),
        Rule("divisor", "axes", (), "the right one", "what summed gradients are divided by"),
    ),
    "infer": (
        Rule("phase", "word", ("prefill", "decode"), "prefill", "what a forward pass does"),
        Rule("context", "count", (), "the cache's own dim", "positions that a cache holds"),
        Rule("new_tokens", "count", (), "1", "positions that a forward pass adds"),
        Rule("weight", "dtype", (), "each weight's own", "element type of weights at rest"),
        Rule("compute", "dtype", (), "each tensor's own", "element type that layers compute in"),
    ),
}
"""What may stand in the braces of `train` and `infer`."""


def resolve_settings(
    statements: Statements, dims: Dims, mesh: Mesh, skipped: frozenset[str]
) -> tuple[Settings | None, tuple[Finding, ...]]:
    """The settings of a step, as far as they are written; None without `train` or `infer`.

    Findings: `unknown_name` for keys, types and the optimizer, `bad_setting` for other values,
    `duplicate_name`, and `conflicting_settings` where one spec both trains and infers.
    """
    steps: list[tuple[Name, Step, Placed]] = [
        *((_verb("train"), train, placed) for train, placed in of_kind(statements, TrainStatement)),
        *((_verb("infer"), infer, placed) for infer, placed in of_kind(statements, InferStatement)),
    ]
    holds, repeated = in_force("settings", steps)
    findings = list(repeated)
    chosen = _chosen(holds, findings)
    if chosen is None:
        return None, tuple(findings)
    verb, (statement, placed) = chosen
    rules = {rule.key: rule for rule in SETTINGS[verb]}
    by_key, found = distinct(statement.settings, placed, rules, skipped)
    findings += found
    reading = _Reading(placed, dims, axis_sizes(mesh), skipped)
    values: list[tuple[str, Value]] = []
    for key, setting in by_key.items():
        value = reading.value(setting, rules[key])
        if isinstance(value, Finding):
            findings.append(value)
        elif value is not None:
            values.append((key, value))
    optimizer = statement.optimizer if isinstance(statement, TrainStatement) else None
    if optimizer and optimizer.text not in OPTIMIZERS:
        if optimizer.text not in skipped:
            site = placed.at(optimizer.span)
            findings.append(unknown("optimizer", optimizer.text, site, OPTIMIZERS))
        optimizer = None
    sites = tuple((key, placed.at(setting.span)) for key, setting in by_key.items())
    settings = Settings(
        verb,
        optimizer.text if optimizer else OPTIMIZERS[0] if verb == "train" else None,
        tuple(values),
        sites,
        placed.at(Span(0, len(verb))),
    )
    return settings, tuple(findings)


def _verb(verb: Verb) -> Name:
    """The word that a chunk of this statement begins with."""
    return Name(verb, Span(0, len(verb)))


def _chosen(
    holds: Mapping[str, tuple[Step, Placed]], findings: list[Finding]
) -> tuple[Verb, tuple[Step, Placed]] | None:
    """The one of `train` and `infer` that holds: a plan's, if only one of them is a plan's."""
    train, infer = holds.get("train"), holds.get("infer")
    if train is None or infer is None:
        return ("train", train) if train else ("infer", infer) if infer else None
    if (train[1].plan is None) != (infer[1].plan is None):
        return ("train", train) if train[1].plan else ("infer", infer)
    sites = train[1].at(Span(0, 5)), infer[1].at(Span(0, 5))
    data = (("settings", ("train", "infer")), ("reason", "a step is one or the other"))
    related = (Related(sites[0], "trains here"),)
    findings.append(Finding("conflicting_settings", sites[1], data, related=related))
    return ("train", train)


@value
class _Reading:
    """Reads the values of one statement's settings."""

    placed: Placed
    dims: Dims
    axes: Mapping[str, Amount]
    skipped: frozenset[str]

    def value(self, setting: Setting, rule: Rule) -> Value | Finding | None:
        """A value by its rule; what is wrong with it; or None where that was reported before."""
        names = product_names(setting.value)
        if names is not None and any(name.text in self.skipped for name in names):
            return None
        word = names[0].text if names is not None and len(names) == 1 else None
        if word is not None and word in rule.words:
            return word
        match rule.takes:
            case "word":
                return self.word(setting, rule)
            case "dtype":
                return self.dtype(setting, word, rule)
            case "batch" if word is not None:
                if self.dims.find(word) is not None:
                    return word
                site = self.placed.at(setting.value.span)
                return unknown("dimension", word, site, self.dims.named)
            case "axes" if names is not None:
                return self.product(setting, names)
        return self.count(setting)

    def word(self, setting: Setting, rule: Rule) -> Value | Finding:
        value = setting.value
        if not isinstance(value, Number) or value.unit is not None:
            return bad_setting(setting, self.placed, rule.words)
        plain = str(value.value)
        known = plain in rule.words
        return int(plain) if known else bad_setting(setting, self.placed, rule.words)

    def dtype(self, setting: Setting, word: str | None, rule: Rule) -> Value | Finding:
        if word is None:
            return bad_setting(setting, self.placed, ("bf16", "fp32", "fp8", *rule.words))
        if word in DTYPES:
            return word
        return unknown("dtype", word, self.placed.at(setting.value.span), (*DTYPES, *rule.words))

    def product(self, setting: Setting, names: tuple[Name, ...]) -> Value | Finding:
        for name in names:
            if name.text not in self.axes:
                return unknown("axis", name.text, self.placed.at(name.span), self.axes)
        return tuple(name.text for name in names)

    def count(self, setting: Setting) -> Value | Finding | None:
        """A whole number from 1, or a formula; names are dims, then axes."""
        value = amount(setting.value, self.size)
        if isinstance(value, Problem) or flaw(value):
            return bad_setting(setting, self.placed, ("a whole number from 1",))
        return value

    def size(self, name: str) -> Amount | None:
        size = self.dims.size(name)
        return self.axes.get(name) if size is None else size


def served_with(settings: Settings | None) -> tuple[str | None, Amount | None]:
    """The type of weights and the positions of caches that `infer` gives."""
    if settings is None or settings.verb != "infer":
        return None, None
    given = dict(settings.values)
    weight, context = given.get("weight"), given.get("context")
    assert not isinstance(weight, tuple) and not isinstance(context, str | tuple)
    return (weight if isinstance(weight, str) else None), context


def resolve_dtype(
    statements: Statements, skipped: frozenset[str]
) -> tuple[str, tuple[Finding, ...]]:
    """The default type of the spec's tensors."""
    said = [(s.dtype, placed) for s, placed in of_kind(statements, DtypeStatement)]
    name, _, findings = _one_word("dtype", said, DTYPES, skipped)
    return name or DEFAULT_DTYPE, findings


def resolve_cost(
    statements: Statements, skipped: frozenset[str]
) -> tuple[PriceList, tuple[Finding, ...]]:
    """The price list that totals are quoted in."""
    said = [(s.price_list, placed) for s, placed in of_kind(statements, CostStatement)]
    name, _, findings = _one_word("price list", said, PRICE_LISTS, skipped)
    return next((known for known in PRICE_LISTS if known == name), PRICE_LISTS[0]), findings


def resolve_communication(
    statements: Statements, skipped: frozenset[str]
) -> tuple[Site | None, tuple[Finding, ...]]:
    """Where the spec asks for explicit communication; None where it does not."""
    said = [(s.mode, placed) for s, placed in of_kind(statements, CommunicationStatement)]
    _, site, findings = _one_word("communication mode", said, ("explicit",), skipped)
    return site, findings


def _one_word(
    kind: str,
    said: list[tuple[Name, Placed]],
    known: Collection[str],
    skipped: frozenset[str],
) -> tuple[str | None, Site | None, tuple[Finding, ...]]:
    """The known word that a spec says once, where, and what is wrong otherwise."""
    holds, repeated = in_force(
        kind, ((Name(kind, word.span), word, placed) for word, placed in said)
    )
    if kind not in holds:
        return None, None, repeated
    word, placed = holds[kind]
    site = placed.at(word.span)
    if word.text in known:
        return word.text, site, repeated
    if word.text in skipped:
        return None, None, repeated
    return None, None, (*repeated, unknown(kind, word.text, site, known))

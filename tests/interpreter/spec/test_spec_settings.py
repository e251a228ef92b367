from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import pytest

from parspec.interpreter.spec.dims import resolve_dims
from parspec.interpreter.spec.hardware import axis_sizes, resolve_mesh
from parspec.interpreter.spec.readers import DiskReader
from parspec.interpreter.spec.settings import (
    DTYPES,
    SETTINGS,
    resolve_communication,
    resolve_cost,
    resolve_dtype,
    resolve_settings,
)
from parspec.interpreter.spec.sources import gather
from parspec.interpreter.theory.formulas import symbol

if TYPE_CHECKING:
    from parspec.interpreter.diagnostics.findings import Finding
    from parspec.interpreter.spec.model import Settings
    from parspec.interpreter.spec.sources import Placed

NONE: frozenset[str] = frozenset()
SIZES = "mesh dp = 4, cp = 2\naxis both = dp * cp\ndim B = 64, S\n"


def statements(text: str, plan: str | None = None) -> tuple[Placed, ...]:
    spec = gather("main.par", text, DiskReader(), plan)
    assert spec.findings == ()
    return spec.statements


def resolved(
    text: str, plan: str | None = None, skipped: frozenset[str] = NONE
) -> tuple[Settings | None, tuple[Finding, ...]]:
    placed = statements(SIZES + text, plan)
    mesh, _ = resolve_mesh(placed, (), (), {}, NONE)
    dims, _ = resolve_dims(placed, axis_sizes(mesh), {}, NONE)
    return resolve_settings(placed, dims, mesh, skipped)


def clean(text: str, plan: str | None = None) -> Settings:
    settings, findings = resolved(text, plan)
    assert findings == ()
    assert settings is not None
    return settings


def only(findings: tuple[Finding, ...]) -> tuple[str, dict[str, object]]:
    (finding,) = findings
    return finding.name, dict(finding.data)


def test_no_settings() -> None:
    assert resolved("") == (None, ())


def test_train() -> None:
    settings = clean(
        "train sgd { global_batch = B  microbatch = 2  microbatches = 2 * dp  schedule = 1f1b"
        "  chunks = 1  group = 4  recompute = full  zero = 3  weight = bf16  grad = fp32"
        "  master = none  moment1 = fp32  moment2 = none  gathered = again  compute = fp8"
        "  divisor = dp * cp }"
    )
    assert (settings.verb, settings.optimizer) == ("train", "sgd")
    assert dict(settings.values) == {
        "global_batch": "B",
        "microbatch": 2,
        "microbatches": 8,
        "schedule": "1f1b",
        "chunks": 1,
        "group": 4,
        "recompute": "full",
        "zero": 3,
        "weight": "bf16",
        "grad": "fp32",
        "master": "none",
        "moment1": "fp32",
        "moment2": "none",
        "gathered": "again",
        "compute": "fp8",
        "divisor": ("dp", "cp"),
    }
    assert [key for key, _ in settings.sites] == [key for key, _ in settings.values]


def test_infer() -> None:
    settings = clean("infer { phase = decode  context = S  new_tokens = 2  weight = fp8 }")
    assert (settings.verb, settings.optimizer) == ("infer", None)
    assert dict(settings.values) == {
        "phase": "decode",
        "context": symbol("S"),
        "new_tokens": 2,
        "weight": "fp8",
    }


def test_a_batch_by_number_and_the_usual_optimizer() -> None:
    settings = clean("train { global_batch = 2048  divisor = 8 }")
    assert settings.optimizer == "adam"
    assert dict(settings.values) == {"global_batch": 2048, "divisor": 8}


def test_a_divisor_by_one_axis_or_a_view() -> None:
    assert dict(clean("train sgd { divisor = dp }").values) == {"divisor": ("dp",)}
    assert dict(clean("train sgd { divisor = both }").values) == {"divisor": ("both",)}


@pytest.mark.parametrize(
    ("text", "value", "choice"),
    [
        ("schedule = 1f2b", "1f2b", "1f1b"),
        ("schedule = 3", "3", "gpipe"),
        ("recompute = some", "some", "selective"),
        ("zero = 4", "4", "3"),
        ("zero = none", "none", "0"),
        ("gathered = yes", "yes", "keep"),
        ("microbatches = 0", "0", "a whole number from 1"),
        ("microbatches = 1.5", "1.5", "a whole number from 1"),
        ("microbatches = 4 GB", "4 GB", "a whole number from 1"),
        ("chunks = many", "many", "a whole number from 1"),
        ("weight = 16", "16", "bf16"),
        ("global_batch = 0", "0", "a whole number from 1"),
    ],
)
def test_values_that_cannot_be(text: str, value: str, choice: str) -> None:
    settings, findings = resolved(f"train adam {{ {text} }}")
    name, data = only(findings)
    assert name == "bad_setting"
    assert (data["setting"], data["value"]) == (text.partition(" ")[0], value)
    choices = data["choices"]
    assert isinstance(choices, tuple)
    assert choice in choices
    assert settings is not None
    assert settings.values == ()


@pytest.mark.parametrize(
    ("text", "kind", "name", "near"),
    [
        ("train adam { microbach = 2 }", "setting", "microbach", "microbatch"),
        ("train adam { weight = bf61 }", "dtype", "bf61", "bf16"),
        ("train adm { }", "optimizer", "adm", "adam"),
        ("train adam { global_batch = Bb }", "dimension", "Bb", "B"),
        ("train adam { divisor = dp * cpp }", "axis", "cpp", "cp"),
        ("infer { phse = decode }", "setting", "phse", "phase"),
    ],
)
def test_unknown_names(text: str, kind: str, name: str, near: str) -> None:
    code, data = only(resolved(text)[1])
    assert code == "unknown_name"
    assert (data["kind"], data["name"]) == (kind, name)
    close = data["near"]
    assert isinstance(close, tuple)
    assert close[0] == near
    assert resolved(text, skipped=frozenset({name}))[1] == ()


def test_repeated_settings() -> None:
    settings, findings = resolved("train adam { zero = 1  zero = 2 }")
    assert only(findings) == ("duplicate_name", {"kind": "setting", "name": "zero"})
    assert settings is not None
    assert dict(settings.values) == {"zero": 1}


def test_repeated_statements() -> None:
    _, findings = resolved("train adam { }\ntrain sgd { }")
    assert only(findings) == ("duplicate_name", {"kind": "settings", "name": "train"})


def test_train_and_infer() -> None:
    settings, findings = resolved("infer { }\ntrain sgd { }")
    name, data = only(findings)
    assert (name, data["settings"]) == ("conflicting_settings", ("train", "infer"))
    assert settings is not None
    assert settings.verb == "train"


def test_a_plan_takes_the_place_of_settings() -> None:
    text = (
        "train adam { zero = 1  chunks = 2 }\n"
        "plan t { train sgd { zero = 2 } }\n"
        "plan i { infer { } }"
    )
    assert dict(clean(text).values) == {"zero": 1, "chunks": 2}
    assert dict(clean(text, "t").values) == {"zero": 2}
    assert clean(text, "i").verb == "infer"


def test_every_setting_says_what_it_is() -> None:
    for rules in SETTINGS.values():
        assert all(rule.meaning and rule.default for rule in rules)
        assert len({rule.key for rule in rules}) == len(rules)
        assert all(bool(rule.words) >= (rule.takes == "word") for rule in rules)


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("bf16", 2),
        ("f16", 2),
        ("fp32", 4),
        ("f64", 8),
        ("i32", 4),
        ("i64", 8),
        ("tf32", 4),
        ("fp8", 1),
        ("f8e4m3", 1),
        ("bool", 1),
        ("int4", Fraction(1, 2)),
        ("fp4", Fraction(1, 2)),
        ("nvfp4", Fraction(9, 16)),
    ],
)
def test_bytes_of_types(name: str, size: Fraction) -> None:
    assert DTYPES[name] == size


def test_the_default_type() -> None:
    assert resolve_dtype(statements("dim B"), NONE) == ("bf16", ())
    assert resolve_dtype(statements("dtype fp8"), NONE) == ("fp8", ())
    dtype, findings = resolve_dtype(statements("dtype bf61"), NONE)
    assert dtype == "bf16"
    assert only(findings)[1]["kind"] == "dtype"
    assert only(resolve_dtype(statements("dtype fp8\ndtype bf16"), NONE)[1])[0] == "duplicate_name"
    plan = statements("dtype fp8\nplan p { dtype bf16 }", "p")
    assert resolve_dtype(plan, NONE) == ("bf16", ())


def test_the_price_list() -> None:
    assert resolve_cost(statements("dim B"), NONE) == ("composed", ())
    assert resolve_cost(statements("cost ring"), NONE) == ("ring", ())
    name, findings = resolve_cost(statements("cost rng"), NONE)
    assert name == "composed"
    assert only(findings) == (
        "unknown_name",
        {"kind": "price list", "name": "rng", "near": ("ring",)},
    )


def test_explicit_communication() -> None:
    assert resolve_communication(statements("dim B"), NONE) == (None, ())
    site, findings = resolve_communication(statements("communication explicit"), NONE)
    assert findings == ()
    assert site is not None
    assert (site.chunk, site.span) == (0, (14, 22))
    site, findings = resolve_communication(statements("communication explict"), NONE)
    assert site is None
    assert only(findings)[1]["near"] == ("explicit",)

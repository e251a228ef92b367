"""`compare --format json`: every list of values is in the order of the variants.

Numbers are None where nothing was computed or a size is symbolic; then its formula stands beside
it. Differences and ratios are against the first variant.
"""

from __future__ import annotations

from collections.abc import Iterable

from parspec.interpreter.analysis.result import Move
from parspec.interpreter.output.checks.diagnostic import Diagnostic
from parspec.interpreter.output.checks.diagnostics_json import diagnostics_json
from parspec.interpreter.output.comparisons.prose import errors_in
from parspec.interpreter.output.comparisons.values import (
    Bounds,
    Comparison,
    Exchange,
    Expected,
    Figure,
    Largest,
    Missing,
    Quantity,
    StageRow,
    Variant,
    change,
)
from parspec.interpreter.output.comparisons.verdict import verdict
from parspec.interpreter.output.json_text import Json, formula_text, json_text, number
from parspec.interpreter.output.wording.pricing import formula

SCHEMA = 1


def compare_json(comparison: Comparison, diagnostics: Iterable[Diagnostic]) -> str:
    """The comparison, and what is wrong with what is compared."""
    variants = comparison.variants
    return json_text(
        {
            "schema": SCHEMA,
            "verdict": verdict(comparison),
            "variants": [
                _variant(variant, bounds, missing)
                for variant, bounds, missing in zip(
                    variants, comparison.bounds, comparison.missing, strict=True
                )
            ],
            "differences": [
                {
                    "subject": one.subject,
                    "axis": one.axis,
                    "members": list(one.members),
                    "values": list(one.values),
                }
                for one in comparison.differences
            ],
            "figures": [_figure(figure) for figure in comparison.figures],
            "primitives": [_exchange(exchange, variants) for exchange in comparison.exchanges],
            "stages": [_stage(row) for row in comparison.stages],
            "expects": [_expected(expect) for expect in comparison.expects],
            "diagnostics": diagnostics_json(diagnostics),
        }
    )


def _variant(variant: Variant, bounds: Bounds, missing: Iterable[Missing]) -> Json:
    model = variant.analysis.model
    return {
        "name": variant.name,
        "file": model.file,
        "plan": model.plan,
        "cost": model.cost,
        "step": None if model.settings is None else model.settings.verb,
        "device": model.mesh.device,
        "devices": number(variant.devices),
        "memory_bytes": number(variant.capacity),
        "errors": errors_in(variant),
        "bounds": {
            "memory": _largest(bounds.memory),
            "stage": bounds.stage,
            "memory_bandwidth_share": number(bounds.hbm),
            "layer": _largest(bounds.layer),
            "axis": _largest(bounds.axis),
            "link": bounds.link,
            "primitive": _largest(bounds.exchange),
            "timed": bounds.timed,
        },
        "not_computed": [{"figures": one.figures, "reason": one.reason} for one in missing],
    }


def _largest(part: Largest | None) -> Json:
    if part is None:
        return None
    return {"name": part.name, "value": _number(part.amount), "share": number(part.share)}


def _figure(figure: Figure) -> Json:
    changes = [change(figure.values[0], value) for value in figure.values]
    return {
        "group": figure.group,
        "name": figure.name,
        "unit": figure.unit,
        "values": [_number(value) for value in figure.values],
        "formulas": [formula_text(value) for value in figure.values],
        "differences": [_number(one.difference) for one in changes],
        "difference_formulas": [formula_text(one.difference) for one in changes],
        "ratios": [number(one.ratio) for one in changes],
    }


def _exchange(exchange: Exchange, variants: Iterable[Variant]) -> Json:
    return {
        "pass": exchange.direction,
        "layer": exchange.layer,
        "tensor": exchange.label,
        "path": exchange.tensor,
        "axis": ",".join(exchange.axes),
        "statistic": exchange.statistic,
        "status": [exchange.status(place) for place in range(len(exchange.moves))],
        "traffic_bytes": [number(amount) for amount in exchange.traffic],
        "traffic_formulas": [formula_text(amount) for amount in exchange.traffic],
        "per_device_bytes": [number(amount) for amount in exchange.per_device],
        "time_s": list(exchange.times),
        "moves": [
            [_move(move, variant) for move in moves]
            for moves, variant in zip(exchange.moves, variants, strict=True)
        ],
    }


def _move(move: Move, variant: Variant) -> Json:
    return {
        "primitive": move.primitive,
        "order": move.order,
        "from": move.before,
        "to": move.after,
        "times": number(move.times),
        "group": number(move.group),
        "groups": number(move.groups),
        "formula": formula(move, variant.analysis.model.cost),
    }


def _stage(row: StageRow) -> Json:
    return {
        "stage": row.stage,
        "holds": [None if names is None else list(names) for names in row.holds],
        "memory_bytes": [number(amount) for amount in row.memory],
    }


def _expected(expect: Expected) -> Json:
    return {
        "text": expect.text,
        "outcomes": [
            None if one is None else {"holds": one[0], "value": one[1]} for one in expect.verdicts
        ],
    }


def _number(value: Quantity) -> int | float | None:
    return value if isinstance(value, float) else number(value)

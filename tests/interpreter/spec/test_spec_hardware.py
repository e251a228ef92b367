from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import pytest

from parspec.grammar.parser import parse
from parspec.interpreter.spec.hardware import resolve_devices, resolve_links
from parspec.interpreter.spec.library_files import LIBRARY
from parspec.interpreter.spec.readers import DiskReader
from parspec.interpreter.spec.sources import gather

if TYPE_CHECKING:
    from parspec.interpreter.diagnostics.findings import Finding
    from parspec.interpreter.spec.model import Device, Link
    from parspec.interpreter.spec.sources import Placed

NONE: frozenset[str] = frozenset()


def statements(text: str, plan: str | None = None) -> tuple[Placed, ...]:
    return gather("main.par", text, DiskReader(), plan).statements


def links(text: str, plan: str | None = None) -> tuple[tuple[Link, ...], tuple[Finding, ...]]:
    return resolve_links(statements(text, plan), NONE)


def devices(text: str) -> tuple[tuple[Device, ...], tuple[Finding, ...]]:
    return resolve_devices(statements(text), NONE)


def only(findings: tuple[Finding, ...]) -> tuple[str, dict[str, object]]:
    """The one finding's name and data."""
    (finding,) = findings
    return finding.name, dict(finding.data)


def test_a_link_in_base_units() -> None:
    found, findings = links(
        "# the fabric\nlink ib { bandwidth = 400 Gbit/s  latency = 5 us  start = 8 us"
        "  efficiency = 90%  within = 8 }"
    )
    assert findings == ()
    (link,) = found
    assert (link.name, link.note) == ("ib", "the fabric")
    assert link.bandwidth == 50 * 10**9
    assert (link.latency, link.start) == (Fraction(5, 10**6), Fraction(8, 10**6))
    assert (link.efficiency, link.within) == (Fraction(9, 10), 8)


def test_what_a_link_does_not_say() -> None:
    (link,), findings = links("link ib { bandwidth = 50 GB/s }")
    assert findings == ()
    assert [link.latency, link.start, link.efficiency] == [0, 0, 1]
    assert link.within is None


def test_a_device_in_base_units() -> None:
    (device,), findings = devices(
        "device h100 { memory = 80 GiB  flops = 989 Tflop/s  hbm = 3.35 TB/s }"
    )
    assert findings == ()
    assert device.memory == 80 * 2**30
    assert device.flops == 989 * 10**12
    assert device.hbm == 3_350 * 10**9
    (bare,), findings = devices("device box { }")
    assert findings == ()
    assert (bare.memory, bare.flops, bare.hbm) == (None, None, None)


@pytest.mark.parametrize(
    ("text", "name", "wants", "got", "factor"),
    [
        ("bandwidth = 50 GB", "bandwidth", "bytes/s", "bytes", "1/s"),
        ("bandwidth = 50", "bandwidth", "bytes/s", "no unit", "bytes/s"),
        ("bandwidth = 1 GB/s  latency = 5", "latency", "s", "no unit", "s"),
        ("bandwidth = 1 GB/s  start = 5 GB/s", "start", "s", "bytes/s", "s^2/bytes"),
        ("bandwidth = 1 GB/s  within = 8 B", "within", "count", "bytes", "1/bytes"),
    ],
)
def test_quantities_of_another_kind(
    text: str, name: str, wants: str, got: str, factor: str
) -> None:
    _, findings = links(f"link ib {{ {text} }}")
    data = {"name": name, "wants": wants, "got": got, "factor": factor}
    assert only(findings) == ("unit_mismatch", data)


def test_a_device_in_the_wrong_units() -> None:
    (device,), findings = devices("device h100 { memory = 80 GB/s  flops = 989 Tflop }")
    assert [dict(finding.data)["factor"] for finding in findings] == ["s", "1/s"]
    assert (device.memory, device.flops) == (None, None)


@pytest.mark.parametrize(
    ("text", "setting", "value"),
    [
        ("bandwidth = 0 GB/s", "bandwidth", "0 GB/s"),
        ("bandwidth = fast", "bandwidth", "fast"),
        ("bandwidth = 1 GB/s  efficiency = 120%", "efficiency", "120%"),
        ("bandwidth = 1 GB/s  efficiency = 0%", "efficiency", "0%"),
        ("bandwidth = 1 GB/s  within = 2.5", "within", "2.5"),
        ("bandwidth = 1 GB/s  within = 0", "within", "0"),
    ],
)
def test_values_that_cannot_be(text: str, setting: str, value: str) -> None:
    name, data = only(links(f"link ib {{ {text} }}")[1])
    assert name == "bad_setting"
    assert (data["setting"], data["value"]) == (setting, value)
    assert data["choices"]


def test_a_share_may_be_a_plain_number() -> None:
    (link,), findings = links("link ib { bandwidth = 1 GB/s  efficiency = 0.9 }")
    assert findings == ()
    assert link.efficiency == Fraction(9, 10)


def test_settings_are_known_and_stand_once() -> None:
    (link,), findings = links(
        "link ib { bandwith = 1 GB/s  bandwidth = 2 GB/s  bandwidth = 3 GB/s }"
    )
    assert link.bandwidth == 2 * 10**9
    unknown, duplicate = findings
    assert dict(unknown.data) == {"kind": "setting", "name": "bandwith", "near": ("bandwidth",)}
    assert unknown.fixes[0].edits[0].text == "bandwidth"
    assert dict(duplicate.data) == {"kind": "setting", "name": "bandwidth"}


def test_a_link_has_a_bandwidth() -> None:
    found, findings = links("link ib { latency = 5 us }")
    assert found == ()
    assert only(findings) == (
        "wrong_arguments",
        {"function": "link ib", "wants": ("bandwidth",), "got": ("latency",)},
    )


def test_a_half_typed_link_has_one_fault() -> None:
    found, findings = links("link ib { band")
    assert (found, findings) == ((), ())


def test_repeated_declarations() -> None:
    twice = "link ib { bandwidth = 1 GB/s }\nlink ib { bandwidth = 2 GB/s }"
    (link,), findings = links(twice)
    assert link.bandwidth == 10**9
    assert only(findings) == ("duplicate_name", {"kind": "link", "name": "ib"})


def test_a_plan_takes_the_place_of_a_link() -> None:
    text = "link ib { bandwidth = 1 GB/s }\nplan slow { link ib { bandwidth = 500 MB/s } }"
    assert links(text)[0][0].bandwidth == 10**9
    (link,), findings = links(text, "slow")
    assert findings == ()
    assert link.bandwidth == 5 * 10**8


LIBRARY_NAMES = sorted(
    path.stem
    for path in LIBRARY.glob("*.par")
    if "\ndevice " in path.read_text("utf-8")  # the others bring blocks
)


@pytest.mark.parametrize("name", LIBRARY_NAMES)
def test_hardware_files_are_whole(name: str) -> None:
    text = (LIBRARY / f"{name}.par").read_text("utf-8")
    spec = gather("main.par", f"import std.{name}", DiskReader())
    found_links, link_findings = resolve_links(spec.statements, spec.skipped)
    found_devices, device_findings = resolve_devices(spec.statements, spec.skipped)
    assert spec.findings + link_findings + device_findings == ()
    (device,) = found_devices
    assert device.name == name
    assert None not in (device.memory, device.flops, device.hbm)
    assert len(found_links) == 2
    assert all(link.latency > 0 for link in found_links)
    assert parse(text).note
    assert all(len(line) <= 100 for line in text.splitlines())
    figures = [line for line in text.splitlines() if " = " in line and not line.startswith("#")]
    assert all("  # " in line for line in figures)


def test_the_library_has_the_usual_hardware() -> None:
    assert set(LIBRARY_NAMES) >= {"a100_80", "h100", "h200", "b200", "gb200", "gb300", "v5p"}
    spec = gather("main.par", "import std.h100", DiskReader())
    (device,) = resolve_devices(spec.statements, NONE)[0]
    by_name = {link.name: link for link in resolve_links(spec.statements, NONE)[0]}
    assert device.memory == 80 * 2**30
    assert device.flops == 989 * 10**12
    assert device.hbm == 3_350 * 10**9
    assert by_name.keys() == {"nvlink", "ib"}
    assert [by_name[link].bandwidth for link in ("nvlink", "ib")] == [450 * 10**9, 50 * 10**9]
    assert [by_name[link].within for link in ("nvlink", "ib")] == [8, None]

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from parspec.interpreter.spec.hardware import (
    axis_sizes,
    resolve_devices,
    resolve_links,
    resolve_mesh,
)
from parspec.interpreter.spec.readers import DiskReader
from parspec.interpreter.spec.sources import gather
from parspec.interpreter.theory.formulas import symbol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from parspec.interpreter.diagnostics.findings import Finding
    from parspec.interpreter.spec.model import Mesh, View

BOX = """
device box { memory = 80 GB }
link fast { bandwidth = 400 GB/s }
link slow { bandwidth = 50 GB/s }
"""


def resolved(
    text: str,
    plan: str | None = None,
    overrides: Mapping[str, int] | None = None,
    skipped: frozenset[str] = frozenset(),
) -> tuple[Mesh, tuple[Finding, ...]]:
    spec = gather("main.par", BOX + text, DiskReader(), plan)
    assert spec.findings == ()
    links, _ = resolve_links(spec.statements, skipped)
    devices, _ = resolve_devices(spec.statements, skipped)
    return resolve_mesh(spec.statements, links, devices, overrides or {}, skipped)


def clean(text: str, plan: str | None = None, overrides: Mapping[str, int] | None = None) -> Mesh:
    mesh, findings = resolved(text, plan, overrides)
    assert findings == ()
    assert mesh.poisoned == frozenset()
    return mesh


def only(found: tuple[Mesh, tuple[Finding, ...]]) -> tuple[str, dict[str, object]]:
    """The one finding's name and data."""
    (finding,) = found[1]
    return finding.name, dict(finding.data)


def sizes(mesh: Mesh) -> dict[str, object]:
    return dict(axis_sizes(mesh))


def edits(finding: Finding) -> list[tuple[str, str]]:
    return [(fix.title, fix.edits[0].text) for fix in finding.fixes]


def view(mesh: Mesh, name: str) -> View:
    return next(view for view in mesh.views if view.name == name)


def test_axes_outermost_first_with_links_and_devices() -> None:
    mesh = clean("mesh pp = 4 over slow, dp = rest over slow, tp = 8 over fast on 256 box")
    assert sizes(mesh) == {"pp": 4, "dp": 8, "tp": 8}
    assert [axis.link for axis in mesh.axes] == ["slow", "slow", "fast"]
    assert (mesh.device, mesh.devices) == ("box", 256)


def test_a_bare_mesh() -> None:
    mesh = clean("mesh N = 8  # nodes")
    assert sizes(mesh) == {"N": 8}
    assert (mesh.device, mesh.devices, mesh.axes[0].link) == (None, None, None)
    assert mesh.axes[0].note == "nodes"


def test_no_mesh() -> None:
    mesh = clean("dim B = 4")
    assert (mesh.axes, mesh.views, mesh.site) == ((), (), None)


def test_symbolic_axes() -> None:
    mesh = clean("mesh dp, tp = 8 on 64 box")
    assert sizes(mesh) == {"dp": symbol("dp"), "tp": 8}
    mesh = clean("mesh dp = rest, tp on 64 box")
    assert sizes(mesh) == {"dp": 64 / symbol("tp"), "tp": symbol("tp")}


def test_an_axis_by_the_size_of_another() -> None:
    assert sizes(clean("mesh dp = 2 * tp, tp = 4 on 32 box")) == {"dp": 8, "tp": 4}


def test_fewer_nodes_than_devices() -> None:
    mesh, findings = resolved("mesh tp = 2 over fast on 3 box")
    name, data = only((mesh, findings))
    assert name == "mesh_product"
    assert data == {"product": 2, "devices": 3, "idle": 1, "fix_tp": 3}
    assert edits(findings[0]) == [("Use 2 devices", "2"), ("Let `tp` fill the rest: 3", "rest")]
    assert sizes(mesh) == {"tp": 2}


def test_more_nodes_than_devices() -> None:
    name, data = only(found := resolved("mesh dp = 4, tp = 4 on 4 box"))
    assert name == "mesh_product"
    assert data == {"product": 16, "devices": 4, "min_devices": 16, "fix_tp": 1, "fix_dp": 1}
    assert edits(found[1][0]) == [
        ("Let `tp` fill the rest: 1", "rest"),
        ("Let `dp` fill the rest: 1", "rest"),
        ("Use 16 devices", "16"),
    ]


def test_a_rest_that_does_not_come_out_even() -> None:
    mesh, findings = resolved("mesh dp = rest, tp = 8 on 20 box")
    assert only((mesh, findings)) == ("mesh_product", {"product": 8, "devices": 20, "idle": 4})
    assert edits(findings[0]) == [("Use 16 devices", "16"), ("Use 24 devices", "24")]
    assert mesh.poisoned == {"dp"}
    assert sizes(mesh) == {"dp": symbol("dp"), "tp": 8}
    _, findings = resolved("mesh dp = rest, tp = 8 on 4 box")
    assert edits(findings[0]) == [("Use 8 devices", "8")]


@pytest.mark.parametrize(
    ("text", "name", "written"),
    [
        ("mesh dp = rest, tp = 8", "dp", "rest"),
        ("mesh dp = rest, tp = rest on 8 box", "tp", "rest"),
        ("mesh dp = 0", "dp", "0"),
        ("mesh dp = 3 / 2", "dp", "3 / 2"),
        ("mesh dp = 8 on 0 box", "box", "0"),
    ],
)
def test_bad_sizes(text: str, name: str, written: str) -> None:
    code, data = only(resolved(text))
    assert code == "bad_size"
    assert (data["name"], data["text"]) == (name, written)


def test_cycles_of_axes() -> None:
    mesh, findings = resolved("mesh a = b, b = a, c = 2")
    assert only((mesh, findings)) == ("size_cycle", {"name": "a", "cycle": ("a", "b", "a")})
    assert mesh.poisoned == {"a", "b"}


@pytest.mark.parametrize(
    ("text", "kind", "name", "near"),
    [
        ("mesh tp = 8 over fsat", "link", "fsat", ("fast",)),
        ("mesh tp = 8 on 8 bix", "device", "bix", ("box",)),
        ("mesh tp = 8, dp = ttp", "axis", "ttp", ("tp",)),
    ],
)
def test_unknown_names(text: str, kind: str, name: str, near: tuple[str, ...]) -> None:
    assert only(resolved(text)) == ("unknown_name", {"kind": kind, "name": name, "near": near})
    assert resolved(text, skipped=frozenset({name}))[1] == ()


def test_a_link_that_is_wrong_is_not_also_unknown() -> None:
    mesh, findings = resolved("link odd { bandwidth = 5 GB }\nmesh tp = 8 over odd")
    assert findings == ()
    assert mesh.axes[0].link is None


def test_declared_twice() -> None:
    assert only(resolved("mesh a = 2\nmesh b = 2")) == (
        "duplicate_name",
        {"kind": "mesh", "name": "mesh"},
    )
    assert only(resolved("mesh a = 2, a = 4")) == ("duplicate_name", {"kind": "axis", "name": "a"})
    assert only(resolved("mesh a = 2\naxis a = a"))[0] == "duplicate_name"


def test_a_plan_lays_another_mesh() -> None:
    text = "mesh tp = 8\nplan wide { mesh dp = 2, tp = 16 }"
    assert sizes(clean(text)) == {"tp": 8}
    assert sizes(clean(text, plan="wide")) == {"dp": 2, "tp": 16}


def test_overrides_meet_the_devices_like_written_sizes() -> None:
    mesh = clean("mesh dp = 2, tp = 4 on 8 box", overrides={"dp": 1, "tp": 8})
    assert (sizes(mesh), mesh.devices) == ({"dp": 1, "tp": 8}, 8)
    mesh = clean("mesh dp = rest, tp = 4 on 8 box", overrides={"tp": 8})
    assert (sizes(mesh), mesh.devices) == ({"dp": 1, "tp": 8}, 8)
    mesh = clean("mesh dp = 2, tp = 4 on dp * tp box", overrides={"tp": 16})
    assert (sizes(mesh), mesh.devices) == ({"dp": 2, "tp": 16}, 32)
    assert clean("mesh dp = 2, tp = 4", overrides={"tp": 16}).devices is None
    assert only(resolved("mesh tp = 4", overrides={"tp": 0}))[0] == "bad_size"


@pytest.mark.parametrize(
    ("mesh", "overrides", "data", "fixes"),
    [
        (
            "mesh pp = 4, dp = 4, tp = 5 on 80 box",
            {"tp": 25},
            {"product": 400, "min_devices": 400, "fix_tp": 5, "overridden": ("tp",)},
            [("Use 400 devices", "400")],
        ),
        (
            "mesh pp = 4, dp = 4, tp = 5 on 80 box",
            {"dp": 8},
            {"product": 160, "min_devices": 160, "fix_dp": 4, "fix_pp": 2, "overridden": ("dp",)},
            [("Let `pp` fill the rest: 2", "rest"), ("Use 160 devices", "160")],
        ),
        (
            "mesh dp = rest, tp = 4 on 80 box",
            {"dp": 3},
            {"product": 12, "idle": 8, "fix_dp": 20, "overridden": ("dp",)},
            [("Use 12 devices", "12")],
        ),
        (
            "mesh dp = rest, tp = 4 on 80 box",
            {"tp": 3},
            {"product": 3, "idle": 2, "overridden": ("tp",)},
            [("Use 78 devices", "78"), ("Use 81 devices", "81")],
        ),
    ],
)
def test_overrides_that_do_not_meet_the_devices(
    mesh: str, overrides: Mapping[str, int], data: dict[str, object], fixes: list[tuple[str, str]]
) -> None:
    found = resolved(mesh, overrides=overrides)
    assert only(found) == ("mesh_product", {"devices": 80} | data)
    assert edits(found[1][0]) == fixes


def test_a_product_of_axes() -> None:
    mesh = clean("axis all = pp * ep\naxis ep = dp * tp, same = dp\nmesh pp = 2, dp = 4, tp = 8")
    assert sizes(mesh) == {"pp": 2, "dp": 4, "tp": 8, "all": 64, "ep": 32, "same": 4}
    assert view(mesh, "ep").of == ("dp", "tp")
    assert view(mesh, "ep").pieces is None
    assert view(mesh, "all").of == ("pp", "dp", "tp")
    assert view(mesh, "same").of == ("dp",)


def test_a_new_cut() -> None:
    mesh = clean(
        "mesh pp = 2, dp = 8 over slow, tp = 4 over fast on 64 box\n"
        "axis edp = rest, ep = 8 over fast of dp * tp"
    )
    pieces = (("edp", 4), ("ep", 8))
    assert view(mesh, "ep").pieces == view(mesh, "edp").pieces == pieces
    assert view(mesh, "ep").of == ("dp", "tp")
    assert (view(mesh, "edp").size, view(mesh, "ep").size) == (4, 8)
    assert (view(mesh, "edp").link, view(mesh, "ep").link) == (None, "fast")


def test_views_of_pieces() -> None:
    mesh = clean("mesh dp = 16, tp = 2\naxis edp = rest, ep = 8 of dp\naxis both = ep * tp")
    assert view(mesh, "both").of == ("ep", "tp")
    assert view(mesh, "both").size == 16


def test_a_symbolic_cut() -> None:
    mesh = clean("mesh dp\naxis edp = rest, ep = 8 of dp")
    assert sizes(mesh) == {"dp": symbol("dp"), "edp": symbol("dp") / 8, "ep": 8}


def test_a_region_that_is_too_small() -> None:
    mesh, findings = resolved(
        "mesh dp = 2, cp = 1, tp = 2 on 4 box\naxis efsdp = rest, ep = 8 of dp * cp * tp"
    )
    name, data = only((mesh, findings))
    assert name == "mesh_product"
    assert data == {
        "ep": 8,
        "efsdp": 0,
        "axis": "ep",
        "region": 4,
        "product": 8,
        "devices": 4,
        "min_devices": 8,
    }
    assert view(mesh, "ep").size == 8
    assert mesh.poisoned == {"ep", "efsdp"}


def test_the_devices_that_a_cut_needs() -> None:
    _, data = only(resolved("mesh pp = 4, dp = rest on 8 box\naxis edp = rest, ep = 8 of dp"))
    assert (data["product"], data["devices"], data["min_devices"]) == (32, 8, 32)
    assert (data["region"], data["ep"]) == (2, 8)


def test_a_cut_that_leaves_something_over() -> None:
    found = resolved("mesh dp = 16\naxis ep = 8 of dp")
    name, data = only(found)
    assert name == "mesh_product"
    assert (data["region"], data["ep"], data["product"], data["devices"]) == (16, 8, 8, 16)
    assert edits(found[1][0]) == [("Name what is left `dp_rest`", "dp_rest = rest, ")]
    assert sizes(clean("mesh dp = 8\naxis ep = 8 of dp"))["ep"] == 8


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("axis ep = 8", "ep"),
        ("axis ep = dp * 2", "ep"),
        ("axis ep = dp * dp", "ep"),
        ("axis a = rest, b = rest of dp", "b"),
        ("axis a = rest, b = 0 of dp", "b"),
    ],
)
def test_views_that_cannot_be(text: str, name: str) -> None:
    mesh, findings = resolved(f"mesh dp = 8\n{text}")
    code, data = only((mesh, findings))
    assert (code, data["name"]) == ("bad_size", name)
    assert name in mesh.poisoned


def test_views_of_unknown_axes() -> None:
    mesh, findings = resolved("mesh dp = 8\naxis ep = dpp\naxis e2 = ep * dp")
    assert only((mesh, findings)) == (
        "unknown_name",
        {"kind": "axis", "name": "dpp", "near": ("dp",)},
    )
    assert mesh.poisoned == {"ep", "e2"}
    assert mesh.views == ()


def test_a_cut_of_an_unknown_axis_is_one_finding() -> None:
    mesh, findings = resolved("mesh dp = 8\naxis edp = rest, ep = 8 of dpp")
    assert only((mesh, findings))[0] == "unknown_name"
    assert mesh.poisoned == {"edp", "ep"}


def test_a_view_of_an_axis_without_a_size_is_still_known() -> None:
    mesh, findings = resolved("mesh dp = 0, tp = 2\naxis ep = dp * tp\naxis a = rest, b = 2 of dp")
    assert [finding.name for finding in findings] == ["bad_size"]
    assert mesh.poisoned == {"dp", "ep", "a", "b"}
    assert sizes(mesh)["ep"] == 2 * symbol("dp")


def test_views_in_circles() -> None:
    _, findings = resolved("mesh dp = 8\naxis a = b\naxis b = a")
    assert [finding.name for finding in findings] == ["size_cycle"]


def test_overrides_of_pieces() -> None:
    mesh = clean("mesh dp = 16\naxis edp = rest, ep = 8 of dp", overrides={"ep": 4})
    assert view(mesh, "ep").pieces == (("edp", 4), ("ep", 4))
    name, data = only(resolved("mesh dp = 16\naxis ep = dp", overrides={"ep": 4}))
    assert (name, data["name"]) == ("bad_size", "ep")


def test_a_plan_cuts_anew() -> None:
    text = "mesh dp = 16\naxis edp = rest, ep = 8 of dp\nplan p { axis edp = rest, ep = 4 of dp }"
    assert view(clean(text), "ep").size == 8
    assert view(clean(text, plan="p"), "edp").pieces == (("edp", 4), ("ep", 4))

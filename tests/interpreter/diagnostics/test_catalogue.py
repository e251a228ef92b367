"""The catalogue: every finding has an entry, every entry is found, every example is true."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from specs import analyses_of

from parspec.interpreter.diagnostics import catalogue
from parspec.interpreter.diagnostics.entry import (
    axes,
    choice,
    enumeration,
    items,
    listed,
    plural,
    size_in_bytes,
    word,
)
from parspec.interpreter.diagnostics.findings import NOWHERE, Finding

INTERPRETER = Path(catalogue.__file__).parent.parent


def source_files():
    return [
        path
        for folder in ("spec", "analysis")
        for path in sorted((INTERPRETER / folder).rglob("*.py"))
    ]


def strings(path):
    """Every string in a module."""
    tree = ast.parse(path.read_text("utf-8"))
    return {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }


def named(path):
    """Names that findings are made with, where a literal says them."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            function = node.func
            called = getattr(function, "id", getattr(function, "attr", ""))
            if called in ("Finding", "report"):
                yield node.args[0].value


def test_codes_and_names_are_unique_and_well_formed():
    codes = [entry.code for entry in catalogue.ENTRIES]
    names = [entry.name for entry in catalogue.ENTRIES]
    assert len(set(codes)) == len(codes)
    assert len(set(names)) == len(names)
    assert codes == sorted(codes)
    assert all(re.fullmatch(r"PAR[0-6]\d\d", code) for code in codes)


def test_every_finding_has_an_entry():
    known = {entry.name for entry in catalogue.ENTRIES}
    made = {name for path in source_files() for name in named(path)}
    assert made - known == set()


def test_every_entry_is_found():
    mentioned = {text for path in source_files() for text in strings(path)}
    unused = {entry.name for entry in catalogue.ENTRIES} - mentioned
    assert unused == set()


@pytest.mark.parametrize("entry", catalogue.ENTRIES, ids=lambda entry: entry.name)
def test_entries_explain_themselves(entry):
    assert entry.explanation.endswith(".")
    assert "  " not in entry.explanation


EXAMPLES = [entry for entry in catalogue.ENTRIES if entry.example]


def found(text, entry, folder):
    """Names of what is found in a text, as it is and under its plans, beside the entry's files."""
    for name, data in entry.beside:
        (folder / name).write_bytes(data)
    analyses = analyses_of(text, str(folder / "example.par"))
    return [finding for analysis in analyses for finding in analysis.findings]


def test_only_a_file_of_megabytes_has_no_example():
    assert [entry.name for entry in catalogue.ENTRIES if not entry.example] == ["file_too_large"]


@pytest.mark.parametrize("entry", EXAMPLES, ids=lambda entry: entry.name)
def test_an_example_has_this_diagnostic_and_no_other(entry, tmp_path):
    (only,) = found(entry.example, entry, tmp_path)
    assert only.name == entry.name
    assert "\n" not in catalogue.message(only)


@pytest.mark.parametrize("entry", EXAMPLES, ids=lambda entry: entry.name)
def test_a_corrected_example_checks_clean(entry, tmp_path):
    assert found(entry.corrected, entry, tmp_path) == []


def test_entries_are_found_by_name_and_by_code():
    assert catalogue.entry("indivisible") is catalogue.entry("PAR201")
    with pytest.raises(KeyError):
        catalogue.entry("PAR999")


def test_severity_may_depend_on_data():
    def of(share):
        return catalogue.severity(Finding("repeated_work", NOWHERE, (("share", share),)))

    assert (of(0.05), of(0.051), of(None)) == ("info", "warning", "info")


MESSAGES = [
    (
        "indivisible",
        {"dim": "heads", "axis": "tp", "size": 52, "ways": 3, "remainder": 1, "unit": 3}
        | {"valid": (1, 2, 4, 13, 26, 52), "below": 51, "above": 54},
        "heads = 52 does not split 3 ways on tp: 52 mod 3 = 1; 1, 2, 4, 13, 26, 52 do; "
        "heads = 51 or 54 would",
    ),
    (
        "indivisible",
        {"dim": "S", "axis": "cp", "size": 7, "ways": 2, "remainder": 3, "unit": 4}
        | {"valid": (), "below": None, "above": 8},
        "S = 7 on cp is no multiple of 4: 7 mod 4 = 3; S = 8 would",
    ),
    (
        "indivisible",
        {"dim": "V", "axis": "tp", "size": 50257, "ways": 8, "remainder": 1, "unit": 8}
        | {"valid": (1,), "below": 50256, "above": 50264},
        "V = 50257 does not split 8 ways on tp: 50257 mod 8 = 1; V = 50256 or 50264 would; "
        "`V padded to 8` splits",
    ),
    (
        "unmatched_pattern",
        {"pattern": "decoder.upp", "near": ("up",)},
        "pattern decoder.upp matches nothing; did you mean up?",
    ),
    (
        "layers_lost",
        {
            "stack": "dec",
            "axis": "pp",
            "layers": 80,
            "stages": 4,
            "built": 79,
            "lost": 1,
            "remainder": 1,
            "valid_chunk": (1, 2, 4, 5, 10, 20),
            "dealt": (18, 20, 21, 20),
        },
        "stack dec has 80 layers, but the chunks on pp hold 79, 18 + 20 + 21 + 20: 1 lost; let one "
        "of them take 1 more",
    ),
    (
        "layers_lost",
        {
            "stack": "dec",
            "axis": "pp",
            "layers": 80,
            "stages": 4,
            "built": 82,
            "lost": -2,
            "remainder": -2,
            "valid_chunk": (1, 2, 4, 5, 10, 20),
            "dealt": (41, 41),
        },
        "stack dec has 80 layers, but the chunks on pp hold 82, 41 + 41: 2 too many; let one of "
        "them take 2 less",
    ),
    (
        "layers_lost",
        {
            "stack": "dec",
            "axis": "pp",
            "layers": 80,
            "stages": 4,
            "built": 88,
            "lost": -8,
            "remainder": -8,
            "valid_chunk": (1, 2, 4, 5, 10, 20),
            "dealt": (22, 22, 22, 22),
        },
        "stack dec has 80 layers, but 88 are built on 4 stages of pp: 8 too many; chunks of 1, 2, "
        "4, 5, 10 or 20 take all",
    ),
    (
        "axis_reused",
        {"axis": "tp", "dim": "F", "other": "H", "layer": "*", "bearer": "pattern"},
        "axis tp partitions H of * already; it cannot partition F as well; a second `for` can, for "
        "layers without H",
    ),
    (
        "axis_reused",
        {"axis": "tp", "dim": "F", "other": "H", "layer": "up", "bearer": "layer"},
        "axis tp partitions H of up already; it cannot partition F as well",
    ),
    (
        "unmatched_pattern",
        {"pattern": "*", "near": ("decoder",), "lacks": ("L",)},
        "pattern * matches nothing: none of its layers has L; did you mean decoder?",
    ),
    (
        "unmatched_pattern",
        {"pattern": "encoder", "near": (), "there": ("decoder", "embed", "head")},
        "pattern encoder matches nothing; there are decoder, embed and head",
    ),
    (
        "duplicate_name",
        {"kind": "link", "name": "ib", "library": ("std.h100",)},
        "link ib is declared twice, here and in std.h100; call this one something else, or "
        "declare the hardware here instead of `import std.h100`",
    ),
    (
        "expect_failed",
        {"text": "All-Reduce of h on tp", "value": "none"},
        "All-Reduce of h on tp does not hold: there is none",
    ),
    (
        "repeated_work",
        {"layer": "mlp.up.1", "axis": "tp", "share": 0.25},
        "25% of all FLOPs are spent again on every node of tp, most of them in layer mlp.up.1 "
        "(a step inside layer mlp.up)",
    ),
    (
        "block_split",
        {"dim": "F", "axis": "tp", "local": 192, "unit": 128, "remainder": 64}
        | {"valid": (1, 2, 3, 4, 6, 12)},
        "a slice of F on tp is 192 and does not hold whole units of 128: 192 mod 128 = 64; "
        "1, 2, 3, 4, 6, 12 do",
    ),
    (
        "mesh_product",
        {"product": 2, "devices": 3, "idle": 1},
        "the mesh has 2 nodes, but there are 3 devices; 1 would be idle",
    ),
    (
        "bad_size",
        {"name": "Q", "clause": "padded to", "text": "0", "reason": "a size is at least 1"},
        "Q padded to 0: a size is at least 1",
    ),
    (
        "unit_mismatch",
        {"name": "memory", "wants": "bytes", "got": "s", "factor": "bytes/s"},
        "memory is in bytes (`1 GB`), not seconds",
    ),
    (
        "unit_mismatch",
        {"name": "time", "wants": "s", "got": "bytes", "factor": "s/bytes"},
        "time is in seconds (`1 ms`), not bytes",
    ),
    (
        "unit_mismatch",
        {"name": "parameters", "wants": "count", "got": "bytes", "factor": "1/bytes"},
        "parameters is a plain number, not bytes",
    ),
    (
        "unit_mismatch",
        {"name": "mfu", "wants": "share", "got": "s", "factor": "1/s"},
        "mfu is a share (`40%`), not seconds",
    ),
    (
        "unit_mismatch",
        {"name": "bandwidth", "wants": "bytes/s", "got": "bytes", "factor": "1/s"},
        "bandwidth is in bytes/s, not bytes; the factor 1/s is missing",
    ),
    (
        "unit_mismatch",
        {"name": "memory", "wants": "bytes", "got": "no unit", "factor": ""},
        "memory has no unit; it is in bytes (`1 GB`)",
    ),
    (
        "out_of_memory",
        {
            "device": "h100",
            "per_device_GB": 150,
            "capacity_GB": 80,
            "ways": 3,
            "parts": ("weights 100 GB", "activations 50 GB"),
            "largest": "weights",
        },
        "a device needs 150 GB (weights 100 GB, activations 50 GB), but h100 has 80 GB; it fits "
        "with weights split 3 ways more",
    ),
    (
        "misplaced",
        {"statement": "frozen", "place": "on layer act, which reads no weight", "idle": True},
        "frozen says nothing on layer act, which reads no weight",
    ),
    *(
        (
            "wrong_arguments",
            {"function": "capacity", "wants": ("tokens", "experts", "top", "factor")}
            | {"got": got, "optional": ("factor",)},
            f"capacity takes tokens, experts, top and, if need be, factor; {fault}",
        )
        for got, fault in (
            (("tokens", "experts", "factor"), "top is missing"),
            (("tokens", "topk"), "experts and top are missing, topk is none of them"),
            (("tokens", "tokens", "experts", "top"), "tokens is given twice"),
        )
    ),
    (
        "expect_failed",
        {
            "text": "expect All-Gather of x on tp",
            "value": "none",
            "parts": (),
            "price_list": None,
            "instead": ("Send of x on pp", "All-Reduce of x on tp"),
        },
        "expect All-Gather of x on tp does not hold: there is none, but Send of x on pp and "
        "All-Reduce of x on tp",
    ),
    (
        "unit_mismatch",
        {"name": "+", "wants": "s", "got": "bytes", "factor": ""},
        "+ needs the same unit on both sides, not s and bytes",
    ),
    (
        "unit_mismatch",
        {"name": "*", "wants": "count", "got": "bytes", "factor": ""},
        "* needs a plain number on one side, not bytes",
    ),
    (
        "unit_mismatch",
        {"name": "/", "wants": "count", "got": "bytes", "factor": ""},
        "/ needs a plain number on its right, not bytes",
    ),
    (
        "mesh_product",
        {"ep": 8, "efsdp": 0, "axis": "efsdp, ep", "region": 4, "product": 8, "devices": 4}
        | {"min_devices": 8},
        "ep = 8 does not fit a region of 4 nodes; 8 devices would do",
    ),
    (
        "operands_disagree",
        {"axis": "N", "layer": "add", "choices": (("x", "B"), ("h", "D"))}
        | {"prices": (1_000_000, None)},
        "on N layer add could follow P(B) of x (1 MB a device) or P(D) of h; "
        "a `partition` clause says which",
    ),
    (
        "hole",
        {"layer": "down", "axis": "tp", "dim": "F", "unit": "B"}
        | {"choices": (("F", 0.0), ("B", 33_000.0), ("D", 0.0), ("none", 2_100_000.0))},
        "`?` on tp is filled with F, by bytes the cheapest for down "
        "(a device sends F: 0 B, B: 33 kB, D: 0 B, none: 2.1 MB; F and D cost the same)",
    ),
    (
        "hole",
        {"layer": "up", "axis": "tp", "dim": "F", "unit": "B"}
        | {"choices": (("B", 0.0), ("F", 300.0), ("none", 0.0))}
        | {"over_budget": ("B", "none"), "repeating": ("none",)},
        "`?` on tp is filled with F, by bytes the cheapest for up that keeps the budgets of memory "
        "(a device sends B: 0 B but breaks a budget of memory, F: 300 B, "
        "none: 0 B but breaks a budget of memory and repeats work)",
    ),
    (
        "hole",
        {"layer": "up", "axis": "tp", "dim": "B", "unit": "B", "too_large": ("B",)}
        | {"choices": (("B", 8.0),)},
        "`?` on tp is filled with B, by bytes the cheapest for up, though it does not fit "
        "(a device sends B: 8 B but does not fit)",
    ),
    (
        "hole",
        {"layer": "down", "axis": "tp", "dim": "F", "unit": "s"}
        | {"choices": (("F", 0.0012), ("none", 0.5))},
        "`?` on tp is filled with F, by time the cheapest for down (F: 1.2 ms, none: 500 ms)",
    ),
    (
        "layers_lost",
        {"stack": "decoder", "axis": "pp", "layers": 30, "stages": 4, "built": 28, "lost": 2}
        | {"remainder": 2},
        "stack decoder has 30 layers, and 28 of them are built on 4 stages of pp: "
        "2 lost, 30 mod 4 = 2; 3 or 5 stages take all, or the stack is `uneven`",
    ),
    (
        "expect_failed",
        {"text": "traffic <= 1 GB", "value": "1.06 GB", "price_list": "composed"}
        | {"parts": ("All-Reduce y 1.06 GB",)},
        "traffic <= 1 GB does not hold: it is 1.06 GB = All-Reduce y 1.06 GB (composed prices)",
    ),
    (
        "repeated_work",
        {"layer": "up", "axis": "tp", "share": 0.25},
        "25% of all FLOPs are spent again on every node of tp, most of them in layer up",
    ),
    (
        "file_too_large",
        {"file": "a.par", "size": 17_000_000, "limit": 16_777_216},
        "a.par has 17 MB; a spec may have 16.8 MB",
    ),
    (
        "unknown_name",
        {"kind": "axis", "name": "tq", "near": ("tp", "dp", "pp")},
        "there is no axis tq; did you mean tp, dp or pp?",
    ),
    (
        "size_cycle",
        {"name": "B", "cycle": ("B", "C", "B")},
        "the size of B needs itself: B -> C -> B",
    ),
    (
        "dim_not_in_layer",
        {"kind": "weight", "name": "w", "dim": "D", "dims": ("F", "H")},
        "weight w has no dimension D; it has F, H",
    ),
    (
        "dim_not_in_layer",
        {"kind": "stack", "name": "deep", "dim": "D", "dims": ()},
        "stack deep has no layer with dimension D",
    ),
    (
        "dim_not_in_layer",
        {"kind": "output", "name": "loss", "dim": "D", "dims": ()},
        "output loss has no dimension D",
    ),
    (
        "import_cycle",
        {"cycle": ("/a/b/m.par", "/a/b/parts/n.par", "/a/o.par", "/a/b/m.par")},
        "files import each other: m.par -> parts/n.par -> ../o.par -> m.par",
    ),
    (
        "uneven_split",
        {"dim": "D", "axis": "dp,tp", "sizes": (5, 4)},
        "D splits unevenly on dp, tp: slices of 5, 4",
    ),
]


@pytest.mark.parametrize(("name", "data", "message"), MESSAGES)
def test_messages(name, data, message):
    assert catalogue.message(Finding(name, NOWHERE, tuple(data.items()))) == message


def test_words():
    assert items(None) == ()
    assert items(3) == (3,)
    assert word((1, "a")) == "(1, a)"
    assert listed(tuple(range(1, 20))) == "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …, 19"
    assert (axes("dp,tp"), axes("dp, tp"), axes("tp")) == ("dp, tp", "dp, tp", "tp")
    assert choice(("a",)) == "a"
    assert choice(("a", "b", "c")) == "a, b or c"
    assert enumeration(()) == ""
    assert enumeration(("a", "b")) == "a and b"
    assert (plural(1, "layer"), plural(2, "layer")) == ("1 layer", "2 layers")
    assert plural(8, "microbatch") == "8 microbatches"
    assert size_in_bytes(1000) == "1 kB"
    assert size_in_bytes("B·D") == "B·D"

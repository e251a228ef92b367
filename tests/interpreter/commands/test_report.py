"""`report` from its command line."""

from __future__ import annotations

import re

import pytest
from command_line import TEXT, WRONG, validated, write

from parspec.interpreter.output.terminal.cells import width

FREE = "mesh N = 8\ndim B = 64\ninput x[B] replicated on N\n" + (
    "layer act: a[B] = gelu(x) partition B on N\noutput a\n"
)


class TestReport:
    STACK = (
        "mesh pp = 4\ndim L = 8, B = 64, D = 32, D2 = D\ninput x[B, D]\n"
        "stack net[L]: x -> y {\n  weight w[D, D2]\n  layer fc: y[B, D2] = x * w\n}\n"
        "for net: partition L on pp\noutput y\n"
    )

    def test_text(self, ran):
        write("mlp.par", TEXT)
        code, out, err = ran("report", "mlp.par")
        assert (code, err) == (0, "")
        assert out.startswith("mlp.par\nmesh     N = 8\n")
        assert "y  All-Reduce (4) of y on N: R(partial) → R" in out
        assert "2(N−1)/N·M + 2(N−1)·M = 1.06 GB (≈ 2·N·M), N = 8, M = 67.1 MB" in out
        assert all(width(line) <= 80 for line in out.splitlines())

    def test_json(self, ran):
        write("mlp.par", TEXT)
        code, out, _ = ran("report", "mlp.par", "--format", "json")
        report = validated("report", out)
        assert code == 0
        assert report["totals"]["traffic_bytes"]["forward"] == 1_056_964_608
        assert [layer["name"] for layer in report["layers"]] == ["up", "act", "down"]
        assert report["layers"][1]["follows"] == {"N": "h"}
        (primitive,) = report["primitives"]
        assert primitive["primitive"] == "All-Reduce"
        assert report["expects"][0]["holds"] is True

    def test_json_of_a_pipeline_of_any_length(self, ran):
        write("stack.par", self.STACK.replace("pp = 4", "pp"))
        code, out, _ = ran("report", "stack.par", "--format", "json")
        report = validated("report", out)
        assert code == 0
        states = {tensor["layout"]["pp"] for tensor in report["tensors"]}
        assert states == {"C(0)", "P(L)", "C(k)", "C(pp-1)"}

    def test_the_step_of_a_pipeline_is_not_evaluated(self, ran):
        write("stack.par", self.STACK)
        _, out, _ = ran("report", "stack.par")
        assert "time               step: depends on the schedule, not evaluated\n" in out
        assert "net\n(8 times, 2 on a device)  pp" in out
        assert "no total" not in out

    def test_training_has_no_total_of_memory(self, ran):
        write("stack.par", self.STACK + "train { global_batch = B }\n")
        _, out, _ = ran("report", "stack.par")
        assert "no total: the backward pass is not evaluated\n" in out

    def test_long_names_are_shortened(self, ran):
        names = {
            "B": "batch_of_many_sequences",
            "D": "hidden_dimension_of_the_model",
            "N": "n" * 30,
        }
        text = TEXT
        for short, long in names.items():
            text = re.sub(rf"\b{short}\b", long, text)
        write("long.par", text.replace(" = 8\n", " = 8, dp = 2, cp = 2, pp = 2\n"))
        _, out, err = ran("report", "long.par")
        assert all(width(line) <= 80 for line in (*out.splitlines(), *err.splitlines()))
        assert "nnn…  dp" in out

    def test_prices(self, ran):
        write("mlp.par", TEXT)
        _, out, _ = ran("report", "mlp.par", "--format", "json", "--cost", "ring")
        report = validated("report", out)
        assert report["cost"] == "ring"
        assert report["totals"]["traffic_bytes"]["forward"] == 2 * 7 * 67_108_864

    def test_other_sizes(self, ran):
        write("mlp.par", TEXT)
        _, out, _ = ran("report", "mlp.par", "--set", "B=8Ki", "N=4", "--format", "json")
        report = validated("report", out)
        assert {dim["name"]: dim["size"] for dim in report["dims"]}["B"] == 8192
        assert report["mesh"] == [{"axis": "N", "size": 4, "link": None}]

    def test_free_moves_are_listed_only_when_asked_for(self, ran):
        write("mlp.par", FREE)
        _, few, _ = ran("report", "mlp.par", "--format", "json")
        _, all_of_them, _ = ran("report", "mlp.par", "--format", "json", "--all")
        assert validated("report", few)["primitives"] == []
        (free,) = validated("report", all_of_them)["primitives"]
        assert (free["primitive"], free["from"], free["to"]) == (None, "R", "P(B)")
        assert (free["traffic_bytes"], free["per_device_bytes"]) == (0, 0)

    @pytest.mark.parametrize(
        ("setting", "message"),
        [
            ("b=4", "--set b: the spec has no dimension or axis b"),
            ("B=half", "--set B=half is not a size; write --set NAME=8192 or NAME=8Ki"),
            ("B=0", "--set B=0 is not a size; write --set NAME=8192 or NAME=8Ki"),
            ("B", "--set B is not a size; write --set NAME=8192 or NAME=8Ki"),
            *(
                (setting, f"--set {setting} is not a size; write --set NAME=8192 or NAME=8Ki")
                for setting in ("B=4 dim C=5", "B=4 # c", "B=4 unit 2", "B=4,", "B=4 uneven")
            ),
            ("B=4\n", "--set B=4␊ is not a size"),
            ("B=\n4", "--set B=␊4 is not a size"),
        ],
    )
    def test_sizes_that_cannot_be(self, ran, setting, message):
        write("mlp.par", TEXT)
        code, out, err = ran("report", "mlp.par", "--set", setting)
        assert (code, out) == (2, "")
        assert err.startswith(message)

    def test_mistakes_are_told_and_the_rest_is_shown(self, ran):
        write("mlp.par", WRONG)
        code, out, err = ran("report", "mlp.par")
        assert code == 1
        assert "error[PAR102]" in err
        assert out.startswith("mlp.par\n")

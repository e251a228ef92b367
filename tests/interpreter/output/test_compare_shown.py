"""Comparisons as text, as Markdown and as JSON, and the command that makes them."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest
from test_compare import MEGATRON, PAIR, STACK, TestSymbolic, plans, texts

from parspec.interpreter.commands import main
from parspec.interpreter.output.comparisons.json import compare_json
from parspec.interpreter.output.comparisons.markdown import compare_markdown
from parspec.interpreter.output.comparisons.memo import everything, memo, telling
from parspec.interpreter.output.comparisons.text import compare_text
from parspec.interpreter.output.terminal.cells import width
from parspec.interpreter.output.terminal.screen import COLOURED, PLAIN, Screen

SCREEN = Screen(PLAIN, 80)


def text_of(comparison, screen=SCREEN, choice=telling):
    return compare_text(memo(comparison, choice), screen)


def validated(text):
    schema = files("parspec.interpreter.output") / "schemas" / "compare.schema.json"
    schema = json.loads(schema.read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    value = json.loads(text)
    jsonschema.Draft202012Validator(schema).validate(value)
    assert value.keys() == schema["properties"].keys()
    return value


def json_of(comparison):
    return validated(compare_json(comparison, ()))


class TestText:
    def test_two_plans(self):
        assert text_of(plans(PAIR, "tp", "dp")) == (
            """\
dp against tp
dp takes 7.8 times less time a step (0.144 ns against 1.13 ns), moves nothing
over nv (against 48 B), but needs 24 B more memory a device (104 B against 80
B); both fit 1 KiB.

figures  of one forward pass, traffic at composed prices

what differs    of   tp                  dp
mesh                 tp = 2 over nv      dp = 2 over ib
strategy on tp  a    tensor, column (F)  no tp
strategy on tp  b    tensor, row (F)     no tp
strategy on dp  all  no dp               data (B)

how much                     tp        dp     change
time
  compute              0.128 ns  0.144 ns  +0.016 ns  ×1.1
  communication            1 ns       0 s      −1 ns
  busy                  1.13 ns  0.144 ns  −0.984 ns  ÷7.8
  step                  1.13 ns  0.144 ns  −0.984 ns  ÷7.8
  device time           2.26 ns  0.288 ns   −1.97 ns  ÷7.8
communication by axis
  tp                       1 ns       0 s      −1 ns
memory per device
  total                    80 B     104 B      +24 B  ×1.3
  weights                  32 B      64 B      +32 B    ×2
  activations              48 B      40 B       −8 B  ÷1.2
traffic per device         16 B       0 B      −16 B
traffic, forward           48 B       0 B      −48 B
traffic by axis
  tp                       48 B       0 B      −48 B
traffic by primitive
  All-Reduce               48 B       0 B      −48 B

what bounds tp
memory     80 B of 1 KiB (8%); most is activations, 48 B (60%)
time       communication bound: compute 0.128 ns (11%), communication 1 ns (89%)
compute    a takes longest, 0.064 ns (50%); all compute is FLOPs bound
axis       tp over nv takes longest, 1 ns (100%)
primitive  All-Reduce of y at the output on tp takes longest, 1 ns (100%)

what bounds dp
memory   104 B of 1 KiB (10%); most is weights, 64 B (62%)
time     compute bound: 0.144 ns, nothing is communicated
compute  a takes longest, 0.072 ns (50%); all compute is memory bandwidth bound

   primitives  tp               dp       change
−  output      All-Reduce 48 B  nothing   −48 B
   y on tp     16 B, 1 ns                 −1 ns
below the traffic: the busiest device's share and time
"""
        )

    def test_stages_and_what_is_not_computed(self):
        text = text_of(plans(STACK, "flat", "piped"))
        assert (
            "not computed  compute time: the mesh names no device\n"
            "              step time of flat: a part is not computed\n"
            "              communication time of piped: no link for pp\n"
            "              step time of piped: depends on the schedule\n"
        ) in text
        assert "stage  flat           piped\n0-1    no such stage  832 B  s 0-1 … s 2-3\n" in text
        assert "+  s           nothing  Send 64 B   +64 B\n" in text

    def test_formulas(self):
        text = text_of(TestSymbolic.comparison)
        assert re.search(r"traffic, forward +symbolic +symbolic +symbolic +×4\.5\n", text)
        assert re.search(r"  activations +32768·B B +172032·B B +\+139264·B B +×5\.2\n", text)
        assert "compute    up has most FLOPs, a guess while sizes are symbolic\n" in text
        told = " ".join(text.partition("\nformulas\n")[2].split())
        assert (
            "traffic, forward column (32768·B·N − 32768·B/N) B; row (147456·B·N − 147456·B/N) B; "
            "change (114688·B·N − 114688·B/N) B"
        ) in told

    def test_budgets(self):
        text = text_of(texts(narrow=MEGATRON, wide=MEGATRON.replace("N = 8", "N = 16")))
        assert "found         wide: 1 budget not kept\n" in text
        assert re.search(r"\nexpect traffic <= 1.2 GB +holds: 1.06 GB +fails: 2.14 GB\n", text)

    def test_errors(self):
        text = text_of(plans(PAIR.replace("B on dp\n", "B on pd\n"), "tp", "dp"))
        assert "found    dp: 1 error; what that concerns is left out of its figures\n" in text

    def test_other_work_and_other_prices(self):
        text = text_of(texts(a=MEGATRON, b=MEGATRON.replace("B = 4096", "B = 64") + "cost ring\n"))
        assert "(sizes of B): amounts are not of one" in text
        assert "traffic is at different prices; --cost NAME puts it all at one\n" in text

    def test_what_is_the_same_on_demand(self):
        same = plans(PAIR, "tp", "tp")
        assert text_of(same).endswith("\n\nall primitives are the same: 48 B\n")
        assert "=  output      All-Reduce 48 B  All-Reduce 48 B    same\n" in text_of(
            same, choice=everything
        )

    def test_many_stand_two_by_two_beside_the_first(self):
        more = PAIR + "".join(f"plan p{n} {{ mesh dp = 2 over ib on 2 gpu }}\n" for n in (1, 2))
        text = text_of(plans(more, "tp", "dp", "p1", "p2"))
        assert re.findall(r"\nhow much +(.*)\n", text) == [
            "tp        dp              p1",
            "tp        p2     change",
        ]
        assert text.count("\nwhat bounds ") == 4

    @pytest.mark.parametrize("columns", [60, 80, 120])
    def test_it_fits_the_screen(self, columns):
        comparison = texts(
            **{
                "a_rather_long_name_of_a_file:and_of_a_plan_too": MEGATRON,
                "short": MEGATRON.replace("mesh N = 8", "mesh N").replace("B = 4096", "B"),
            }
        )
        lines = text_of(comparison, Screen(PLAIN, columns)).splitlines()
        assert max(map(width, lines)) <= columns

    def test_colours(self):
        text = text_of(plans(PAIR, "tp", "dp"), Screen(COLOURED, 80))
        assert text.startswith("\x1b[1mdp against tp\x1b[0m\n")
        assert re.search(r"\x1b\[32m *−48 B\x1b\[0m", text)  # less: good
        assert re.search(r"\x1b\[33m *\+24 B\x1b\[0m", text)
        plain = re.sub(r" +$", "", re.sub(r"\x1b\[[\d;]*m", "", text), flags=re.M)
        assert plain == text_of(plans(PAIR, "tp", "dp"))


class TestMarkdown:
    def test_it_has_the_same_tables(self):
        text = compare_markdown(memo(plans(PAIR, "tp", "dp"), telling))
        assert text.startswith("## dp against tp\n\n**dp takes 7.8 times less time a step")
        assert "\n| how much | tp | dp | change |  |\n| --- | ---: | ---: | ---: | ---: |\n" in text
        assert "\n| weights | 32 B | 64 B | +32 B | ×2 |\n" in text
        assert "\n| − | output<br>y on tp | All-Reduce 48 B<br>16 B, 1 ns | nothing |" in text
        assert "- axis: tp over nv takes longest, 1 ns (100%)\n" in text

    def test_names_cannot_break_it(self):
        text = compare_markdown(memo(texts(**{"a|b": PAIR, "@me_<b>": PAIR}), telling))
        assert text.startswith("## &#64;me\\_\\<b\\> against a\\|b\n")

    def test_rows_have_all_columns(self):
        text = compare_markdown(memo(plans(STACK, "flat", "piped"), telling))
        for table in re.findall(r"(?:^\|.*\n)+", text, re.M):
            assert len({line.count("|") for line in table.splitlines()}) == 1


class TestJson:
    def test_two_plans(self):
        value = json_of(plans(PAIR, "tp", "dp"))
        assert [one["name"] for one in value["variants"]] == ["tp", "dp"]
        assert value["variants"][0]["bounds"]["primitive"] == {
            "name": "All-Reduce of y at the output on tp",
            "value": 1e-09,
            "share": 1,
        }
        (one,) = value["primitives"]
        assert (one["layer"], one["tensor"], one["axis"]) == ("", "y", "tp")
        assert one["status"] == ["same", "gone"]
        assert one["traffic_bytes"] == [48, 0]
        assert one["moves"][0][0]["formula"] == "2(N−1)/N·M + 2(N−1)·M"
        figures = {(one["group"], one["name"]): one for one in value["figures"]}
        weights = figures["memory per device", "weights"]
        assert (weights["values"], weights["differences"], weights["ratios"]) == (
            *([32, 64], [0, 32]),
            [1, 2],
        )

    def test_a_formula_stands_beside_what_is_symbolic(self):
        value = json_of(TestSymbolic.comparison)
        figures = {(one["group"], one["name"]): one for one in value["figures"]}
        forward = figures["traffic", "forward"]
        assert forward["values"] == [None, None]
        assert forward["formulas"][0] == "32768*B*N - 32768*B/N"
        assert forward["difference_formulas"] == [None, "114688*B*N - 114688*B/N"]
        assert forward["ratios"] == [1, 4.5]

    def test_stages_and_what_is_missing(self):
        value = json_of(plans(STACK, "flat", "piped"))
        assert value["stages"][1] == {
            "stage": 1,
            "holds": [None, ["s 2-3"]],
            "memory_bytes": [None, 832],
        }
        assert {"figures": "step time", "reason": "depends on the schedule"} in (
            value["variants"][1]["not_computed"]
        )


class TestCommand:
    @pytest.fixture(autouse=True)
    def specs(self, folder):
        Path("pair.par").write_text(PAIR, "utf-8")
        Path("mlp.par").write_text(MEGATRON, "utf-8")
        Path("wide.par").write_text(MEGATRON.replace("N = 8", "N = 16"), "utf-8")

    @pytest.fixture
    def ran(self, capsys):
        def run(*words):
            code = main.main(["compare", *words])
            shown = capsys.readouterr()
            return code, shown.out, shown.err

        return run

    @pytest.mark.parametrize(
        ("words", "title"),
        [
            (["pair.par"], "dp against tp"),
            (["pair.par", "--plan", "dp", "--plan", "tp"], "tp against dp"),
            (["pair.par", "--plan", "dp"], "dp against the file itself"),
            (["mlp.par", "pair.par", "--plan", "dp"], "pair:dp against mlp"),
            (["pair.par", "mlp.par"], "mlp against pair"),
            (["mlp.par", "./mlp.par"], "./mlp.par against mlp.par"),
        ],
    )
    def test_what_is_compared(self, ran, words, title):
        code, out, _ = ran(*words)
        assert (code, out.splitlines()[0]) == (0, title)

    def test_the_file_without_a_plan_is_not_said_to_be_no_plan(self, ran):
        _, out, _ = ran("pair.par", "--plan", "dp")
        assert "what bounds the file itself" in out
        assert "no plan" not in out

    def test_plans_that_are_not_compared_are_pointed_out(self, ran):
        _, out, _ = ran("pair.par", "mlp.par")
        assert "pair: without its plans; --plan tp or dp picks one\n" in out
        assert "without its plans" not in ran("pair.par", "mlp.par", "--plan", "dp")[1]
        assert "without its plans" not in ran("pair.par", "--plan", "dp")[1]

    @pytest.mark.parametrize(
        ("words", "message"),
        [
            (["mlp.par"], "mlp.par has no plans; compare it with another file\n"),
            (["pair.par", "--plan", "pd"], "pair.par: no plan pd; there is tp and dp\n"),
            (["mlp.par", "--plan", "tp"], "mlp.par: no plan tp; there is none\n"),
            (["pair.par", "--set", "Q=2"], "--set Q: the spec has no dimension or axis Q\n"),
            (["none.par", "pair.par"], "error[PAR601] file_not_found: there is no file none.par"),
        ],
    )
    def test_what_cannot_be(self, ran, words, message):
        code, out, err = ran(*words)
        assert (code, out) == (2, "")
        assert err.startswith(message)

    def test_too_many(self, ran):
        many = "".join(f"plan p{n} {{ mesh a = 2 }}\n" for n in range(7))
        Path("many.par").write_text(many, "utf-8")
        code, _, err = ran("many.par")
        assert (code, err) == (2, "these are 7 plans, compare shows up to 6; --plan picks some\n")

    def test_errors_are_told_and_the_rest_is_compared(self, ran):
        code, out, err = ran("mlp.par", "wide.par")
        assert code == 1
        assert err.startswith("error[PAR401]")
        assert out.startswith("wide against mlp\nmlp sends 6.7% less a device")
        code, out, err = ran("mlp.par", "wide.par", "--format", "json")
        assert (code, err) == (1, "")
        assert [one["code"] for one in validated(out)["diagnostics"]] == ["PAR401"]

    def test_other_sizes_and_prices(self, ran):
        _, out, _ = ran("pair.par", "--set", "B=8", "--cost", "ring", "--format", "json")
        (one,) = validated(out)["primitives"]
        assert one["traffic_bytes"] == [64, 0]  # 2 (N-1) M

    def test_the_same_bytes_on_two_runs(self, ran):
        for form in ("text", "json", "markdown"):
            assert ran("pair.par", "--format", form) == ran("pair.par", "--format", form)

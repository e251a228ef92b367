"""The command line as a whole: what it prints where, and how it ends."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest
from handmade import TEXT

from parspec.interpreter.commands import check, main
from parspec.interpreter.commands.cells import width

WRONG = TEXT.replace("w_down[F, D]\n", "w_down[F, D], x[B]\n")  # one mistake and no other
WARNED = TEXT.replace("output y replicated on N\n", "output y\n").replace(
    "expect traffic <= 1.2 GB\n", ""
)

HOLE = (
    "mesh N = 8\ndim B = 64, F = 128, D = 4\ninput x[B, F] partition F on N\nweight w[F, D]\n"
    "layer down: y[B, D] = x * w partition ? on N\noutput y partition B on N\n"
)
FREE = "mesh N = 8\ndim B = 64\ninput x[B] replicated on N\n" + (
    "layer act: a[B] = gelu(x) partition B on N\noutput a\n"
)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    monkeypatch.delenv("PARSPEC_DEBUG", raising=False)
    return tmp_path


@pytest.fixture
def ran(capsys):
    """Runs a command line: exit code, standard output, standard error."""

    def run(*words):
        code = main.main(words)
        shown = capsys.readouterr()
        return code, shown.out, shown.err

    return run


def write(name, text, newline="\n"):
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8", newline=newline)
    return name


def validated(name, text):
    schema = json.loads((files("parspec.interpreter.commands") / f"{name}.schema.json").read_text())
    value = json.loads(text)
    jsonschema.Draft202012Validator(schema).validate(value)
    return value


_SELDOM = ("check_services", "portable", "watch")
NEEDLESS = {f"parspec.interpreter.commands.{name}" for name in _SELDOM}


class TestCheck:
    def test_a_clean_file(self, ran):
        write("mlp.par", TEXT)
        code, out, err = ran("check", "mlp.par")
        assert (code, err) == (0, "")
        told = "mlp.par: ok · 3 layers · mesh N = 8 · traffic 1.06 GB · 117 MB/device · memory "
        assert out.startswith(told)
        assert out.count("\n") == 1

    def test_a_file_with_a_mistake(self, ran):
        write("mlp.par", WRONG)
        code, out, err = ran("check", "mlp.par")
        assert (code, err) == (1, "")
        assert out.startswith("error[PAR102] duplicate_name: tensor x is declared twice")
        assert "6 | weight w_up[D, F], w_down[F, D], x[B]\n" in out
        assert out.endswith("mlp.par: 1 error\n")

    def test_a_warning_ends_well_unless_it_is_an_error(self, ran):
        write("mlp.par", WARNED)
        assert ran("check", "mlp.par")[0] == 0
        code, out, _ = ran("check", "mlp.par", "--warn-as-error", "--format", "concise")
        assert code == 1
        assert out == (
            "mlp.par:10:8: error[PAR301] output y is left partial on N: every node holds an "
            "addend; `output y replicated on N` adds them up\n"
        )

    def test_json(self, ran):
        write("mlp.par", WRONG)
        code, out, _ = ran("check", "mlp.par", "--format", "json")
        value = validated("check", out)
        assert code == 1
        assert [d["name"] for d in value["diagnostics"]] == ["duplicate_name"]
        assert value["diagnostics"][0]["range"]["start"] == {"line": 6, "character": 34}

    def test_folders_are_searched_in_order(self, ran):
        write("b/z.par", TEXT)
        write("b/a.par", WRONG)
        write("b/.hidden/c.par", WRONG)
        write("b/notes.txt", "not a spec")
        code, out, _ = ran("check", "b")
        lines = [line for line in out.splitlines() if ".par:" in line and "-->" not in line]
        assert [line.split(":")[0] for line in lines] == ["b/a.par", "b/z.par"]
        assert out.endswith("2 files: 1 error\n")
        assert code == 1

    def test_a_file_is_checked_once(self, ran):
        write("a.par", TEXT)
        _, out, _ = ran("check", "a.par", ".", "a.par")
        assert out.count("a.par: ok") == 1

    def test_an_empty_folder(self, ran):
        Path("empty").mkdir()
        assert ran("check", "empty") == (2, "", "no .par files in empty\n")

    def test_nothing(self, ran):
        assert ran("check", "") == (2, "", 'error[PAR601] file_not_found: there is no file ""\n')

    def test_other_sizes_and_prices(self, ran):
        write("other.par", TEXT)
        code, out, err = ran("check", "--set", "N=4", "tp=2", "--cost", "ring", "other.par")
        assert (code, out) == (2, "")
        assert err == "--set tp: the spec has no dimension or axis tp\n"
        code, out, _ = ran("check", "--set", "N=4", "--cost", "ring", "other.par")
        assert code == 0
        assert out.startswith("other.par: ok · 3 layers · mesh N = 4 · traffic 403 MB")

    def test_a_size_that_was_set_is_told_so(self, ran):
        write("mlp.par", TEXT)
        _, out, _ = ran("check", "mlp.par", "--set", "F=28671", "--format", "concise")
        assert "F = 28671 (--set) does not split 8 ways on N" in out
        _, out, _ = ran("check", "mlp.par", "--set", "N=3", "--format", "concise")
        assert "F = 28672 does not split 3 ways on N" in out
        assert "; N = 3 (--set)\n" in out

    def test_a_hole_tells_the_price_of_each_choice(self, ran):
        write("hole.par", HOLE)
        _, out, _ = ran("check", "hole.par", "--format", "concise")
        assert out == (
            "hole.par:5:39: info[PAR213] `?` on N is filled with F, the cheapest for down "
            "(B: 1.79 kB, F: 448 B, none: 14.3 kB a device)\n"
        )

    def test_what_has_no_size_is_named(self, ran):
        write("mlp.par", TEXT.replace("B = 4096", "B").replace("N = 8", "N"))
        _, out, _ = ran("check", "mlp.par", "--format", "concise")
        assert out.endswith("traffic <= 1.2 GB is not evaluated: B and N have no size\n")
        _, out, _ = ran("check", "mlp.par", "--set", "N=8", "--format", "concise")
        assert out.endswith("traffic <= 1.2 GB is not evaluated: B has no size\n")

    def test_standard_input(self, ran, monkeypatch):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(WRONG.encode())))
        code, out, _ = ran("check", "-", "--stdin-filename", "new.par", "--format", "concise")
        assert code == 1
        assert out.startswith("new.par:6:34: error[PAR102]")

    def test_standard_input_without_a_name(self, ran, monkeypatch):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TEXT.encode())))
        assert ran("check", "-")[1].startswith("<stdin>: ok")

    def test_standard_input_that_is_no_text(self, ran, monkeypatch):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"dim \xff")))
        code, out, err = ran("check", "-")
        assert (code, out) == (2, "")
        assert err == "error[PAR604] not_utf8: <stdin> is not UTF-8: byte 0xff at offset 4\n"

    def test_plans_are_checked_and_named(self, ran):
        write("mlp.par", TEXT + "plan good { mesh N = 4 }\nplan bad { mesh N = 3 }\n")
        code, out, _ = ran("check", "mlp.par", "--format", "concise")
        assert code == 1
        assert all(line.endswith("(in bad)") for line in out.splitlines())
        assert "error[PAR201] F = 28672 does not split 3 ways on N: 28672 mod 3 = 1" in out
        assert ran("check", "mlp.par", "--plan", "good")[0] == 0

    def test_an_unknown_plan(self, ran):
        write("mlp.par", TEXT + "plan small { mesh N = 4 }\n")
        code, out, err = ran("check", "mlp.par", "--plan", "smal")
        assert (code, out) == (2, "")
        assert err == "mlp.par has no plan smal; it has small\n"

    def test_a_plan_that_some_of_the_files_have(self, ran):
        write("mlp.par", TEXT + "plan small { mesh N = 4 }\n")
        write("other.par", TEXT)
        code, out, err = ran("check", "mlp.par", "other.par", "--plan", "small")
        assert (code, err) == (0, "")
        assert [line.partition(":")[0] for line in out.splitlines()] == ["mlp.par · small"]

    def test_json_says_which_file_could_not_be_read(self, ran):
        code, out, _ = ran("check", "gone.par", "--format", "json")
        assert code == 2
        (found,) = json.loads(out)["diagnostics"]
        assert (found["name"], found["file"]) == ("file_not_found", "gone.par")

    def test_the_same_mistake_of_an_imported_file_is_told_once(self, ran):
        write("model.par", WRONG)
        write("a.par", 'import "model.par"\n')
        write("b.par", 'import "model.par"\n')
        _, out, _ = ran("check", "a.par", "b.par", "model.par", "--format", "concise")
        assert out.count("tensor x is declared twice") == 1

    @pytest.mark.parametrize("text", ["", "\n\n", TEXT.rstrip("\n"), "# only this"])
    def test_short_ends(self, ran, text):
        write("a.par", text)
        code, out, err = ran("check", "a.par")
        assert (code, err) == (0, "")
        assert out.startswith("a.par: ok")

    def test_line_ends_do_not_matter(self, ran):
        write("a.par", WRONG, newline="\r\n")
        _, with_returns, _ = ran("check", "a.par")
        write("a.par", WRONG)
        assert ran("check", "a.par")[1] == with_returns


class TestFilesThatCannotBeRead:
    def test_missing(self, ran):
        write("megatron.par", TEXT)
        code, out, err = ran("check", "megatrom.par")
        assert (code, out) == (2, "")
        assert err == (
            "error[PAR601] file_not_found: there is no file megatrom.par; did you mean\n"
            "  megatron.par?\n"
        )

    @pytest.mark.parametrize("command", ["report", "tables"])
    def test_a_folder_is_no_spec(self, ran, command):
        Path("folder").mkdir()
        code, out, err = ran(command, "folder")
        assert (code, out) == (2, "")
        assert err == "error[PAR602] unreadable_file: folder cannot be read: a directory\n"

    def test_not_utf8(self, ran):
        Path("latin.par").write_bytes(b"# caf\xe9\n")
        code, out, err = ran("check", "latin.par")
        assert (code, out) == (2, "")
        assert err == ("error[PAR604] not_utf8: latin.par is not UTF-8: byte 0xe9 at offset 5\n")

    @pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
    def test_forbidden(self, ran):
        write("secret.par", TEXT)
        Path("secret.par").chmod(0)
        code, _, err = ran("check", "secret.par")
        assert code == 2
        assert "permission denied" in err

    def test_too_large(self, ran):
        with Path("big.par").open("wb") as file:
            file.truncate(17_000_000)
        code, out, err = ran("check", "big.par")
        assert (code, out) == (2, "")
        assert err == ("error[PAR606] file_too_large: big.par has 17 MB; a spec may have 16.8 MB\n")

    def test_the_others_are_checked_all_the_same(self, ran):
        write("good.par", TEXT)
        code, out, err = ran("check", "gone.par", "good.par")
        assert code == 2
        assert out.startswith("good.par: ok")
        assert err.startswith("error[PAR601]")

    def test_a_name_that_is_too_long(self, ran):
        code, out, err = ran("check", "x" * 300)
        assert (code, out) == (2, "")
        assert err.startswith("error[PAR602] unreadable_file:\n  xxx")
        assert err.endswith("xxx\n  cannot be read: file name too long\n")
        assert all(width(line) <= 80 for line in err.splitlines())

    def test_strange_names(self, ran):
        code, _, err = ran("check", "a\x1b[31m\udc80.par")
        assert code == 2
        assert "\x1b" not in err


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
        assert "net\n(8 times)  pp" in out
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
            ("B=4 dim C=5", "--set B=4 dim C=5 is not a size; write --set NAME=8192 or NAME=8Ki"),
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


class TestTables:
    SPEC = (
        "dim L = 4, B = 64, D = 32, D2 = D\nop linear(X[B, I], W[I, O]) -> Y[B, O] = X * W\n"
        "mesh N = 2\ninput x[B, D] partition B on N\nstack net[L]: x -> y {\n"
        "  weight w[D, D2]\n  layer fc: y[B, D2] = linear(x, w)\n}\noutput y\n"
    )

    def test_text(self, ran):
        write("linear.par", self.SPEC)
        code, out, _ = ran("tables", "linear.par")
        assert code == 0
        assert " I           BI     LOI     N·BO   BI + LOI + N·BO\n" in out
        assert "prices: traffic in the system" in out

    def test_one_operator(self, ran):
        write("linear.par", self.SPEC)
        value = validated("tables", ran("tables", "linear.par", "linear", "--format", "json")[1])
        assert [operator["name"] for operator in value["operators"]] == ["linear"]

    def test_the_tables_of_the_theory_are_those_of_no_operator(self, ran):
        write("linear.par", self.SPEC)
        _, one, _ = ran("tables", "linear.par", "linear")
        _, more, _ = ran("tables", "linear.par", "linear", "--all")
        assert "prices" not in one
        assert more == one + more.removeprefix(one)
        assert more.removeprefix(one).startswith("\n\nstates of a variable")
        assert ran("tables", "linear.par")[1] == more

    BLOCKS = (
        "dim B = 4, D = 8\ninput x[B, D]\n"
        "block up(x[B, D]) -> a {\n  layer add: b[B, D] = x + x\n  layer act: a[B, D] = gelu(x)\n"
        "}\n"
        "block down(x[B, D]) -> a {\n  layer act: a[B, D] = softmax over D (x)\n}\n"
        "layer one: y = up(x)\nlayer two: z = down(y)\noutput z\n"
    )

    def test_an_operator_by_the_end_of_its_name(self, ran):
        write("blocks.par", self.BLOCKS)
        assert ran("tables", "blocks.par", "add")[1].startswith("one.add: relations\n")
        code, out, err = ran("tables", "blocks.par", "act")
        assert (code, out, err) == (2, "", "which act: one.act or two.act?\n")
        assert "T" not in ran("tables", "blocks.par", "two.act")[1]

    def test_many_operators_are_listed_in_part(self, ran):
        layers = (
            f"dim D{n} = 4\ninput x{n}[D{n}]\nlayer layer_{n}: y{n}[D{n}] = gelu(x{n})\n"
            for n in range(20)
        )
        write("many.par", "".join(layers))
        code, out, err = ran("tables", "many.par", "qq")
        assert (code, out) == (2, "")
        assert "layer_9, …, layer_19\n" in err
        assert all(width(line) <= 80 for line in err.splitlines())

    def test_an_unknown_operator(self, ran):
        write("linear.par", self.SPEC)
        code, out, err = ran("tables", "linear.par", "linaer")
        assert (code, out) == (2, "")
        assert err == "the spec has no operator linaer; did you mean linear?\n"


class TestTheRest:
    def test_help(self, ran):
        code, out, err = ran("--help")
        assert (code, err) == (0, "")
        assert "  check       what is wrong with a spec" in out
        assert ran("help", "check") == ran("check", "--help")

    def test_nothing_asked(self, ran):
        code, out, err = ran()
        assert (code, out) == (2, "")
        assert err.startswith("parspec checks parallelism plans")

    def test_version(self, ran):
        code, out, _ = ran("--version")
        assert code == 0
        assert out.startswith("parspec ")

    def test_unknown_command(self, ran):
        code, out, err = ran("chekc", "a.par")
        assert (code, out) == (2, "")
        assert err == (
            "parspec has no command chekc; did you mean check?\n"
            "usage: parspec COMMAND FILE... [options]   (parspec --help says more)\n"
        )

    def test_unknown_option(self, ran):
        code, _, err = ran("check", "--fromat", "json")
        assert code == 2
        assert err.startswith("parspec check has no option --fromat; did you mean --format?\n")
        _, _, err = ran("check", "--zzz")
        assert err.startswith("parspec check has no option --zzz; there is --format, ")
        assert all(width(line) <= 80 for line in err.splitlines())

    def test_an_error_of_ours_is_told_kindly(self, ran, monkeypatch):
        write("mlp.par", TEXT)

        def fail(*_):
            raise ZeroDivisionError("division by zero")

        monkeypatch.setattr(check, "summary", fail)
        code, out, err = ran("check", "mlp.par")
        assert (code, out) == (2, "")
        assert err.startswith(
            "parspec made a mistake of its own (ZeroDivisionError: division by zero).\n"
        )
        assert "Traceback" not in err
        monkeypatch.setenv("PARSPEC_DEBUG", "1")
        with pytest.raises(ZeroDivisionError):
            ran("check", "mlp.par")

    def test_an_interrupt_is_quiet(self, ran, monkeypatch):
        write("mlp.par", TEXT)

        def interrupt(*_):
            raise KeyboardInterrupt

        monkeypatch.setattr(check, "summary", interrupt)
        assert ran("check", "mlp.par") == (130, "", "")


SCRIPT = "import sys; from parspec.interpreter.commands.main import main; sys.exit(main())"


def process(*words, **settings):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **settings}
    return subprocess.run(
        [sys.executable, "-c", SCRIPT, *words], capture_output=True, env=environment, check=False
    )


class TestProcesses:
    def test_a_pipe_is_not_coloured_unless_forced(self):
        write("mlp.par", WRONG)
        assert b"\x1b" not in process("check", "mlp.par").stdout
        assert b"\x1b" in process("check", "mlp.par", FORCE_COLOR="1").stdout
        assert b"\x1b" not in process("check", "mlp.par", FORCE_COLOR="1", NO_COLOR="1").stdout

    def test_an_output_that_cannot_be_encoded_is_escaped(self):
        write("mlp.par", TEXT)
        shown = process("report", "mlp.par", PYTHONIOENCODING="ascii")
        assert shown.returncode == 0
        assert b"\\u2212" in shown.stdout

    def test_a_reader_that_goes_away_is_not_talked_about(self):
        write("mlp.par", WRONG)
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        writing = subprocess.Popen(
            [sys.executable, "-c", SCRIPT, "check", "mlp.par"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
        )
        writing.stdout.close()
        assert writing.stderr.read() == b""
        writing.stderr.close()
        assert writing.wait() == 141

    def test_version_and_help_import_nothing_heavy(self):
        script = (
            "import sys; from parspec.interpreter.commands.main import main; main(['--help']);"
            "print([m for m in ('rich', 'lark', 'json', 'fractions') if m in sys.modules])"
        )
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        shown = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, env=environment, check=True
        )
        assert shown.stdout.endswith(b"[]\n")

    @pytest.mark.parametrize(
        ("words", "needless"),
        [
            (["check", "mlp.par"], {"rich", "json", *NEEDLESS}),
            (["explain", "PAR201"], {"rich", "json", "lark"}),
        ],
    )
    def test_commands_import_what_they_need(self, words, needless):
        write("mlp.par", TEXT)
        script = (
            "import sys; from parspec.interpreter.commands.main import main;"
            f"main({words}); print(sorted({needless} & set(sys.modules)))"
        )
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        shown = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, env=environment, check=True
        )
        assert shown.stdout.endswith(b"[]\n")

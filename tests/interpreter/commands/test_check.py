"""`check` from its command line: what it prints where, and how it ends."""

from __future__ import annotations

import io
import json
import os
import sys
from pathlib import Path
from unicodedata import normalize

import pytest
from command_line import TEXT, WRONG, validated, write

from parspec.interpreter.output.terminal.cells import width

WARNED = TEXT.replace("output y replicated on N\n", "output y\n").replace(
    "expect traffic <= 1.2 GB\n", ""
)

HOLE = (
    "mesh N = 8\ndim B = 64, F = 128, D = 4\ninput x[B, F] partition F on N\nweight w[F, D]\n"
    "layer down: y[B, D] = x * w partition ? on N\noutput y partition B on N\n"
)


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
            "hole.par:5:39: info[PAR213] `?` on N is filled with F, by bytes the cheapest for "
            "down (a device sends B: 1.79 kB, F: 448 B, none: 14.3 kB but repeats work)\n"
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

    def test_what_the_file_has_without_a_plan_is_not_charged_to_its_plans(self, ran):
        write(
            "cp.par",
            "mesh cp = 8\ndim S = 4096, D = 64, E = 64\ninput x[S, D]\nweight w[D, E]\n"
            "layer q: q[S, E] = x * w\nlayer k: k[S, E] = x * w\n"
            "output q, k\nfor q: partition none on cp\nfor k: partition S on cp\n"
            "plan sliced { for q: partition S on cp }\n",
        )
        code, out, _ = ran("check", "cp.par", "--warn-as-error")
        assert code == 1
        shown, first, second = out.rsplit("\n", 3)[:-1]
        assert shown.endswith("  = note: without a plan\n")
        assert first == "cp.par · no plan: 1 error"
        assert second.startswith("cp.par · sliced: ok · 2 layers · ")
        assert ran("check", "cp.par", "--warn-as-error", "--plan", "sliced")[0] == 0
        (found,) = json.loads(ran("check", "cp.par", "--format", "json")[1])["diagnostics"]
        assert (found["name"], found["plans"]) == ("repeated_work", [])

    def test_a_syntax_error_in_a_plan_is_that_plan_s(self, ran):
        write("mlp.par", TEXT + "plan good { mesh N = 4 }\nplan bad { mesh N == 3 }\n")
        code, out, _ = ran("check", "mlp.par")
        assert code == 1
        assert out.splitlines()[-1] == "mlp.par · bad: 1 error"
        assert out.splitlines()[-2].startswith("mlp.par · good: ok")
        assert ran("check", "mlp.par", "--plan", "good")[0] == 0
        assert ran("check", "mlp.par", "--plan", "bad")[0] == 1

    def test_names_are_those_of_the_spec_however_accents_are_written(self, ran):
        text = (
            "dim Größe = 8\nmesh N = 2\ninput x[Größe] partition Größe on N\n"
            "layer à: y[Größe] = gelu(x)\noutput y\nplan é { mesh N = 4 }\nplan b { mesh N = 8 }\n"
        )
        decomposed = [normalize("NFD", name) for name in ("é", "Größe=16", "à")]
        assert decomposed == ["e\u0301", "Gro\u0308ße=16", "a\u0300"]
        for form in ("NFC", "NFD"):
            plan, size, layer = (normalize(form, name) for name in decomposed)
            write("é.par", normalize("NFC" if form == "NFD" else "NFD", text))
            code, out, err = ran("check", "é.par", "--plan", plan, "--set", size)
            assert (code, err) == (0, "")
            assert out.startswith("é.par · é: ok")
            assert ran("compare", "é.par", "--plan", plan, "--plan", "b", "--plan", "é")[0] == 0
            assert ran("tables", "é.par", layer)[1].startswith("à: relations")

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

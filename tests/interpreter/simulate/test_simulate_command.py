"""`parspec simulate` on a command line."""

import json

import pytest
from specs import MEGATRON

from parspec.interpreter.commands import main, simulate
from parspec.interpreter.simulate.proof import Difference, Proof, Stuck, Traffic

SPEC = MEGATRON + "plan both { mesh N = 9 }\n"


@pytest.fixture
def ran(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("PARSPEC_DEBUG", "1")

    def run(text, *words):
        (tmp_path / "mlp.par").write_text(text, "utf-8")
        code = main.main(["simulate", "mlp.par", *words])
        shown = capsys.readouterr()
        return code, shown.out, shown.err

    return run


def test_a_plan_that_holds(ran):
    code, out, err = ran(SPEC)
    assert (code, err) == (0, "")
    assert out == (
        "mlp.par: simulated on 2 devices: holds\n"
        "  sizes   N 8 -> 2, B 4096 -> 2, D 8192 -> 2, F 28672 -> 2\n"
        "  results 4 equal those of the program without a partition, on every device\n"
        "  sent    All-Reduce 16 B: as priced (ring)\n"
        "  seed    0\n"
    )


def test_json(ran):
    code, out, _ = ran(SPEC, "--format", "json", "--seed", "3")
    value = json.loads(out)
    assert code == 0
    assert value["holds"] is True
    assert value["seed"] == 3
    assert value["sizes"][0] == {
        "kind": "axis",
        "name": "N",
        "before": 8,
        "after": 2,
        "padded": None,
    }
    assert value["traffic"] == [{"primitive": "All-Reduce", "sent_bytes": 16, "priced_bytes": 16}]
    assert (value["fault"], value["mispriced"]) == (None, [])


def test_other_sizes_and_plans(ran):
    assert "N 4 -> 2, B 8 -> 2" in ran(SPEC, "--set", "N=4", "B=8")[1]
    code, out, err = ran(SPEC, "--plan", "none")
    assert (code, out, err) == (2, "", "mlp.par has no plan none; it has both\n")


def test_a_wrong_spec_is_not_simulated(ran):
    code, out, err = ran(SPEC, "--plan", "both")
    assert (code, out) == (1, "")
    assert err.startswith("error[PAR201] indivisible")
    assert err.endswith("mlp.par has errors and is not simulated\n")


def test_a_budget_that_is_not_kept_does_not_stand_in_the_way(ran):
    code, out, err = ran(SPEC + "expect traffic <= 1 B\n")
    assert code == 0
    assert "holds" in out
    assert err.startswith("error[PAR401]")


def test_what_cannot_be_simulated_says_why(ran):
    axes = ", ".join(f"a{place} = 2" for place in range(11))
    text = f"mesh {axes}\ndim B = 64\ninput x[B]\nlayer one: y[B] = gelu(x)\noutput y\n"
    code, out, err = ran(text)
    assert (code, out) == (2, "")
    assert err.endswith(
        "mlp.par cannot be simulated: its axes do not shrink to 1024 devices, and more\n"
        "  are not simulated\n"
    )


def test_without_numpy_it_says_what_to_install(ran, monkeypatch):
    monkeypatch.setattr(simulate, "find_spec", lambda name: None)
    code, out, err = ran(SPEC)
    assert (code, out) == (2, "")
    assert err == "simulate needs NumPy: pip install 'parspec[simulate]'\n"


def test_a_seed_is_a_whole_number(ran):
    for seed in ("x", "9" * 5000):
        code, _, errors = ran(SPEC, "--seed", seed)
        assert code == 2
        assert " ".join(errors.split()).endswith("is not a whole number of up to 40 digits")


FAULTS = {
    "differs": (
        Difference("down", "y", (("N", 1),), 0.25),
        "  results 2 equal, then one that differs\n"
        "  fault   at layer down: y is off by 0.25 on N 1\n",
    ),
    "stuck": (
        Stuck("", "nothing to reduce on N"),
        "  fault   at the output: nothing to reduce on N\n",
    ),
}


@pytest.mark.parametrize("kind", FAULTS)
def test_a_fault_is_named(ran, monkeypatch, kind):
    fault, text = FAULTS[kind]
    proof = Proof(2, 3, fault, ())
    monkeypatch.setattr("parspec.interpreter.simulate.simulate.proved", lambda *_: proof)
    code, out, _ = ran(SPEC)
    assert code == 1
    assert out.startswith("mlp.par: simulated on 2 devices: does not hold\n")
    assert text in out
    assert json.loads(ran(SPEC, "--format", "json")[1])["fault"]["kind"] == kind


def test_a_wrong_price_is_named(ran, monkeypatch):
    traffic = (Traffic("", "y", "output", "All-Reduce", 16, 32),)
    proof = Proof(2, 4, None, traffic)
    monkeypatch.setattr("parspec.interpreter.simulate.simulate.proved", lambda *_: proof)
    code, out, _ = ran(SPEC)
    assert code == 1
    assert "  sent    All-Reduce 16 B\n" in out
    assert "  price   All-Reduce of y at the output sends 16 B, its ring price is 32 B\n" in out
    assert json.loads(ran(SPEC, "--format", "json")[1])["mispriced"][0]["priced_bytes"] == 32


def test_a_file_of_which_only_plans_have_a_mesh_says_that_none_is_simulated(ran):
    text = SPEC.replace("mesh N = 8\n", "", 1)
    code, out, err = ran(text)
    assert (code, out[:37]) == (0, "mlp.par: simulated on 1 device: holds")
    assert " ".join(err.split()) == (
        "note: mlp.par has no mesh of its own, and no plan is simulated: --plan of both"
    )
    assert ran(text.replace("N = 9", "N = 8"), "--plan", "both")[2] == ""

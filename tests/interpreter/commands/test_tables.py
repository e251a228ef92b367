"""`tables` from its command line."""

from __future__ import annotations

from command_line import validated, write

from parspec.interpreter.output.terminal.cells import width


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

    def test_markdown(self, ran):
        write("linear.par", self.SPEC)
        code, out, _ = ran("tables", "linear.par", "linear", "--format", "markdown")
        assert code == 0
        assert out.startswith("**linear: relations**\n\n| variable | L | B | O | I |\n| --- |")
        assert "prices" not in out
        assert "prices" in ran("tables", "linear.par", "--format", "markdown")[1]

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
        near = "the spec has no operator ad; did you mean one.add?\n"
        assert ran("tables", "blocks.par", "ad") == (2, "", near)

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

    def test_parameters_are_told_of_as_the_operator_reads_them(self, ran):
        head, _, rest = self.SPEC.partition("op linear")
        ops = (
            "op turned(X[B, I], W[I, O]) -> Y[B, O] = W * X\n"
            "op first(X[B, I], W[I, O]) -> Y[B, I] = X\n"
        )
        write("linear.par", f"{head}{ops}op linear{rest}")
        operators = validated("tables", ran("tables", "linear.par", "--format", "json")[1])
        relations = {one["name"]: one["relations"] for one in operators["operators"]}
        assert relations["turned"] == {"W": ["I", "O"], "X": ["B", "I"], "Y": ["B", "O"]}
        assert relations["first"] == {"X": ["B", "I"], "Y": ["B", "I"]}
        assert relations["linear"]["X"] == ["L", "B", "I"]

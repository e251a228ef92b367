"""What `parspec` offers: each command with its operands, options and examples."""

from __future__ import annotations

from parspec.interpreter.commands.arguments import Command, Option

PRICE_LISTS = ("composed", "approx", "ring")
_PLAN = "as of this plan"
_STDIN = "- for FILE reads standard input."
_FORMAT = Option("--format", "FORMAT", "text (default) or json", choices=("text", "json"))
_COST = Option("--cost", "LIST", "prices: composed, approx or ring", choices=PRICE_LISTS)
_SET = Option("--set", "NAME=SIZE...", "other sizes of dimensions and axes", several=True)

CHECK = Command(
    name="check",
    summary=(
        "Finds what is wrong with specs and with each of their plans, and sums each file up in a "
        f"line. Folders are searched for .par files. {_STDIN} Exit code: 0 clean or warnings only, "
        "1 errors found, 2 a file cannot be read or there is none."
    ),
    operands="FILE|DIR...",
    least=1,
    most=None,
    options=(
        Option(
            "--format",
            "FORMAT",
            "full (default), concise (a line each) or json",
            choices=("full", "concise", "json"),
        ),
        Option("--plan", "NAME", f"{_PLAN} only"),
        _SET,
        _COST,
        Option("--warn-as-error", "", "every warning is an error"),
        Option("--stdin-filename", "NAME", "what to call the spec that is read from -"),
    ),
    examples=(
        ("one file", "parspec check examples/megatron_mlp.par"),
        ("all specs below a folder, for a log", "parspec check --format concise plans/"),
        ("what an editor has not saved yet", "parspec check --stdin-filename mlp.par -"),
    ),
)

REPORT = Command(
    name="report",
    summary=(
        "Shows what a plan does: for each layer its strategy, the states of its variables and the "
        "communication that they need; traffic, memory and time, in all and by axis and primitive. "
        f"{_STDIN}"
    ),
    operands="FILE",
    least=1,
    most=1,
    options=(
        _FORMAT,
        _COST,
        _SET,
        Option("--plan", "NAME", _PLAN),
        Option("--all", "", "moves that cost nothing as well"),
    ),
    examples=(
        ("the whole picture", "parspec report examples/megatron_mlp.par"),
        ("on more nodes, with a larger batch", "parspec report mlp.par --set N=16 B=8192"),
        ("for a program", "parspec report mlp.par --format json --cost ring"),
    ),
)

TABLES = Command(
    name="tables",
    summary=(
        "Derives the tables of parallel strategies for a spec's operators, as formulas: which "
        "variable has which dimensions, what each partition does to its state, storage and "
        "traffic; without OP those of states and primitives as well. "
        f"{_STDIN} An operator in blocks or stacks may go by the end of its name."
    ),
    operands="FILE [OP]",
    least=1,
    most=2,
    options=(
        _FORMAT,
        Option("--plan", "NAME", _PLAN),
        Option("--all", "", "with one operator the tables of states and primitives as well"),
    ),
    examples=(
        ("all operators of a spec", "parspec tables examples/article.par"),
        ("one operator, or one layer", "parspec tables examples/article.par linear"),
    ),
)

EXPLAIN = Command(
    name="explain",
    summary=(
        "Explains a diagnostic by its code or name, a primitive, a strategy, or a word of the "
        "language, with an example. Without a name it lists what there is."
    ),
    operands="[CODE|NAME|PRIMITIVE|STRATEGY|TERM]",
    least=0,
    most=None,
    options=(
        Option("--format", "FORMAT", "text (default) or markdown", choices=("text", "markdown")),
    ),
    examples=(
        ("a diagnostic", "parspec explain PAR201"),
        ("a primitive", "parspec explain All-Gather"),
        ("a strategy", "parspec explain tensor, column"),
        ("a setting, for a document", "parspec explain microbatches --format markdown"),
    ),
)

SIMULATE = Command(
    name="simulate",
    summary=(
        "Carries a plan out at small sizes, every device with its own slices and every primitive "
        "as it is written, and proves it: the results equal those of the program without a "
        "partition, the bytes sent those of the ring price. Exit code: 0 it holds, 1 it does not "
        f"or the spec has errors, 2 it cannot be simulated. {_STDIN}"
    ),
    operands="FILE",
    least=1,
    most=1,
    options=(
        _FORMAT,
        Option("--plan", "NAME", _PLAN),
        _SET,
        Option("--seed", "NUMBER", "of the random numbers that it computes with (0)"),
    ),
    examples=(
        ("a plan that claims to be right", "parspec simulate examples/megatron_mlp.par"),
        ("one plan of several, for a program", "parspec simulate --plan tp8 --format json m.par"),
    ),
)

COMMANDS = {command.name: command for command in (CHECK, REPORT, TABLES, EXPLAIN, SIMULATE)}

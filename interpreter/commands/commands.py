"""What `parspec` offers: each command with its operands, options and examples."""

from __future__ import annotations

from parspec.interpreter.commands.arguments import Command, Option

SHELLS = ("bash", "zsh", "fish")
PRICE_LISTS = ("composed", "approx", "ring")
CSV_TABLES = ("primitives", "layers", "tensors")
_PLAN = "as of this plan"
_STDIN = "- for FILE reads standard input."
_FORMAT = Option("--format", "FORMAT", "text (default) or json", choices=("text", "json"))
_DOCUMENT = Option(
    "--format",
    "FORMAT",
    "text (default), json or markdown",
    choices=("text", "json", "markdown"),
)
_COST = Option("--cost", "LIST", "prices: composed, approx or ring", choices=PRICE_LISTS)
_IMPORT = Option(
    "--import-from", "DIR", "a further folder from which specs may import", several=True
)
_SET = Option("--set", "NAME=SIZE...", "other sizes of dimensions and axes", several=True)

CHECK = Command(
    name="check",
    brief="what is wrong with a spec and with each of its plans",
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
            "full (default), concise (a line each), json, or what a service reads: github "
            "(annotations), gitlab (Code Quality), sarif (code scanning), junit (test reports)",
            choices=("full", "concise", "json", "github", "gitlab", "sarif", "junit"),
        ),
        Option("--plan", "NAME", f"{_PLAN} only"),
        _SET,
        _IMPORT,
        _COST,
        Option("--warn-as-error", "", "every warning is an error"),
        Option("--watch", "", "check again whenever a file changes, until Ctrl-C"),
        Option("--stdin-filename", "NAME", "what to call the spec that is read from -"),
    ),
    examples=(
        ("one file", "parspec check examples/megatron_mlp.par"),
        ("all specs below a folder, for a log", "parspec check --format concise plans/"),
        ("while you write", "parspec check --watch plans/"),
        ("for code scanning", "parspec check --format sarif . > parspec.sarif"),
        ("what an editor has not saved yet", "parspec check --stdin-filename mlp.par -"),
    ),
)

REPORT = Command(
    name="report",
    brief="what a plan does: states, communication, traffic, memory, time",
    summary=(
        "Shows what a plan does: for each layer its strategy, the states of its variables and the "
        "communication that they need; traffic, memory and time, in all and by axis and primitive. "
        f"{_STDIN}"
    ),
    operands="FILE",
    least=1,
    most=1,
    options=(
        Option(
            "--format",
            "FORMAT",
            "text (default), json, csv, markdown (for a pull request) or html (a page to send)",
            choices=("text", "json", "csv", "markdown", "html"),
        ),
        Option(
            "--table",
            "TABLE",
            "of --format csv: primitives (default), layers or tensors",
            choices=CSV_TABLES,
        ),
        _COST,
        _SET,
        _IMPORT,
        Option("--plan", "NAME", _PLAN),
        Option("--all", "", "moves that cost nothing as well"),
    ),
    examples=(
        ("the whole picture", "parspec report examples/megatron_mlp.par"),
        ("on more nodes, with a larger batch", "parspec report mlp.par --set N=16 B=8192"),
        ("for a program", "parspec report mlp.par --format json --cost ring"),
        ("for a colleague", "parspec report mlp.par --format html > mlp.html"),
        ("for pandas", "parspec report mlp.par --format csv --table layers > layers.csv"),
    ),
)

TABLES = Command(
    name="tables",
    brief="parallel strategies of a spec's operators, as formulas",
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
        _DOCUMENT,
        Option("--plan", "NAME", _PLAN),
        _IMPORT,
        Option("--all", "", "with one operator the tables of states and primitives as well"),
    ),
    examples=(
        ("all operators of a spec", "parspec tables examples/article.par"),
        ("one operator, or one layer", "parspec tables examples/article.par linear"),
    ),
)

COMPARE = Command(
    name="compare",
    brief="what differs between plans, by how much, and what bounds each",
    summary=(
        "Holds plans against the first of them: what differs, by how much, on which axis and in "
        "which primitive, what bounds each, and a verdict. One FILE: under each --plan, or under "
        "all of its plans, or with one --plan against itself without. Several: each under those of "
        f"the plans that it has. {_STDIN}"
    ),
    operands="FILE...",
    least=1,
    most=None,
    options=(
        _DOCUMENT,
        Option("--plan", "NAME", "a plan to compare; once for each", several=True),
        _SET,
        _IMPORT,
        _COST,
        Option("--all", "", "primitives that are the same as well"),
    ),
    examples=(
        ("all plans of a spec", "parspec compare examples/llama3_70b_plans.par"),
        ("two of them, at another size", "parspec compare m.par --plan tp8 --plan pp4 --set B=128"),
        (
            "before and after, for a pull request",
            "parspec compare --format markdown old.par new.par",
        ),
    ),
)

EXPLAIN = Command(
    name="explain",
    brief="what a diagnostic, a primitive, a strategy or a word means",
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
    brief="carries a plan out at small sizes and proves it",
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
        _IMPORT,
        Option("--seed", "NUMBER", "of the random numbers that it computes with (0)"),
    ),
    examples=(
        ("a plan that claims to be right", "parspec simulate examples/megatron_mlp.par"),
        ("one plan of several, for a program", "parspec simulate --plan tp8 --format json m.par"),
    ),
)

LSP = Command(
    name="lsp",
    brief="the language server, for editors",
    summary=(
        "The language server, for editors: diagnostics, hovers, hints, fixes while a spec is "
        "typed. It talks over standard input and output, or waits at an address for one client, "
        "and ends with it. Exit code: 0 the client said goodbye, 1 it has gone without, 2 there is "
        "no way to one."
    ),
    operands="",
    least=0,
    most=0,
    options=(
        Option("--stdio", "", "over standard input and output (default)"),
        Option("--tcp", "[HOST:]PORT", "over a socket; port 0: any that is free"),
        Option("--ws", "[HOST:]PORT", "over a WebSocket"),
    ),
    examples=(
        ("what an editor starts", "parspec lsp --stdio"),
        ("for a client that connects", "parspec lsp --tcp 2087"),
    ),
)

COMPLETION = Command(
    name="completion",
    brief="lets a shell complete all of this",
    summary="Prints a script that lets a shell complete commands, options, files, plans and words.",
    operands="bash|zsh|fish",
    least=1,
    most=1,
    options=(),
    examples=(
        ("bash, from now on", "echo 'eval \"$(parspec completion bash)\"' >> ~/.bashrc"),
        (
            "zsh, from now on, behind compinit",
            "echo 'eval \"$(parspec completion zsh)\"' >> ~/.zshrc",
        ),
        (
            "fish, from now on",
            "parspec completion fish > ~/.config/fish/completions/parspec.fish",
        ),
    ),
)

FMT = Command(
    name="fmt",
    brief="brings specs into the one style",
    summary=(
        "Brings specs into the one style; comments and meaning stay what they are. Folders are "
        "searched for .par files; - reads standard input and prints the result. A statement with "
        "a syntax error stays as it is. Exit code: 0 done, 1 with --check or --diff where "
        "something would change, 2 with these where a statement has a syntax error, or a file "
        "cannot be read or written or there is none."
    ),
    operands="FILE|DIR...",
    least=1,
    most=None,
    options=(
        Option("--check", "", "write nothing; list the files that would change"),
        Option("--diff", "", "write nothing; show what would change"),
        Option("--stdin-filename", "NAME", "what to call the spec that is read from -"),
    ),
    examples=(
        ("all specs below a folder", "parspec fmt plans/"),
        ("in CI", "parspec fmt --check plans/"),
        ("what would change in a file", "parspec fmt --diff mlp.par"),
        ("what an editor has not saved yet", "parspec fmt --stdin-filename mlp.par -"),
    ),
)

COMMANDS = {
    command.name: command
    for command in (CHECK, REPORT, TABLES, COMPARE, EXPLAIN, SIMULATE, FMT, LSP, COMPLETION)
}

"""Asks a language server everything that it announces at every character of every example under
200 lines, and where they are cut off: megatron_mlp.par after each of its characters, the others
after 50 random ones, at the last 20 characters and at 20 random ones.

Prints the requests of each file, and how many brought something; an error ends it.

    python tests/sweep_many.py [--clients vscode neovim emacs] [--parts whole cut] [--seed 1]
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parent / "lsp"))

from everywhere import Sweep, places
from lsp_editor import Editor, capabilities_of

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.par"))
MOST_LINES = 200
CUT_EVERYWHERE = "megatron_mlp.par"
CUTS = 50
NEAR = 20  # characters at the end, and as many anywhere


def main() -> int:
    """1 where the server has logged anything."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--clients", nargs="*", default=["vscode", "neovim", "emacs"])
    parser.add_argument("--parts", nargs="*", default=["whole", "cut"], choices=["whole", "cut"])
    parser.add_argument("--files", nargs="*", default=[example.name for example in EXAMPLES])
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    talk = ""
    for client in options.clients:
        with Editor(capabilities_of(client), folders=[EXAMPLES[0].parent]) as editor:
            for example in EXAMPLES:
                text = example.read_text("utf-8")
                if example.name in options.files and text.count("\n") < MOST_LINES:
                    for part in options.parts:
                        began = time.perf_counter()
                        sweep = swept(editor, example, text, part, Random(options.seed))
                        print(
                            f"{client:8}{example.name:24}{part:6}{sweep.asked:9,} requests, "
                            f"{sweep.brought:9,} brought something, "
                            f"{time.perf_counter() - began:7.1f} s",
                            flush=True,
                        )
        talk += editor.talk
    print(talk or "nothing was logged")
    return 1 if talk else 0


def swept(editor: Editor, example: Path, text: str, part: str, random: Random) -> Sweep:
    """A file that has been asked everything."""
    if part == "whole":
        sweep = Sweep(editor, example.as_uri(), text)
        sweep.file()
        sweep.everywhere(places(text))
    else:
        sweep = Sweep(editor, example.with_stem("cut").as_uri(), "")
        every = range(len(text))
        for end in every if example.name == CUT_EVERYWHERE else random.sample(every, CUTS):
            sweep.show(text[:end])
            sweep.file()
            there = places(text[:end])
            sweep.everywhere([*there[-NEAR:], *random.choices(there, k=NEAR)])
    editor.close(sweep.uri)
    return sweep


if __name__ == "__main__":
    sys.exit(main())

"""Whatever is asked wherever in a spec, whole or cut off anywhere, is answered without an error.

A sample; `python tests/sweep_many.py` asks at every character.
"""

from pathlib import Path
from random import Random

import pytest
from everywhere import Sweep, places
from lsp_editor import Editor, capabilities_of

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.par"))
CUT_FIRST = "megatron_mlp.par"
CLIENTS = ("vscode", "neovim", "emacs")


@pytest.mark.parametrize("client", CLIENTS)
def test_everywhere_in_the_examples(client):
    random = Random(client)
    with Editor(capabilities_of(client), folders=[EXAMPLES[0].parent]) as editor:
        for example in EXAMPLES:
            text = example.read_text("utf-8")
            sweep = Sweep(editor, example.as_uri(), text)
            sweep.file()
            sweep.everywhere(random.sample(places(text), 5))
            assert sweep.brought > 0
            editor.close(example.as_uri())
    assert editor.talk == ""


@pytest.mark.parametrize("client", CLIENTS)
def test_at_the_end_of_what_is_half_typed(client):
    random = Random(client)
    with Editor(capabilities_of(client), folders=[EXAMPLES[0].parent]) as editor:
        for example in EXAMPLES:
            text = example.read_text("utf-8")
            sweep = Sweep(editor, example.with_stem("cut").as_uri(), "")
            for end in random.sample(range(len(text)), 10 if example.name == CUT_FIRST else 2):
                sweep.show(text[:end])
                sweep.file()
                near, anywhere = places(text[:end])[-20:], places(text[:end])
                sweep.everywhere([*random.sample(near, min(3, len(near))), random.choice(anywhere)])
            editor.close(sweep.uri)
    assert editor.talk == ""

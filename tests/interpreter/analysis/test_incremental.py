"""An edited model's analysis equals one that knows nothing of it before, and does again only what
the edit touches."""

import random
from dataclasses import replace

import pytest
from edited_models import (
    SPECS,
    cut,
    edited,
    forget,
    item_more,
    models,
    other_figures,
    other_size,
)

from parspec.interpreter.analysis.analyze import analyze
from parspec.interpreter.analysis.grid import build_grid
from parspec.interpreter.analysis.known import Known
from parspec.interpreter.analysis.sections import infer
from parspec.interpreter.spec.model import Assignment
from parspec.interpreter.spec.readers import DiskReader
from parspec.interpreter.spec.resolve import resolve

EDITS = 24  # of each model
MODELS = dict(models())
SAID = ("model", "layers", "tensors", "moves", "totals", "stages", "expects", "findings")


def fresh(model):
    forget()
    return analyze(model)


@pytest.mark.parametrize("of", MODELS)
def test_equals_a_fresh_one_after_every_edit(of):
    choose = random.Random(of)
    known, model = Known(), MODELS[of]
    for count in range(EDITS):
        kept, wanted = analyze(model, known), fresh(model)
        for name in SAID:
            assert getattr(kept, name) == getattr(wanted, name), (count, name)
        model = edited(model, choose) if choose.random() < 0.8 else MODELS[of]


@pytest.fixture
def chain():
    model = cut(resolve("chain.par", SPECS["chain"], DiskReader()), 5)
    assert not model.doubt
    return model


def renamed(model, layer, **changes):
    """The model with a layer changed, other parts as they are."""
    parts = tuple(
        replace(
            part,
            items=tuple(
                replace(item, **changes) if item.name == layer else item for item in part.items
            ),
        )
        if any(item.name == layer for item in part.items)
        else part
        for part in model.parts
    )
    return replace(model, parts=parts)


def test_only_parts_that_an_edit_reaches_are_done_again(chain):
    known = Known()
    before = analyze(chain, known)
    after = analyze(renamed(chain, "a3", recompute=True), known)
    again = [
        new.name for old, new in zip(before.layers, after.layers, strict=True) if old is not new
    ]
    (part,) = (part for part in chain.parts if any(item.name == "a3" for item in part.items))
    assert again == [item.name for item in part.items]
    untouched = {tensor.name for tensor in part.tensors}
    assert {
        new.name for old, new in zip(before.tensors, after.tensors, strict=True) if old is not new
    } == untouched
    moved = {layer.name for layer in after.layers} - set(again)
    kept = [move for move in after.moves if move.layer in moved]
    assert kept
    assert all(any(move is old for old in before.moves) for move in kept)


def test_it_stops_where_a_layer_leaves_what_it_left_before(chain):
    """A row-parallel product reduces its result either way: the next block sees no difference."""
    known = Known()
    infer(chain, known)

    before = infer(chain, known)

    none = (Assignment("tp", "none"), Assignment("dp", "partition", "B"))
    after = infer(renamed(chain, "a3", assignments=none), known)
    changed = [
        section.outline.layers[0].name
        for old, section in zip(before.sections, after.sections, strict=True)
        if section.inference is not old.inference
    ]
    (part,) = (part for part in chain.parts if any(item.name == "a3" for item in part.items))
    assert changed == [part.items[0].name]


@pytest.mark.parametrize("edit", [other_size, other_figures])
def test_figures_alone_leave_layouts_as_they_are(chain, edit):
    known = Known()
    before = infer(chain, known)

    after = infer(edit(chain, random.Random(1)), known)
    assert [section.inference for section in after.sections] == [
        section.inference for section in before.sections
    ]


def test_a_part_that_comes_in_leaves_the_others_alone(chain):
    known = Known()
    before = infer(chain, known)

    more = item_more(replace(chain, parts=chain.parts[3:4]), random.Random(0)).parts
    after = infer(replace(chain, parts=(*chain.parts[:3], *more, *chain.parts[4:])), known)
    same = [old is new for old, new in zip(before.sections, after.sections, strict=True)]
    assert same.count(False) <= 2


def test_what_is_kept_does_not_grow(chain):
    known = Known()
    sizes = []
    for _ in range(3):
        for seed in range(20):
            analyze(edited(chain, random.Random(seed)), known)
        analyze(chain, known)
        sizes.append(known.size)
    assert sizes[0] == sizes[1] == sizes[2]


def test_nothing_is_computed_twice_for_the_same_model(chain):
    known = Known()
    before = analyze(chain, known)
    after = analyze(chain, known)
    assert after == before
    assert all(old is new for old, new in zip(before.layers, after.layers, strict=True))
    assert all(old is new for old, new in zip(before.tensors, after.tensors, strict=True))
    in_front = [(old, new) for old, new in zip(before.moves, after.moves, strict=True) if old.layer]
    assert in_front
    assert all(old is new for old, new in in_front)


def test_grids_of_copies_in_different_files_do_not_collide():
    """Many caches are keyed by grids; all files of a folder may be copies of one model."""
    grids = {build_grid(resolve(f"{n}.par", SPECS["chain"], DiskReader())) for n in range(40)}
    assert len(grids) == len({hash(grid) for grid in grids}) == 40

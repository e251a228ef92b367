"""Fixes that are shown without having been tried."""

import pytest

from parspec.interpreter.analysis.analyze import analyze
from parspec.interpreter.diagnostics import catalogue
from parspec.interpreter.fixes.fixes import CERTAIN, fixes, is_safe, surest
from parspec.interpreter.spec.resolve import resolve
from parspec.interpreter.spec.sources import DiskReader


def found(text, file="spec.par"):
    """The findings of a text, with what mends each."""
    analysis = analyze(resolve(file, text, DiskReader()))
    return [(finding, analysis.model) for finding in analysis.findings]


@pytest.mark.parametrize(
    ("name", "titles"),
    [
        ("unit_mismatch", ["Write `50 GB/s`"]),
        ("partial_left", ["Write `replicated on N`"]),
        ("pad_reaches_reduction", ["Write `over V masked`"]),
        ("unpinned", ["Write `expect All-Reduce of y on N`"]),
        ("unknown_name", ["Declare `mesh M`"]),
        ("hole", ["Replace `?` with `B`"]),
        ("indivisible", []),
        ("unused_name", []),
    ],
)
def test_a_command_shows_what_needs_no_trial(name, titles):
    ((finding, model),) = found(catalogue.entry(name).example)
    assert [fix.title for fix in surest(finding, model)] == titles


def test_an_unknown_dimension_is_declared_below_the_others():
    ((finding, model),) = found("dim D = 4  # hidden\ninput x[B, D]\noutput x\n")
    (fix,) = fixes(finding, model)
    assert (fix.title, fix.edits[0].text) == ("Declare `dim B`", "\ndim B")


def test_a_name_is_replaced_without_asking_where_one_only_is_close():
    ((typo, _),) = found("dim Batch = 4\ninput x[batch]\noutput x\n")
    assert is_safe(typo)
    ((torn, _),) = found("dim Bx = 4, By = 4\ninput x[Bx], y[By], z[B]\noutput x, y, z\n")
    assert not is_safe(torn)


def test_a_file_of_a_close_name_is_imported_from_the_same_folder(tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "model.par").write_text("dim B = 4\n")
    ((finding, model),) = found('import "parts/modle.par"\n', str(tmp_path / "plan.par"))
    assert [fix.title for fix in fixes(finding, model)] == ['Write `"parts/model.par"`']


def test_only_names_of_the_catalogue_are_mended():
    for name in CERTAIN:
        assert catalogue.entry(name).name == name


@pytest.mark.parametrize(
    ("bound", "holds"),
    [("1 kB", "Raise the bound to 64.6 kB"), ("60 kB", "Raise the bound to 64.6 kB")],
)
def test_a_bound_is_rounded_so_that_it_holds(bound, holds):
    text = catalogue.entry("expect_failed").example.replace("1 kB", bound)
    ((finding, model),) = found(text)
    assert [fix.title for fix in fixes(finding, model)] == [holds]

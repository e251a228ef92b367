"""Diagnostics as text: exact, within 80 columns, safe to send to a terminal."""

from __future__ import annotations

from dataclasses import replace

import pytest
from handmade import FILE, TEXT, analysis, model, site, symbolic, unknown_axis
from hypothesis import given, settings
from hypothesis import strategies as st

from parspec.grammar.lines import LineIndex, Position
from parspec.grammar.parser import parse
from parspec.grammar.span import Span
from parspec.interpreter.diagnostics import catalogue
from parspec.interpreter.diagnostics.findings import NOWHERE, Finding, Site
from parspec.interpreter.output.checks.checked import checked, strict
from parspec.interpreter.output.checks.concise import concise
from parspec.interpreter.output.checks.diagnostic import Place, Source, sources
from parspec.interpreter.output.checks.excerpt import excerpt
from parspec.interpreter.output.checks.full import full
from parspec.interpreter.output.checks.summary import summaries, summary
from parspec.interpreter.output.terminal.cells import width
from parspec.interpreter.output.terminal.screen import COLOURED, PLAIN, Screen
from parspec.interpreter.spec.model import Mesh

SCREEN = Screen(PLAIN, 80)
WRONG = TEXT.replace("partition F on N", "partition F on tp", 1)


def found(text, *findings, file=FILE, plan=None):
    return checked(file, (analysis(model=model(text, file, plan), findings=findings),))


def shown(text, *findings, screen=SCREEN):
    made = found(text, *findings)
    return full(made.diagnostics, made.sources, screen)


def unused(text, word, kind="weight"):
    return Finding("unused_name", site(text, word), (("kind", kind), ("name", word)))


def test_full():
    text = shown(WRONG, unknown_axis(WRONG, "tp"), unused(WRONG, "w_down"))
    assert text == (
        """\
warning[PAR109] unused_name: weight w_down is never used
 --> mlp.par:6:20
  |
6 | weight w_up[D, F], w_down[F, D]
  |                    ^^^^^^

error[PAR101] unknown_name: there is no axis tp; did you mean N?
 --> mlp.par:7:45
  |
7 | layer up: h[B, F] = x * w_up partition F on tp
  |                                             ^^
  = note: an axis is declared here
 --> mlp.par:3:6
  |
3 | mesh N = 8
  |      ^
  = help: Replace `tp` with `N`

"""
    )


def test_concise():
    made = found(WRONG, unknown_axis(WRONG, "tp"), unused(WRONG, "w_down"))
    assert concise(made.diagnostics, SCREEN) == (
        "mlp.par:6:20: warning[PAR109] weight w_down is never used\n"
        "mlp.par:7:45: error[PAR101] there is no axis tp; did you mean N?\n"
    )


def test_colours_mark_severity_and_carets():
    text = shown(WRONG, unknown_axis(WRONG, "tp"), screen=Screen(COLOURED, 80))
    assert text.startswith("\x1b[1;31merror[PAR101]\x1b[0m unknown_name")
    assert "\x1b[1;31m^^\x1b[0m" in text


def test_order_is_by_file_position_and_code():
    made = found(
        WRONG,
        unknown_axis(WRONG, "tp"),
        Finding("unused_name", site(WRONG, "tp"), (("kind", "axis"), ("name", "tp"))),
        unused(WRONG, "w_down"),
        unused(WRONG, "x", "input"),
    )
    assert [(d.place.start.line, d.code) for d in made.diagnostics] == [
        (5, "PAR109"),
        (6, "PAR109"),
        (7, "PAR101"),
        (7, "PAR109"),
    ]


def test_a_diagnostic_of_several_plans_is_one_that_names_them():
    small, large = (
        analysis(model=model(WRONG, plan=plan), findings=(unknown_axis(WRONG, "tp", plan=plan),))
        for plan in ("small", "large")
    )
    (one,) = checked(FILE, (small, large)).diagnostics
    assert one.plans == ("small", "large")
    made = checked(FILE, (small, large))
    assert full(made.diagnostics, made.sources, SCREEN).endswith(
        "  = help: Replace `tp` with `N`\n  = note: in plans small, large\n\n"
    )
    assert concise(made.diagnostics, SCREEN).endswith("did you mean N? (in small, large)\n")


def test_a_diagnostic_of_the_file_itself_names_no_plan():
    itself = analysis(model=model(WRONG), findings=(unknown_axis(WRONG, "tp"),))
    small = analysis(
        model=model(WRONG, plan="small"), findings=(unknown_axis(WRONG, "tp", plan="small"),)
    )
    (one,) = checked(FILE, (small, itself)).diagnostics
    assert one.plans == ()


def test_a_diagnostic_of_the_file_without_a_plan_alone_says_so():
    itself = analysis(model=model(WRONG), findings=(unknown_axis(WRONG, "tp"),))
    small, large = (analysis(model=model(WRONG, plan=plan)) for plan in ("small", "large"))
    made = checked(FILE, (itself, small, large))
    (one,) = made.diagnostics
    assert (one.plans, one.concerns(None), one.concerns("small")) == ((), True, False)
    assert full(made.diagnostics, made.sources, SCREEN).endswith("  = note: without a plan\n\n")
    assert concise(made.diagnostics, SCREEN).endswith("did you mean N? (without a plan)\n")
    again = replace(small, findings=(unknown_axis(WRONG, "tp", plan="small"),))
    made = checked(FILE, (itself, again, large))
    assert concise(made.diagnostics, SCREEN).endswith("N? (without a plan, in small)\n")


def test_a_line_for_the_file_without_a_plan_and_for_each_plan():
    itself = analysis(model=model(WRONG), findings=(unknown_axis(WRONG, "tp"),))
    small = analysis(model=model(WRONG, plan="small"))
    lines = list(summaries(checked(FILE, (itself, small)), SCREEN))
    assert lines[0] == "mlp.par · no plan: 1 error"
    assert lines[1].startswith("mlp.par · small: ok · 3 layers · ")
    strictly = strict(checked(FILE, (replace(itself, findings=(unused(WRONG, "x"),)), small)))
    assert next(summaries(strictly, SCREEN)) == "mlp.par · no plan: 1 error"


def test_a_file_without_a_mesh_has_a_line_only_for_what_its_plans_do_not_have():
    bare = replace(model(WRONG), mesh=Mesh())
    small = analysis(model=model(WRONG, plan="small"), findings=(unused(WRONG, "x"),))
    itself = analysis(model=bare, findings=(unused(WRONG, "x"),))
    (line,) = summaries(checked(FILE, (itself, small)), SCREEN)
    assert line.startswith("mlp.par · small: 1 warning · ")
    more = replace(itself, findings=(unused(WRONG, "x"), unused(WRONG, "w_up")))
    first, _ = summaries(checked(FILE, (more, small)), SCREEN)
    assert first.startswith("mlp.par · no plan: 2 warnings · ")


def test_warnings_as_errors():
    made = strict(found(WRONG, unused(WRONG, "w_down")))
    assert [d.severity for d in made.diagnostics] == ["error"]
    assert summary(FILE, made.diagnostics, made.analyses[0], SCREEN) == "mlp.par: 1 error"


def test_what_is_nowhere_stands_at_the_beginning():
    (one,) = found(
        TEXT, Finding("unused_name", NOWHERE, (("kind", "dim"), ("name", "Q")))
    ).diagnostics
    assert one.place == Place(FILE, Position(1, 1), Position(1, 1))


def test_a_file_without_text_is_named_without_an_excerpt():
    finding = Finding(
        "unused_name", Site("gone.par", 3, Span(4, 5)), (("kind", "dim"), ("name", "Q"))
    )
    assert shown(TEXT, finding) == (
        "warning[PAR109] unused_name: dim Q is never used\n --> gone.par:1:1\n\n"
    )


def test_sites_outside_the_text_clamp():
    finding = Finding(
        "unused_name", Site(FILE, 99, Span(10**6, 10**7)), (("kind", "a"), ("name", "b"))
    )
    (one,) = found(TEXT, finding).diagnostics
    assert one.place.start == one.place.end


@pytest.mark.parametrize("text", ["", "\n", "\r\n", "dim", "# only a comment"])
def test_small_texts(text):
    finding = Finding("unused_name", Site(FILE, 0, Span(0, 0)), (("kind", "a"), ("name", "b")))
    assert " --> mlp.par:1:1\n" in shown(text, finding)


def excerpt_of(text, start, end, columns=80):
    lines = LineIndex(text)
    place = Place("a.par", lines.place(start), lines.place(end))
    shown = excerpt(Source(parse(text), lines), place, "error", 1, Screen(PLAIN, columns))
    return [line.rstrip() for line in shown]


def test_wide_characters_and_tabs_are_counted_in_cells():
    text = "dim\t批次 = 8, Δ = 4"
    assert excerpt_of(text, text.index("Δ"), text.index("Δ") + 1) == [
        "  |",
        "1 | dim    批次 = 8, Δ = 4",
        "  |                  ^",
    ]
    assert excerpt_of(text, 4, 6)[2] == "  |        ^^^^"


def test_line_ends_do_not_show():
    text = "dim B = 4\r\ndim C = 5\r\n"
    assert excerpt_of(text, 15, 16) == ["  |", "2 | dim C = 5", "  |     ^"]
    assert excerpt_of("dim B", 5, 5) == ["  |", "1 | dim B", "  |      ^"]


def test_a_range_over_lines_shows_its_first_and_last():
    text = "plan a {\n  dim B = 4\n  dim C = 4\n}\n"
    assert excerpt_of(text, 0, len(text) - 1) == [
        "  |",
        "1 | plan a {",
        "  | ^^^^^^^^",
        "...",
        "4 | }",
        "  | ^",
    ]
    assert excerpt_of("a {\n  b\n", 2, 7) == ["  |", "1 | a {", "  |   ^", "2 |   b", "  |   ^"]


def test_long_lines_are_cut_around_the_mark():
    text = "dim " + ", ".join(f"D{i} = {i}" for i in range(100))
    start = text.index("D50")
    _, line, carets = excerpt_of(text, start, start + 3, columns=40)
    assert line == "1 | …= 48, D49 = 49, D50 = 50, D51 = 51…"
    assert line[carets.index("^") : carets.index("^") + 3] == "D50"


def test_control_characters_do_not_reach_the_terminal():
    text = "dim \x1b[31mB = 4"
    finding = Finding("unused_name", site(text, "dim"), (("kind", "dim"), ("name", "\x1b[2J")))
    assert "\x1b" not in shown(text, finding)


@settings(max_examples=60)
@given(
    st.text(st.sampled_from("ab \t批é\r\n\x1b,="), max_size=200),
    st.integers(0, 200),
    st.integers(0, 60),
    st.integers(40, 80),
)
def test_excerpts_stay_within_the_columns(text, start, length, columns):
    for line in excerpt_of(text, start, start + length, columns):
        assert width(line) <= columns


def test_long_messages_wrap():
    finding = Finding(
        "unknown_name",
        site(TEXT, "x"),
        (("kind", "tensor"), ("name", "x" * 30), ("near", ("y" * 30, "z" * 30, "q" * 30))),
    )
    lines = shown(TEXT, finding).splitlines()
    assert all(width(line) <= 80 for line in lines)
    assert lines[1].startswith("  ")


SUMMED = (
    "mlp.par: ok · 3 layers · mesh N = 8 · traffic 1.06 GB · 117 MB/device · memory 400 MB/device"
    " · 470M parameters"
)


def test_summary_of_a_clean_file():
    made = found(TEXT)
    assert summary(FILE, (), made.analyses[0], SCREEN) == SUMMED
    long = "folder/" * 20 + FILE
    assert summary(long, (), made.analyses[0], SCREEN) == "folder/" * 20 + SUMMED


@pytest.mark.parametrize(
    ("columns", "told"),
    [
        (len(SUMMED), SUMMED),
        (91, "ok · 3 layers · traffic 1.06 GB · 117 MB/device · memory 400 MB/device"),
        (70, "ok · traffic 1.06 GB · 117 MB/device · memory 400 MB/device"),
        (60, "ok · traffic 1.06 GB · memory 400 MB/device"),
        (50, "ok · memory 400 MB/device"),
        (20, "ok"),
    ],
)
def test_a_line_on_a_terminal_drops_figures_in_one_order(columns, told):
    made = found(TEXT)
    screen = Screen(PLAIN, 80, columns)
    line = summary(FILE, (), made.analyses[0], screen)
    assert line.removeprefix("mlp.par: ") == told.removeprefix("mlp.par: ")


def test_summary_of_open_sizes_names_no_axis():
    line = summary(FILE, (), symbolic(), SCREEN)
    assert line == "mlp.par: ok · 3 layers · memory 400 MB/device · 470M parameters"


def test_summary_of_a_file_with_mistakes():
    made = found(WRONG, unknown_axis(WRONG, "tp"), unused(WRONG, "w_down"))
    assert summary(FILE, made.diagnostics, made.analyses[0], SCREEN) == (
        "mlp.par: 1 error, 1 warning"
    )


def test_summary_colours_only_the_verdict():
    coloured = summary("ok.par", (), analysis(), Screen(COLOURED, 80))
    assert coloured.startswith("ok.par: \x1b[32mok\x1b[0m · 3 layers")


def test_sources_are_found_by_name():
    made = sources((("a.par", parse("dim B = 4\n")),))
    assert made["a.par"].line(1) == "dim B = 4"
    assert replace(made["a.par"]) == made["a.par"]


def test_what_all_plans_have_is_put_into_words_once(monkeypatch):
    told = []
    said = catalogue.message

    def counted(finding):
        told.append(finding.name)
        return said(finding)

    monkeypatch.setattr(catalogue, "message", counted)
    plans = [None, "a", "b"]
    findings = [replace(unused(WRONG, "w_down"), plan=plan) for plan in plans]
    own = unknown_axis(WRONG, "tp")
    analyses = tuple(
        analysis(model=model(WRONG, FILE, plan), findings=(finding, *([own] if plan else [])))
        for plan, finding in zip(plans, findings, strict=True)
    )
    made = checked(FILE, analyses)
    assert sorted(told) == ["unknown_name", "unused_name"]
    assert [(each.name, each.under) for each in made.diagnostics] == [
        ("unused_name", ()),
        ("unknown_name", ("a", "b")),
    ]

"""Settings as clients send them."""

import pytest

from parspec.lsp.settings import (
    CodeLens,
    Diagnostics,
    InlayHints,
    Settings,
    complaints,
    settings,
)


@pytest.mark.parametrize("said", [None, {}, [], "x", {"inlayHints": 3}, {"inlayHints": {"x": 1}}])
def test_what_says_nothing_is_the_default(said):
    assert settings(said) == Settings()


def test_what_is_said_holds_and_the_rest_is_as_by_default():
    said = {
        "inlayHints": {"follows": False, "minimumTraffic": 1024},
        "codeLens": {"enable": False},
        "diagnostics": {"minimumSeverity": "warning"},
        "server": {"path": "/usr/bin/parspec"},
    }
    assert settings(said) == Settings(
        inlay_hints=InlayHints(follows=False, minimum_traffic=1024),
        code_lens=CodeLens(enable=False),
        diagnostics=Diagnostics(minimum_severity="warning"),
    )


@pytest.mark.parametrize("wrong", ["no", 0, 1, None, [], {}])
def test_what_is_of_the_wrong_kind_is_as_by_default(wrong):
    assert settings({"inlayHints": {"enable": wrong}}) == Settings()


def test_which_diagnostics_are_shown():
    shown = Diagnostics(minimum_severity="warning").shows
    assert [shown(each) for each in ("error", "warning", "info", "hint")] == [1, 1, 0, 0]
    assert not Diagnostics(enable=False).shows("error")
    assert Diagnostics(minimum_severity="loud").shows("hint")


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (None, ()),
        ({"inlayHints": {"follows": False}, "server": {"path": 3}}, ()),
        ({"codeLens": None}, ()),
        (5, ("parspec: 5 is no group of settings",)),
        ({"inlayHints": 5}, ("parspec.inlayHints: 5 is no group of settings",)),
        (
            {"diagnostics": {"minimumSeverity": "Error"}},
            ('parspec.diagnostics.minimumSeverity: "Error" is none of error, warning, info, hint',),
        ),
        (
            {"inlayHints": {"enable": "no", "minimumTraffic": 1.5}, "format": {"enable": 1}},
            (
                'parspec.inlayHints.enable: "no" is not true or false',
                "parspec.inlayHints.minimumTraffic: 1.5 is not a whole number",
                "parspec.format.enable: 1 is not true or false",
            ),
        ),
    ],
)
def test_what_is_said_wrongly_is_told(said, told):
    assert complaints(said) == told


def test_a_long_wrong_value_is_cut_short():
    (told,) = complaints({"format": ["x" * 100]})
    assert told == f'parspec.format: ["{"x" * 38}… is no group of settings'

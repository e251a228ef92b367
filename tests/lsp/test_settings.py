"""Settings as clients send them."""

import pytest

from parspec.lsp.settings import CodeLens, Diagnostics, InlayHints, Settings, settings


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

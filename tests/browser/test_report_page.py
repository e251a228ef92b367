"""The report's page in a browser: it opens without a complaint, sorts, filters, zooms, and is there
in light and in dark.

Needs Chromium (`chromium` on the PATH, or CHROMIUM naming it) and the playwright package; skipped
where one of them is missing. Screenshots stay in the folder that REPORT_SCREENSHOTS names, else in
pytest's own.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from parspec.interpreter.commands.loading import analysed, spec
from parspec.interpreter.output.checks.checked import checked
from parspec.interpreter.output.reports.html import report_html
from parspec.interpreter.output.wording.facts import at_work

playwright = pytest.importorskip("playwright.sync_api")
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium")
if CHROMIUM is None:
    pytest.skip("there is no chromium", allow_module_level=True)

EXAMPLES = Path(__file__).parents[2] / "examples"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PLANS = {
    "megatron_mlp": None,
    "article": None,
    "llama3_70b_plans": "tp8_pp4_dp8",
    "llama3_405b_16k": None,
}
WIDE, NARROW = {"width": 1240, "height": 900}, {"width": 420, "height": 900}
BACKGROUND = "getComputedStyle(document.body).backgroundColor"
LIGHT, DARK = "rgb(255, 255, 255)", "rgb(21, 23, 26)"


def page_of(name):
    loaded = analysed(spec(str(EXAMPLES / f"{name}.par")), PLANS[name])
    return report_html(checked(loaded.model.file, (loaded,)), tuple(at_work(loaded.moves)))


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Where each example's page is."""
    folder = tmp_path_factory.mktemp("pages")
    for name in PLANS:
        (folder / f"{name}.html").write_text(page_of(name), "utf-8")
    return folder


@pytest.fixture(scope="module")
def screenshots(tmp_path_factory):
    kept = os.environ.get("REPORT_SCREENSHOTS")
    folder = Path(kept) if kept else tmp_path_factory.mktemp("screenshots")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def opened(browser, pages):
    """Opens an example's page, and in the end finds nothing on its console."""
    said = []
    contexts = []

    def open_page(name, scheme="light", size=WIDE):
        contexts.append(browser.new_context(viewport=size, color_scheme=scheme))
        page = contexts[-1].new_page()
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("requestfailed", lambda request: said.append(request.url))
        page.goto((pages / f"{name}.html").as_uri())
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert said == []


def column(page, section, place):
    return page.locator(f"#{section} tbody tr td:nth-child({place})").all_inner_texts()


@pytest.mark.parametrize("name", PLANS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_page_opens(opened, screenshots, name, scheme):
    page = opened(name, scheme)
    assert page.evaluate(BACKGROUND) == (LIGHT if scheme == "light" else DARK)
    assert page.locator("#layers tbody tr").count() > 0
    assert page.locator("#variables tbody tr").count() > 0
    picture = page.locator(".sheet > svg").bounding_box()
    assert picture["width"] > 200
    assert picture["height"] > 100
    assert page.locator(".sheet rect.state").first.is_visible()
    page.screenshot(path=screenshots / f"{name}_{scheme}.png", full_page=True)


@pytest.mark.parametrize("name", PLANS)
def test_nothing_reaches_over_a_narrow_page(opened, screenshots, name):
    page = opened(name, size=NARROW)
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
    page.screenshot(path=screenshots / f"{name}_narrow.png", full_page=True)


def test_tables_sort(opened):
    page = opened("llama3_405b_16k")
    traffic = page.locator("#primitives th", has_text="traffic")
    traffic.locator("button").click()
    assert traffic.get_attribute("aria-sort") == "descending"
    values = page.locator("#primitives td:nth-child(10) data")
    numbers = [float(value) for value in values.evaluate_all("all => all.map(one => one.value)")]
    assert numbers == sorted(numbers, reverse=True)
    traffic.locator("button").press("Enter")
    assert traffic.get_attribute("aria-sort") == "ascending"
    assert column(page, "primitives", 10)[0] == "4.18 MB"
    name = page.locator("#primitives th", has_text="layer")
    name.locator("button").click()
    assert name.get_attribute("aria-sort") == "ascending"
    assert traffic.get_attribute("aria-sort") is None
    names = column(page, "primitives", 1)
    assert names == sorted(names)


def test_tables_filter(opened):
    page = opened("llama3_405b_16k")
    page.get_by_role("searchbox", name="Filter primitives").fill("REDUCE-SCATTER")
    shown = page.locator("#primitives tbody tr:visible")
    assert shown.count() == 3
    assert page.locator("#primitives [role=status]").inner_text() == "3 of 36"


def test_formulas_on_demand(opened):
    page = opened("megatron_mlp")
    formula = page.get_by_text("2(N−1)/N·M + 2(N−1)·M = 1.06 GB (≈ 2·N·M)", exact=True)
    assert not formula.is_visible()
    page.locator("#primitives summary").press("Enter")
    assert formula.is_visible()


def test_theme_is_the_readers_choice(opened):
    page = opened("megatron_mlp")
    button = page.locator("#theme")
    assert (button.inner_text(), page.evaluate(BACKGROUND)) == ("Dark", LIGHT)
    button.click()
    assert (button.inner_text(), page.evaluate(BACKGROUND)) == ("Light", DARK)
    button.click()
    assert page.evaluate(BACKGROUND) == LIGHT


def test_theme_is_the_editors(opened):
    page = opened("megatron_mlp")
    page.evaluate("document.body.classList.add('vscode-dark')")
    assert page.evaluate(BACKGROUND) == DARK


def test_picture_zooms_by_buttons_and_keys(opened):
    page = opened("llama3_405b_16k")

    def width():
        return page.locator(".sheet > svg").bounding_box()["width"]

    unscaled = width()
    page.get_by_role("button", name="larger").click()
    assert width() == pytest.approx(1.25 * unscaled, rel=0.01)
    page.locator(".canvas").press("0")
    assert width() == pytest.approx(unscaled)
    page.locator(".canvas").press("f")
    inside = page.evaluate("document.querySelector('.canvas').clientWidth")
    assert width() == pytest.approx(inside, abs=2)


def test_layers_in_the_picture_lead_to_their_rows(opened):
    page = opened("llama3_70b_plans")
    page.get_by_role("link", name="layer decoder.gate").press("Enter")
    row = page.locator("tr:target")
    assert row.locator("td").first.inner_text() == "decoder.gate"
    assert row.is_visible()


def test_page_prints_in_light(opened, screenshots):
    page = opened("llama3_70b_plans", "dark")
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate(BACKGROUND) == LIGHT
    assert not page.locator("#theme").is_visible()
    page.pdf(path=screenshots / "llama3_70b_plans.pdf")

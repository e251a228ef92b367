"""A real VS Code, in a browser, with the packed extension and the server that it carries.

The tests share one window, each with files of its own. Every one leaves a screenshot, in
PARSPEC_SCREENSHOTS where that is set.
"""

import os
import re
import shutil
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from code_server import ARGUMENTS, CHROMIUM, missing, server_settings, serving

HERE = Path(__file__).parent
EXAMPLE = "llama3_70b_ffn.par"
LACKING = missing()

pytestmark = pytest.mark.skipif(bool(LACKING), reason=f"needs {LACKING}; setup.sh installs it")

PATIENCE = 30_000  # milliseconds
TRIES = 20
ACTIVE = ".editor-group-container.active .editor-instance .monaco-editor"
LINES = f"{ACTIVE} .view-lines"


@pytest.fixture(scope="module")
def workspace():
    with TemporaryDirectory() as folder:  # a short path: pictures show it
        plans = shutil.copytree(HERE / "workspace", Path(folder) / "plans")
        shutil.copy(HERE.parents[1] / "examples" / EXAMPLE, plans)
        yield plans


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def page(workspace, home):
    """The window."""
    playwright = pytest.importorskip("playwright.sync_api")
    with serving(workspace, home) as address, playwright.sync_playwright() as browsers:
        browser = browsers.chromium.launch(executable_path=CHROMIUM, args=list(ARGUMENTS))
        size = {"width": 1200, "height": 675}
        window = browser.new_page(viewport=size, device_scale_factor=1.5)
        window.set_default_timeout(PATIENCE)
        window.goto(address)
        window.wait_for_selector(".monaco-workbench .monaco-list-row[aria-label*='plan.par']")
        command(window, "View: Toggle Primary Side Bar Visibility")
        yield window
        browser.close()


@pytest.fixture(autouse=True)
def screenshot(page, request, tmp_path):
    """A picture of what a test ended with."""
    yield
    folder = Path(os.environ.get("PARSPEC_SCREENSHOTS", tmp_path))
    folder.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=folder / f"{request.node.name.removeprefix('test_')}.png")


def opened(page, name):
    """Opens a file by its name, alone in the window."""
    command(page, "View: Close All Editors")
    row = page.locator(f".quick-input-list .monaco-list-row[aria-label^='{name}']")
    for _ in range(TRIES):  # a file that is new may not be found at once
        page.keyboard.press("Control+p")
        typed(page, name)
        page.wait_for_timeout(1000)
        if row.count():
            break
        page.keyboard.press("Escape")
    row.first.click()
    page.wait_for_selector(f".tab.active[data-resource-name='{name}']")
    page.wait_for_selector(f"{LINES} .view-line")


def command(page, name):
    """Runs a command by its name in the palette."""
    asking(page, name)
    page.wait_for_selector(".quick-input-widget", state="hidden")


def asking(page, name):
    """Runs a command that asks for something where the palette was."""
    page.keyboard.press("F1")
    typed(page, f">{name}")
    page.click(f".quick-input-list .monaco-list-row[aria-label^='{name}']")


def typed(page, text):
    box = page.wait_for_selector(".quick-input-widget .quick-input-box input")
    box.fill(text)


def go_to(page, file, wanted):
    """Puts the cursor in front of the last character of what the file holds but once."""
    before, _ = file.read_text(encoding="utf-8").split(wanted)
    lines = (before + wanted).splitlines()
    line, column = len(lines), len(lines[-1])
    page.keyboard.press("Control+g")
    typed(page, f":{line}:{column}")
    page.keyboard.press("Enter")
    page.wait_for_selector(".quick-input-widget", state="hidden")


def wait_for_text(page, wanted):
    """Waits until the editor in front shows something."""
    page.wait_for_function(
        """([lines, wanted]) => [...document.querySelectorAll(`${lines} .view-line`)]
             .some((line) => line.innerText.replaceAll('\\xa0', ' ').includes(wanted))""",
        arg=[LINES, wanted],
    )


def webview(page):
    """What the page in the web view that is open shows."""
    return page.frame_locator("iframe.webview.ready").frame_locator("iframe#active-frame")


def wait_for_file(page, file, wanted):
    """Waits until a file on the disk holds something."""
    end = time.monotonic() + PATIENCE / 1000
    while wanted not in file.read_text(encoding="utf-8"):
        assert time.monotonic() < end, file.read_text(encoding="utf-8")
        page.wait_for_timeout(50)


def test_the_code_of_a_mistake_leads_to_its_explanation(page, workspace):
    opened(page, "mistaken.par")
    page.wait_for_selector(f"{ACTIVE} .squiggly-error")
    go_to(page, workspace / "mistaken.par", "on tense")
    command(page, "Show or Focus Hover")
    page.locator(".monaco-hover a", has_text="PAR101").first.click()
    webview(page).locator("body", has_text="PAR101").wait_for()


def test_a_mistake_is_underlined_and_fixed(page, workspace):
    opened(page, "mistaken.par")
    page.wait_for_selector(f"{ACTIVE} .squiggly-error")
    go_to(page, workspace / "mistaken.par", "on tense")
    page.keyboard.press("Control+.")
    page.wait_for_selector(".action-widget .monaco-list-row.action")
    page.keyboard.press("Enter")
    wait_for_text(page, "partition F on tensor")
    page.wait_for_selector(f"{ACTIVE} .squiggly-error", state="detached")


def test_hints_and_lenses_tell_the_price(page):
    opened(page, EXAMPLE)
    wait_for_text(page, "follows u")
    wait_for_text(page, "All-Reduce d → R on tp · ")
    lens = page.locator(f"{ACTIVE} .codelens-decoration a", has_text=re.compile(r"\d [kMGT]?B"))
    lens.first.wait_for()


def test_a_hover_shows_the_traffic(page, workspace):
    opened(page, EXAMPLE)
    wait_for_text(page, "All-Reduce d → R on tp · ")
    go_to(page, workspace / EXAMPLE, "x + d")
    command(page, "Show or Focus Hover")
    hover = page.locator(".monaco-hover .hover-row", has_text="All-Reduce")
    hover.first.wait_for()
    assert re.search(r"\d [kMGT]?B", hover.first.inner_text())


def test_rename_across_two_files(page, workspace):
    opened(page, "model.par")
    wait_for_text(page, "dim F")
    go_to(page, workspace / "model.par", "dim F")
    page.keyboard.press("F2")
    box = page.wait_for_selector(".rename-box input")
    box.fill("Width")
    page.keyboard.press("Enter")
    wait_for_text(page, "dim Width")
    command(page, "File: Save All Files")
    wait_for_file(page, workspace / "model.par", "w_up[D, Width]")
    wait_for_file(page, workspace / "plan.par", "partition Width on tp")


def test_a_save_formats(page, workspace):
    opened(page, "untidy.par")
    wait_for_text(page, "tp=8")
    go_to(page, workspace / "untidy.par", "mesh")
    page.keyboard.press("End")
    page.keyboard.type(" ")
    page.keyboard.press("Control+s")
    wait_for_text(page, "tp = 8")
    wait_for_file(page, workspace / "untidy.par", "mesh tp = 8\n")


def test_the_report_opens_beside_the_text(page):
    opened(page, EXAMPLE)
    page.locator(f"{ACTIVE} .codelens-decoration a").first.click()
    webview(page).locator("body", has_text="All-Reduce").wait_for()
    assert page.locator(".editor-group-container").count() == 2


def test_the_report_follows_the_text(page, workspace):
    opened(page, "gathered.par")
    command(page, "parspec: Open Report Beside")
    webview(page).locator("body", has_text="B = 4096").wait_for()
    go_to(page, workspace / "gathered.par", "B = 4096")
    page.keyboard.type("8")
    webview(page).locator("body", has_text="B = 40986").wait_for()


def test_the_report_of_a_plan_is_picked(page):
    opened(page, "planned.par")
    wait_for_text(page, "plan narrow")
    asking(page, "parspec: Open Report Beside")
    page.click(".quick-input-list .monaco-list-row[aria-label^='wide']")
    page.wait_for_selector(".tab[aria-label*='planned.par · wide']")


def test_the_report_is_that_of_the_plan_at_the_cursor(page, workspace):
    opened(page, "planned.par")
    go_to(page, workspace / "planned.par", "mesh tp = 2")
    command(page, "parspec: Open Report Beside")
    page.wait_for_selector(".tab[aria-label*='planned.par · narrow']")


def test_enter_ends_a_line_that_is_complete(page, workspace):
    opened(page, "planned.par")
    go_to(page, workspace / "planned.par", "output h")
    page.keyboard.press("End")
    page.keyboard.type("\nlayer again: again = h")
    page.wait_for_selector(f"{ACTIVE} .suggest-widget.visible")
    page.keyboard.type("\n# next")
    wait_for_text(page, "# next")
    lines = page.locator(f"{LINES} .view-line").all_inner_texts()
    assert "# next" in [line.replace("\xa0", " ") for line in lines]
    command(page, "File: Revert File")


def test_problems_of_an_untitled_file_end_with_it(page):
    command(page, "View: Close All Editors")
    command(page, "File: New Untitled Text File")
    page.keyboard.press("Control+k")
    page.keyboard.press("m")
    typed(page, "parspec")
    page.click(".quick-input-list .monaco-list-row[aria-label^='parspec']")
    page.wait_for_selector(".quick-input-widget", state="hidden")
    page.click(LINES)
    page.keyboard.type("nonsense here\n")
    page.wait_for_selector(f"{ACTIVE} .squiggly-error")
    command(page, "Problems: Focus on Problems View")
    problems = page.locator(".markers-panel .monaco-list-row", has_text="not with")
    problems.first.wait_for()
    page.click(LINES)
    command(page, "View: Revert and Close Editor")
    problems.first.wait_for(state="detached")


def test_a_word_is_explained_beside_the_text(page):
    opened(page, EXAMPLE)
    asking(page, "parspec: Explain a Code or Word...")
    rows = page.locator(".quick-input-list .monaco-list-row")
    rows.filter(has_text="Declares dimensions").wait_for()
    typed(page, "All-Gather")
    rows.first.filter(has_text=re.compile("^All-Gather")).wait_for()
    page.keyboard.press("Enter")
    webview(page).locator("h1, h2, p", has_text="All-Gather (primitive)").first.wait_for()


def test_the_code_at_the_cursor_is_proposed_first(page, workspace):
    file = workspace / "unknown.par"
    file.write_text("mesh tp = 8 over wire\n", encoding="utf-8")
    opened(page, file.name)
    page.wait_for_selector(f"{ACTIVE} .squiggly-error")
    go_to(page, file, "wire")
    asking(page, "parspec: Explain a Code or Word...")
    page.locator(".quick-input-list .monaco-list-row", has_text="PAR101").first.wait_for()
    page.keyboard.press("Enter")
    webview(page).locator("h2", has_text="PAR101").first.wait_for()


def test_a_file_of_the_library_is_for_reading(page, workspace):
    opened(page, "gathered.par")
    go_to(page, workspace / "gathered.par", "std.h100")
    command(page, "Go to Definition")
    page.wait_for_selector(".tab.active[data-resource-name='h100.par']")
    page.click(LINES)
    page.keyboard.type("x")
    page.locator(".monaco-editor-overlaymessage", has_text="read-only").wait_for()


def test_the_status_item_sums_up(page):
    opened(page, "gathered.par")
    item = page.locator("[id='parspec.parspec.parspec.status']")
    item.filter(has_text=re.compile(r"\d GB · [\d.]+ [GM]B/device")).wait_for()


def test_the_log_tells_how_the_server_was_found(page):
    opened(page, "gathered.par")
    command(page, "parspec: Show Logs")
    page.locator(".panel .viewpane-filter input").fill("is parspec")
    page.locator(".output-view .view-line", has_text="copy in the extension").first.wait_for()


def test_a_server_path_that_leads_nowhere_is_told(page, home):
    opened(page, "gathered.par")
    server_settings(home, {"parspec.server.path": "/nowhere/parspec"})
    message = page.locator(".notification-toast", has_text="/nowhere/parspec, which does not")
    message.wait_for()
    for button in ("Show Logs", "Open Settings", "Try Again"):
        assert message.locator(".monaco-button", has_text=button).is_visible()
    server_settings(home, {})
    command(page, "Notifications: Clear All Notifications")


def test_a_restart_brings_everything_back(page):
    opened(page, "gathered.par")
    command(page, "parspec: Restart Server")
    page.locator("[id='parspec.parspec.parspec.status'] .codicon-check").wait_for()

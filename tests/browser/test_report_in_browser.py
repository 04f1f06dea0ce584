"""The report in a real browser: it opens, shows what the simulation found, and can be filtered and read by keyboard."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sync_api = pytest.importorskip("playwright.sync_api", reason="the Python package playwright is not installed")

_CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
_EXAMPLE = Path(__file__).parents[2] / "examples" / "attention_512.json.gz"
_MERGE = 'n-buffer-merge{vec-nbuffer-setting="DEFAULT=4"},l1-copy-in-reuse-merge'

pytestmark = pytest.mark.skipif(_CHROMIUM is None, reason="chromium is not installed (Debian package chromium)")


def _tile_opt(*arguments: str | Path) -> str:
    command = [sys.executable, "-m", "tools.tile_opt", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.fixture(scope="module")
def browser() -> Iterator[sync_api.Browser]:
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=_CHROMIUM, args=_ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    _tile_opt(_EXAMPLE, "-p", f"graph-partition,{_MERGE}", "-t", "report", "-o", path)
    return path


@pytest.fixture(scope="module")
def comparison(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("comparison") / "report.html"
    _tile_opt("compare", _EXAMPLE, _EXAMPLE, "-p", "graph-partition", "--then", _MERGE, "-t", "report", "-o", path)
    return path


@pytest.fixture
def page(browser: sync_api.Browser) -> Iterator[sync_api.Page]:
    """A page; at its end there were no messages on the console, no errors, and no requests but for the file itself."""
    page = browser.new_page(viewport={"width": 1400, "height": 1000})
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: complaints.append(request.url) if not request.url.startswith("file:") else None)
    yield page
    page.close()
    assert complaints == []


def test_shows_the_numbers_of_the_simulation(page: sync_api.Page, report: Path) -> None:
    """End-to-end time and tasks are those that `compare` prints; there is a bar for each task."""
    page.goto(report.as_uri())
    pipeline = f"graph-partition,{_MERGE}"
    table = _tile_opt("compare", _EXAMPLE, _EXAMPLE, "-p", pipeline)
    printed = {cells[1].strip(): cells[2].strip() for line in table.splitlines() if len(cells := line.split("|")) > 3}
    assert page.inner_text("#number-end-to-end dd") == printed["end to end"]
    assert page.inner_text("#number-tasks dd") == printed["tasks"]
    assert page.locator("rect.task").count() == int(printed["tasks"])
    assert page.locator("g.node").count() == int(printed["subgraphs"])
    assert "predicts the reference simulator, not silicon" in page.inner_text("header")


def test_filters_by_class(page: sync_api.Page, report: Path) -> None:
    """With the class of vector subgraphs chosen, its row stays and all other bars fade."""
    page.goto(report.as_uri())
    page.select_option("#class-filter", "vector func6_0")
    assert page.locator("table.classes tbody tr:visible").count() == 1
    assert page.locator("rect.task:not(.dim)").count() == 2
    assert page.inner_text("#filter-count") == "2 of 82 tasks"
    page.select_option("#class-filter", "")
    assert page.locator("rect.task.dim").count() == 0


def test_filters_by_text(page: sync_api.Page, report: Path) -> None:
    page.goto(report.as_uri())
    page.fill("#text-filter", "cubeMergeInfo hashOrder: func6_1")
    assert page.inner_text("#filter-count") == "16 of 82 tasks"


def test_classes_have_hints_and_calls(page: sync_api.Page, report: Path) -> None:
    """Hints have the exact text of the swimlane, calls can be copied by a button with a name of its own."""
    page.goto(report.as_uri())
    text = page.inner_text("table.classes")
    assert "vecMergeInfo hashOrder: func6_0, subGraphCount: 8" in text
    call = 'pypto.set_pass_options(vec_nbuffer_setting={"func6_0": 2})'
    assert call in text
    assert page.get_by_role("button", name=f"Copy {call}").count() == 1


def test_keyboard_walks_through_tasks(page: sync_api.Page, report: Path) -> None:
    """Arrow keys move between tasks of a core and between cores; the details follow, and `+` zooms."""
    page.goto(report.as_uri())
    first = page.locator("rect.task[tabindex='0']")
    first.focus()
    assert page.inner_text("#task-details").startswith("L1 func6_0, cube func6_0, subgraph ")
    assert ", AIC 0, 0.00 µs to " in page.inner_text("#task-details")
    page.keyboard.press("ArrowDown")
    assert ", AIC 1, " in page.inner_text("#task-details")
    details = page.inner_text("#task-details")
    page.keyboard.press("ArrowRight")
    assert page.inner_text("#task-details") != details
    width = page.locator("rect.task:focus").bounding_box()
    page.keyboard.press("+")
    zoomed = page.locator("rect.task:focus").bounding_box()
    assert width is not None and zoomed is not None
    assert zoomed["width"] == pytest.approx(2 * width["width"], rel=0.05)


def test_hover_tells_neighbours_of_a_subgraph(page: sync_api.Page, report: Path) -> None:
    page.goto(report.as_uri())
    page.locator("g.node").last.focus()
    details = page.inner_text("#node-details")
    assert details.startswith("Subgraph ")
    assert "reads from " in details and "read by " in details


def test_comparison_shows_both(page: sync_api.Page, comparison: Path) -> None:
    """Both results have a swimlane, and the table tells by how much the second differs."""
    page.goto(comparison.as_uri())
    assert page.locator("#swimlane svg").count() == 2
    row = page.locator("#comparison tbody tr").first
    name, before, after, change = row.locator("th, td").all_inner_texts()
    assert name == "end to end"
    times = [float(text.removesuffix(" µs").replace(",", "")) for text in (before, after)]
    assert change.replace("\N{MINUS SIGN}", "-") == f"{times[1] / times[0] - 1:+.1%}"


def test_dark_page(browser: sync_api.Browser, report: Path) -> None:
    """The page follows the colour scheme of the system."""
    colours: list[str] = []
    for scheme in ("light", "dark"):
        page = browser.new_page(color_scheme=scheme)
        page.goto(report.as_uri())
        colours.append(page.evaluate("getComputedStyle(document.body).backgroundColor"))
        page.close()
    assert colours == ["rgb(247, 248, 250)", "rgb(18, 22, 29)"]

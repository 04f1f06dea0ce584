"""Generated pages are up to date, and pages say what is."""

import inspect
import subprocess
import sys
from pathlib import Path

import pytest

from dialect import frontend

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("script", ["make_dialect_page.py", "make_atc_options_page.py", "make_evaluator_page.py"])
def test_pages_are_made_from_classes_and_tables(script: str) -> None:
    """`docs/dialect.md` is what the op classes say today, the others what their tables say."""
    assert subprocess.run([sys.executable, DOCS / script, "--check"]).returncode == 0


@pytest.mark.parametrize("page", ["merging.md", "pass-options.md", "python-api.md", "tuning-tutorial.md"])
def test_commands_print_what_the_page_says(page: str) -> None:
    """The commands of a page print today what stands under them."""
    assert subprocess.run([sys.executable, DOCS / "run_page.py", "--check", DOCS / page]).returncode == 0


def test_python_api_page_shows_its_example_and_names_every_function() -> None:
    """`docs/python-api.md` holds the program whose output it shows, and the name of each public function."""
    page = (DOCS / "python-api.md").read_text(encoding="utf-8")
    assert (DOCS.parent / "examples" / "softmax.py").read_text(encoding="utf-8") in page
    functions = [name for name in frontend.__all__ if inspect.isfunction(getattr(frontend, name))]
    assert [name for name in functions if f"`{name}" not in page and f"pypto.{name}" not in page] == []


def test_readme_links_every_page() -> None:
    """A newcomer finds each page from the README."""
    readme = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    assert [page.name for page in DOCS.glob("*.md") if f"](docs/{page.name})" not in readme] == []

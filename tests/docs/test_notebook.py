"""Notebooks of the documentation show what they print and return."""

from pathlib import Path

import pytest

from docs.notebook import markdown, printed, read, run, shown, stored
from tests.sources import ROOT

NOTEBOOKS = sorted((ROOT / "docs").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_every_notebook_shows_what_a_run_gives(path: Path) -> None:
    """A run from the start gives each cell's stored output, to the letter."""
    notebook = read(path)
    assert run(notebook) == shown(notebook)


def test_the_notebook_on_minimax_reproduces_the_published_numbers() -> None:
    """160,971 positions at depth 5 and pit 4, then 0 and 0 after the replies 0 and 5."""
    shown = "".join(printed(read(ROOT / "docs" / "minimax.ipynb")))
    assert "Chosen move: 4 | nodes visited: 160971" in shown
    moves = [line.split(",")[0] for line in shown.splitlines() if line.startswith("P0 moves")]
    assert moves == ["P0 moves 4", "P0 moves 0", "P0 moves 0"]


def test_a_page_has_text_code_and_outputs_in_order() -> None:
    """Storing outputs changes nothing else."""
    cells = [
        {"cell_type": "markdown", "source": ["# Title"]},
        {"cell_type": "code", "source": ["x = 1\n", "print(x)"], "outputs": []},
        {"cell_type": "code", "source": ["y = x"], "outputs": []},
        {"cell_type": "code", "source": ["import mancala\n", "mancala.GameBoard()"], "outputs": []},
    ]
    notebook = {"cells": cells, "nbformat": 4}
    done = stored(notebook, run(notebook))
    assert printed(done) == ["1\n", "", ""]
    page, picture = markdown(done).split("```{raw} html\n")
    assert page == (
        "# Title\n\n```python\nx = 1\nprint(x)\n```\n\n```text\n1\n```\n\n```python\ny = x\n```\n\n"
        "```python\nimport mancala\nmancala.GameBoard()\n```\n\n"
    )
    assert picture.startswith("<svg ")

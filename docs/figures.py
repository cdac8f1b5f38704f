"""The drawings of the documentation: each is made by a command, which the page shows.

``make figures`` draws them again; a test compares them with what the commands draw.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import typer
from typer.testing import CliRunner

from mancala.scripts.commands.thinking import learn

FOLDER: Final = Path(__file__).parent / "figures"
WALKED: Final = "(((2 1) (9 5)) ((0 -3) (4 7)))"
LECTURE: Final = "((3 12 8) (2 4 6) (14 5 2))"
UNSORTED: Final = "((14 5 2) (2 4 6) (8 12 3))"
DEEPER: Final = "(@4(3 9) @3(5 @7(6 8)))"
DELAYED: Final = "<3,3,2,0,1,2,0,0,4>"
FIGURES: Final = {
    "minimax": ("tree", LECTURE, "--algorithm", "minimax"),
    "alphabeta": ("tree", LECTURE),
    "walk": ("tree", WALKED, "--steps"),
    "order-best": ("tree", UNSORTED, "--order", "best"),
    "order-worst": ("tree", UNSORTED, "--order", "worst"),
    "unknown": ("tree", "((10 (12 ?)) (7 ? (? ?)))"),
    "deepening-1": ("tree", DEEPER, "--depth", "1"),
    "deepening-2": ("tree", DEEPER, "--depth", "2"),
    "turns": ("tree", "--board", DELAYED, "--depth", "2"),
    "horizon": ("tree", "--board", DELAYED, "--depth", "1"),
    "quiescence": ("tree", "--board", DELAYED, "--depth", "1", "--quiescence", "2"),
    "chance": ("tree", "(chance(0.8:5 0.2:9) chance(2 8))", "--bounds", "-3", "9"),
    "exercise": ("exercise", "1", "--answer"),
}
"""What `mancala learn` is asked to draw, by the name of the drawing."""


def draw(name: str, folder: Path) -> Path:
    """Draw a figure into a folder and return its file.

    Raises:
        ValueError: when the command fails.
    """
    app = typer.Typer()
    learn.register(app)
    app.callback()(lambda: None)
    path = folder / f"{name}.svg"
    result = CliRunner().invoke(app, ["learn", *FIGURES[name], "--svg", str(path)])
    if result.exit_code:
        raise ValueError(result.output)
    return path


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for figure in FIGURES:
        draw(figure, FOLDER)

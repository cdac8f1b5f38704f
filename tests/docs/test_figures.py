"""The drawings of the documentation are what their commands draw."""

import re
import shlex
from pathlib import Path

import pytest

from docs.figures import FIGURES, FOLDER, draw

CHAPTER = FOLDER.parent / "classroom.md"


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_is_what_its_command_draws(name: str, tmp_path: Path) -> None:
    """After a change of the drawings, `make figures` draws them again."""
    assert draw(name, tmp_path).read_text() == (FOLDER / f"{name}.svg").read_text()


def test_the_folder_holds_these_figures_only() -> None:
    """And the chapter shows each of them, with its command."""
    assert {path.stem for path in FOLDER.iterdir()} == set(FIGURES)
    chapter = CHAPTER.read_text()
    figure = r"!\[[^\]]+\]\(figures/([a-z0-9-]+)\.svg\)\n\n`mancala learn (.+?)`"
    shown = re.findall(figure, chapter)
    assert {name: tuple(shlex.split(command)) for name, command in shown} == FIGURES

"""``python -m scripts.mutation``: change modules a little, run their tests, list what survives.

A module's score is the share of its changes that its tests notice. The adjusted score leaves out
changes that no test could notice. Survivors are listed with their reasons in ``survivors.toml``;
one that is not listed there, or a score below 90 %, makes the command fail.
"""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Final

import typer

from scripts.mutation.cosmic import mutants_of
from scripts.mutation.survivors import Score, listed, score_of, table
from scripts.mutation.targets import TARGETS
from scripts.mutation.trial import PACKAGES, prepare, survivors

ROOT: Final = Path(__file__).parents[2]
IN_MEMORY: Final = Path("/dev/shm")  # noqa: S108  # only to make a folder of our own in it
LEAST_SCORE: Final = 0.9


def main(
    modules: Annotated[list[str] | None, typer.Argument(help="Only these; by default all.")] = None,
) -> None:
    """Change modules a little, and run their tests on each change."""
    place = IN_MEMORY if IN_MEMORY.is_dir() else None
    with TemporaryDirectory(prefix="mancala-mutation-", dir=place) as folder:
        _copy(Path(folder))
        os.chdir(folder)
        prepare()
        begun = time.monotonic()
        scores = [_score(module) for module in modules or TARGETS]
        os.chdir(ROOT)
    typer.echo(table(scores))
    typer.echo(f"{(time.monotonic() - begun) / 60:.1f} minutes")
    failed = any(score.unlisted or score.raw < LEAST_SCORE for score in scores)
    raise typer.Exit(int(failed))


def _copy(folder: Path) -> None:
    for package in PACKAGES:
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / package, folder / package, ignore=ignore)
    shutil.copyfile(ROOT / "pyproject.toml", folder / "pyproject.toml")


def _score(module: str) -> Score:
    mutants = mutants_of(Path(module).read_text())
    survived = survivors(module, TARGETS[module], mutants)
    score = score_of(module, len(mutants), survived, listed().get(module, []))
    for change in score.unlisted:
        typer.echo(f"{module} survives: {change}")
    for change in score.stale:
        typer.echo(f"{module} is listed, and does not survive: {change}")
    typer.echo(f"{module}: {len(mutants)} changes, {len(survived)} survived, {score.raw:.1%}")
    return score


if __name__ == "__main__":
    typer.run(main)

"""``python -m tests.mutation``: change modules a little, run their tests, list what survives.

A module's score is the share of its changes that its tests notice. The adjusted score leaves out
changes that no test could notice. Survivors are listed with their reasons in ``survivors.toml``;
one that is not listed there, or a score below 90 %, makes the command fail. Each row of
``docs/mutation.md`` is written when its module is done.
"""

import os
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Final

import typer

from docs import tables
from tests.mutation.cosmic import mutants_of
from tests.mutation.survivors import Score, reasons_of, score_of, scores_in, table
from tests.mutation.targets import TARGETS
from tests.mutation.trial import ModuleChange, prepare, survivors
from tests.sources import ROOT, copy_sources

IN_MEMORY: Final = Path("/dev/shm")  # noqa: S108  # only to make a folder of our own in it
PAGE: Final = ROOT / "docs" / "mutation.md"
LEAST_SCORE: Final = 0.9


def main(
    modules: Annotated[list[str] | None, typer.Argument(help="Only these; by default all.")] = None,
) -> None:
    """Change modules a little, and run their tests on each change."""
    place = IN_MEMORY if IN_MEMORY.is_dir() else None
    with TemporaryDirectory(prefix="mancala-mutation-", dir=place) as folder:
        copy_sources(Path(folder), "tests", "pyproject.toml")
        os.chdir(folder)
        prepare()
        begun = time.monotonic()
        scores = []
        for module in modules or TARGETS:
            scores.append(_score(module))
            _note(scores[-1])
        os.chdir(ROOT)
    typer.echo(table(scores))
    typer.echo(f"{(time.monotonic() - begun) / 60:.1f} minutes")
    failed = any(score.unlisted or score.raw < LEAST_SCORE for score in scores)
    raise typer.Exit(int(failed))


def _note(score: Score) -> None:
    """Write the row of a module into the page, and its sum; modules that are gone leave it."""
    known = scores_in(PAGE.read_text()) | {score.module: score}
    tables.write(PAGE, table([known[module] for module in TARGETS if module in known]))


def _score(module: str) -> Score:
    mutants = mutants_of(Path(module).read_text())
    numbers = survivors([ModuleChange(module, mutant) for mutant in mutants], TARGETS[module])
    survived = [mutants[number] for number in numbers]
    score = score_of(module, len(mutants), survived, reasons_of(module))
    for change in score.unlisted:
        typer.echo(f"{module} survives: {change}")
    for change in score.stale:
        typer.echo(f"{module} is listed, and does not survive: {change}")
    typer.echo(f"{module}: {len(mutants)} changes, {len(survived)} survived, {score.raw:.1%}")
    return score


if __name__ == "__main__":
    typer.run(main)

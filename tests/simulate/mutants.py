"""``python -m tests.simulate.mutants``: faults put into server and client, each to be found.

Each mutant is one change of one file. It is made in a copy of the source tree, and worlds are
simulated there until one breaks a promise. A mutant that no seed finds shows a promise that is not
checked, or a fault that never happens in a world.
"""

import re
import tomllib
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Final, NamedTuple

import typer

from docs import tables
from tests.sources import ROOT, copy_sources, run_in

BROKEN: Final = 1
SEED: Final = 1
SEEDS: Final = 500
"""What the numbers of the page are counted from, and how many seeds a fault of it may take."""
FOUND: Final = re.compile(r"seed (?P<seed>\d+): (BrokenPromiseError: )?(?P<detail>[^:]*)")
PAGE: Final = ROOT / "docs" / "simulation.md"
CHAPTER: Final = "Faults that the simulation finds"
SIMULATED: Final = ("tests/__init__.py", "tests/sources.py", "tests/holding.py", "tests/simulate")
"""What worlds need besides the product."""
TESTED: Final = ("tests", "docs", "pyproject.toml")
"""What other tests need."""
CATALOGUE: Final = Path(__file__).with_name("mutants.toml")


class Mutant(NamedTuple):
    """A fault.

    Attributes:
        test: the test that finds it, where no world goes; empty for one that worlds find.
    """

    name: str
    path: str
    old: str
    new: str
    mode: str = "in-process"
    test: str = ""


def catalogue() -> list[Mutant]:
    return [Mutant(**row) for row in tomllib.loads(CATALOGUE.read_text())["mutant"]]


def mutated(mutant: Mutant, folder: Path) -> None:
    copy_sources(folder, *(TESTED if mutant.test else SIMULATED))
    path = folder / mutant.path
    text = path.read_text()
    if text.count(mutant.old) != 1:
        raise ValueError(f"{mutant.name}: its text occurs {text.count(mutant.old)} times")
    path.write_text(text.replace(mutant.old, mutant.new))


class Find(NamedTuple):
    """A seed that breaks a promise in a mutant, or None and the test that fails."""

    seed: int | None
    detail: str


def hunt(mutant: Mutant, *, seed: int, seeds: int) -> Find | None:
    """Simulate a mutant; return the first find, or None if no seed finds anything."""
    with TemporaryDirectory(prefix="mancala-mutant-") as place:
        folder = Path(place)
        mutated(mutant, folder)
        if mutant.test:
            return _tested(mutant.test, folder)
        given = {"--seed": seed, "--seeds": seeds, "--mode": mutant.mode}
        options = [f"{option}={value}" for option, value in given.items()]
        options += ["--until-broken", "--no-shrink"]
        done = run_in(folder, "-m", "tests.simulate", *options)
    for line in done.stdout.splitlines():
        if (found := FOUND.match(line)) is not None:
            return Find(int(found["seed"]), found["detail"])
    if " seeds, " not in done.stdout:
        raise RuntimeError(f"{mutant.name}: {done.stderr.strip()[-200:]}")
    return None


def _tested(test: str, folder: Path) -> Find | None:
    done = run_in(folder, "-m", "pytest", "-q", "-p", "no:cacheprovider", test)
    if done.returncode not in {0, 1}:
        raise RuntimeError(f"{test}: {done.stdout.strip()[-200:]}")
    return Find(None, test.rpartition("/")[2]) if done.returncode else None


def main(
    *,
    seed: Annotated[int, typer.Option(help="The first seed.")] = SEED,
    seeds: Annotated[int, typer.Option(min=1, help="How many seeds each may take.")] = SEEDS,
    only: Annotated[str, typer.Option(help="Only mutants whose name or file holds this.")] = "",
    first: Annotated[int, typer.Option(min=1, help="The number of the first mutant.")] = 1,
    last: Annotated[int | None, typer.Option(help="The number of the last one.")] = None,
) -> None:
    """Put each fault into a copy of the sources, and simulate it until it is found.

    The page has the rows of the default seeds, so no others are written there.
    """
    missed = 0
    for mutant in catalogue()[first - 1 : last]:
        if only in mutant.name or only in mutant.path:
            find = hunt(mutant, seed=seed, seeds=seeds)
            missed += find is None
            cells = mutant.name, mutant.path, *_cells(find, seed)
            typer.echo(" | ".join(cells))
            if (seed, seeds) == (SEED, SEEDS):
                PAGE.write_text(tables.with_row(PAGE.read_text(), CHAPTER, cells))
    raise typer.Exit(BROKEN if missed else 0)


def _cells(find: Find | None, first: int) -> tuple[str, str]:
    if find is None:
        return "not found", ""
    return "-" if find.seed is None else str(find.seed - first + 1), find.detail


if __name__ == "__main__":
    typer.run(main)

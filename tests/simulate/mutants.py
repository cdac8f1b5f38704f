"""``python -m tests.simulate.mutants``: faults put into server and client, each to be found.

Each mutant is one change of one file. Worlds are simulated with it until one breaks a promise:
first the seed that found it last, which the page has, then one after another. That first one is
tried in a fork of this process, if functions alone are changed; what it does not find is tried in a
copy of the source tree, which has the change from the start and in all processes. A mutant that no
seed finds shows a promise that is not checked, or a fault that never happens in a world.
"""

import re
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import chdir, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Final, NamedTuple

import typer

from docs import tables
from tests.mutation.forks import forked
from tests.mutation.trial import change, codes_of
from tests.simulate.campaign import make_template, simulate, temporary
from tests.simulate.generated import IMPORTED, LONGEST_S
from tests.simulate.plan import FaultPlan, Mode
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


def changed(mutant: Mutant) -> str:
    """Return the text of its file with the fault."""
    text = (ROOT / mutant.path).read_text()
    if text.count(mutant.old) != 1:
        raise ValueError(f"{mutant.name}: its text occurs {text.count(mutant.old)} times")
    return text.replace(mutant.old, mutant.new)


class Find(NamedTuple):
    """A seed that breaks a promise in a mutant, or None and the test that fails."""

    seed: int | None
    detail: str


def hunt(
    mutant: Mutant, template: Path, *, seed: int, seeds: int, known: int | None = None
) -> Find | None:
    """Simulate a mutant; return the first find, or None if no seed finds anything.

    A seed that is known to find it is tried first. Worlds begin with a copy of the template.
    """
    text = changed(mutant)
    if mutant.test:
        with _copy(mutant, text, *TESTED) as folder:
            return _tested(mutant.test, folder)
    first = () if known is None else (range(known, known + 1),)
    if known is not None and (found := _found_here(mutant, text, known, template)):
        return found
    with _copy(mutant, text, *SIMULATED) as folder:
        tries = (_found_in(folder, mutant, it) for it in (*first, range(seed, seed + seeds)))
        return next((found for found in tries if found), None)


@contextmanager
def _copy(mutant: Mutant, text: str, *places: str) -> Iterator[Path]:
    """Provide a copy of the source tree with a mutant's text."""
    with TemporaryDirectory(prefix="mancala-mutant-") as place:
        folder = copy_sources(Path(place), *places)
        (folder / mutant.path).write_text(text)
        yield folder


def known_seeds(page: str) -> dict[str, int]:
    """Return by name which seed found each mutant, as the page has it."""
    rows = (line.split(" | ") for line in page.partition(f"## {CHAPTER}\n")[2].splitlines())
    cells = ((name.removeprefix("| "), found) for name, _, found, *_ in (r for r in rows if r[3:]))
    return {name: SEED - 1 + int(found) for name, found in cells if found.isdecimal()}


def _found_here(mutant: Mutant, text: str, seed: int, template: Path) -> Find | None:
    """Simulate a world in a fork, if the fault is in functions of what this process has loaded."""
    codes = codes_of(str(IMPORTED / mutant.path), text)
    if codes is None or not codes[1]:
        return None
    answer = template.with_name("found")
    answer.write_text("")

    def act() -> bool:
        change(*codes)
        fault = simulate(FaultPlan.of(seed, Mode(mutant.mode)), template).fault
        return fault is None or answer.write_text(f"seed {seed}: {fault}\n") > 0

    forked(act, LONGEST_S)
    return _find(answer.read_text())


def _found_in(folder: Path, mutant: Mutant, seeds: Sequence[int]) -> Find | None:
    given = {"--seed": seeds[0], "--seeds": len(seeds), "--mode": mutant.mode}
    options = [f"{option}={value}" for option, value in given.items()]
    done = run_in(folder, "-m", "tests.simulate", *options, "--until-broken", "--no-shrink")
    if " seeds, " not in done.stdout:
        raise RuntimeError(f"{mutant.name}: {done.stderr.strip()[-200:]}")
    return _find(done.stdout)


def _find(printed: str) -> Find | None:
    for line in printed.splitlines():
        if (found := FOUND.match(line)) is not None:
            return Find(int(found["seed"]), found["detail"])
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
    missed, known = 0, known_seeds(PAGE.read_text()) if seed == SEED else {}
    mutants = [each for each in catalogue()[first - 1 : last] if only in each.name + each.path]
    with temporary() as folder, chdir(folder):
        template = make_template(Path(folder))
        for mode in {Mode(each.mode) for each in mutants}:
            simulate(FaultPlan.of(seed, mode), template)  # loads what is loaded when it is needed
        for mutant in mutants:
            known_seed = known.get(mutant.name)
            find = hunt(mutant, template, seed=seed, seeds=seeds, known=known_seed)
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

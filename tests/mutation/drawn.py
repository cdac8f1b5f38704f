"""``python -m tests.mutation.drawn``: random changes of rooms of the server, and who notices them.

Changes are drawn from all that Cosmic Ray's operators make, first a line, then a place in it. Each
is tried with the tests that execute it, of its own room and of those that use it. What survives is
printed: it needs a test, a reason, or not to be there.
"""

import os
import random
import sys
from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Sequence
from functools import cache
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Final

import typer

from tests.mutation.cosmic import LineMutants
from tests.mutation.survivors import Score, reasons_of, score_of, summed, table
from tests.mutation.trial import ModuleChange, prepare, survivors, written
from tests.sources import ROOT, copy_sources, run_in

ROOMS: Final = (
    *("server/contest/events", "server/contest/live", "server/control", "server/publish"),
    "server/web",
)
TESTS: Final = (
    *("tests/server/contest/events", "tests/server/contest/live", "tests/server/control"),
    *("tests/server/publish", "tests/server/lobby", "tests/server/app"),
    *(f"tests/scripts/commands/hosting/test_{it}.py" for it in ("admin", "event")),
    *(f"tests/server/web/{it}" for it in ("api", "feed", "http", "pages", "static", "status")),
    *(f"tests/server/web/test_{it}.py" for it in ("application", "languages", "web_start")),
)
"""Those of the page in a browser are left out."""
REACHED: Final = ROOT / "build/cache/reached"
MODES: Final = ("in-process", "full-stack")


def draw(seed: int, rooms: Sequence[str], changes: int) -> list[ModuleChange]:
    """Draw different changes of the modules of rooms, which are folders or files; all, if fewer.

    The order of lines follows from the seed and their texts, so that a seed draws the same changes
    of all that stays as it is.
    """
    modules = [path for room in rooms for path in _modules(ROOT / room)]
    ordered = sorted(line for path in modules for line in _lines(seed, path))
    left = deque(_changes(rank, path, line) for rank, path, line in ordered)
    drawn: dict[tuple[str, str], ModuleChange] = {}
    while left and len(drawn) < changes:
        at_line = left.popleft()
        if (change := next(at_line, None)) is not None:
            drawn.setdefault((change.module, change.mutant.change), change)
            left.append(at_line)
    return list(drawn.values())


def _lines(seed: int, path: Path) -> Iterator[tuple[str, Path, int]]:
    """Yield the lines of a module that hold anything, each after its rank."""
    seen = Counter[str]()
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if text := line.strip():
            seen[text] += 1
            key = f"{seed} {path.relative_to(ROOT).as_posix()} {text} {seen[text]}"
            yield blake2b(key.encode(), digest_size=8).hexdigest(), path, number


def _changes(rank: str, path: Path, line: int) -> Iterator[ModuleChange]:
    for mutant in _mutants_of(path).at_random(line, random.Random(rank)):
        yield ModuleChange(path.relative_to(ROOT).as_posix(), mutant)


@cache
def _mutants_of(path: Path) -> LineMutants:
    return LineMutants(path.read_text())


def _modules(room: Path) -> list[Path]:
    return sorted(room.rglob("*.py")) if room.is_dir() else [room]


def main(
    rooms: Annotated[list[str] | None, typer.Argument(help="Folders of the server.")] = None,
    *,
    changes: Annotated[int, typer.Option(min=1, help="How many changes to try.")] = 80,
    seed: Annotated[int, typer.Option(help="Seed of the changes.")] = 1,
    tests: Annotated[list[str] | None, typer.Option(help="Files and folders of tests.")] = None,
    worlds: Annotated[
        float, typer.Option(min=0, help="Seconds of simulated worlds for each survivor.")
    ] = 0,
) -> None:
    """Change rooms of the server at random places, and count what their tests notice."""
    drawn = draw(seed, rooms or ROOMS, changes)
    terminal = os.fdopen(os.dup(sys.stdout.fileno()), "w")  # forks have their own output

    def show(number: int, noticed_by: str | None) -> None:
        came = "survives" if noticed_by is None else f"is noticed by {noticed_by}"
        print(_named(drawn[number]), came, file=terminal, flush=True)

    with TemporaryDirectory(prefix="mancala-mutation-") as folder:
        copy_sources(Path(folder), "tests", "docs", "pyproject.toml")
        os.chdir(folder)
        prepare()
        survived = [drawn[it] for it in survivors(drawn, tests or TESTS, show, REACHED)]
        if worlds:
            survived = [each for each in survived if not _is_found(each, Path(folder), worlds)]
        os.chdir(ROOT)
    scores = [_score(module, drawn, survived) for module in sorted({it.module for it in drawn})]
    by_room = defaultdict[str, list[Score]](list)
    for score in scores:
        by_room[Path(score.module).parent.as_posix()].append(score)
        for change in score.unlisted:
            typer.echo(f"{score.module} survives: {change}")
    typer.echo(table([summed(room, found) for room, found in sorted(by_room.items())]))


def _named(change: ModuleChange) -> str:
    return f"{change.module}: {change.mutant.change}"


def _is_found(change: ModuleChange, folder: Path, seconds: float) -> bool:
    """Simulate a change in each mode for half of the time; return whether a world fails."""
    for mode in MODES:
        options = ("--seed=1", f"--seconds={seconds / len(MODES)}", "--until-broken", "--no-shrink")
        with written(change, 0):
            done = run_in(folder, "-m", "tests.simulate", f"--mode={mode}", *options)
        if done.returncode:
            failed = [line for line in done.stdout.splitlines() if line.startswith("seed ")]
            typer.echo(f"{_named(change)}: {' '.join(failed) or 'no world begins'}")
            return True
    typer.echo(f"{_named(change)}: no world finds it")
    return False


def _score(module: str, drawn: Sequence[ModuleChange], survived: Sequence[ModuleChange]) -> Score:
    tried = sum(each.module == module for each in drawn)
    left = [each.mutant for each in survived if each.module == module]
    return score_of(module, tried, left, reasons_of(module))


if __name__ == "__main__":
    typer.run(main)

"""Drill: a pretend course of scripted programs is graded, undisturbed and killed again and again.

    python -m tests.drills.course --programs 60 --kills 5

The course has programs of graded strength, starters, classics, broken ones, and one copy. It is
graded once undisturbed; then all that was measured is forgotten, and it is graded again by runs
that are killed with SIGKILL at random moments. A second season measures the same programs in other
positions and games. It fails when the two tables differ, when the grades do not order the programs
by their strength, when a program's two marks differ by more than its interval, when a sound program
has no mark or a broken one no reason, or when the copy is not listed as alike.
"""

import csv
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Annotated, Final, NamedTuple

import typer

from mancala.scripts.course.likeness import LikePair
from mancala.scripts.course.report import GRADES, LIKENESS
from mancala.scripts.hosting.shelf import STATE
from tests.drills.pretend_programs import copy_of, write_course
from tests.drills.report import DrillReport, SeedOption, command_line, for_each

SETTINGS: Final = """positions = {positions}
games = {games}
movetime_s = 5.0
loss = {{ full = 0, none = 6 }}
limits = {{ memory_mb = 256, cpu_s = 60 }}
"""
LEAST_ORDERED: Final = 0.95
"""Of Kendall's pairs of programs of different strength: those in order less those that are not."""
LEAST_WITHIN: Final = 0.95
SECOND: Final = "second"
"""Another season, with other positions."""
COPY: Final = "copy"
COPIED: Final = "strong-01-0"


class GradedRow(NamedTuple):
    """What the drill reads of a row of the table."""

    team: str
    total: float
    low: float
    high: float
    loss: float | None
    evidence: str
    why: str

    @property
    def kind(self) -> str:
        return self.team.partition("-")[0]

    @property
    def strength(self) -> int:
        """The place of its strength, 0 for the strongest; only of programs of graded strength."""
        return int(self.team.split("-")[1])


def grade(course: Path, kill_after_s: float | None = None) -> bool:
    """Grade a course in a process of its own, perhaps killed; return whether it ended itself."""
    command = [sys.executable, "-m", "mancala", "course", str(course), "--json"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        code = process.wait(timeout=kill_after_s)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return False
    if code:
        raise subprocess.CalledProcessError(code, command)
    return True


def forget_measures(course: Path) -> None:
    """Remove all that was admitted and measured; the season's seed and positions stay."""
    shutil.rmtree(course / "teams" / STATE, ignore_errors=True)
    shutil.rmtree(course / STATE / "grades", ignore_errors=True)


def like_pairs(course: Path) -> list[LikePair]:
    with (course / LIKENESS).open(newline="") as file:
        return [
            LikePair(row[0], row[1], *map(float, row[2:]))  # type: ignore[arg-type]
            for row in list(csv.reader(file))[1:]
        ]


def rows_of(course: Path) -> list[GradedRow]:
    with (course / GRADES).open(newline="") as file:
        return [_row(found) for found in csv.DictReader(file)]


def _row(found: dict[str, str]) -> GradedRow:
    total, low, high = (float(found[name] or 0) for name in ("total", "total_low", "total_high"))
    loss = float(found["loss"]) if found["loss"] else None
    return GradedRow(found["id"], total, low, high, loss, found["evidence"], found["why"])


def agreement(pairs: Sequence[tuple[float, float]]) -> float:
    """Return how far two numbers order alike, -1 to 1: Goodman and Kruskal's gamma.

    It is Kendall's tau over the pairs that are tied in neither.
    """
    signs = [_sign(a[0] - b[0]) * _sign(a[1] - b[1]) for a, b in combinations(pairs, 2)]
    untied = sum(sign != 0 for sign in signs)
    return sum(signs) / untied if untied else 0.0


class CourseSize(NamedTuple):
    """How large a pretend course is."""

    programs: int
    positions: int
    games: int


def drill(course: Path, size: CourseSize, kills: int, seed: int) -> DrillReport:
    write_course(course, size.programs)
    copy_of(course, COPIED, COPY)
    settings = SETTINGS.format(positions=size.positions, games=size.games)
    (course / "course.toml").write_text(settings)
    began = time.monotonic()
    grade(course)
    undisturbed_s = time.monotonic() - began
    table, rows = (course / GRADES).read_bytes(), rows_of(course)
    forget_measures(course)
    done = _killed(course, kills, undisturbed_s, seed)
    is_same = (course / GRADES).read_bytes() == table
    again = rows_of(course)
    likeness = like_pairs(course)
    strong = [row for row in rows if row.kind == "strong" and row.loss is not None]
    ordered = agreement([(row.total, -row.strength) for row in strong])
    second = _second_season(course, settings)
    within = [_is_within(row, second[row.team]) for row in strong]
    marked = {row.team for row in rows if row.evidence}
    return DrillReport(
        "course",
        seed,
        {
            "programs": len(rows),
            "undisturbed_s": round(undisturbed_s, 1),
            "kills": done,
            "differ": [str(pair) for pair in zip(rows, again, strict=False) if pair[0] != pair[1]],
            "ordered": round(ordered, 3),
            "within_the_interval": f"{sum(within)} of {len(within)}",
            "totals": {row.team: (row.total, second[row.team]) for row in rows},
            "losses": {row.team: row.loss for row in rows},
            "broken": {row.team: row.why for row in rows if row.kind == "broken"},
            "alike": [f"{pair.one} {pair.other}" for pair in likeness],
        },
        {
            "a killed grading ends in the same table": is_same,
            f"grades order programs by strength: {LEAST_ORDERED}": ordered >= LEAST_ORDERED,
            "two marks differ by less than the interval": (
                0 < sum(within) >= LEAST_WITHIN * len(within)
            ),
            "the copy is listed": any(
                {COPY, COPIED} == {pair.one, pair.other} for pair in likeness
            ),
            "sound programs are marked": for_each(
                row.team in marked for row in rows if row.kind != "broken"
            ),
            "broken ones have a reason": for_each(
                row.why or row.evidence for row in rows if row.kind == "broken"
            ),
        },
    )


def _killed(course: Path, kills: int, undisturbed_s: float, seed: int) -> int:
    rng, done = random.Random(f"{seed}/kills"), 0
    for _ in range(kills):
        done += not grade(course, kill_after_s=rng.uniform(0.5, 2) * undisturbed_s / (kills + 1))
    grade(course)
    return done


def _second_season(course: Path, settings: str) -> dict[str, float]:
    (course / "course.toml").write_text(f'season = "{SECOND}"\n{settings}')
    grade(course)
    return {row.team: row.total for row in rows_of(course)}


def _is_within(row: GradedRow, other: float) -> bool:
    return abs(row.total - other) < row.high - row.low


def _sign(number: float) -> int:
    return (number > 0) - (number < 0)


def main(
    *,
    programs: Annotated[int, typer.Option(min=6, help="Programs beside the copy.")] = 60,
    kills: Annotated[int, typer.Option(min=0, help="Kills of the second grading.")] = 5,
    positions: Annotated[int, typer.Option(min=2, help="Positions of a season.")] = 300,
    games: Annotated[int, typer.Option(min=2, help="Games of each program.")] = 40,
    folder: Annotated[
        Path | None, typer.Option(help="Keep the course here. Default: a temporary folder.")
    ] = None,
    seed: SeedOption = 1,
) -> DrillReport:
    """Grade a pretend course, undisturbed and killed, and compare."""
    os.environ.pop("MANCALA_TOKEN", None)
    with tempfile.TemporaryDirectory(prefix="drill-course-") as place:
        course = folder or Path(place)
        size = CourseSize(programs, positions, games)
        return drill(course, size, kills, seed)


if __name__ == "__main__":
    command_line(main)

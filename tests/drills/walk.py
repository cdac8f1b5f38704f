"""Drill: docs/teaching.md word by word, with a starter in each language, on a busy machine too.

    python -m tests.drills.walk

Each language's starter is made and handed in by the commands of the text, and graded by its
``course.toml``; beside them, the programs that its exercises are to exclude. Then all is forgotten,
and graded once more with a busy loop on each core. It fails when a starter is refused or its marks
differ from the others' by more than their interval, busy or not, when an exercise is passed by what
it excludes, or when starters are listed as alike. The positions are proven ones that are kept for
tests.
"""

import csv
import os
import re
import subprocess
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec
import typer

from mancala.bot.starters import LANGUAGES
from mancala.protocol.loss import ProvenPosition
from mancala.scripts.course.grading import keep_positions
from mancala.scripts.course.likeness import LikePair
from mancala.scripts.course.report import EXERCISES, GRADES
from mancala.scripts.course.settings import SEED, read_settings
from mancala.scripts.hosting.shelf import STATE, write_whole
from tests.drills.busy import computing
from tests.drills.course import GradedRow, forget_measures, grade, like_pairs, rows_of
from tests.drills.newcomer import present_environment
from tests.drills.pretend_programs import CLASSICS, strong, write, write_python
from tests.drills.report import DrillReport, command_line
from tests.sources import ROOT

TEXT: Final = (ROOT / "docs" / "teaching.md").read_text()
SEASON: Final = ROOT / "tests" / "data" / "season.jsonl"
KEPT_SEED: Final = 1
OTHERS: Final[Mapping[str, tuple[int, ...]]] = {
    "the-last-pit": (3, 6),
    "depth-1": (3, 5, 6),
    "depth-2": (6,),
    "depth-4": (6, 8, 10),
}
"""Programs beside the starters, with the exercises of 300 positions that exclude them."""
EXCLUDED: Final = {**dict.fromkeys(LANGUAGES, (4, 5, 6)), **OTHERS}


def hand_in(course: Path, language: str) -> None:
    (steps,) = re.findall(r"```sh\n(mancala new .*?)```", TEXT, re.DOTALL)
    (packages,) = re.findall(r"npm install --prefix course/packages \w+", steps)
    commands = [line for line in steps.splitlines() if "npm" not in line and line[:1] != " "]
    script = "\n".join(commands).replace("--lang c ", f"--lang {language} ")
    script = script.replace('language = "c"', f'language = "{language}"')
    if language == "javascript" and not (course / "packages").exists():
        script = f"{packages.replace('course/packages', str(course / 'packages'))}\n{script}"
    with tempfile.TemporaryDirectory() as place:
        subprocess.run(
            ["/bin/sh", "-ec", script],
            cwd=place,
            env=present_environment(),
            check=True,
            stdout=subprocess.DEVNULL,
        )
        Path(place, "my-bot.zip").rename(course / "teams" / f"{language}.zip")


def prepare(course: Path, positions: int, games: int) -> None:
    (settings,) = re.findall(r"```toml\n(# course\.toml\n.*?)```", TEXT, re.DOTALL)
    settings = re.sub(r"(?m)^positions = .*$", f"positions = {positions}", settings)
    settings = re.sub(r"(?m)^games = .*$", f"games = {games}", settings)
    (course / "teams").mkdir(parents=True)
    (course / "course.toml").write_text(settings)
    season = read_settings(course).season
    write_whole(course / STATE / SEED / season, str(KEPT_SEED).encode())
    lines = SEASON.read_bytes().splitlines()
    proven = [msgspec.json.decode(line, type=ProvenPosition) for line in lines]
    keep_positions(course, season, KEPT_SEED, proven)
    for language in LANGUAGES:
        hand_in(course, language)
    for team in OTHERS:
        folder, depth = course / "teams" / team, team.removeprefix("depth-")
        if depth == team:
            write_python(folder, CLASSICS["last"])
        else:
            write(folder, strong("my-bot", int(depth), strays=0, salt=0), language="c")


def drill(course: Path, positions: int, games: int, loops: int) -> DrillReport:
    prepare(course, positions, games)
    found: dict[str, dict[str, GradedRow]] = {}
    passed: dict[str, dict[str, set[int]]] = {}
    alike: list[LikePair] = []
    seconds = {}
    for state in ("idle", "busy"):
        began = time.monotonic()
        with computing(loops if state == "busy" else 0) as busy:
            grade(course)
            left = sum(loop.poll() is None for loop in busy)
        seconds[f"{state}_s"] = round(time.monotonic() - began, 1)
        found[state] = {row.team.removesuffix(".zip"): row for row in rows_of(course)}
        passed[state] = _passed(course)
        alike += like_pairs(course)
        (course / GRADES).rename(course / f"{state}.csv")
        forget_measures(course)
    starters = [rows[language] for rows in found.values() for language in LANGUAGES]
    are_marked = all(row.evidence for rows in found.values() for row in rows.values())
    return DrillReport(
        "walk",
        KEPT_SEED,
        {
            **seconds,
            "busy_loops": left,
            "marks": {state: _marks(rows) for state, rows in found.items()},
            "why": {
                state: {team: row.why for team, row in rows.items()}
                for state, rows in found.items()
            },
            "passed": passed,
        },
        {
            "each team has its mark": are_marked,
            "one starter has one mark in each language, busy or not": are_marked
            and max(row.low for row in starters) <= min(row.high for row in starters),
            "one starter loses the same in each language": are_marked
            and len({row.loss for row in starters}) == 1,
            "exercises exclude what they are to": are_marked
            and all(
                not {*numbers} & each[team]
                for each in passed.values()
                for team, numbers in EXCLUDED.items()
            ),
            "starters are not alike": are_marked
            and not {name.removesuffix(".zip") for pair in alike for name in (pair.one, pair.other)}
            & {*LANGUAGES},
        },
    )


def _marks(rows: Mapping[str, GradedRow]) -> dict[str, Any]:
    return {team: (row.low, row.total, row.high) for team, row in rows.items()}


def _passed(course: Path) -> dict[str, set[int]]:
    with (course / EXERCISES).open(newline="") as file:
        head, *rows = csv.reader(file)
    numbers = [int(name.split()[0]) for name in head[1:]]
    return {
        row[0].removesuffix(".zip"): {
            number for number, cell in zip(numbers, row[1:], strict=True) if cell == "yes"
        }
        for row in rows
    }


def main(
    *,
    positions: Annotated[int, typer.Option(min=2, max=300, help="Positions of the season.")] = 300,
    games: Annotated[int, typer.Option(min=2, help="Games of each program.")] = 40,
    loops: Annotated[int, typer.Option(min=1, help="Busy loops.")] = os.cpu_count() or 1,
    folder: Annotated[
        Path | None, typer.Option(help="Keep the course here. Default: a temporary folder.")
    ] = None,
) -> DrillReport:
    """Follow the text with a starter in each language, on an idle machine and on a busy one."""
    with tempfile.TemporaryDirectory(prefix="drill-walk-") as place:
        return drill(folder or Path(place, "course"), positions, games, loops)


if __name__ == "__main__":
    command_line(main)

"""``mancala course``: grades of what teams hand in, against a fixed scale."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mancala.scripts.console import output as console
from mancala.scripts.console.options import JsonOption

if TYPE_CHECKING:
    from mancala.scripts.course.marks import TeamMark

GRADES = "grades.csv"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("course")(_course)


def _course(
    folder: Annotated[
        Path,
        typer.Argument(metavar="DIR", help="Has course.toml, and in teams/ a folder or zip each."),
    ],
    *,
    json: JsonOption = False,
) -> None:
    """Mark the programs of a course's teams; write DIR/grades.csv and DIR/feedback/TEAM.md.

    Each program is built and checked as 'mancala host' does, in a sandbox; the last version that
    passed check-bot is marked. A mark has four parts, weighted by course.toml: the share of
    check-bot passed, the share of answers and games not forfeited, seeds lost a move on proven
    positions of the season's secret seed, and the place among the engine's levels. None depends on
    other teams. A threshold is failed only when the whole 95 % interval fails it. Only what changed
    is measured again.
    """
    from mancala.scripts.course.marks import as_csv
    from mancala.scripts.course.settings import CourseError
    from mancala.scripts.hosting.shelf import write_whole
    from mancala.scripts.sandbox.machine import NoSandboxError, require_sandbox

    try:
        require_sandbox()
        marks = _marks(folder)
        write_whole(folder / GRADES, as_csv(marks).encode())
    except (CourseError, NoSandboxError) as error:
        console.fail(error)
    except OSError as error:
        console.fail(error, code=console.FAILED)
    from msgspec import to_builtins

    text = "\n".join(map(_text, marks)) or f"{folder / 'teams'} is empty"
    console.show({"grades": to_builtins(marks)}, text, json=json)


def _marks(folder: Path) -> list[TeamMark]:
    import asyncio

    from mancala.scripts.conformance.robot import Times
    from mancala.scripts.course.grading import Grading
    from mancala.scripts.course.settings import TEAMS, CourseError, read_settings, season_seed
    from mancala.scripts.hosting.admission import Admission
    from mancala.scripts.hosting.host import HostedFolder

    settings = read_settings(folder)
    if not (folder / TEAMS).is_dir():
        raise CourseError(f"{folder} has no folder {TEAMS}")

    def say(text: str) -> None:
        console.say(text, err=True)

    grading = Grading(folder, settings, season_seed(folder, settings.season), say)
    teams = HostedFolder(
        folder / TEAMS, Admission(settings.limits, Times(), closes=settings.closes), say
    )
    asyncio.run(teams.admit_all())
    return list(grading.marks(teams))


def _text(mark: TeamMark) -> str:
    passed = "passed" if mark.passed else f"not passed: {mark.why}"
    return f"{mark.id}: {mark.total:5.1f}  {mark.bot} {mark.version}, {passed}"

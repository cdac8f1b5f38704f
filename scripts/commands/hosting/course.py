"""Mark the programs of a course's teams against a fixed scale."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mancala.protocol.text import quantity

from ...console import output as console
from ...console.options import JsonOption, spread_options
from ...console.playing import ClusterOptions

if TYPE_CHECKING:
    from ...course.marks import TeamMark


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("course")(spread_options(_course))


def _course(
    folder: Annotated[
        Path,
        typer.Argument(metavar="DIR", help="Has course.toml, and in teams/ a folder or zip each."),
    ],
    *,
    watch: Annotated[
        bool, typer.Option("--watch", help="Go on: mark what is handed in, until interrupted.")
    ] = False,
    serve: Annotated[
        int | None,
        typer.Option(
            metavar="PORT", help="With --watch: serve the pages on 127.0.0.1, and take uploads."
        ),
    ] = None,
    export: Annotated[
        str, typer.Option(metavar="TEAM", help="Only write all that is kept of a team to TEAM.zip.")
    ] = "",
    forget: Annotated[
        str, typer.Option(metavar="TEAM", help="Delete all that is kept of a team first.")
    ] = "",
    place: ClusterOptions,
    json: JsonOption = False,
) -> None:
    """Mark the programs of a course's teams; write grades.csv, feedback and pages into DIR.

    Each program is built and checked as 'mancala host' does, in a sandbox; the last version that
    passed check-bot is marked. A mark has four parts, weighted by course.toml: the share of
    check-bot passed, the share of answers and games not forfeited, seeds lost a move on proven
    positions of the season's secret seed, and the place among the engine's levels. None depends on
    other teams. A threshold is failed only when the whole 95 % interval fails it. Only what changed
    is measured again. With --cluster its workers prove the season's positions; programs are
    measured on this machine all the same.
    """
    from ...course.settings import CourseError, read_settings
    from ...hosting.shelf import alone_in
    from ...sandbox.machine import NoSandboxError

    with console.failing_on(OSError), console.bad_input(CourseError, NoSandboxError):
        if export:
            _export(folder, export, json=json)
            return
        read_settings(folder)
        with alone_in(folder):
            if forget:
                _forget(folder, forget)
            marks = _graded(folder, place.cluster, watch=watch or serve is not None, port=serve)
    from msgspec import to_builtins

    text = "\n".join(map(_text, marks)) or f"{folder / 'teams'} is empty"
    console.show({"grades": to_builtins(marks)}, text, json=json)


def _graded(folder: Path, cluster: str | None, *, watch: bool, port: int | None) -> list[TeamMark]:
    import time
    from contextlib import ExitStack

    from ...course.uploads import serving
    from ...course.watching import WatchedCourse
    from ...hosting.host import LOOK_S

    course = WatchedCourse(folder, _say, cluster=cluster)
    with ExitStack() as stack:
        if port is not None:
            port = stack.enter_context(serving(course.uploads, port))
            _say(f"pages at http://127.0.0.1:{port}")
        course.mark_all(watched=watch)
        try:
            while watch:
                time.sleep(LOOK_S)
                course.look()
        except KeyboardInterrupt:
            _say("interrupted")
        return course.marks


def _export(folder: Path, team: str, *, json: bool) -> None:
    from ...course import personal

    archive = Path(f"{team}.zip")
    if archive.exists():
        console.fail(f"{archive} is there already")
    files = personal.export(folder, team, archive)
    result = {"export": str(archive), "files": files}
    console.show(result, f"{archive} has {quantity(files, 'file')} of {team}", json=json)


def _forget(folder: Path, team: str) -> None:
    from ...course import personal

    for place in personal.forget(folder, team):
        _say(f"deleted {place}")


def _say(text: str) -> None:
    console.say(text, err=True)


def _text(mark: TeamMark) -> str:
    if mark.unjudged:
        return f"{mark.id}: {' '.join(mark.why.split())}"
    failed = "" if mark.passed else f", not passed: {' '.join(mark.why.split())}"
    return f"{mark.id}: {mark.total:5.1f}  {mark.bot} {mark.version}{failed}"

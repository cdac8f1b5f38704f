"""Grades of a course: each team's program is admitted, measured, and marked.

What was measured is kept under the version's hash and that of all that the measure depends on, so
only what changed is measured again, and a grading that was killed goes on with the next team.
"""

from __future__ import annotations

import hashlib
import os
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from mancala.protocol.player import PlayerError
from mancala.scripts.course.feedback import feedback
from mancala.scripts.course.marks import Measured, TeamMark, mark_of
from mancala.scripts.course.run_evidence import RunEvidence, run_evidence
from mancala.scripts.course.settings import CourseSettings
from mancala.scripts.hosting.admission import manifest_of, order_for
from mancala.scripts.hosting.handin import read_hand_in
from mancala.scripts.hosting.manifest import BotProtocol
from mancala.scripts.hosting.shelf import STATE, HostedVersion, Shelf, write_whole
from mancala.scripts.sandbox.run import command_of

if TYPE_CHECKING:
    from mancala.scripts.hosting.host import HostedFolder

GAMES: Final = 9999
LADDER: Final = "main"
EVIDENCE: Final = "grades"
FEEDBACK: Final = "feedback"
RUNS: Final = "grade-runs.jsonl"
START_UP_S: Final = 30.0
MARGIN_S: Final = 0.2


class MarkEvidence(msgspec.Struct, frozen=True, kw_only=True):
    """All figures behind a mark.

    Attributes:
        measured: what the mark is made from.
        rating: the whole rating, as ``mancala rate`` prints it.
        runs: what its processes used, and how those that failed ended.
    """

    measured: Measured
    rating: dict[str, Any]
    runs: RunEvidence = RunEvidence()


class Grading:
    """The marks of a course.

    Args:
        course: its folder.
        settings: how it marks.
        seed: the season's.
        say: receives a sentence when a team is measured.
    """

    def __init__(
        self, course: Path, settings: CourseSettings, seed: int, say: Callable[[str], None]
    ) -> None:
        self._course = course
        self._settings = settings
        self._seed = seed
        self._say = say

    def marks(self, teams: HostedFolder) -> Iterator[TeamMark]:
        """Yield the mark of each team in order; what is known is not measured again.

        Args:
            teams: their hand-ins, admitted.

        Raises:
            OSError: when figures cannot be kept.
        """
        for line in teams.report():
            shelf = teams.shelf_of(line["folder"])
            mark = self._mark(line, shelf)
            self._write_feedback(mark, line)
            yield mark

    def _write_feedback(self, mark: TeamMark, line: dict[str, Any]) -> None:
        """Write what a team is to read."""
        file = self._course / mark.evidence if mark.evidence else None
        found = msgspec.json.decode(file.read_bytes(), type=MarkEvidence) if file else None
        rating, runs = (found.rating, found.runs) if found else ({}, RunEvidence())
        refused = "" if line["good"] else line["why"]
        text = feedback(mark, refused, rating, runs)
        write_whole(self._course / FEEDBACK / f"{mark.id}.md", text.encode())

    def _mark(self, line: dict[str, Any], shelf: Shelf) -> TeamMark:
        team, version = line["folder"], shelf.current
        if version is None:
            return TeamMark(id=team, bot=line["name"], version=line["version"], why=line["why"])
        file = self._course / STATE / EVIDENCE / f"{version.version}-{self._key()}.json"
        if not file.exists():
            self._say(f"{team}: measuring {version.name} {version.version}")
            try:
                found = self._measured(version, shelf)
            except PlayerError as error:
                return TeamMark(id=team, bot=version.name, version=version.version, why=str(error))
            write_whole(file, msgspec.json.format(msgspec.json.encode(found)))
        measured = msgspec.json.decode(file.read_bytes(), type=MarkEvidence).measured
        evidence = str(file.relative_to(self._course))
        return mark_of(team, version, measured, self._settings, evidence)

    def _key(self) -> str:
        """Return a hash of all but the version on which a measure depends."""
        settings = self._settings
        parts = (self._seed, settings.positions, settings.games, settings.movetime_s)
        text = f"{parts} {settings.limits}"
        return hashlib.sha256(text.encode()).hexdigest()[:8]

    def _measured(self, version: HostedVersion, shelf: Shelf) -> MarkEvidence:
        runs = shelf.folder(version.version) / RUNS
        runs.unlink(missing_ok=True)
        spec = _spec(version, shelf, self._settings, runs.absolute())
        summary = self._rated(spec, version.name)
        low, high = summary["loss_interval"]
        measured = Measured(
            passed=version.passed,
            failed=len(version.failed),
            loss=summary["loss"],
            loss_low=low,
            loss_high=high,
            elo=summary["elo"],
            elo_error=summary["elo_error"],
            asked=summary["positions"] + summary["games"],
            faults=summary["faults"],
        )
        shown = {name: figure for name, figure in summary.items() if name != "seed"}
        found = run_evidence(runs, self._settings.limits)
        return MarkEvidence(measured=measured, rating=shown, runs=found)

    def _rated(self, spec: str, name: str) -> dict[str, Any]:
        """Return the rating of a player, as ``mancala rate`` has it."""
        from mancala.scripts.rating.answers import answers
        from mancala.scripts.rating.gauntlet import GauntletLimits, meetings
        from mancala.scripts.rating.rating import PlayerRating
        from mancala.scripts.tournament.workers.contest import (
            ExecutorOptions,
            PlayerLimits,
            conditions_of,
            contenders_of,
        )

        settings = self._settings
        limits = PlayerLimits(movetime=settings.movetime_s, margin=MARGIN_S, start_up=START_UP_S)
        conditions = conditions_of("kalah", limits, seed=self._seed)
        (contender,) = contenders_of((f"{name}={spec}",), limits)
        workers = os.cpu_count() or 1
        rating = PlayerRating(name, self._seed, conditions.margin_ms)
        found = answers(contender.spec, conditions, settings.positions, workers=workers)
        rating.answers += sorted(found, key=lambda answer: answer.position.number)
        bounds = GauntletLimits(settings.games // 2)
        for played in meetings(contender.spec, conditions, bounds, ExecutorOptions(workers)):
            rating.meetings += played
        return rating.summary()


def _spec(version: HostedVersion, shelf: Shelf, settings: CourseSettings, runs: Path) -> str:
    """Return a version as a player in the sandbox, whose runs leave their outcomes in a file."""
    program = shelf.program(version.version)
    manifest = manifest_of(read_hand_in(program))
    order = order_for(manifest, program, settings.limits, ladder=LADDER, games=GAMES)
    order = msgspec.structs.replace(order, outcome="", log="", runs=str(runs))
    file = shelf.folder(version.version) / "grade.json"
    write_whole(file, msgspec.json.encode(order))
    command = shlex.join(command_of(file.absolute()))
    if manifest.how.protocol is BotProtocol.CMD:
        return f"cmd:{command}"
    return f"net:{command} {{url}}"

"""A course that is marked, once or again whenever something was handed in.

What a student does to a hand-in never ends the watch: it is refused, and the team's page says why.
What the lecturer does to the course while it is watched is taken up when it has settled; what
cannot be used is said, and the settings before go on. A fault of the machine is said, and what it
stopped is tried again.
"""

import asyncio
from collections.abc import Callable, Collection
from itertools import pairwise
from pathlib import Path

from mancala.protocol.text import written_text

from ..conformance.robot import Times
from ..hosting.admission import Admission
from ..hosting.handin import bare_name
from ..hosting.host import HostedFolder
from ..hosting.retries import RetryLooks
from ..sandbox.machine import NoSandboxError, require_sandbox
from .grading import GradedTeam, Grading
from .marks import TeamMark
from .platforms import ROSTER, Roster, odd_teams, read_roster
from .report import write_report
from .settings import SETTINGS, TEAMS, CourseError, CourseSettings, read_settings, season_seed
from .uploads import CourseUploads


class WatchedCourse:
    """A course and its marks.

    Args:
        folder: the course's folder.
        say: receives a sentence when something changed.
        cluster: address of a Dask scheduler whose workers prove the season's positions.

    Raises:
        CourseError: when it cannot be marked.
        NoSandboxError: when there is no sandbox and its programs need one.
        OSError: when it cannot be read.
    """

    def __init__(
        self, folder: Path, say: Callable[[str], None], *, cluster: str | None = None
    ) -> None:
        self._folder = folder
        self._say = say
        self._cluster = cluster
        self._read = self._seen = self._texts
        self._use(read_settings(folder))
        self._is_stale = False
        self._odd: list[str] = []
        self._fault = ""
        self._retries = RetryLooks()
        self.marks: list[TeamMark] = []
        self._reported: dict[str, object] = {}
        self.uploads = CourseUploads(
            folder,
            lambda: self._teams.names,
            lambda team: self._settings.closes(team),  # noqa: PLW0108  # settings are replaced
            lambda team: self._teams.has_admitted(team),  # noqa: PLW0108  # with the settings
            lambda team: self._teams.has_admitted(team, self._reported),
            self._refuse,
        )

    def mark_all(self, *, watched: bool = False) -> None:
        """Admit all that is handed in or waits, and mark it; what is known is shown first.

        Args:
            watched: whether looks follow, which mark the rest once the settings were edited.
        """
        self._shown()
        asyncio.run(self._teams.admit_all())
        while self.uploads.bring_in():
            asyncio.run(self._teams.admit_all())
        self._mark(watched=watched)

    def look(self) -> None:
        """Take up what changed since the last look, and mark it."""
        try:
            self._take_up_settings()
            self._is_stale |= asyncio.run(self._teams.admit_changed())
            if self._texts == self._read and (self._is_stale or self._retries.is_due(TEAMS)):
                self._mark(watched=True)
            self.uploads.bring_in()
            self._fault = ""
        except (OSError, NoSandboxError) as error:
            if str(error) != self._fault:
                self._say(f"{error}: trying again")
            self._fault = str(error)

    @property
    def _texts(self) -> dict[str, bytes | None]:
        files = (self._folder / name for name in (SETTINGS, ROSTER))
        return {file.name: file.read_bytes() if file.exists() else None for file in files}

    def _take_up_settings(self) -> None:
        """Use the settings as they are now, if they changed and were the same in two looks."""
        texts = self._texts
        is_settled, self._seen = texts == self._seen, texts
        if not is_settled or texts == self._read:
            return
        changed = " and ".join(name for name in texts if texts[name] != self._read[name])
        try:
            self._use(read_settings(self._folder))
        except CourseError as error:
            self._read = texts
            self._say(f"{error}; the settings before it go on")
            return
        self._read = texts
        self._say(f"{changed} changed: what it says counts from now on")
        self._is_stale = True
        asyncio.run(self._teams.admit_all())

    def _use(self, settings: CourseSettings) -> None:
        if settings.limits.isolated:
            require_sandbox()
        teams = self._folder / TEAMS
        if not teams.is_dir():
            raise CourseError(f"{self._folder} has no folder {TEAMS}")
        seed = season_seed(self._folder, settings.season)
        self._grading = Grading(self._folder, settings, seed, self._say, cluster=self._cluster)
        admission = Admission(settings.limits, Times(), closes=settings.closes, by_folder=True)
        self._teams = HostedFolder(teams, admission, self._say)
        self._settings = settings

    def _roster(self) -> Roster | None:
        """Return the students, if there is a list of them; say what is wrong in it, or of teams."""
        file, teams, roster = self._folder / ROSTER, self._teams.names, None
        by_case = pairwise(sorted(map(bare_name, teams), key=str.casefold))
        odd = [f"{self._folder / SETTINGS}: {each}" for each in self._settings.odd_teams(teams)]
        odd += [
            f"{self._folder / TEAMS}: {one} and {other} differ in case alone, and are two teams"
            for one, other in by_case
            if one.casefold() == other.casefold()
        ]
        try:
            if file.exists():
                roster = read_roster(written_text(file.read_bytes()))
                odd += [f"{file}: {each}" for each in odd_teams(roster, teams)]
        except ValueError as error:
            odd.append(f"{file}: {error}")
        for sentence in odd:
            if sentence not in self._odd:
                self._say(sentence)
        self._odd = odd
        return roster

    def _refuse(self, team: str, why: str) -> None:
        self._teams.refuse(team, why)
        self._reported.pop(team, None)
        self._is_stale = True

    def _mark(self, *, watched: bool) -> None:
        """Mark all, and show each team as soon as it is measured: a measure takes minutes."""
        shown = self._shown()
        graded: list[GradedTeam] = []
        for team in self._grading.graded(self._teams):
            graded.append(team)
            if team != shown.get(team.mark.id):
                shown[team.mark.id] = team
                self._write(shown.values())
            if watched and self._texts != self._read:
                self._is_stale = True  # an edit counts before the rest of a class is measured
                self.marks = [each.mark for each in shown.values()]
                return
        if graded != [*shown.values()]:
            self._write(graded)
        self.marks = [team.mark for team in graded]
        self._retries.note(TEAMS, failed=any(mark.unjudged for mark in self.marks))
        self._is_stale = False

    def _shown(self) -> dict[str, GradedTeam]:
        known = {team.mark.id: team for team in self._grading.graded(self._teams, measures=False)}
        self._write(known.values())
        return known

    def _write(self, graded: Collection[GradedTeam]) -> None:
        write_report(self._folder, self._settings, [*graded], roster=self._roster())
        admitted, done = self._teams.admitted, {each.mark.id for each in graded if not each.waits}
        self._reported |= {team: mark for team, mark in admitted.items() if team in done}

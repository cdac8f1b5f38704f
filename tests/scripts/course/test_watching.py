"""A course that is watched: nothing that is handed in or edited ends the watch."""

import csv
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from mancala.scripts.conformance import programs
from mancala.scripts.conformance.verdicts import ConformanceReport, Verdict
from mancala.scripts.course.grading import TO_BE_CHECKED, TO_BE_MEASURED, Grading, MarkEvidence
from mancala.scripts.course.uploads import NOT_SHOWN
from mancala.scripts.course.watching import WatchedCourse
from mancala.scripts.hosting.shelf import STATE
from tests.scripts.course.test_grading import FIGURES

RATING = {
    "phases": {},
    "positions": 1,
    "best_share": 1,
    "games": 0,
    "levels": [],
    "time": {"worst_ms": 0},
}
UNTIL_SETTLED = 2
"""Looks after which a change is taken up."""


class _Watched:
    """A course of a team that handed in nothing, marked once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.team = folder / "teams" / "ada"
        self.team.mkdir(parents=True)
        (folder / "course.toml").write_text("trusted = true\n")
        self.said: list[str] = []
        self.course = WatchedCourse(folder, self.said.append)
        self.course.mark_all()
        self.said.clear()

    def look(self, times: int = UNTIL_SETTLED) -> list[str]:
        for _ in range(times):
            self.course.look()
        said = self.said[:]
        self.said.clear()
        return said

    @property
    def is_behind(self) -> bool:
        """Whether the team's page says that it does not show what was handed in last."""
        (page,) = (self.folder / "public").glob("[0-9a-f]*.html")
        return NOT_SHOWN in (self.course.uploads.page(f"/{page.name}") or b"").decode()

    @property
    def why(self) -> str:
        """The reason in the team's row."""
        (mark,) = self.course.marks
        return mark.why


@pytest.fixture
def watched(tmp_path: Path) -> _Watched:
    return _Watched(tmp_path)


def _two_teams(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    measuring: Callable[[], None],
    checking: Callable[[], None] = lambda: None,
) -> WatchedCourse:
    async def check(*_: object) -> ConformanceReport:
        checking()
        return ConformanceReport("cmd", [Verdict("the rehearsal")])

    def measure(*_: object) -> MarkEvidence:
        measuring()
        return MarkEvidence(measured=FIGURES, rating=RATING)

    monkeypatch.setattr(programs, "check", check)
    monkeypatch.setattr(Grading, "_measured", measure)
    for team in ("ada", "bob"):
        own = folder / "teams" / team
        own.mkdir(parents=True)
        (own / "bot.toml").write_text(f'name = "{team}"\ncommand = "true"\nprotocol = "cmd"\n')
    (folder / "course.toml").write_text("trusted = true\n")
    return WatchedCourse(folder, lambda _: None)


def test_each_team_is_shown_as_soon_as_it_is_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And all pages are there before the first program is looked at: each takes minutes."""
    shown: list[dict[str, str]] = []

    def note() -> None:
        rows = csv.DictReader((tmp_path / "grades.csv").read_text().splitlines())
        shown.append({row["id"]: row["why"] or row["total"] for row in rows})

    _two_teams(tmp_path, monkeypatch, checking=note, measuring=note).mark_all()
    note()
    assert shown[0] == shown[1] == dict.fromkeys(("ada", "bob"), TO_BE_CHECKED)
    assert shown[2] == dict.fromkeys(("ada", "bob"), TO_BE_MEASURED)
    points = shown[4]["ada"]
    assert float(points) > 0
    assert shown[3:] == [{"ada": points, "bob": TO_BE_MEASURED}, {"ada": points, "bob": points}]


def test_an_edit_counts_before_the_rest_of_a_class_is_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Marks that were to be hidden stood on the pages until all of the class was measured."""
    settings, shown = tmp_path / "course.toml", list[str]()

    def edit() -> None:
        shown.append((tmp_path / "feedback" / "ada.md").read_text())
        settings.write_text("trusted = true\npublished = false\n")

    course = _two_teams(tmp_path, monkeypatch, measuring=edit)
    course.mark_all(watched=True)
    assert [mark.unjudged for mark in course.marks] == [False, True]
    for _ in range(UNTIL_SETTLED):
        course.look()
    assert [mark.unjudged for mark in course.marks] == [False, False]
    assert "not published" in shown[1]


def test_settings_that_cannot_be_leave_those_before(watched: _Watched) -> None:
    """The mistake is said once; mended ones are taken up, and the table is made anew."""
    settings, table = watched.folder / "course.toml", watched.folder / "grades.csv"
    table.unlink()
    settings.write_text("positions = many\n")
    said = watched.look(5)
    assert len(said) == 1
    assert said[0].startswith(str(settings))
    assert said[0].endswith("; the settings before it go on")
    assert not table.exists()
    settings.write_text("trusted = true\npositions = 50\n")
    assert "course.toml changed: what it says counts from now on" in watched.look(5)
    assert table.exists()


def test_a_roster_makes_a_file_for_its_platform(watched: _Watched) -> None:
    """It is taken up when it is edited, and what does not fit in it is said."""
    roster = watched.folder / "roster.csv"
    roster.write_text("ID number;team\ns1;ada\ns2;adda\n", encoding="utf-8-sig")
    said = watched.look(3)
    assert said[0] == "roster.csv changed: what it says counts from now on"
    assert said[-1] == f"{roster}: it names a team adda, which is none"
    (line,) = (watched.folder / "moodle.csv").read_text().splitlines()[1:]
    assert line == "s1,0.0,there is no bot.toml: nothing is handed in"
    assert not (watched.folder / "canvas.csv").exists()
    roster.write_text("name;team\nAda;ada\n")
    assert watched.look(3)[-1].startswith(f"{roster}: it has neither Student and ID")


def test_a_misspelt_team_in_the_settings_is_said_once(watched: _Watched) -> None:
    """Its extension or override would count for no team."""
    settings = watched.folder / "course.toml"
    own = '[override]\nadda = { points = 1, comment = "a" }\nada = { points = 1, comment = "a" }\n'
    settings.write_text(f"trusted = true\n{own}")
    assert watched.look(3)[-1] == f"{settings}: override names a team adda, which is none"
    (watched.team / "bot.py").write_text("")
    assert not any("adda" in each for each in watched.look(3))


def test_teams_that_differ_in_case_alone_are_said(watched: _Watched) -> None:
    """A student who hands in as Ada once and as ada then is two teams, each with half a course."""
    (watched.folder / "teams" / "Ada.ZIP").write_bytes(b"")
    assert "Ada and ada differ in case alone, and are two teams" in " ".join(watched.look(3))


def test_settings_that_are_gone_leave_those_before(watched: _Watched) -> None:
    """As some editors do while they write."""
    (watched.folder / "course.toml").unlink()
    (said,) = watched.look(3)
    assert said.endswith("; the settings before it go on")


def test_an_edited_file_counts_when_it_is_whole(watched: _Watched) -> None:
    """One that differs in two looks is still being written."""
    (watched.folder / "course.toml").write_text("trus")
    assert watched.look(1) == []
    (watched.folder / "course.toml").write_text("trusted = true\n")
    assert watched.look(3) == []


def test_an_upload_that_changed_while_it_waited_is_on_the_page(watched: _Watched) -> None:
    """The student's page and the lecturer's terminal say it, until the next hand-in."""
    waiting = watched.folder / "teams" / STATE / "ada" / "waiting" / "000000.zip"
    waiting.parent.mkdir(parents=True)
    waiting.write_bytes(b"PK")
    (said,) = watched.look(1)
    assert watched.is_behind
    watched.look(1)
    assert not watched.is_behind
    assert said.startswith("ada: refused: an upload changed while it waited, and is dropped: ")
    pages = [page.read_text() for page in (watched.folder / "public").iterdir()]
    assert any("an upload changed while it waited" in page for page in pages)
    assert "an upload changed while it waited" in watched.why
    (watched.team / "bot.py").write_text("")
    watched.look()
    assert watched.why == "there is no bot.toml"


def test_a_folder_that_cannot_be_read_is_refused(
    watched: _Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It seemed empty; once it can be read it is looked at again."""
    (watched.team / "bot.py").write_text("")
    listed = os.scandir

    def closed(place: str) -> object:
        if str(place) == str(watched.team):
            raise PermissionError(13, "Permission denied")
        return listed(place)

    with monkeypatch.context() as patched:
        patched.setattr(os, "scandir", closed)
        (watched.team / "more.py").write_text("")
        watched.course.mark_all()
    assert watched.why == "it cannot be read: Permission denied"
    watched.look()
    assert watched.why == "there is no bot.toml"


def test_a_page_is_behind_until_what_was_handed_in_is_marked(watched: _Watched) -> None:
    """What came while others were measured is not taken for what the page says."""
    assert not watched.is_behind
    (watched.team / "bot.py").write_text("")
    assert watched.is_behind
    watched.look(1)
    assert watched.is_behind
    watched.look(1)
    assert not watched.is_behind


def test_settings_wait_for_a_sandbox(watched: _Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    """They were dropped until they were edited again, though nothing was wrong in them."""
    with monkeypatch.context() as patched:
        patched.setenv("PATH", "")
        (watched.folder / "course.toml").write_text("positions = 50\n")
        (said,) = watched.look(4)
        assert said.endswith("or state that they are trusted: trying again")
    monkeypatch.setattr("mancala.scripts.course.watching.require_sandbox", lambda: None)
    assert watched.look(1)[0] == "course.toml changed: what it says counts from now on"


def test_links_that_lead_nowhere_are_refused(watched: _Watched) -> None:
    """A loop of links is no folder, and none is followed."""
    (watched.team / "loop").symlink_to("loop")
    (watched.folder / "teams" / "bob").symlink_to("bob")
    (watched.folder / "teams" / "eve.zip").symlink_to("eve.zip")
    watched.look()
    whys = {mark.id: mark.why for mark in watched.course.marks}
    assert whys.keys() == {"ada", "eve.zip"}
    assert whys["ada"] == "'loop' is a link or a special file"
    assert "link" in whys["eve.zip"]


def test_a_folder_that_is_removed_and_one_that_comes_back(watched: _Watched) -> None:
    """A team that is gone has no row."""
    shutil.rmtree(watched.team)
    watched.look()
    assert watched.course.marks == []
    watched.team.mkdir()
    watched.look()
    assert watched.why == "there is no bot.toml: nothing is handed in"


def test_a_disk_that_is_gone_is_said_once_and_tried_again(watched: _Watched) -> None:
    """The marks stay as they are meanwhile."""
    teams = watched.folder / "teams"
    table = (watched.folder / "grades.csv").read_bytes()
    teams.rename(watched.folder / "elsewhere")
    said = watched.look(4)
    assert len(said) == 1
    assert said[0].endswith(": trying again")
    assert (watched.folder / "grades.csv").read_bytes() == table
    (watched.folder / "elsewhere").rename(teams)
    (watched.team / "bot.py").write_text("")
    watched.look()
    assert watched.why == "there is no bot.toml"


def test_a_fault_of_the_machine_is_tried_again(
    watched: _Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The hand-in that was looked at just then was passed over until it changed."""
    with monkeypatch.context() as patched:

        def opened(_: Path) -> object:
            raise OSError(24, "Too many open files")

        patched.setattr("mancala.scripts.hosting.admission.read_hand_in", opened)
        (watched.team / "bot.py").write_text("")
        watched.look()
        assert watched.why.endswith("a fault of the host, and tried again: Too many open files")
        assert watched.course.marks[0].unjudged
    watched.look()
    assert watched.why == "there is no bot.toml"

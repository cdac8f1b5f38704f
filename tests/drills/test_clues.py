"""A program cannot tell by its surroundings whether it is checked, graded, or at play."""

import asyncio
import json
import shutil
from pathlib import Path

import pytest

from mancala.protocol.loss import ProvenPosition
from mancala.protocol.rules import Board
from mancala.scripts.conformance.robot import Times
from mancala.scripts.course.grading import RUNS, Grading, keep_positions
from mancala.scripts.course.settings import CourseSettings
from mancala.scripts.hosting.admission import Admission
from mancala.scripts.hosting.host import HostedFolder
from mancala.scripts.hosting.playing import HostingTerms
from mancala.scripts.hosting.shelf import Shelf
from mancala.scripts.sandbox.limits import SandboxLimits
from tests import node
from tests.drills.clues import NAME, clues_in, program
from tests.drills.newcomer import SETTINGS
from tests.end_to_end.arena import hosted
from tests.patience import PATIENCE_S
from tests.scripts.commands.results import result_of

LIMITS = SandboxLimits()
COURSE = CourseSettings(positions=2, games=2, movetime_s=5.0)


async def _checked(folder: Path, *, connects: bool) -> HostedFolder:
    if shutil.which("bwrap") is None:
        node.skip("not installed: bubblewrap")
    place = folder / "teams" / NAME
    place.mkdir(parents=True)
    for name, text in program(connects=connects).items():
        (place / name).write_text(text)
    times = Times(move_s=60.0, late_s=PATIENCE_S, come_s=PATIENCE_S)
    only = "hello and welcome" if connects else "the rehearsal"
    host = HostedFolder(folder / "teams", Admission(LIMITS, times, [only]), lambda _: None)
    await host.admit_all()
    (line,) = host.report()
    assert line["good"], line["why"]
    return host


def _version(host: HostedFolder) -> tuple[Shelf, str]:
    shelf = host.shelf_of(NAME)
    assert shelf.current is not None
    return shelf, shelf.current.version


def _clues_of_the_check(host: HostedFolder) -> dict[str, str]:
    shelf, version = _version(host)
    return clues_in((shelf.folder(version) / "log").read_text())


def _clues_of_the_grading(host: HostedFolder, course: Path) -> dict[str, str]:
    kept = [ProvenPosition(n, "early", Board.start().text, {0: 0, 1: -2}) for n in range(2)]
    keep_positions(course, COURSE.season, 7, kept)
    list(Grading(course, COURSE, 7, lambda _: None).graded(host))
    shelf, version = _version(host)
    runs = (shelf.folder(version) / RUNS).read_text().splitlines()
    return clues_in(json.loads(runs[0])["stderr"])


@pytest.mark.parametrize("connects", [False, True])
async def test_a_grading_looks_like_a_check(tmp_path: Path, *, connects: bool) -> None:
    """Its words, environment, files, limits, processes and open files are the same."""
    host = await _checked(tmp_path, connects=connects)
    checked = _clues_of_the_check(host)
    assert _clues_of_the_grading(host, tmp_path) == checked


async def test_play_looks_like_a_check(tmp_path: Path) -> None:
    """On another ladder, and where its bot has a token, too."""
    host = await _checked(tmp_path, connects=False)
    checked = _clues_of_the_check(host)
    club_folder = tmp_path / "club"
    club_folder.mkdir()
    store = str(club_folder / "arena.sqlite3")
    async with hosted(club_folder, SETTINGS) as club:
        issued = await asyncio.to_thread(result_of, "token", "new", NAME, "--store", store)
        # It is let in and plays: who is refused may be ended before it has looked about.
        tokens = {NAME: issued["token"]}
        terms = HostingTerms(url=club.url, ladder="main", games=1, limits=LIMITS, tokens=tokens)
        await host.play_once(terms)
    (line,) = host.report()
    assert line["runs"][0]["exit_code"] == 0, line["runs"]
    assert clues_in(line["runs"][0]["stderr"]) == checked

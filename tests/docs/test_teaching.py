"""The course of docs/teaching.md: each exercise is failed by the program that it is to exclude."""

import re
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Final

import msgspec
import pytest

from mancala.protocol.levels import LEVEL_ELO
from mancala.protocol.loss import ProvenPosition
from mancala.protocol.rules import Board
from mancala.scripts.course.exercises import results_of
from mancala.scripts.course.measured import Measured
from mancala.scripts.course.mistakes import judged, starters_pit
from mancala.scripts.course.settings import CourseSettings, read_settings
from mancala.scripts.course.tree_search import TreeAnswer, TreeSearch, solution, trees_of
from mancala.server.contest.rate.answers import PositionAnswer
from tests.sources import ROOT

TEXT: Final = (ROOT / "docs" / "teaching.md").read_text()
SEASON: Final = [
    msgspec.json.decode(line, type=ProvenPosition)
    for line in (ROOT / "tests" / "data" / "season.jsonl").read_bytes().splitlines()
]
"""Proven positions of a season, with what searches to a depth (in sowings) choose in each."""
SOUND: Final = Measured(
    passed=7, failed=0, loss=0, loss_low=0, loss_high=0, elo=None, elo_error=None, asked=340
)
LATE: Final = msgspec.structs.replace(SOUND, faults={"timeout": 1})


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> CourseSettings:
    folder = tmp_path_factory.mktemp("course")
    found = re.search(r"```toml\n(# course\.toml\n.*?)```", TEXT, re.DOTALL)
    assert found is not None
    (folder / "course.toml").write_text(found[1])
    return read_settings(folder)


def _pits(program: str) -> list[int]:
    """Return what a program answers in the season's positions."""
    boards = [Board.from_text(each.board) for each in SEASON]
    match program:
        case "the starter":
            return [starters_pit(board) for board in boards]
        case "the last pit":
            return [board.legal()[-1] for board in boards]
        case _:
            return [each.choices[program][0] for each in SEASON]


def _at_level(level: float) -> Measured:
    """Return what is measured of a sound program at a level, give or take one."""
    low, high = LEVEL_ELO[int(level) - 1 : int(level) + 1]
    elo = low + (level - int(level)) * (high - low)
    return msgspec.structs.replace(SOUND, elo=elo, elo_error=high - low)


def _solved(search: TreeSearch) -> list[TreeAnswer]:
    found = ((tree, *solution(tree, search)) for tree in trees_of(7))
    return [TreeAnswer(tree, f"{value:g} {visited}") for tree, value, visited in found]


ALPHABETA: Final = _solved(TreeSearch.ALPHABETA)


def _passed(
    settings: CourseSettings,
    program: str,
    found: Measured = SOUND,
    trees: Sequence[TreeAnswer] = ALPHABETA,
) -> set[int]:
    """Return the numbers of the exercises that a program passes that solves trees."""
    answers = [
        judged(PositionAnswer(position, pit))
        for position, pit in zip(SEASON, _pits(program), strict=True)
    ]
    results = results_of(settings.exercises, found, answers, trees)
    return {int(each.name.split()[0]) for each in results if each.passed}


@pytest.mark.parametrize(
    ("exercise", "excluded", "intended"),
    [
        (3, "the last pit", "the starter"),
        (3, "depth 1", "the starter"),
        (4, "the starter", "depth 1"),
        (5, "depth 1", "depth 2"),
        (5, "the starter", "depth 2"),
        (6, "depth 2", "depth 4"),
        (6, "the starter", "depth 4"),
        (8, "depth 4", "depth 8"),
        (9, "depth 6", "depth 10"),
        (10, "depth 10", ""),
    ],
)
def test_an_exercise_is_failed_by_what_it_excludes(
    settings: CourseSettings, exercise: int, excluded: str, intended: str
) -> None:
    """And passed by what it asks for; the end of the game by none that does not play it out."""
    assert exercise not in _passed(settings, excluded)
    assert not intended or exercise in _passed(settings, intended)


@pytest.mark.parametrize(
    ("exercise", "excluded"),
    [
        (1, msgspec.structs.replace(SOUND, passed=6, failed=1)),
        (2, LATE),
        (7, _at_level(6.3)),
        (8, LATE),
    ],
)
def test_an_exercise_is_failed_by_what_is_unsound_or_weak(
    settings: CourseSettings, exercise: int, excluded: Measured
) -> None:
    """A situation of check-bot failed, an answer late, and the level of a search to depth 4."""
    assert exercise not in _passed(settings, "depth 10", excluded)
    assert exercise in _passed(settings, "depth 10", _at_level(8.3))


@pytest.mark.parametrize("trees", [(), _solved(TreeSearch.MINIMAX)])
def test_the_sixth_exercise_marks_the_search(
    settings: CourseSettings, trees: Sequence[TreeAnswer]
) -> None:
    """Play as good as that of a search is none, and minimax is not alpha-beta."""
    assert 6 not in _passed(settings, "depth 10", trees=trees)
    assert 6 in _passed(settings, "depth 10")


def test_the_table_has_what_the_programs_lose(settings: CourseSettings) -> None:
    """The last column is what each passes here, where its level is that of the table."""
    rows: Mapping[str, str] = {
        row.split("|")[1].strip(): row for row in TEXT.splitlines() if row.startswith("| ")
    }
    for program in (
        "depth 1",
        "the starter",
        "depth 2",
        "depth 4",
        "depth 6",
        "depth 8",
        "depth 10",
    ):
        cells = [cell.strip() for cell in rows[program].split("|")]
        passed = _passed(settings, program, _at_level(float(cells[7])))
        assert cells[8] == ", ".join(map(str, sorted(passed))), program
        losses = [each.loss(pit) for each, pit in zip(SEASON, _pits(program), strict=True)]
        assert cells[2] == f"{fmean(losses):.1f}", program

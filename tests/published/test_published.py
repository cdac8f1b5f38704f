"""The table of published programs, and the differences that it states."""

import random
from itertools import accumulate
from pathlib import Path

import pytest

from docs import tables
from mancala.protocol.rules import Board
from tests.published.__main__ import GAMES, HEADING, PAGE, PUBLISHED, main
from tests.published.comparison import SAME, Shown, differences, random_game, summary
from tests.seeds import seed
from tests.world.programs import ProgramError

WITHOUT_PACKAGE = "Manchester's engine (7,7)"


def _shown(moves: list[tuple[int, int]]) -> list[Shown]:
    pits = (pit for _, pit in moves)
    boards = accumulate(pits, lambda board, pit: board.sow(pit).board, initial=Board.start())
    return [
        Shown(
            *(list(board.pits[0]), list(board.pits[1]), list(board.stores)),
            None if board.is_over else board.player,
            (board.score() > 0) - (board.score() < 0) if board.is_over else None,
        )
        for board in boards
    ]


def test_each_program_has_its_row() -> None:
    """It names the package in the version that is tried, how many games, and how to play."""
    chapter = PAGE.read_text().partition(f"## {HEADING}")[2].partition("\n## ")[0]
    rows = {
        row[0]: row[1:] for line in chapter.splitlines() if (row := line[2:-2].split(" | "))[1:]
    }
    assert rows.keys() - {"program", "---"} == {*PUBLISHED, WITHOUT_PACKAGE}
    for name, program in PUBLISHED.items():
        package, version = program.package.split("==")
        games = f", {GAMES // program.share:,} games" if program.file else ""
        assert rows[name][0] == f"{program.registry} `{package}` {version}{games}"
        assert rows[name][-1] == program.how


def test_a_program_that_is_not_fetched_fails_its_row_alone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The next one is tried; only the row of a whole run that is as declared is written."""
    page = tmp_path / "page.md"
    page.write_text(PAGE.read_text())
    cells = ("PyPI `pgx` 9.9", "none", "", "", "", "none", "")

    def tried(name: str, *_: int, newest: bool) -> tuple[tuple[str, ...], bool]:
        del newest
        if name == "textarena":
            raise ProgramError("no answer")
        return cells, name == "pgx"

    monkeypatch.setattr("tests.published.__main__.PAGE", page)
    monkeypatch.setattr("tests.published.__main__.tried", tried)
    names = ["textarena", "PettingZoo", "pgx"]
    main(names, games=30)
    assert page.read_text() == PAGE.read_text()
    report = main(names)
    assert report.promises == {"textarena": False, "PettingZoo": False, "pgx": True}
    assert report.figures["textarena"] == "not tried: no answer"
    assert page.read_text() == tables.with_row(PAGE.read_text(), HEADING, ("pgx", *cells))


def test_a_row_is_written_in_its_place() -> None:
    """One line changes, and no other."""
    before, cells = PAGE.read_text(), ("PyPI `pgx` 9.9", "none", "", "", "", "none", "")
    after = tables.with_row(before, HEADING, ("pgx", *cells))
    pairs = zip(before.splitlines(), after.splitlines(), strict=True)
    assert [new for old, new in pairs if old != new] == [
        "| pgx | PyPI `pgx` 9.9 | none |  |  |  | none |  |"
    ]


def test_a_new_row_comes_last_in_its_table() -> None:
    """Not behind what is written below the table."""
    row = "| new | PyPI `new` 1 | none |  |  |  | none |  |"
    lines = tables.with_row(PAGE.read_text(), HEADING, row[2:-2].split(" | ")).splitlines()
    at = lines.index(row)
    assert lines[at - 1].startswith("| ")
    assert lines[at + 1] == ""


def test_a_program_of_our_rules_differs_in_nothing() -> None:
    """Random games, each to its end."""
    rng = random.Random(seed())
    games = [random_game(rng) for _ in range(20)]
    found = [differences(moves, _shown(moves)) for moves in games]
    assert set(summary(found).values()) == {SAME}


def test_each_difference_is_found_and_said() -> None:
    """A turn, an early end, a result, a sowing refused and another board."""
    moves = random_game(random.Random(seed()))
    shown = _shown(moves)
    turned = shown[1]._replace(player=1 - (shown[1].player or 0))
    assert "after sowing 1" in differences(moves, [shown[0], turned, *shown[2:]])["turn"]
    over = shown[3]._replace(player=None)
    assert differences(moves, [*shown[:3], over])["end"].startswith("after sowing 3 over at ")
    ended = shown[-1]._replace(result=None)
    assert differences(moves, [*shown[:-1], ended])["result"].startswith("no result, here ")
    assert "refuses" in differences(moves, shown[:4])["end"]
    other = shown[2]._replace(stores=[9, 9])
    found = differences(moves, [*shown[:2], other])
    assert found == {"board": f"after sowing 2 stores 9 9, here {_plain(shown[2].stores)}"}
    assert summary([found])["turn"] == ""


def _plain(seeds: list[int]) -> str:
    return " ".join(map(str, seeds))

"""The table of published programs, and the differences that it states."""

from __future__ import annotations

import random
from itertools import accumulate

from mancala.protocol.rules import Board
from tests.peers.__main__ import HEADING, LINES, PAGE, PEERS, in_table
from tests.peers.comparison import SAME, Shown, differences, random_game, summary
from tests.seeds import seed

WITHOUT_PACKAGE = "Manchester's engine (7,7)"


def _shown(moves: list[tuple[int, int]]) -> list[Shown]:
    """Return what a program of our rules shows."""
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
    """What is tried, and the one engine that no registry has, is in the table of the docs."""
    chapter = PAGE.read_text().partition(HEADING)[2].partition("\n## ")[0]
    names = [found[1] for found in LINES.finditer(chapter)]
    assert set(names) - {"program", "---"} == {*PEERS, WITHOUT_PACKAGE}


def test_a_row_is_written_in_its_place() -> None:
    """One line changes, and no other."""
    before, cells = PAGE.read_text(), ("PyPI `pgx` 9.9", "none", "", "", "", "none", "")
    after = in_table(before, "pgx", cells)
    pairs = zip(before.splitlines(), after.splitlines(), strict=True)
    assert [new for old, new in pairs if old != new] == [
        "| pgx | PyPI `pgx` 9.9 | none |  |  |  | none |  |"
    ]


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

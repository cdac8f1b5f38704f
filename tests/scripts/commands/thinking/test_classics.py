"""The textbooks' tables: who plays whom, what is counted, and how it is printed."""

import json
from functools import partial

from mancala.protocol.rules import Board, Rules
from mancala.scripts.commands.thinking.classics import depth_table, opponents_table
from tests.scripts.commands.results import run as run_command

run = partial(run_command, "classics")


def test_the_lectures_four_pairings_are_played() -> None:
    """Both players meet both opponents, and repeat their games with the same seed."""
    start = Board.start(Rules(pits=4, seeds=3))
    tables = [list(opponents_table(games=6, depth=2, seed=3, start=start)) for _ in range(2)]
    assert tables[0] == tables[1]
    assert [(cell.player, cell.opponent, cell.games) for cell in tables[0]] == [
        ("minimax", "minimising", 6),
        ("minimax", "random", 6),
        ("expectimax", "minimising", 6),
        ("expectimax", "random", 6),
    ]


def test_a_score_is_the_players_in_either_seat() -> None:
    """Every second game the opponent begins, and a win against chance is still a win."""
    cells = opponents_table(games=8, depth=2, seed=1, start=Board.start())
    against_random = [cell for cell in cells if cell.opponent == "random"]
    assert all(cell.won >= 7 and cell.average_score > 5 for cell in against_random)


def test_kalah_4_7_shows_the_lecture_s_outcome() -> None:
    """Expectimax loses to the minimising opponent, minimax wins; luck pays against random play."""
    start = Board.start(Rules(pits=4, seeds=7))
    cells = opponents_table(games=10, depth=4, seed=1, start=start)
    score = {(cell.player, cell.opponent): cell.average_score for cell in cells}
    assert score["minimax", "minimising"] > 0 > score["expectimax", "minimising"]
    assert score["expectimax", "random"] > score["minimax", "random"] > 0


def test_pruning_finds_the_same_with_less() -> None:
    """The unpruned counts of the notebook, and fewer positions with pruning from depth 2 on."""
    rows = list(depth_table(Board.start(), depth=5, unpruned=4))
    assert [row.minimax.nodes for row in rows if row.minimax] == [12, 142, 1282, 12215]
    assert all(row.alphabeta.nodes < row.minimax.nodes for row in rows[1:] if row.minimax)
    assert (rows[4].minimax, rows[4].best, rows[4].value) == (None, [5], 6)


def test_depth_prints_one_object() -> None:
    """With --json, stdout is one object with a row a depth."""
    code, out, _ = run("depth", "--depth", "3", "--unpruned", "2", "--json")
    table = json.loads(out)
    assert code == 0
    assert [row["depth"] for row in table["rows"]] == [1, 2, 3]
    assert table["rows"][1]["minimax"]["nodes"] == 142
    assert table["rows"][2]["minimax"] is None


def test_opponents_prints_one_object() -> None:
    """With --json, stdout is one object with the four cells and what repeats them."""
    code, out, _ = run(
        *("opponents", "--games", "2", "--depth", "1", "--rules", "kalah:pits=3,seeds=2", "--json")
    )
    table = json.loads(out)
    assert code == 0
    assert table["rules"] == "kalah:pits=3,seeds=2"
    assert [cell["games"] for cell in table["cells"]] == [2, 2, 2, 2]


def test_a_person_reads_a_line_for_each() -> None:
    """Without --json, the tables are lines of text."""
    assert "1,282" in run("depth", "--depth", "3")[1]
    lines = run("opponents", "--games", "2", "--depth", "1", "--rules", "kalah:pits=3")[1]
    assert lines.count("average score") == 4

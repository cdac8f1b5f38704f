"""``mancala import``: lists of moves become records that other commands read."""

import json
from functools import partial
from pathlib import Path

import pytest

from mancala.engine.game_reviews import read_records
from tests.protocol.test_record import ARTICLE
from tests.scripts.commands.results import run as run_command

run = partial(run_command, "import")


def test_the_articles_list_becomes_a_record() -> None:
    """The line as the article prints it, label and all: Player 2 wins 33 to 15."""
    line = f"Players' moves : {ARTICLE}\n"
    code, out, _ = run("--numbering", "article", "--json", stdin=line)
    (game,) = json.loads(out)["games"]
    assert code == 0
    assert (game["game"], game["result"]["winner"], game["result"]["stores"]) == (
        "Players' moves",
        1,
        [15, 33],
    )
    assert game["moves"][:3] == [
        {"player": 0, "pit": 2},
        {"player": 0, "pit": 4},
        {"player": 1, "pit": 1},
    ]


def test_records_are_written_for_other_commands(tmp_path: Path) -> None:
    """The file holds a record a line, and reading it gives the games back."""
    games = tmp_path / "games.txt"
    games.write_text(f"{ARTICLE}\n\nopening: 3 1 11\n")
    out = tmp_path / "games.jsonl"
    options = ("--numbering", "article", "--players", "Agent", "Me", "--output", str(out))
    assert run(str(games), *options)[0] == 0
    first, second = read_records(out)
    assert (len(first.moves), len(second.moves)) == (len(ARTICLE), 3)
    assert second.game == "opening"
    assert second.result is None
    assert [player.name for player in first.players] == ["Agent", "Me"]


def test_the_lists_of_each_players_moves_are_one_game() -> None:
    """The article prints its agent's moves, its author's, and both: they are the same game."""
    lists = [number for number in ARTICLE if number < 6], [each for each in ARTICLE if each > 6]
    options = ("--numbering", "article", "--json")
    code, out, _ = run(*options, "--sides", stdin=f"Agent: {lists[0]}\nMe: {lists[1]}\n")
    _, whole, _ = run(*options, stdin=f"Agent: {ARTICLE}\n")
    assert code == 0
    assert json.loads(out) == json.loads(whole)


def test_own_pits_of_each_player_are_one_game() -> None:
    """The first list is of the player that begins."""
    code, out, _ = run("--sides", stdin="2 5\n0\n")
    assert code == 0
    assert out.splitlines()[-1] == "2-5 0"


@pytest.mark.parametrize(
    ("arguments", "stdin", "what"),
    [
        (("--sides",), "2 5", "stdin, line 1: the other player's list is missing"),
        (("--sides",), "2 5\n0\n3", "stdin, line 3: the other player's list is missing"),
        (
            ("--sides",),
            "2\n0",
            "stdin, line 1: at ply 1, the moves: the record says the end, but Player 1 ",
        ),
        (("--sides",), "2 2\n0", "stdin, line 1: at ply 1, the pit sown"),
        (("--numbering", "article"), "[3, 3]", "stdin, line 1: at ply 1, the pit sown"),
        (("--numbering", "article"), "[3]\n[6]", "stdin, line 2: 6 is not the number of a pit"),
        ((), "2 2", "at ply 1, the pit sown: the record says 2"),
        ((), "e2 e4", "stdin, line 1: not a list of moves"),
        ((), "9" * 5000, "not a list of moves"),
        ((), "\n", "no list of moves found"),
        (("--rules", "chess"), "1", "known: kalah"),
        (("/no/such/file",), "", "/no/such/file: no such file"),
    ],
)
def test_bad_input_is_named(arguments: tuple[str, ...], stdin: str, what: str) -> None:
    """One line on stderr with list and ply, exit code 2, nothing on stdout."""
    code, out, err = run(*arguments, "--json", stdin=stdin)
    assert (code, out) == (2, "")
    assert what in err


def test_a_pit_of_the_other_player_is_named() -> None:
    """In the article's ring a number says whose pit it is."""
    code, _, err = run("--numbering", "article", "--sides", stdin="3 1\n11 2\n")
    assert code == 2
    assert "2 is no pit of Player 2" in err


def test_own_pits_need_no_seat() -> None:
    """Who moves follows from the rules: pit 2 moves again, pit 5 passes the turn."""
    code, out, _ = run(stdin="2 5 0")
    assert code == 0
    assert '[rules "kalah"]' in out
    assert out.splitlines()[-1] == "2-5 0"

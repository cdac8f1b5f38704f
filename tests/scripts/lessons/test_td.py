"""The lesson on learning."""

import json
from pathlib import Path

from mancala.bot.players.registry import make_player
from mancala.protocol.rules import Board
from tests.scripts.lessons.running import run


def test_a_learner_comes_to_beat_greedy(tmp_path: Path) -> None:
    """It loses nearly all games at first and wins most after 150 of self-play."""
    path = tmp_path / "weights.json"
    code, out, _ = run(*("td", "--games", "150", "--tests", "40", "--output", str(path), "--json"))
    rows = json.loads(out)["rows"]
    assert code == 0
    assert rows[0]["score"] < 0.2
    assert rows[-1]["score"] > 0.5
    assert rows[-1]["lead"] > 0
    player = make_player(f"alphabeta:depth=2,weights={path}")
    assert player.choose(Board.start()).pit in Board.start().legal()


def test_the_same_seed_learns_the_same() -> None:
    """On a small board, on two occasions."""
    options = ("--games", "5", "--tests", "2", "--rules", "kalah:pits=3,seeds=2", "--json")
    assert run("td", *options) == run("td", *options)
    assert run("td", *options, "--seed", "2") != run("td", *options)

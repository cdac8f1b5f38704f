"""The duel with the textbook player: it plays by the rules and searches as it says."""

import shutil

import pytest

from mancala.engine.search.engine import Engine, EngineOptions, Limit
from mancala.protocol.rules import Board, Rules
from mancala.scripts.bench.search.wide import DuelLimits, Textbook, TextbookDuel, measured

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="needs a C compiler")


@pytest.mark.parametrize("text", ["<3,0,0,3,3,3,3,3,3>", "<8,0,0,0,0,1,0,2,0,0,1,0,0,0,3,0,1,0,2>"])
def test_the_textbook_player_finds_the_exact_value(text: str) -> None:
    """Where it can search to the end, its value is the one that the engine proves."""
    pits = int(text[1])
    board = Board.from_text(text, Rules(pits=pits))
    textbook = Textbook()
    proven = Engine(options=EngineOptions(book=False)).analyse(board, Limit(nodes=2_000_000))
    assert proven.exact
    assert textbook.think(board, nodes=300_000).value == proven.value


def test_the_engine_beats_the_textbook_on_a_wide_board() -> None:
    """At an equal and small number of positions, from openings that both sides play."""
    limits = DuelLimits(seconds=0, nodes=2000, textbook_nodes=2000)
    duel = TextbookDuel(Rules(pits=8, seeds=8), EngineOptions(book=False), limits)
    found = measured(duel, pairs=6, seed=1, band=4)
    assert found["score"] >= 0.7
    assert found["games"] == 12
    assert found["textbook"]["nodes"] <= 2000

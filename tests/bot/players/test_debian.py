"""Debian's ``mancala`` as a player, beside a program that speaks as it.

``make peers`` plays the real one.
"""

import random
import sys
from pathlib import Path

import pytest

from mancala.bot.players.registry import check_spec, make_player
from mancala.bot.players.spec import SpecError
from mancala.protocol.player import Player, PlayerError
from mancala.protocol.rules import Board, Rules
from tests.seeds import seed
from tests.sources import ROOT

SOURCE = """#!{python}
import sys
sys.path.insert(0, {root!r})
from mancala.protocol.rules import Board, Rules
top, bottom, seeds = sys.argv[1:]
board = Board.start(Rules(seeds=int(seeds)))
own = 0 if top == "3" else 1
while not board.is_over:
    side = ("top", "bottom")[board.player]
    if board.player == own:
        pit = board.legal()[-1]
        print(f"Move for player at {{side}}: {{'ABCDEF'[pit]}}", flush=True)
    else:
        letter = sys.stdin.readline().strip()
        if not letter:
            break
        pit = "ABCDEF".index(letter)
        print(f"Move for player at {{side}}: ", flush=True)
    board = board.sow(pit).board
"""


@pytest.fixture(name="program")
def _program(tmp_path: Path) -> Path:
    program = tmp_path / "mancala"
    program.write_text(SOURCE.format(python=sys.executable, root=str(ROOT)))
    program.chmod(0o755)
    return program


def _play(player: Player, seat: int, board: Board, rng: random.Random) -> Board:
    player.new_game(1)
    while not board.is_over:
        if board.player == seat:
            pit = player.choose(board).pit
            assert pit == board.legal()[-1]
        else:
            pit = rng.choice(board.legal())
        board = board.sow(pit).board
    return board


@pytest.mark.parametrize("seat", [0, 1])
def test_it_plays_whole_games_from_their_start(program: Path, seat: int) -> None:
    """It hears the other player's pits as letters, also after further turns."""
    player = make_player(f"debian-mancala:level=3,program={program}")
    rng = random.Random(seed())
    for seeds in (4, 6):
        assert _play(player, seat, Board.start(Rules(seeds=seeds)), rng).is_over
    player.close()


@pytest.mark.parametrize(
    "board",
    [
        Board.from_text("<6,3,5,7,5,0,1,6,0,0,0,7,3,2,9>"),
        Board.start(Rules(pits=4)),
        Board.start(Rules(relap=True)),
        Board.start(Rules(seeds=11)),
    ],
)
def test_other_games_are_refused_in_words(program: Path, board: Board) -> None:
    """The program would play its own game from its start."""
    player = make_player(f"debian-mancala:program={program}")
    with pytest.raises(PlayerError, match="each game from its start: name --openings start"):
        player.choose(board)


def test_a_program_that_ends_or_is_missing_is_named(tmp_path: Path) -> None:
    """Instead of waiting for it."""
    player = make_player("debian-mancala:program=/bin/true")
    with pytest.raises(PlayerError, match="/bin/true"):
        player.choose(Board.start())
    player.close()
    with pytest.raises(SpecError, match="apt install mancala brings it"):
        check_spec(f"debian-mancala:program={tmp_path / 'none'}")

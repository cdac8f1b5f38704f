"""Clients of the Kalah Game Protocol as programs of section 13."""

import sys
from collections.abc import Iterator

import pytest

from mancala.bot.adapters.dialogue import ProgramQuestion
from mancala.bot.adapters.kgp import NO_PIT, AdaptedKgpClient
from mancala.protocol.rules import Board
from tests.patience import PATIENCE_S

CLIENT = """import re, socket, sys
host, port = sys.argv[1].removeprefix("tcp://").split(":")
link = socket.create_connection((host, int(port)))
lines = link.makefile("r", newline="\\r\\n")
def say(text): link.sendall(text.encode() + b"\\r\\n")
for line in lines:
    number, name, *rest = line.split()
    if name == "kgp": say("mode freeplay"); say("1 ping")
    if name == "state":
        size, *numbers = map(int, rest[0].strip("<>").split(","))
        holes = [hole for hole in range(1, size + 1) if numbers[hole + 1]]
        say(f"@9999 move {holes[-1]}")
        if size != 3: say(f"@{number} move {holes[0]}")
        if size != 3 and size != 4: say(f"@{number} yield")
    if name == "goodbye": break
"""


@pytest.fixture
def player() -> Iterator[AdaptedKgpClient]:
    """A client that names the first legal hole, warmed up."""
    found = AdaptedKgpClient([sys.executable, "-c", CLIENT, "{url}"])
    found.warm_up()
    yield found
    found.close()


def _question(text: str, budget_s: float = PATIENCE_S) -> ProgramQuestion:
    return ProgramQuestion(Board.from_text(text), round(1000 * budget_s), "g", 0, pie=False)


def test_a_client_answers_states(player: AdaptedKgpClient) -> None:
    """Its pings are answered; a move for another question does not count."""
    assert player.answer(_question("<2,0,0,0,3,1,1>")) == "1"
    assert player.answer(_question("<6,0,0,4,4,4,4,4,4,4,4,4,4,4,4>")) == "0"


def test_the_last_move_before_the_time_is_up_counts(player: AdaptedKgpClient) -> None:
    """A client that named none has answered nothing, and is asked on."""
    assert player.answer(_question("<3,0,0,1,1,1,1,1,1>", 0.01)) == NO_PIT
    assert player.answer(_question("<2,0,0,0,3,1,1>")) == "1"


def test_a_client_that_ends_is_named() -> None:
    """The sentence goes to stderr, so it stands beside the game."""
    leaves = CLIENT.replace("if name ==", "break\n    if", 1)
    player = AdaptedKgpClient([sys.executable, "-c", leaves, "{url}"])
    with pytest.raises(SystemExit, match="closed the connection"):
        player.warm_up()
    player.close()

"""What the tests of players share."""

from collections.abc import Callable, Iterator

import pytest

from mancala.bot.players.registry import make_player
from mancala.protocol.player import Player


@pytest.fixture
def made() -> Iterator[Callable[[str], Player]]:
    players: list[Player] = []

    def make(spec: str) -> Player:
        players.append(make_player(spec))
        return players[-1]

    yield make
    for player in players:
        player.close()

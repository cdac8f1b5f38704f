"""OpenSpiel's searches as players, where it is missing; make peers has them play."""

import pytest

from mancala.bot.players.registry import make_player
from mancala.bot.players.spec import SpecError


@pytest.mark.parametrize("name", ["openspiel-mcts", "openspiel-alphabeta"])
def test_openspiels_searches_say_what_to_install(name: str) -> None:
    """No extra brings it."""
    with pytest.raises(SpecError, match="pip install open_spiel"):
        make_player(name)

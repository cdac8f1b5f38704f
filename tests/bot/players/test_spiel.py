"""The game of OpenSpiel, over classes that stand in for those of its own."""

import copy
import importlib
import random
import sys
import types
from collections.abc import Iterator
from typing import Any
from unittest.mock import MagicMock

import pytest

from mancala.bot.players.openspiel_state import TERMINAL, counts
from mancala.protocol.rules import KALAH, Board, Rules
from tests.seeds import seed


class StandInGame:
    """What `SpielGame` takes from ``pyspiel.Game``."""

    def __init__(self, _type: object, info: types.SimpleNamespace, _params: object) -> None:
        self.info = info


class StandInState:
    """What `SpielState` takes from ``pyspiel.State``."""

    def __init__(self, game: object) -> None:
        self.game = game

    def legal_actions(self) -> list[int]:
        state: Any = self
        return [] if state.is_terminal() else state._legal_actions(state.current_player())

    def apply_action(self, action: int) -> None:
        state: Any = self
        state._apply_action(action)


class StandInBot:
    """What `ArenaBot` takes from ``pyspiel.Bot``."""


@pytest.fixture(name="spiel")
def spiel_(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    pyspiel, observation = MagicMock(), MagicMock()
    pyspiel.Game, pyspiel.State, pyspiel.Bot = StandInGame, StandInState, StandInBot
    pyspiel.GameInfo = types.SimpleNamespace
    monkeypatch.setitem(sys.modules, "pyspiel", pyspiel)
    for name in ("open_spiel", "open_spiel.python", "open_spiel.python.observation"):
        monkeypatch.setitem(sys.modules, name, observation)
    yield importlib.import_module("mancala.bot.players.spiel")
    del sys.modules["mancala.bot.players.spiel"]


RULES = [
    ({}, "kalah"),
    ({"pits": 3, "seeds": 2, "capture": "always"}, "kalah-empty-capture:pits=3,seeds=2"),
    ({"relap": True, "majority": True}, "article"),
]


@pytest.mark.parametrize(("params", "rules"), RULES)
def test_games_are_those_of_the_rules(spiel: Any, params: dict[str, Any], rules: str) -> None:  # noqa: ANN401  # a module
    """Players, actions, boards and results are those of boards sown one by one."""
    rng = random.Random(seed())
    game = spiel.SpielGame(params)
    assert game.rules == Rules.parse(rules)
    assert game.info.num_distinct_actions == 2 * game.rules.pits + 2
    state, board, plies = game.new_initial_state(), Board.start(game.rules), 0
    while not board.is_over:
        assert state.current_player() == board.player
        first = 1 + board.player * (game.rules.pits + 1)
        assert state.legal_actions() == [first + pit for pit in board.legal()]
        pit, copied = rng.choice(board.legal()), copy.deepcopy(state)
        state.apply_action(first + pit)
        board, plies = board.sow(pit).board, plies + 1
        assert state.position.board.settled() == board
        assert str(copied) != str(state)
    assert state.is_terminal()
    assert state.current_player() == TERMINAL
    margin = board.score(0)
    assert state.returns() == [(margin > 0) - (margin < 0), (margin < 0) - (margin > 0)]
    assert plies <= game.info.max_game_length


def test_both_players_see_the_seeds_and_whose_turn_it_is(spiel: Any) -> None:  # noqa: ANN401  # a module
    """The observation holds the holes by their numbers, the player and the move's number."""
    state = spiel.SpielGame().new_initial_state()
    observer = spiel.SpielGame().make_py_observer()
    for number, (action, player) in enumerate(((1, 0), (8, 1))):
        observer.set_from(state, 0)
        assert observer.tensor.tolist() == [*counts(state.position.board), player, number]
        assert f"Current player: {player}" in observer.string_from(state, 1)
        state.apply_action(action)


def test_an_observer_of_all_that_was_played_is_openspiels(spiel: Any) -> None:  # noqa: ANN401  # a module
    """Ours has no memory."""
    asked = types.SimpleNamespace(public_info=True, perfect_recall=True)
    observer = spiel.SpielGame().make_py_observer(asked, {})
    assert not isinstance(observer, spiel.SeedsObserver)


def test_players_of_this_program_are_bots(spiel: Any) -> None:  # noqa: ANN401  # a module
    """They answer with the pit's number, for states of this game and of OpenSpiel's own."""
    state = spiel.SpielGame().new_initial_state()
    bot = spiel.ArenaBot("greedy")
    state.apply_action(1)
    own = MagicMock()
    own.observation_tensor.return_value = [float(each) for each in counts(state.position.board)]
    own.current_player.return_value = 1
    assert spiel.board_of(own) == state.position.board
    action = bot.step(state)
    assert action in state.legal_actions()
    assert bot.step(own) == action
    bot.restart_at(state)
    assert bot.step(state) == action


def test_a_bot_that_is_restarted_repeats_its_game(spiel: Any) -> None:  # noqa: ANN401  # a module
    """Its random choices follow from its seed."""
    state, bot = spiel.SpielGame().new_initial_state(), spiel.ArenaBot("random", seed=3)
    first = [bot.step(state) for _ in range(12)]
    bot.restart()
    assert [bot.step(state) for _ in range(12)] == first
    assert len(set(first)) > 1
    assert Board.start(KALAH) == state.position.board

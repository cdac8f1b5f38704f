"""Players that were written for other platforms: questions, and what their answers mean."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mancala.bot.client.bot import FunctionBot
from mancala.bot.players import openspiel_state, platforms
from mancala.bot.players.own import OwnPlayer
from mancala.bot.players.registry import make_bot, make_player
from mancala.bot.players.seen import view
from mancala.bot.players.spec import SpecError
from mancala.protocol.messages import Reason
from mancala.protocol.player import Budget, Choice, Player, PlayerError
from mancala.protocol.rules import KALAH, Board, Rules
from tests.seeds import seed

OPENING = Board.from_text("<6,3,5,7,5,0,1,6,0,0,0,7,3,2,9>")
SOURCE = """
import json
import random

def legal(observation):
    if observation.step == 0:
        assert "observationString" not in observation
        return [0]
    seen = json.loads(observation.observationString)
    player = seen["current_player"]
    assert player == observation.playerId == observation["currentPlayer"]
    assert "legalActions" not in observation
    return [pit + 1 + 7 * player for pit in range(6) if seen["pits"][str(player)][pit]]

def agent(observation, configuration):
    assert not configuration.includeLegalActions
    return {"submission": legal(observation)[0], "thoughts": "none"}

def short(observation):
    return {"submission": legal(observation)[-1]}

def wrong(observation, configuration):
    return {"submission": 7}

def plain(observation):
    return legal(observation)[0]

def unprepared(observation):
    return {"submission": json.loads(observation.observationString)["board"][0]}

class Searching:
    def __init__(self):
        self.restarts = 0
    def restart(self):
        self.restarts += 1
    def step(self, state):
        def worth(action):
            rollout = state.child(action)
            while not rollout.is_terminal():
                rollout.apply_action(rollout.legal_actions()[0])
            return rollout.returns()[state.current_player()]
        return max(state.legal_actions(), key=worth)

bot = Searching()

def policy(observations, masks):
    return masks.argmax(axis=1)

class Model:
    def predict(self, observation, state=None, deterministic=False, action_masks=None):
        assert observation.shape[1:] == (2, 7) and deterministic
        return (action_masks * observation[:, 0, :6]).argmax(axis=1), state
"""
SECOND = Board.start(KALAH).sow(0).board
"""Player 1 is to move."""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "others.py"
    path.write_text(SOURCE)
    return path


Make = Callable[[str], Player]


@pytest.fixture
def make(file: Path, made: Make) -> Make:
    return lambda spec: made(f"{spec}:".replace(":", f":{file}:", 1).rstrip(":"))


@pytest.mark.parametrize(
    ("spec", "first", "second"),
    [("kaggle:agent", 0, 0), ("kaggle:short", 5, 5), ("policy", 0, 0), ("policy:Model", 0, 0)],
)
def test_each_is_asked_from_its_own_side(make: Make, spec: str, first: int, second: int) -> None:
    """The same player plays both seats; its answers are pits of the player to move."""
    player = make(spec)
    player.new_game(1)
    assert player.choose(Board.start(KALAH), Budget(1.0, 10.0)) == Choice(first)
    player.new_game(2)
    assert player.choose(SECOND, Budget(1.0, 10.0)) == Choice(second)


def test_a_bot_of_openspiel_searches_states(make: Make) -> None:
    """It plays whole games with copies of the state, and is restarted for each game."""
    player = make("openspiel")
    board = Board.start(Rules(pits=3, seeds=2))
    player.new_game(1)
    while not board.is_over:
        pit = player.choose(board, Budget(1.0, 10.0)).pit
        assert pit in board.legal()
        board = board.sow(pit).board


async def test_each_plays_on_a_server_as_well(file: Path) -> None:
    """The same spec makes a bot."""
    bot = make_bot(f"kaggle:{file}:short")
    assert isinstance(bot, FunctionBot)


def test_an_action_of_another_hole_is_an_illegal_move(make: Make) -> None:
    """A store and the opponent's pits are no pits of the mover."""
    player = make("kaggle:wrong")
    player.new_game(1)
    for board in (Board.start(KALAH), SECOND):
        assert not board.may_play(player.choose(board, Budget(1.0, 10.0)).pit)


@pytest.mark.parametrize(("kind", "name"), [("openspiel", "bot"), ("policy", "policy")])
def test_what_cannot_be_asked_is_refused(file: Path, kind: str, name: str) -> None:
    """The message names the kind, the name and the file."""
    file.write_text(f"{name} = 3\n")
    with pytest.raises(SpecError, match=rf"{kind}: {name} in .*others\.py"):
        make_player(f"{kind}:{file}")


@pytest.mark.parametrize(
    ("name", "says", "reason"),
    [
        ("plain", "answered 1; Kaggle takes", Reason.ILLEGAL),
        ("unprepared", "first call, without a position", Reason.DISCONNECTED),
    ],
)
def test_what_loses_on_kaggle_loses_here(make: Make, name: str, says: str, reason: Reason) -> None:
    """A number alone is no answer there, and each agent is called once before any position."""
    player = make(f"kaggle:{name}")
    player.new_game(1)
    with pytest.raises(PlayerError, match=says) as end:
        player.choose(Board.start(KALAH), Budget(1.0, 10.0))
    assert end.value.reason is reason


def test_kaggle_plays_the_last_function_of_a_file(tmp_path: Path, made: Make) -> None:
    """Whatever it is called."""
    path = tmp_path / "submission.py"
    path.write_text(f"{SOURCE}\ndef last(o):\n    return {{'submission': 3}}\n")
    player = made(f"kaggle:{path}")
    player.new_game(1)
    assert player.choose(Board.start(KALAH), Budget(1.0, 10.0)).pit == 2


@pytest.mark.parametrize("text", ["kalah", "kalah-empty-capture:pits=4,seeds=3"])
def test_a_state_follows_the_rules(text: str) -> None:
    """Legal actions, players, results and clones are those of boards sown one by one."""
    rng = np.random.default_rng(seed())
    rules = Rules.parse(text)
    state, board = openspiel_state.KalahGame(rules).new_initial_state(), Board.start(rules)
    while not board.is_over:
        assert state.current_player() == board.player
        legal = [openspiel_state.action_of(rules, board.player, pit) for pit in board.legal()]
        assert state.legal_actions() == legal
        assert np.flatnonzero(state.legal_actions_mask()).tolist() == legal
        assert state.legal_actions(1 - board.player) == []
        action = int(rng.choice(legal))
        before, after = state.clone(), state.child(action)
        state.apply_action(action)
        board = board.sow(openspiel_state.pit_of(rules, board.player, action)).board
        assert after.board == state.board
        assert state.board.settled() == board
        assert before.board != board
        assert sum(state.observation_tensor()[:-2]) == board.total
    assert state.is_terminal()
    assert state.current_player() < 0
    assert state.returns()[0] == np.sign(board.score(0)) == -state.player_return(1)
    assert len(state.history()) == state.move_number()


def test_a_state_is_drawn_as_openspiel_draws_it() -> None:
    """Player 1's row stands above, from right to left, its store on the left."""
    drawn = str(openspiel_state.KalahState(SECOND))
    assert drawn == (
        "-4-4-4-4-4-4-\n0-----------0\n-0-5-5-5-5-4-\nCurrent player: 1\nMove number: 0"
    )


def test_what_is_left_at_the_end_stays_in_its_pits() -> None:
    """As in OpenSpiel; the result counts it all the same."""
    board = Board.from_text("<6,20,20,0,0,0,0,0,1,0,0,0,0,3,4>", KALAH)
    state = openspiel_state.KalahState(board)
    state.apply_action(6)
    assert state.is_terminal()
    assert state.observation_tensor()[:14] == [20, 0, 0, 0, 0, 0, 0, 21, 0, 0, 0, 0, 3, 4]
    assert state.returns() == [-1, 1]
    assert state.get_type().name == "TERMINAL"


def test_a_bot_of_openspiel_knows_the_moves_so_far() -> None:
    """Those before its first turn, too; they are the state's history and number of moves."""
    seen: list[openspiel_state.KalahState] = []

    def step(state: openspiel_state.KalahState) -> int:
        seen.append(state)
        return state.legal_actions()[0]

    player = OwnPlayer(platforms.openspiel_bot(step))
    board = Board.start(KALAH).sow(2).board.sow(0).board
    player.choose(board)
    board = board.sow(0).board
    player.choose(board.sow(1).board)
    player.close()
    assert [state.history() for state in seen] == [[3, 1], [3, 1, 8, 2]]
    assert seen[1].serialize() == "3\n1\n8\n2\n"
    assert seen[1].observation_tensor()[-2:] == [seen[1].current_player(), 4]


def test_a_policy_sees_what_it_was_trained_on() -> None:
    """Observations and masks are those of the environments, one game at a time."""
    asked: list[tuple[Any, Any]] = []

    def record(seen: NDArray[Any], masks: NDArray[Any]) -> list[int]:
        asked.append((seen, masks))
        return [2]

    player = OwnPlayer(platforms.policy_bot(record))
    assert player.choose(SECOND, Budget(1.0, 10.0)) == Choice(2)
    ((seen, masks),) = asked
    assert (seen[0] == view(SECOND, 1)).all()
    assert masks.dtype == bool
    assert masks.shape == (1, 6)
    player.close()


def test_an_agent_of_kaggle_plays_on_from_an_opening(tmp_path: Path) -> None:
    """What was played since does not lead there from the start: no whole game is shown."""
    file = tmp_path / "submission.py"
    file.write_text(SOURCE)
    player, board = make_player(f"kaggle:{file}:agent"), OPENING
    rng = random.Random(seed())
    player.new_game(1)
    while not board.is_over:
        own = board.player == OPENING.player
        board = board.sow(player.choose(board).pit if own else rng.choice(board.legal())).board
    player.close()

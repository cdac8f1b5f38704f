"""One player as a Gymnasium environment."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from bot.env import MancalaEnv
from bot.players.spec import SpecError
from protocol.rules import PRESETS, Board


@pytest.mark.parametrize("rules", [*PRESETS, "kalah:pits=3,seeds=2"])
@pytest.mark.filterwarnings("ignore::UserWarning")  # advice on spaces, not errors
def test_gymnasiums_checker_passes(rules: str) -> None:
    """Whatever learns on Gymnasium environments learns on this one."""
    check_env(MancalaEnv("greedy", rules), skip_render_check=True)


@pytest.mark.parametrize("seat", ["first", "second", "random"])
@pytest.mark.parametrize("opponent", ["random", "engine:depth=2", "engine:level=2", "engine"])
def test_a_game_ends_with_its_value(seat: str, opponent: str) -> None:
    """The learner sees its own row first, may always move, and learns who won."""
    rng, env = Random(1), MancalaEnv(opponent, "kalah:pits=4,seeds=3", seat=seat)
    for game in range(5):
        observation, info = env.reset(seed=game)
        over, reward = False, 0.0
        while not over:
            assert env.board.player == env.player
            assert tuple(observation[0, :-1]) == env.board.pits[env.player]
            pit = rng.choice(list(np.flatnonzero(info["action_mask"])))
            observation, reward, over, _, info = env.step(pit)
        assert reward == np.sign(env.board.score(env.player))


@pytest.mark.parametrize("opponent", ["random", "engine:level=1"])
def test_the_same_seed_plays_the_same_opponent_again(opponent: str) -> None:
    """Seat and opponent's chance come from the seed, so a game can be repeated."""

    def game(seed: int) -> list[str]:
        env, boards = MancalaEnv(opponent), []
        _, info = env.reset(seed=seed)
        for _ in range(8):
            boards.append(env.board.text)
            pit = int(np.flatnonzero(info["action_mask"])[0])
            if env.step(pit)[2]:
                break
            info = {"action_mask": np.isin(range(6), env.board.legal())}
        return boards

    assert game(3) == game(3)
    assert len({tuple(game(seed)) for seed in range(5)}) > 1


def test_an_illegal_pit_loses_at_once() -> None:
    """As in a match, and the learner sees the reason."""
    env = MancalaEnv(lambda board: board.legal()[0], "kalah:pits=3,seeds=2", seat="first")
    env.reset()
    env.step(1)
    _, reward, over, _, info = env.step(1)
    assert (reward, over, info["illegal"]) == (-1.0, True, True)


def test_opponents_and_seats_that_do_not_exist_are_refused() -> None:
    """A mistake is reported when the environment is made."""
    with pytest.raises(SpecError, match="no player named 'nobody'"):
        MancalaEnv("nobody")
    with pytest.raises(ValueError, match="the seat is one of"):
        MancalaEnv(seat="third")


def test_the_board_can_be_shown_as_text() -> None:
    """``ansi`` gives the text form, the mover first."""
    env = MancalaEnv(render_mode="ansi", seat="first")
    env.reset()
    assert env.render() == Board.start().text
    assert MancalaEnv().render() is None


def test_the_readmes_example_plays_a_game(capsys: pytest.CaptureFixture[str]) -> None:
    """What a learner's author reads first works as it stands."""
    readme = (Path(__file__).parents[3] / "README.md").read_text()
    (example,) = re.findall(r"^```py\n(.*?)^```$", readme, re.DOTALL | re.MULTILINE)
    exec(example.replace("depth=6", "depth=2"), {})  # noqa: S102  # our own document
    assert capsys.readouterr().out.startswith("The game is worth ")

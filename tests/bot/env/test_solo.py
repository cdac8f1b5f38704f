"""One player as a Gymnasium environment."""

import pickle
import re
from random import Random

import gymnasium
import numpy as np
import pygame
import pytest
from gymnasium.utils.env_checker import check_env

import mancala.bot.env
from mancala.bot.env import MancalaEnv
from mancala.bot.env.solo import Opponent
from mancala.bot.players.spec import SpecError
from mancala.protocol.rules import PRESETS, Board
from tests.sources import ROOT


def min_pit(board: Board) -> int:
    return board.legal()[0]


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
    """``ansi`` gives the drawing that a board prints."""
    env = MancalaEnv(render_mode="ansi", seat="first")
    env.reset()
    assert env.render() == str(Board.start())
    assert MancalaEnv().render() is None


def test_the_board_can_be_shown_as_a_picture() -> None:
    """``rgb_array`` gives pixels, which change with the position."""
    env = MancalaEnv(render_mode="rgb_array", seat="first")
    env.reset(seed=1)
    before = env.render()
    assert (before.shape, before.dtype) == ((270, 720, 3), np.uint8)
    env.step(2)
    assert (env.render() != before).any()


def test_a_window_shows_every_position(monkeypatch: pytest.MonkeyPatch) -> None:
    """``human`` draws at each step by itself, and closes the window in the end."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    env = MancalaEnv(render_mode="human", seat="first")
    env.reset(seed=1)
    surface = pygame.display.get_surface()
    assert surface is not None
    before = pygame.surfarray.array3d(surface)
    env.step(2)
    assert (pygame.surfarray.array3d(surface) != before).any()
    assert env.render() is None
    env.close()
    assert not pygame.display.get_init()


def test_action_masks_say_which_pits_may_be_sown() -> None:
    """The method has the name and the type that maskable learners expect."""
    env = MancalaEnv(seat="first", rules="kalah:pits=3,seeds=2")
    env.reset()
    assert env.action_masks().tolist() == [True, True, True]
    env.step(1)
    assert env.action_masks().tolist() == [True, False, True]
    assert env.action_masks().dtype == bool


def test_games_begin_from_openings() -> None:
    """One for a single game, a list of them, or the fair ones; anything else is refused."""
    text = "<6,3,2,0,0,5,5,5,5,1,4,4,4,5,5>"
    env = MancalaEnv(seat="first", openings="fair")
    drawn = {env.reset(seed=seed)[0].tobytes() for seed in range(6)}
    assert len(drawn) > 1
    for opening in (text, Board.from_text(text)):
        env.reset(options={"opening": opening})
        assert env.board == Board.from_text(text)
    listed = MancalaEnv(seat="first", openings=[text])
    listed.reset()
    assert listed.board.text == text
    for wrong in ("none", [], ["<6,0>"], ["<1,0,0,1,1>"], ["<6,0,0,0,0,0,0,0,0,4,4,4,4,4,4>"]):
        with pytest.raises(ValueError, match=r"openings|board|pit|over"):
            MancalaEnv(openings=wrong)
    with pytest.raises(ValueError, match="no fair openings"):
        MancalaEnv(rules="kalah:pits=3,seeds=2", openings="fair")


def test_a_reward_may_be_the_margin() -> None:
    """The difference of the stores is divided by all seeds, and is 0 before the end."""
    env = MancalaEnv("greedy", seat="first", reward="margin")
    _, info = env.reset(seed=1)
    over, reward = False, 0.0
    while not over:
        assert reward == 0.0
        _, reward, over, _, info = env.step(np.flatnonzero(info["action_mask"])[0])
    assert reward == env.board.score(0) / 48
    with pytest.raises(ValueError, match="the reward is one of"):
        MancalaEnv(reward="none")


def test_gymnasium_makes_it_by_name() -> None:
    """The name is registered by the import, and can carry it."""
    made = gymnasium.make(f"mancala.env:{mancala.bot.env.ID}", opponent="greedy")
    assert isinstance(made.unwrapped, MancalaEnv)


def test_the_readmes_example_plays_a_game(capsys: pytest.CaptureFixture[str]) -> None:
    """What a learner's author reads first works as it stands."""
    readme = (ROOT / "README.md").read_text()
    (example,) = re.findall(r"^```py\n(.*?)^```$", readme, re.DOTALL | re.MULTILINE)
    exec(example.replace("depth=6", "depth=2"), {})  # noqa: S102  # our own document
    assert capsys.readouterr().out.startswith("The game is worth ")


@pytest.mark.parametrize("opponent", ["random", "alphabeta:depth=2", "engine:level=2", min_pit])
def test_a_running_environment_can_be_pickled(opponent: str | Opponent) -> None:
    """A copy plays on as the environment does: learners send environments to other processes."""
    env = MancalaEnv(opponent, render_mode="rgb_array")
    env.reset(seed=3)
    copy = pickle.loads(pickle.dumps(env))  # noqa: S301  # our own
    for _ in range(5):
        pit = env.board.legal()[0]
        assert [*map(str, env.step(pit))] == [*map(str, copy.step(pit))]
        if env.board.is_over:
            break
    assert (env.render() == copy.render()).all()

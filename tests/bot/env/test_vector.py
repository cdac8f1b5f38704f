"""Many games as one Gymnasium vector environment."""

import pickle
import subprocess
import sys
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from mancala.bot.env import ID, MancalaEnv, MancalaVectorEnv, points
from mancala.bot.env.solo import Opponent
from mancala.bot.env.vector import Policy
from mancala.protocol.rules import Board

OPPONENTS = ["random", "greedy", "defend", "alphabeta:depth=2", "engine:nodes=20", "engine:level=2"]


def pit_of(mask: NDArray[np.bool_], rng: np.random.Generator) -> int:
    return int(rng.choice(np.flatnonzero(mask)))


def lowest(_seen: NDArray[np.int16], masks: NDArray[np.bool_]) -> NDArray[np.int64]:
    pits: NDArray[np.int64] = masks.argmax(axis=1)
    return pits


def lowest_of(board: Board) -> int:
    return board.legal()[0]


BY_FUNCTION = (lowest_of, lowest)


@pytest.mark.parametrize(("one", "all_"), [*((each, each) for each in OPPONENTS), BY_FUNCTION])
@pytest.mark.parametrize("rules", ["kalah", "kalah-empty-capture:pits=3,seeds=3", "article"])
def test_each_game_is_the_one_that_the_single_environment_plays(
    one: str | Opponent, all_: str | Policy, rules: str
) -> None:
    """With the same seeds and pits, observations, masks, rewards and ends are the same."""
    singles = [MancalaEnv(one, rules, reward="margin") for _ in range(3)]
    many = MancalaVectorEnv(3, all_, rules, reward="margin")
    rng = np.random.default_rng(1)
    seen, info = many.reset(seed=7)
    first = [single.reset(seed=7 + at) for at, single in enumerate(singles)]
    assert (seen == np.array([each[0] for each in first])).all()
    over = np.zeros(3, dtype=bool)
    for _ in range(120):
        masks = [single.action_masks() for single in singles]
        for at in np.flatnonzero(~over).tolist():
            assert (info["action_mask"][at] == masks[at]).all()
        pits = [0 if over[at] else pit_of(masks[at], rng) for at in range(3)]
        were_over = over
        seen, rewards, over, truncated, info = many.step(np.array(pits))
        assert not truncated.any()
        for at, single in enumerate(singles):
            if were_over[at]:
                observation, _ = single.reset()
                reward, ended = 0.0, False
            else:
                observation, reward, ended, _, _ = single.step(pits[at])
            assert (seen[at] == observation).all()
            assert (rewards[at], over[at]) == (reward, ended)


@pytest.mark.parametrize("opponent", ["greedy", lambda _, masks: masks.argmax(axis=1)])
def test_under_same_step_the_end_is_shown_beside_the_next_game(opponent: str | Policy) -> None:
    """The games are those of ``NEXT_STEP``, less the steps that only begin one."""
    same = MancalaVectorEnv(1, opponent, autoreset=AutoresetMode.SAME_STEP)
    later = MancalaVectorEnv(1, opponent)
    shown, info = same.reset(seed=4)
    expected, _ = later.reset(seed=4)
    rng, ended = np.random.default_rng(2), 0
    for _ in range(80):
        assert (shown == expected).all()
        pit = np.array([pit_of(info["action_mask"][0].astype(bool), rng)])
        shown, reward, over, _, info = same.step(pit)
        expected, later_reward, later_over, _, _ = later.step(pit)
        assert (reward, over) == (later_reward, later_over)
        assert ("final_obs" in info) == over[0]
        if over[0]:
            ended += 1
            assert info["_final_obs"].tolist() == [True]
            assert (info["final_obs"] == expected).all()
            expected, *_ = later.step(np.array([0]))
    assert ended > 2


def test_an_illegal_pit_loses_only_its_own_game() -> None:
    """The others go on, and the lost one begins anew."""
    many = MancalaVectorEnv(2, "random", "kalah:pits=3,seeds=2", seat="first")
    many.reset(seed=1)
    _, rewards, over, _, _ = many.step(np.array([5, 1]))
    assert rewards.tolist() == [-1.0, 0.0]
    assert over.tolist() == [True, False]
    assert many.action_masks()[0].all()
    _, rewards, over, _, info = many.step(np.array([0, 0]))
    assert (rewards[0], over[0]) == (0.0, False)
    assert info["action_mask"][0].any()


def test_games_begin_from_the_openings_asked_for() -> None:
    """One opening for all games of a reset, or fair ones drawn for each."""
    many = MancalaVectorEnv(8, "greedy", seat="first", openings="fair")
    seen, _ = many.reset(seed=3)
    assert len({observation.tobytes() for observation in seen}) > 1
    text = "<6,3,2,0,0,5,5,5,5,1,4,4,4,5,5>"
    seen, _ = many.reset(options={"opening": text})
    board = Board.from_text(text)
    assert (seen[:, 0, :-1] == board.pits[0]).all()
    assert (seen[:, :, -1] == board.stores).all()


@pytest.mark.parametrize("opponent", ["mcts:playouts=5", "engine:movetime=0.1", "cmd:cat"])
def test_opponents_that_are_not_compiled_are_refused(opponent: str) -> None:
    """A mistake is reported when the environment is made."""
    with pytest.raises(ValueError, match="does not play kalah in compiled code"):
        MancalaVectorEnv(2, opponent)


@pytest.mark.parametrize("opponent", ["greedy", "engine:level=1", lowest])
def test_running_games_can_be_pickled(opponent: str | Policy) -> None:
    """A copy plays on as they do: learners send environments to other processes."""
    many = MancalaVectorEnv(3, opponent)
    many.reset(seed=3)
    copy = pickle.loads(pickle.dumps(many))  # noqa: S301  # our own
    for _ in range(5):
        pits = many.action_masks().argmax(axis=1)
        seen, rewards, *_ = many.step(pits)
        same, equal, *_ = copy.step(pits)
        assert (seen == same).all()
        assert (rewards == equal).all()
        assert (many.action_masks() == copy.action_masks()).all()


def test_gymnasium_makes_it_by_name() -> None:
    """``make_vec`` gives compiled games, with Gymnasium's spaces."""
    many = gymnasium.make_vec(ID, num_envs=4, opponent="random")
    seen, _ = many.reset(seed=1)
    assert many.observation_space.contains(seen)
    assert many.action_space.contains(np.zeros(4, dtype=np.int64))
    many.close()


def test_importing_the_environments_loads_no_compiler() -> None:
    """Only a vector environment compiles, when it is made."""
    code = "import sys, mancala.env; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_all_games_that_wait_are_asked_about_in_one_call() -> None:
    """Of sixteen games whose learner moves second, the first call has all."""
    asked: list[int] = []

    def counted(seen: NDArray[np.int16], masks: NDArray[np.bool_]) -> NDArray[np.int64]:
        asked.append(len(seen))
        return lowest(seen, masks)

    MancalaVectorEnv(16, counted, seat="second").reset(seed=1)
    assert asked[0] == 16


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (np.full(3, 9), "the opponent's function chose the illegal pit 9"),
        (np.zeros(2, dtype=np.int64), "asked about 3 games and returned an array of shape"),
    ],
)
def test_an_answer_that_is_no_pit_for_each_game_is_named(
    answer: NDArray[np.int64], sentence: str
) -> None:
    """The mistake is the function's, so it is raised and no game is counted."""
    many = MancalaVectorEnv(3, lambda _seen, _masks: answer, seat="second")
    with pytest.raises(ValueError, match=sentence):
        many.reset(seed=1)


def first(_seen: NDArray[np.int16], masks: NDArray[np.bool_]) -> Any:  # noqa: ANN401  # pits
    return masks.argmax(axis=1)


def last(_seen: NDArray[np.int16], masks: NDArray[np.bool_]) -> Any:  # noqa: ANN401  # pits
    return masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)


def test_a_better_policy_takes_more_points() -> None:
    """The pit beside the store is better than the one farthest away; the same seed repeats."""
    share = points(last, first, games=100)
    assert share > 0.6
    assert points(first, last, games=100) < 0.4
    assert points(last, first, games=100) == share


def test_a_policy_against_itself_takes_about_half() -> None:
    """Seats are drawn, and the openings are fair."""
    assert points(last, last, games=400) == pytest.approx(0.5, abs=0.12)


def test_a_policy_is_asked_only_about_games_that_wait_for_it() -> None:
    """Each mask allows something, and an illegal pit loses."""

    def asked(seen: NDArray[np.int16], masks: NDArray[np.bool_]) -> NDArray[np.int64]:
        assert masks.any(axis=1).all()
        assert (masks == (seen[:, 0, :-1] > 0)).all()
        return np.full(len(seen), 9)

    assert points(asked, "greedy", "kalah:pits=4,seeds=3", games=5, openings="start") == 0

"""Many games against a function that answers them together."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from mancala.bot.env import MancalaEnv, MancalaVectorEnv
from mancala.protocol.rules import Board


def lowest(_seen: NDArray[np.int16], masks: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the lowest pit that may be sown in each game."""
    pits: NDArray[np.int64] = masks.argmax(axis=1)
    return pits


def lowest_of(board: Board) -> int:
    """Return the lowest pit that may be sown."""
    return board.legal()[0]


@pytest.mark.parametrize("rules", ["kalah", "kalah-empty-capture:pits=3,seeds=3", "article"])
def test_each_game_is_the_one_against_the_same_function_of_a_board(rules: str) -> None:
    """With the same seeds and pits, observations, masks, rewards and ends are the same."""
    singles = [MancalaEnv(lowest_of, rules, reward="margin") for _ in range(4)]
    many = MancalaVectorEnv(4, lowest, rules, reward="margin")
    rng = np.random.default_rng(1)
    seen, info = many.reset(seed=7)
    first = [single.reset(seed=7 + at)[0] for at, single in enumerate(singles)]
    assert (seen == np.array(first)).all()
    over = np.zeros(4, dtype=bool)
    for _ in range(120):
        masks = info["action_mask"]
        pits = np.where(masks, rng.random(masks.shape), -1.0).argmax(axis=1)
        were_over = over
        seen, rewards, over, _, info = many.step(pits)
        for at, single in enumerate(singles):
            if were_over[at]:
                observation, reward, ended = single.reset()[0], 0.0, False
            else:
                observation, reward, ended, _, _ = single.step(int(pits[at]))
            assert (seen[at] == observation).all()
            assert (rewards[at], over[at]) == (reward, ended)


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

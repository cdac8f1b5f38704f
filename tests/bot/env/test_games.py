"""Many games of self-play as one Gymnasium vector environment."""

from typing import Any

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from mancala.bot.env import MancalaSelfPlayEnv, MancalaVectorEnv, mask, view
from mancala.bot.env.games import AUTORESETS
from mancala.engine.kernels import state
from mancala.engine.search.solver import Solver
from mancala.protocol.rules import Board, Rules


def some_pits(info: dict[str, Any], rng: np.random.Generator) -> NDArray[np.int64]:
    """Return one of the pits that the masks allow for each game; 0 where none is."""
    masks = info["action_mask"]
    pits: NDArray[np.int64] = np.where(masks, rng.random(masks.shape), -1.0).argmax(axis=1)
    return pits


@pytest.mark.parametrize("reward", ["result", "margin"])
@pytest.mark.parametrize("text", ["kalah", "kalah-empty-capture:pits=3,seeds=3", "article"])
def test_each_ply_is_that_of_the_rules(text: str, reward: str) -> None:
    """Players, observations, masks, rewards and ends are those of boards sown one by one."""
    rules = Rules.parse(text)
    env = MancalaSelfPlayEnv(5, rules, reward=reward)
    rng = np.random.default_rng(1)
    seen, info = env.reset(seed=1)
    boards = [Board.start(rules)] * 5
    for _ in range(150):
        pits = some_pits(info, rng)
        before = boards.copy()
        seen, rewards, over, truncated, info = env.step(pits)
        assert not truncated.any()
        for game, board in enumerate(before):
            if board.is_over:
                boards[game] = Board.start(rules)
                assert (rewards[game], over[game]) == (0.0, False)
                mover = boards[game].player
            else:
                after = boards[game] = board.sow(int(pits[game])).board
                mover = board.player if after.is_over else after.player
                margin = after.score(board.player) if after.is_over else 0
                expected = margin / after.total if reward == "margin" else np.sign(margin)
                assert (rewards[game], over[game]) == (expected, after.is_over)
            assert info["player"][game] == mover
            assert (seen[game] == view(boards[game], mover)).all()
            if not boards[game].is_over:
                assert (info["action_mask"][game] == mask(boards[game], mover, rules)).all()


def test_under_same_step_a_game_begins_anew_in_the_step_that_ends_it() -> None:
    """Its end is shown beside the new start, and each of its steps sows."""
    text = "<6,20,20,0,0,0,0,0,1,2,2,1,1,1,0>"
    env = MancalaSelfPlayEnv(2, autoreset=AutoresetMode.SAME_STEP)
    env.reset(seed=1, options={"opening": text})
    seen, rewards, over, _, info = env.step(np.array([5, 5]))
    end = Board.from_text(text).sow(5).board
    assert over.all()
    assert info["_final_obs"].all()
    assert (info["final_obs"] == view(end, 0)).all()
    assert rewards.tolist() == [float(np.sign(end.score(0)))] * 2
    assert (seen[:, 0, :-1] == 4).all()
    assert info["action_mask"].all()
    _, _, over, _, info = env.step(np.array([0, 0]))
    assert not over.any()
    assert "final_obs" not in info


def test_an_illegal_pit_loses_only_its_own_game() -> None:
    """The player who chose it loses, whatever the stores; the other game goes on."""
    env = MancalaSelfPlayEnv(2, "kalah:pits=3,seeds=2")
    env.reset(seed=1)
    _, rewards, over, _, _ = env.step(np.array([7, 0]))
    assert rewards.tolist() == [-1.0, 0.0]
    assert over.tolist() == [True, False]
    assert env.action_masks()[0].all()


def test_the_seed_decides_the_openings_of_each_game() -> None:
    """Game n of many, seeded with s, begins as a single one seeded with s + n."""
    many = MancalaSelfPlayEnv(8, openings="fair")
    seen, _ = many.reset(seed=3)
    assert len({each.tobytes() for each in seen}) > 1
    for game in range(8):
        single, _ = MancalaSelfPlayEnv(1, openings="fair").reset(seed=3 + game)
        assert (single[0] == seen[game]).all()
    again, _ = many.reset(seed=3)
    assert (again == seen).all()


def test_a_clone_and_a_state_go_on_as_the_games_did() -> None:
    """The same pits come to the same games, new openings included."""
    env = MancalaSelfPlayEnv(4, "kalah:pits=6,seeds=4", openings="fair")
    rng = np.random.default_rng(2)
    _, info = env.reset(seed=5)
    clone, state = env.clone(), env.get_state()
    first = info
    line, shown = [], []
    for _ in range(90):
        line.append(some_pits(info, rng))
        seen, _, _, _, info = env.step(line[-1])
        shown.append(seen)
    _, taken_back = env.set_state(state)
    assert (taken_back["action_mask"] == first["action_mask"]).all()
    for pits, seen in zip(line, shown, strict=True):
        assert (clone.step(pits)[0] == seen).all()
        assert (env.step(pits)[0] == seen).all()


@pytest.mark.parametrize("text", ["kalah", "kalah-empty-capture:pits=3,seeds=3", "article"])
def test_games_go_on_from_positions_that_were_placed(text: str) -> None:
    """Their movers are player 0 then; all else is as if the games had been played so far."""
    env, placed = MancalaSelfPlayEnv(6, text), MancalaSelfPlayEnv(6, text)
    rng = np.random.default_rng(4)
    seen, info = env.reset(seed=1)
    for _ in range(60):
        shown, copied = placed.place(seen)
        assert (shown == seen).all()
        assert (copied["action_mask"] == info["action_mask"]).all()
        assert not copied["player"].any()
        pits, movers = some_pits(info, rng), info["player"]
        seen, rewards, over, _, info = env.step(pits)
        shown, scores, ends, _, copied = placed.step(pits)
        assert (shown == seen).all()
        assert (scores == rewards).all()
        assert (ends == over).all()
        assert (copied["player"] == (info["player"] != movers)).all()
        if over.any():
            seen, info = env.reset()


def test_positions_that_cannot_be_played_are_refused() -> None:
    """A finished game has no next ply; each game takes one position."""
    env = MancalaSelfPlayEnv(2)
    with pytest.raises(ValueError, match="is over"):
        env.place(np.zeros((2, 2, 7), dtype=np.int16))
    with pytest.raises(ValueError, match=r"of shape \(2, 2, 7\)"):
        env.place(np.ones((1, 2, 7), dtype=np.int16))


@pytest.mark.parametrize("rules", ["kalah:pits=8", "kalah:pie=true"])
def test_rules_that_are_not_compiled_are_refused(rules: str) -> None:
    """A mistake is reported when the environment is made."""
    with pytest.raises(ValueError, match="is not played in compiled code"):
        MancalaSelfPlayEnv(2, rules)


def test_exact_values_are_those_of_the_solver() -> None:
    """What each move is worth stands in the info, where the tables reach; elsewhere nothing."""
    rules = Rules(pits=3, seeds=3)
    env = MancalaSelfPlayEnv(4, rules, exact_seeds=10)
    solver = Solver(rules, tables=state.no_tables(rules.pits), table_bits=12)
    rng = np.random.default_rng(3)
    _, info = env.reset(seed=1)
    boards, looked_up = [Board.start(rules)] * 4, 0
    for _ in range(30):
        pits = some_pits(info, rng)
        _, _, _, _, info = env.step(pits)
        for game, board in enumerate(boards):
            after = board.sow(int(pits[game])).board if not board.is_over else Board.start(rules)
            boards[game] = after
            assert info["_values"][game] == (not after.is_over and after.in_play <= 10)
            if info["_values"][game]:
                looked_up += 1
                *_, solution = solver.solve(after, every_move=True)
                found = {pit: info["values"][game, pit] for pit in after.legal()}
                assert found == {pit: bounds.low for pit, bounds in solution.moves.items()}
    assert looked_up > 20


def test_tables_that_cannot_be_are_refused() -> None:
    """Under majority a value depends on more than the pits."""
    with pytest.raises(ValueError, match="majority"):
        MancalaSelfPlayEnv(1, "article", exact_seeds=8)


@pytest.mark.parametrize("mode", AUTORESETS)
def test_an_environment_says_when_its_games_begin_anew(mode: AutoresetMode) -> None:
    """Gymnasium's wrappers read it in the metadata."""
    assert MancalaVectorEnv(1, autoreset=mode).metadata["autoreset_mode"] is mode
    assert MancalaSelfPlayEnv(1, autoreset=mode).metadata["autoreset_mode"] is mode


def test_games_that_never_begin_anew_are_refused() -> None:
    """Gymnasium's third mode is not offered."""
    with pytest.raises(ValueError, match="autoreset is NEXT_STEP or SAME_STEP"):
        MancalaVectorEnv(2, autoreset=AutoresetMode.DISABLED)
    with pytest.raises(ValueError, match="autoreset is NEXT_STEP or SAME_STEP"):
        MancalaSelfPlayEnv(2, autoreset=AutoresetMode.DISABLED)

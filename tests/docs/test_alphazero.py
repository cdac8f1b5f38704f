"""The example of a learner by search and self-play, in a short form."""

from pathlib import Path

import numpy as np
import pytest

from docs.examples.alphazero import Net, Searcher, SelfPlay, Trees, train
from mancala.bot.env import points
from mancala.bot.players.seen import mask, view
from mancala.protocol.rules import Board


@pytest.fixture(name="net")
def net_() -> Net:
    """Return a net that has not learned."""
    return Net.random(np.random.default_rng(1), hidden=16)


def test_the_gradient_leads_to_what_is_taught(net: Net) -> None:
    """After some steps on one position the net says the share and the value."""
    board = Board.from_text("<6,3,2,0,0,5,5,5,5,1,4,4,4,5,5>")
    seen, legal = view(board, 0)[None], mask(board, 0, board.rules)[None].astype(bool)
    shares = np.array([[0, 0, 0.7, 0.1, 0.1, 0.1]], dtype=np.float32)
    for _ in range(400):
        net.learn(seen, shares, np.array([-0.5], dtype=np.float32), rate=1e-2)
    priors, values = net.evaluate(seen, legal)
    assert priors == pytest.approx(shares, abs=0.03)
    assert values == pytest.approx([-0.5], abs=0.03)


def test_a_search_finds_a_win_that_the_net_does_not_know(net: Net) -> None:
    """Pit 1 captures the opponent's last seeds; pit 0 leaves them to it."""
    board = Board.from_text("<6,18,19,1,1,0,0,0,0,0,0,0,9,0,0>")
    trees = Trees(net, view(board, 0)[None], 60)
    assert trees.visits.sum() == 60
    assert trees.visits[0, 2:].sum() == 0
    (pit,) = Searcher(net, 60)(view(board, 0)[None], np.ones((1, 6), dtype=bool))
    assert pit == 1


def test_each_tree_is_the_one_that_grows_alone(net: Net) -> None:
    """Positions that are searched together do not touch one another."""
    texts = ["<6,0,0,4,4,4,4,4,4,4,4,4,4,4,4>", "<6,3,2,0,0,5,5,5,5,1,4,4,4,5,5>"]
    seen = np.array([view(Board.from_text(text), 0) for text in texts])
    together = Trees(net, seen, 40).visits
    for at in range(2):
        assert Trees(net, seen[at : at + 1], 40).visits[0] == pytest.approx(together[at], abs=2)


def test_finished_games_are_kept_with_their_result_for_each_mover(net: Net) -> None:
    """Every position of a game has the same value, up to the sign of its mover."""
    play = SelfPlay(net, games=4, simulations=4)
    while not play.finished:
        play.play()
    values = [abs(value) for _, _, value in play.memory]
    assert 0 < len(set(values)) <= play.finished
    for seen, share, _ in play.memory:
        assert share.sum() == pytest.approx(1, abs=1e-5)
        assert (seen[0, :-1][share > 0] > 0).all()


def test_play_against_itself_makes_it_stronger() -> None:
    """Its searches beat chance after a few hundred games, and did not before."""
    play = SelfPlay(Net.random(np.random.default_rng(1), hidden=32), games=64, simulations=8)
    before = points(Searcher(play.net, 8), "random", games=100)
    for _ in range(160):
        play.step()
    assert before < 0.65
    assert points(Searcher(play.net, 8), "random", games=100) > 0.75


def test_training_saves_and_rates_the_net(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What was saved is a policy; the rating is a line for people."""
    path = tmp_path / "net.npz"
    play = SelfPlay(Net.random(np.random.default_rng(1), hidden=8), games=8, simulations=2)
    train(play, 1e-4, path, "random", every_s=0)
    assert "plies: " in capsys.readouterr().out
    board = Board.start()
    (pit,) = Searcher(Net.load(path), 4)(view(board, 0)[None], np.ones((1, 6), dtype=bool))
    assert pit in board.legal()

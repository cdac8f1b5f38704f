"""Monte Carlo tree search."""

from mancala.engine.classics.mcts import MctsPlayer, Node
from mancala.engine.classics.strategies import RandomPlayer
from mancala.protocol.rules import Board, Rules


def test_spends_every_playout_on_a_legal_pit() -> None:
    """The visits of the pits add up to the playouts, one or many."""
    for playouts in (1, 50):
        ratings = MctsPlayer(seed=1, playouts=playouts).rate(Board.start())
        assert sum(ratings.values()) == playouts
        assert set(ratings) <= set(range(6))


def test_takes_the_win_at_hand() -> None:
    """One pit of three wins against the best reply; nearly all playouts end up there."""
    board = Board.from_text("<4,7,8,2,0,1,3,1,0,2,0>")
    ratings = MctsPlayer(seed=1, playouts=200).rate(board)
    assert ratings[2] > 100


def test_walks_to_the_child_its_mover_likes() -> None:
    """Equal visits: the searching player goes where it wins, the other where it loses."""
    for mine, expected in ((True, 9.0), (False, 1.0)):
        node = Node((), mine, [], visits=20)
        node.children = {
            pit: Node((), not mine, [], visits=10, wins=wins) for pit, wins in enumerate((1.0, 9.0))
        }
        assert node.most_promising(1.4).wins == expected


def test_tries_the_child_seen_least() -> None:
    """Equal means: the one with fewer visits is looked at next."""
    node = Node((), True, [], visits=20)
    node.children = {
        pit: Node((), False, [], visits=visits, wins=visits / 2)
        for pit, visits in enumerate((15, 5))
    }
    assert node.most_promising(1.4).visits == 5


def test_beats_random_play() -> None:
    """On a small board 100 playouts a move win at least nine games of ten against chance."""
    players = (MctsPlayer(seed=2, playouts=100), RandomPlayer(seed=2))
    won = 0
    for game in range(20):
        board = Board.start(Rules(pits=4, seeds=3))
        while not board.is_over:
            board = board.sow(players[board.player ^ (game % 2)].choose(board).pit).board
        won += board.score(game % 2) > 0
    assert won >= 18

"""Alpha-beta: the same choice with less, in every order, and what it does at its horizon."""

import pytest

from mancala.engine.classics.alphabeta import ORDERS, AlphaBetaPlayer, Remedies
from mancala.engine.classics.evaluation import EVALUATIONS, side, stores
from mancala.engine.classics.game import ClassicGame, position_of
from mancala.engine.classics.trees import BOUND, MinimaxPlayer, TreePlayer
from mancala.protocol.rules import KALAH, PRESETS, Board, Rules
from tests.engine.classics.positions import boards_of

MOST = 64
"""Sowings that are more than any quiescence takes."""


def test_minimax_chooses_what_the_notebook_chose() -> None:
    """With the evaluation by sides, depth 5 from the start plays pit 4, as printed there."""
    assert AlphaBetaPlayer(seed=1, depth=5, evaluate=side).best(Board.start()) == [4]


@pytest.mark.parametrize("seed", [6])
@pytest.mark.parametrize("evaluation", EVALUATIONS)
@pytest.mark.parametrize("rules", PRESETS.values(), ids=str)
def test_pruning_changes_no_choice(rules: Rules, evaluation: str, seed: int) -> None:
    """Alpha-beta finds the same best pits at the same value with fewer positions visited."""
    evaluate = EVALUATIONS[evaluation]
    full = MinimaxPlayer(seed=7, depth=3, evaluate=evaluate)
    pruned = AlphaBetaPlayer(seed=7, depth=3, evaluate=evaluate)
    visits = [0, 0]
    for board in boards_of(rules, seed=seed, every=3):
        assert pruned.best(board) == full.best(board)
        assert max(pruned.rate(board).values()) == max(full.rate(board).values())
        assert pruned.choose(board).pit == full.choose(board).pit
        visits[0] += full.nodes
        visits[1] += pruned.nodes
    assert visits[1] < visits[0] / 2


@pytest.mark.parametrize("order", ORDERS)
def test_every_order_chooses_the_same(order: str) -> None:
    """The order decides what is visited, never what is chosen."""
    ordered, usual = AlphaBetaPlayer(seed=1, depth=4, order=order), AlphaBetaPlayer(seed=1, depth=4)
    for board in boards_of(KALAH, seed=12, every=5):
        assert ordered.best(board) == usual.best(board)


def test_bounds_at_the_root_seem_ties() -> None:
    """A textbook's window keeps the value, and lets worse moves share the choice."""
    false = 0
    for board in boards_of(KALAH, seed=12, every=3):
        exact = AlphaBetaPlayer(seed=1, depth=3).rate(board)
        bounds = AlphaBetaPlayer(seed=1, depth=3, false_ties=True).rate(board)
        best = max(exact.values())
        assert max(bounds.values()) == best
        false += sum(bounds[pit] == best > exact[pit] for pit in exact)
    assert false


@pytest.mark.parametrize("kind", [MinimaxPlayer, AlphaBetaPlayer])
def test_depth_may_count_sowings(kind: type[TreePlayer]) -> None:
    """Then a re-turn costs as much as any sowing, and depth 1 does not see what follows it."""
    board = Board.start()
    turns, sowings = (kind(seed=1, depth=1, in_sowings=each).rate(board) for each in (False, True))
    assert (max(turns.values()), max(sowings.values())) == (2, 1)


def test_a_stronger_evaluation_prunes_more_when_it_orders_the_moves() -> None:
    """The article's claim holds where the evaluation sorts the moves, and not otherwise."""
    nodes = {}
    for evaluation in ("stores", "weighted"):
        for order in ("promise", "evaluation"):
            player = AlphaBetaPlayer(depth=5, order=order, evaluate=EVALUATIONS[evaluation])
            player.rate(Board.start())
            nodes[evaluation, order] = player.nodes
    assert nodes["weighted", "promise"] > nodes["stores", "promise"]
    assert nodes["weighted", "evaluation"] < nodes["stores", "promise"] / 2


def test_quiescence_sees_the_capture_behind_the_horizon() -> None:
    """At depth 1 pit 2 looks a seed better; the reply captures six."""
    board = Board.from_text("<3,3,2,0,1,2,0,0,4>")
    short = AlphaBetaPlayer(seed=1, depth=1)
    quiet = AlphaBetaPlayer(seed=1, depth=1, remedies=Remedies(quiescence=MOST))
    deep = AlphaBetaPlayer(seed=1, depth=2)
    assert (short.best(board), quiet.best(board), deep.best(board)) == ([2], [1], [1])
    assert quiet.rate(board)[2] == short.rate(board)[2] - 6


def test_quiescence_is_the_best_of_standing_and_of_captures_and_re_turns() -> None:
    """Every leaf is worth what the rules say, by a search without a window."""
    quiet = AlphaBetaPlayer(seed=1, depth=1, remedies=Remedies(quiescence=3))
    for board in boards_of(KALAH, seed=13):
        game = ClassicGame(board.rules)
        plain = {}
        for pit in board.legal():
            sown = game.sow(position_of(board), pit)
            value = _turn(game, sown.position, 1 if sown.again else 0, 3)
            plain[pit] = value if sown.again else -value
        ratings = quiet.rate(board)
        assert max(ratings.values()) == max(plain.values())
        assert quiet.best(board) == [p for p in plain if plain[p] == max(plain.values())]


def test_a_secondary_search_drops_a_move_whose_line_ends_badly() -> None:
    """The second look agrees with the deeper search where the first does not."""
    differing = 0
    for seed in range(20, 26):
        for board in boards_of(KALAH, seed=seed, every=1):
            first = AlphaBetaPlayer(seed=1, depth=1)
            second = AlphaBetaPlayer(seed=1, depth=1, remedies=Remedies(secondary=2))
            deep = AlphaBetaPlayer(seed=1, depth=3)
            if set(first.best(board)).isdisjoint(deep.best(board)):
                differing += set(second.best(board)) <= set(deep.best(board))
    assert differing >= 5


def test_a_singular_move_is_searched_a_turn_deeper() -> None:
    """Where one move stands out, more is visited, and never less."""
    usual = AlphaBetaPlayer(seed=1, depth=3)
    singular = AlphaBetaPlayer(seed=1, depth=3, remedies=Remedies(singular=2))
    more = 0
    for board in boards_of(KALAH, seed=14):
        usual.rate(board)
        singular.rate(board)
        assert singular.nodes >= usual.nodes
        more += singular.nodes > usual.nodes
    assert more


def test_a_forced_reply_is_singular() -> None:
    """Where the opponent has one reply only, depth 2 finds what depth 3 finds."""
    board = Board.from_text("<3,11,3,2,1,0,0,1,0>")
    extended = AlphaBetaPlayer(seed=1, depth=2, remedies=Remedies(singular=BOUND))
    deeper = AlphaBetaPlayer(seed=1, depth=3)
    usual = AlphaBetaPlayer(seed=1, depth=2)
    found = [max(player.rate(board).values()) for player in (extended, deeper, usual)]
    assert found[0] == found[1] != found[2]


@pytest.mark.parametrize("remedies", [Remedies(quiescence=6), Remedies(secondary=2)])
def test_remedies_gain_games_at_the_same_depth(remedies: Remedies) -> None:
    """What sees past the horizon beats what does not, over pairs of games with fixed seeds."""
    plain, careful = AlphaBetaPlayer(depth=1), AlphaBetaPlayer(depth=1, remedies=remedies)
    plain.new_game(3)
    careful.new_game(4)
    margin = 0
    for _ in range(20):
        margin += _played(careful, plain) - _played(plain, careful)
    assert margin > 0


def _played(first: AlphaBetaPlayer, second: AlphaBetaPlayer) -> int:
    board = Board.start()
    while not board.is_over:
        player = first if board.player == 0 else second
        board = board.sow(player.choose(board).pit).board
    return board.score()


def _turn(game: ClassicGame, position: tuple[int, ...], depth: int, sowings: int) -> float:
    moves = game.moves(position)
    if not moves:
        return stores(position)
    values: list[float] = [] if depth else [stores(position)]
    for pit in moves if depth or sowings else ():
        sown = game.sow(position, pit)
        if depth == 0 and not (sown.again or sown.captured):
            continue
        left = sowings if depth else sowings - 1
        value = _turn(game, sown.position, depth if sown.again else 0, left)
        values.append(value if sown.again else -value)
    return max(values)

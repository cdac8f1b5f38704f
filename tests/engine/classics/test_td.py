"""Learning from self-play."""

from random import Random

from mancala.engine.classics.game import ClassicGame, lead, position_of
from mancala.engine.classics.td import LEARNT, Learner, LearnerPlayer
from mancala.engine.evaluation.features import NAMES, SIZES, STORES, counts
from mancala.protocol.rules import KALAH, Board, Rules
from tests.engine.classics.positions import boards_of

SMALL = Rules(pits=3, seeds=2)


def test_a_learner_begins_with_the_difference_of_stores() -> None:
    """Before the first game no feature weighs anything; what the lead weighs is learnt, too."""
    learner = Learner(seed=1)
    assert set(learner.weights) == {STORES, *NAMES}
    position = (1, 0, 3, 0, 2, 5)
    assert learner.value(position) == lead(position)


def test_games_move_the_weights_within_their_ranges() -> None:
    """Even steps that are far too large leave no weight that the engine would refuse."""
    learner = Learner(SMALL, seed=2, step=10.0)
    for _ in range(20):
        learner.play()
    assert learner.games == 20
    assert any(learner.weights.values())
    for name, weight in learner.weights.items():
        low, high = LEARNT[name]
        assert low <= weight <= high


def test_a_difference_moves_the_weights_of_what_led_there() -> None:
    """A value that rises by 2 raises weights by the step, their traces and the features' sizes."""
    learner = Learner(SMALL, seed=3, step=0.01)
    learner._learn(2.0, {"tempo": 1.0, "my_seeds": 0.5, "their_chain": -1.0})
    moved = {name: round(weight, 9) for name, weight in learner.weights.items() if weight}
    assert moved == {"stores": 1.0, "tempo": 0.02, "my_seeds": 0.001, "their_chain": -0.02}


def test_no_feature_is_much_larger_than_the_size_it_is_divided_by() -> None:
    """Else its weight moves too far with each game, and the others learn slowly."""
    rng = Random(5)
    boards = [board for _ in range(10) for board in boards_of(KALAH, seed=rng.randrange(99))]
    totals = dict.fromkeys(NAMES, 0.0)
    for board in boards:
        for name, count in counts(position_of(board)).items():
            totals[name] += count / SIZES[name]
    large = {name: total / len(boards) for name, total in totals.items() if total > 2 * len(boards)}
    assert not large, f"enter their usual sizes in engine/evaluation/features.py: {large}"


def test_a_finished_game_is_worth_its_result() -> None:
    """The truth enters there, whatever the weights say."""
    learner = Learner(SMALL, seed=4)
    learner.weights["tempo"] = 4.0
    game = ClassicGame(SMALL)
    sown = game.sow((0, 0, 1, 5, 0, 2, 0, 4), 2)
    assert learner.worth(game, sown) == 6 - 6


def _result(player: LearnerPlayer) -> int:
    board = Board.start(SMALL)
    while not board.is_over:
        board = board.sow(player.choose(board).pit).board
    return board.score()

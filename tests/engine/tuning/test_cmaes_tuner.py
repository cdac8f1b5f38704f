"""Tuning by play: candidates are asked for, judged, and learnt from."""

import pytest

from mancala.engine.evaluation.features import NAMES, SCALE, STORES
from mancala.engine.evaluation.search_options import SearchOptions
from mancala.engine.evaluation.weights import Weights, shipped
from mancala.engine.tuning.cmaes_tuner import (
    CmaEsTuner,
    Generation,
    Parameter,
    ParameterPlace,
    Trial,
    Values,
    installed,
    options_text,
    parameters_of,
)

PARAMETERS = (
    Parameter("tempo", -2.0, 2.0, 0.0, 1 / 64, ParameterPlace.WEIGHTS),
    Parameter("my_chain", -1.0, 3.0, 0.0, 1 / 64, ParameterPlace.WEIGHTS),
    Parameter("quiescence", 0, 20, 6, 1, ParameterPlace.SEARCH),
)
GOAL = (0.5, 1.0, 9)


def nearness(values: Values) -> float:
    """Judge candidates without a game: the nearer to the goal, the better."""
    shares = zip(PARAMETERS, values, GOAL, strict=True)
    return -sum(((value - goal) / each.span) ** 2 for each, value, goal in shares)


def evolved(generations: int, *, seed: int = 3) -> tuple[CmaEsTuner, list[list[Values]]]:
    tuner = CmaEsTuner(PARAMETERS, population=12, seed=seed)
    asked = []
    for _ in range(generations):
        asked.append(tuner.ask())
        tuner.tell([nearness(values) for values in asked[-1]])
    return tuner, asked


def test_a_tuner_finds_what_is_best() -> None:
    """Weights come near it, and a whole number meets it."""
    tuner, _ = evolved(60)
    tempo, chain, quiescence = tuner.found
    assert (tempo, chain) == pytest.approx(GOAL[:2], abs=0.05)
    assert quiescence == GOAL[2]


def test_candidates_keep_to_their_ranges_and_grains() -> None:
    """No candidate is refused by what it is for."""
    _, asked = evolved(30)
    for values in [values for generation in asked for values in generation]:
        for each, value in zip(PARAMETERS, values, strict=True):
            assert each.low <= value <= each.high
            assert value % each.grain == 0


def test_before_anything_was_told_the_start_is_found() -> None:
    """Nothing learnt, nothing changed."""
    assert CmaEsTuner(PARAMETERS, population=4, seed=1).found == (0.0, 0.0, 6)


def test_the_same_seed_and_answers_ask_for_the_same() -> None:
    """That is how a run is taken up again; another seed goes another way."""
    assert evolved(5)[1] == evolved(5)[1]
    assert evolved(5)[1] != evolved(5, seed=4)[1]


def test_what_is_found_goes_where_it_belongs() -> None:
    """Weights into the weights, a number of the search beside them, the origin with both."""
    weights = installed(Weights(), PARAMETERS, (0.5, 1.0, 9), provenance="a test")
    assert (weights["tempo"], weights["my_chain"]) == (0.5, 1.0)
    assert weights.search == SearchOptions(quiescence=9)
    assert weights.provenance == "a test"


def test_only_what_differs_is_written_in_a_players_text() -> None:
    """The start itself needs no words."""
    assert options_text(PARAMETERS, (0.5, 0.0, 9.0)) == "tempo=0.5,quiescence=9"
    assert options_text(PARAMETERS, (0.0, 0.0, 6.0)) == ""


def test_everything_that_a_short_search_heeds_can_be_tuned() -> None:
    """All names, the scale of tables where there are some, and the search without its proofs."""
    search = SearchOptions()
    names = [each.name for each in parameters_of(shipped(), search)]
    assert set(names) == {*NAMES, STORES, SCALE, *search.ranges()} - {"proof_share"}
    assert SCALE not in [each.name for each in parameters_of(Weights(), search)]
    chosen = parameters_of(shipped(), search, [ParameterPlace.SEARCH])
    assert {each.place for each in chosen} == {ParameterPlace.SEARCH}
    for each in parameters_of(shipped(), search):
        assert each.low <= each.start <= each.high
        if each.place is ParameterPlace.SEARCH:
            low, high = search.ranges()[each.name]
            assert low <= each.low < each.high <= min(high, max(2 * each.start, each.start + 4))


def test_fitness_knows_close_games_from_clear_ones() -> None:
    """A game's sign is its result; near a draw a seed counts more than in a rout."""
    close, won, rout = (Trial((0.0,), ((margin, margin),)).fitness for margin in (1, 12, 40))
    assert 0 < close < won < rout < 1
    assert Trial((0.0,), ((5, -5),)).fitness == 0
    assert Trial((0.0,), ((5, 0), (-5, 2))).score == 0.625


def test_a_generation_is_as_sure_as_its_openings_agree() -> None:
    """All candidates share them, so it is they that are counted."""
    agreeing = Generation(0, (Trial((0.0,), ((3, 3),) * 8), Trial((1.0,), ((3, 3),) * 8)))
    split = Generation(0, (Trial((0.0,), ((3, 3), (-3, -3)) * 4),))
    assert agreeing.fitness.error == 0
    assert split.fitness.error > 0.1
    assert agreeing.course(0) == (0.5, 0.5)
    assert agreeing.score == 1.0

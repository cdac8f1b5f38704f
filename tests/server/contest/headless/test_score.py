"""Where a match stands."""

from random import Random

import pytest
from msgspec.structs import replace

from mancala.protocol.clock import TimeControl
from mancala.protocol.messages import Evidence, Reason
from mancala.protocol.record import RecordedMove
from mancala.server.contest.headless.game import Task
from mancala.server.contest.headless.played_game import PlayedGame
from mancala.server.contest.headless.score import Lateness, MatchScore, lateness_of
from mancala.server.rating.sprt import Sprt
from tests.server.contest.headless.players import down, finished


def games(winners: list[str | None]) -> list[PlayedGame]:
    played = []
    for number, winner in enumerate(winners):
        seats = ("ada", "bob") if number % 2 == 0 else ("bob", "ada")
        seat = None if winner is None else seats.index(winner)
        played.append(finished(Task(number, seats), seat))
    return played


def test_pairs_count_whole_and_in_order() -> None:
    """A game counts once its pair is complete and all pairs before it have counted."""
    match = games(["ada", "bob", "ada", None])
    score = MatchScore("ada")
    assert score.add(match[3]) == []
    assert score.add(match[0]) == []
    assert score.add(match[1]) == match[:2]
    assert score.add(match[2]) == match[2:]
    assert (score.wins, score.draws, score.losses) == (2, 1, 1)
    assert score.counts.counts == (0, 0, 1, 1, 0)


def test_a_pair_with_a_void_game_counts_nowhere() -> None:
    """Not in the score, the Elo or the forfeits; the void games are counted, and the match ends."""
    match = games(["ada", "bob", "ada", "ada"])
    score = MatchScore("ada")
    for game in (down(Task(0, ("ada", "bob")), 1), *match[1:]):
        score.add(game)
    found = score.summary()
    assert (score.taken, found["games"], found["wins"], found["losses"]) == (4, 2, 2, 0)
    assert (found["void_games"], found["outages"]) == (2, {"bob": 1})
    assert (found["first_outage"], found["forfeits"], found["reasons"]) == (
        "no answer",
        {},
        {"normal": 2},
    )


def test_the_order_of_arrival_changes_nothing() -> None:
    """A test ends after the same pair, whichever worker was faster."""
    rng = Random(1)
    match = games([rng.choice(["ada", "ada", "ada", "bob", None]) for _ in range(400)])
    summaries = []
    for seed in range(5):
        score = MatchScore("ada", Sprt(0, 40))
        for game in Random(seed).sample(match, len(match)):
            score.add(game)
        summaries.append(score.summary())
    assert summaries[0]["verdict"] == "H1"
    assert summaries[0]["games"] < 400
    assert all(summary == summaries[0] for summary in summaries)


def test_the_summary_has_all_that_is_promised() -> None:
    """What ``--json`` promises is there before the first pair, too."""
    promised = {"wins", "draws", "losses", "score", "elo", "elo_error", "los", "pairs"}
    assert promised <= MatchScore("ada").summary().keys()
    assert promised | {"llr", "verdict"} <= MatchScore("ada", Sprt(0, 5)).summary().keys()


def test_a_game_keeps_its_opening_and_margin() -> None:
    """What tables need of a game is who sat where, who won, by how much, and from where."""
    board = "<6,2,1,0,5,5,4,4,4,4,4,4,4,4,3>"
    game = finished(Task(0, ("ada", "bob"), board), 1, (20, 28)).rated
    assert (game.first, game.second, game.winner) == ("ada", "bob", 1)
    assert (game.margin, game.opening) == (-8, board)


def test_a_game_without_a_result_is_refused() -> None:
    """Nothing is invented for a game whose end is unknown."""
    record = replace(finished(Task(0, ("ada", "bob"))).record, result=None)
    with pytest.raises(ValueError, match="no result"):
        _ = PlayedGame.of(0, record).rated


def test_forfeits_are_left_out_of_a_second_elo() -> None:
    """A pair with a forfeit counts for the score, and not for the Elo without forfeits."""
    match = games(["ada", "bob", "bob", "bob"])
    result = match[3].record.result
    assert result is not None
    lost = replace(result, reason=Reason.TIMEOUT, evidence=Evidence(1, "too late"))
    seat = match[3].record.players[1 - (lost.winner or 0)].name
    match[3] = PlayedGame.of(match[3].number, replace(match[3].record, result=lost))
    score = MatchScore("ada")
    for game in match:
        score.add(game)
    summary = score.summary()
    assert summary["forfeits"] == {seat: 1}
    assert summary["first_forfeit"] == "too late"
    assert (summary["pairs"], summary["pairs_without_forfeits"]) == (2, 1)
    assert summary["elo"] < summary["elo_without_forfeits"] == 0


def test_lateness_that_the_margin_excuses_is_counted() -> None:
    """Of a limit of 300 ms with a margin of 200, an answer after 150 ms was 50 ms late."""
    (game,) = games(["ada"])
    moves = tuple(RecordedMove(0, 0, elapsed_ms=ms) for ms in (99.0, 150.0, 110.0))
    record = replace(game.record, moves=moves, clock=TimeControl(move_ms=300))
    late = PlayedGame.of(game.number, record)
    assert lateness_of([late], 200) == {"ada": Lateness(2, 60.0, 50.0)}
    assert lateness_of([late], 0) == {}

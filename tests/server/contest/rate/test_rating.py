"""What is reported of a player: which games count, and when nothing is said."""

import pytest

from mancala.protocol.clock import TimeControl
from mancala.protocol.loss import ProvenPosition
from mancala.protocol.messages import Dialogue, Info, Reason
from mancala.protocol.rules import KALAH
from mancala.server.contest.headless.game import Conditions, Task, Unfinished, play, wedged
from mancala.server.contest.rate.answers import PositionAnswer
from mancala.server.contest.rate.gauntlet import PLAYER, Meeting
from mancala.server.contest.rate.rating import PlayerRating
from tests.server.contest.headless.players import AnyPitPlayer, BrokenPlayer, finished

CONDITIONS = Conditions(KALAH, TimeControl(move_ms=1000), 0.1)


def meeting(number: int, level: int, *, lost_by: str = "") -> Meeting:
    """Return two won games, the first of them lost by a worker's end if a name is given."""
    seats = (PLAYER, f"level {level}")
    one = Task(2 * number, seats)
    there = finished(one)
    if lost_by:
        there = wedged(
            one, CONDITIONS, Unfinished(one.number, seats.index(lost_by), (), 1.0), "lost"
        )
    return Meeting(level, (there, finished(Task(2 * number + 1, seats[::-1]), winner=1)))


def rated(meetings: list[Meeting]) -> PlayerRating:
    return PlayerRating("me", 1, meetings=meetings)


def test_a_pair_that_a_level_forfeited_a_game_of_is_void_and_counted() -> None:
    """It moves neither the place nor the score, and the level and the reason are named."""
    fair = [meeting(number, 4) for number in range(10)]
    void = meeting(10, 5, lost_by="level 5")
    assert rated([*fair, void]).place == rated(fair).place
    found = rated([*fair, void]).to_dict()
    assert (found["games"], found["void_games"]) == (20, 2)
    assert found["void"] == {"level 5": {"wedged": 1}}
    assert [level["level"] for level in found["levels"]] == [4]
    assert found["no_verdict"] is None


def test_nothing_is_said_where_too_many_games_are_void() -> None:
    """More than a tenth of the pairs: no Elo, and the reason."""
    found = rated([*(meeting(n, 4) for n in range(8)), meeting(8, 9, lost_by="level 9")]).to_dict()
    assert found["elo"] is None
    assert found["no_verdict"] == "1 of 9 pairs of games are void: no Elo is stated"


def test_a_game_that_the_player_forfeits_is_a_loss() -> None:
    """Its own failures count."""
    found = rated([meeting(0, 4, lost_by=PLAYER)]).to_dict()
    assert found["games"] == 2
    assert found["void_games"] == 0
    assert found["faults"] == {"wedged": 1}


def test_openings_are_stated_apart() -> None:
    """They have a phase of their own, and do not count in the loss of the others."""
    rating = PlayerRating("greedy", 1)
    for phase, pit in (("opening", 0), ("late", 1)):
        rating.asked.append(PositionAnswer(ProvenPosition(0, phase, "", {0: 0, 1: 4}), pit))
    assert {name: loss.loss for name, loss in rating.phases.items()} == {"opening": 4, "late": 0}
    assert rating.loss is not None
    assert rating.loss.loss == 0
    assert [answer.lost for answer in rating.dearest] == [4]


def test_what_repeats_differ_by_follows_from_positions_asked_twice() -> None:
    """Losses of 0 and 4 in one of two positions of 8 in all: a variance of 8 twice, of 16."""
    one, other = (ProvenPosition(n, "late", f"<{n}>", {0: 0, 1: 4}) for n in (1, 2))
    rating = PlayerRating("me", 1)
    rating.asked += [PositionAnswer(one, 0), PositionAnswer(one, 1), PositionAnswer(other, 0)]
    assert rating.repeat_error is None
    rating.asked.append(PositionAnswer(other, 0))
    assert rating.repeat_error == pytest.approx(4 / 16)


def test_what_a_model_used_is_summed() -> None:
    """Of all answers, those without a move among them; a cost that one lacks is unknown."""
    position = ProvenPosition(0, "late", "", {0: 0, 1: 4})
    rating = PlayerRating("llm", 1, asked=[PositionAnswer(position, 0)])
    assert "model" not in rating.to_dict()
    for cut, cost in ((1, 0.5), (0, None)):
        dialogue = Dialogue("", "", 2, 10, 5, cost, cut)
        rating.asked.append(PositionAnswer(position, None, dialogue=dialogue))
    used = {"answers": 2, "tries": 4, "cut": 1, "prompt_tokens": 20, "answer_tokens": 10}
    assert rating.to_dict()["model"] == {"positions": {**used, "cost": None}}


def test_what_a_model_used_for_an_answer_that_was_no_move_is_summed() -> None:
    """It cost as much; an answer that never came is none."""
    seats = (PLAYER, "level 4")
    found = []
    for number, tries in enumerate((2, 0)):
        info = Info(dialogue=Dialogue("", "", tries, 10 * tries, 0))
        players = BrokenPlayer(is_outage=True, info=info), AnyPitPlayer()
        found.append(play(Task(number, seats), players, CONDITIONS, lambda: 0.0))
    used = rated([Meeting(4, (found[0], found[1]))]).models["games"]
    assert (used.answers, used.tries, used.prompt_tokens) == (1, 2, 20)


def test_what_an_outage_kept_from_an_answer_is_no_move() -> None:
    """It is counted apart, and loses nothing; without any answer no loss is stated."""
    position = ProvenPosition(0, "late", "", {0: 0, 1: 4})
    away = PositionAnswer(position, None, fault=Reason.DISCONNECTED, is_outage=True)
    rating = PlayerRating("llm:m@http://127.0.0.1", 1, asked=[away])
    assert rating.to_dict()["loss"] is rating.to_dict()["best_share"] is None
    rating.asked.append(PositionAnswer(position, 1))
    found = rating.to_dict()
    assert (found["loss"], found["positions"], found["outages"]) == (0, 1, 1)
    assert found["dearest"] == []

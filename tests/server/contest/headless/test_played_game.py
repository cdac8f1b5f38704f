"""A finished game: its line, its facts, and what it is after a journey."""

import pickle

import pytest
from msgspec import structs

from mancala.protocol import codec
from mancala.protocol.messages import Evidence, Reason
from mancala.server.contest.headless.game import Task
from mancala.server.contest.headless.played_game import GameLine, PlayedGame, Remark
from tests.server.contest.headless.players import finished

GAME = finished(Task(4, ("ada", "bob")), winner=1, stores=(20, 28))


def test_a_line_is_the_whole_game_as_json() -> None:
    """The line of a game makes the same game again, its remarks included."""
    game = PlayedGame.of(4, GAME.record, (Remark(0, 1, "hello"),))
    assert PlayedGame.from_line(game.line) == game
    assert codec.from_json(game.line, GameLine) == GameLine(4, game.record, game.stderr)
    assert codec.to_json(GameLine(4, game.record, game.stderr)) == game.line


def test_facts_survive_the_way_from_a_worker() -> None:
    """A game that was sent has the same facts, record and line."""
    sent = pickle.loads(pickle.dumps(GAME))  # noqa: S301  # as workers send it
    assert sent.facts == GAME.facts
    assert (sent.number, sent.record, sent.line) == (4, GAME.record, GAME.line)


def test_facts_say_what_scores_need() -> None:
    """Names, opening, result and moves; who forfeited only where evidence says so."""
    facts = GAME.facts
    assert facts.players == ("ada", "bob")
    assert facts.opening == "<6,0,0,4,4,4,4,4,4,4,4,4,4,4,4>"
    assert (facts.winner, facts.margin, facts.reason) == (1, -8, Reason.NORMAL)
    assert (facts.plies, facts.forfeiter) == (0, None)
    assert GAME.record.result is not None
    late = structs.replace(GAME.record.result, evidence=Evidence(0, "too late"))
    assert PlayedGame.of(4, structs.replace(GAME.record, result=late)).facts.forfeiter == "ada"


def test_a_line_that_is_no_game_is_refused() -> None:
    """What cannot be read raises, as every document does."""
    with pytest.raises(codec.DecodeError):
        PlayedGame.from_line(b'{"number":"one"}')

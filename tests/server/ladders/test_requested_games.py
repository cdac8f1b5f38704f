"""Games that bots ask for themselves, counted in a ladder of their own."""

from typing import Any

import pytest

from mancala.protocol import messages as wire
from mancala.protocol.clock import TimeControl
from mancala.server.config.ladders import LadderSettings
from mancala.server.config.settings import Config
from mancala.server.model.journal import MatchOpened
from tests.server.fakes import FakeSeat, Harness, play_out

FAST, SLOW = TimeControl(move_ms=1000), TimeControl(move_ms=60_000)


def serve(**changes: Any) -> Harness:  # noqa: ANN401  # whatever a setting is
    ladders = (
        LadderSettings(name="main", clock=FAST),
        LadderSettings(name="slow-requests", clock=SLOW, requests=True),
        LadderSettings(name="requests", clock=FAST, requests=True, **changes),
    )
    return Harness(Config(name="test", grace_s=30.0, ladder=ladders))


def challenged(harness: Harness, challenge: wire.Challenge) -> tuple[FakeSeat, FakeSeat]:
    ann, bob = harness.greet_all("ann", "bob")
    harness.say(ann, challenge)
    harness.say(bob, wire.Accept(bob.last(wire.Challenged).challenge))
    return ann, bob


def games_of(harness: Harness) -> dict[str, dict[str, int]]:
    ladders = harness.sessions.ladders.all_ladders
    found = {each.name: {row.name: row.games for row in each.state.standings()} for each in ladders}
    return {name: rows for name, rows in found.items() if rows}


def test_a_rated_challenge_counts_in_the_ladder_of_requests_alone() -> None:
    """All games of the match count where rules and clock are the ladder's."""
    harness = serve()
    ann, bob = challenged(harness, wire.Challenge("bob", games=4))
    assert ann.last(wire.GameStart).rated
    play_out(harness, ann, bob)
    assert games_of(harness) == {"requests": {"ann": 4, "bob": 4}}
    over = ann.last(wire.MatchOver)
    assert over.ratings is not None
    assert over.ratings.keys() == {"ann", "bob"}


def test_the_clock_says_which_ladder_of_requests_counts() -> None:
    """Games of two clocks are not rated as one."""
    harness = serve()
    play_out(harness, *challenged(harness, wire.Challenge("bob", clock=SLOW)))
    assert games_of(harness) == {"slow-requests": {"ann": 2, "bob": 2}}


def test_two_seeks_are_a_request_as_well() -> None:
    """They count like a challenge."""
    harness = serve()
    ann, bob = harness.greet_all("ann", "bob")
    harness.say_all(wire.Seek(games=2), ann, bob)
    play_out(harness, ann, bob)
    assert games_of(harness) == {"requests": {"ann": 2, "bob": 2}}


@pytest.mark.parametrize(
    "challenge",
    [
        wire.Challenge("bob", rated=False),
        wire.Challenge("bob", rules="article"),
        wire.Challenge("bob", clock=TimeControl(move_ms=5000)),
    ],
)
def test_what_no_ladder_counts_is_not_rated_and_the_bots_hear_it(challenge: wire.Challenge) -> None:
    """Unrated games, other rules and other clocks count nowhere."""
    harness = serve()
    ann, bob = challenged(harness, challenge)
    assert not ann.last(wire.GameStart).rated
    assert not bob.last(wire.GameStart).rated
    play_out(harness, ann, bob)
    assert games_of(harness) == {}


@pytest.mark.parametrize("takes_no_bob", [True, False])
def test_a_game_that_no_ladder_of_requests_takes_is_counted_by_none(*, takes_no_bob: bool) -> None:
    """Names and tokens are asked for as in any ladder; without such one it is played as rated."""
    plain = Config(ladder=(LadderSettings(name="main"),))
    harness = serve(names=("a*",)) if takes_no_bob else Harness(plain)
    ann, bob = challenged(harness, wire.Challenge("bob"))
    assert ann.last(wire.GameStart).rated is not takes_no_bob
    play_out(harness, ann, bob)
    assert games_of(harness) == {}


def test_no_bot_joins_a_ladder_of_requests() -> None:
    """It is not listed among those that may be joined, and says what to do instead."""
    harness = serve()
    ann = harness.greet("ann")
    harness.say(ann, wire.List(wire.Listable.LADDERS), wire.Join("requests"))
    assert [each.ladder for each in ann.last(wire.Listing).ladders or ()] == ["main"]
    refused = ann.last(wire.Error)
    assert (refused.code, refused.ref) == (wire.ErrorCode.FORBIDDEN, "requests")
    assert "challenge a bot" in refused.message


def test_the_journal_knows_which_ladder_counts_a_requested_match() -> None:
    """So the next server counts the games that are left."""
    harness = serve()
    challenged(harness, wire.Challenge("bob", games=2))
    (opened,) = [each for each in harness.journal.entries if isinstance(each, MatchOpened)]
    assert opened.ladder_context is not None
    assert opened.ladder_context.ladder == "requests"

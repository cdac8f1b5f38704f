"""The places of the house bots: lent in turns, also over a restart."""

from typing import Any

import pytest

from mancala.protocol import messages as wire
from mancala.protocol.clock import TimeControl
from mancala.protocol.rules import KALAH
from mancala.server.config.ladders import LadderSettings
from mancala.server.config.settings import Config, Play
from mancala.server.health.fairness import Fairness
from mancala.server.lobby.house import IDLE_S, LONGEST_LEASES, longest_turn_s
from mancala.server.model.journal import KeptMatch
from mancala.server.model.match import Match, Terms
from mancala.server.model.timestamps import later
from tests.server.fakes import UTC, FakeSeat, Harness, answer

SLOW = TimeControl(move_ms=3_600_000)
LEASE_S = 300.0
LONGEST_S = LONGEST_LEASES * LEASE_S


class HouseHarness(Harness):
    """A lobby with a house bot that has two places, and accepts each challenge that it gets."""

    def __init__(self) -> None:
        settings = Play(challenges=2, lease_s=LEASE_S, longest_turn_s=3600.0)
        ladder = LadderSettings(name="main", clock=SLOW, house={"level": "random"})
        super().__init__(Config(grace_s=30.0, play=settings, ladder=(ladder,)))
        self.level = self.greet("level", token="of the house")  # noqa: S106  # no secret
        self._accepted = 0

    def challenge(self, name: str, **terms: Any) -> FakeSeat:  # noqa: ANN401  # whatever a term is
        seat = self.greet(name)
        self.say(seat, wire.Challenge("level", **{"clock": SLOW} | terms))
        self.accept()
        return seat

    def accept(self) -> None:
        for challenged in self.level.of(wire.Challenged)[self._accepted :]:
            self._accepted += 1
            self.say(self.level, wire.Accept(challenged.challenge))

    def wait(self, seconds: float) -> None:
        self.clock.pass_by(seconds)
        self.utc = later(self.utc, seconds)
        self.accept()


@pytest.fixture
def harness() -> HouseHarness:
    return HouseHarness()


def test_a_challenge_that_finds_all_places_taken_waits(harness: HouseHarness) -> None:
    """It is not declined; the first that ends makes room for it."""
    one, _two, three = (harness.challenge(name) for name in ("one", "two", "three"))
    assert three.of(wire.Challenged)
    assert not three.of(wire.GameStart)
    assert not three.of(wire.Error)
    harness.leave(one)
    harness.accept()
    assert three.of(wire.GameStart)


def test_a_silent_stranger_gives_his_places_back(harness: HouseHarness) -> None:
    """The longest held first, whatever clock and number of games he asked for."""
    hog, other, visitor = (
        harness.challenge("hog", games=100),
        harness.challenge("other", games=100),
        harness.challenge("visitor"),
    )
    harness.wait(IDLE_S - 1.0)
    assert not visitor.of(wire.GameStart)
    harness.wait(2.0)
    assert hog.last(wire.GameOver).reason is wire.Reason.ABORTED
    assert "another player waits" in str(hog.last(wire.GameOver).evidence)
    assert hog.of(wire.MatchOver)
    assert not other.of(wire.GameOver)
    assert visitor.of(wire.GameStart)


def test_a_lease_is_kept_by_playing(harness: HouseHarness) -> None:
    """Silent strangers held all places for 15 minutes, again and again."""
    player, hog = (harness.challenge(name, games=100) for name in ("player", "hog"))
    harness.wait(LEASE_S)
    visitor = harness.challenge("visitor")
    moves_at = IDLE_S / 2
    harness.wait(moves_at)
    answer(harness, player)
    harness.wait(moves_at - 1.0)
    assert not visitor.of(wire.GameStart)
    harness.wait(2.0)
    assert "no move for 60 s" in str(hog.last(wire.GameOver).evidence)
    assert not player.of(wire.GameOver)
    assert visitor.of(wire.GameStart)
    harness.challenge("late")
    harness.wait(IDLE_S + 1.0)
    assert visitor.of(wire.GameOver)
    assert not player.of(wire.GameOver)  # it is the house bot's turn


def test_games_lost_without_a_move_keep_no_place(harness: HouseHarness) -> None:
    """A short clock and many games held a place for the length of a lease."""
    clock = TimeControl(move_ms=round(1000 * IDLE_S / 2))
    hog, player = (harness.challenge(name, clock=clock, games=100) for name in ("hog", "player"))
    visitor = harness.challenge("visitor")
    replied = 0
    for _ in range(3):
        harness.wait(IDLE_S / 3)
        answer(harness, player)
        while turns := harness.level.of(wire.Turn)[replied:]:
            replied += 1
            harness.say(harness.level, wire.Move(turns[0].game, turns[0].ply, turns[0].legal[0]))
    harness.wait(1.0)
    assert len(hog.of(wire.GameOver)) > 1
    assert "no move for 60 s" in str(hog.last(wire.GameOver).evidence)
    assert not player.of(wire.MatchOver)
    assert visitor.of(wire.GameStart)


def test_no_match_is_interrupted_while_none_waits(harness: HouseHarness) -> None:
    """A place that no other wants is kept."""
    hog, _other = harness.challenge("hog"), harness.challenge("other")
    harness.wait(3 * LONGEST_S)
    assert not hog.of(wire.GameOver)


def test_a_place_is_asked_for_while_a_late_server_begins_no_game(
    harness: HouseHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A match that waits for its first game is left alone; who comes then waits for a place."""
    monkeypatch.setattr(Fairness, "may_begin", lambda _self: False)
    first, _second = harness.challenge("first"), harness.challenge("second")
    visitor = harness.challenge("visitor")
    assert not visitor.of(wire.Error)
    assert not first.of(wire.GameStart)
    assert not first.of(wire.MatchOver)


def test_a_long_match_yields_between_two_games(harness: HouseHarness) -> None:
    """After the length of a lease, with the score as it stands; until then it goes on."""
    grinder, other = harness.challenge("grinder", games=100), harness.challenge("other", games=100)
    harness.wait(LEASE_S + 1.0)
    harness.say(grinder, wire.Resign(grinder.game))
    assert not grinder.of(wire.MatchOver)
    visitor = harness.challenge("visitor")
    harness.say(other, wire.Resign(other.game))
    assert not other.of(wire.MatchOver), "the one that held longest yields"
    harness.say(grinder, wire.Resign(grinder.game))
    harness.accept()
    assert grinder.last(wire.MatchOver).score == {"grinder": 0.0, "level": 2.0}
    assert visitor.of(wire.GameStart)


def test_a_stranger_who_asks_again_waits_behind_others(harness: HouseHarness) -> None:
    """One waiting challenge a name; who holds a place comes after those who hold none."""
    hogs = [harness.challenge(name) for name in ("hog1", "hog2")]
    for hog in (*hogs, hogs[0]):
        harness.say(hog, wire.Challenge("level", clock=SLOW))
    assert hogs[0].last(wire.Error).code is wire.ErrorCode.LIMIT
    assert "waits for a place of level already" in hogs[0].last(wire.Error).message
    visitor = harness.challenge("visitor")
    harness.wait(LONGEST_S + 1.0)
    assert visitor.of(wire.GameStart)


def test_who_withdraws_or_leaves_waits_no_longer(harness: HouseHarness) -> None:
    """Its place in the line is free for others."""
    one, *_ = (harness.challenge(name) for name in ("one", "two"))
    three, four, five = (harness.challenge(name) for name in ("three", "four", "five"))
    harness.say(three, wire.Decline(three.last(wire.Challenged).challenge))
    harness.drop(four)
    harness.say(one, wire.Resign(one.game))
    harness.leave(one)
    harness.accept()
    assert not three.of(wire.GameStart)
    assert five.of(wire.GameStart)


def test_places_held_before_a_restart_are_given_back_as_if_there_had_been_none() -> None:
    """The lease counts from when the match began, by the time of day."""
    harness = HouseHarness()
    harness.utc = later(UTC, LONGEST_S + 1.0)
    terms = Terms(KALAH, SLOW, rated=True, games=100)
    kept = [
        KeptMatch(
            Match(f"m{n}", (f"hog{n}", "level"), terms, UTC), running=False, began_at=UTC, moves=()
        )
        for n in (1, 2)
    ]
    harness.sessions.restore([], kept)
    visitor = harness.challenge("visitor")
    harness.accept()
    assert visitor.of(wire.GameStart)


def test_a_match_of_the_ladder_is_not_interrupted(harness: HouseHarness) -> None:
    """It takes a place like any other, and keeps it."""
    member = harness.greet("member")
    for seat in (harness.level, member):
        harness.say(seat, wire.Join("main"))
    harness.clock.pass_by(0.0)
    hog, visitor = harness.challenge("hog"), harness.challenge("visitor")
    assert not visitor.of(wire.GameStart)
    game = member.game
    harness.wait(LONGEST_S + 1.0)
    assert visitor.of(wire.GameStart)
    assert hog.last(wire.GameOver).reason is wire.Reason.ABORTED
    assert all(
        over.reason is not wire.Reason.ABORTED
        for over in member.of(wire.GameOver)
        if over.game == game
    )


@pytest.mark.parametrize(
    ("terms", "what"),
    [
        ({"clock": TimeControl(move_ms=604_800_000)}, "ask for a faster clock"),
        ({"clock": SLOW, "games": 1000}, "ask for fewer"),
    ],
)
def test_clocks_and_lengths_of_the_house_are_bounded(
    harness: HouseHarness, terms: dict[str, Any], what: str
) -> None:
    """A challenge beyond them is refused, with what to do; other bots decide for themselves."""
    ann, _bob = harness.greet_all("ann", "bob")
    harness.say(ann, wire.Challenge("level", **terms))
    assert ann.code is wire.ErrorCode.LIMIT
    assert what in ann.last(wire.Error).message
    harness.say(ann, wire.Challenge("bob", **terms))
    assert ann.of(wire.Challenged)


def test_the_longest_turn_of_a_clock() -> None:
    """The shorter of move and bank, with the increment."""
    assert longest_turn_s(TimeControl(move_ms=5000, bank_ms=60_000)) == 5.0
    assert longest_turn_s(TimeControl(move_ms=None, bank_ms=60_000, increment_ms=1000)) == 61.0

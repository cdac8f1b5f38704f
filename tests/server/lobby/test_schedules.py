"""When a bot plays next, for everyone who asks."""

from mancala.protocol.messages import (
    Accept,
    Challenge,
    Challenged,
    Decline,
    GameStart,
    Join,
    MatchOrigin,
    NextMatch,
    Schedule,
    Scheduled,
    Seek,
    Unseek,
)
from mancala.server.config.events import EventSettings
from mancala.server.config.ladders import LadderSettings
from mancala.server.config.settings import Config, Play
from mancala.server.contest.events.lifecycle import EventStep
from mancala.server.model.orders import Switch, SwitchKind
from tests.server.contest.live.final_event import take
from tests.server.fakes import UTC, FakeSeat, Harness, paired


def asked(harness: Harness, seat: FakeSeat, bot: str | None = None) -> tuple[NextMatch, ...]:
    harness.say(seat, Schedule(bot))
    answer = seat.last(Scheduled)
    assert bot in (None, answer.bot)
    return answer.matches


def test_a_bot_that_asked_for_nothing_waits_for_nothing() -> None:
    """Nor does one that is not there; anyone may ask."""
    harness = Harness()
    ann = harness.greet("ann")
    assert asked(harness, ann) == ()
    assert ann.last(Scheduled).bot == "ann"
    assert asked(harness, ann, "nobody") == ()


def test_a_match_under_way_comes_first_with_the_games_that_are_left() -> None:
    """And its opponent; a seek follows."""
    harness = Harness()
    ann, _bob = paired(harness, Seek(games=4))
    assert ann.last(GameStart).opponent.name == "bob"
    harness.say(ann, Seek(games=2, opponent="cid"))
    assert asked(harness, harness.greet("eve"), "ann") == (
        NextMatch(MatchOrigin.MATCH, opponent="bob", games=4),
        NextMatch(MatchOrigin.SEEK, opponent="cid", games=2, waits_for="cid to seek the same"),
    )


def test_a_member_of_a_ladder_hears_what_it_waits_for() -> None:
    """The present match comes first; a pause of the operator goes before all other reasons."""
    harness = Harness(Config(ladder=(LadderSettings(name="main", games=2),)))
    ann = harness.greet("ann")
    harness.say(ann, Join("main"))
    alone = NextMatch(MatchOrigin.LADDER, "main", games=2, waits_for="another bot to join")
    assert asked(harness, ann) == (alone,)
    harness.say(harness.greet("bob"), Join("main"))
    harness.clock.pass_by(0.0)
    after = NextMatch(MatchOrigin.LADDER, "main", games=2, waits_for="its present match to end")
    assert asked(harness, ann) == (NextMatch(MatchOrigin.MATCH, "main", "bob", 2), after)
    harness.sessions.orders.switch_on(Switch(SwitchKind.PAUSED, "main", "", UTC))
    assert asked(harness, ann)[1].waits_for == "the organiser: the ladder main is paused"


def test_an_entrant_hears_of_its_encounter() -> None:
    """Whether or not it is connected."""
    settings = EventSettings(name="final", format="rr", entrants=("ann", "bob"))
    harness = Harness(Config(event=(settings,)))
    harness.sessions.restore([], [])
    take(harness, EventStep.PAIR)
    eve = harness.greet("eve")
    assert [each.waits_for for each in asked(harness, eve, "bob")] == ["bob to connect"]


def test_a_challenge_waits_for_its_answer_or_for_a_place() -> None:
    """How many wait for a place of a house bot is said."""
    play = Play(challenges=1)
    ladder = LadderSettings(name="main", house={"robo": "random"})
    harness = Harness(Config(play=play, ladder=(ladder,)))
    harness.greet("robo", token="a-token", challenges=True)  # noqa: S106  # no secret
    ann, bob = harness.greet_all("ann", "bob")
    harness.say_all(Challenge("robo", games=2), ann, bob)
    waiting = "a place of robo; challenges that wait for one: 1"
    assert [each.waits_for for each in asked(harness, ann)] == ["robo to accept"]
    assert asked(harness, bob) == (
        NextMatch(MatchOrigin.CHALLENGE, opponent="robo", games=2, waits_for=waiting),
    )


def test_a_match_that_can_not_be_prevented_any_more_is_under_way() -> None:
    """Neither `unseek` nor `decline` has an answer: a bot that stops goes by this one."""
    harness = Harness()
    ann, bob, cid = harness.greet_all("ann", "bob", "cid")
    harness.journal.is_slow = True
    harness.say(ann, Seek(), Unseek(), Seek())
    harness.say(bob, Seek(), Unseek())
    assert asked(harness, bob) == (NextMatch(MatchOrigin.MATCH, opponent="ann", games=2),)
    harness.say(cid, Challenge("ann"))
    challenge = ann.last(Challenged).challenge
    harness.say(ann, Accept(challenge))
    harness.say(cid, Decline(challenge))
    assert asked(harness, cid) == (NextMatch(MatchOrigin.MATCH, opponent="ann", games=2),)
    assert not bob.of(GameStart)
    assert not cid.of(GameStart)

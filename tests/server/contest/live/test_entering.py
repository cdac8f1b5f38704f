"""Bots enter an event by themselves, check in, come late, and withdraw."""

from functools import partial
from typing import Any

import pytest

from mancala.protocol.messages import VERSION as WIRE
from mancala.protocol.messages import (
    Enter,
    Entered,
    Error,
    ErrorCode,
    Goodbye,
    Hello,
    Join,
    Withdraw,
    Withdrawn,
)
from mancala.server.config.events import EventSettings
from mancala.server.config.ladders import LadderSettings
from mancala.server.config.settings import Config
from mancala.server.contest.events.entry import EntryError
from mancala.server.contest.events.lifecycle import EventState, EventStep
from mancala.server.contest.live.contest import YIELDED, Contest
from mancala.server.contest.live.encounters import AGAIN_S
from mancala.server.ladders.state import CountedGame
from mancala.server.model.contests import EventEntrantsChanged, EventMade, EventStepped, KeptEvent
from mancala.server.model.entrant import Entrant, LiveRating
from mancala.server.model.journal import MatchOpened
from mancala.server.model.timestamps import in_utc, later
from tests.server.contest.live.final_event import contest_of, kept, order, take
from tests.server.fakes import FakeSeat, Harness, play_out

NAMES = ("ann", "bob", "cid", "dan")
WORD = "wari"
ABSENT_S = 60.0


def serve(former: Harness | None = None, **options: Any) -> Harness:  # noqa: ANN401  # any setting
    """Return a server with an event that any bot may enter, and a ladder; or the next one."""
    usual: dict[str, Any] = {"name": "final", "format": "swiss", "rounds": 3, "games": 1}
    event = EventSettings(**(usual | {"enter": "open", "absent_s": ABSENT_S} | options))
    ladders = (LadderSettings(name="main", games=2),)
    harness = Harness(Config(grace_s=30.0, ladder=ladders, event=(event,)))
    if former is not None:
        harness.journal.entries += former.journal.entries
        harness.utc = former.utc
    harness.sessions.restore([], [], events={} if former is None else {"final": kept(former)})
    return harness


def opened(**options: Any) -> Harness:  # noqa: ANN401  # any setting
    harness = serve(**options)
    take(harness, EventStep.OPEN)
    return harness


def begun(harness: Harness, *names: str) -> list[FakeSeat]:
    seats = [enter(harness, name) for name in names]
    take(harness, EventStep.PAIR)
    return seats


def enter(harness: Harness, name: str, seat: FakeSeat | None = None) -> FakeSeat:
    seat = seat or harness.greet(name)
    harness.say(seat, Enter("final"))
    return seat


def play(harness: Harness, *seats: FakeSeat) -> None:
    while harness.sessions.tables.games:
        play_out(harness, *seats)
        harness.clock.pass_by(AGAIN_S)


def refusal(seat: FakeSeat) -> tuple[ErrorCode, str, str | None]:
    error = seat.last(Error)
    return error.code, error.message, error.ref


def names(harness: Harness) -> list[str]:
    return [each.name for each in contest_of(harness).state.entrants if not each.has_withdrawn]


def matches_begun(harness: Harness) -> list[str]:
    return [
        context[0]
        for each in harness.journal.entries
        if isinstance(each, MatchOpened)
        and (context := each.ladder_context or each.event_context) is not None
    ]


def test_bots_enter_an_open_event_and_play_it_to_its_end() -> None:
    """In the order of entry; they get the terms, and hear when it is over."""
    harness = opened()
    seats = [enter(harness, name) for name in NAMES]
    assert seats[0].last(Entered).games == 1
    assert names(harness) == [*NAMES]
    take(harness, EventStep.PAIR)
    play(harness, *seats)
    assert contest_of(harness).state.phase.state is EventState.FINISHED
    assert [seat.last(Withdrawn).why for seat in seats] == ["the event is finished"] * len(NAMES)


def test_an_entry_is_durable_and_repeated_without_another() -> None:
    """The next server knows who entered."""
    harness = opened()
    ann = enter(harness, "ann")
    enter(harness, "ann", ann)
    assert len(ann.of(Entered)) == 2
    assert len(harness.journal.kept(EventEntrantsChanged)) == 1
    assert names(serve(harness)) == ["ann"]


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"enter": "list", "entrants": ("bob", "cid")}, "only the bots on the organiser's list"),
        ({"enter": "tokens"}, "only bots with a token may enter"),
    ],
)
def test_who_may_not_enter_gets_the_reason(options: dict[str, Any], why: str) -> None:
    """The error names the event; it is not fatal."""
    harness = serve(**options)
    if "tokens" in why:
        take(harness, EventStep.OPEN)
    code, message, ref = refusal(enter(harness, "ann"))
    assert (code, ref) == (ErrorCode.FORBIDDEN, "final")
    assert message.startswith(f"final: {why}")


def rated_bot(harness: Harness, name: str, *, games: int, elo: float) -> FakeSeat:
    ladder = harness.sessions.ladders.get("main")
    assert ladder is not None
    for _ in range(games):
        ladder.state.count(CountedGame((name, "other"), None, None))
    ladder.state.put_back({name: Entrant(name, LiveRating(elo))})
    return harness.greet(name)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"password": "wari"}, "the event's password may enter; ann has none"),
        ({"team": ("bob", "cid")}, "a place in the team bob, cid may enter; ann has none"),
        ({"min_rating": 1601.0}, "a rating of 1601 or more in main may enter; ann has 1600"),
        ({"max_rating": 1599.5}, "a rating of 1599.5 or less in main may enter; ann has 1600"),
        ({"min_games": 4}, "4 games or more in main may enter; ann has 3"),
    ],
)
def test_who_does_not_meet_a_condition_is_told_which(options: dict[str, Any], why: str) -> None:
    """Of those that an event asks for, the first that it does not meet."""
    harness = opened(rating_in="main", **options)
    seat = rated_bot(harness, "ann", games=3, elo=1600.0)
    assert refusal(enter(harness, "ann", seat))[1] == f"final: only bots with {why}"
    assert names(harness) == []


def test_who_meets_all_conditions_enters() -> None:
    """At the bounds too; the listed need not meet them."""
    conditions: dict[str, Any] = {
        "password": "wari",
        "team": ("ann", "eva"),
        "min_rating": 1600.0,
        "max_rating": 1600.0,
        "min_games": 3,
        "rating_in": "main",
    }
    harness = opened(entrants=("zoe",), **conditions)
    seat = rated_bot(harness, "ann", games=3, elo=1600.0)
    harness.say(seat, Enter("final", "wari"))
    assert names(harness) == ["zoe", "ann"]
    eva = harness.greet("eva")
    harness.say(eva, Enter("final", "Wari"))
    assert refusal(eva)[1].endswith("may enter; eva has another")
    harness.say(eva, Enter("final", "wari"))
    assert refusal(eva)[1].endswith("a rating of 1600 or more in main may enter; eva has none")


def test_a_password_is_not_found_by_trying() -> None:
    """Hundreds of words a second were tried from one address; others enter meanwhile."""
    harness = opened(password=WORD)
    eve = harness.greet("eve")
    for number in range(40):
        harness.say(eve, Enter("final", f"guess {number}"))
    harness.say(eve, Enter("final", WORD))
    assert refusal(eve)[0] is ErrorCode.LIMIT
    ann = harness.connect(address="192.0.2.9")
    harness.say(ann, Hello(WIRE, "ann"))
    harness.say(ann, Enter("final", WORD))
    harness.clock.pass_by(2.0)
    harness.say(eve, Enter("final", WORD))
    assert names(harness) == ["ann", "eve"]


def test_wrong_passwords_of_others_keep_none_out_who_needs_or_has_the_right_one() -> None:
    """A class shares an address: one bot that guessed shut the others out."""
    harness = opened(password=WORD, entrants=("zoe",))
    for bot in range(20):
        eve = harness.greet(f"eve-{bot}")
        for number in range(2):
            harness.say(eve, Enter("final", f"guess {number}"))
    assert refusal(eve)[0] is ErrorCode.LIMIT
    for name, word in (("ann", WORD), ("zoe", "any")):
        seat = harness.greet(name)
        harness.say(seat, Enter("final", word))
        assert seat.of(Entered)
        for _ in range(3):
            harness.say(seat, Enter("final", "no longer asked"))
        assert len(seat.of(Entered)) == 4


def test_a_large_network_has_no_more_guesses_than_several_addresses() -> None:
    """Who is given an IPv6 /48 has 65,536 networks."""
    harness = opened(password=WORD)
    for number in range(600):
        seat = harness.connect(address=f"2001:db8:0:{number:x}::1")
        harness.say(seat, Hello(WIRE, f"eve-{number}"), Enter("final", "a guess"))
        if refusal(seat)[0] is ErrorCode.LIMIT:
            break
    assert 30 < number < 500


OPENS = {"opens": "2030-01-01T00:00:00Z"}


@pytest.mark.parametrize(("options", "when"), [({}, ""), (OPENS, "; entries open at 2030-01-01T0")])
def test_who_comes_before_the_event_is_open_enters_once_it_is(
    options: dict[str, Any], when: str
) -> None:
    """They enter in the order in which they came; the error says what they wait for."""
    harness = serve(**options)
    seats = [enter(harness, name) for name in ("bob", "ann")]
    code, message, ref = refusal(seats[0])
    assert (code, ref) == (ErrorCode.NOT_OPEN, "final")
    assert message.startswith(f"final: the event is not open yet{when}")
    take(harness, EventStep.PAUSE)
    take(harness, EventStep.RESUME)
    assert not names(harness)
    take(harness, EventStep.OPEN)
    assert names(harness) == ["bob", "ann"]
    assert [len(seat.of(Entered)) for seat in seats] == [1, 1]


def test_who_came_early_and_left_does_not_enter() -> None:
    """Neither a bot that is gone, nor one that thought better of it."""
    harness = serve()
    gone, withdraws, _stays = (enter(harness, name) for name in ("ann", "bob", "cid"))
    harness.drop(gone)
    harness.say(withdraws, Withdraw("final"))
    take(harness, EventStep.OPEN)
    assert names(harness) == ["cid"]


def test_who_waits_for_an_event_to_open_is_not_idle() -> None:
    """Its connection is kept, however long the event takes."""
    harness = serve()
    waits, idle = enter(harness, "ann"), harness.greet("bob")
    harness.sessions.dismiss_idle(since=float("inf"))
    assert (waits.closed is None, idle.closed is None) == (True, False)


def test_an_event_that_begins_before_it_opens_refuses_who_waited() -> None:
    """The organiser started it with those on the list."""
    harness = serve(entrants=("bob", "cid"))
    ann = enter(harness, "ann")
    take(harness, EventStep.PAIR)
    code, message, _ref = refusal(ann)
    assert code is ErrorCode.FORBIDDEN
    assert "too late" in message


def test_there_is_no_event_of_that_name() -> None:
    """Neither to enter nor to withdraw from."""
    harness = serve()
    ann = harness.greet("ann")
    for message in (Enter("cup"), Withdraw("cup")):
        harness.say(ann, message)
        assert refusal(ann) == (ErrorCode.UNKNOWN_EVENT, "there is no event cup", "cup")


def test_a_bot_with_a_token_enters_where_guests_may_not() -> None:
    """The token is the organiser's word for it."""
    harness = opened(enter="tokens")
    seat = harness.connect()
    harness.say(seat, Hello(WIRE, "ann", token="a valid one"))  # noqa: S106  # the fake takes any
    harness.say(seat, Enter("final"))
    assert seat.of(Entered)


def test_a_bot_that_was_withdrawn_hears_so_again_after_a_kill() -> None:
    """It enters on each connection, and may have a match to play to its end: that is no error."""
    harness = opened()
    seats = begun(harness, *NAMES)
    harness.say(seats[0], Withdraw("final"))
    following = serve(harness)
    ann = enter(following, "ann")
    assert ann.last(Withdrawn).why == "ann has withdrawn"
    assert not ann.of(Error)


def test_an_arena_takes_bots_in_any_of_its_waves() -> None:
    """They play from the next wave on; one that has played longer rests first."""
    harness = opened(format="arena", duration_s=600.0, rounds=4)
    seats = begun(harness, "ann", "bob")
    play_out(harness, *seats)
    seats.append(enter(harness, "cid"))
    play(harness, *seats)
    contest = contest_of(harness)
    assert contest.state.phase.state is EventState.FINISHED
    assert [each.joins for each in contest.state.entrants] == [1, 1, 3]
    rests = [each.round.byes for each in contest.state.rounds]
    assert [len(each) for each in rests] == [0, 0, 1, 1]
    assert {*rests[2], *rests[3]} == {"ann", "bob"}


def test_one_address_enters_a_limited_number_of_bots() -> None:
    """One that withdrew makes room; the listed do not count."""
    harness = opened(per_owner=2, entrants=("zoe",))
    ann, _, cid = (enter(harness, name) for name in ("ann", "bob", "cid"))
    assert refusal(cid)[1] == "final: from one address, 2 may enter, and have"
    harness.say(ann, Withdraw("final"))
    enter(harness, "cid", cid)
    assert names(harness) == ["zoe", "bob", "cid"]
    for name, address in (("eva", "198.51.100.7"), ("flo", "100.64.0.7")):
        harness.say(harness.connect(address=address), Hello(WIRE, name), Enter("final"))
        assert names(harness)[-1] == name


def enter_from(harness: Harness, address: str, *bots: str) -> list[FakeSeat]:
    seats = [harness.connect(address=address) for _ in bots]
    for seat, name in zip(seats, bots, strict=True):
        harness.say(seat, Hello(WIRE, name), Enter("final"))
    return seats


def test_no_address_holds_all_places_of_an_event() -> None:
    """The one that holds most of them yields its latest, also over a restart; the listed do not."""
    harness = opened(places=3, entrants=("zoe",))
    hogs = enter_from(harness, "198.51.100.7", "hog-1", "hog-2", "hog-3", "hog-4")
    assert refusal(hogs[3])[1] == "final: all 3 places are taken"
    [ann] = enter_from(harness, "192.0.2.1", "ann")
    assert ann.of(Entered)
    assert hogs[2].last(Withdrawn).why == YIELDED
    assert names(harness) == ["zoe", "hog-1", "hog-2", "ann"]
    again = serve(harness, places=3, entrants=("zoe",))
    [bob] = enter_from(again, "192.0.2.2", "bob")
    assert bob.of(Entered)
    [cid] = enter_from(again, "192.0.2.3", "cid")
    assert refusal(cid)[1] == "final: all 3 places are taken"
    assert names(again) == ["zoe", "hog-1", "ann", "bob"]
    assert names(serve(again, places=3, entrants=("zoe",))) == ["zoe", "hog-1", "ann", "bob"]


def test_no_large_network_holds_all_places_of_an_event() -> None:
    """Who is given an IPv6 /48 has 65,536 networks, and could keep all others out."""
    harness = opened(places=3)
    for number in range(3):
        enter_from(harness, f"2001:db8:0:{number:x}::1", f"hog-{number}")
    enter_from(harness, "192.0.2.1", "ann")
    enter_from(harness, "2001:db8:9::1", "bob")
    [hog] = enter_from(harness, "2001:db8:0:9::1", "hog-9")
    assert refusal(hog)[1] == "final: all 3 places are taken"
    assert names(harness) == ["hog-0", "ann", "bob"]


def test_networks_of_a_larger_one_compete_with_each_other_alone() -> None:
    """Each /64 counted anew beside IPv4 addresses, which lost their places, and took them back."""
    harness = opened(places=8)
    enter_from(harness, "192.0.2.1", "school-1", "school-2", "school-3")
    for number in range(5):
        enter_from(harness, f"2001:db8:0:{number:x}::1", f"hog-{number}")
    [hog] = enter_from(harness, "2001:db8:0:9::1", "hog-9")
    assert refusal(hog)[1] == "final: all 8 places are taken"
    assert names(harness)[:3] == ["school-1", "school-2", "school-3"]


def test_no_entry_makes_an_event_larger_than_a_server_takes() -> None:
    """There is a place more only where it has 100,000 games at most; they are shared all the same.

    Five bots that meet each other once over 10,000 games have as many.
    """
    harness = opened(format="rr", rounds=1, games=10_000)
    enter_from(harness, "198.51.100.7", *(f"hog-{number}" for number in range(5)))
    [hog] = enter_from(harness, "198.51.100.7", "hog-5")
    assert refusal(hog)[1] == "final: all 5 places are taken"
    enter_from(harness, "192.0.2.1", "ann")
    assert names(harness) == ["hog-0", "hog-1", "hog-2", "hog-3", "ann"]


def test_an_event_that_would_be_too_large_does_not_start() -> None:
    """One of the settings, or of an older version: it would hold the server for seconds."""
    harness = serve(format="drr", rounds=1000, games=10_000, enter="list", entrants=NAMES)
    with pytest.raises(EntryError, match="4 players would have up to 120,000,000 games"):
        take(harness, EventStep.PAIR)
    assert contest_of(harness).state.phase.state is EventState.DRAFT


def test_once_a_round_has_begun_no_entrant_yields_its_place() -> None:
    """A late entrant waits for a place that is free."""
    harness = opened(places=2, late="half-bye until round 3")
    enter_from(harness, "198.51.100.7", "hog-1", "hog-2")
    take(harness, EventStep.PAIR)
    [ann] = enter_from(harness, "192.0.2.1", "ann")
    assert refusal(ann)[1] == "final: all 2 places are taken"


def test_bots_that_come_and_go_leave_nothing_behind() -> None:
    """A stranger once filled the list, and the store, with names that had withdrawn."""
    harness = opened()
    enter(harness, "ann")
    for number in range(3):
        seat = enter(harness, f"guest-{number}")
        harness.say(seat, Withdraw("final"))
    [last] = harness.journal.kept(EventEntrantsChanged)[-1:]
    assert (last.entrants, last.first, last.gone) == ((), 1, ("guest-2",))
    assert [each.name for each in contest_of(harness).state.entrants] == ["ann"]
    assert [each.name for each in contest_of(serve(harness)).state.entrants] == ["ann"]


def test_an_event_opens_checks_in_and_starts_at_its_times() -> None:
    """Who was not there between check-in and start is left out."""
    harness = serve()
    times: dict[str, Any] = {
        key: later(harness.utc, at)
        for key, at in (("opens", 100.0), ("check_in", 1000.0), ("starts", 2000.0))
    }
    harness = serve(**times)

    def pass_by(seconds: float) -> EventState:
        harness.utc = later(harness.utc, seconds)
        harness.clock.pass_by(seconds)
        return contest_of(harness).state.phase.state

    assert pass_by(99.5) is EventState.DRAFT
    assert pass_by(0.5) is EventState.OPEN
    seats = {name: enter(harness, name) for name in NAMES}
    assert seats["ann"].last(Entered).starts == times["starts"]
    harness.drop(seats["dan"])
    assert pass_by(900.0) is EventState.CHECK_IN
    assert pass_by(1000.0) is EventState.PLAYING
    assert names(harness) == ["ann", "bob", "cid"]
    assert names(serve(harness, **times)) == ["ann", "bob", "cid"]
    assert contest_of(harness).state.regulations.rounds == 3


def test_a_check_in_that_the_server_missed_leaves_time_to_come() -> None:
    """The bots of a server that was down return one after another."""
    harness = opened()
    for name in NAMES:
        enter(harness, name)
    times = {"check_in": later(harness.utc, 100.0), "starts": later(harness.utc, 1000.0)}
    harness.utc = later(harness.utc, 5000.0)
    following = serve(harness, **times)
    assert contest_of(following).state.phase.state is EventState.CHECK_IN
    for name in NAMES[:3]:
        following.greet(name)
    following.clock.pass_by(ABSENT_S - 1)
    assert contest_of(following).state.phase.state is EventState.CHECK_IN
    following.greet("dan")
    following.clock.pass_by(1)
    assert contest_of(following).state.phase.state is EventState.PLAYING
    assert names(following) == [*NAMES]


def test_the_bot_that_makes_a_number_even_counts_for_the_size_of_an_event() -> None:
    """Five bots with 100,000 games were let in, and six began with 150,000."""
    harness = opened(format="rr", rounds=1, games=10_000, fill="dan")
    harness.greet("dan")
    *five, fifth = (enter(harness, f"bot-{number}") for number in range(5))
    assert refusal(fifth)[1] == "final: all 4 places are taken"
    assert len(five) == len(names(harness)) == 4
    entrants = ("a", *NAMES[:3], "e")
    listed = serve(format="rr", rounds=1, games=10_000, fill="dan", enter="list", entrants=entrants)
    with pytest.raises(EntryError, match="6 players would have up to 150,000 games"):
        take(listed, EventStep.PAIR)


@pytest.mark.parametrize(
    ("count", "is_there", "playing"),
    [(3, True, NAMES), (3, False, NAMES[:3]), (2, True, NAMES[:2])],
    ids=["odd", "away", "even"],
)
def test_a_bot_of_the_house_makes_an_odd_number_even(
    count: int, *, is_there: bool, playing: tuple[str, ...]
) -> None:
    """It is seeded last, and only plays if it is connected at the start; a kill changes nothing."""
    harness = opened(fill="dan")
    for name in NAMES[:count]:
        enter(harness, name)
    if is_there:
        harness.greet("dan")
    take(harness, EventStep.PAIR)
    assert names(harness) == [*playing]
    assert bool(contest_of(harness).state.present_round.round.byes) == (len(playing) % 2 == 1)
    assert names(serve(harness, fill="dan")) == [*playing]


def test_an_event_waits_for_a_second_entrant() -> None:
    """It starts when that enters, though its time is past."""
    harness = opened(starts=later(Harness().utc, 0.0))
    enter(harness, "ann")
    assert contest_of(harness).state.phase.state is EventState.OPEN
    enter(harness, "bob")
    assert contest_of(harness).state.phase.state is EventState.PLAYING


def test_a_late_entrant_plays_from_the_next_round_on() -> None:
    """With half a point a game for the rounds before, and only as late as the event allows."""
    harness = opened(late="half-bye until round 2")
    seats = begun(harness, *NAMES[:2])
    cid, dan = enter(harness, "cid"), harness.greet("dan")
    assert cid.last(Entered).joins == 2
    play_out(harness, *seats, cid)
    harness.clock.pass_by(0.0)
    assert contest_of(harness).state.phase.round == 2
    enter(harness, "dan", dan)
    assert refusal(dan)[1] == "final: round 2 has begun, which is too late to enter"
    play(harness, *seats, cid)
    assert contest_of(harness).state.phase.state is EventState.FINISHED
    assert contest_of(harness).state.rounds[0].names == {"ann", "bob"}
    assert [contest_of(harness).state.half_byes(number) for number in (1, 2)] == [("cid",), ()]


def test_a_bot_that_comes_or_goes_while_a_round_is_paired_does_so_from_the_next_one() -> None:
    """So a round that is paired again from the store is the same."""
    harness = opened(late="half-bye until round 3")
    seats = [enter(harness, name) for name in NAMES]
    waiting: list[Any] = []
    contest = contest_of(harness)
    object.__setattr__(
        harness.context, "in_background", lambda work, done: waiting.append((work(), done))
    )
    take(harness, EventStep.PAIR)
    eva = enter(harness, "eva")
    harness.say(seats[0], Withdraw("final"))
    assert eva.last(Entered).joins == 2
    [(paired, done)] = waiting
    done(paired)
    assert contest.state.rounds[0].names == {*NAMES}
    assert [each.leaves for each in contest.state.entrants if each.name == "ann"] == [1]


def test_who_withdraws_plays_the_present_round_and_no_other() -> None:
    """The server says so once it is durable; one that is no entrant gets the reason."""
    harness = opened()
    seats = begun(harness, *NAMES)
    harness.say(seats[3], Withdraw("final"))
    assert seats[3].last(Withdrawn) == Withdrawn("final", "it withdrew")
    play(harness, *seats)
    rounds = contest_of(harness).state.rounds
    assert ["dan" in each.names for each in rounds] == [True, False, False]
    harness.say(seats[3], Withdraw("final"))
    assert seats[3].last(Withdrawn).why == "the event is finished"


def test_a_game_does_not_wait_for_a_bot_that_withdrew_and_left() -> None:
    """It is lost when its turn comes, also one that is replayed; one that dropped may return."""
    harness = opened(boards=1)
    seats = {name: enter(harness, name) for name in NAMES}
    take(harness, EventStep.PAIR)
    contest = contest_of(harness)
    leaves, drops = contest.state.encounter(1)
    harness.say(seats[leaves], Withdraw("final"))
    harness.say(seats[drops], Withdraw("final"))
    harness.drop(seats[drops])
    assert not contest.state.rows
    harness.say(seats[leaves], Goodbye())
    harness.drop(seats[leaves])
    (lost,) = contest.state.rows.values()
    assert (lost.reason, lost.winner) == ("absent", int(lost.first == leaves))
    again = contest.replayed({1: {lost.number}}, "root", "it was not its fault")
    harness.journal.commit(again, contest.look)
    assert contest.state.rows[lost.number].reason == "absent"


def test_an_entry_that_the_store_refuses_is_answered_with_an_error() -> None:
    """The event is paused, without the entrant."""
    harness = serve()
    harness.kept_event = partial(kept, harness)
    take(harness, EventStep.OPEN)
    harness.journal.refuses = lambda entry: isinstance(entry, EventEntrantsChanged)
    ann = enter(harness, "ann")
    assert refusal(ann)[0] is ErrorCode.INTERNAL
    assert not ann.of(Entered)
    state = contest_of(harness).state
    assert (state.phase.state, state.entrants) == (EventState.PAUSED, ())


def test_a_bot_in_a_ladder_and_an_event_plays_the_event_first() -> None:
    """Its match in the ladder is played out, then the event's; the ladder waits for the end."""
    harness = opened(rounds=1)
    seats = [enter(harness, name) for name in NAMES[:2]]
    for seat in seats:
        harness.say(seat, Join("main"))
    harness.clock.pass_by(0.0)
    take(harness, EventStep.PAIR)
    assert matches_begun(harness) == ["main"]
    play_out(harness, *seats)
    harness.clock.pass_by(0.0)
    assert matches_begun(harness) == ["main", "final", "main"]
    assert contest_of(harness).state.phase.state is EventState.FINISHED


FRIDAY: dict[str, Any] = {"series": "friday", "every_days": 7.0, "starts": "2126-01-01T19:00:00Z"}


def test_an_event_of_a_series_makes_the_next_one_once_it_is_over() -> None:
    """Durably, together with its last step; a server that is started again has it, once."""
    harness = opened(**FRIDAY, rounds=1)
    seats = [enter(harness, name) for name in ("ann", "bob")]
    take(harness, EventStep.PAIR)
    play(harness, *seats)
    contests = harness.sessions.contests
    assert contest_of(harness).state.phase.state is EventState.FINISHED
    following = contests.get("friday-2")
    assert following is not None
    assert following.settings.starts is not None
    assert in_utc(following.settings.starts) == later(FRIDAY["starts"], 7 * 86400.0)
    assert following.state.phase.state is EventState.DRAFT
    assert following.state.entrants == ()
    take(harness, EventStep.PUBLISH)
    assert [each.name for each in contests.all_contests] == ["final", "friday-2"]
    [made] = harness.journal.kept(EventMade)
    assert made.event == "friday-2"


def add(harness: Harness, name: str, **options: Any) -> Contest:  # noqa: ANN401  # any setting
    usual: dict[str, Any] = {"name": name, "format": "swiss", "enter": "open", "games": 1}
    contest = harness.sessions.contests.prepared(EventSettings(**(usual | options)))
    contests, entries = harness.sessions.contests, contest.made("root", "")
    harness.journal.commit(entries, partial(contests.add, contest))
    return contest


def made(harness: Harness) -> list[str]:
    """Return the events that follow from others, which all are there."""
    kept = [each.event for each in harness.journal.kept(EventMade)]
    found = [each for each in kept if each.startswith("friday-")]
    assert all(harness.sessions.contests.get(each) is not None for each in found)
    return found


def test_while_a_round_is_frozen_no_next_edition_shows_the_order() -> None:
    """It follows once all rounds are shown: by the last that is revealed, or the publication."""
    for is_published in (True, False):
        harness = opened(**FRIDAY, rounds=2, promoted=1, freeze_rounds=1)
        play(harness, *begun(harness, "ann", "bob"))
        contest = contest_of(harness)
        assert contest.state.phase.state is EventState.FINISHED
        assert made(harness) == []
        if not is_published:
            order(harness, contest, contest.reveal("root", ""))
            assert made(harness) == ["friday-2"]
        take(harness, EventStep.PUBLISH)
        assert made(harness) == ["friday-2"]


def test_a_next_edition_that_is_not_durable_is_nowhere() -> None:
    """Another event that ends, or looks what it can do, adds nothing; the next try makes it."""
    harness = opened(**FRIDAY, rounds=1)
    other = add(harness, "other")
    contests = harness.sessions.contests
    harness.kept_event = partial(kept, harness)
    before = kept(harness)
    harness.journal.is_slow = True
    contest = contest_of(harness)
    order(harness, contest, contest.stepped(EventStep.CANCEL))
    contest.look()
    assert contests.get("friday-2") is None
    harness.journal.refuses = lambda entry: isinstance(entry, EventMade)
    harness.kept_event = lambda: before
    harness.journal.is_slow = False
    harness.journal.settle()
    order(harness, other, other.stepped(EventStep.CANCEL))
    assert contests.get("friday-2") is None
    harness.journal.refuses = lambda _entry: False
    take(harness, EventStep.CANCEL)
    assert made(harness) == ["friday-2"]


def test_a_division_that_is_deleted_holds_the_next_edition_up_no_longer() -> None:
    """It has no next one itself."""
    harness = opened(**FRIDAY, rounds=1)
    lower = add(harness, "lower", **FRIDAY, division=2)
    take(harness, EventStep.CANCEL)
    assert made(harness) == []
    entries = lower.deleted("a try")
    harness.sessions.contests.remove(lower)
    order(harness, lower, entries)
    assert made(harness) == ["friday-2"]


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"name": "friday-2-2", "format": "rr"}, "friday-2-2: there is such an event"),
        ({"enter": "list", "promoted": 1}, "friday-2-2: entrants: an event needs two or more"),
        ({"edition": 100_000}, "friday-100001-1: Expected `int` <= 100000"),
        ({"starts": "9999-12-30T00:00:00Z"}, "friday-2-2: date value out of range"),
    ],
)
def test_all_divisions_have_a_next_edition_or_none(options: dict[str, Any], why: str) -> None:
    """The log of the event that was over last has the reason, and the series is not stuck."""
    harness = opened(**FRIDAY, rounds=1, edition=options.get("edition", 1))
    if "name" in options:
        add(harness, **options)
        options = {}
    lower = add(harness, "lower", **(FRIDAY | options), division=2)
    order(harness, lower, lower.stepped(EventStep.CANCEL))
    take(harness, EventStep.CANCEL)
    following = harness.sessions.contests.all_contests
    assert not [each.name for each in following if each.name.endswith("-1")]
    last = harness.journal.kept(EventStepped)[-1]
    assert (last.event, last.step) == ("final", "no-next-edition")
    assert last.why.startswith(why)


def test_a_name_that_only_the_store_still_has_is_taken() -> None:
    """The store would refuse it. One that was submitted from elsewhere does not try again."""
    harness = opened(**FRIDAY)
    gone = KeptEvent("published", 1, None, None)
    harness.sessions.contests.restore({"friday-2": gone})
    take(harness, EventStep.CANCEL)
    assert harness.journal.kept(EventMade) == []
    assert harness.journal.kept(EventStepped)[-1].why == "friday-2: there is such an event"
    foreign = add(harness, "foreign", **FRIDAY)
    foreign.origin = "elsewhere"
    order(harness, foreign, foreign.stepped(EventStep.CANCEL))
    assert harness.journal.kept(EventStepped)[-1].step == "cancel"


def test_a_place_in_a_series_is_one_events() -> None:
    """One that is edited keeps its own, and one held elsewhere takes none away."""
    harness = opened(**FRIDAY)
    contests = harness.sessions.contests
    wanted = EventSettings(name="new", format="rr", series="friday")
    assert contests.problem_of_place(wanted) == (
        "edition: final is edition 1 of friday in division 1 already"
    )
    assert contests.problem_of_place(contest_of(harness).settings) is None
    contest_of(harness).origin = "elsewhere"
    assert contests.problem_of_place(wanted) is None
    take(harness, EventStep.CANCEL)
    assert made(harness) == []

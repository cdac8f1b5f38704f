"""How the worlds find what is wrong: who waits too long, is shown too much, or is not heard."""

import random
from typing import Any

import pytest
from msgspec.structs import replace

from mancala.protocol.clock import ClockState, TimeControl
from mancala.protocol.messages import (
    Challenged,
    Error,
    ErrorCode,
    GameOver,
    GameStart,
    Listable,
    ListedBot,
    ListedGame,
    Listing,
    MatchOver,
    Moved,
    OfferReviews,
    Opponent,
    Review,
    ReviewWanted,
    Submit,
    Submitted,
)
from mancala.protocol.rules import KALAH, Board, Rules
from mancala.server.config.settings import Play
from mancala.server.contest.live.state import ARBITER
from mancala.server.control.wire import Change, Request
from mancala.server.lobby.house import LONGEST_LEASES
from mancala.server.model.contests import EventGameRow, PairingRow
from tests.protocol.samples import SAMPLES
from tests.simulate.hand_watch import HandWatch
from tests.simulate.ladder_watch import PAIRED_S, LadderWatch
from tests.simulate.lease_watch import SETTLED_S, LeaseWatch
from tests.simulate.lists import check_list
from tests.simulate.promises import NOTICED_S, BrokenPromiseError, Promise
from tests.simulate.review_watch import ReviewWatch
from tests.simulate.spectator_watch import SHOWN_S, SpectatorWatch
from tests.simulate.submission_watch import SubmissionWatch
from tests.simulate.trace import Trace

EARLY, LATE = "2026-01-01T00:00:10Z", "2026-01-01T00:00:30Z"
UNTIL = "2026-01-01T00:00:20Z"
REFUSAL = Error(ErrorCode.QUARANTINED, f"ann is out of main until {UNTIL}: enough", fatal=False)


class ConnectedBots:
    """A server on which every bot is connected."""

    def __init__(self, house: frozenset[str] = frozenset()) -> None:
        self.names = frozenset({"ann", "cat", "dan"})
        self.now = 1000.0
        self.time_of_day = EARLY
        self.calm_since = 0.0
        self.last_stall = (0.0, 0.0)
        self.watch = LadderWatch(Trace(random.Random(1), lambda: self.now), self, house)

    def present_since(self, name: str) -> float | None:
        """Return a time long ago; None for ben, who is away."""
        return None if name == "ben" else 1.0

    def away_since(self, name: str) -> float:
        del name
        return 1.0

    def utc(self) -> str:
        return self.time_of_day

    def knows(self, name: str, game: str) -> bool:
        return bool(name and game)


@pytest.fixture
def town() -> ConnectedBots:
    return ConnectedBots()


def test_a_quarantine_lasts_as_long_as_was_said() -> None:
    """No join before its end, and no refusal after it."""
    town = ConnectedBots()
    town.watch.quarantined("ann", REFUSAL)
    with pytest.raises(BrokenPromiseError, match=Promise.BARRED):
        town.watch.joined("ann")
    town.time_of_day = LATE
    town.watch.joined("ann")
    with pytest.raises(BrokenPromiseError, match=Promise.BARRED):
        town.watch.quarantined("ann", REFUSAL)


def test_two_members_that_wait_are_given_a_match() -> None:
    """One alone waits; so does one that keeps leaving."""
    town = ConnectedBots()
    for name in ("ann", "cat", "dan"):
        town.watch.joined(name)
    town.watch.paused("dan")
    town.watch.came("cat", ["of the ladder", "of a seek"])
    town.now += 2 * PAIRED_S
    town.watch.watch()
    town.watch.told("cat", MatchOver("of a seek", {}))
    town.now += 2 * PAIRED_S
    town.watch.watch()
    town.watch.told("cat", MatchOver("of the ladder", {}))
    town.now += 2 * PAIRED_S
    with pytest.raises(BrokenPromiseError, match=Promise.PAIRED):
        town.watch.watch()


def test_two_bots_of_the_house_need_not_be_given_one_another() -> None:
    """They are there for others."""
    town = ConnectedBots(frozenset({"ann", "cat"}))
    for name in ("ann", "cat"):
        town.watch.joined(name)
    town.now += 2 * PAIRED_S
    town.watch.watch()
    town.watch.joined("dan")
    town.now += 2 * PAIRED_S
    with pytest.raises(BrokenPromiseError, match=Promise.PAIRED):
        town.watch.watch()


def test_a_match_begins_between_bots_that_are_there_to_play() -> None:
    """Neither without one of them, nor when all have left."""
    town = ConnectedBots()
    town.watch.match_began("m", ("ann", "cat"))
    with pytest.raises(BrokenPromiseError, match=Promise.MET):
        town.watch.match_began("n", ("ann", "ben"))
    town.watch.is_season_over = True
    with pytest.raises(BrokenPromiseError, match=Promise.WILLING):
        town.watch.match_began("o", ("ann", "cat"))


MEET = {"event": "cup", "bot": "ann", "opponent": "bob", "round": 2}


def hand_watch() -> HandWatch:
    return HandWatch(Trace(random.Random(1), lambda: 100.0), ConnectedBots())


def order(hands: HandWatch, place: int, action: str, given: dict[str, Any], *games: int) -> None:
    request = Request(action, given, why=f"by hand {place}")
    hands.asked(request)
    changed = tuple(Change("game", str(number), None) for number in games)
    hands.answered(request, {"changed": changed}, 1)


def ruled(winner: int | None, why: str) -> EventGameRow:
    return EventGameRow(0, "ann", "bob", winner, 0, ARBITER, None, 0, note=why)


def test_a_result_stands_as_it_was_set_last() -> None:
    """A later order may be in force though its answer was lost; no other result may."""
    hands = hand_watch()
    won = {"event": "cup", "bot": "bob", "result": "win"}
    order(hands, 1, "event-result", won, 0)
    hands.check((), [ruled(1, "by hand 1")], is_spoilt=False)
    hands.asked(Request("event-result", won | {"result": "draw"}, why="by hand 2"))
    hands.check((), [ruled(None, "by hand 2")], is_spoilt=False)
    played = EventGameRow(0, "ann", "bob", 1, 3, "normal", "g", 0)
    for wrong in (ruled(0, "by hand 1"), ruled(1, "by hand 2"), ruled(1, ""), played):
        with pytest.raises(BrokenPromiseError, match=Promise.RULED):
            hands.check((), [wrong], is_spoilt=False)
    hands.replayed([0])
    hands.check((), [played], is_spoilt=False)


def test_two_meet_as_ordered_if_both_are_paired() -> None:
    """The first moves first; what was taken back binds no one."""
    hands = hand_watch()
    order(hands, 1, "event-pair", MEET | {"take_back": False})
    met, away = PairingRow(2, 0, "ann", "bob", ""), PairingRow(2, 0, "bob", None, "")
    for right in ([met], [away]):
        hands.check(right, (), is_spoilt=False)
    wrong = [PairingRow(2, 0, "bob", "ann", "")]
    with pytest.raises(BrokenPromiseError, match=Promise.MET_BY_ORDER):
        hands.check(wrong, (), is_spoilt=False)
    hands.asked(Request("event-pair", MEET | {"take_back": True}, why="by hand 2"))
    hands.check(wrong, (), is_spoilt=False)
    later = [Request("event-pair", MEET | {"take_back": it}, why="by hand 3") for it in (0, 1)]
    for request in later:
        hands.asked(request)
    for request in later:
        hands.answered(request, {}, 1)
    hands.check(wrong, (), is_spoilt=False)


NOW = 1000.0


def check(listing: Listing, coming: frozenset[str] = frozenset()) -> None:
    """Check a list of a server on which ann, cat and dan are, ben is not, and "b" is over."""
    town = ConnectedBots()
    town.names |= {"ben"}
    check_list(listing, town, over={"b"}, coming=coming, now=NOW)


def bots(*names: str) -> Listing:
    return Listing(Listable.BOTS, bots=tuple(ListedBot(name, None, 0, ()) for name in names))


def games(*ids: str) -> Listing:
    listed = (ListedGame(game, "m", ("ann", "cat"), Rules(), rated=True) for game in ids)
    return Listing(Listable.GAMES, games=tuple(listed))


def test_who_is_there_is_listed_and_no_other() -> None:
    """One that has just said hello may be."""
    check(bots("ann", "cat", "dan"))
    check(bots("ann", "ben", "cat", "dan"), coming=frozenset({"ben"}))
    for wrong in (bots("ann", "ben", "cat", "dan"), bots("ann", "dan"), bots("cat", "ann", "dan")):
        with pytest.raises(BrokenPromiseError, match=Promise.LISTED):
            check(wrong)


def test_games_that_are_over_are_not_listed() -> None:
    """Each of the others once."""
    check(games("a", "c"))
    for wrong in (games("a", "b"), games("a", "a")):
        with pytest.raises(BrokenPromiseError, match=Promise.LISTED):
            check(wrong)


CLOCK = TimeControl(move_ms=5000)
PLAY = Play(challenges=1, lease_s=10.0, longest_turn_s=30.0, games=4)
LONGEST_S = LONGEST_LEASES * PLAY.lease_s


class LeaseSetup(ConnectedBots):
    """A house bot and its challengers, at a time that the test sets."""

    def __init__(self) -> None:
        super().__init__()
        self.leases = LeaseWatch(self.watch.trace, self, frozenset({"house"}), PLAY)

    def ask(self, by: str, *tellings: str, clock: TimeControl = CLOCK) -> None:
        for name in tellings:
            told = Challenged(f"by {by}", by, "house", KALAH, clock, rated=True, games=1)
            self.leases.told(name, told)

    def begin(self, by: str, game: str = "g1") -> None:
        state, clocks = Board.start(KALAH).state, ClockState(None, (0, 0))
        names, other = (by, "house"), Opponent(by)
        self.leases.shown(
            GameStart(game, f"m {by}", 1, KALAH, CLOCK, other, state, (), clocks, names)
        )

    def wait(self, seconds: float, *running: str) -> None:
        for _ in range(100):
            self.now += seconds / 100
            self.leases.watch(running)


def test_a_place_is_not_held_without_end_while_another_waits() -> None:
    """Without one that waits, it may be."""
    setup = LeaseSetup()
    setup.ask("hog", "hog", "house")
    setup.begin("hog")
    setup.wait(2 * LONGEST_S, "g1")
    setup.ask("ann", "ann")
    with pytest.raises(BrokenPromiseError, match=Promise.LENT):
        setup.wait(2 * SETTLED_S, "g1")


def test_a_match_yields_before_its_next_game() -> None:
    """Once it was lent for the length of a lease, and another waits."""
    setup = LeaseSetup()
    setup.ask("hog", "hog", "house")
    setup.begin("hog")
    setup.ask("ann", "ann")
    setup.wait(PLAY.lease_s / 2, "g1")
    setup.begin("hog", "g2")
    setup.wait(PLAY.lease_s, "g2")
    with pytest.raises(BrokenPromiseError, match="goes on"):
        setup.begin("hog", "g3")


def test_a_free_place_is_lent() -> None:
    """To a challenge that waits; one that was declined does not."""
    setup = LeaseSetup()
    setup.ask("ann", "ann")
    setup.leases.declined("by ann")
    setup.wait(4 * SETTLED_S)
    setup.ask("ann", "ann")
    with pytest.raises(BrokenPromiseError, match="has 0 matches"):
        setup.wait(4 * SETTLED_S)


def test_a_house_bot_is_not_offered_more_than_it_gives() -> None:
    """A clock that is too slow is to be refused."""
    setup = LeaseSetup()
    with pytest.raises(BrokenPromiseError, match="beyond"):
        setup.ask("hog", "hog", clock=TimeControl(move_ms=31_000))


def wanted(game: str) -> ReviewWanted:
    return ReviewWanted(game, KALAH, Board.start().state, (2,))


def review(game: str) -> Review:
    return Review(game, (), "test", 1.0, more=False)


@pytest.fixture
def reviewing(town: ConnectedBots) -> ReviewWatch:
    """Two reviewers with three hands each, of which ann has two games."""
    watch = ReviewWatch(town.watch.trace, town, patience_s=10.0)
    for name in ("ann", "cat"):
        watch.offered(name, OfferReviews(1, 3))
    watch.wanted("ann", wanted("a"))
    watch.wanted("ann", wanted("b"))
    town.now += 2 * NOTICED_S
    return watch


def test_a_reviewer_with_far_more_games_gets_no_further_one(reviewing: ReviewWatch) -> None:
    """The other one has a hand free."""
    with pytest.raises(BrokenPromiseError, match=Promise.IN_TURN):
        reviewing.wanted("ann", wanted("c"))


@pytest.mark.parametrize(
    "reason",
    [
        "no right",
        "sent a false one",
        "came back",
        "all hands",
        "version",
        "late",
        "brought it late",
        "gone",
    ],
)
def test_there_are_reasons_to_give_it_one(
    reason: str, reviewing: ReviewWatch, town: ConnectedBots
) -> None:
    """The other one is no better choice, or can't have it."""
    match reason:
        case "no right":
            reviewing.refused("cat")
        case "sent a false one":
            reviewing.found_false("cat")
            town.now += 2 * NOTICED_S
        case "came back":
            reviewing.reviewed("ann", review("a"))
        case "all hands":
            for game in "def":
                reviewing.wanted("cat", wanted(game))
        case "version":
            reviewing.offered("cat", OfferReviews(2, 3))
            town.now += 2 * NOTICED_S
        case "late":
            reviewing.wanted("cat", wanted("d"))
            town.now += 20.0
            reviewing.wanted("cat", wanted("e"))
            reviewing.reviewed("cat", review("e"))
            reviewing.reviewed("cat", review("d"))
        case "brought it late":
            reviewing.wanted("cat", wanted("d"))
            town.now += 20.0
            reviewing.reviewed("cat", review("d"))
        case "gone":
            reviewing.restarted()
            reviewing.offered("ann", OfferReviews(1, 3))
    reviewing.wanted("ann", wanted("c"))


START, MOVED, OVER = (
    replace(SAMPLES[kind], game="g", **others)
    for kind, others in ((GameStart, {"seat": None}), (Moved, {}), (GameOver, {}))
)


@pytest.fixture
def watching(town: ConnectedBots) -> SpectatorWatch:
    """A game that ann watches, and can't pay for."""
    watch = SpectatorWatch(town.watch.trace, town)
    watch.told("ann", START)
    watch.told("ann", MOVED)
    watch.overdrew("ann", "g")
    return watch


def test_one_that_has_overdrawn_is_shown_no_move(watching: SpectatorWatch) -> None:
    """Not before the game as it stands."""
    with pytest.raises(BrokenPromiseError, match=Promise.SHOWN_LESS):
        watching.told("ann", MOVED)
    watching.told("ann", START)
    watching.told("ann", MOVED)


def test_one_that_can_pay_again_is_shown_its_game(
    watching: SpectatorWatch, town: ConnectedBots
) -> None:
    """Within a moment, while the game goes on."""
    watching.can_pay = lambda _name: False
    town.now += 2 * SHOWN_S
    watching.watch({"g"}, ())
    watching.can_pay = lambda _name: True
    town.now += SHOWN_S / 2
    watching.watch({"g"}, ())
    town.now += SHOWN_S
    with pytest.raises(BrokenPromiseError, match=Promise.CAUGHT_UP):
        watching.watch({"g"}, ())


def test_one_that_was_shown_a_game_hears_its_end(watching: SpectatorWatch) -> None:
    """Also if it is behind."""
    with pytest.raises(BrokenPromiseError, match=Promise.HEARS_END):
        watching.watch((), {"g"})
    watching.told("ann", OVER)
    watching.watch((), {"g"})


def test_one_that_stopped_watching_or_is_gone_is_shown_nothing(watching: SpectatorWatch) -> None:
    """Nor is anything of a former server."""
    watching.forget("ann")
    watching.watch((), {"g"})
    watching.told("ben", START)
    watching.watch((), {"g"})
    watching.told("ann", START)
    watching.restarted()
    watching.watch((), {"g"})


def test_what_was_answered_has_to_be_stored_as_it_was_sent() -> None:
    """In parts; any of those that were sent under the id."""
    watch = SubmissionWatch()
    watch.arrived("ann", Submit("n", "half", more=True))
    watch.greeted("ann")
    for part in (Submit("n", "a", more=True), Submit("n", "b"), Submit("n", "c")):
        watch.arrived("ann", part)
    watch.told("ann", Submitted("n", "key"))
    watch.check({"key": "ab"})
    watch.check({"key": "c"})
    for stored in ({}, {"key": "halfab"}):
        with pytest.raises(BrokenPromiseError):
            watch.check(stored)


def test_only_what_was_sent_may_be_answered() -> None:
    """By the bot that sent it."""
    watch = SubmissionWatch()
    watch.arrived("ann", Submit("n", "a"))
    with pytest.raises(BrokenPromiseError):
        watch.told("bob", Submitted("n", "key"))

"""A running ladder: joining, playing, ratings, quarantine, watching."""

from typing import Any

import pytest

from mancala.protocol import codec
from mancala.protocol import messages as wire
from mancala.protocol.clock import TimeControl
from mancala.protocol.results import GameResult, LadderStandings, MatchResult
from mancala.server.config.ladders import LadderSettings
from mancala.server.config.settings import Config, Kgp
from mancala.server.ladders import membership, ratings
from mancala.server.ladders.day_limits import LONGEST_UNRATED_S, LONGEST_WAIT_S
from mancala.server.model.day_counts import Counted
from mancala.server.model.game import Tally
from mancala.server.model.journal import (
    Announced,
    Announcement,
    EntrantRated,
    GameClosed,
    KeptLadder,
    LadderJoined,
    LadderLeft,
    MatchClosed,
    RatingNoted,
    SeatsTallied,
    SessionClosed,
    StandingsAnnounced,
)
from mancala.server.model.orders import Replay, Switch, SwitchKind
from tests.server.fakes import FakeSeat, Harness

SLOW = TimeControl(move_ms=3_600_000)
REFIT_S = 5.0
PATIENCE_S = 20.0
GOOD_TOKEN = "good"  # noqa: S105  # no secret


def open_harness(*, claim_names: bool = False, **changes: Any) -> Harness:  # noqa: ANN401  # whatever a setting is
    ladder = LadderSettings(
        name="main", clock=SLOW, refit_s=REFIT_S, patience_s=PATIENCE_S, **changes
    )
    kgp = Kgp(claim_names=claim_names)
    return Harness(Config(name="test", grace_s=30.0, kgp=kgp, ladder=(ladder,)))


def join(harness: Harness, *names: str) -> list[FakeSeat]:
    seats = [harness.greet(name) for name in names]
    harness.say_all(wire.Join("main"), *seats)
    harness.clock.pass_by(0.0)
    return seats


def both_in(**changes: Any) -> tuple[Harness, FakeSeat, FakeSeat]:  # noqa: ANN401  # whatever a setting is
    """Return a harness, and two bots that are in its ladder."""
    harness = open_harness(**changes)
    ann, bob = join(harness, "ann", "bob")
    return harness, ann, bob


def is_asked(seat: FakeSeat) -> bool:
    said = [
        message
        for message in seat.told
        if isinstance(message, wire.Turn | wire.Moved | wire.GameOver)
    ]
    return bool(said) and isinstance(said[-1], wire.Turn)


def play_on(harness: Harness, *seats: FakeSeat) -> None:
    while asked := [seat for seat in seats if is_asked(seat)]:
        for seat in asked:
            turn = seat.last(wire.Turn)
            harness.say(seat, wire.Move(turn.game, turn.ply, turn.legal[-1]))


def resign_all(harness: Harness, loser: FakeSeat) -> None:
    while loser.of(wire.GameStart)[-1].game not in {over.game for over in loser.of(wire.GameOver)}:
        harness.say(loser, wire.Resign(loser.game))


def standings_of(harness: Harness) -> dict[str, tuple[int, float | None]]:
    ladder = harness.sessions.ladders.get("main")
    assert ladder is not None
    return {line.name: (line.games, line.elo) for line in ladder.state.standings()}


def test_two_who_join_play_a_side_swapped_match() -> None:
    """The bot that joined first begins; then the sides are swapped; the match has its score."""
    harness, ann, bob = both_in()
    play_on(harness, ann, bob)
    starts = ann.of(wire.GameStart)[:2]
    assert [start.names for start in starts] == [("ann", "bob"), ("bob", "ann")]
    assert starts[0].clock == SLOW
    over = ann.last(wire.MatchOver)
    assert sum(over.score.values()) == 2
    assert over.ratings is not None
    assert over.ratings.keys() == {"ann", "bob"}


def test_house_bots_that_know_each_other_meet_at_each_pulse(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Not before it, and at the next one again."""
    monkeypatch.setattr(membership, "HOUSE_MEETINGS", 2)
    harness = open_harness(house={"one": "random", "two": "greedy"}, pulse_s=45.0)
    house = [harness.greet(name, is_own=True) for name in ("one", "two")]
    harness.say_all(wire.Join("main"), *house)
    harness.clock.pass_by(0.0)
    for matches in (1, 2):
        play_on(harness, *house)
        harness.clock.pass_by(44.0)
        assert len(house[0].of(wire.MatchOver)) == matches
        assert not any(map(is_asked, house))
        harness.clock.pass_by(1.0)
        assert any(map(is_asked, house))


def test_a_bot_is_paired_until_it_leaves() -> None:
    """After a match comes the next; after a leave comes none."""
    harness, ann, bob = both_in()
    resign_all(harness, bob)
    harness.clock.pass_by(0.0)
    assert len({start.match for start in ann.of(wire.GameStart)}) == 2
    harness.say(ann, wire.Leave("main"))
    resign_all(harness, bob)
    harness.clock.pass_by(10 * PATIENCE_S)
    assert len({start.match for start in ann.of(wire.GameStart)}) == 2
    assert len(harness.journal.kept(LadderLeft)) == 1


@pytest.mark.parametrize("matches", [1, 2])
def test_a_bot_leaves_after_as_many_matches_as_it_wanted(matches: int) -> None:
    """No game begins after its last match, so a goodbye then leaves none early."""
    harness = open_harness()
    ann, bob = harness.greet("ann"), harness.greet("bob")
    harness.say(ann, wire.Join("main", matches))
    harness.say(bob, wire.Join("main"))
    for played in range(1, matches + 3):
        harness.clock.pass_by(PATIENCE_S)
        for _ in range(2):
            if running_game(ann) is not None:
                resign_all(harness, ann)
        assert len(ann.of(wire.MatchOver)) == min(played, matches)
    harness.say(ann, wire.Join("main"))
    harness.clock.pass_by(PATIENCE_S)
    assert running_game(ann) is not None


def test_a_match_that_is_owed_waits_until_both_are_free() -> None:
    """One of them would play two at a time."""
    harness, ann, _bob = both_in()
    owed = Replay("old", "main", ("cid", "ann"))
    harness.context.orders.switch_on(Switch(SwitchKind.REPLAY, "old", owed.text, harness.utc))
    (cid,) = join(harness, "cid")
    assert not cid.of(wire.GameStart)
    resign_all(harness, ann)
    harness.clock.pass_by(0.0)
    assert cid.last(wire.GameStart).names == ("cid", "ann")


def test_joining_and_leaving_are_answered() -> None:
    """With the ladder's terms, before the first match; also when nothing changes by it."""
    harness = open_harness()
    ann, bob = harness.greet("ann"), harness.greet("bob")
    harness.say(bob, wire.Join("main"))
    harness.say(ann, wire.Join("main", 5))
    harness.clock.pass_by(0.0)
    kinds = [type(message) for message in ann.told]
    assert kinds.index(wire.Joined) < kinds.index(wire.GameStart)
    joined = ann.last(wire.Joined)
    assert (joined.ladder, joined.clock, joined.games, joined.matches) == ("main", SLOW, 2, 5)
    harness.say(ann, wire.Join("main"))
    assert ann.last(wire.Joined).matches is None
    for _ in range(2):
        harness.say(ann, wire.Leave("main"))
    assert ann.of(wire.Left) == [wire.Left("main")] * 2


def test_a_leave_that_the_store_refuses_is_answered() -> None:
    """A bot that stops waits for the answer; it is paired no more."""
    harness, ann, _bob = both_in()
    harness.journal.refuses = lambda entry: isinstance(entry, LadderLeft)
    harness.say(ann, wire.Leave("main"))
    error = ann.last(wire.Error)
    assert (error.code, error.ref, ann.of(wire.Left)) == (wire.ErrorCode.INTERNAL, "main", [])
    resign_all(harness, ann)
    harness.clock.pass_by(PATIENCE_S)
    assert running_game(ann) is None


def test_joining_again_says_anew_for_how_many_matches() -> None:
    """A member without a number gets one, during its match or between two."""
    harness, ann, _bob = both_in()
    resign_all(harness, ann)
    harness.say(ann, wire.Join("main", 1))
    for _ in range(4):
        if running_game(ann) is not None:
            resign_all(harness, ann)
        harness.clock.pass_by(PATIENCE_S)
    assert running_game(ann) is None


def test_with_a_choice_of_opponents_no_bot_meets_the_same_again() -> None:
    """Of four, those who just met wait for the others."""
    harness = open_harness()
    ann, bob, cy, dan = join(harness, "ann", "bob", "cy", "dan")
    first = ann.last(wire.GameStart).opponent.name
    losers = {"bob": bob, "cy": cy, "dan": dan}
    resign_all(harness, losers[first])
    harness.clock.pass_by(PATIENCE_S / 2)
    assert len({start.match for start in ann.of(wire.GameStart)}) == 1
    (third, _fourth) = (seat for name, seat in losers.items() if name != first)
    resign_all(harness, third)
    harness.clock.pass_by(0.0)
    assert ann.last(wire.GameStart).opponent.name != first


def test_a_result_and_what_follows_from_it_are_durable_together() -> None:
    """One commit holds the result, the tally, both ratings, and both announcements."""
    harness, ann, _bob = both_in()
    harness.journal.is_slow = True
    before = len(harness.journal.entries)
    harness.say(ann, wire.Resign(ann.game))
    assert not ann.of(wire.GameOver)
    harness.journal.settle()
    kinds = [type(entry) for entry in harness.journal.entries[before:]]
    rated = [EntrantRated, EntrantRated]
    assert kinds[:6] == [GameClosed, Announced, SeatsTallied, *rated, StandingsAnnounced]
    assert ann.of(wire.GameOver)


def test_a_game_whose_end_can_not_be_stored_is_not_counted() -> None:
    """The standings have the match's other game only, and no one is penalised for the first."""
    harness, ann, _bob = both_in(games=2)
    refused: list[object] = []

    def refuse(entry: object) -> bool:
        is_first = isinstance(entry, GameClosed) and not refused
        refused.extend([entry] if is_first else [])
        return is_first

    harness.journal.refuses = refuse
    harness.say(ann, wire.Resign(ann.game))
    assert ann.of(wire.GameOver)[0].reason is wire.Reason.ABORTED
    assert standings_of(harness) == {}
    harness.say(ann, wire.Resign(ann.game))
    assert {name: games for name, (games, _elo) in standings_of(harness).items()} == {
        "ann": 1,
        "bob": 1,
    }


def test_each_game_and_the_table_are_announced() -> None:
    """The game's result goes to the ladder's topic too; the table is retained."""
    harness, ann, _bob = both_in()
    harness.say(ann, wire.Resign(ann.game))
    game, standings = kept_announcements(harness)[:2]
    result, told = game.payload, standings.payload
    assert isinstance(result, GameResult)
    assert isinstance(told, LadderStandings)
    assert game.topic == "mancala/test/ladders/main/games"
    assert (result.ladder, result.winner) == ("main", 1)
    assert result.event_id == game.event_id != f"game-{result.game}"
    assert (standings.topic, standings.is_retained) == ("mancala/test/ladders/main/standings", True)
    assert [(line.rank, line.name, line.points) for line in told.standings] == [
        (1, "bob", 1.0),
        (2, "ann", 0.0),
    ]
    assert (told.total, told.more) == (2, "/api/v1/ladders/main/standings")
    assert (told.players, told.games, told.top_rating) == (2, 1, told.standings[0].rating)


def test_announced_standings_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """The best rows are announced, with the number of all and where the others are."""
    monkeypatch.setattr(ratings, "ANNOUNCED_ROWS", 1)
    harness, ann, _bob = both_in()
    harness.say(ann, wire.Resign(ann.game))
    told = kept_announcements(harness)[1].payload
    assert isinstance(told, LadderStandings)
    assert [line.name for line in told.standings] == ["bob"]
    assert (told.total, told.more) == (2, "/api/v1/ladders/main/standings")


def kept_announcements(harness: Harness) -> list[Announcement]:
    """Return what was announced beside games and matches, in order."""
    found = []
    for entry in harness.journal.entries:
        if isinstance(entry, Announced):
            found.append(entry.announcement)
        elif isinstance(entry, StandingsAnnounced):
            found.append(entry.result)
    return found


def test_a_match_tells_its_ladder_and_the_ratings_after_it() -> None:
    """The match's payload names the ladder and both ratings, by the bots' names."""
    harness, _ann, bob = both_in()
    resign_all(harness, bob)
    (closed,) = (entry for entry in harness.journal.entries if isinstance(entry, MatchClosed))
    payload = closed.result.payload
    assert isinstance(payload, MatchResult)
    assert payload.ladder == "main"
    assert payload.ratings is not None
    assert payload.ratings["ann"] > payload.ratings["bob"]


def test_versions_of_a_bot_are_rated_apart() -> None:
    """The same name with another version begins anew; the old version keeps its place."""
    harness = open_harness()
    (ann,) = join(harness, "ann")
    for version in ("1", "2"):
        bob = harness.greet("bob", version=version)
        harness.say(bob, wire.Join("main"))
        harness.clock.pass_by(0.0)
        resign_all(harness, bob)
        harness.leave(bob)
    assert standings_of(harness).keys() == {"ann", "bob@1", "bob@2"}
    assert ann.last(wire.MatchOver).ratings is not None


def test_all_ratings_are_fitted_together_some_time_after_a_game() -> None:
    """The fit runs once for many games, and its table is announced."""
    harness, _ann, bob = both_in()
    resign_all(harness, bob)
    live, told = standings_of(harness), len(kept_announcements(harness))
    harness.clock.pass_by(REFIT_S)
    assert standings_of(harness) != live
    assert len(kept_announcements(harness)) == told + 1
    harness.clock.pass_by(0.9)
    assert len(kept_announcements(harness)) == told + 1


def test_a_fit_notes_the_ratings_of_those_that_played_since_the_one_before() -> None:
    """Once each, with the number of their games; a fit after no game notes nothing."""
    harness, _ann, bob = both_in()
    resign_all(harness, bob)
    harness.clock.pass_by(REFIT_S)
    harness.clock.pass_by(REFIT_S)
    noted = [entry for entry in harness.journal.entries if isinstance(entry, RatingNoted)]
    assert [(entry.name, entry.games) for entry in noted] == [("ann", 2), ("bob", 2)]
    assert {entry.name: entry.elo for entry in noted} == {
        name: elo for name, (_rank, elo) in standings_of(harness).items()
    }


def test_an_aborted_game_does_not_count() -> None:
    """A bot that leaves before its first move changes no rating."""
    harness, _ann, bob = both_in()
    harness.leave(bob)
    assert not harness.journal.kept(SeatsTallied)
    assert not standings_of(harness)


def leave_early(harness: Harness, name: str) -> FakeSeat:
    (seat,) = join(harness, name)
    harness.leave(seat)
    harness.clock.pass_by(0.0)
    return seat


def test_leaving_before_the_first_move_is_soon_a_loss() -> None:
    """Three a day are free; the fourth is lost, and the record says why."""
    harness = open_harness()
    (ann,) = join(harness, "ann")
    for _ in range(4):
        harness.clock.pass_by(PATIENCE_S)
        leave_early(harness, "bob")
    ends = [(over.reason, over.winner is None) for over in ann.of(wire.GameOver)]
    assert ends == [(wire.Reason.ABORTED, True)] * 3 + [(wire.Reason.DISCONNECTED, False)]
    evidence = ann.last(wire.GameOver).evidence
    assert evidence is not None
    assert "too often in a day" in evidence.detail
    assert {name: games for name, (games, _elo) in standings_of(harness).items()} == {
        "ann": 1,
        "bob": 1,
    }


def test_a_bot_that_keeps_leaving_is_told_and_waits_longer_each_time() -> None:
    """The pause begins with the first loss, is announced on joining, and doubles."""
    harness = open_harness(departure_pause_s=100.0)
    (ann,) = join(harness, "ann")
    for _ in range(4):
        harness.clock.pass_by(PATIENCE_S)
        leave_early(harness, "bob")
    for pause_s in (100.0, 200.0):
        begun = len(ann.of(wire.GameStart))
        (bob,) = join(harness, "bob")
        assert bob.errors == [(wire.ErrorCode.LIMIT, "main")]
        harness.clock.pass_by(pause_s - 1.0)
        assert not bob.of(wire.GameStart)
        harness.clock.pass_by(2.0)
        assert len(ann.of(wire.GameStart)) == begun + 1
        harness.leave(bob)


def test_four_crashes_of_neighbours_cost_a_new_name_nothing() -> None:
    """It is paired immediately; it was paused for a minute, which doubled up to a day."""
    harness = open_harness(departure_pause_s=100.0)
    (ann,) = join(harness, "ann")
    for name in ("bob", "cy", "dan", "eve"):
        harness.clock.pass_by(PATIENCE_S)
        leave_early(harness, name)
    assert [over.reason for over in ann.of(wire.GameOver)] == [wire.Reason.ABORTED] * 4
    (fay,) = join(harness, "fay")
    assert not fay.errors
    assert fay.of(wire.GameStart)


def test_many_departures_from_an_address_slow_its_new_names() -> None:
    """They are paired one after another, within a minute; a bot with a record does not wait."""
    harness = open_harness(address_departures=4)
    ann, bob, cy = join(harness, "ann", "bob", "cy")
    resign_all(harness, bob)
    harness.leave(bob, cy)
    for name in ("dan", "eve", "fay", "gus"):
        harness.clock.pass_by(PATIENCE_S)
        leave_early(harness, name)
    begun = len(ann.of(wire.GameStart))
    hal, ivy, bob = join(harness, "hal", "ivy", "bob")
    assert not hal.errors
    assert not bob.errors
    assert ivy.errors == [(wire.ErrorCode.LIMIT, "main")]
    harness.clock.pass_by(LONGEST_WAIT_S)
    assert ivy.of(wire.GameStart)
    assert len(ann.of(wire.GameStart)) > begun


def test_a_restart_forgets_no_departure_of_the_day() -> None:
    """The next one is lost as before under the bot's name; a new one pays for nothing."""
    former = open_harness(departure_pause_s=100.0)
    join(former, "ann")
    for _ in range(4):
        former.clock.pass_by(PATIENCE_S)
        leave_early(former, "bob")
    harness = open_harness(departure_pause_s=100.0)
    harness.restore_counts_of(former)
    _ann, bob, fay = join(harness, "ann", "bob", "fay")
    assert bob.errors == [(wire.ErrorCode.LIMIT, "main")]
    assert not fay.errors


def test_a_bot_that_vanishes_before_its_first_move_has_left_early() -> None:
    """Its game is lost as ever when the grace time ends, and the departure is counted."""
    harness, _ann, bob = both_in(early_departures=0, departure_pause_s=100.0)
    harness.drop(bob)
    harness.clock.pass_by(31.0)
    (again,) = join(harness, "bob")
    assert again.errors == [(wire.ErrorCode.LIMIT, "main")]


def test_openings_are_shared_by_the_games_of_a_pair() -> None:
    """Both games of a pair begin from one position of the list, the next pair from the next."""
    literals = ("<6,0,0,0,5,5,5,5,4,4,4,4,4,4,4>", "<6,0,0,4,0,5,5,5,5,4,4,4,4,4,4>")
    harness, ann, bob = both_in(openings=literals, games=4)
    play_on(harness, ann, bob)
    openings = [start.opening for start in ann.of(wire.GameStart)[:4]]
    assert openings[0] == openings[1] != openings[2] == openings[3]
    assert None not in openings
    result = harness.journal.kept(GameClosed)[0]
    payload = result.result.payload
    assert isinstance(payload, GameResult)
    assert payload.opening == openings[0]


def test_openings_go_on_where_a_former_server_stopped() -> None:
    """After a restart the list isn't begun anew: each opening gets its share of games."""
    literals = ("<6,0,0,0,5,5,5,5,4,4,4,4,4,4,4>", "<6,0,0,4,0,5,5,5,5,4,4,4,4,4,4>")
    openings = []
    for played in (0, 2):
        harness = open_harness(openings=literals)
        tallies = {("cy", "dan"): Tally(wins=played)}
        harness.sessions.restore([], [], {"main": KeptLadder(tallies=tallies)})
        ann, _bob = join(harness, "ann", "bob")
        openings.append(ann.last(wire.GameStart).opening)
    assert openings[0] != openings[1]


# Who may join


def test_an_unknown_ladder_is_named_in_the_refusal() -> None:
    """Join, leave and watch of a ladder that isn't there are each answered, and nothing else."""
    harness = open_harness()
    ann = harness.greet("ann")
    harness.say(ann, wire.Join("blitz"), wire.Leave("blitz"), wire.Watch(ladder="blitz"))
    assert ann.errors == [(wire.ErrorCode.UNKNOWN_LADDER, "blitz")] * 3


def test_a_ladder_may_be_closed_to_guests_and_to_names() -> None:
    """A bot without a token, or without a matching name, is refused; others may join."""
    harness = open_harness(guests=False, names=("a*",))
    ann, bob = harness.greet("ann"), harness.greet("bob", token="t")  # noqa: S106  # no secret
    amy = harness.greet("amy", token="t")  # noqa: S106  # no secret
    harness.say_all(wire.Join("main"), ann, bob, amy)
    assert ann.errors == bob.errors == [(wire.ErrorCode.FORBIDDEN, "main")]
    assert amy.errors == []


def test_joining_twice_is_joining_once() -> None:
    """A second join changes nothing, and is no error."""
    harness, ann, _bob = both_in()
    harness.say(ann, wire.Join("main"))
    harness.clock.pass_by(0.0)
    assert len(ann.of(wire.GameStart)) == 1
    assert len(harness.journal.kept(LadderJoined)) == 2
    assert not ann.of(wire.Error)


def ask(harness: Harness, seat: FakeSeat, other: FakeSeat) -> wire.Turn:
    while not is_asked(seat):
        turn = other.last(wire.Turn)
        harness.say(other, wire.Move(turn.game, turn.ply, turn.legal[-1]))
    return seat.last(wire.Turn)


def test_a_bot_that_forfeits_again_and_again_is_sent_out_and_told_why() -> None:
    """After repeated forfeits it gets the reason and the time, and is paired no more."""
    harness, ann, bob = both_in(quarantine_after=2)
    for _ in range(2):
        turn = ask(harness, ann, bob)
        harness.say(ann, wire.Move(turn.game, turn.ply, 200))
        assert ann.last(wire.GameOver).reason is wire.Reason.ILLEGAL
    assert ann.errors == [(wire.ErrorCode.QUARANTINED, "main")]
    assert "illegal" in ann.last(wire.Error).message
    harness.clock.pass_by(10 * PATIENCE_S)
    assert len({start.match for start in ann.of(wire.GameStart)}) == 1
    harness.say(ann, wire.Join("main"))
    assert ann.errors == [(wire.ErrorCode.QUARANTINED, "main")] * 2
    assert bob.errors == []


def test_a_bot_that_crashes_again_and_again_hears_of_its_quarantine_when_it_returns() -> None:
    """A lost seat is a forfeit; the reason waits for the owner's next attempt to join."""
    harness, ann, bob = both_in(quarantine_after=1)
    harness.drop(ann)
    harness.clock.pass_by(31.0)
    assert bob.last(wire.GameOver).reason is wire.Reason.DISCONNECTED
    back = harness.greet("ann")
    harness.say(back, wire.Join("main"))
    assert back.errors == [(wire.ErrorCode.QUARANTINED, "main")]
    fixed = harness.greet("ann2", version="2")
    harness.say(fixed, wire.Join("main"))
    assert fixed.errors == []


def test_a_new_version_is_not_held_to_what_the_old_one_did() -> None:
    """Quarantine is a version's, not a name's."""
    harness = open_harness(quarantine_after=1)
    bob = harness.greet("bob", version="1")
    (_ann,) = join(harness, "ann")
    harness.say(bob, wire.Join("main"))
    harness.clock.pass_by(0.0)
    harness.drop(bob)
    harness.clock.pass_by(31.0)
    bob = harness.greet("bob", version="2")
    harness.say(bob, wire.Join("main"))
    assert bob.errors == []


def test_a_quarantined_version_gets_no_match_by_resuming() -> None:
    """It comes back on the session of another version that joined."""
    harness = open_harness(quarantine_after=1)
    bob = harness.greet("bob", version="1")
    (ann,) = join(harness, "ann")
    harness.say(bob, wire.Join("main"))
    harness.clock.pass_by(0.0)
    turn = ask(harness, bob, ann)
    harness.say(bob, wire.Move(turn.game, turn.ply, 200), wire.Goodbye())
    fixed = harness.greet("bob", version="2")
    harness.drop(ann)
    harness.say(fixed, wire.Join("main"))
    harness.drop(fixed)
    back = harness.connect()
    hello = wire.Hello(wire.VERSION, "bob", agent=wire.Agent("test", "1"), resume=fixed.secret)
    harness.say(back, hello)
    join(harness, "eve")
    assert back.errors == [(wire.ErrorCode.QUARANTINED, "main")]
    assert not back.of(wire.GameStart)


# Coming and going


def test_a_member_that_is_away_is_not_paired_and_one_that_resumes_is() -> None:
    """Membership outlives a connection, and ends with the session."""
    harness = open_harness()
    (ann,) = join(harness, "ann")
    harness.drop(ann)
    (_bob,) = join(harness, "bob")
    assert not harness.sessions.tables.games
    secret = ann.secret
    back = harness.greet("ann", resume=secret)
    harness.clock.pass_by(0.0)
    assert back.of(wire.GameStart)
    harness.leave(back)
    assert harness.journal.kept(SessionClosed)
    assert len(harness.sessions.tables.games) == 0


def test_a_draining_server_seats_no_bot() -> None:
    """Once the server is about to stop, joins are refused and no bot is paired."""
    harness = open_harness()
    (ann,) = join(harness, "ann")
    bob = harness.greet("bob")
    harness.sessions.drain(lambda: None)
    harness.say(bob, wire.Join("main"))
    harness.clock.pass_by(PATIENCE_S)
    assert bob.errors == [(wire.ErrorCode.SHUTTING_DOWN, "main")]
    assert not ann.of(wire.GameStart)


# Looking on


def test_who_watches_a_ladder_sees_all_its_games_now_and_later() -> None:
    """Running games are shown immediately, each new one as it begins, until unwatch."""
    harness, _ann, bob = both_in()
    eve = harness.greet("eve")
    harness.say(eve, wire.Watch(ladder="main"))
    assert [start.seat for start in eve.of(wire.GameStart)] == [None]
    resign_all(harness, bob)
    harness.clock.pass_by(0.0)
    assert len(eve.of(wire.GameOver)) == 2
    assert len(eve.of(wire.GameStart)) == 3
    harness.say(eve, wire.Unwatch(ladder="main"))
    resign_all(harness, bob)
    harness.clock.pass_by(0.0)
    assert len(eve.of(wire.GameStart)) == 3
    assert not eve.of(wire.Error)


def test_a_player_that_watches_its_ladder_sees_its_own_games_as_a_player_only() -> None:
    """It is shown the others' games; of its own it hears each thing once."""
    harness, ann, bob = both_in()
    harness.say(ann, wire.Watch(ladder="main"))
    play_on(harness, ann, bob)
    assert {start.seat for start in ann.of(wire.GameStart)} == {0, 1}
    moves = [(moved.game, moved.ply) for moved in ann.of(wire.Moved)]
    assert len(moves) == len(set(moves))


def test_watching_while_a_game_ends_is_no_error() -> None:
    """Who asks between two games sees the next one, and hears no complaint about the last."""
    harness, ann, _bob = both_in()
    eve = harness.greet("eve")
    harness.journal.is_slow = True
    harness.say(ann, wire.Resign(ann.game))
    harness.say(eve, wire.Watch(ladder="main"))
    harness.journal.settle()
    harness.journal.settle()
    assert [start.game for start in eve.of(wire.GameStart)] == [ann.game]
    assert not eve.of(wire.Error)


def test_a_tally_is_as_the_first_player_saw_it() -> None:
    """In the second game the sides are swapped, and so is the entry."""
    harness, _ann, bob = both_in()
    resign_all(harness, bob)
    tallied = [entry for entry in harness.journal.entries if isinstance(entry, SeatsTallied)]
    assert [(entry.seats, entry.tally) for entry in tallied[:2]] == [
        (("ann", "bob"), Tally(wins=1)),
        (("bob", "ann"), Tally(losses=1)),
    ]


@pytest.mark.parametrize("ladder", ["main", None])
def test_a_watcher_that_is_gone_is_forgotten(ladder: str | None) -> None:
    """A ladder keeps nothing of a connection that is gone, or that wants to see no more."""
    harness = open_harness()
    eve = harness.greet("eve")
    harness.say(eve, wire.Watch(ladder="main"))
    found = harness.sessions.ladders.get("main")
    assert found is not None
    assert found.watchers == {eve}
    if ladder is None:
        harness.drop(eve)
    else:
        harness.say(eve, wire.Unwatch())
    assert not found.watchers


def test_a_bot_brings_a_limited_number_of_versions_a_day() -> None:
    """The third new version of two is refused; one that is known comes back."""
    harness = open_harness(versions_a_day=2)
    (ann,) = join(harness, "ann")
    answers = []
    for version in ("1", "2", "3", "1"):
        harness.clock.pass_by(PATIENCE_S)
        bob = harness.greet("bob", version=version)
        harness.say(bob, wire.Join("main"))
        harness.clock.pass_by(PATIENCE_S)
        answers.append(bob.errors)
        if not answers[-1]:
            resign_all(harness, bob)
        harness.leave(bob)
    assert answers == [[], [], [(wire.ErrorCode.FORBIDDEN, "main")], []]
    assert standings_of(harness).keys() == {"ann", "bob@1", "bob@2"}
    assert ann.of(wire.MatchOver)


def test_further_guests_of_an_address_play_unrated_until_it_is_their_turn() -> None:
    """They are paired as ever; none is refused, and none has a row before its turn."""
    harness = open_harness(guests_a_day=2)
    seats = join(harness, "ann", "bob", "cy", "dan", "eve", "fay")
    assert not any(seat.errors for seat in seats)
    rated = {start.names: start.rated for seat in seats for start in seat.of(wire.GameStart)}
    assert sorted(rated.values()) == [False, False, True]
    for seat in seats:
        while running_game(seat) is not None:
            resign_all(harness, seat)
    assert len(standings_of(harness)) == 2
    assert len(harness.journal.kept(GameClosed)) == 6
    harness.clock.pass_by(LONGEST_UNRATED_S)
    for seat in seats:
        while running_game(seat) is not None:
            resign_all(harness, seat)
    harness.clock.pass_by(PATIENCE_S)
    assert all(start.rated for seat in seats for start in seat.of(wire.GameStart)[-1:])


def test_sixty_names_that_join_and_leave_close_no_ladder() -> None:
    """The next guest of that address is taken and rated, also after a restart."""
    former = open_harness()
    for number in range(60):
        (seat,) = join(former, f"stranger{number}")
        former.leave(seat)
    after = open_harness()
    after.restore_counts_of(former)
    for harness in (former, after):
        ann, bob = join(harness, "ann", "bob")
        assert not ann.errors
        assert bob.last(wire.GameStart).rated


def test_a_restart_forgets_no_new_name_of_the_day() -> None:
    """Those of the day count on; one of them is no newcomer, and costs no further row."""
    former = open_harness(guests_a_day=2)
    join(former, "ann", "bob")
    harness = open_harness(guests_a_day=2)
    harness.restore_counts_of(former)
    ann, _bob = join(harness, "ann", "bob")
    assert ann.last(wire.GameStart).rated
    assert not harness.journal.kept(Counted)


@pytest.mark.parametrize(
    ("changes", "is_parted"),
    [
        ({}, True),
        ({"anchors": {"bob": 1500.0}}, False),
        ({"house": {"beginner": "random"}}, False),
        ({"guest_pool": False}, False),
        ({"guest_pool": True, "anchors": {"bob": 1500.0}}, True),
        ({"claim_names": True}, False),
        ({"guest_pool": True, "claim_names": True}, True),
    ],
)
def test_guests_meet_bots_with_a_token_where_something_holds_the_scale(
    changes: dict[str, Any],
    is_parted: bool,  # noqa: FBT001  # what is expected
) -> None:
    """Without these, unless any name may be bound or the organiser says otherwise, they do not."""
    harness = open_harness(**changes)
    ann = harness.greet("ann", token=GOOD_TOKEN)
    harness.say(ann, wire.Join("main"))
    (bob,) = join(harness, "bob")
    assert bool(bob.of(wire.GameStart)) is not is_parted


def play_rounds(harness: Harness, seats: dict[str, FakeSeat], rounds: int) -> set[frozenset[str]]:
    """Play matches; return who met whom.

    Sybils lose every game that they can. Of two others, the one that moves first wins.
    """
    met = set()
    for _ in range(rounds):
        harness.clock.pass_by(PATIENCE_S)
        for seat in seats.values():
            while (game := running_game(seat)) is not None:
                met.add(frozenset(game.names))
                losers = [name for name in game.names if name.startswith("sybil")]
                harness.say(seats[(losers or game.names[1:])[0]], wire.Resign(game.game))
    harness.clock.pass_by(REFIT_S)
    return met


def running_game(seat: FakeSeat) -> wire.GameStart | None:
    over = {each.game for each in seat.of(wire.GameOver)}
    return next((start for start in seat.of(wire.GameStart) if start.game not in over), None)


@pytest.mark.parametrize(
    ("changes", "are_met"),
    [({"anchors": {"first": 1500.0}}, True), ({"house": {"first": "random"}}, True), ({}, False)],
)
def test_ten_guests_that_lose_on_purpose_lift_no_bot_with_a_token(
    changes: dict[str, Any],
    are_met: bool,  # noqa: FBT001  # what is expected
) -> None:
    """Honest bots move by less than 30 Elo; where nothing holds the scale, they meet no guest."""
    harness = open_harness(**changes)
    honest = ("first", "ann", "bob", "cy")
    seats = {name: harness.greet(name, token=f"secret of {name}") for name in honest}
    for seat in seats.values():
        harness.say(seat, wire.Join("main"))
    play_rounds(harness, seats, 20)
    before = standings_of(harness)
    sybils = [f"sybil{number}" for number in range(10)]
    seats |= zip(sybils, join(harness, *sybils), strict=True)
    met = play_rounds(harness, seats, 20)
    after = standings_of(harness)
    mixed = [pair for pair in met if len(pair & set(sybils)) == 1]
    for name in honest:
        assert abs((after[name][1] or 0.0) - (before[name][1] or 0.0)) < 30.0
    assert bool(mixed) is are_met


def test_many_versions_of_a_few_guests_stay_bounded() -> None:
    """Eight guests with 40 versions each make 160 entrants a day; announcements stay small."""
    harness = open_harness()
    names = [f"guest{number}" for number in range(8)]
    for version in range(40):
        seats = [harness.greet(name, version=str(version)) for name in names]
        harness.say_all(wire.Join("main"), *seats)
        harness.clock.pass_by(0.0)
        for seat in seats:
            while (game := running_game(seat)) is not None:
                harness.say(seat, wire.Resign(game.game))
        for seat in seats:
            assert bool(seat.errors) is (version >= 20)
            harness.leave(seat)
    assert len(standings_of(harness)) == 8 * 20
    announced = kept_announcements(harness)[-1].payload
    assert isinstance(announced, LadderStandings)
    assert announced.total == 8 * 20
    assert len(codec.to_json(announced)) < 20_000

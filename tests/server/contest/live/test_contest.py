"""An event of a running server plays its rounds, whatever its entrants and the server do."""

from functools import partial
from typing import Any

import pytest
from msgspec.structs import replace

from mancala.protocol import codec, results
from mancala.protocol import messages as wire
from mancala.server.config.events import EventSettings
from mancala.server.config.ladders import LadderSettings
from mancala.server.config.settings import Config
from mancala.server.contest.events.dutch import PairingFailedError
from mancala.server.contest.events.entry import EntryError
from mancala.server.contest.events.lifecycle import EventState, EventStep, Phase
from mancala.server.contest.events.pairings import PairedRound, pair
from mancala.server.contest.live import contest as contest_module
from mancala.server.contest.live.announcements import EventAnnouncer
from mancala.server.contest.live.contest import UNRATED, UNSTORED
from mancala.server.contest.live.encounters import AGAIN_S
from mancala.server.contest.live.views import event_view
from mancala.server.lobby import directory
from mancala.server.model.contests import EventGameCounted, EventGameRow, EventPaired, EventStepped
from mancala.server.model.journal import Announced, MatchOpened, Revealed
from mancala.server.model.timestamps import later
from tests.server.contest.live.final_event import contest_of, kept, take
from tests.server.fakes import FakeSeat, Harness, paired, play_out

NAMES = ("ann", "bob", "cid", "dan")
ABSENT_S = 60.0
OPENINGS = ("<6,0,0,0,5,5,5,5,4,4,4,4,4,4,4>", "<6,0,0,4,0,5,5,5,5,4,4,4,4,4,4>")


def settings(**options: Any) -> EventSettings:  # noqa: ANN401  # whatever a setting takes
    """Return the settings of a Swiss event of four, unless others are named."""
    usual: dict[str, Any] = {
        "name": "final",
        "format": "swiss",
        "entrants": NAMES,
        "rounds": 2,
        "absent_s": ABSENT_S,
    }
    return EventSettings(**(usual | options))


def serve(**options: Any) -> Harness:  # noqa: ANN401  # whatever a setting takes
    harness = Harness(Config(grace_s=30.0, event=(settings(**options),)))
    harness.sessions.restore([], [])
    return harness


def start(harness: Harness, *present: str) -> dict[str, FakeSeat]:
    seats = {name: harness.greet(name) for name in present}
    take(harness, EventStep.PAIR)
    return seats


def started(*present: str, **options: Any) -> tuple[Harness, dict[str, FakeSeat]]:  # noqa: ANN401  # whatever a setting takes
    """Return the server of an event that has begun, and the entrants that are present."""
    harness = serve(**options)
    return harness, start(harness, *present)


def play(harness: Harness, seats: dict[str, FakeSeat]) -> None:
    """Play all games that there are, until the event waits for something else."""
    while harness.sessions.tables.games:
        play_out(harness, *seats.values())
        harness.clock.pass_by(AGAIN_S)


def restarted(harness: Harness, **changes: Any) -> Harness:  # noqa: ANN401  # whatever a setting takes
    """Return the next server, after a kill of one that had no match under way."""
    changed = replace(contest_of(harness).settings, **changes)
    following = Harness(Config(grace_s=30.0, event=(changed,)))
    following.journal.entries += harness.journal.entries
    following.utc = harness.utc
    following.sessions.restore([], [], events={"final": kept(harness)})
    return following


def points(harness: Harness) -> dict[str, float]:
    contest = contest_of(harness)
    table = contest.state.standings(contest.settings, frozen=0)
    return {row.name: row.points for row in table}


def announced(harness: Harness) -> list[results.Payload]:
    return [
        each.announcement.payload
        for each in harness.journal.entries
        if isinstance(each, Announced) and "/events/final/" in each.announcement.topic
    ]


def announced_table(harness: Harness) -> results.EventTable:
    return [each for each in announced(harness) if isinstance(each, results.EventTable)][-1]


def announced_points(harness: Harness) -> dict[str, float]:
    return {row.name: row.points for row in announced_table(harness).standings}


@pytest.mark.parametrize(
    ("format_", "games"),
    [
        *(("swiss", 2), ("rr", 2), ("drr", 2), ("gauntlet", 2), ("rr", 1), ("rr", 4)),
        *(("knockout", 2), ("double-knockout", 2)),
    ],
)
def test_an_event_plays_its_rounds_to_the_end(format_: str, games: int) -> None:
    """Each player's games are those of its table, and the event is finished."""
    harness = serve(format=format_, games=games, rounds=None)
    play(harness, start(harness, *NAMES))
    contest = contest_of(harness)
    assert contest.state.phase.state is EventState.FINISHED
    counted = contest.state.results
    assert sum(points(harness).values()) == len(counted)
    assert counted
    assert {*counted} == {*range(len(counted))}
    assert contest.encounters.running == 0


@pytest.mark.parametrize("format_", ["swiss", "rr"])
def test_an_event_rests_between_its_rounds(format_: str) -> None:
    """Also over a restart; it says until when, and does not rest after the last round."""
    harness = serve(format=format_, rounds=2 if format_ == "swiss" else None, interval_s=300.0)
    play(harness, start(harness, *NAMES))
    contest = contest_of(harness)
    assert (contest.state.phase.state, contest.state.phase.round) == (EventState.CLOSED, 1)
    ends = later(harness.utc, 300.0)
    assert event_view(contest.settings, contest.state).next_round_at == ends
    status = [each for each in announced(harness) if isinstance(each, results.EventStatus)][-1]
    assert status.next_round == ends
    harness.utc = later(harness.utc, 200.0)
    following = restarted(harness)
    seats = {name: following.greet(name) for name in NAMES}
    contest = contest_of(following)
    assert contest.rests
    rounds = contest.state.regulations.terms(contest.state.entrants).rounds
    while contest.rests:
        following.clock.pass_by(99.0)
        assert contest.state.phase.state is EventState.CLOSED
        following.utc = later(ends, 1.0)
        following.clock.pass_by(2.0)
        play(following, seats)
        ends = later(following.utc, 300.0)
        following.utc = later(following.utc, 200.0)
        following.clock.pass_by(200.0)
    assert contest.state.phase.state is EventState.FINISHED
    assert contest.state.phase.round == (rounds if format_ == "swiss" else 3)


def arena(**options: Any) -> Harness:  # noqa: ANN401  # whatever a setting takes
    """Return a server with an arena of ten minutes that has not begun."""
    return serve(**({"format": "arena", "rounds": None, "games": 1, "duration_s": 600.0} | options))


@pytest.mark.parametrize("message", [wire.Goodbye(), wire.Withdraw("final")])
def test_an_arena_that_too_few_are_left_for_is_over_once_its_time_is(message: wire.Message) -> None:
    """Others may enter until then; it waited for a second bot that was away for ever."""
    harness = arena()
    seats = start(harness, *NAMES)
    for name in NAMES[1:]:
        harness.say(seats[name], message)
    if isinstance(message, wire.Withdraw):
        play_out(harness, *seats.values())
    harness.clock.pass_by(599.0)
    assert contest_of(harness).state.phase.state is EventState.CLOSED
    harness.utc = later(harness.utc, 600.0)
    harness.clock.pass_by(1.0)
    assert contest_of(harness).state.phase.state is EventState.FINISHED


def test_an_arena_begins_no_wave_once_its_time_is_over() -> None:
    """It pairs one after the other until then, plays the last to its end, and is finished."""
    harness = arena()
    seats = start(harness, *NAMES)
    contest = contest_of(harness)
    ends = contest.state.regulations.ends
    assert ends == later(harness.utc, 600.0)
    assert [contest.state.is_out_of_time(later(ends, s)) for s in (-0.5, 0.0)] == [False, True]
    play_out(harness, *seats.values())
    harness.clock.pass_by(AGAIN_S)
    waves = contest.state.phase.round
    assert waves > 1
    assert contest.state.phase.state is EventState.PLAYING
    harness.utc = later(harness.utc, 600.0)
    play(harness, seats)
    assert (contest.state.phase.state, contest.state.phase.round) == (EventState.FINISHED, waves)
    assert {row.games for row in event_view(contest.settings, contest.state).standings} == {waves}


def test_an_arena_may_end_after_a_number_of_waves() -> None:
    """Its time is not over then."""
    harness = arena(rounds=3)
    play(harness, start(harness, *NAMES))
    contest = contest_of(harness)
    assert (contest.state.phase.state, contest.state.phase.round) == (EventState.FINISHED, 3)
    assert sum(points(harness).values()) == 6


def test_a_swiss_event_with_orders_for_its_rounds_may_become_an_arena() -> None:
    """A bye that stayed let no wave be paired, and no further order be carried out."""
    harness = serve()
    contest = contest_of(harness)
    bye = contest.excused("dan", 2, has_bye=True)
    harness.journal.commit(contest.changed("bye", bye, "root"), contest.look)
    met = contest.meeting(("ann", "bob"), 2, is_set=True)
    harness.journal.commit(contest.changed("pair-by-hand", met, "root"), contest.look)
    other = settings(format="arena", rounds=3, games=1, duration_s=600.0)
    harness.journal.commit(contest.edited(other, "root", ""), contest.look)
    assert [(each.byes, each.meets) for each in contest.state.entrants] == [("", "")] * 4
    play(harness, start(harness, *NAMES))
    assert (contest.state.phase.state, contest.state.phase.round) == (EventState.FINISHED, 3)


def test_the_time_of_an_arena_goes_on_through_pauses_and_kills() -> None:
    """The next server finishes one whose time was over meanwhile; it says so until the end."""
    harness = arena(boards=4)
    seats = start(harness, *NAMES)
    ends = later(harness.utc, 600.0)
    take(harness, EventStep.PAUSE)
    play(harness, seats)
    harness.utc = later(ends, 1.0)
    following = restarted(harness)
    contest = contest_of(following)
    assert contest.state.regulations.ends == ends
    take(following, EventStep.RESUME)
    assert (contest.state.phase.state, contest.state.phase.round) == (EventState.FINISHED, 1)
    told = [each for each in announced(following) if isinstance(each, results.EventStatus)]
    assert {each.ends for each in told if each.state == "playing"} == {ends}
    assert told[-1].state == "finished"
    assert told[-1].ends is None


def test_nothing_begins_before_the_start() -> None:
    """The bots are there, and wait."""
    harness = serve()
    seats = [harness.greet(name) for name in NAMES]
    assert not harness.journal.kept(EventStepped)
    assert not any(seat.of(wire.GameStart) for seat in seats)


def test_an_event_starts_at_its_time() -> None:
    """Not earlier, also if the time of day was set back."""
    harness = serve(starts=later(Harness().utc, 100.0))
    seats = [harness.greet(name) for name in NAMES]
    harness.clock.pass_by(100.0)
    assert not harness.journal.kept(EventStepped)
    harness.utc = later(harness.utc, 100.0)
    harness.clock.pass_by(100.0)
    assert all(seat.of(wire.GameStart) for seat in seats)


def test_a_round_is_durable_before_its_first_game() -> None:
    """Its pairings stand in the journal ahead of the match."""
    harness, _ = started(*NAMES)
    kinds = [type(entry) for entry in harness.journal.entries]
    assert kinds.index(EventPaired) < kinds.index(MatchOpened)


def test_no_more_matches_than_boards_are_played_at_once() -> None:
    """The next one begins when a board is free."""
    harness, seats = started(*NAMES, boards=1)
    assert len(harness.sessions.tables.games) == 1
    play(harness, seats)
    assert contest_of(harness).state.phase.state is EventState.FINISHED


def test_both_games_of_an_encounter_are_one_match_with_swapped_seats() -> None:
    """From the same opening."""
    harness = serve(format="match", entrants=("ann", "bob"), rounds=2, openings=OPENINGS)
    seats = start(harness, "ann", "bob")
    play(harness, seats)
    begun = seats["ann"].of(wire.GameStart)
    assert [game.names for game in begun[:2]] == [("ann", "bob"), ("bob", "ann")]
    assert len(seats["ann"].of(wire.MatchOver)) == 2
    first, back, second, _ = (game.opening for game in begun)
    assert first == back != second


@pytest.mark.parametrize(("present", "scored"), [(("ann",), 2.0), ((), 0.0)])
def test_an_absent_entrant_loses_its_games_after_some_time(
    present: tuple[str, ...], scored: float
) -> None:
    """Not earlier; it is no match, and the round does not wait for ever if both are absent.

    No seeds are won so, which would decide between equal points.
    """
    harness, _ = started(*present, format="match", entrants=("ann", "bob"), rounds=1)
    harness.clock.pass_by(ABSENT_S - 1)
    assert not harness.journal.kept(EventGameCounted)
    harness.clock.pass_by(1)
    assert points(harness) == {"ann": scored, "bob": 0.0}
    assert [row.margin for row in contest_of(harness).state.rows.values()] == [0, 0]
    assert contest_of(harness).state.phase.state is EventState.FINISHED
    assert not harness.journal.kept(MatchOpened)


def test_an_entrant_that_comes_in_time_plays() -> None:
    """Its time is counted anew in the next round."""
    harness, _ = started("ann", format="match", entrants=("ann", "bob"), rounds=1)
    harness.clock.pass_by(ABSENT_S - 1)
    harness.greet("bob")
    assert len(harness.sessions.tables.games) == 1


def test_an_absent_entrant_has_its_time_in_each_round() -> None:
    """What it was waited for in the first one is not taken from the second."""
    harness, _ = started("ann", format="match", entrants=("ann", "bob"), rounds=2)
    harness.clock.pass_by(ABSENT_S)
    assert len(contest_of(harness).state.rounds) == 2
    harness.clock.pass_by(ABSENT_S - 1)
    harness.greet("bob")
    assert len(harness.sessions.tables.games) == 1


@pytest.mark.parametrize("format_", ["match", "swiss"])
def test_the_time_of_one_that_the_server_cut_off_begins_when_it_could_be_back(
    monkeypatch: pytest.MonkeyPatch, format_: str
) -> None:
    """20,000 bots take longer to come back than an absent one was waited for."""
    names = ("ann", "bob", "cid", "dan") if format_ == "swiss" else ("ann", "bob")
    harness = serve(format=format_, entrants=names, rounds=1)
    seats = {name: harness.greet(name) for name in names}
    monkeypatch.setattr(directory, "RETURNS_PER_S", len(names) / ABSENT_S)
    seats["bob"].is_excused = True
    harness.drop(seats["bob"])
    take(harness, EventStep.PAIR)
    harness.clock.pass_by(2 * ABSENT_S - 40)
    harness.greet("bob", resume=seats["bob"].secret)
    harness.clock.pass_by(0)
    assert len(harness.sessions.tables.games) == len(names) // 2
    assert not harness.journal.kept(EventGameCounted)


@pytest.mark.parametrize("ended", [2, 3])
def test_each_game_has_the_opening_of_its_pair_also_when_one_is_played_again(ended: int) -> None:
    """The second pair of a match has another one, also where the first is torn."""
    harness = serve(format="match", entrants=("ann", "bob"), rounds=1, games=4, openings=OPENINGS)
    ann = start(harness, "ann", "bob")["ann"]
    for _ in range(20):
        if not harness.sessions.tables.games:
            harness.clock.pass_by(AGAIN_S)
        elif len(ann.of(wire.GameStart)) == ended:
            [match] = harness.sessions.participants[0].matches
            harness.sessions.tables.end_match(match, "ended by the organiser")
        else:
            harness.say(ann, wire.Resign(ann.last(wire.GameStart).game))
            harness.clock.pass_by(0.0)
    begun = ann.of(wire.GameStart)
    assert begun[ended - 1].names == begun.pop(ended).names
    assert len({each.game for each in begun}) == 4
    first, back, second, last = (each.opening for each in begun)
    assert first == back != second == last


def test_absent_from_two_rounds_in_a_row_means_withdrawn() -> None:
    """A Swiss event pairs it no more; in a round robin it loses the rest without waiting."""
    harness, seats = started("ann", "bob", "cid", format="rr", rounds=2)
    for _ in range(2):
        play(harness, seats)
        harness.clock.pass_by(ABSENT_S)
    play(harness, seats)
    contest = contest_of(harness)
    assert contest.state.phase.state is EventState.FINISHED
    assert [each.leaves for each in contest.state.entrants] == [None, None, None, 2]
    assert points(harness)["dan"] == 0.0


FIVE = (*NAMES, "eva")


def next_round(harness: Harness, seats: dict[str, FakeSeat]) -> PairedRound:
    take(harness, EventStep.PAUSE)
    play(harness, seats)
    take(harness, EventStep.RESUME)
    return contest_of(harness).state.present_round


@pytest.mark.parametrize("format_", ["swiss", "arena"])
def test_who_is_away_when_a_round_is_paired_is_left_out_of_it_until_it_is_back(
    format_: str,
) -> None:
    """It had the bye of round 2, and gave four free points to those it was paired with later."""
    harness = arena(entrants=FIVE) if format_ == "arena" else serve(entrants=FIVE, rounds=4)
    seats = start(harness, *FIVE)
    contest = contest_of(harness)
    harness.drop(seats.pop("dan"))
    harness.clock.pass_by(ABSENT_S)
    before = points(harness)["dan"]
    second = next_round(harness, seats)
    assert "dan" not in second.names | {*second.round.byes}
    assert contest.state.left_out == {1: (), 2: ("dan",)}
    assert event_view(contest.settings, contest.state).rounds[1].left_out == ("dan",)
    seats["dan"] = harness.greet("dan")
    third = next_round(harness, seats)
    assert "dan" in third.names | {*third.round.byes}
    assert points(harness)["dan"] == before
    assert not any(row.reason == "absent" for row in contest.state.rows.values())
    again = pair(contest.state.terms(), contest.state.results, 3)
    assert again == third


def test_a_connection_that_broke_is_waited_for_before_the_next_round_is_paired() -> None:
    """While its session is kept, and not longer than an absent opponent."""
    harness, seats = started(*NAMES, rounds=3)
    take(harness, EventStep.PAUSE)
    play(harness, seats)
    harness.drop(seats["dan"])
    take(harness, EventStep.RESUME)
    assert len(contest_of(harness).state.rounds) == 1
    seats["dan"] = harness.greet("dan")
    assert "dan" in contest_of(harness).state.present_round.names


def test_the_first_round_waits_for_all_and_none_is_paired_for_one_alone() -> None:
    """Entrants that are late lose no round, and an event waits until two are there."""
    harness, _ = started("ann", rounds=3)
    harness.clock.pass_by(ABSENT_S - 1)
    harness.greet("bob")
    assert not contest_of(harness).state.rounds
    harness.clock.pass_by(1)
    assert contest_of(harness).state.present_round.names == {"ann", "bob"}
    alone = serve()
    start(alone, "ann")
    alone.clock.pass_by(10 * ABSENT_S)
    assert not contest_of(alone).state.rounds
    alone.greet("bob")
    assert contest_of(alone).state.present_round.names == {"ann", "bob"}


def test_who_withdrew_before_the_first_round_was_paired_is_in_none() -> None:
    """It was waited for and paired; an event that all had left waited for ever."""
    harness, _ = started("ann", "bob", "cid", rounds=3)
    contest = contest_of(harness)
    for name in ("cid", "dan"):
        harness.journal.commit(contest.withdraw(name), contest.look)
    assert contest.state.present_round.names == {"ann", "bob"}
    left = serve(entrants=("ann", "bob"), rounds=1)
    start(left, "ann")
    contest = contest_of(left)
    for name in ("ann", "bob"):
        left.journal.commit(contest.withdraw(name), contest.look)
    assert contest.state.phase.state is EventState.CANCELLED


@pytest.mark.parametrize("format_", ["swiss", "arena"])
def test_an_event_is_not_cancelled_as_if_all_withdrew_while_one_is_to_come(format_: str) -> None:
    """A Swiss event waits for that one; an arena, which no one may enter yet, says who is left."""
    two = {"entrants": ("ann", "bob")}
    harness = serve(**two) if format_ == "swiss" else arena(**two)
    start(harness, "ann")
    contest = contest_of(harness)
    harness.journal.commit(contest.withdraw("ann"), contest.look)
    harness.clock.pass_by(10 * ABSENT_S)
    if format_ == "arena":
        steps = [each for each in harness.journal.entries if isinstance(each, EventStepped)]
        assert (steps[-1].step, steps[-1].why) == ("cancel", "all entrants but one withdrew")
        return
    assert not contest.state.rounds
    harness.greet("bob")
    assert contest.state.present_round.round.byes == ("bob",)


def test_an_event_that_another_program_can_not_pair_is_paused_with_the_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nothing is lost: the organiser resumes it, and the round is paired then."""

    def fail(_report: str, _number: int, _unpaired: tuple[int, ...]) -> None:
        raise PairingFailedError("gacrux did not pair within 60 s")

    monkeypatch.setattr(contest_module, "paired_here", fail)
    harness, seats = started(*NAMES, rounds=1)
    contest = contest_of(harness)
    assert contest.state.phase.state is EventState.PAUSED
    assert harness.journal.kept(EventStepped)[-1].why == "gacrux did not pair within 60 s"
    monkeypatch.undo()
    take(harness, EventStep.RESUME)
    play(harness, seats)
    assert contest.state.phase.is_over
    assert len(contest.state.results) == 4


def test_a_game_that_does_not_count_is_played_again_once_and_then_drawn_by_lot() -> None:
    """With the same seats; the lot says so in the row."""
    harness, seats = started("ann", "bob", format="match", entrants=("ann", "bob"), rounds=1)
    for _ in range(2):
        [match] = harness.sessions.participants[0].matches
        harness.sessions.tables.end_match(match, "ended by the organiser")
        harness.clock.pass_by(AGAIN_S)
    play(harness, seats)
    rows = contest_of(harness).state.rows
    assert (rows[0].reason, rows[0].voids, rows[0].game) == ("lot", 2, None)
    assert rows[1].reason not in {"lot", "aborted"}
    assert contest_of(harness).state.phase.state is EventState.FINISHED


def test_a_player_that_leaves_before_its_first_move_loses() -> None:
    """Otherwise it could choose its colour or its opponent's patience."""
    harness = serve(format="match", entrants=("ann", "bob"), rounds=1, games=1)
    seats = start(harness, "ann", "bob")
    mover = next(name for name, seat in seats.items() if seat.of(wire.Turn))
    harness.say(seats[mover], wire.Goodbye("bye"))
    assert points(harness)[mover] == 0.0
    assert sum(points(harness).values()) == 1.0


def test_a_paused_event_begins_nothing_until_it_is_resumed() -> None:
    """Games under way are played to their end, and count."""
    harness, seats = started(*NAMES)
    take(harness, EventStep.PAUSE)
    play(harness, seats)
    state = contest_of(harness).state
    assert (state.phase.state, len(state.results), len(state.rounds)) == (EventState.PAUSED, 4, 1)
    take(harness, EventStep.RESUME)
    play(harness, seats)
    assert contest_of(harness).state.phase.state is EventState.FINISHED


def test_a_cancelled_event_pairs_no_further_round() -> None:
    """Its games stay in the table."""
    harness, seats = started(*NAMES)
    take(harness, EventStep.CANCEL)
    play(harness, seats)
    state = contest_of(harness).state
    assert (state.phase.state, len(state.rounds)) == (EventState.CANCELLED, 1)


def test_an_entrant_that_withdraws_is_paired_for_no_further_round() -> None:
    """It plays the present one, also if it waits for a board; a stranger can't withdraw."""
    harness, seats = started(*NAMES, rounds=3, boards=1)
    contest = contest_of(harness)
    with pytest.raises(EntryError, match="eva is no entrant"):
        contest.withdraw("eva")
    leaving = next(name for name in NAMES if not seats[name].of(wire.GameStart))
    harness.say(seats[leaving], wire.Withdraw("final"))
    play(harness, seats)
    assert contest.state.phase.is_over
    assert len(seats[leaving].of(wire.Withdrawn)) == 1
    steps = [each for each in harness.journal.entries if isinstance(each, EventStepped)]
    assert [each.by for each in steps if each.step == "withdraw"] == [leaving]
    assert "absent" not in {row.reason for row in contest.state.rows.values()}
    assert leaving in contest.state.rounds[0].names
    assert all(leaving not in paired.names for paired in contest.state.rounds[1:])


def test_the_organiser_forfeits_what_was_not_played() -> None:
    """But no game under way."""
    harness, _ = started("ann", format="match", entrants=("ann", "bob"), rounds=1)
    contest = contest_of(harness)
    assert contest.encounters.unplayed_of("eva") == []
    harness.journal.commit(contest.forfeit("bob"), contest.look)
    assert contest.state.phase.state is EventState.FINISHED
    assert points(harness) == {"ann": 2.0, "bob": 0.0}
    assert [*contest.state.rows.values()] == [
        EventGameRow(0, "ann", "bob", 0, 0, "absent", None, 0),
        EventGameRow(1, "bob", "ann", 1, 0, "absent", None, 0),
    ]


def test_a_server_that_was_killed_pairs_no_round_again() -> None:
    """Between two rounds, or before the games of one: the end is the same."""
    whole = serve(rounds=3)
    play(whole, start(whole, *NAMES))
    harness = serve(rounds=3)
    start(harness)
    for _ in range(5):
        harness = restarted(harness)
    seats = {name: harness.greet(name) for name in NAMES}
    assert len(harness.journal.kept(EventPaired)) == 1
    play(harness, seats)
    assert contest_of(harness).state.rounds == contest_of(whole).state.rounds
    assert points(harness) == points(whole)


def test_a_server_that_was_killed_while_it_paired_pairs_the_same_round() -> None:
    """Only the step that begins the pairing was durable."""
    whole = serve()
    start(whole, *NAMES)
    harness = serve()
    harness.journal.commit(contest_of(harness).stepped(EventStep.PAIR), lambda: None)
    following = restarted(harness)
    for name in NAMES:
        following.greet(name)
    assert contest_of(following).state.rounds == contest_of(whole).state.rounds


def test_an_event_that_can_not_be_stored_is_paused_and_goes_on_when_resumed() -> None:
    """No game of a round begins whose pairings the store refused; its log has the reason."""
    harness = serve()
    harness.kept_event = partial(kept, harness)
    seats = {name: harness.greet(name) for name in NAMES}
    harness.journal.refuses = lambda entry: isinstance(entry, EventPaired)
    take(harness, EventStep.PAIR)
    harness.clock.pass_by(1000.0)
    assert not any(seat.of(wire.GameStart) for seat in seats.values())
    contest = contest_of(harness)
    assert contest.state.phase.resumes is EventState.PAIRING
    last = harness.journal.kept(EventStepped)[-1]
    assert (last.step, last.why) == ("pause", UNSTORED)
    harness.journal.refuses = lambda _entry: False
    take(harness, EventStep.RESUME)
    play(harness, seats)
    assert contest.state.phase.state is EventState.FINISHED


def test_what_is_handed_in_while_the_store_is_read_is_read_as_well() -> None:
    """The event is read again, so that memory is not behind the store either."""
    harness = serve(format="match", entrants=("ann", "bob"), rounds=1)
    harness.kept_event = partial(kept, harness)
    seats = start(harness, "ann", "bob")
    contest, answers = contest_of(harness), []
    harness.sessions.tables.read_event = lambda _name, answer: answers.append(answer)
    former = kept(harness)
    contest.stop()
    play_out(harness, *seats.values())
    answers.pop(0)(former)
    answers.pop(0)(kept(harness))
    assert not answers
    assert contest.state.phase.state is EventState.PAUSED
    assert len(contest.state.results) == len(harness.journal.kept(EventGameCounted)) > 0


def test_an_event_of_which_not_even_a_pause_can_be_stored_begins_nothing_more() -> None:
    """Until the next start; the server plays on."""
    harness = serve()
    harness.kept_event = partial(kept, harness)
    take(harness, EventStep.OPEN)
    harness.journal.refuses = lambda entry: isinstance(entry, EventStepped)
    seats = [harness.greet(name) for name in NAMES]
    take(harness, EventStep.PAIR)
    contest_of(harness).stop()
    harness.journal.refuses = lambda _entry: False
    harness.clock.pass_by(1000.0)
    assert not any(seat.of(wire.GameStart) for seat in seats)


def test_a_server_that_drains_begins_no_match() -> None:
    """Nor does it count anyone as absent."""
    harness = serve()
    harness.sessions.drain(lambda: None)
    start(harness, *NAMES)
    harness.clock.pass_by(10 * ABSENT_S)
    assert not harness.journal.kept(MatchOpened)
    assert not harness.journal.kept(EventGameCounted)


def test_an_entrant_that_only_waits_is_not_dismissed_as_idle() -> None:
    """It has no seek and no ladder, but an event; when that is over it is idle like others."""
    harness = serve(format="match", entrants=("ann", "bob"), rounds=1)
    ann, eva = harness.greet("ann"), harness.greet("eva")
    harness.sessions.dismiss_idle(harness.clock.now() + 1)
    assert (ann.closed, eva.closed is None) == (None, False)
    take(harness, EventStep.CANCEL)
    harness.sessions.dismiss_idle(harness.clock.now() + 1)
    assert ann.closed is not None


def test_games_of_other_matches_are_none_of_an_event() -> None:
    """Entrants may play elsewhere before their round begins."""
    harness = serve()
    ann, bob = paired(harness)
    play_out(harness, ann, bob)
    assert not harness.journal.kept(EventGameCounted)
    assert ann.of(wire.MatchOver)


def test_steps_rounds_games_and_tables_are_announced_with_what_they_follow_from() -> None:
    """In the same batch; a round before its games, a table after each round."""
    harness = serve(format="match", entrants=("ann", "bob"), rounds=1, games=1)
    play(harness, start(harness, "ann", "bob"))
    payloads = announced(harness)
    words = [
        payload.state if isinstance(payload, results.EventStatus) else type(payload).__name__
        for payload in payloads
    ]
    assert words == [
        *("pairing", "playing", "EventRoundPaired", "EventGameResult"),
        *("closed", "EventTable", "finished"),
    ]
    table = payloads[-2]
    assert isinstance(table, results.EventTable)
    assert {row.name: row.points for row in table.standings} == points(harness)
    assert len({payload.event_id for payload in payloads}) == len(payloads)


def test_the_best_hundred_of_a_table_are_announced() -> None:
    """With how many there are; the API has the others."""
    harness = serve(entrants=tuple(f"bot-{number:03}" for number in range(101)))
    contest = contest_of(harness)
    contest.state.phase = Phase(EventState.PLAYING, 1)
    announcer = EventAnnouncer(contest.settings, contest.context)
    table = announcer.standings(contest.state).announcement.payload
    assert isinstance(table, results.EventTable)
    assert (len(table.standings), table.total) == (100, 101)


def test_what_is_announced_fits_its_schema() -> None:
    """Times are in UTC, whatever offset the settings have."""
    harness = serve(starts="2030-12-01T19:00:00+01:00")
    take(harness, EventStep.OPEN)
    [status] = announced(harness)
    payload = results.decode(codec.to_json(status))
    assert isinstance(payload, results.EventStatus)
    assert payload.starts == "2030-12-01T18:00:00.000+00:00"


def test_the_last_rounds_are_left_out_of_the_table_until_it_is_published() -> None:
    """The organiser sees them, visitors and MQTT do not."""
    harness = serve(rounds=2, freeze_rounds=1)
    play(harness, start(harness, *NAMES))
    contest = contest_of(harness)
    view = event_view(contest.settings, contest.state)
    assert {row.games for row in view.standings} == {2}
    assert (view.after_round, announced_table(harness).round) == (1, 1)
    whole = event_view(contest.settings, contest.state, frozen=0)
    assert {row.games for row in whole.standings} == {4}
    take(harness, EventStep.PUBLISH)
    assert event_view(contest.settings, contest.state).standings == whole.standings
    assert (whole.after_round, announced_table(harness).round) == (2, 2)


def test_games_that_the_organiser_lets_play_again_count_once() -> None:
    """All games of an encounter, or one; the last result stands."""
    harness, seats = started(*NAMES, rounds=1)
    take(harness, EventStep.PAUSE)
    play(harness, seats)
    contest = contest_of(harness)
    again = contest.replayed({0: {0, 1}, 1: {3}}, "root", "the wrong opening")
    harness.journal.commit(again, contest.look)
    assert sorted(contest.state.results) == [2]
    take(harness, EventStep.RESUME)
    play(harness, seats)
    assert contest.state.phase.state is EventState.FINISHED
    assert sorted(contest.state.results) == [0, 1, 2, 3]
    assert sum(points(harness).values()) == 4.0
    assert len(harness.journal.kept(MatchOpened)) == 4


def test_a_game_that_is_forfeited_again_after_a_replay_is_announced_as_a_new_event() -> None:
    """Consumers drop what comes under an id that they know."""
    harness, _ = started("ann", format="rr", rounds=1)
    contest = contest_of(harness)
    place = next(
        place
        for place, encounter in enumerate(contest.state.present_round.round.encounters)
        if "bob" in encounter
    )
    for _ in range(2):
        harness.journal.commit(contest.forfeit("bob"), contest.look)
        again = contest.replayed({place: contest.state.numbers_of(place)}, "root", "again")
        harness.journal.commit(again, contest.look)
    games = [each for each in announced(harness) if isinstance(each, results.EventGameResult)]
    assert len({each.event_id for each in games}) == len(games) == 8


def annul(harness: Harness, *games: str, counts: bool = False) -> None:
    contest = contest_of(harness)
    entries = contest.corrected(games, counts=counts, by="root", why="")
    harness.journal.commit(entries, contest.look)


def played_games(harness: Harness) -> dict[int, str | None]:
    return {number: row.game for number, row in contest_of(harness).state.rows.items()}


def test_an_annulled_game_of_the_present_round_is_played_again() -> None:
    """The round is closed once it has a result."""
    harness, seats = started(*NAMES, boards=1)
    while 1 not in contest_of(harness).state.rows:
        play_out(harness, *seats.values())
    first = played_games(harness)[0]
    assert first is not None
    annul(harness, first)
    play(harness, seats)
    assert contest_of(harness).state.phase.state is EventState.FINISHED
    assert played_games(harness)[0] not in {None, first}
    assert sum(points(harness).values()) == 8.0


def test_an_annulled_game_of_an_earlier_round_is_left_out_of_the_table() -> None:
    """The rounds that followed from it stand; it may count again, also after a restart."""
    harness = serve()
    play(harness, start(harness, *NAMES))
    before, rounds = points(harness), contest_of(harness).state.rounds
    game = played_games(harness)[0]
    assert game is not None
    annul(harness, game)
    assert sum(points(harness).values()) == 7.0
    assert announced_points(harness) == points(harness)
    following = restarted(harness)
    assert points(following) == points(harness)
    assert contest_of(following).state.rounds == rounds
    annul(following, game, counts=True)
    assert announced_points(following) == points(following) == before
    assert {row.annulled for row in contest_of(following).state.rows.values()} == {False}


def test_a_ladder_counts_games_of_an_event_that_it_is_to_rate() -> None:
    """Between bots that it takes; a match with another one counts for the event alone."""
    ladder = LadderSettings(name="main", names=("ann", "bob", "cid"))
    event = settings(format="rr", rounds=None, rated="main")
    harness = Harness(Config(grace_s=30.0, event=(event,), ladder=(ladder,)))
    harness.sessions.restore([], [])
    play(harness, start(harness, *NAMES))
    opened = [each for each in harness.journal.entries if isinstance(each, MatchOpened)]
    rated = {each.names for each in opened if each.ladder_context is not None}
    assert len(opened) == 6
    assert {name for names in rated for name in names} == {"ann", "bob", "cid"}
    assert {each.terms.rated for each in opened if each.names in rated} == {True}
    assert sum(points(harness).values()) == 12.0
    counted = harness.sessions.ladders.get("main")
    assert counted is not None
    assert [row.games for row in counted.state.standings()] == [4, 4, 4]


def test_an_event_whose_ladder_is_gone_is_paused_with_the_reason() -> None:
    """A reload or a restart may take the ladder out of the settings; no game is left unrated."""
    harness, _ = started(*NAMES, rated="gone")
    assert contest_of(harness).state.phase.state is EventState.PAUSED
    steps = [each for each in harness.journal.entries if isinstance(each, EventStepped)]
    assert steps[-1].why == UNRATED.format("gone")
    assert not any(isinstance(each, MatchOpened) for each in harness.journal.entries)


def test_results_of_frozen_rounds_are_hidden_until_they_are_revealed() -> None:
    """From the table, the rounds and what is announced; round by round, also over a restart."""
    harness = serve(rounds=3, games=1, freeze_rounds=2, freeze="results")
    play(harness, start(harness, *NAMES))
    contest = contest_of(harness)
    assert contest.state.phase.state is EventState.FINISHED

    def shown(harness: Harness) -> tuple[list[int], set[int], float]:
        contest = contest_of(harness)
        view = event_view(contest.settings, contest.state)
        games = [sum(len(each.games) for each in round_.encounters) for round_ in view.rounds]
        assert [each.hidden for each in view.rounds] == [not count for count in games]
        assert [bool(each.inputs) for each in view.rounds] == [True, *map(bool, games[:-1])]
        said = {
            each.round for each in announced(harness) if isinstance(each, results.EventGameResult)
        }
        return games, said, sum(row.points for row in view.standings)

    assert shown(harness) == ([2, 0, 0], {1}, 2)
    paired = [each for each in announced(harness) if isinstance(each, results.EventRoundPaired)]
    assert [bool(each.inputs) for each in paired] == [True, True, False]
    harness.journal.commit(contest.reveal("root", "drums"), contest.look)
    assert shown(harness) == ([2, 2, 0], {1, 2}, 4)
    assert kept(harness).revealed == 1
    following = restarted(harness)
    assert shown(following) == ([2, 2, 0], {1, 2}, 4)
    take(following, EventStep.PUBLISH)
    assert shown(following) == ([2, 2, 2], {1, 2, 3}, 6)
    said = [each for each in announced(following) if isinstance(each, results.EventGameResult)]
    assert len(said) == len({each.number for each in said}) == 6


def test_a_result_that_was_played_is_announced_anew_when_a_ruling_is_taken_back() -> None:
    """With an id of its own: the store refused one that it had, and the event stopped."""
    harness = serve(rounds=1, games=1)
    play(harness, start(harness, *NAMES))
    contest = contest_of(harness)
    played = contest.state.rows[0]
    ruling = contest.state.ruled(0, (played.first, played.second), int(not played.winner), "rain")
    for row in (ruling, played) * 2:
        harness.journal.commit(contest.ruled([row], 1, "root", "rain"), contest.look)
        assert announced_points(harness) == points(harness)
    games = [each for each in announced(harness) if isinstance(each, results.EventGameResult)]
    said = [each for each in games if each.number == 0]
    assert [each.reason for each in said] == [played.reason, *("arbiter", played.reason) * 2]
    assert [each.note for each in said] == [None, *("rain", None) * 2]
    assert len({each.event_id for each in said}) == len(said)


def test_hidden_results_are_shown_by_a_server_whose_settings_hide_none() -> None:
    """An organiser who took the freeze out of the settings' file would have lost them for good."""
    harness = serve(rounds=2, games=1, freeze_rounds=1, freeze="results")
    play(harness, start(harness, *NAMES))
    following = restarted(harness, freeze="table", freeze_rounds=0)
    before = len(following.journal.entries)
    take(following, EventStep.PUBLISH)
    assert Revealed("final", None) in following.journal.entries[before:]

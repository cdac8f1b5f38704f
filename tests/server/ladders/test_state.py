"""A ladder's state: results, ratings and penalties."""

from itertools import permutations
from random import Random

import pytest

from mancala.server.ladders.fitting import FittedLadder, fit_ladder
from mancala.server.ladders.state import CountedGame, LadderState
from mancala.server.model.entrant import Entrant, LiveRating, Quarantine
from mancala.server.model.game import Tally
from mancala.server.model.pair_counts import PairCounts
from tests.seeds import seed

ANN_BOB = ("ann@1", "bob@1")


def fitted(state: LadderState) -> FittedLadder:
    return fit_ladder(state.begin_fit())


def test_a_game_moves_both_numbers_at_once() -> None:
    """The winner's number rises, the loser's falls, and both become surer."""
    state = LadderState({})
    ann, bob = state.count(CountedGame(ANN_BOB, winner=0))
    assert ann.live.elo > 1500 > bob.live.elo
    assert max(ann.live.deviation, bob.live.deviation) < LiveRating().deviation
    assert state.tally(ANN_BOB) == Tally(wins=1)


def test_the_table_counts_both_seats_and_puts_the_strongest_first() -> None:
    """Wins, draws and losses are counted from each entrant's side; only players are listed."""
    state = LadderState({})
    assert state.entrant("new") == Entrant("new")
    for winner in (0, 0, None, 1):
        state.count(CountedGame(ANN_BOB, winner))
    state.count(CountedGame(ANN_BOB[::-1], winner=1))
    ann, bob = state.standings()
    assert (ann.rank, ann.name, ann.games, ann.points) == (1, "ann@1", 5, 3.5)
    assert (ann.wins, ann.draws, ann.losses) == (3, 1, 1)
    assert (bob.wins, bob.draws, bob.losses) == (1, 1, 3)


def test_equal_ratings_share_a_rank() -> None:
    """Equal entrants share a place, in the order of their names."""
    state = LadderState({"ann": 1500.0, "bob": 1500.0, "cy": 1400.0})
    for seats in (("cy", "bob"), ("bob", "ann"), ("ann", "cy")):
        state.count(CountedGame(seats, winner=None))
    assert [(line.rank, line.name) for line in state.standings()] == [
        (1, "ann"),
        (1, "bob"),
        (3, "cy"),
    ]


def test_an_anchors_number_never_moves() -> None:
    """What the organiser gives stays as it is, by games and by fits, for every version of a bot."""
    state = LadderState({"ann": 1234.0, "bob@2": 900.0})
    ann, bob = state.count(CountedGame(ANN_BOB, winner=1))
    assert ann.live.elo == 1234.0
    assert bob.live.elo != 900.0
    state.adopt(fitted(state))
    assert state.entrant("ann@1").live == LiveRating(1234.0, deviation=0.0)
    assert state.entrant("bob@2").live.elo == 900.0


def test_a_fit_sets_all_numbers_anew() -> None:
    """After a fit every number is the fit's, and those it changed are returned."""
    state = LadderState({})
    for _ in range(5):
        state.count(CountedGame(ANN_BOB, winner=0))
        state.count(CountedGame(ANN_BOB[::-1], winner=0))
    fit = fitted(state)
    changed = state.adopt(fit)
    assert set(changed) == set(ANN_BOB)
    assert state.entrant("ann@1").live.elo == fit.entrants["ann@1"].live.elo
    assert state.fit.advantage == fit.findings.advantage > 0
    assert not state.has_news


def test_games_that_end_during_a_fit_are_not_lost() -> None:
    """They are booked again upon what the fit finds, and call for another."""
    state, calm = LadderState({}), LadderState({})
    for each in (state, calm):
        each.count(CountedGame(ANN_BOB, winner=0))
    ratings = fitted(state)
    state.count(CountedGame(ANN_BOB, winner=0))
    state.adopt(ratings)
    calm.adopt(fitted(calm))
    assert state.has_news
    assert state.entrant("ann@1").live.elo > calm.entrant("ann@1").live.elo
    assert state.tally(ANN_BOB) == Tally(wins=2)


def strikes_after(pattern: str, times: int) -> int:
    """Return ann's penalties after games she forfeited (``x``) or played to their end (``.``)."""
    state = LadderState({})
    for mark in pattern * times:
        state.count(CountedGame(ANN_BOB, winner=1, forfeited=0 if mark == "x" else None))
    return state.entrant("ann@1").penalties


def test_forfeits_strike_and_games_played_to_their_end_atone() -> None:
    """Crashing every other game adds up; a mishap every third game does not; bob is clean."""
    assert strikes_after("x", 3) == 6
    assert strikes_after("x.", 6) >= 6
    assert strikes_after("x..", 50) <= 2


def test_a_game_that_is_uncounted_leaves_no_trace() -> None:
    """Tally, pair, rating and penalties are those before it."""
    state, first = LadderState({}), CountedGame(ANN_BOB, 0)
    state.count(first)
    former = [state.entrant(name) for name in ANN_BOB]
    second = CountedGame(ANN_BOB[::-1], 1, forfeited=0)
    state.count(second)
    state.count_pair(ANN_BOB, (1.0, 1.0))
    state.uncount(second, [(ANN_BOB, (1.0, 1.0))], former)
    assert [state.entrant(name) for name in ANN_BOB] == former
    assert (state.tally(ANN_BOB), state.tally(ANN_BOB[::-1])) == (Tally(wins=1), Tally())
    once = LadderState({})
    once.count(first)
    assert table(state) == table(once)
    assert state.games_counted == 1


def test_a_quarantine_pays_for_the_strikes() -> None:
    """Who was sent out comes back with a clean record."""
    state = LadderState({})
    state.count(CountedGame(ANN_BOB, winner=1, forfeited=0))
    sent_out = Quarantine("2026-01-01T00:00:00.000+00:00", "three crashes")
    assert state.quarantine("ann@1", sent_out).penalties == 0
    assert state.entrant("ann@1").quarantine == sent_out


def test_state_can_be_kept_and_opened_again() -> None:
    """From entrants and tallies the same table comes back."""
    state = LadderState({})
    for winner in (0, None, 1, 0):
        state.count(CountedGame(ANN_BOB, winner))
    entrants: list[Entrant] = [state.entrant(name) for name in ANN_BOB]
    tallies = {ANN_BOB: state.tally(ANN_BOB)}
    again = LadderState({}, entrants, tallies)
    assert again.standings() == state.standings()
    assert again.meetings(*ANN_BOB) == again.games_counted == 4


def test_a_page_of_the_standings_is_their_beginning() -> None:
    """The best rows with their ranks, without building the others."""
    state = LadderState({})
    for winner in (0, 0, None):
        state.count(CountedGame(ANN_BOB, winner))
        state.count(CountedGame(("ann@1", "cy@1"), winner))
    assert state.standings(2) == state.standings()[:2]
    assert state.standings(2, begin=1) == state.standings()[1:]
    assert state.ranked == 3


def test_the_places_of_a_bot_are_its_rows_of_the_standings() -> None:
    """The best first; a version in quarantine without a game has a place and no rating."""
    state = LadderState({})
    for winner in (0, 0, None):
        state.count(CountedGame(ANN_BOB, winner))
        state.count(CountedGame(("ann@2", "bob@1"), 1 - (winner or 0)))
    state.quarantine("ann@3", Quarantine("2026-11-22T12:00:00.000+00:00", "too many forfeits"))
    rows = [row for row in state.standings() if row.name.startswith("ann@")]
    assert state.places("ann") == rows
    assert [row.name for row in rows] == ["ann@1", "ann@2", "ann@3"]
    assert state.best_elo("ann") == rows[0].elo
    assert state.places("eve") == []
    assert state.best_elo("eve") is None


def test_each_version_of_a_bot_rests_on_opponents_of_its_own() -> None:
    """Versions are told apart; an anchor's rating rests on no game."""
    state = LadderState({"bob": 1500.0})
    state.count(CountedGame(ANN_BOB, winner=0))
    state.count(CountedGame(("cy@1", "ann@2"), winner=0))
    assert state.rests_on("ann") == {"ann@1": (("bob@1", 1.0),), "ann@2": (("cy@1", 1.0),)}
    assert state.rests_on("bob") == {}
    assert state.rests_on("dan") == {}


@pytest.mark.parametrize(("anchors", "mean"), [({}, 1500.0), ({"bob": 1200.0}, 1200.0)])
def test_without_anchors_the_house_bots_hold_the_scale(
    anchors: dict[str, float], mean: float
) -> None:
    """Their mean is fixed, whatever others lose; an anchor is fixed as it says."""
    state = LadderState(anchors, house={"bob"})
    for winner in (0, 1, 1, 1):
        state.count(CountedGame(ANN_BOB, winner))
    for number in range(10):
        state.count(CountedGame(("ann@1", f"sybil{number}@1"), winner=0))
    state.adopt(fitted(state))
    assert state.entrant("bob@1").live.elo == pytest.approx(mean)


def test_entrants_that_met_no_house_bot_are_not_shifted_with_it() -> None:
    """A pool of its own keeps the mean that the fit gave it."""
    state = LadderState({}, house={"bob"})
    for _ in range(8):
        state.count(CountedGame(ANN_BOB, winner=0))
        state.count(CountedGame(("guest@1", "other@1"), winner=0))
    state.adopt(fitted(state))
    ann, bob, guest, other = (
        state.entrant(name).live.elo for name in ("ann@1", "bob@1", "guest@1", "other@1")
    )
    assert bob == pytest.approx(1500.0)
    assert ann > 1600.0
    assert (guest + other) / 2 == pytest.approx(1500.0)


def test_pairs_are_counted_for_the_first_named_and_make_ratings_surer() -> None:
    """Openings that decide both games leave no doubt that the two are level."""
    single, paired = LadderState({"ann": 1500.0}), LadderState({"ann": 1500.0})
    for _ in range(30):
        for state in (single, paired):
            state.count(CountedGame(ANN_BOB, winner=0))
            state.count(CountedGame(ANN_BOB[::-1], winner=0))
        counts = paired.count_pair(ANN_BOB, (1.0, 0.0))
    assert counts == PairCounts((0, 0, 30, 0, 0))
    single.adopt(fitted(single))
    paired.adopt(fitted(paired))
    assert paired.entrant("bob@1").live.deviation < 0.5 * single.entrant("bob@1").live.deviation
    assert paired.count_pair(ANN_BOB[::-1], (0.0, 0.0)).counts == (1, 0, 30, 0, 0)


def test_ranks_and_superiority_are_those_of_the_last_fit() -> None:
    """A clear order has one rank each; before a fit nothing is known."""
    state = LadderState({})
    for _ in range(40):
        state.count(CountedGame(ANN_BOB, winner=0))
        state.count(CountedGame(ANN_BOB[::-1], winner=1))
    assert [row.rank_range for row in state.standings()] == [None, None]
    assert not state.fit.superiority.names
    state.adopt(fitted(state))
    assert [row.rank_range for row in state.standings()] == [(1, 1), (2, 2)]
    assert state.fit.superiority.names == ANN_BOB
    assert (state.fit.superiority.los[0][1] or 0.0) > 0.99
    assert state.fit.superiority.los[0][0] == 0.5
    assert state.fit.groups == dict.fromkeys(ANN_BOB, 1)


def test_entrants_off_the_line_are_known_after_a_fit() -> None:
    """Three that beat one another in a circle are not explained by one number each."""
    state = LadderState({})
    for seats in (ANN_BOB, ("bob@1", "cid@1"), ("cid@1", "ann@1")):
        for _ in range(20):
            state.count(CountedGame(seats, winner=0))
            state.count(CountedGame(seats[::-1], winner=1))
    assert state.fit.misfit is None
    state.adopt(fitted(state))
    assert state.fit.misfit is not None
    assert not state.fit.misfit.on_one_line


def test_a_ladder_may_leave_out_what_an_unusual_pair_played() -> None:
    """By its rule the one that lost on purpose is as strong as by its other games."""
    state = LadderState({})
    names = ("ann@1", "bob@1", "cid@1", "dan@1")
    for one, two in permutations(names, 2):
        for number in range(12):
            is_deal = {one, two} == set(ANN_BOB)
            winner = (one != "ann@1") if is_deal else number % 2
            state.count(CountedGame((one, two), winner=int(winner)))
    with_all = fit_ladder(state.begin_fit())
    without = fit_ladder(state.begin_fit(leave_out=True))
    assert with_all.entrants["bob@1"].live.elo < 1460
    assert without.entrants["bob@1"].live.elo == pytest.approx(1500, abs=5)
    assert without.findings.misfit is not None
    assert [each.players for each in without.findings.misfit.left_out] == [ANN_BOB]


@pytest.mark.parametrize("anchors", [{}, {"ann@1": 1500.0, "cid@1": 1600.0}])
def test_entrants_that_no_games_connect_are_not_compared(anchors: dict[str, float]) -> None:
    """They stand in groups, unless anchors give both groups one scale."""
    state = LadderState(anchors)
    for seats in (ANN_BOB, ("bob@1", "dan@1"), ("cid@1", "eve@1")):
        state.count(CountedGame(seats, winner=0))
    state.adopt(fitted(state))
    apart = not anchors
    assert state.fit.groups["ann@1"] == state.fit.groups["bob@1"] == state.fit.groups["dan@1"] == 1
    assert state.fit.groups["cid@1"] == state.fit.groups["eve@1"] == (2 if apart else 1)
    names, los = state.fit.superiority
    likelihood = los[names.index("ann@1")][names.index("cid@1")]
    assert (likelihood is None) is apart
    assert los[names.index("ann@1")][names.index("bob@1")] is not None


def table(state: LadderState) -> list[tuple[str, int, float]]:
    return sorted((row.name, row.games, row.points) for row in state.standings())


@pytest.mark.parametrize("number", range(20))
def test_games_that_are_taken_out_leave_what_the_others_make(number: int) -> None:
    """Tallies, pairs and rows are those of a ladder without them; counted again, of all."""
    rng = Random(seed() + number)
    names = ("ann@1", "bob@1", "cid@1")
    games = [CountedGame(_two(rng, names), rng.choice((0, 1, None))) for _ in range(12)]
    pairs = [((names[0], names[1]), (1.0, 0.5)), ((names[1], names[2]), (0.0, 0.0))]
    annulled = [game for game in games if rng.random() < 0.5]
    state, other = LadderState({}), LadderState({})
    for game in games:
        state.count(game)
    for seats, points in pairs:
        state.count_pair(seats, points)
    everything = table(state)
    left = [*games]
    for game in annulled:
        left.remove(game)
    for game in left:
        other.count(game)
    other.count_pair(*pairs[1])
    found = state.correct(annulled, pairs[:1], sign=-1)
    assert table(state) == table(other)
    assert all(tally == other.tally(seats) for seats, tally in found.tallies.items())
    assert found.pairs == {pairs[0][0]: PairCounts()}
    played = {name for game in games for name in game.seats}
    assert set(found.forgotten) == played - {name for name, *_ in table(other)}
    state.adopt(fitted(state))
    assert table(state) == table(other)
    state.correct(annulled, pairs[:1], sign=1)
    assert table(state) == everything


def _two(rng: Random, names: tuple[str, ...]) -> tuple[str, str]:
    first, second = rng.sample(names, 2)
    return first, second


def test_a_quarantined_entrant_without_games_is_kept() -> None:
    """Its quarantine holds when all its games are annulled; released it is clean."""
    state = LadderState({})
    game = CountedGame(ANN_BOB, winner=0)
    state.count(game)
    state.quarantine("ann@1", Quarantine("2030-01-01", "a reason"))
    assert state.correct([game], [], sign=-1).forgotten == ("bob@1",)
    assert state.names == ("ann@1",)
    assert state.quarantine("ann@1", None).quarantine is None


def test_those_without_a_game_are_in_no_fit() -> None:
    """Neither one whose games were annulled nor a former name widens the ranks of others."""
    state = LadderState({})
    games = [CountedGame((one, two), winner=0) for one, two in (("ann", "bob"), ("ann", "cid"))]
    for game in games:
        state.count(game)
    state.correct(games[:1], [], sign=-1)
    state.rename(state.renaming("ann", "eve"))
    state.adopt(fitted(state))
    assert set(state.fit.groups) == {"eve", "cid"}
    assert [row.rank_range for row in state.standings()] == [(1, 2), (1, 2)]


def test_a_renamed_bot_has_what_it_played_and_may_have_its_name_back() -> None:
    """All its versions; rows, pairs and the games since the last fit are as if it had that name."""
    state, other = LadderState({}), LadderState({})
    for known, name in ((state, "ann"), (other, "eve")):
        known.quarantine(f"{name}@3", Quarantine("2027-01-01", "it crashes"))
        for seats in ((f"{name}@1", "bob@1"), ("bob@1", f"{name}@2"), ("cid", "bob@1")):
            known.count(CountedGame(seats, winner=0))
        known.count_pair((f"{name}@1", "bob@1"), (1.0, 0.5))
    former = state.standings()
    renaming = state.renaming("ann", "eve")
    state.rename(renaming)
    assert set(state.standings()) == set(other.standings())
    assert state.entrant("eve@3").quarantine == Quarantine("2027-01-01", "it crashes")
    assert not state.has_played("ann")
    state.rename(renaming.back)
    assert set(state.standings()) == set(former)
    state.rename(renaming)
    for known in (state, other):
        known.adopt(fitted(known))
    ratings = {row.name: row.elo for row in other.standings()}
    assert {row.name: row.elo for row in state.standings()} == pytest.approx(ratings, abs=0.2)


def test_an_opponent_without_a_game_is_not_rated_by_a_renaming() -> None:
    """Its games were annulled; the former name of the other one once brought it back."""
    state = LadderState({})
    state.quarantine("bob", Quarantine("2027-01-01", "it crashes"))
    games = [CountedGame(seats, winner=0) for seats in (("ann", "bob"), ("ann", "cid"))]
    for each in games:
        state.count(each)
    state.correct(games[:1], (), sign=-1)
    state.rename(state.renaming("ann", "eve"))
    assert {row.name: row.elo is not None for row in state.standings()} == {
        "bob": False,
        "cid": True,
        "eve": True,
    }


def test_two_names_are_merged_into_one_that_keeps_its_rating() -> None:
    """Their games add up; taken back, each has its own again."""
    state = LadderState({})
    for seats in (("ann", "bob"), ("bob", "cid"), ("cid", "bob")):
        state.count(CountedGame(seats, winner=0))
    cid = state.entrant("cid")
    renaming = state.renaming("ann", "cid")
    state.rename(renaming)
    assert {row.name: row.games for row in state.standings()} == {"bob": 3, "cid": 3}
    assert state.entrant("cid") == cid
    state.rename(renaming.back)
    assert {row.name: row.games for row in state.standings()} == {"ann": 1, "bob": 3, "cid": 2}
    assert state.games_counted == 3

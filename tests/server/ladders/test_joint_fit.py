"""A fit is adopted in slices: bounded work on the loop, in order with the games between them."""

from collections.abc import Callable, Sequence
from itertools import permutations
from random import Random

import pytest

from mancala.protocol.clock import TimeControl
from mancala.protocol.messages import GameStart, Join, Resign
from mancala.server.config.ladders import LadderSettings
from mancala.server.config.settings import Config
from mancala.server.ladders import ratings
from mancala.server.ladders.fitting import fit_ladder
from mancala.server.ladders.state import CountedGame, LadderState
from mancala.server.model.entrant import Entrant, Quarantine
from mancala.server.model.game import Seats, Tally
from mancala.server.model.journal import EntrantRated, Entry, KeptLadder, StandingsAnnounced
from tests.seeds import seed
from tests.server.fakes import FakeJournal, Harness

SLICE = 20
NAMES = tuple(f"bot{number}" for number in range(8 * SLICE))


@pytest.fixture(autouse=True)
def _small_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ratings, "SLICE", SLICE)


class CommitByCommit(FakeJournal):
    """Keeps what each commit held; may stop being durable after some of them."""

    def __init__(self) -> None:
        super().__init__()
        self.commits: list[Sequence[Entry]] = []

    def commit(
        self,
        entries: Sequence[Entry],
        done: Callable[[], None],
        refused: Callable[[], None] = lambda: None,
    ) -> None:
        self.commits.append(entries)
        super().commit(entries, done, refused)

    @property
    def waits(self) -> bool:
        return bool(self._waiting)

    def stored(self) -> dict[str, Entrant]:
        rated = [entry.entrant for entry in self.entries if isinstance(entry, EntrantRated)]
        return {entrant.name: entrant for entrant in rated}


def tallies_of(rng: Random) -> dict[Seats, Tally]:
    drawn = [rng.sample(NAMES, 2) for _ in range(4 * len(NAMES))]
    return {(one, two): Tally(rng.randrange(4), 1, rng.randrange(4)) for one, two in drawn}


def restored(kept: KeptLadder, journal: CommitByCommit, *, leave_out: bool = False) -> Harness:
    clock = TimeControl(move_ms=3_600_000)
    settings = LadderSettings(name="main", clock=clock, refit_s=5.0, leave_out_unusual=leave_out)
    harness = Harness(Config(name="test", grace_s=30.0, ladder=(settings,)), journal)
    harness.sessions.restore([], [], {"main": kept})
    return harness


def ratings_of(harness: Harness) -> dict[str, float | None]:
    found = harness.sessions.ladders.get("main")
    assert found is not None
    return {row.name: row.elo for row in found.state.standings()}


@pytest.fixture
def kept() -> KeptLadder:
    return KeptLadder(tuple(map(Entrant, NAMES)), tallies_of(Random(seed())))


def test_no_commit_of_a_fit_holds_more_than_a_slice(kept: KeptLadder) -> None:
    """All ratings that it changed are in one commit each; the standings come with the last."""
    journal = CommitByCommit()
    harness = restored(kept, journal)
    rated = [sum(isinstance(each, EntrantRated) for each in part) for part in journal.commits]
    assert max(rated) <= SLICE
    assert sum(rated) == len(journal.stored()) > 2 * SLICE
    announced = [any(isinstance(each, StandingsAnnounced) for each in c) for c in journal.commits]
    assert announced == [False] * (len(rated) - 1) + [True]
    stored = {name: Entrant(name) for name in NAMES} | journal.stored()
    assert ratings_of(harness) == {name: round(each.live.elo, 1) for name, each in stored.items()}


def test_a_ladder_leaves_unusual_pairs_out_if_its_organiser_says_so() -> None:
    """The setting reaches the fit: bob lost to ann on purpose, and is as strong as all others."""
    names = ("ann", "bob", "cid", "dan")
    usual = dict.fromkeys(permutations(names, 2), Tally(6, 0, 6))
    deal = {("ann", "bob"): Tally(12, 0, 0), ("bob", "ann"): Tally(0, 0, 12)}
    kept = KeptLadder(tuple(map(Entrant, names)), usual | deal)
    found = [ratings_of(restored(kept, CommitByCommit(), leave_out=each)) for each in (False, True)]
    with_all, without = (each["bob"] or 0.0 for each in found)
    assert with_all < 1460
    assert without == pytest.approx(1500, abs=5)


def test_a_slice_waits_for_the_commit_of_the_one_before(kept: KeptLadder) -> None:
    """So the commits of moves go between two slices, however slow the disk is."""
    journal = CommitByCommit()
    journal.is_slow = True
    restored(kept, journal)
    assert len(journal.commits) == 1
    journal.settle()
    assert len(journal.commits) == 2


def test_a_game_between_two_slices_is_not_overwritten(kept: KeptLadder) -> None:
    """What is stored of each entrant at the end is what the ladder has of it."""
    journal = CommitByCommit()
    journal.is_slow = True
    harness = restored(kept, journal)
    one, two = NAMES[0], NAMES[-1]
    seats = [harness.greet(name) for name in (one, two)]
    journal.settle()
    harness.say_all(Join("main"), *seats)
    journal.settle()
    harness.clock.pass_by(0.0)
    journal.settle()
    harness.say(seats[0], Resign(seats[0].last(GameStart).game))
    assert len(journal.stored()) < len(NAMES) - SLICE
    while journal.waits:
        journal.settle()
    stored, shown = journal.stored(), ratings_of(harness)
    assert len(stored) > len(NAMES) - SLICE
    assert {name: round(each.live.elo, 1) for name, each in stored.items()} == {
        name: shown[name] for name in stored
    }


@pytest.mark.parametrize("slices", [0, 1, 2])
def test_a_server_killed_between_two_slices_comes_to_the_same(
    kept: KeptLadder, slices: int
) -> None:
    """A restart finds some ratings fitted and others not, and fits all."""
    whole = ratings_of(restored(kept, CommitByCommit()))
    journal = CommitByCommit()
    journal.is_slow = True
    restored(kept, journal)
    for _ in range(slices):
        journal.settle()
    found = {each.name: each for each in kept.entrants} | journal.stored()
    assert len(journal.stored()) == slices * SLICE
    again = ratings_of(restored(kept._replace(entrants=tuple(found.values())), CommitByCommit()))
    assert again == pytest.approx(whole, abs=0.2)


def test_adopting_a_fit_touches_those_only_that_changed_meanwhile(
    monkeypatch: pytest.MonkeyPatch, kept: KeptLadder
) -> None:
    """The loop handles as many entrants as games brought in, not as many as the ladder has."""
    state = LadderState({}, kept.entrants, kept.tallies)
    begun = state.begin_fit()
    state.count(CountedGame((NAMES[0], NAMES[1]), winner=0))
    fit = fit_ladder(begun)
    handled: list[str] = []
    keep = LadderState._keep

    def counting(self: LadderState, entrant: Entrant) -> None:
        handled.append(entrant.name)
        keep(self, entrant)

    monkeypatch.setattr(LadderState, "_keep", counting)
    changed = state.adopt(fit)
    assert len(changed) > 2 * SLICE
    assert set(handled) == set(NAMES[:2])
    assert len(handled) == 4
    assert state.tally((NAMES[0], NAMES[1])).wins >= 1


def test_an_entrant_that_changed_while_a_fit_ran_keeps_its_change() -> None:
    """A quarantine stays, one that was forgotten is not back, a newcomer is ranked."""
    tallies = {
        ("ann", "bob"): Tally(wins=5),
        ("bob", "ann"): Tally(losses=5),
        ("ann", "cid"): Tally(wins=1),
    }
    state = LadderState({}, (), tallies)
    begun = state.begin_fit()
    state.quarantine("bob", Quarantine("2030-01-01", "a reason"))
    state.correct([CountedGame(("ann", "cid"), winner=0)], [], sign=-1)
    state.count(CountedGame(("dan", "ann"), winner=1, forfeited=0))
    changed = state.adopt(fit_ladder(begun))
    assert state.entrant("bob").quarantine is not None
    assert state.entrant("bob").live.elo < 1500
    assert state.known("cid") is None
    assert state.entrant("dan").penalties == 2
    assert {row.name for row in state.standings()} == {"ann", "bob", "dan"}
    assert {"bob", "dan"} <= set(changed)
    assert "cid" not in changed

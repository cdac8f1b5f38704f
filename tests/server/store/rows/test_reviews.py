"""Which games wait for a review, and what reviews leave in the store."""

from functools import partial
from typing import TypeVar

import pytest
from msgspec.structs import replace

from mancala.protocol import results
from mancala.protocol.accuracy import Phase
from mancala.protocol.clock import TimeControl
from mancala.protocol.messages import MoveValue, Outcome, Reason
from mancala.protocol.referee import LedgerEntry
from mancala.protocol.results import GameReviewed, LadderStandings, Payload, Topics
from mancala.protocol.review import ReviewWork
from mancala.server.model import journal
from mancala.server.model.credentials import Rights
from mancala.server.model.events import EventFactory
from mancala.server.model.game import Standing
from mancala.server.model.match import LadderContext, Terms
from mancala.server.model.review.reviews import FinishedReview, QueuedReview, Urgency
from mancala.server.reviews.dispatcher import finish
from mancala.server.store import Store
from mancala.server.store.reading.archive import Archive
from mancala.server.store.rows.reviews import StoredReviews
from mancala.server.store.rows.tokens import issue
from tests.server.reviews.games import PITS, PLIES, RULES, reviewable
from tests.server.store.databases import answered, committed

pytestmark = pytest.mark.usefixtures("database")

T = TypeVar("T")
UTC = "2026-11-21T12:00:00.000+00:00"
TERMS = Terms(RULES, TimeControl(move_ms=1000), rated=True, games=100)
ENTRANTS = ("ann@1", "bob@2")
EVENTS = EventFactory("test", Topics("test"))


def announcement(game: str) -> journal.Announcement:
    return journal.Announcement("topic", game, Payload(game, 0, "test"))


@pytest.fixture
async def store(store: Store) -> Store:
    context = LadderContext("main", ENTRANTS)
    await committed(store, journal.MatchOpened("m", ("ann", "bob"), TERMS, UTC, context))
    return store


async def play(
    store: Store,
    game: str,
    number: int,
    urgency: Urgency = Urgency.LOST,
    *,
    names: tuple[str, str] = ENTRANTS,
    ladder: str = "main",
) -> None:
    """Play a game of the match that seat 0 wins."""
    at = f"2026-11-21T12:00:{number:02}.000+00:00"
    entrants = names if number % 2 == 0 else (names[1], names[0])
    await committed(
        store,
        journal.GameOpened(game, "m", number, at),
        *(
            journal.MovePlayed(game, ply, LedgerEntry(pit, 1.0, 0.0), None, forced=False)
            for ply, pit in enumerate(PITS)
        ),
        journal.GameClosed(game, Outcome(0, (3, 1), Reason.NORMAL, None), at, announcement(game)),
        journal.ReviewQueued(QueuedReview(game, urgency, at), entrants, ladder),
    )


def finished(
    game: str, *, version: int = 1, depth: int | None = None, lost: float = 0.0
) -> FinishedReview:
    """Return a review in which the first move was played with a proof, or an estimate."""
    first = PLIES[0]
    moves = (MoveValue(0, lost - 2.0, depth), MoveValue(1, 2.0, depth))
    plies = (type(first)(0, moves, first.line, depth), PLIES[1])
    found = finish(reviewable(game).played, ReviewWork(plies, version, "abacus 1", 0.5))
    assert isinstance(found, FinishedReview)
    return found


def stored(game: str, found: FinishedReview) -> journal.ReviewStored:
    result = EVENTS.review(reviewable(game), found.review, UTC)
    return journal.ReviewStored(game, found, UTC, "carol", result)


async def waiting(store: Store) -> list[str]:
    found = await answered(partial(StoredReviews(store.ask).waiting, 10))
    return [each.game for each in found or []]


async def published(store: Store) -> list[GameReviewed]:
    payloads = [row.payload for row in await store.unpublished(100) if "review" in row.topic]
    found = [results.decode(payload) for payload in payloads]
    assert all(isinstance(each, GameReviewed) for each in found)
    return [each for each in found if isinstance(each, GameReviewed)]


async def test_games_wait_in_order_of_urgency_and_the_newest_first(store: Store) -> None:
    """As they do in memory."""
    for number, urgency in enumerate((Urgency.LOST, Urgency.OTHER, Urgency.LOST)):
        await play(store, f"g{number}", number, urgency)
    assert await waiting(store) == ["g2", "g0", "g1"]
    await committed(store, journal.ReviewDropped("g0"))
    assert await waiting(store) == ["g2", "g1"]
    await store.forget_excess_reviews(1)
    assert await waiting(store) == ["g2"]


async def test_a_game_is_read_as_it_was_played(store: Store) -> None:
    """Its positions and moves, who lost, and the bots in seat order."""
    await play(store, "g0", 0)
    await play(store, "g1", 1)
    stored_reviews = StoredReviews(store.ask)
    for game, names in (("g0", ("ann", "bob")), ("g1", ("bob", "ann"))):
        found = await answered(partial(stored_reviews.reviewable, game))
        assert found == reviewable(game)._replace(names=names)
    assert await answered(partial(stored_reviews.reviewable, "g7")) is None


async def test_a_review_is_kept_and_announced_in_one_transaction(store: Store) -> None:
    """With the accuracy of both versions, this game included."""
    await play(store, "g0", 0)
    found = finished("g0")
    archive = Archive(store, server="test")
    assert await archive.review("g0") is None
    await committed(store, stored("g0", found))
    assert await archive.review("g0") == found.review
    assert await waiting(store) == []
    (payload,) = await published(store)
    assert payload.path == "/api/v1/games/g0/review"
    assert payload.losing is None  # bob had no choice
    (accuracy,) = payload.accuracy
    assert accuracy.name == "ann@1"
    assert [phase.phase for phase in accuracy.phases] == [Phase.ALL, Phase.OPENING]
    with pytest.raises(LookupError):
        await archive.review("g7")
    assert await archive.review_if_any("g7") is None
    assert await archive.review_if_any("g0") == found.review


async def test_standings_are_announced_with_the_accuracy_of_their_versions(store: Store) -> None:
    """As it is when they are stored; a version without a review has none."""
    await play(store, "g0", 0)
    table = tuple(
        Standing(place, name, 1, 1.0, 1, 0, 0) for place, name in enumerate(ENTRANTS, start=1)
    )
    for event, reviewed in (("before", None), ("after", finished("g0"))):
        if reviewed is not None:
            await committed(store, stored("g0", reviewed))
        result = EVENTS.standings("main", event, UTC, table, total=2, games=1)
        await committed(store, journal.StandingsAnnounced("main", result))
        (row,) = [row for row in await store.unpublished(100) if "standings" in row.topic]
        payload = results.decode(row.payload)
        assert isinstance(payload, LadderStandings)
        ann, bob = payload.standings
        assert [each.phase for each in ann.accuracy] == (
            [Phase.ALL, Phase.OPENING] if reviewed is not None else []
        )
        assert bob.accuracy == ()


async def test_a_better_review_replaces_a_worse_one_in_all_figures(store: Store) -> None:
    """By its version or by what it proves; one that is as good changes nothing."""
    await play(store, "g0", 0)
    archive = Archive(store, server="test")
    await committed(store, stored("g0", finished("g0", depth=8)))
    assert await archive.accuracies("main", ENTRANTS) == {}
    await committed(store, stored("g0", finished("g0")))
    known = await archive.accuracies("main", ENTRANTS)
    assert (known["ann@1"].moves, known["ann@1"].games) == (1, 1)
    assert known["ann@1"].phase is Phase.ALL
    for same in (finished("g0"), finished("g0", depth=8)):
        await committed(store, stored("g0", same))
    assert await archive.accuracies("main", ENTRANTS) == known
    better = finished("g0", version=2)
    await committed(store, stored("g0", better))
    assert await archive.review("g0") == better.review
    assert await archive.accuracies("main", ENTRANTS) == known
    assert len(await published(store)) == 3
    assert len({payload.event_id for payload in await published(store)}) == 3


async def test_games_with_an_older_review_are_found_for_a_better_reviewer(store: Store) -> None:
    """The newest first; those that wait are not among them."""
    for number in range(3):
        await play(store, f"g{number}", number)
        if number < 2:
            await committed(store, stored(f"g{number}", finished(f"g{number}")))
    found = await answered(partial(StoredReviews(store.ask).outdated, 2, 10))
    assert [(each.game, each.version) for each in found or []] == [("g1", 1), ("g0", 1)]


async def outdated(store: Store, version: int) -> list[str]:
    found = await answered(partial(StoredReviews(store.ask).outdated, version, 10))
    return [each.game for each in found or []]


async def test_each_game_has_its_own_review(store: Store) -> None:
    """Its neighbours go on waiting, and one that is dropped takes no other with it."""
    for number in range(4):
        await play(store, f"g{number}", number)
    await committed(store, journal.ReviewDropped("g1"))
    assert await waiting(store) == ["g3", "g2", "g0"]
    found = finished("g2")
    await committed(store, stored("g2", found))
    assert await waiting(store) == ["g3", "g0"]
    archive = Archive(store, server="test")
    reviews = [await archive.review(f"g{number}") for number in (0, 2, 3)]
    assert reviews == [None, found.review, None]
    assert await archive.reviewed(("g0", "g1", "g2", "none")) == {"g2"}


async def test_only_reviews_below_a_version_are_outdated(store: Store) -> None:
    """Not those of the same one, nor those of a later reviewer."""
    for number in range(3):
        await play(store, f"g{number}", number)
        await committed(store, stored(f"g{number}", finished(f"g{number}", version=1 + number)))
    assert await outdated(store, 2) == ["g0"]


async def test_a_first_review_counts_though_it_proves_nothing(store: Store) -> None:
    """One that is as good changes nothing then, and one that proves something does."""
    await play(store, "g0", 0)
    plies = [replace(ply, depth=8, moves=estimated(ply.moves)) for ply in PLIES]
    guess = finish(reviewable("g0").played, ReviewWork(plies, 1, "abacus 1", 0.5))
    assert isinstance(guess, FinishedReview)
    assert guess.review.proven == 0.0
    for found, count in ((guess, 1), (guess, 1), (finished("g0", depth=8), 2)):
        await committed(store, stored("g0", found))
        assert len(await published(store)) == count


def estimated(moves: tuple[MoveValue, ...]) -> tuple[MoveValue, ...]:
    return tuple(replace(move, depth=8) for move in moves)


async def test_sums_are_kept_apart_by_ladder_and_name(store: Store) -> None:
    """Whatever comes before or after them in the alphabet."""
    played = [
        ("main", "ann@1"),
        ("blitz", "ann@1"),
        ("rapid", "ann@1"),
        ("main", "abe"),
        ("main", "zoe"),
        ("main", "ann@1"),
    ]
    for number, (ladder, name) in enumerate(played):
        game = f"g{number}"
        await play(store, game, 2 * number, names=(name, "x"), ladder=ladder)
        await committed(store, stored(game, finished(game)))
    archive = Archive(store, server="test")
    for ladder, name in played:
        known = await archive.accuracies(ladder, (name, "nobody"))
        assert {each: known[each].games for each in known} == {name: played.count((ladder, name))}
    found = await archive.accuracy_of("ann")
    assert [each.ladder for each in found] == ["blitz", "main", "rapid"]


async def test_an_underscore_in_a_name_stands_for_itself(store: Store) -> None:
    """No bot is shown the figures of another."""
    for number, name in enumerate(("a_n@1", "abn@1")):
        game = f"g{number}"
        await play(store, game, 2 * number, names=(name, "x"))
        await committed(store, stored(game, finished(game)))
    found = await Archive(store, server="test").accuracy_of("a_n")
    assert [each.name for each in found] == ["a_n@1"]


@pytest.mark.parametrize(("winner", "loser"), [(0, 1), (1, 0), (None, None)])
async def test_a_game_is_read_with_its_own_moves_and_its_loser(
    store: Store, winner: int | None, loser: int | None
) -> None:
    """In the third game the seats are those of the first."""
    await play(store, "g0", 0)
    await committed(
        store,
        journal.GameOpened("g2", "m", 2, UTC),
        journal.MovePlayed("g2", 0, LedgerEntry(0, 1.0, 0.0), None, forced=False),
        journal.GameClosed(
            "g2", Outcome(winner, (3, 1), Reason.TIMEOUT, None), UTC, announcement("g2")
        ),
    )
    found = await answered(partial(StoredReviews(store.ask).reviewable, "g2"))
    assert found is not None
    assert (found.played.pits, found.played.loser) == ((0,), loser)
    assert found.names == ("ann", "bob")


async def test_a_bots_accuracy_is_told_by_version(store: Store) -> None:
    """Of that bot only, whatever its name begins with."""
    await play(store, "g0", 0)
    await committed(store, stored("g0", finished("g0")))
    archive = Archive(store, server="test")
    (found,) = await archive.accuracy_of("ann")
    assert (found.ladder, found.name) == ("main", "ann@1")
    assert await archive.accuracy_of("an") == ()
    assert await archive.accuracy_of("bob") == ()


async def test_only_a_token_with_the_right_may_review(store: Store) -> None:
    """An ordinary one gives none, and a later ordinary one takes it away."""

    async def may(name: str) -> bool | None:
        return await answered(partial(StoredReviews(store.ask).may_review, name))

    await store.run(issue, "ann", UTC)
    await store.run(issue, "carol", UTC, Rights(is_reviewer=True))
    assert [await may(name) for name in ("ann", "carol", "none")] == [False, True, False]
    await store.run(issue, "carol", UTC)
    assert not await may("carol")

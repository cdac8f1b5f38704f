"""Hands finished games to reviewers and takes their reviews back.

A reviewer offers to take some games at a time. The next game goes to the address that has fewest,
then to the reviewer that has fewest. A game whose reviewer is gone, takes too long or sends what
does not stand goes to another one; one that took too long has one game at a time until it has
brought one back. The store knows which games wait, so a restart loses none; a game leaves it with
its review, in one transaction.
"""

from collections import Counter
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final, Protocol

from mancala.protocol.accuracy import sums_of
from mancala.protocol.messages import (
    Assessment,
    ErrorCode,
    OfferReviews,
    Outcome,
    Reason,
    Review,
    ReviewWanted,
)
from mancala.protocol.review import ReviewedGame, ReviewError, ReviewWork, check, compose
from mancala.protocol.rules import Rules
from mancala.protocol.text import quantity

from ..match.context import Context
from ..match.participant import Participant, RequestError
from ..model.entrant import entrant_name
from ..model.journal import Entry, ReviewDropped, ReviewQueued, ReviewStored
from ..model.match import Match
from ..model.review.packed_reviews import pack, rounded
from ..model.review.puzzles import free_day, puzzle_in
from ..model.review.reviews import (
    FinishedReview,
    QueuedReview,
    ReviewableGame,
    UnreviewedGame,
    Urgency,
)
from ..model.timers import Timer
from ..net.limits.costs import AddressBudgets, network_of
from .queue import ReviewQueue

REMEMBERED: Final = 256
"""Games in memory; the others are read from the store when these are reviewed."""
MOST_TRIES: Final = 50
"""A game that this many reviewers did not bring back is given up: it may be what ends them."""
PAUSE_S: Final = 5.0
"""How long a reviewer whose review was refused gets no game, so that it does not take them all."""

URGENT_PER_S: Final = 1 / 30
"""How often the loss of one bot, or of the guests of one address, is reviewed before other games:
a tenth of what a house reviewer does."""
URGENT_BURST: Final = 60
"""The same in a burst: the losses of a night, or a lesson's."""


class ReviewStore(Protocol):
    """What the dispatcher asks of the store; answers come later, on the event loop."""

    def may_review(self, name: str, answer: Callable[[bool | None], None]) -> None:
        """Call ``answer`` with whether the holder of a name's token may review games."""

    def waiting(self, limit: int, answer: Callable[[Sequence[QueuedReview] | None], None]) -> None:
        """Call ``answer`` with the first games that wait."""

    def outdated(
        self, version: int, limit: int, answer: Callable[[Sequence[QueuedReview] | None], None]
    ) -> None:
        """Call ``answer`` with games that have only a review below a version."""

    def reviewable(self, game: str, answer: Callable[[ReviewableGame | None], None]) -> None:
        """Call ``answer`` with a finished game, or None."""


@dataclass(slots=True, eq=False)
class _Assignment:
    """A game that a reviewer has, and what has come back of it."""

    waiting: QueuedReview
    player: Participant
    game: ReviewableGame | None = None
    plies: list[Assessment] = field(default_factory=list)
    timer: Timer | None = None
    is_done: bool = False


class ReviewDispatcher:
    """All reviewers of a server, and the games that wait for them."""

    def __init__(self, store: ReviewStore, context: Context) -> None:
        self._store = store
        self._context = context
        self._queue = ReviewQueue(REMEMBERED)
        self._queue.is_cut = True  # what a former server left
        self._offers: dict[Participant, OfferReviews] = {}
        self._jobs: dict[str, _Assignment] = {}
        self._ended: dict[str, QueuedReview] = {}
        self._tries: dict[str, int] = {}
        self._caught_up: set[int] = set()
        self._late: set[str] = set()
        self._urgent = AddressBudgets(lambda: (URGENT_PER_S, URGENT_BURST))
        self._is_reading = False
        self._is_closed = False

    # Games

    def wanted(
        self, match: Match, players: tuple[Participant, Participant], ended: Outcome
    ) -> Sequence[Entry]:
        """Return what becomes durable with the end of a match's present game."""
        if not self._are_reviewed(match.terms.rules):
            return ()
        urgency = Urgency.OTHER
        if ended.winner is not None and ended.reason is not Reason.ABORTED:
            urgency = self._urgency_for(players[match.side(1 - ended.winner)])
        waiting = QueuedReview(match.game, urgency, self._context.utc())
        self._ended[match.game] = waiting
        return (ReviewQueued(waiting, _entrants(match, players), match.ladder),)

    def wanted_again(self, games: Iterable[UnreviewedGame]) -> list[ReviewQueued]:
        """Return what becomes durable when games count again; :meth:`count_again` must follow."""
        return [
            ReviewQueued(
                QueuedReview(each.game, Urgency.OTHER, each.ended_at), each.entrants, each.ladder
            )
            for each in games
            if self._are_reviewed(each.rules)
        ]

    def count_again(self, queued: Iterable[ReviewQueued]) -> None:
        """Note that games wait again, durably."""
        self._queue.put([entry.waiting for entry in queued])
        self._hand_out()

    def _are_reviewed(self, rules: Rules) -> bool:
        return (
            bool(self._context.config.now.reviewers.queue) and not rules.opens
        )  # values say little where one swaps

    def _urgency_for(self, loser: Participant) -> Urgency:
        """Return how urgent the review of a lost game is, and count it if it is."""
        now = self._context.now()
        is_house = loser.name in self._context.config.now.house_names
        is_paid = not is_house and self._urgent.of(loser.payer, now).pays(1, now)
        return Urgency.LOST if is_paid else Urgency.OTHER

    def read_again(self) -> None:
        """Read from the store which games wait: there are others."""
        self._queue.is_cut = True
        self._hand_out()

    def game_over(self, game: str, *, is_hidden: bool = False) -> None:
        """Note that a game has ended, durably; one that is hidden does not wait yet."""
        waiting = self._ended.pop(game, None)
        if waiting is not None and not is_hidden:
            self._queue.put([waiting])
            self._hand_out()

    # Reviewers

    def offer(self, player: Participant, offer: OfferReviews) -> None:
        """Take a reviewer's offer, if its token gives it the right."""
        admit = partial(self._admit, player, offer)
        if player.is_guest:
            admit(None)
        else:
            self._store.may_review(player.name, admit)

    def _admit(self, player: Participant, offer: OfferReviews, may: bool | None) -> None:  # noqa: FBT001  # the answer of a store
        if not may:
            player.send_error(ErrorCode.FORBIDDEN, "this token gives no right to review games")
        elif player.is_present and not player.has_left:
            self._offers[player] = offer
            self._caught_up.discard(offer.version)
            self._hand_out()

    @property
    def reviewers(self) -> int:
        return len(self._offers)

    def is_reviewing(self, player: Participant) -> bool:
        return player in self._offers

    def on_disconnect(self, player: Participant) -> None:
        """Queue the games of a reviewer whose connection is gone for others."""
        self._offers.pop(player, None)
        for job in [job for job in self._jobs.values() if job.player is player and not job.is_done]:
            self._requeue(job)

    def close(self) -> None:
        self._is_closed = True

    # Handing out

    def _hand_out(self) -> None:
        served: set[Participant] = set()
        while not self._is_closed and (player := self._next_free(served)) is not None:
            version = self._offers[player].version
            waiting = self._queue.take(version)
            if waiting is None:
                served.add(player)
                self._read_on(version)
            elif waiting.game not in self._jobs:
                self._jobs[waiting.game] = job = _Assignment(waiting, player)
                self._store.reviewable(waiting.game, partial(self._send, job))

    def _next_free(self, served: Container[Participant]) -> Participant | None:
        """Return the reviewer with a hand free whose turn it is, besides those served."""
        held = Counter(job.player for job in self._jobs.values())
        at_address = Counter(network_of(job.player.address) for job in self._jobs.values())
        free = [
            player
            for player, offer in self._offers.items()
            if player not in served and held[player] < self._hands(player, offer)
        ]
        return min(
            free, key=lambda each: (at_address[network_of(each.address)], held[each]), default=None
        )

    def _hands(self, player: Participant, offer: OfferReviews) -> int:
        """Return how many games a reviewer may have; one after a late one, until it brings one."""
        return min(offer.games, 1) if player.name in self._late else offer.games

    def _read_on(self, version: int) -> None:
        """Read more games from the store for reviewers of a version, if there may be any."""
        limit = REMEMBERED + len(self._jobs)
        if self._is_reading or not (self._queue.is_cut or version not in self._caught_up):
            return
        self._is_reading = True
        if self._queue.is_cut:
            self._store.waiting(limit, self._fill)
        else:
            self._store.outdated(version, limit, partial(self._fill_again, version))

    def _fill(self, found: Sequence[QueuedReview] | None) -> None:
        self._is_reading = False
        self._queue.is_cut = found is None or len(found) >= REMEMBERED
        if self._put(found) or not self._queue.is_cut:
            self._hand_out()

    def _fill_again(self, version: int, found: Sequence[QueuedReview] | None) -> None:
        self._is_reading = False
        if self._put(found):
            self._hand_out()
        else:
            self._caught_up.add(version)

    def _put(self, found: Sequence[QueuedReview] | None) -> bool:
        """Put games into the queue that are not handed out; return whether there were any."""
        fresh = [
            each
            for each in found or ()
            if each.game not in self._jobs and self._tries.get(each.game, 0) < MOST_TRIES
        ]
        self._queue.put(fresh)
        return bool(fresh)

    def _send(self, job: _Assignment, game: ReviewableGame | None) -> None:
        if self._jobs.get(job.waiting.game) is not job:
            return
        if game is None or not game.played.pits:
            self._drop(job)
            return
        job.game = game
        ends = self._context.now() + self._context.config.now.reviewers.patience_s
        job.timer = self._context.call_at(ends, partial(self._give_up_on, job))
        opening = game.played.boards[0]
        pits = tuple(game.played.pits)
        job.player.send(ReviewWanted(job.waiting.game, opening.rules, opening.state, pits))

    def _give_up_on(self, job: _Assignment) -> None:
        if self._jobs.get(job.waiting.game) is job and not job.is_done:
            self._context.log.warning("review late", game=job.waiting.game, name=job.player.name)
            self._late.add(job.player.name)
            self._requeue(job)

    def _drop(self, job: _Assignment) -> None:
        self._end(job)
        self._context.journal.commit([ReviewDropped(job.waiting.game)], lambda: None)
        self._hand_out()

    def _end(self, job: _Assignment) -> None:
        self._jobs.pop(job.waiting.game, None)
        if job.timer is not None:
            job.timer.cancel()

    def _requeue(self, job: _Assignment) -> None:
        """Put a game back into the queue, unless too many reviewers have failed on it."""
        self._end(job)
        game = job.waiting.game
        self._tries[game] = self._tries.get(game, 0) + 1
        if self._tries[game] < MOST_TRIES:
            self._context.log.info("review taken back", game=game, name=job.player.name)
            self._queue.put([job.waiting])
        else:
            self._context.log.warning("review given up", game=game)
        self._hand_out()

    # Taking reviews

    def review(self, player: Participant, review: Review) -> None:
        job = self._jobs.get(review.game)
        if job is None or job.player is not player or job.game is None or job.is_done:
            detail = "no review of this game is requested"
            raise RequestError(ErrorCode.UNKNOWN_GAME, detail, review.game)
        job.plies += review.plies
        if len(job.plies) > len(job.game.played.pits):
            self._refuse(job, f"the game has {quantity(len(job.game.played.pits), 'ply')}")
        elif not review.more:
            job.is_done = True
            offer = self._offers.get(player)
            version = offer.version if offer is not None else 1
            work = ReviewWork(tuple(job.plies), version, review.engine, review.seconds)
            free = free_day(job.game.puzzle_days, self._context.utc()[:10])
            cut = free is not None and not job.waiting.version
            done = partial(self._finish, job, job.game)
            self._context.in_background(partial(finish, job.game.played, work, cut=cut), done)

    def _finish(
        self, job: _Assignment, game: ReviewableGame, found: FinishedReview | ReviewError
    ) -> None:
        if isinstance(found, ReviewError):
            self._refuse(job, str(found))
            return
        at = self._context.utc()
        result = self._context.events.review(game, found.review, at)
        stored = ReviewStored(job.waiting.game, found, at, job.player.name, result)
        done, refused = partial(self._stored, job), partial(self._unstored, job)
        self._context.journal.commit([stored], done, refused)

    def _stored(self, job: _Assignment) -> None:
        self._end(job)
        self._tries.pop(job.waiting.game, None)
        self._late.discard(job.player.name)
        self._context.log.debug("reviewed", game=job.waiting.game, by=job.player.name)
        self._hand_out()

    def _unstored(self, job: _Assignment) -> None:
        job.player.send_error(ErrorCode.INTERNAL, "the server could not store it", job.waiting.game)
        self._requeue(job)

    def _refuse(self, job: _Assignment, detail: str) -> None:
        """Refuse a review that does not stand; its reviewer gets no other game meanwhile."""
        self._context.log.warning("review refused", name=job.player.name, detail=detail)
        offer = self._offers.pop(job.player, None)
        job.player.send_error(ErrorCode.INVALID, detail, job.waiting.game)
        self._requeue(job)
        if offer is not None and job.player.is_present:
            resume = partial(self._offer_again, job.player, offer)
            self._context.call_at(self._context.now() + PAUSE_S, resume)

    def _offer_again(self, player: Participant, offer: OfferReviews) -> None:
        if player.is_present and not player.has_left:
            self._offers.setdefault(player, offer)
            self._hand_out()


def _entrants(match: Match, players: tuple[Participant, Participant]) -> tuple[str, str]:
    first, second = (entrant_name(player.name, player.agent) for player in players)
    counted = match.ladder_context
    names = (first, second) if counted is None else counted.entrants
    return names[match.side(0)], names[match.side(1)]


def finish(
    game: ReviewedGame, work: ReviewWork, *, cut: bool = True
) -> FinishedReview | ReviewError:
    """Check a reviewer's work and return the review, or what is wrong with it."""
    try:
        check(game, work.assessments)
    except ReviewError as error:
        return error
    kept = rounded(work)
    review = compose(game, kept)
    sums = sums_of(review, game.boards)
    puzzle = puzzle_in(review, game.boards) if cut else None
    return FinishedReview(review, pack(game, kept, sums), sums, puzzle)

"""What a lost connection means to matches, requests, ladders and events, and what its return."""

from __future__ import annotations

from collections.abc import Callable

from mancala.protocol.messages import REPLACED, REPLACED_CLOSE

from ..contest.live.registry import Contests
from ..ladders.registry import Ladders
from ..match.participant import Participant
from ..net.seat import Seat
from ..reviews.dispatcher import ReviewDispatcher
from .directory import Directory
from .grace_timers import GraceTimers
from .requests import MatchRequests
from .submissions import Submissions
from .tables import Tables


class Connections:
    """Joins participants and connections, and reports both their loss and their return."""

    def __init__(  # noqa: PLR0913  # the rooms that hear of it, each by its name
        self,
        directory: Directory,
        grace_timers: GraceTimers,
        *,
        tables: Tables,
        requests: MatchRequests,
        ladders: Ladders,
        reviews: ReviewDispatcher,
        contests: Contests,
        submissions: Submissions,
        now: Callable[[], float],
    ) -> None:
        """Create it.

        Args:
            directory: which connection is whose.
            grace_timers: keep the seats of lost connections.
            tables: let the clocks of a bot that is away run on, and show it its games again.
            requests: close a lost bot's requests, and renew its seek.
            ladders: pair only those that are present.
            reviews: give the games of a lost reviewer to others.
            contests: wait for entrants that are away.
            submissions: begin anew on a new connection.
            now: the clock, in seconds.
        """
        self._directory = directory
        self._grace_timers = grace_timers
        self._tables = tables
        self._requests = requests
        self._ladders = ladders
        self._reviews = reviews
        self._contests = contests
        self._submissions = submissions
        self._now = now

    def attach(self, player: Participant, seat: Seat) -> None:
        """Join a participant and a new connection; what it reviews on a former one is over."""
        self._directory.attach(player, seat)
        self._grace_timers.cancel(player)
        self._reviews.on_disconnect(player)
        self._submissions.forget(player)

    def replace(self, player: Participant) -> None:
        """Close the connection of a participant that has another one now."""
        former = self._directory.detach(player)
        if former is not None:
            former.close(REPLACED, close_code=REPLACED_CLOSE)

    def on_disconnect(self, player: Participant) -> None:
        """Keep the seat of a participant whose connection is gone."""
        self._ladders.on_disconnect(player)
        self._reviews.on_disconnect(player)
        player.seat = None
        player.lost_at = self._now()
        self._requests.on_disconnect(player)
        self._contests.on_disconnect(player)
        for table in self._tables.of(player):
            table.lost(player)
        self._grace_timers.start(player)

    def on_reconnect(self, player: Participant) -> None:
        """Show a participant that was welcomed again what it missed, and its games."""
        player.catch_up()
        for table in self._tables.of(player):
            table.back(player)
        self._ladders.on_connect(player)
        self._requests.on_reconnect(player)
        self._contests.look()

    def on_welcome(self) -> None:
        """Let events begin what a bot that was welcomed has to play."""
        self._contests.look()

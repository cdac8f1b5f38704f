"""The table of handlers: which room answers which message of a welcomed client."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from mancala.protocol.messages import (
    Accept,
    Challenge,
    ClientMessage,
    Decline,
    Enter,
    Goodbye,
    Join,
    Leave,
    List,
    Move,
    OfferReviews,
    Resign,
    Review,
    Schedule,
    Seek,
    Submit,
    Unseek,
    Unwatch,
    Watch,
    Withdraw,
)

from ..contest.live.registry import Contests
from ..ladders.registry import Ladders
from ..match.participant import Participant
from ..reviews.dispatcher import ReviewDispatcher
from .listings import Listings
from .logouts import Logouts
from .requests import MatchRequests
from .schedules import Schedules
from .submissions import Submissions
from .tables import Tables

Handlers = Mapping[type[ClientMessage], Callable[[Participant, Any], None]]


def handlers(  # noqa: PLR0913  # the rooms that answer, each by its name
    *,
    tables: Tables,
    requests: MatchRequests,
    ladders: Ladders,
    contests: Contests,
    listings: Listings,
    schedules: Schedules,
    submissions: Submissions,
    reviews: ReviewDispatcher,
    logouts: Logouts,
) -> Handlers:
    """Return who handles what; ``hello``, which comes before the welcome, is a login's."""
    spectators = tables.spectators
    return {
        Move: tables.move,
        Resign: tables.resign,
        Seek: requests.seek,
        Unseek: requests.unseek,
        Challenge: requests.challenge,
        Accept: requests.accept,
        Decline: requests.decline,
        Watch: spectators.watch,
        Unwatch: spectators.unwatch,
        List: listings.answer,
        Schedule: schedules.answer,
        Join: ladders.join,
        Leave: ladders.leave,
        Enter: contests.enter,
        Withdraw: contests.withdraw,
        OfferReviews: reviews.offer,
        Review: reviews.review,
        Submit: submissions.submit,
        Goodbye: logouts.goodbye,
    }

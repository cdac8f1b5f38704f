"""What is known of bots over time: ratings, and what their games came to."""

from typing import Annotated

from msgspec import Meta

from mancala.protocol.messages import Reason

from .views import View

Day = Annotated[str, Meta(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$")]
"""A day, UTC."""


class RatingPoint(View, frozen=True):
    """A rating at the end of a day on which it was fitted anew.

    Attributes:
        day: the day.
        rating: the rating, in Elo.
        interval: its 95 % interval.
        games: the games played by then.
    """

    day: Day
    rating: float
    interval: tuple[float, float]
    games: int


class RatingLine(View, frozen=True):
    """The rating of one version of a bot in one ladder, over time.

    Attributes:
        name: the rated version: ``bot@version``.
        points: the earliest first, at most 366, evenly among the days on which it played.
    """

    ladder: str
    name: str
    bot: str
    points: tuple[RatingPoint, ...]


class RatingHistory(View, frozen=True):
    """Ratings over time.

    Attributes:
        lines: one for each version in each ladder.
    """

    lines: tuple[RatingLine, ...]


class Counts(View, frozen=True):
    """What games came to for one bot.

    Attributes:
        games: games finished.
    """

    games: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0


class EndingCounts(View, frozen=True):
    """Games of a bot that ended in one way.

    Attributes:
        ladder: the ladder; none for games outside of ladders.
        seat: 0 where it moved first.
        reason: how they ended.
    """

    ladder: str | None
    seat: int
    reason: Reason
    counts: Counts


class VersionCounts(View, frozen=True):
    """Games of one version of a bot in a ladder.

    Attributes:
        name: the rated version: ``bot@version``.
    """

    ladder: str
    name: str
    counts: Counts


class OpeningCounts(View, frozen=True):
    """Games of a bot from one opening.

    Attributes:
        opening: the position as text, the mover first; empty for the standard start.
    """

    opening: str
    counts: Counts


class LengthCounts(View, frozen=True):
    """Games of a bot of about one length.

    Attributes:
        plies: the fewest sowings.
        below: the number of sowings that they all stay below.
    """

    plies: int
    below: int
    counts: Counts


class OpponentCounts(View, frozen=True):
    """Games of a bot against one opponent.

    Attributes:
        opponent: the opponent's name.
    """

    opponent: str
    counts: Counts


class BotStatistics(View, frozen=True):
    """What the games of a bot came to.

    Attributes:
        endings: by ladder, seat and way of ending; aborted games count as games only.
        versions: by ladder and version, at most 100, those with the most games first.
        openings: by opening, at most 100, the most played first.
        lengths: by length, the shortest first.
        opponents: by opponent, at most 100, those with the most games first.
    """

    endings: tuple[EndingCounts, ...]
    versions: tuple[VersionCounts, ...]
    openings: tuple[OpeningCounts, ...]
    lengths: tuple[LengthCounts, ...]
    opponents: tuple[OpponentCounts, ...]


class Duel(View, frozen=True):
    """What the games of two bots came to, as the first-named saw them.

    Attributes:
        bot: the first-named.
        other: its opponent.
        first: games in which the first-named moved first.
        second: games in which the opponent did.
    """

    bot: str
    other: str
    first: Counts
    second: Counts

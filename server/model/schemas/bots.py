"""Bots, what their ratings rest on, and whom one can challenge."""

from mancala.protocol.accuracy import PhaseAccuracy
from mancala.protocol.clock import TimeControl
from mancala.protocol.messages import Agent, NextMatch
from mancala.protocol.results import Timestamp
from mancala.protocol.rules import Rules

from .ladders import StandingView
from .views import View


class BotSummary(View, frozen=True):
    """A bot in a list; games that don't count are not counted.

    Attributes:
        reserved: whether only the holder of a token may use the name.
        games: games finished.
        last_game_at: when the last of them ended.
    """

    name: str
    reserved: bool
    games: int
    wins: int
    draws: int
    losses: int
    last_game_at: Timestamp | None


class BotPage(View, frozen=True):
    """Bots by name.

    Attributes:
        bots: this page.
    """

    bots: tuple[BotSummary, ...]
    next: str | None


class OpponentShare(View, frozen=True):
    """One opponent's part in what is known about a bot's rating.

    Attributes:
        opponent: the rated version: ``bot@version``.
        share: part of the information that the ladder's games hold about the rating, 0..1. Games
            against level opponents hold most.
    """

    opponent: str
    share: float


class LadderPlace(View, frozen=True):
    """A bot's place in one ladder.

    Attributes:
        standing: its row of the standings.
        rests_on: the five opponents that its rating rests on most, the greatest share first; none
            for an anchor.
    """

    ladder: str
    standing: StandingView
    rests_on: tuple[OpponentShare, ...] = ()


class BotPlaces(View, frozen=True):
    """A bot's places in the standings of all ladders."""

    places: tuple[LadderPlace, ...]


class BestRatings(View, frozen=True):
    """How strong bots are.

    Attributes:
        ratings: the best rating of each bot in any ladder, in Elo; those without one are left out.
        unnamed: those that the home page and the stage leave out.
    """

    ratings: dict[str, float]
    unnamed: tuple[str, ...] = ()


class BotPresence(View, frozen=True):
    """Whether a bot is here.

    Attributes:
        agent: the program behind it, as it named itself; known while it is here.
        playing: the ids of its running games.
    """

    present: bool
    agent: Agent | None
    playing: tuple[str, ...]


class BotSchedule(View, frozen=True):
    """When a bot plays next.

    Attributes:
        matches: those under way first, then what it waits for in events, ladders and by request.
    """

    bot: str
    matches: tuple[NextMatch, ...]


class LadderAccuracy(View, frozen=True):
    """How well a version of a bot plays, over its reviewed games.

    Attributes:
        ladder: the ladder of these games; none for games outside of ladders.
        name: the rated version: ``bot@version``.
        phases: the whole game first, then each phase with moves that count.
    """

    ladder: str | None
    name: str
    phases: tuple[PhaseAccuracy, ...]


class BotView(View, frozen=True):
    """A bot.

    Attributes:
        bot: its record over all games.
        presence: whether it is here, and what it plays.
        ladders: its places in the ladders' standings.
        accuracy: how well its versions play against perfect play, by phase of the game.
    """

    bot: BotSummary
    presence: BotPresence
    ladders: tuple[LadderPlace, ...]
    accuracy: tuple[LadderAccuracy, ...] = ()


class OpponentView(View, frozen=True):
    """A connected bot that takes challenges.

    Attributes:
        playing: matches that it plays now.
        house: whether the organiser runs it.
    """

    name: str
    agent: Agent | None
    playing: int
    house: bool


class OpponentList(View, frozen=True):
    """Whom one can challenge now.

    Attributes:
        opponents: at most 200, the organiser's first, then by name.
        rules: the server's default rules.
        clock: the server's default clock.
    """

    opponents: tuple[OpponentView, ...]
    rules: Rules
    clock: TimeControl

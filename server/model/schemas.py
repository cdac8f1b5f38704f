"""The API's schemas: what the store reads and the web shows, as data.

Names are the API's: a struct here is a JSON object there, and the OpenAPI document is made of
them. No token, secret or address is among them. Times are RFC 3339 in UTC; everything ``_ms`` is
milliseconds; ratings are Elo.
"""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from protocol.accuracy import PhaseAccuracy
from protocol.clock import ClockState, TimeControl
from protocol.messages import Agent, Player, Reason
from protocol.record import RecordedMove
from protocol.results import LOGISTIC, Timestamp
from protocol.rules import Rules, State


class View(Struct, frozen=True, kw_only=True):
    """A piece of an answer."""


class GameStatus(StrEnum):
    """Whether a game is being played or over."""

    RUNNING = "running"
    OVER = "over"


class GameSummary(View, frozen=True):
    """A game in a list.

    Attributes:
        game: the game's id.
        match: the id of the match it belongs to.
        ladder: the ladder it was played in, if any.
        rated: whether it counts for ratings.
        rules: the rules in force.
        clock: the limits in force.
        players: both names, in seat order.
        status: whether it is over.
        plies: sowings made.
        winner: the player who won; none as long as it runs, for a draw, and when it does not count.
        stores: both stores at the end, in seat order.
        reason: why it ended.
        started_at: when it began.
        ended_at: when it ended.
    """

    game: str
    match: str
    ladder: str | None
    rated: bool
    rules: Rules
    clock: TimeControl
    players: tuple[str, str]
    status: GameStatus
    plies: int
    winner: Player | None
    stores: tuple[int, int] | None
    reason: Reason | None
    started_at: Timestamp
    ended_at: Timestamp | None


class GamePage(View, frozen=True):
    """Games, the latest first.

    Attributes:
        games: this page.
        next: the cursor of the page after it, if there is one.
    """

    games: tuple[GameSummary, ...]
    next: str | None


class GameNeighbours(View, frozen=True):
    """The games around a game, in the order in which they began.

    Attributes:
        previous: the id of the game before it; none for the first game.
        next: the id of the game after it; none for the latest game.
    """

    previous: str | None
    next: str | None


class GamePosition(View, frozen=True):
    """A position of a game, and the sowing that led to it.

    Attributes:
        state: the position.
        legal: the pits that may be sown.
        move: the sowing before it; none for the opening.
        captured: seeds that its capture brought to the store.
        again: whether the same player sows next.
    """

    state: State
    legal: tuple[int, ...]
    move: RecordedMove | None
    captured: int
    again: bool


class GamePositions(View, frozen=True):
    """A game played over.

    Attributes:
        game: the game's id.
        over: whether the game is over; if not, positions are still to come.
        positions: the opening, then the position after each sowing.
    """

    game: str
    over: bool
    positions: tuple[GamePosition, ...]


class LivePlayer(View, frozen=True):
    """A player of a running game.

    Attributes:
        name: the bot's name.
        agent: the program behind it, as it named itself.
        present: whether its connection stands.
    """

    name: str
    agent: Agent | None
    present: bool


class LiveGame(View, frozen=True):
    """A running game at this moment.

    Attributes:
        game: the game's id.
        match: the id of the match it belongs to.
        ladder: the ladder it is played in, if any.
        rated: whether it counts for ratings.
        rules: the rules in force.
        clock: the limits in force.
        players: both players, in seat order.
        opening: the position it began from.
        state: the position now.
        moves: the pits sown so far, in order.
        clocks: what is left of the banks and quotas.
    """

    game: str
    match: str
    ladder: str | None
    rated: bool
    rules: Rules
    clock: TimeControl
    players: tuple[LivePlayer, LivePlayer]
    opening: State
    state: State
    moves: tuple[int, ...]
    clocks: ClockState


class MatchView(View, frozen=True):
    """A match.

    Attributes:
        match: the match's id.
        ladder: the ladder it was played in, if any.
        rated: whether it counts for ratings.
        rules: the rules in force.
        clock: the limits in force.
        players: both names; the first has seat 0 in the first game.
        planned: how many games were agreed on.
        games: the games begun, in order.
        score: points a name: a win is one, a draw half a point.
        status: whether it is over.
        started_at: when it began.
        ended_at: when it ended.
    """

    match: str
    ladder: str | None
    rated: bool
    rules: Rules
    clock: TimeControl
    players: tuple[str, str]
    planned: int
    games: tuple[GameSummary, ...]
    score: dict[str, float]
    status: GameStatus
    started_at: Timestamp
    ended_at: Timestamp | None


class BotSummary(View, frozen=True):
    """A bot in a list; games that don't count are not counted.

    Attributes:
        name: the bot's name.
        reserved: whether only the holder of a token may use the name.
        games: games finished.
        wins: games won.
        draws: games drawn.
        losses: games lost.
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
        next: the cursor of the page after it, if there is one.
    """

    bots: tuple[BotSummary, ...]
    next: str | None


class StandingView(View, frozen=True):
    """A row of a ladder's standings.

    Attributes:
        rank: place, from 1; players that are level share one.
        name: the rated version: ``bot@version``.
        bot: the bot's name.
        games: games that counted.
        points: wins and half the draws.
        wins: games won.
        draws: games drawn.
        losses: games lost.
        rating: strength, in Elo; none without games.
        interval: where the strength lies with 95 % certainty, in Elo.
        accuracy: seeds lost a move against perfect play, over all its reviewed games in the
            ladder; none before the first.
        rank_range: the first and the last place that it may have, with 95 % certainty.
    """

    rank: int
    name: str
    bot: str
    games: int
    points: float
    wins: int
    draws: int
    losses: int
    rating: float | None
    interval: tuple[float, float] | None
    accuracy: PhaseAccuracy | None = None
    rank_range: tuple[int, int] | None = None


class LadderSummary(View, frozen=True):
    """A ladder in a list.

    Attributes:
        ladder: the ladder's name.
        rules: what is played in it.
        clock: the limits in force.
        games: games of a match in it.
        players: how many have joined and are here.
    """

    ladder: str
    rules: Rules
    clock: TimeControl
    games: int
    players: int


class LadderList(View, frozen=True):
    """The server's ladders.

    Attributes:
        ladders: as configured.
    """

    ladders: tuple[LadderSummary, ...]


class LadderTerms(View, frozen=True):
    """What a bot must know before it joins a ladder.

    Attributes:
        ladder: the ladder's name.
        rules: what is played in it.
        rules_text: the same as text.
        clock: the limits in force.
        games: games of a match.
        openings: starting positions as text, at most twelve; none for the standard start.
        openings_total: how many there are.
        guests: whether bots without a token may join.
        names: patterns of the names that may join; none for every name.
        house: names of the organiser's bots in it.
        quarantine_after: forfeits in a row after which a version is put out.
        quarantine_s: for how long.
        early_departures: how often a day a bot may leave before its first move.
        departure_pause_s: how long it is not paired after the first time beyond that.
        versions_a_day: new versions that one bot may bring in 24 hours.
    """

    ladder: str
    rules: Rules
    rules_text: str
    clock: TimeControl
    games: int
    openings: tuple[str, ...]
    openings_total: int
    guests: bool
    names: tuple[str, ...]
    house: tuple[str, ...]
    quarantine_after: int
    quarantine_s: float
    early_departures: int
    departure_pause_s: float
    versions_a_day: int


class TermsView(View, frozen=True):
    """On which terms bots take part.

    Attributes:
        guests: whether a bot without a token may log in.
        ladders: the terms of each ladder.
    """

    guests: bool
    ladders: tuple[LadderTerms, ...]


class StandingsView(View, frozen=True):
    """The standings of a ladder.

    Attributes:
        ladder: the ladder's name.
        at: when they last changed; none before the first game.
        standings: this page's rows, best first.
        total: how many rows there are in all.
        next: the cursor of the page after it, if there is one.
        scale: the scale of the ratings: ``logistic``, Elo at the expected score.
    """

    ladder: str
    at: Timestamp | None
    standings: tuple[StandingView, ...]
    total: int = 0
    next: str | None = None
    scale: str = LOGISTIC


class SuperiorityView(View, frozen=True):
    """How likely each of a ladder's best is stronger than each other, as the last fit found it.

    Attributes:
        ladder: the ladder's name.
        names: at most twenty rated versions, the strongest first.
        los: the likelihood, 0..1, that the row's version is stronger than the column's; none
            before the first fit.
    """

    ladder: str
    names: tuple[str, ...]
    los: tuple[tuple[float, ...], ...]


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
        ladder: the ladder's name.
        standing: its row of the standings.
        rests_on: the five opponents that its rating rests on most, the greatest share first; none
            for an anchor.
    """

    ladder: str
    standing: StandingView
    rests_on: tuple[OpponentShare, ...] = ()


class RatingBasis(View, frozen=True):
    """What the rating of one version of a bot rests on.

    Attributes:
        ladder: the ladder's name.
        name: the rated version: ``bot@version``.
        rests_on: the opponents, the greatest share first.
    """

    ladder: str
    name: str
    rests_on: tuple[OpponentShare, ...]


class RatingBases(View, frozen=True):
    """What the ratings of a bot rest on.

    Attributes:
        bases: one for each of its versions in each ladder.
    """

    bases: tuple[RatingBasis, ...]


class BotPresence(View, frozen=True):
    """Whether a bot is here.

    Attributes:
        present: whether its connection stands.
        agent: the program behind it, as it named itself; known while it is here.
        playing: the ids of its running games.
    """

    present: bool
    agent: Agent | None
    playing: tuple[str, ...]


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
        name: the bot's name.
        agent: the program behind it, as it named itself.
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


class AnalysedMove(View, frozen=True):
    """A legal move of a position that was analysed.

    Attributes:
        pit: the pit sown.
        value: final difference of stores for the mover.
        proven: whether ``value`` is exact.
        depth: plies searched for an estimate; none if it is proven.
    """

    pit: int
    value: float
    proven: bool
    depth: int | None


class AnalysisView(View, frozen=True):
    """What a position and its moves are worth.

    Attributes:
        board: the position as text, the mover first.
        rules: the rules as text.
        best: the best move.
        value: what it is worth: the final difference of stores for the mover.
        proven: whether ``value`` is proven, and that no other move is better.
        line: best play from here, ``best`` first.
        moves: every legal move, by pit.
    """

    board: str
    rules: str
    best: int
    value: float
    proven: bool
    line: tuple[int, ...]
    moves: tuple[AnalysedMove, ...]


class ServerView(View, frozen=True):
    """The server, and the way to it.

    Attributes:
        server: its name.
        protocol: what it speaks over the websocket.
        websocket: where bots and spectators connect, when the organiser has said so.
        websocket_port: the port for them on this host otherwise.
        games_running: games being played.
        guests: whether spectators may come without a token.
    """

    server: str
    protocol: str
    websocket: str | None
    websocket_port: int
    games_running: int
    guests: bool


class BrokerState(StrEnum):
    """How things stand with the MQTT broker."""

    CONNECTED = "connected"
    AWAY = "away"
    NONE = "none"


class Health(View, frozen=True):
    """Whether the process is alive.

    Attributes:
        status: ``ok``, since it answers.
    """

    status: str


class Readiness(View, frozen=True):
    """Whether the server can do its work.

    Attributes:
        ready: whether it can: the store takes writes.
        store: ``ok``, or what is wrong with it.
        broker: how things stand with the broker; results wait for it, games don't.
    """

    ready: bool
    store: str
    broker: BrokerState


class Problem(View, frozen=True):
    """What was wrong with a request.

    Attributes:
        code: one word for programs.
        message: one sentence for people.
    """

    code: str
    message: str


class ErrorView(View, frozen=True):
    """The answer to a request that can't be answered.

    Attributes:
        error: what was wrong.
    """

    error: Problem

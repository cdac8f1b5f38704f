"""The client's state over all its connections: who the bot is, its games and its results.

The connection reports what happens; this module answers which match to ask for next and when the
bot is done. It also keeps the session file up to date.
"""

import logging
from dataclasses import dataclass, field
from typing import Final

from msgspec.structs import replace

from mancala.protocol import messages as wire

from .bot import Game, GameResult
from .errors import RefusedError
from .session_file import SavedSession, SessionFile

MOST_MATCHES: Final = 100_000
"""Most matches that a `join` may name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """Who the bot is and what it wants: arguments of `run`, ``agent`` and ``seek`` in full."""

    name: str
    token: str | None
    agent: wire.Agent | None
    games: int | None
    seek: wire.Seek | wire.Challenge | None
    accept: bool
    ladder: str | None = None
    event: str | None = None
    event_password: str = ""
    challenges: int | None = None


@dataclass(slots=True)
class ClientState:
    """What one bot has done and wants to do on one server.

    Attributes:
        session: the secret that takes its seats back.
        grace_s: how long the server keeps a dropped seat; None before the first welcome.
        missed: ids of games that ended while the bot was away, with unknown results.
        is_leaving: whether the bot only finishes its running games, or matches of a ladder.
        refused: why it leaves after its running matches: it is given no others.
        restored: results of a killed run; they count once its session is resumed.
    """

    profile: Profile
    file: SessionFile | None
    logger: logging.Logger
    session: str | None = None
    grace_s: float | None = None
    results: list[GameResult] = field(default_factory=list)
    live: dict[str, Game] = field(default_factory=dict)
    matches: set[str] = field(default_factory=set)
    missed: set[str] = field(default_factory=set)
    is_leaving: bool = False
    is_event_over: bool = False
    refused: RefusedError | None = None
    restored: tuple[GameResult, ...] = ()
    warned: set[str] = field(default_factory=set)

    def restore(self) -> None:
        """Load the session and the results that a killed run left in the file."""
        saved = self.file.read() if self.file else None
        if saved is not None:
            self.session = saved.session
            self.restored = saved.games

    def on_welcome(self, welcome: wire.Welcome) -> None:
        """Record the session; unless it was resumed, drop the old games."""
        self.session = welcome.session
        self.grace_s = welcome.limits.grace_s
        if welcome.resumed:
            self.results[:0] = self.restored
            self.matches = set(welcome.matches)
        else:
            self._drop_games()
        self.restored = ()
        self._save()

    def new_warnings(self, warnings: tuple[str, ...]) -> list[str]:
        """Return those of the server's warnings that it has not sent before."""
        new = [warning for warning in warnings if warning not in self.warned]
        self.warned.update(new)
        return new

    def on_game_start(self, game: Game) -> None:
        """Record a game that begins or continues; any earlier game of its match is over."""
        self._drop([other for other in self._live_in(game.match) if other != game.id])
        self.live[game.id] = game
        self.missed.discard(game.id)
        self.matches.add(game.match)

    def on_game_over(self, over: wire.GameOver) -> GameResult | None:
        """Record the end of a game; return None if it was not ours or is known already."""
        game = self.live.pop(over.game, None)
        if game is None or any(result.game == game.id for result in self.results):
            return None
        result = GameResult(
            game=game.id,
            match=game.match,
            opponent=game.opponent,
            seat=game.seat,
            winner=over.winner,
            stores=over.stores,
            reason=over.reason,
            evidence=over.evidence,
        )
        self.results.append(result)
        self._save()
        return result

    def forget_session(self) -> None:
        self.session = None
        self.restored = ()
        self._drop_games()

    def remove_file(self) -> None:
        if self.file is not None:
            self.file.remove()

    def on_match_over(self, match: str) -> None:
        """Record the end of a match and of its games that still counted as running."""
        self.matches.discard(match)
        self._drop(self._live_in(match))

    def drop_games_of_ended_matches(self) -> None:
        """Drop the games whose matches ended while the bot was away."""
        self._drop([game.id for game in self.live.values() if game.match not in self.matches])

    @property
    def remaining(self) -> int | None:
        """The number of games still to be finished; None for no limit."""
        if self.profile.games is None:
            return None
        return max(0, self.profile.games - len(self.results) - len(self.missed))

    @property
    def is_done(self) -> bool:
        """Whether the bot may say goodbye now."""
        if self.is_leaving or (self.is_event_over and self.profile.ladder is None):
            return not self.live and not (self._ends_matches and self.matches)
        return self.remaining == 0 and not self.live and not self.matches

    def next_seek(self, most: int) -> wire.Seek | wire.Challenge | None:
        """Return the match to ask for now, of at most `most` games; None for none."""
        seek, remaining = self.profile.seek, self.remaining
        if seek is None or self.is_leaving or self.matches or remaining == 0:
            return None
        return replace(seek, games=min(seek.games, most, remaining or most))

    @property
    def wanted_event(self) -> str | None:
        """The event to be in; None once the bot leaves, or the event is over for it."""
        return None if self.is_leaving or self.is_event_over else self.profile.event

    @property
    def wanted_ladder(self) -> str | None:
        """The ladder to be in now; None once the running games are enough."""
        remaining = self.remaining
        has_enough = remaining is not None and remaining <= len(self.live)
        return None if self.is_leaving or has_enough else self.profile.ladder

    def matches_wanted(self, games: int) -> int | None:
        """Return how many matches of this number of games are still wanted; None for no limit."""
        remaining = self.remaining
        return None if remaining is None else max(1, min(MOST_MATCHES, -(-remaining // games)))

    def accepts_challenges(self) -> bool:
        if self.is_leaving or not self.profile.accept:
            return False
        if self.profile.challenges is not None:
            return self.remaining != 0 and len(self.matches) < self.profile.challenges
        return self.remaining is None or (self.remaining > 0 and not self.matches)

    @property
    def _ends_matches(self) -> bool:
        """Whether leaving between two games of a match would cost the bot something."""
        profile = self.profile
        return any(each is not None for each in (self.refused, profile.ladder, profile.event))

    def _live_in(self, match: str) -> list[str]:
        return [game.id for game in self.live.values() if game.match == match]

    def _drop(self, games: list[str]) -> None:
        for game in games:
            self.logger.warning("game %s ended while the bot was away; its result is unknown", game)
            self.missed.add(game)
            del self.live[game]

    def _drop_games(self) -> None:
        for games in (self.live, self.matches, self.missed):
            games.clear()

    def _save(self) -> None:
        if self.file is not None and self.session is not None:
            self.file.write(SavedSession(self.session, tuple(self.results)))

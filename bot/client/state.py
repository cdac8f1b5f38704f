"""What outlives a connection: who the bot is, what it plays, what it has played."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field

from bot.client.bot import Game, GameResult
from bot.client.session_file import Memory, Remembered
from protocol import messages as wire


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """Who the bot is and what it wants.

    Attributes:
        name: its name on the server.
        token: the credential of a registered name.
        agent: the program behind the name.
        games: finished games after which it leaves; None for never.
        seek: the matches it asks for; None to wait for challenges only.
        accept: whether it accepts challenges.
        ladder: the ladder it joins, instead of asking for matches.
    """

    name: str
    token: str | None
    agent: wire.Agent | None
    games: int | None
    seek: wire.Seek | None
    accept: bool
    ladder: str | None = None


@dataclass(slots=True)
class Career:
    """A bot's life on one server, over all its connections.

    Attributes:
        profile: who it is.
        memory: the file that outlives the process, if there is one.
        logger: told of what goes wrong.
        session: the secret that takes its seats back.
        grace_s: how long the server keeps a dropped seat; None before the first welcome.
        results: the finished games.
        live: the games under way, by id.
        matches: the matches under way.
        unseen: games that ended while it was away, nobody told how.
        is_leaving: whether it only finishes what runs.
        recalled: games a killed run finished; they count once its session is resumed.
    """

    profile: Profile
    memory: Memory | None
    logger: logging.Logger
    session: str | None = None
    grace_s: float | None = None
    results: list[GameResult] = field(default_factory=list)
    live: dict[str, Game] = field(default_factory=dict)
    matches: set[str] = field(default_factory=set)
    unseen: set[str] = field(default_factory=set)
    is_leaving: bool = False
    recalled: tuple[GameResult, ...] = ()

    def recall(self) -> None:
        """Take up what a killed run left."""
        remembered = self.memory.read() if self.memory else None
        if remembered is not None:
            self.session = remembered.session
            self.recalled = remembered.games

    def welcomed(self, welcome: wire.Welcome) -> None:
        """Note the session; one that is not resumed has none of the old games."""
        self.session = welcome.session
        self.grace_s = welcome.limits.grace_s
        if welcome.resumed:
            self.results[:0] = self.recalled
            self.matches = set(welcome.matches)
        else:
            self._forget_games()
        self.recalled = ()
        self._remember()

    def started(self, game: Game) -> None:
        """Note a game that begins or goes on; any earlier one of its match is over."""
        self._forget([other for other in self._live_in(game.match) if other != game.id])
        self.live[game.id] = game
        self.unseen.discard(game.id)
        self.matches.add(game.match)

    def finished(self, over: wire.GameOver) -> GameResult | None:
        """Note the end of a game; None when it was not ours, or is known already."""
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
        self._remember()
        return result

    def forget_session(self) -> None:
        """Begin anew: the session is over, and with it all its games."""
        self.session = None
        self.recalled = ()
        self._forget_games()

    def retire(self) -> None:
        """End in good order: leave nothing to resume."""
        if self.memory is not None:
            self.memory.remove()

    def match_over(self, match: str) -> None:
        """Note the end of a match, and of whatever game of it was still thought to run."""
        self.matches.discard(match)
        self._forget(self._live_in(match))

    def forget_what_is_over(self) -> None:
        """Drop the games whose matches ended while the bot was away."""
        self._forget([game.id for game in self.live.values() if game.match not in self.matches])

    @property
    def remaining(self) -> int | None:
        """How many games are still to be finished; None for no end."""
        if self.profile.games is None:
            return None
        return max(0, self.profile.games - len(self.results) - len(self.unseen))

    @property
    def is_done(self) -> bool:
        """Whether it is time to say goodbye."""
        if self.is_leaving:
            return not self.live
        return self.remaining == 0 and not self.live and not self.matches

    def wish(self, most: int) -> wire.Seek | None:
        """Tell which match to ask for now, of at most so many games; None for none."""
        seek, remaining = self.profile.seek, self.remaining
        if seek is None or self.is_leaving or self.matches or remaining == 0:
            return None
        return _with_games(seek, min(seek.games, most, remaining or most))

    @property
    def wants_ladder(self) -> str | None:
        """The ladder to be in now: as long as more games are wanted than are under way."""
        remaining = self.remaining
        has_enough = remaining is not None and remaining <= len(self.live)
        return None if self.is_leaving or has_enough else self.profile.ladder

    def welcomes_challenge(self) -> bool:
        """Tell whether a challenge would be accepted now."""
        if self.is_leaving or not self.profile.accept:
            return False
        return self.remaining is None or (self.remaining > 0 and not self.matches)

    def _live_in(self, match: str) -> list[str]:
        return [game.id for game in self.live.values() if game.match == match]

    def _forget(self, games: list[str]) -> None:
        for game in games:
            self.logger.warning("game %s ended while away", game)
            self.unseen.add(game)
            del self.live[game]

    def _forget_games(self) -> None:
        for games in (self.live, self.matches, self.unseen):
            games.clear()

    def _remember(self) -> None:
        if self.memory is not None and self.session is not None:
            self.memory.write(Remembered(self.session, tuple(self.results)))


def _with_games(seek: wire.Seek, games: int) -> wire.Seek:
    return wire.Seek(
        rules=seek.rules,
        clock=seek.clock,
        rated=seek.rated,
        opponent=seek.opponent,
        games=games,
    )

"""The places of the house bots, lent to those who challenge them.

A house bot plays a few challenges at a time (``play.challenges``). A challenge that finds all
places taken waits: the challenger has its ``challenged``, and the house bot gets its own when it is
that challenge's turn. While others wait, a match gives its place back after the length of a lease
(``play.lease_s``), at the end of its game; a game that goes on for three times as long ends as
``aborted``, and so does one whose challenger has not moved for a minute in front of others, be it
in several games that he loses so. Matches of a ladder take places as well, and are not interrupted.
"""

from math import inf
from typing import Final, NamedTuple

from mancala.protocol.clock import TimeControl
from mancala.protocol.messages import Challenged
from mancala.protocol.text import quantity

from ..config.settings import Play
from ..match.context import Context
from ..match.participant import Participant
from ..model.leases import Leases
from ..model.match import Match, OpenChallenge, Terms
from ..model.timers import Timer
from ..model.timestamps import seconds_between
from .directory import Directory
from .request_book import RequestBook
from .tables import Tables

LONGEST_LEASES: Final = 3.0
"""When a game under way is ended for those that wait, in lengths of a lease."""


IDLE_S: Final = 60.0
"""How long a challenger may take for a move while others wait."""


class _Progress(NamedTuple):
    """How far a lent match was while others waited: its game, the ply to play, and since when.

    There is no game after one in which the challenger has not moved: a new one is no move.
    """

    game: str | None
    ply: int
    since: float


class House:
    """Lends the places of the house bots."""

    def __init__(
        self, context: Context, book: RequestBook, directory: Directory, tables: Tables
    ) -> None:
        self._context = context
        self._book = book
        self._directory = directory
        self._tables = tables
        self._leases: dict[str, Leases] = {}
        self._timers: dict[str, Timer] = {}
        self._progress: dict[str, dict[str, _Progress]] = {}

    @property
    def _play(self) -> Play:
        return self._context.config.now.play

    def lends(self, name: str) -> bool:
        """Return whether a name is a house bot's, whose places are lent."""
        return self._play.challenges > 0 and name in self._context.config.now.house_names

    def refusal(self, player: Participant, bot: str, terms: Terms) -> str | None:
        """Return why a house bot can't be challenged so, and what to do; or None."""
        play = self._play
        if terms.games > play.games:
            return f"{bot} plays at most {quantity(play.games, 'game')} a match; ask for fewer"
        if longest_turn_s(terms.clock) > play.longest_turn_s:
            return (
                f"{bot} gives at most {play.longest_turn_s:g} s for a turn; ask for a faster clock"
            )
        if any(opened.by == player.name for opened in self._waiting(bot)):
            return f"your challenge waits for a place of {bot} already; wait, or withdraw it"
        return None

    def ask(self, opened: OpenChallenge, player: Participant) -> None:
        """Queue a challenge for a place; the house bot gets it when it is its turn."""
        self._of(opened.to).ask(opened.id, _holders(player), self._context.now())
        self.look(opened.to)

    def wait_of(self, opened: OpenChallenge) -> str | None:
        """Return how many challenges wait for a place of a house bot; None if this one does not."""
        if not self.lends(opened.to):
            return None
        waiting = self._of(opened.to).waiting
        if opened.id not in waiting:
            return None
        return f"a place of {opened.to}; challenges that wait for one: {len(waiting)}"

    def look(self, bot: str) -> None:
        """Lend the places that are free, and end what was lent for too long."""
        if not self.lends(bot):
            return
        leases, now = self._of(bot), self._context.now()
        self._renew(bot, leases)
        for item in leases.grant(now):
            opened = next(each for each in self._book.open_to(bot) if each.id == item)
            self._tables.send(bot, challenged(opened))
        self._note_progress(bot, leases, now)
        for item in leases.overdue(now, leases=LONGEST_LEASES):
            minutes = LONGEST_LEASES * self._play.lease_s / 60
            why = f"this place of {bot} was held for {minutes:g} minutes, and another player waits"
            self._tables.end_match(item, why)
        idle = [item for item, at in self._progress[bot].items() if now >= at.since + IDLE_S]
        for item in idle[: len(leases.waiting)]:
            self._tables.end_match(item, f"no move for {IDLE_S:g} s, and another player waits")
        self._arm(bot, leases, now)

    def must_yield(self, match: Match) -> bool:
        """Return whether a match gives its place back before its next game."""
        now = self._context.now()
        bots = [bot for bot in match.names if self.lends(bot)]
        for bot in bots:
            self._renew(bot, self._of(bot))
            self._note_end(bot, match)
        return any(match.id in self._of(bot).overdue(now) for bot in bots)

    def close(self) -> None:
        """Lend nothing more."""
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()

    def _of(self, bot: str) -> Leases:
        play = self._play
        fresh = Leases(places=play.challenges, lease_s=play.lease_s)
        leases = self._leases.setdefault(bot, fresh)
        leases.places, leases.lease_s = play.challenges, play.lease_s
        return leases

    def _waiting(self, bot: str) -> list[OpenChallenge]:
        waiting = self._of(bot).waiting
        return [opened for opened in self._book.open_to(bot) if opened.id in waiting]

    def _renew(self, bot: str, leases: Leases) -> None:
        """Take note of the matches and challenges that have ended or begun since the last look."""
        found = self._directory.find(bot)
        matches = {} if found is None else found.matches
        challenges = {opened.id for opened in self._book.open_to(bot)}
        for item in (*leases.lent, *leases.waiting):
            if item not in matches and item not in challenges:
                leases.end(item)
        for match in matches.values():
            leases.lend(match.id, *self._lease(match, bot))

    def _note_progress(self, bot: str, leases: Leases, now: float) -> None:
        """Note which challengers have moved since the last look; none has to while none waits."""
        found, known = self._directory.find(bot), self._progress.get(bot, {})
        matches = {} if found is None or not leases.waiting else found.matches
        noted = self._progress[bot] = {}
        for item in leases.lent:
            match = matches.get(item)
            if match is None or not match.games:  # a late server begins its first game later
                continue
            table = self._tables.find(match.game)
            if table is None or self._is_counted(match):
                continue
            at = known.get(item, _Progress("", 0, now))
            has_moved = (at.game, at.ply) != (match.game, table.ply)
            if at.game is None:
                has_moved = table.has_moved(_challenger(match, bot))
            is_fresh = has_moved or table.mover.name == bot
            noted[item] = _Progress(match.game, table.ply, now if is_fresh else at.since)

    def _note_end(self, bot: str, match: Match) -> None:
        """Note whether the challenger has moved in a game that ends; the next one is no move."""
        progress, table = self._progress.get(bot, {}), self._tables.find(match.game)
        if table is not None and (at := progress.get(match.id)) is not None:
            has_moved = table.has_moved(_challenger(match, bot))
            progress[match.id] = at._replace(game="" if has_moved else None)

    def _is_counted(self, match: Match) -> bool:
        """Return whether a match is a ladder's or an event's, and so never interrupted."""
        return match.event_context is not None or self._tables.ladders.is_paired(match)

    def _lease(self, match: Match, bot: str) -> tuple[tuple[str, ...], float]:
        if self._is_counted(match):
            return ("ladder",), inf
        other = _challenger(match, bot)
        opponent = self._directory.find(other)
        age_s = max(0.0, seconds_between(match.began_at, self._context.utc()))
        holders = _holders(opponent) if opponent is not None else (f"bot {other}",)
        return holders, self._context.now() - age_s

    def _arm(self, bot: str, leases: Leases, now: float) -> None:
        timer = self._timers.pop(bot, None)
        if timer is not None:
            timer.cancel()
        idle = (at.since + IDLE_S for at in self._progress[bot].values())
        end = min(
            leases.next_end(now, leases=LONGEST_LEASES), *(at for at in idle if at > now), inf
        )
        if end < inf:
            self._timers[bot] = self._context.call_at(end, lambda: self.look(bot))


def challenged(opened: OpenChallenge) -> Challenged:
    rules, clock, rated, games, opening = opened.terms
    text = None if opening is None else opening.text
    parties = (opened.id, opened.by, opened.to)
    return Challenged(*parties, rules, clock, rated, games, opened.seat, text, opened.code)


def longest_turn_s(clock: TimeControl) -> float:
    """Return the longest time that a clock gives for the first turn, in seconds."""
    limits = [limit for limit in (clock.move_ms, clock.bank_ms) if limit is not None]
    return (min(limits) + clock.increment_ms) / 1000


def _holders(player: Participant) -> tuple[str, ...]:
    return player.payer, player.own_key


def _challenger(match: Match, bot: str) -> str:
    (other,) = (name for name in match.names if name != bot)
    return other

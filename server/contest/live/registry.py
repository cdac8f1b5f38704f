"""All events of a server; hands each match or connection to the events it concerns."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Final

from mancala.protocol.messages import Enter, ErrorCode, NextMatch, Outcome, Withdraw, Withdrawn

from ...config.events import EventSettings, problem_of_place
from ...match.context import Context
from ...match.participant import Participant
from ...model.contests import EventMade, KeptEvent
from ...model.journal import Entry, GameClosed, MatchClosed, SealableEnd, Sealed
from ...model.match import EventContext, Match
from ...net.limits.costs import AddressBudgets, layers_of, network_of
from ..events.entry import EntryError, NotOpenError
from ..events.series import Edition, SeriesError, next_edition
from .admission import Candidate, is_entrant, is_password
from .contest import YIELDED, Contest
from .record import ContestRecord
from .starter import ContestStarter
from .state import settings_of

GUESSES: Final = (1.0, 30.0)
"""Wrong passwords of an address: a second, for good, and in a burst; a class may share one."""
OWN_GUESSES: Final = (1.0, 1.0)
"""The same of a bot; one that gave none is let in with the right one, whatever its address gave."""
LARGER: Final = 4
"""How many times as many a network has as one that lies in it: an IPv6 /56, /48 or IPv4 /24."""
GUESSED: Final = "too many wrong passwords from your address; try again in a moment"


class Contests:
    def __init__(
        self, events: Iterable[EventSettings], context: Context, starter: ContestStarter
    ) -> None:
        self._context = context
        self._starter = starter
        self._gone: frozenset[str] = frozenset()
        self._guesses = AddressBudgets(lambda: GUESSES)
        self._own_guesses = AddressBudgets(lambda: OWN_GUESSES)
        self._by_name = {each.name: self.prepared(each) for each in events}

    @property
    def all_contests(self) -> tuple[Contest, ...]:
        """The events, as configured, then those made later."""
        return tuple(self._by_name.values())

    def get(self, name: str) -> Contest | None:
        return self._by_name.get(name)

    def prepared(self, settings: EventSettings) -> Contest:
        """Return an event that has not begun; :meth:`add` takes it among the others."""
        contest = Contest(settings, self._context, self._starter)
        contest.make_next, contest.add_made = self._make_next, self._add_made
        return contest

    def problem_of_place(self, settings: EventSettings) -> str | None:
        others = (each.settings for each in self._held_here if each.name != settings.name)
        return problem_of_place(settings, others)

    @property
    def _held_here(self) -> Iterator[Contest]:
        """The events of this server's own that are not being deleted."""
        every = self._by_name.values()
        return (each for each in every if each.origin is None and not each.is_gone)

    def _edition(self, series: str, number: int) -> list[Contest]:
        wanted = series, number
        return [
            each
            for each in self._held_here
            if (each.settings.series, each.settings.edition) == wanted
        ]

    def _make_next(self, over: ContestRecord) -> list[Entry]:
        """Return what becomes durable of the next edition, once all events of one are settled.

        All events of it are made, or none; then the log of one that is over has the reason.
        """
        series, number = over.settings.series, over.settings.edition
        if series is None or over.origin is not None:
            return []
        its = self._edition(series, number)
        if not all(each.is_settled for each in its) or self._edition(series, number + 1):
            return []
        editions = (Edition(each.settings, each.ranked, bool(each.state.rounds)) for each in its)
        now = datetime.fromisoformat(self._context.utc())
        try:
            following = next_edition(editions, now, {*self._by_name, *self._gone})
        except SeriesError as error:
            self._context.log.warning("no next edition", name=over.name, why=str(error))
            return (its[0] if over.is_gone else over).noted("no-next-edition", str(error))
        made = (self.prepared(settings).made("", f"follows {over.name}") for settings in following)
        return [entry for entries in made for entry in entries]

    def _add_made(self, durable: Iterable[Entry]) -> None:
        for each in durable:
            if isinstance(each, EventMade):
                self.add(self.prepared(settings_of(each.settings)))

    def add(self, contest: Contest) -> None:
        self._by_name[contest.name] = contest
        contest.look()

    def remove(self, contest: Contest) -> None:
        """Forget an event that was deleted, and tell its entrants."""
        contest.look()
        contest.close()
        del self._by_name[contest.name]

    def restore(self, kept: Mapping[str, KeptEvent]) -> None:
        """Restore what the journal kept, with the events that were made while a server ran."""
        for name, each in kept.items():
            if name not in self._by_name and each.settings is not None:
                self._by_name[name] = self.prepared(settings_of(each.settings))
            if name in self._by_name:
                self._by_name[name].restore(each)
        self._gone = frozenset(kept.keys() - self._by_name.keys())

    def having(self, games: Collection[str]) -> tuple[Contest, ...]:
        """Return the events that have any of these games, by id."""
        return tuple(each for each in self._by_name.values() if each.has_any(games))

    def look(self) -> None:
        for contest in self._by_name.values():
            contest.look()

    def is_waiting(self, name: str) -> bool:
        """Return whether a bot is an entrant of an event that is not over."""
        return any(not contest.state.phase.is_over for contest in self._entered_by(name))

    def is_early(self, name: str) -> bool:
        """Return whether a bot waits for an event to open."""
        return any(name in contest.early for contest in self._by_name.values())

    def holds(self, name: str) -> bool:
        """Return whether a bot is in an event whose rounds are being played."""
        return any(contest.holds_entrants for contest in self._entered_by(name))

    def _entered_by(self, name: str) -> Iterator[Contest]:
        every = self._by_name.values()
        return (contest for contest in every if is_entrant(contest.state.entrants, name))

    def next_matches(self, name: str) -> list[NextMatch]:
        """Return what a bot plays next in each event, where no match of it runs."""
        found = (contest.encounters.next_match(name) for contest in self._by_name.values())
        return [each for each in found if each is not None]

    # Messages

    def enter(self, player: Participant, message: Enter) -> None:
        """Enter a bot in an event, or answer it with the reason why not."""
        contest = self._find(player, message.event)
        if contest is None:
            return
        if self._is_guessing(player, contest, message.password):
            player.send_error(ErrorCode.LIMIT, f"{contest.name}: {GUESSED}", contest.name)
            return
        candidate = Candidate(
            *(player.name, not player.is_guest, network_of(player.address), message.password),
            *self._starter.standing_in(contest.settings.ratings_of, player),
        )
        before = {each.name for each in contest.state.entrants}
        try:
            entries = [] if contest.is_final(player.name) else contest.enter(candidate)
        except NotOpenError as error:
            why = f"{contest.name}: {error}; {player.name} enters then if it stays connected"
            player.send_error(ErrorCode.NOT_OPEN, why, contest.name)
            contest.early[player.name] = partial(self.enter, player, message)
            return
        except EntryError as error:
            player.send_error(ErrorCode.FORBIDDEN, f"{contest.name}: {error}", contest.name)
            return
        if not entries:
            player.send(contest.entered(player.name))
            return

        yielded = before - {each.name for each in contest.state.entrants}

        def done() -> None:
            if is_entrant(contest.state.entrants, player.name):
                player.send(contest.entered(player.name))
            contest.dismiss(yielded, YIELDED)

        self._context.log.info("entered", contest=contest.name, name=player.name)
        self._context.journal.commit(entries, done, partial(self._unstored, player, contest))

    def _is_guessing(self, player: Participant, contest: Contest, given: str) -> bool:
        """Return whether a bot has given many wrong passwords; count another one."""
        wanted, name = contest.settings.password, player.name
        is_in = name in contest.settings.entrants or is_entrant(contest.state.entrants, name)
        if not (given and wanted) or is_in:
            return False
        now = self._context.now()
        own = self._own_guesses.of(f"{network_of(player.address)} {name}", now)
        if own.wait_s(now) > 0:
            return True
        if is_password(wanted, given):
            return False
        own.take(1.0, now)
        networks = [
            self._guesses.of(network, now, users=LARGER**larger)
            for larger, network in enumerate(reversed(layers_of(player.address)))
        ]
        if any(each.wait_s(now) > 0 for each in networks):
            return True
        for each in networks:
            each.take(1.0, now)
        return False

    def withdraw(self, player: Participant, message: Withdraw) -> None:
        contest = self._find(player, message.event)
        if contest is None:
            return
        contest.early.pop(player.name, None)
        try:
            entries = contest.withdraw(player.name)
        except EntryError as error:
            player.send(Withdrawn(contest.name, str(error)))
            return
        done = partial(contest.dismiss, (player.name,), "it withdrew")
        self._context.journal.commit(entries, done, partial(self._unstored, player, contest))

    def _find(self, player: Participant, name: str) -> Contest | None:
        contest = self._by_name.get(name)
        if contest is None:
            player.send_error(ErrorCode.UNKNOWN_EVENT, f"there is no event {name}", name)
        return contest

    def _unstored(self, player: Participant, contest: Contest) -> None:
        contest.stop()
        player.send_error(ErrorCode.INTERNAL, "the server could not store that", contest.name)

    def on_disconnect(self, player: Participant) -> None:
        """Note that a bot is gone; to enter an event that is not open yet, it asks again."""
        for contest in self._by_name.values():
            contest.early.pop(player.name, None)
            contest.look()

    # The server stops

    def close(self) -> None:
        for contest in self._by_name.values():
            contest.close()

    # Matches

    def opened(self, match: Match) -> None:
        """Note that a match was set up, or goes on after a restart."""
        for contest, context in self._event_of(match):
            contest.encounters.opened(match, context)

    def count(self, match: Match, ended: Outcome) -> Sequence[Entry]:
        """Count a game, if it is an event's; return what becomes durable with its end."""
        event = self._event_of(match)
        return [entry for contest, at in event for entry in contest.count(match, at, ended)]

    def hides(self, match: Match) -> bool:
        """Return whether what comes of a match is hidden by its event for now."""
        return any(contest.hides(at.game) for contest, at in self._event_of(match))

    def sealed(self, match: Match, ends: list[Entry]) -> list[Entry]:
        """Return what becomes durable with ends in a match: sealed if its event hides them."""
        if not (hiding := [at for contest, at in self._event_of(match) if contest.hides(at.game)]):
            return ends
        at = hiding[0].event, hiding[0].game, match.number
        return [
            Sealed(*at, _subject(each), each) if isinstance(each, SealableEnd) else each
            for each in ends
        ]

    def on_match_end(self, match: Match) -> None:
        """Note that a match is over, here or elsewhere: its players are free."""
        others = dict(self._by_name)
        for contest, context in self._event_of(match):
            contest.encounters.ended(match, context)
            del others[contest.name]
        for contest in others.values():
            contest.look()

    def match_failed(self, match: Match) -> None:
        """Note that a match of which the store refused even the end is given up."""
        for contest, _ in self._event_of(match):
            contest.stop()

    def _event_of(self, match: Match) -> list[tuple[Contest, EventContext]]:
        context = match.event_context
        contest = None if context is None else self._by_name.get(context.event)
        return [] if context is None or contest is None else [(contest, context)]


def _subject(end: SealableEnd) -> str:
    match end:
        case GameClosed():
            return end.game
        case MatchClosed():
            return end.match
        case _:
            return end.waiting.game

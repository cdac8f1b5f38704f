"""One event of a running server: it plays its rounds and survives what happens between them.

The journal comes first: each step, round and result is durable before anything follows from it. A
server that was killed re-reads its rounds and pairs none again; its matches go on as all others do.
An event whose entry the store refused is what the store has of it, and paused: the organiser
resumes it.

Bots enter while it is open, and check in by being connected; its own times lead it from one of
these states to the next. A server that was down at the time of the check-in leaves entrants
``absent_s`` seconds to come before it pairs.

Nothing is polled. The event looks for what it can do when a step was taken, a match ended, an
entrant connected, or the time of an absent one is over. Who is not connected when a round of a
Swiss event or an arena is paired is left out of it. While rounds are played no ladder pairs an
entrant.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from typing import Final

from mancala.protocol.messages import Withdrawn

from ...config.events import EventSettings, Format
from ...match.context import Context
from ...match.deadline_timer import EarliestTimer
from ...model.contests import EventPaired, KeptEvent
from ...model.journal import Entry
from ...model.timestamps import seconds_between
from ..events.dutch import PairingFailedError, paired_here
from ..events.entry import Entrants, EntryError
from ..events.lifecycle import EventState, EventStep
from ..events.pairings import PairedRound, pair
from ..events.terms import BY_SCORES
from .encounters import Encounters
from .record import ContestRecord
from .starter import ContestStarter
from .state import pairing_rows, prepared

YIELDED: Final = "all places are taken, and its address held more of them than another's"
"""Why an entrant lost its place to a bot that entered later."""
UNSTORED: Final = "the store refused an entry; the server's log says why"
"""Why an event was paused that could not be stored."""
UNRATED: Final = "the ladder {} that rates its games is not in the settings"
"""Why an event was paused whose games would not be rated."""


class Contest(ContestRecord):
    """An event that looks for what it can do, and does it.

    Attributes:
        encounters: what of the present round is under way.
        early: what enters the bots that came before it is open, by name.
        add_made: called with what became durable, adds the next edition.
    """

    def __init__(self, settings: EventSettings, context: Context, starter: ContestStarter) -> None:
        super().__init__(settings, context, starter)
        self.encounters = Encounters(self, self._look_by)
        self._timer = EarliestTimer(context, self.look)
        self._is_closed = self._holds = self._is_told = self._is_stopped = False
        self.early: dict[str, Callable[[], None]] = {}
        self.add_made: Callable[[Sequence[Entry]], None] = lambda _entries: None

    def close(self) -> None:
        self._is_closed = True
        self._timer.cancel()

    def keep(self, settings: EventSettings) -> None:
        """Go on with former settings, since the store refused others."""
        self._use(settings)
        self.stop()

    def dismiss(self, names: Collection[str], why: str) -> None:
        """Send bots word of their withdrawal, once that is durable, and look what follows."""
        for name in names:
            self.starter.send(name, Withdrawn(self.name, why))
        self.look()

    def forfeit(self, name: str) -> list[Entry]:
        """Lose what a bot has not played of the present round; return what becomes durable."""
        return self.counted(self.encounters.unplayed_of(name))

    def ordered(self, durable: Sequence[Entry]) -> None:
        """Look what follows from an order, once it is durable."""
        self.add_made(durable)
        if self._may_hide:
            self.starter.review_revealed()
        self.look()

    def look(self) -> None:
        """Do what the event's state and the presence of its entrants allow."""
        if self._is_closed or self._is_stopped:
            return
        self._tell()
        self._admit_early()
        if self._pairing is not None:
            return
        self._timer.cancel()
        match self.state.phase.state:
            case EventState.DRAFT | EventState.OPEN | EventState.CHECK_IN:
                self._prepare()
            case EventState.PAIRING | EventState.CLOSED:
                self._pair_next()
            case EventState.PLAYING:
                self._play()

    def _tell(self) -> None:
        """Release the entrants once no round is played, and tell them when the event is over."""
        held, self._holds = self._holds, self.holds_entrants
        names = [each.name for each in self.state.entrants if not each.has_withdrawn]
        if held and not self._holds:
            self.starter.release(names)
        if self.state.phase.is_over and not self._is_told:
            self._is_told = True
            for name in names:
                self.starter.send(name, Withdrawn(self.name, self._end))

    def _admit_early(self) -> None:
        """Enter the bots that came early, in that order, once the event is open."""
        phase = self.state.phase
        if EventState.DRAFT not in {phase.state, phase.resumes}:
            early, self.early = self.early, {}
            for enter in early.values():
                enter()

    def _prepare(self) -> None:
        """Check in who is there; take the next step that has a time, or wait for it."""
        self._check_in()
        times = {
            EventStep.OPEN: self.settings.opens,
            EventStep.CHECK_IN: self.settings.check_in,
            EventStep.PAIR: self.settings.starts,
        }
        for step, at in times.items():
            if at is not None and step in self.state.phase.steps():
                self._step_at(step, at)
                return

    def _check_in(self) -> None:
        if self.state.phase.state is not EventState.CHECK_IN:
            return
        present = tuple(
            each._replace(checked_in=True)
            if not each.has_withdrawn and self.starter.is_here(each.name)
            else each
            for each in self.state.entrants
        )
        if present != self.state.entrants:
            self.state.entrants = present
            self._commit([self._entrants_changed()], self.look)

    def _step_at(self, step: EventStep, at: str) -> None:
        wait_s = seconds_between(self.context.utc(), at)
        if self.state.phase.state is EventState.CHECK_IN:
            fair = self._absent_until(each.name for each in self.state.entrants)
            begin, end = self.settings.check_in, self.settings.starts
            lasts_s = 0.0 if begin is None or end is None else seconds_between(begin, end)
            wait_s = max(wait_s, min(fair - self.context.now(), lasts_s))
        if wait_s > 0:
            self._look_by(self.context.now() + wait_s)
        elif not self.starter.is_draining:
            self._take(step)

    def _take(self, step: EventStep) -> None:
        """Take a step because it is time; a start waits for two entrants."""
        before = self.state.entrants
        try:
            entries = self.stepped(step, why="it is time")
        except EntryError as error:
            self.context.log.info("event waits", name=self.name, why=str(error))
            return
        self._step(entries, partial(self._drop, before, "it missed the check-in"))

    def _drop(self, before: Entrants, why: str) -> None:
        """Send word to those who are withdrawn now and were not before, and look what follows."""
        entrants = self.state.entrants
        former = {each.name for each in before if not each.has_withdrawn}
        gone = [it.name for it in entrants if it.has_withdrawn and it.name in former]
        self.dismiss(gone, why)

    def _pair_next(self) -> None:
        state = self.state
        if self._is_out_of_time():
            self._finish()
            return
        if (at := self._next_round_at) is not None:
            wait_s = seconds_between(self.context.utc(), at)
            if wait_s > 0:
                self._look_by(self.context.now() + wait_s)
                return
        number = state.phase.round + (state.phase.state is EventState.CLOSED)
        away = self._left_out(number)
        if away is None:
            if (ends := state.regulations.ends) and state.phase.state is EventState.CLOSED:
                self._look_by(self.context.now() + seconds_between(self.context.utc(), ends))
            return
        terms, results = state.terms(away), state.results
        self._pairing = number
        kept = [each.round for each in state.rounds]
        asked = self.context.swiss_pairs or paired_here

        def work() -> PairedRound | PairingFailedError | None:
            try:
                return pair(terms, results, number, kept, asked)
            except PairingFailedError as error:
                return error

        self.context.in_background(work, self._paired)

    def _left_out(self, number: int) -> Collection[str] | None:
        """Return who is left out of a round that is to be paired; None to wait for more of them.

        All of the first round have ``absent_s`` to come, then those whose sessions are kept. Who
        withdrew meanwhile is awaited no longer. A Swiss event that one is left of begins once that
        one is there; an arena that has begun and ends by time waits for others to enter.
        """
        rules = self.state.regulations
        if rules.format not in BY_SCORES:
            return ()
        due = self.state.due(number)
        gone = {each.name for each in self.state.entrants if each.has_withdrawn}
        stay = [name for name in due if name not in gone]
        away = [name for name in stay if not self.starter.is_here(name)]
        awaited = any(number == 1 or self.starter.has_session(name) for name in away)
        until = self._absent_until(away)
        if awaited and self.context.now() < until:
            self._look_by(until)
            return None
        if len(stay) > 1:
            is_short = len(stay) - len(away) < 2  # a pair
        elif number > 1:
            is_short = rules.ends is not None and number <= rules.rounds
        else:
            is_swiss = rules.format is Format.SWISS
            is_short = is_swiss and stay == away and not self._has_no_entrant
        return None if is_short else [*away, *gone.intersection(due)]

    def _absent_until(self, names: Iterable[str]) -> float:
        """Return until when absent ones are awaited; all that were cut off could be back."""
        since = max((self._stepped_at, *map(self.starter.back_by, names)))
        return since + self.settings.absent_s

    @property
    def _has_no_entrant(self) -> bool:
        return all(each.has_withdrawn for each in self.state.entrants)

    def _paired(self, paired: PairedRound | PairingFailedError | None) -> None:
        self._pairing = None
        state = self.state.phase.state
        if (
            self._is_closed
            or self._is_stopped
            or state not in {EventState.PAIRING, EventState.CLOSED}
        ):
            return  # paused or cancelled meanwhile; the same round follows when it is resumed
        if isinstance(paired, PairingFailedError):
            self._pause(str(paired))
            return
        if paired is None and state is EventState.PAIRING:
            why = "all entrants" if self._has_no_entrant else "all entrants but one"
            self._finish(EventStep.CANCEL, f"{why} withdrew")
            return
        if paired is None or self._is_out_of_time():
            self._finish()
            return
        entries = self.stepped(EventStep.PAIR) if state is EventState.CLOSED else []
        self.state.rounds.append(paired)
        entries += [*self.stepped(EventStep.PLAY), EventPaired(self.name, pairing_rows(paired))]
        entries.append(self._announcer.paired(self.state))
        self.encounters.await_anew()
        self._step(entries, self.look)

    def _is_out_of_time(self) -> bool:
        """Return whether an arena's time is over between two waves; the first is always paired."""
        is_between = self.state.phase.state is EventState.CLOSED
        return is_between and self.state.is_out_of_time(self.context.utc())

    def _finish(self, step: EventStep = EventStep.FINISH, why: str = "") -> None:
        entries = self.stepped(step, why=why)
        self._step(entries, partial(self._over, entries))

    def _over(self, durable: Sequence[Entry]) -> None:
        self.add_made(durable)
        self.look()

    def _play(self) -> None:
        if self.starter.is_draining:
            return
        if not self.starter.can_rate(self.settings.rated):
            self._pause(UNRATED.format(self.settings.rated))
            return
        left = self.state.missing
        if rows := self.encounters.go_on(left):
            self._commit(self.counted(rows), self.look)
        elif not left and not self.encounters.running:
            self._close_round()

    def _close_round(self) -> None:
        before, self.state.entrants = self.state.entrants, self.state.after_round()
        entries = [self._entrants_changed(), *self.stepped(EventStep.CLOSE)]
        self._step(entries, partial(self._drop, before, "it was absent twice in a row"))

    def _look_by(self, when: float) -> None:
        """Look again at some time, or earlier if something else is due."""
        if not self._is_closed:
            self._timer.set(when)

    def _step(self, entries: Sequence[Entry], done: Callable[[], None]) -> None:
        self._commit(entries, done)
        self._log_step()

    def _commit(self, entries: Sequence[Entry], done: Callable[[], None]) -> None:
        self.context.journal.commit(entries, done, self.stop)

    def stop(self) -> None:
        """Pause an event that the store refused something of: memory is ahead of the store."""
        if not self._is_stopped:
            self._is_stopped = True
            self._timer.cancel()
            self.context.log.warning("event stopped", name=self.name)
            self._read_again()

    def _read_again(self) -> None:
        self.starter.read_event(self.name, partial(self._take_up, self._latest))

    def _take_up(self, latest: object, kept: KeptEvent | None) -> None:
        """Take up what the store has, unless more was handed in since it was asked; pause."""
        if latest is not self._latest:
            self._read_again()
            return
        if kept is None:
            self.state, self._stored = prepared(self.settings), ()
        else:
            self.restore(kept)
        self._is_stopped = self.is_gone = False
        if EventStep.PAUSE in self.state.phase.steps():
            self._pause(UNSTORED)
        else:
            self.look()

    def _pause(self, why: str) -> None:
        entries = self.stepped(EventStep.PAUSE, why=why)
        self.context.journal.commit(entries, self.look, self._give_up)
        self._log_step()

    def _give_up(self) -> None:
        """Begin nothing more until the server is started again: not even a pause was stored."""
        self.context.log.warning("event given up", name=self.name)
        self.close()

    def _log_step(self) -> None:
        phase = self.state.phase
        self.context.log.info("round", name=self.name, state=phase.state, number=phase.round)

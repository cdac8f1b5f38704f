"""The joint fit of a running ladder: made in the background, committed in slices.

The fit runs some seconds after a game, and not again until there was another one. The ratings that
it changed become durable in slices, each after the one before, so that the commits of moves go
between; each holds ratings as they stand then, never older ones than a game has committed
meanwhile. A kill between two slices loses nothing: a restart fits again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Final, Protocol

from numpy.linalg import LinAlgError

from ..config.ladders import LadderSettings
from ..match.context import Context
from ..model.journal import Entry, RatingNoted, StandingsAnnounced
from ..model.timers import Timer
from .fitting import FittedLadder, fit_ladder
from .state import LadderState

SLICE: Final = 200
"""Entrants that a fit changed and that are committed together: under 2 ms of the event loop."""

FREED: Final = 1000
"""Entrants of whom the event loop frees in one go what was known before a fit."""


class FittedRatings(Protocol):
    """The ratings that are fitted."""

    settings: LadderSettings

    @property
    def name(self) -> str:
        """The ladder's name."""

    @property
    def state(self) -> LadderState:
        """The tables, which may be replaced while a fit is made."""

    def rated(self, names: Iterable[str]) -> list[Entry]:
        """Return what makes these ratings durable, except of those forgotten meanwhile."""

    def announced_standings(self) -> StandingsAnnounced:
        """Return what announces the standings as they are now."""


class JointFit:
    """When the ratings of a ladder are fitted, and how the fit becomes durable."""

    def __init__(self, ratings: FittedRatings, context: Context) -> None:
        """Wait for a game.

        Args:
            ratings: what is fitted.
            context: clock, journal and the rest of what the server hands out.
        """
        self._ratings = ratings
        self._context = context
        self._timer: Timer | None = None
        self._is_fitting = False
        self._is_stale = False
        self._is_closed = False
        self._awaiting: list[Callable[[], None]] = []

    def close(self) -> None:
        """Begin no further fit."""
        self._is_closed = True
        self._cancel_timer()

    def refit(self, done: Callable[[], None]) -> None:
        """Fit all ratings again; call ``done`` once they and the standings are handed in."""
        self._awaiting.append(done)
        if self._is_fitting:
            self._is_stale = True
        elif self._ratings.state.has_games:
            self._cancel_timer()
            self.begin()
        else:
            self._commit([self._ratings.announced_standings()])
            self._report()

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _report(self) -> None:
        awaiting, self._awaiting = self._awaiting, []
        for done in awaiting:
            done()

    def refit_soon(self) -> None:
        """Fit some seconds from now, with all games that end until then."""
        if self._timer is None and not (self._is_fitting or self._is_closed):
            due = self._context.now() + self._ratings.settings.refit_s
            self._timer = self._context.call_at(due, self.begin)

    def begin(self) -> None:
        """Begin a fit of the ratings as they stand."""
        self._timer, self._is_fitting = None, True
        leave_out = self._ratings.settings.leave_out_unusual
        begun = self._ratings.state.begin_fit(leave_out=leave_out)
        work = partial(_fitted, partial(fit_ladder, begun))
        self._context.in_background(work, partial(self._adopt, self._ratings.state))

    def _adopt(self, state: LadderState, fitted: FittedLadder | None) -> None:
        """Adopt a fit, unless the tables that it was made from were replaced meanwhile."""
        if fitted is None:
            self._context.log.warning("no joint fit", ladder=self._ratings.name)
        if fitted is None or self._is_closed or state is not self._ratings.state:
            self._end()
            return
        changed = state.adopt(fitted)
        self._context.log.debug("fitted", ladder=self._ratings.name, entrants=state.ranked)
        self._keep(state, changed)
        self._free_former(state)

    def _free_former(self, state: LadderState) -> None:
        if state.free_former(FREED) and not self._is_closed:
            self._context.call_at(self._context.now(), partial(self._free_former, state))

    def _keep(self, state: LadderState, changed: Sequence[str], begin: int = 0) -> None:
        """Make durable what a fit changed: a slice, then the next one after its commit."""
        end = begin + SLICE
        if self._is_closed or state is not self._ratings.state:
            self._end()
        elif end >= len(changed):
            self._keep_last(changed[begin:])
            self._end()
        else:
            after = partial(self._keep, state, changed, end)
            self._commit(self._ratings.rated(changed[begin:end]), after)

    def _keep_last(self, changed: Sequence[str]) -> None:
        """Make the last slice durable, the ratings of those that had played, and the standings."""
        rated, noted = self._ratings.rated(changed), self._noted()
        announced = [self._ratings.announced_standings()] if rated or self._awaiting else []
        if announced or noted:
            self._commit([*rated, *noted, *announced])

    def _end(self) -> None:
        self._is_fitting = False
        if self._is_closed:
            return
        if self._is_stale and self._ratings.state.has_games:
            self._is_stale = False
            self.begin()
            return
        self._report()
        if self._ratings.state.has_news:
            self.refit_soon()

    def _noted(self) -> list[RatingNoted]:
        at = self._context.utc()
        return [
            RatingNoted(self._ratings.name, row.name, at, row.elo, row.elo_error, row.games)
            for row in self._ratings.state.take_fitted()
            if row.elo is not None and row.elo_error is not None
        ]

    def _commit(self, entries: Sequence[Entry], after: Callable[[], None] = lambda: None) -> None:
        """Commit entries; call ``after`` then, whether or not the store takes them."""
        self._context.journal.commit(entries, after, after)


def _fitted(work: Callable[[], FittedLadder]) -> FittedLadder | None:
    try:
        return work()
    except LinAlgError:
        return None

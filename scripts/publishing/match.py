"""A headless match of two on the pages that show it: its test, and the course of that."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from mancala.protocol.submission import Submission
from mancala.server.contest.headless.event import Event
from mancala.server.contest.headless.journal import EventJournal
from mancala.server.contest.headless.played_game import PlayedGame
from mancala.server.contest.headless.score import MatchScore

from .documents import Course, match_submission
from .options import EventPages

Keep = Callable[[Iterable[PlayedGame]], None]


class ShownMatch:
    """A match that is being played and shown."""

    def __init__(
        self,
        event: Event,
        journal: EventJournal,
        score: MatchScore,
        pages: EventPages,
        *,
        title: str | None,
    ) -> None:
        """Prepare it.

        Args:
            event: the match's settings.
            journal: keeps its games.
            score: what came of them.
            pages: where it is shown.
            title: what it is; by default, its players.
        """
        self._event = event
        self._journal = journal
        self._score = score
        self._pages = pages
        self._title = title
        self._course = Course()

    def watching(self, keep: Keep) -> Keep:
        """Return a callback that keeps games that count, and shows what they came to."""

        def watch(games: Iterable[PlayedGame]) -> None:
            counted = tuple(games)
            keep(counted)
            if (judgement := self._score.judgement) is not None:
                for _ in range(len(counted) // 2):
                    self._course.add(judgement.llr)
            self._pages.offer(self._state)

        return watch

    def finish(self, *, stopped: bool) -> list[str]:
        """Show the last state; return what failed, a sentence each."""
        return self._pages.finish(partial(self._state, stopped=stopped))

    def _state(self, *, stopped: bool = False) -> Submission:
        facts = self._event, self._journal.games, self._score, self._course
        return match_submission(*facts, title=self._title, stopped=stopped)

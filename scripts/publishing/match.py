"""A headless match of two on the pages that show it: its test, and the course of that."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from mancala.protocol.submission import Submission
from mancala.server.contest.headless.match import MatchRun
from mancala.server.contest.headless.played_game import PlayedGame

from .documents import Course, match_submission
from .options import EventPages


class ShownMatch:
    """A match that is being played and shown; its title is by default its players."""

    def __init__(self, match: MatchRun, pages: EventPages, *, title: str | None) -> None:
        self._match = match
        self._pages = pages
        self._title = title
        self._course = Course()

    def watch(self, counted: Sequence[PlayedGame]) -> None:
        """Show what pairs of games came to that count now."""
        if (judgement := self._match.score.judgement) is not None:
            for _ in range(len(counted) // 2):
                self._course.add(judgement.llr)
        self._pages.offer(self._state)

    def finish(self, *, stopped: bool) -> list[str]:
        """Show the last state; return what failed, a sentence each."""
        return self._pages.finish(partial(self._state, stopped=stopped))

    def _state(self, *, stopped: bool = False) -> Submission:
        return match_submission(self._match, self._course, title=self._title, stopped=stopped)

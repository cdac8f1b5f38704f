"""``mancala reviewer``: review the finished games of a match server."""

import asyncio
import os
import sys
import time
from collections.abc import Coroutine
from math import inf
from typing import Annotated

import typer

from mancala.engine.game_reviews import VERSION, ReviewerPool
from mancala.protocol.messages import ReviewWanted
from mancala.protocol.review import ReviewWork
from mancala.protocol.text import quantity

from ...console import output as console
from ...console.compiling import compile_engine_for
from ...console.options import JsonOption
from ...console.seat import AuthorityOption, played


def command(
    url: Annotated[
        str, typer.Argument(metavar="URL", help="The server's address: ws:// or wss://.")
    ],
    *,
    name: Annotated[str, typer.Option(help="The name that the token is for.")] = "reviewer",
    token: Annotated[
        str | None,
        typer.Option(envvar="MANCALA_TOKEN", help="Token with the right to review games."),
    ] = None,
    _authority: AuthorityOption = None,
    time_s: Annotated[
        float, typer.Option("--time", min=0.0, help="Seconds of thinking per game.")
    ] = 2.8,
    games: Annotated[int | None, typer.Option(min=1, help="Leave after N games.")] = None,
    nice: Annotated[
        int, typer.Option(min=0, max=19, help="Priority: 19 yields to everything else.")
    ] = 0,
    json: JsonOption = False,
) -> None:
    """Review the finished games of a match server.

    The token is made by `mancala token new NAME --reviewer` on the server. Any number of reviewers
    may work for a server, each under a name of its own.
    """
    from mancala.bot.client.reviewing import review_games
    from mancala.protocol.messages import Agent

    console.log_warnings("reviewer")
    compile_engine_for("engine")
    os.nice(nice)  # house bots may wait for what is compiled
    reviewer = _Reviewer(time_s)
    reviewing = review_games(
        url,
        reviewer.assess,
        name=name,
        token=token,
        version=VERSION,
        agent=Agent("reviewer", reviewer.engine),
        games=games,
        reviewed=_ignore if json else _show,
    )
    done = played(reviewer.until_done(reviewing))
    if json:
        console.emit({"name": name, "games": done})


class _Reviewer:
    """Reviews games on a thread, one at a time; a stop ends the running one early."""

    def __init__(self, time_s: float) -> None:
        self._time_s = time_s
        self._is_over = False
        self._reviewers = ReviewerPool(clock=self._now)

    @property
    def engine(self) -> str:
        """The program that reviews, with its version."""
        return self._reviewers.engine

    async def assess(self, wanted: ReviewWanted) -> ReviewWork:
        """Review a game."""
        return await asyncio.to_thread(self._assess, wanted)

    async def until_done(self, reviewing: Coroutine[None, None, int]) -> int:
        """Wait for the reviewing to end, then end a search that is still running."""
        try:
            return await reviewing
        finally:
            self._is_over = True

    def _assess(self, wanted: ReviewWanted) -> ReviewWork:
        from mancala.protocol.rules import Board

        boards = [Board.from_state(wanted.opening, wanted.rules)]
        for pit in wanted.moves:
            boards.append(boards[-1].sow(pit).board)
        return self._reviewers.work(boards, wanted.moves, time_s=self._time_s)

    def _now(self) -> float:
        return inf if self._is_over else time.monotonic()


def _show(game: str, work: ReviewWork) -> None:
    proven = sum(found.depth is None for found in work.assessments)
    console.say(
        f"{game}: {proven} of {quantity(len(work.assessments), 'ply')} proven, {work.seconds:.1f} s"
    )
    sys.stdout.flush()


def _ignore(_game: str, _work: ReviewWork) -> None:
    pass

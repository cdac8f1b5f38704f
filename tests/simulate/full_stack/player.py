"""A bot as its author runs it: the real client, with faults, on a machine that may fail."""

import asyncio
import logging
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

from mancala.bot.client.bot import Bot, GameResult, Turn
from mancala.bot.client.errors import (
    ConnectionFailedError,
    RefusedError,
    ReplacedError,
    ServerLeftError,
)
from mancala.bot.client.reconnect import backoff
from mancala.bot.client.run import run
from mancala.protocol.messages import Challenge, Reason, Seek
from mancala.protocol.player import PlayerError
from tests.simulate.faults import LADDER, POLITE, POLITE_NAME, BotFaults
from tests.simulate.full_stack.client_watch import ClientWatch
from tests.simulate.full_stack.program import SimulatedProgram, Venue
from tests.simulate.full_stack.server_run import ADDRESS, PORT
from tests.simulate.promises import BrokenPromiseError, Promise
from tests.simulate.tokens import token_of
from tests.simulate.trace import RareEvent, Trace

PATIENCE_S: Final = 600.0
LONGEST_WAIT_S: Final = 2.0
NO_PIT: Final = 15
PROVISIONALS: Final = 2
"""Provisional moves at a time; the client keeps the second one back for a moment."""
EXPECTED: Final = (RefusedError, ReplacedError, ServerLeftError)
"""How a run of the client may end without a fault of its own or the server's."""
CRASH: Final = 0.3
"""The share of lost connections that are the ends of processes, which come back in time."""


class SimulatedPlayer(SimulatedProgram, Bot):
    """One bot over all its processes."""

    away_s = 0.5, 3.0

    def __init__(self, venue: Venue, name: str, faults: BotFaults, address: str) -> None:
        super().__init__(venue, name, address)
        self.faults = faults
        self.watch = ClientWatch(venue.ledger, joins=faults.joins)

    @property
    def delay_s(self) -> float:
        return self.faults.delay_s

    def calm_down(self) -> None:
        self.faults = replace(POLITE, has_token=self.faults.has_token)
        self.watch.is_leaving = True
        self.ask_to_stop()

    async def main(self, stop: asyncio.Event) -> None:
        """Run the client."""
        trace = self._trace
        if self._venue.is_calm:
            stop.set()
        self.watch.started()
        try:
            results = await run(
                f"ws://{ADDRESS}:{PORT}",
                self,
                name=self.name,
                token=token_of(self.name) if self.faults.has_token else None,
                ladder=LADDER if self.faults.joins else None,
                seek=trace.rng.choice((Seek(games=2), Challenge(POLITE_NAME))),
                session_file=self._file,
                stop=stop,
                delays=partial(backoff, trace.rng.random, longest_s=LONGEST_WAIT_S),
                patience_s=PATIENCE_S,
                logger=_logger(trace, self.name),
            )
            self.watch.ended(results)
        except EXPECTED as error:
            trace.tell(self.name, f"its run ends: {error!r}")
        except ConnectionFailedError as error:
            raise BrokenPromiseError(Promise.PERSISTS, f"{self.name}: {error}") from error

    def _stay_away(self, seconds: float) -> None:
        self.kill()
        self._venue.later(seconds, self.start)

    @property
    def _file(self) -> Path:
        return self._venue.folder / "sessions" / self.name

    def game_over(self, result: GameResult) -> None:
        try:
            self.watch.reported(result)
        except BrokenPromiseError as error:
            self._venue.note(error)

    async def choose(self, turn: Turn) -> int:
        """Return a pit, or misbehave."""
        faults, trace = self.faults, self._trace
        if trace.happens(faults.drop):
            self._lose_line()
        if trace.happens(faults.leave):
            self._did(RareEvent.DEPARTURE, Reason.TIMEOUT, Reason.DISCONNECTED)
            self._venue.later(0.0, self._leave_for_good)
        deadline_s = turn.deadline_s
        think_s = min(trace.rng.expovariate(1 / faults.think_s), 0.25 * deadline_s)
        if trace.happens(faults.provisional):
            await asyncio.sleep(think_s / 2)
            self._offer(turn)
        if trace.happens(faults.silent):
            self._did(RareEvent.SILENT, Reason.TIMEOUT)
            await asyncio.Event().wait()
        if trace.happens(faults.late):
            self._did(RareEvent.LATE, Reason.TIMEOUT)
            spread_s = trace.rng.choice((0.03, 0.1, 0.5))
            think_s = deadline_s + spread_s * trace.rng.uniform(-1.0, 1.0)
        await asyncio.sleep(think_s)
        return self._answer(turn)

    def _offer(self, turn: Turn) -> None:
        for _ in range(PROVISIONALS):
            turn.offer(self._trace.rng.choice(turn.legal))

    def _answer(self, turn: Turn) -> int:
        faults, trace = self.faults, self._trace
        if trace.happens(faults.provisional):
            self._offer(turn)
        if trace.happens(faults.lie):
            self._did(RareEvent.LIE, Reason.ILLEGAL)
            return NO_PIT
        if trace.happens(faults.resign):
            self._did(RareEvent.RESIGNED, Reason.RESIGNED)
            raise PlayerError("had enough")
        return trace.rng.choice(turn.legal)

    def _did(self, event: RareEvent, *reasons: Reason) -> None:
        """Count what it does, and for which it may lose."""
        self._trace.count(event, self.name)
        self._venue.ledger.did(self.name, *reasons)

    def _leave_for_good(self) -> None:
        self._stay_away(self._trace.rng.uniform(1.0, 5.0))
        self._file.unlink(missing_ok=True)
        self.watch.forgot()

    def _lose_line(self) -> None:
        trace, link = self._trace, self._venue.line_of(self.name)
        if link is None:
            return
        away = Reason.TIMEOUT, Reason.DISCONNECTED
        if trace.happens(self.faults.absent):
            self._did(RareEvent.ABSENCE, *away)
            self._venue.later(0.0, partial(self._stay_away, 1.5 * self._venue.grace_s))
        elif trace.happens(self.faults.half_open):
            self._did(RareEvent.HALF_OPEN, *away)
            link.lose(trace.rng.choice((None, trace.rng.uniform(0.1, 2.0))), None)
        elif trace.happens(CRASH):
            self._did(RareEvent.CRASH, *away)
            self._venue.later(0.0, partial(self._stay_away, trace.rng.uniform(0.1, 2.0)))
        else:
            self._did(RareEvent.DROP, *away)
            link.lose(0.0, trace.rng.uniform(0.0, 1.0))


class _Telling(logging.Handler):
    """Adds what a client logs to the trace."""

    def __init__(self, trace: Trace, name: str) -> None:
        super().__init__()
        self._trace = trace
        self._name = name

    def emit(self, record: logging.LogRecord) -> None:
        self._trace.tell(self._name, record.getMessage())


def _logger(trace: Trace, name: str) -> logging.Logger:
    logger = logging.Logger(name)  # noqa: LOG001  # it ends with its bot
    logger.addHandler(_Telling(trace, name))
    return logger

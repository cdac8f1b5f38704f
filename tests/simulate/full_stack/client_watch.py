"""What a client does, seen at its own end of its connections, and what its author may rely on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from mancala.bot.client.bot import GameResult
from mancala.protocol import codec
from mancala.protocol import messages as wire
from tests.simulate.full_stack.network import SharedLink
from tests.simulate.full_stack.packet_tap import FrameTap
from tests.simulate.ledger import Transcript
from tests.simulate.promises import Promise, broken

HASTE_S: Final = 2.0
MOST_ATTEMPTS: Final = 7
"""Waits of 0.25, 0.5, 1 and 2 s, each shortened by up to a half, allow five attempts in two
seconds, and one more after a session that is gone."""
ASKS_WITHIN_S: Final = 10.0


Note = Callable[[BaseException], None]
"""Keeps what went wrong, which the client must not meet."""


class ClientWatch:
    """One bot's client over all its connections and processes.

    Attributes:
        is_leaving: whether it was asked to leave, so that it may ask for nothing.
    """

    def __init__(self, ledger: Transcript, *, joins: bool) -> None:
        """Begin before its first process; it joins a ladder, or asks for matches."""
        self.is_leaving = False
        self._ledger = ledger
        self._joins = joins
        self._session: str | None = None
        self._dialled: list[float] = []
        self._reported: set[str] = set()
        self._last: ClientTap | None = None

    @property
    def now(self) -> float:
        return self._ledger.trace.now()

    def started(self) -> None:
        self._dialled.clear()
        self._last = None

    def forgot(self) -> None:
        self._session = None
        self._reported.clear()

    def dialled(self) -> None:
        """Note an attempt to connect; it must not be one of too many."""
        self._dialled = [at for at in self._dialled if at > self.now - HASTE_S]
        self._dialled.append(self.now)
        if len(self._dialled) > MOST_ATTEMPTS:
            broken(Promise.BACKS_OFF, f"{len(self._dialled)} attempts in {HASTE_S:g} s")

    def tap(self, link: SharedLink, note: Note) -> ClientTap:
        self._last = ClientTap(self, link, note, joins=self._joins)
        return self._last

    def welcomed(self, welcome: wire.Welcome) -> None:
        if not welcome.resumed:
            self._reported.clear()
        self._session = welcome.session
        self._dialled.clear()

    def said_hello(self, hello: wire.Hello) -> None:
        if hello.resume != self._session and not self.is_leaving:
            broken(Promise.REJOINS, f"{hello.name} asks for {hello.resume}, not {self._session}")

    def reported(self, result: GameResult) -> None:
        if result.game in self._reported:
            broken(Promise.REPORTS, f"{result.game} a second time")
        self._reported.add(result.game)
        self._check_result(result)

    def ended(self, results: Sequence[GameResult]) -> None:
        games = [result.game for result in results]
        if len(set(games)) != len(games):
            broken(Promise.REPORTS, f"{games}")
        for result in results:
            self._check_result(result)

    def _check_result(self, result: GameResult) -> None:
        said = self._ledger.results.get(result.game)
        facts = (result.winner, result.stores, result.reason)
        if said is None or (said.winner, said.stores, said.reason) != facts:
            broken(Promise.REPORTS, f"{result}; the server said {said}")

    def check(self) -> None:
        if self._last is not None and not self.is_leaving:
            self._last.check()


class ClientTap(FrameTap):
    """The client's end of one connection."""

    def __init__(self, watch: ClientWatch, link: SharedLink, note: Note, *, joins: bool) -> None:
        super().__init__(note, decode_said=codec.decode_client, decode_heard=codec.decode_server)
        self._watch = watch
        self._link = link
        self._joins = joins
        self._open: dict[str, int] = {}
        self._closed_at: dict[str, float] = {}
        self._games: dict[str, float] = {}
        self._matches: dict[str, float] = {}
        self._idle_since: float | None = None

    def ended(self) -> None:
        self._idle_since = None

    def check(self) -> None:
        since = self._idle_since
        if since is None or self._link.is_silent:
            return
        if self._watch.now - since > ASKS_WITHIN_S:
            broken(Promise.ASKS, f"idle since {since:.3f}")

    def _announce(self, message: wire.Message) -> None:
        match message:
            case wire.Hello():
                self._watch.said_hello(message)
            case wire.Move():
                self._check_answer(message)
            case wire.Join() | wire.Seek() | wire.Challenge():
                self._idle_since = None
            case wire.Goodbye():
                self._idle_since = None
                self._check_finished()
                self._watch.forgot()

    def _check_finished(self) -> None:
        unfinished = self._games | (self._matches if self._joins else {})
        running = [each for each, at in unfinished.items() if at < self._watch.now]
        if running:
            broken(Promise.FINISHES, f"{running} still run")

    def _check_answer(self, move: wire.Move) -> None:
        has_just_closed = self._closed_at.get(move.game) == self._watch.now
        if self._open.get(move.game) != move.ply and not has_just_closed:
            broken(Promise.ANSWERS, f"{move}; open is {self._open.get(move.game)}")
        if not move.provisional:
            self._open.pop(move.game, None)
            self._closed_at.pop(move.game, None)

    def _arrive(self, message: wire.Message) -> None:
        match message:
            case wire.Turn():
                self._open[message.game] = message.ply
            case wire.Moved() if self._open.get(message.game, message.ply + 1) <= message.ply:
                self._close(message.game)
            case wire.GameOver():
                self._close(message.game)
                self._games.pop(message.game, None)
            case wire.Error(code=wire.ErrorCode.BAD_RESUME):
                self._watch.forgot()
            case wire.Welcome() | wire.GameStart() | wire.MatchOver() | wire.Goodbye():
                self._note_matches(message)

    def _note_matches(
        self, message: wire.Welcome | wire.GameStart | wire.MatchOver | wire.Goodbye
    ) -> None:
        """Note whether it is free, and since when."""
        match message:
            case wire.Welcome():
                self._watch.welcomed(message)
                self._matches = dict.fromkeys(message.matches, self._watch.now)
                if self._joins or not self._matches:
                    self._idle_since = self._watch.now
            case wire.GameStart():
                self._games[message.game] = self._watch.now
                self._matches.setdefault(message.match, self._watch.now)
                self._idle_since = None
            case wire.MatchOver():
                self._matches.pop(message.match, None)
                if not self._joins and not self._matches:
                    self._idle_since = self._watch.now
            case wire.Goodbye():
                self._idle_since = None

    def _close(self, game: str) -> None:
        if self._open.pop(game, None) is not None:
            self._closed_at[game] = self._watch.now

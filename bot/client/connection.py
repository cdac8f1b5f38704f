"""One connection, from hello to its end: feed the session, dispatch, answer.

A message is written to the socket in the call that sends it: a task between the two would wait
for a player that blocks the event loop. Turns are answered by tasks of their own (`turns.py`).

After a resume, the welcome names the matches that are still running, and the server then reports
what ended meanwhile. The client sends a ping after the welcome; once it has come back, all of
that report has arrived. A game that we still know but that belongs to no running match has then
ended with an unknown result. Until that ping is back the bot starts nothing and does not leave.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator
from contextlib import suppress
from typing import Final

from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed
from websockets.protocol import State

from mancala.protocol import codec
from mancala.protocol import messages as wire
from mancala.protocol.rules import InvalidPositionError
from mancala.protocol.session import RemoteProtocolError, Role, Session
from mancala.protocol.text import quantity

from .bot import Bot, Game
from .budget import RoundTrip
from .errors import ClientError, RefusedError, ReplacedError, ServerFaultError, ServerLeftError
from .ladder_stay import LadderStay
from .state import ClientState
from .turns import PendingTurns, player_errors

PING_EVERY_S: Final = 5.0
KEEPALIVE_S: Final = 30.0
"""How long a bot without a game sends no ping."""
PING_TIMEOUT_S: Final = 20.0
WELCOME_TIMEOUT_S: Final = 10.0
CLOSE_PROTOCOL_ERROR: Final = 1002
NO_PLACE: Final = {
    wire.ErrorCode.UNKNOWN_LADDER,
    wire.ErrorCode.UNKNOWN_EVENT,
    wire.ErrorCode.FORBIDDEN,
    wire.ErrorCode.QUARANTINED,
}


class Connection:
    """The client's end of one connection.

    Attributes:
        back_after_s: seconds after which the server wants us back; None unless it said so.
    """

    def __init__(self, socket: ClientConnection, state: ClientState, bot: Bot) -> None:
        self._greeted = asyncio.Event()
        self.back_after_s: float | None = None
        self._socket = socket
        self._state = state
        self._bot = bot
        self._session = Session(Role.CLIENT)
        self._tasks = asyncio.TaskGroup()
        self._background: list[asyncio.Task[None]] = []
        self._turns = PendingTurns(self._send, self._tasks, bot, state.logger)
        self._round_trip = RoundTrip()
        self._plays = asyncio.Event()
        self._most_games = 1
        self._is_settled = False
        self._seek: wire.Seek | wire.Seeking | wire.Challenge | wire.Challenged | None = None
        self._ladder = LadderStay(state)
        self._refused: RefusedError | None = None

    @property
    def is_welcome(self) -> bool:
        """Whether the server has sent its welcome."""
        return self._greeted.is_set()

    async def run(self, stop: asyncio.Event) -> None:
        """Exchange messages until one end says goodbye.

        Args:
            stop: once set, start nothing new, finish what runs and say goodbye.

        Raises:
            ConnectionClosed: when the connection was lost.
            OSError: when the socket broke.
            ClientError: when the server refuses us or breaks the protocol, or the player raises.
        """
        self._send_hello()
        try:
            async with self._tasks:
                self._begin(self._measure(), "measure the round trip")
                self._begin(self._await_welcome(), "await the welcome")
                self._begin(self._wait_for_stop(stop), "wait for stop")
                await self._listen()
                self._end_tasks()
        except ExceptionGroup as group:
            error = main_error(group)
        else:
            return
        raise error

    def _begin(self, work: Coroutine[None, None, None], name: str) -> None:
        self._background.append(self._tasks.create_task(work, name=name))

    def _end_tasks(self) -> None:
        self._turns.close_all()
        for task in self._background:
            task.cancel()

    def _send_hello(self) -> None:
        profile = self._state.profile
        self._send(
            wire.Hello(
                protocol=wire.VERSION,
                name=profile.name,
                token=profile.token,
                agent=profile.agent,
                resume=self._state.session,
                challenges=profile.accept,
                swap=self._bot.swaps,
            )
        )

    def _send(self, message: wire.Message) -> None:
        if not self._session.has_left:
            self._session.send(message)
            if self._socket.state is State.OPEN:
                self._socket.protocol.send_text(codec.encode(message))
                self._socket.send_data()

    def _leave(self) -> None:
        self._send(wire.Goodbye())
        self._begin(self._socket.close(), "close")

    async def _measure(self) -> None:
        with suppress(ConnectionClosed):  # its reader says why, after what was sent before
            while True:
                async with asyncio.timeout(PING_TIMEOUT_S):
                    sample_s = await (await self._socket.ping())
                self._round_trip = self._round_trip.after(sample_s)
                await asyncio.sleep(PING_EVERY_S)
                await self._until_needed()

    async def _until_needed(self) -> None:
        """Wait for a game, which needs the round trip, or until the server has to be asked."""
        if not self._state.live:
            self._plays.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(KEEPALIVE_S - PING_EVERY_S):
                    await self._plays.wait()

    async def _await_welcome(self) -> None:
        async with asyncio.timeout(WELCOME_TIMEOUT_S):
            await self._greeted.wait()

    async def _wait_for_stop(self, stop: asyncio.Event) -> None:
        await stop.wait()
        self._state.is_leaving = True
        match self._seek:
            case wire.Seek() | wire.Seeking():
                self._send(wire.Unseek())
            case wire.Challenged(challenge=challenge):
                self._send(wire.Decline(challenge, reason="leaving"))
        awaits_snapshot = self.is_welcome and not self._is_settled
        if self._state.is_done and not awaits_snapshot:
            self._leave()
        elif self._is_settled and (about_ladder := self._ladder.next_message()) is not None:
            self._send(about_ladder)

    async def _listen(self) -> None:
        while self.back_after_s is None:
            try:
                frame = await self._socket.recv()
            except ConnectionClosed as closed:
                self._turns.report_blocking()
                if self._session.has_left:
                    return
                if closed.rcvd is not None and closed.rcvd.code == wire.REPLACED_CLOSE:
                    raise ReplacedError from None
                raise self._refused or closed from None
            if not self._session.has_left:
                await self._receive(frame)

    async def _receive(self, frame: bytes | str) -> None:
        try:
            message = codec.decode_server(frame)
            self._session.receive(message)
            self._dispatch(message)
        except (codec.DecodeError, RemoteProtocolError, InvalidPositionError) as error:
            if isinstance(error, codec.DecodeError) and error.code is wire.ErrorCode.UNKNOWN_TYPE:
                self._state.logger.info("ignored a message of unknown type: %s", error.received)
                return
            await self._socket.close(CLOSE_PROTOCOL_ERROR, str(error)[:100])
            raise ServerFaultError(f"the server broke the protocol: {error}") from error

    def _dispatch(self, message: wire.ServerMessage) -> None:
        match message:
            case wire.Turn():
                self._on_turn(message)
            case wire.Moved():
                self._turns.close(message.game, up_to=message.ply)
            case wire.GameStart() | wire.GameOver() | wire.MatchOver():
                self._on_progress(message)
            case wire.Welcome():
                self._on_welcome(message)
            case wire.Challenged():
                self._on_challenged(message)
            case wire.Seeking():
                self._on_seeking(message)
            case wire.Joined() | wire.Left() | wire.Withdrawn():
                self._on_membership(message)
            case wire.Notice() | wire.Error():
                self._on_remark(message)
            case wire.Goodbye():
                self._on_goodbye(message)

    def _on_progress(self, message: wire.GameStart | wire.GameOver | wire.MatchOver) -> None:
        match message:
            case wire.GameStart():
                self._on_game_start(message)
            case wire.GameOver():
                self._on_game_over(message)
            case wire.MatchOver():
                self._state.on_match_over(message.match)
        self._next_step()

    def _on_welcome(self, welcome: wire.Welcome) -> None:
        self._greeted.set()
        for warning in self._state.new_warnings(welcome.warnings):
            self._state.logger.warning("the server says: %s", warning)
        self._most_games = welcome.limits.games
        self._state.on_welcome(welcome)
        self._ladder.on_welcome(welcome)
        if welcome.resumed:
            self._begin(self._await_snapshot(), "await the snapshot")
        else:
            self._settle()

    async def _await_snapshot(self) -> None:
        try:
            await (await self._socket.ping())
        except ConnectionClosed:
            return
        self._state.drop_games_of_ended_matches()
        self._settle()

    def _settle(self) -> None:
        self._is_settled = True
        if not self._session.has_left and (event := self._state.wanted_event) is not None:
            self._send(wire.Enter(event))
        self._next_step()

    def _next_step(self) -> None:
        if not self._is_settled or self._session.has_left:
            return
        if self._state.is_done:
            self._leave()
            return
        if (about_ladder := self._ladder.next_message()) is not None:
            self._send(about_ladder)
        if self._seek is None and (seek := self._state.next_seek(self._most_games)):
            self._seek = seek
            self._send(seek)

    def _on_seeking(self, seeking: wire.Seeking) -> None:
        self._seek = seeking
        if seeking.others is not None:
            self._state.logger.warning("%s", in_words(seeking.others))

    def _on_membership(self, message: wire.Joined | wire.Left | wire.Withdrawn) -> None:
        match message:
            case wire.Withdrawn():
                self._on_withdrawn(message)
            case wire.Left():
                self._ladder.on_left()
                self._next_step()
            case wire.Joined():
                if message.warning:
                    self._state.logger.warning("ladder %s: %s", message.ladder, message.warning)
                if (again := self._ladder.on_joined(message)) is not None:
                    self._send(again)

    def _on_withdrawn(self, withdrawn: wire.Withdrawn) -> None:
        if withdrawn.event == self._state.profile.event:
            self._state.logger.warning("event %s: %s", withdrawn.event, withdrawn.why)
            self._state.is_event_over = True
            self._next_step()

    def _on_game_start(self, start: wire.GameStart) -> None:
        if start.seat is None:
            return
        game = Game(
            id=start.game,
            match=start.match,
            seat=start.seat,
            rules=start.rules,
            control=start.clock,
            opponent=start.opponent.name,
            rated=start.rated,
        )
        self._seek = None
        self._state.on_game_start(game)
        self._plays.set()
        with player_errors():
            self._bot.game_started(game)

    def _on_game_over(self, over: wire.GameOver) -> None:
        self._turns.close(over.game)
        self._turns.report_blocking()
        result = self._state.on_game_over(over)
        if result is not None:
            with player_errors():
                self._bot.game_over(result)

    def _on_turn(self, turn: wire.Turn) -> None:
        game = self._state.live.get(turn.game)
        if game is not None:
            self._turns.ask(game, turn, self._round_trip)

    def _on_challenged(self, challenge: wire.Challenged) -> None:
        if challenge.by == self._state.profile.name:
            self._seek = challenge
            return
        if self._state.accepts_challenges():
            self._ladder.on_challenge()
            self._send(wire.Accept(challenge.challenge))
        else:
            self._send(wire.Decline(challenge.challenge, reason="not now"))

    def _on_remark(self, message: wire.Notice | wire.Error) -> None:
        if isinstance(message, wire.Error):
            self._on_error(message)
        elif message.text:
            ends = f" (until {message.until})" if message.until is not None else ""
            self._state.logger.warning("notice of the server: %s%s", message.text, ends)

    def _on_error(self, error: wire.Error) -> None:
        refused = RefusedError(error.code, error.message)
        if error.fatal:
            self._refused = refused
        elif self._is_refusal(error.code):
            self._give_up(refused)
        elif error.code is wire.ErrorCode.NOT_OPEN:
            self._state.logger.warning("event %s; waiting", error.message)
        else:
            self._state.logger.warning(
                "the server reported an error: %s (%s)", error.message, error.code
            )

    def _give_up(self, refused: RefusedError) -> None:
        """Leave: immediately, or after the running matches, which would be lost otherwise.

        Raises:
            RefusedError: when none is under way.
        """
        state = self._state
        if self._is_settled and not (state.live or state.matches):
            raise refused
        state.logger.warning("%s; leaving after the running games", refused)
        state.refused, state.is_leaving = refused, True
        self._ladder.on_left()

    def _is_refusal(self, code: wire.ErrorCode) -> bool:
        """Return whether an error says that what we asked for will not be played."""
        if isinstance(self._seek, wire.Challenged):
            return code is wire.ErrorCode.DECLINED
        return isinstance(self._seek, wire.Seek | wire.Challenge) or code in NO_PLACE

    def _on_goodbye(self, goodbye: wire.Goodbye) -> None:
        if goodbye.reconnect_after is None:
            is_replaced = goodbye.reason == wire.REPLACED
            left = ReplacedError() if is_replaced else ServerLeftError(goodbye.reason)
            raise self._refused or left
        self.back_after_s = goodbye.reconnect_after


def in_words(others: wire.OtherSeeks) -> str:
    """Return who else seeks a match, and why it is no opponent."""
    fields = [name for name in others.__struct_fields__ if name != "count"]
    differing = [f"{name} ({count})" for name in fields if (count := getattr(others, name))]
    who = quantity(others.count, "other bot seeks", "other bots seek")
    return f"{who} a match, but with other {', '.join(differing)}; waiting"


def main_error(group: ExceptionGroup[Exception]) -> Exception:
    """Return the error to raise from a group: a `ClientError` if there is one.

    Raises:
        CancelledError: when this task was cancelled in the turn in which the others failed; a task
            group forgets that before Python 3.13.
    """
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError
    leaves = list(_leaves(group))
    return next((leaf for leaf in leaves if isinstance(leaf, ClientError)), leaves[0])


def _leaves(group: ExceptionGroup[Exception]) -> Iterator[Exception]:
    for error in group.exceptions:
        if isinstance(error, ExceptionGroup):
            yield from _leaves(error)
        else:
            yield error

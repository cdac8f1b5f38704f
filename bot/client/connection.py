"""One connection of a bot, from hello to its end: dispatch what the server says, and answer.

Turns are answered by tasks of their own (`turns.py`).

After a resume, the welcome names the matches that are still running, and the server then reports
what ended meanwhile. The client sends a ping after the welcome; once it has come back, all of
that report has arrived. A game that we still know but that belongs to no running match has then
ended with an unknown result. Until that ping is back the bot starts nothing and does not leave.
"""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from typing import Final

from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed

from mancala.protocol import messages as wire
from mancala.protocol.rules import InvalidPositionError
from mancala.protocol.text import quantity

from .bot import Bot, Game
from .budget import RoundTrip
from .errors import PlayerFailedError, RefusedError
from .link import ClientLink, ungrouped
from .state import ClientState
from .turns import PendingTurns, player_errors

PING_EVERY_S: Final = 5.0
KEEPALIVE_S: Final = 30.0
"""How long a bot without a game sends no ping."""
PING_TIMEOUT_S: Final = 20.0
WELCOME_TIMEOUT_S: Final = 10.0
NO_PLACE: Final = {
    wire.ErrorCode.UNKNOWN_LADDER,
    wire.ErrorCode.UNKNOWN_EVENT,
    wire.ErrorCode.FORBIDDEN,
    wire.ErrorCode.QUARANTINED,
}


class Connection:
    def __init__(self, socket: ClientConnection, state: ClientState, bot: Bot) -> None:
        self.link = ClientLink(socket, state.logger)
        self._greeted = asyncio.Event()
        self._socket = socket
        self._state = state
        self._bot = bot
        self._tasks = asyncio.TaskGroup()
        self._background: list[asyncio.Task[None]] = []
        self._turns = PendingTurns(self.link.send, self._tasks, bot, state.logger)
        self._round_trip = RoundTrip()
        self._plays = asyncio.Event()
        self._most_games = 1
        self._is_settled = False
        self._schedules_asked = 0
        self._seek: wire.Seek | wire.Seeking | wire.Challenge | wire.Challenged | None = None
        self._ladder = _LadderStay(state)

    async def run(self, stop: asyncio.Event) -> None:
        """Exchange messages until one end says goodbye.

        Once ``stop`` is set, start nothing new, finish what runs and say goodbye.

        Raises:
            ConnectionClosed: when the connection was lost.
            OSError: when the socket broke.
            ClientError: when the server refuses us or breaks the protocol, or the player raises.
        """
        self._send_hello()
        with ungrouped(), self._farewell():
            async with self._tasks:
                self._begin(self._measure(), "measure the round trip")
                self._begin(self._await_welcome(), "await the welcome")
                self._begin(self._wait_for_stop(stop), "wait for stop")
                await self._listen()
                self._turns.close_all()
                for task in self._background:
                    task.cancel()

    @contextmanager
    def _farewell(self) -> Iterator[None]:
        """Say goodbye when the player fails, so that no opponent waits; not in an event."""
        try:
            yield
        except* PlayerFailedError:
            if self._state.profile.event is None and self.link.is_welcome:
                self.link.send(wire.Goodbye("the player failed"))
            raise

    def _begin(self, work: Coroutine[None, None, None], name: str) -> None:
        self._background.append(self._tasks.create_task(work, name=name))

    def _send_hello(self) -> None:
        profile = self._state.profile
        self.link.send(
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

    def _leave(self) -> None:
        self.link.send(wire.Goodbye())
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
                self.link.send(wire.Unseek())
            case wire.Challenged(challenge=challenge):
                self._withdraw(challenge)
        if self._state.is_done and not self.link.is_welcome:
            self._leave()
        self._next_step()

    async def _listen(self) -> None:
        try:
            async for message in self.link.messages():
                try:
                    self._handle(message)
                except InvalidPositionError as error:
                    raise await self.link.fault(error) from error
        finally:
            self._turns.report_blocking()

    def _handle(self, message: wire.ServerMessage) -> None:
        """Call the method named like the message; a bot needs none for some."""
        name = f"_on_{type(message).__struct_config__.tag}"
        handle: Callable[[wire.ServerMessage], None] | None = getattr(self, name, None)
        if handle is not None:
            handle(message)

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
        if not self.link.has_left and (event := self._state.wanted_event) is not None:
            self.link.send(wire.Enter(event, self._state.profile.event_password))
        self._next_step()

    def _next_step(self) -> None:
        if not self._is_settled or self.link.has_left:
            return
        self.link.send(*self._ladder.next_messages())
        if self._state.is_done:
            if self._state.matches or not self._departs:
                self._leave()
            elif self._schedules_asked == 0:
                self._ask_for_schedule()
            return
        if self._seek is None and (seek := self._state.next_seek(self._most_games)):
            self._seek = seek
            self.link.send(seek)

    @property
    def _departs(self) -> bool:
        """Whether a match of what we took back may yet begin."""
        return self._state.is_leaving or self._ladder.awaits_left

    def _withdraw(self, challenge: str) -> None:
        self.link.send(wire.Decline(challenge, reason="leaving"))

    def _ask_for_schedule(self) -> None:
        """Ask whether a match is about to begin, which a goodbye would leave."""
        self._schedules_asked += 1
        self.link.send(wire.Schedule())

    def _on_scheduled(self, scheduled: wire.Scheduled) -> None:
        self._schedules_asked -= 1
        begins = any(each.origin is wire.MatchOrigin.MATCH for each in scheduled.matches)
        if self._schedules_asked == 0 and self._state.is_done and not begins:
            self._leave()

    def _on_seeking(self, seeking: wire.Seeking) -> None:
        self._seek = seeking
        if seeking.others is not None:
            self._state.logger.warning("%s", in_words(seeking.others))

    def _on_joined(self, joined: wire.Joined) -> None:
        if joined.warning:
            self._state.logger.warning("ladder %s: %s", joined.ladder, joined.warning)
        self.link.send(*self._ladder.on_joined(joined))

    def _on_left(self, _left: wire.Left) -> None:
        self._ladder.on_left()
        self._next_step()

    def _on_withdrawn(self, withdrawn: wire.Withdrawn) -> None:
        if withdrawn.event == self._state.profile.event:
            self._state.logger.warning("event %s: %s", withdrawn.event, withdrawn.why)
            self._state.is_event_over = True
            self._next_step()

    def _on_game_start(self, start: wire.GameStart) -> None:
        if start.seat is not None:
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
            self._turns.follow(start)
            self._plays.set()
            with player_errors():
                self._bot.game_started(game)
        self._next_step()

    def _on_game_over(self, over: wire.GameOver) -> None:
        self._turns.end(over.game)
        self._turns.report_blocking()
        result = self._state.on_game_over(over)
        if result is not None:
            with player_errors():
                self._bot.game_over(result)
        self._next_step()

    def _on_match_over(self, over: wire.MatchOver) -> None:
        self._state.on_match_over(over.match)
        self._next_step()

    def _on_turn(self, turn: wire.Turn) -> None:
        game = self._state.live.get(turn.game)
        if game is not None:
            self._turns.ask(game, turn, self._round_trip)

    def _on_moved(self, moved: wire.Moved) -> None:
        self._turns.moved(moved)

    def _on_challenged(self, challenge: wire.Challenged) -> None:
        if challenge.by == self._state.profile.name:
            self._seek = challenge
            if self._state.is_leaving:
                self._withdraw(challenge.challenge)
                self._ask_for_schedule()
        elif self._state.accepts_challenges():
            self._ladder.on_challenge()
            self.link.send(wire.Accept(challenge.challenge))
        else:
            self.link.send(wire.Decline(challenge.challenge, reason="not now"))

    def _on_notice(self, notice: wire.Notice) -> None:
        if notice.text:
            ends = f" (until {notice.until})" if notice.until is not None else ""
            self._state.logger.warning("notice of the server: %s%s", notice.text, ends)

    def _on_error(self, error: wire.Error) -> None:
        if self._schedules_asked and error.code is wire.ErrorCode.UNKNOWN_TYPE:
            self._on_scheduled(wire.Scheduled(self._state.profile.name))  # it is too old to know
        elif self._is_refusal(error.code) and not self._departs:
            self._give_up(RefusedError(error.code, error.message))
        elif error.code is wire.ErrorCode.NOT_OPEN:
            self._state.logger.warning("event %s; waiting", error.message)
        else:
            self._state.logger.warning(
                "the server reported an error: %s (%s)", error.message, error.code
            )
            self._next_step()

    def _give_up(self, refused: RefusedError) -> None:
        """Leave: immediately, or after the running matches, which would be lost otherwise."""
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


def in_words(others: wire.OtherSeeks) -> str:
    """Return who else seeks a match, and why it is no opponent."""
    fields = [name for name in others.__struct_fields__ if name != "count"]
    differing = [f"{name} ({count})" for name in fields if (count := getattr(others, name))]
    who = quantity(others.count, "other bot seeks", "other bots seek")
    return f"{who} a match, but with other {', '.join(differing)}; waiting"


class _LadderStay:
    """Decides what to send about the ladder; a bot without a ladder sends nothing.

    A bot that wants a number of games says with ``join`` after how many matches the server takes it
    out of the ladder. Only the server's ``joined`` says how many games a match has; so the first
    ``join`` names as many matches as games, and a second one the right number. Where that number
    may be wrong (a match was paired meanwhile, though it begins later; a challenge brings games;
    the server knows no such number), the bot leaves when its last game begins.

    A match that was paired before the server read the ``leave`` begins before its ``left``. So
    until then a bot asks whether there is one before it says goodbye.
    """

    def __init__(self, state: ClientState) -> None:
        self._state = state
        self._has_joined = self._may_be_member = self._is_bounded = self.awaits_left = False

    def on_welcome(self, welcome: wire.Welcome) -> None:
        self._may_be_member = welcome.resumed

    def next_messages(self) -> tuple[wire.Join | wire.Leave, ...]:
        wanted, ladder = self._state.wanted_ladder, self._state.profile.ladder
        if wanted is not None and not self._has_joined:
            self._has_joined = self._may_be_member = True
            return (wire.Join(wanted, self._state.matches_wanted(1)),)
        is_over = wanted is None and (self._state.is_leaving or not self._is_bounded)
        if ladder is not None and is_over and self._may_be_member:
            self._has_joined = self._may_be_member = False
            self.awaits_left = True
            return (wire.Leave(ladder),)
        return ()

    def on_joined(self, joined: wire.Joined) -> tuple[wire.Join, ...]:
        """Note the server's answer; return a `Join` with another number if the first is wrong."""
        wanted = self._state.matches_wanted(joined.games)
        if wanted is None or joined.matches is None or self._state.matches:
            self._is_bounded = False
            return ()
        self._is_bounded = joined.matches == wanted == self._state.matches_wanted(1)
        is_right = joined.matches == wanted or self._state.is_leaving
        return () if is_right else (wire.Join(joined.ladder, wanted),)

    def on_left(self) -> None:
        self._has_joined = self._may_be_member = self._is_bounded = self.awaits_left = False

    def on_challenge(self) -> None:
        """Note that a challenge may bring games, so that fewer matches of the ladder are wanted."""
        self._is_bounded = False

"""Bots that take part in ladders, and the standings that a server keeps of them."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Final, NamedTuple

from websockets.exceptions import ConnectionClosed, InvalidHandshake

from mancala.protocol import codec
from mancala.protocol import messages as wire
from mancala.protocol.results import LadderStandings
from mancala.server.model.entrant import bot_name
from tests.drills.databases import rows
from tests.patience import connect

LADDER: Final = "drill"
"""The ladder of a drill that has one."""
REFUSED: Final = (OSError, ConnectionClosed, InvalidHandshake, TimeoutError)
"""What a bot meets that is refused or cut off."""
RETAINED: Final = "SELECT topic, payload FROM outbox WHERE is_retained"
TALLIES: Final = """
SELECT first, second, wins + draws + losses FROM pairs
UNION ALL SELECT second, first, back_wins + back_draws + back_losses FROM pairs
"""

Answering = Callable[[wire.Message], Iterator[wire.Message]]
"""Takes what the server says; yields what the bot answers."""


class StoredStandings(NamedTuple):
    """The standings of a server's only ladder."""

    standings: LadderStandings
    payload_bytes: int

    def ratings(self) -> dict[str, float]:
        return {bot_name(row.name): row.rating or 0.0 for row in self.standings.standings}

    def errors(self) -> dict[str, float]:
        """Return the half-widths of the ratings' intervals by bot, without its version."""
        return {bot_name(row.name): row.rating_error or 0.0 for row in self.standings.standings}


def ladder_settings(*terms: str, limits: str = "") -> str:
    """Return the settings of a server with the drill's ladder, which pairs without delay."""
    ladder = ("[[ladder]]", f'name = "{LADDER}"', "patience_s = 0.0", *terms)
    return "\n".join(("[limits]", limits, *ladder, ""))


async def take_part(
    url: str, hello: wire.Hello, request: str | wire.Message, answering: Answering
) -> wire.Error | None:
    """Join a ladder, or make another request, and answer until the connection ends.

    Return the error of a refusal.
    """
    first = wire.Join(request) if isinstance(request, str) else request
    async with connect(url, compression=None, ping_interval=None) as socket:
        with suppress(ConnectionClosed):
            await socket.send(codec.encode(hello), text=True)
            await socket.recv()  # welcome, or the error that ends the connection
            await socket.send(codec.encode(first), text=True)
            async for frame in socket:
                message = codec.decode_server(frame)
                if isinstance(message, wire.Error):
                    return message
                for answer in answering(message):
                    await socket.send(codec.encode(answer), text=True)
    return None


def playing(
    ladder: str,
    yields: Callable[[wire.GameStart], bool] = lambda _start: False,
    leaves: Callable[[], bool] = lambda: False,
) -> Answering:
    has_left = False

    def answer(message: wire.Message) -> Iterator[wire.Message]:
        nonlocal has_left
        match message:
            case wire.GameStart() as start:
                if leaves() and not has_left:
                    has_left = True
                    yield wire.Leave(ladder)
                if yields(start):
                    yield wire.Resign(start.game)
            case wire.Turn() as turn:
                yield wire.Move(turn.game, turn.ply, turn.legal[0])
            case wire.MatchOver() if has_left:
                yield wire.Goodbye()
            case _:
                pass

    return answer


def always(_start: wire.GameStart) -> bool:
    return True


def kept_of(store: str) -> StoredStandings | None:
    """Return the standings in the store of a running server; None before the first game."""
    for topic, payload in rows(store, RETAINED):
        if topic.endswith("/standings"):
            return StoredStandings(codec.from_json(payload, LadderStandings), len(payload.encode()))
    return None


def games_of(store: str) -> dict[tuple[str, str], int]:
    """Return how many games were counted, by the entrants in seat order."""
    return {(first, second): games for first, second, games in rows(store, TALLIES)}

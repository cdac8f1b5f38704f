"""A small bot that keeps to the protocol, and many that break it in one way each."""

import asyncio
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Final

from websockets import ConnectionClosed
from websockets.asyncio.client import ClientConnection

from tests.patience import connect

Json = dict[str, Any]
REPLACED_CLOSE: Final = 4001
RETRY_S: Final = 0.02


class GoodBot:
    """A bot that does what it should."""

    def __init__(self) -> None:
        self.session: str | None = None
        self.back_after_s = 0.0
        self.seats: dict[str, int] = {}

    async def run(self, url: str) -> None:
        """Play until another connection has the session, or the server refuses it."""
        while True:
            with suppress(OSError):
                async with connect(url, compression=None) as socket:
                    try:
                        await self.live(socket)
                    except ConnectionClosed as closed:
                        if closed.rcvd is not None and closed.rcvd.code == REPLACED_CLOSE:
                            return
            await asyncio.sleep(self.back_after_s + RETRY_S)
            self.back_after_s = 0.0

    async def live(self, socket: ClientConnection) -> None:
        await self.say(socket, self.hello())
        async for frame in socket:
            await self.hear(socket, json.loads(frame))

    async def say(self, socket: ClientConnection, message: Json) -> None:
        await socket.send(json.dumps(message))

    def hello(self) -> Json:
        hello: Json = {"type": "hello", "protocol": "mancala.v1", "name": "trial"}
        return hello if self.session is None else {**hello, "resume": self.session}

    async def hear(self, socket: ClientConnection, message: Json) -> None:
        match message["type"]:
            case "welcome":
                self.session = message["session"]
                await self.say(socket, {"type": "join", "ladder": "main"})
            case "turn":
                await self.answer(socket, message)
            case "error" if message["code"] == "bad_resume":
                self.session = None
            case "goodbye":
                self.back_after_s = message.get("reconnect_after", 0.0)

    async def answer(self, socket: ClientConnection, turn: Json) -> None:
        await self.say(socket, self.move(turn))

    def move(self, turn: Json) -> Json:
        return {"type": "move", "game": turn["game"], "ply": turn["ply"], "pit": turn["legal"][0]}


class Mute(GoodBot):
    """Connects and says nothing."""

    async def live(self, socket: ClientConnection) -> None:
        await socket.wait_closed()


class SeeksFirst(GoodBot):
    """Seeks before it says hello."""

    async def live(self, socket: ClientConnection) -> None:
        await self.say(socket, {"type": "seek"})
        await socket.wait_closed()


class OldProtocol(GoodBot):
    """Speaks another version."""

    def hello(self) -> Json:
        return {**super().hello(), "protocol": "mancala.v0"}


class Binary(GoodBot):
    """Sends bytes instead of text."""

    async def say(self, socket: ClientConnection, message: Json) -> None:
        await socket.send(json.dumps(message).encode())


class SpeaksTooSoon(GoodBot):
    """Does not wait for the welcome."""

    async def live(self, socket: ClientConnection) -> None:
        await self.say(socket, self.hello())
        await self.say(socket, {"type": "join", "ladder": "main"})
        await super().live(socket)


class Passive(GoodBot):
    """Waits to be asked, and accepts nothing."""

    async def hear(self, socket: ClientConnection, message: Json) -> None:
        if message["type"] == "welcome":
            self.session = message["session"]
        else:
            await super().hear(socket, message)


class Moving(GoodBot):
    """Moves as it should, but for some members."""

    def __init__(self, wrong: Callable[[Json], Json]) -> None:
        super().__init__()
        self.wrong = wrong

    def move(self, turn: Json) -> Json:
        return {**super().move(turn), **self.wrong(turn)}


class NoPly(GoodBot):
    """Leaves out the number of the question."""

    def move(self, turn: Json) -> Json:
        move = super().move(turn)
        del move["ply"]
        return move


class SixPits(GoodBot):
    """Believes that every row has six pits, and sows the last."""

    def move(self, turn: Json) -> Json:
        pit = 5 if turn["state"]["pits"][turn["state"]["current_player"]][-1] else turn["legal"][0]
        return {**super().move(turn), "pit": pit}


class OneMoveATurn(GoodBot):
    """Believes that the opponent moves next, whatever happened."""

    def __init__(self) -> None:
        super().__init__()
        self.last_ply: dict[str, int] = {}

    async def answer(self, socket: ClientConnection, turn: Json) -> None:
        is_second = self.last_ply.get(turn["game"]) == turn["ply"] - 1
        self.last_ply[turn["game"]] = turn["ply"]
        if not is_second:
            await super().answer(socket, turn)


class Strict(GoodBot):
    """Ends when a message has a member that it does not know."""

    async def hear(self, socket: ClientConnection, message: Json) -> None:
        if "weather" in message:
            await socket.close()
        await super().hear(socket, message)


class Complete(GoodBot):
    """Ends at a message of a type that it does not know."""

    async def hear(self, socket: ClientConnection, message: Json) -> None:
        if message["type"] == "weather":
            await socket.close()
        await super().hear(socket, message)


class FirstRow(GoodBot):
    """Reads the row of seat 0 whatever its own seat is."""

    def move(self, turn: Json) -> Json:
        row = turn["state"]["pits"][0]
        common = [pit for pit in turn["legal"] if row[pit]]
        pit = common[0] if common else next(pit for pit, seeds in enumerate(row) if seeds)
        return {**super().move(turn), "pit": pit}


class Touchy(GoodBot):
    """Says goodbye at any error."""

    async def hear(self, socket: ClientConnection, message: Json) -> None:
        if message["type"] == "error":
            await self.say(socket, {"type": "goodbye"})
        await super().hear(socket, message)


class Slow(GoodBot):
    """Takes the same time whatever the clock says."""

    async def answer(self, socket: ClientConnection, turn: Json) -> None:
        if turn["deadline_ms"] < 1000:
            return  # the answer that would come after the flag
        await super().answer(socket, turn)


class OneGame(GoodBot):
    """Answers all turns as if they were of the game that began last."""

    def __init__(self) -> None:
        super().__init__()
        self.game = ""

    async def hear(self, socket: ClientConnection, message: Json) -> None:
        if message["type"] == "game_start":
            self.game = message["game"]
        await super().hear(socket, message)

    def move(self, turn: Json) -> Json:
        return {**super().move(turn), "game": self.game}


class Chatterbox(GoodBot):
    """Sends a provisional move for each node that it visits."""

    async def answer(self, socket: ClientConnection, turn: Json) -> None:
        for _ in range(40):
            await self.say(socket, {**self.move(turn), "provisional": True})
        await super().answer(socket, turn)


class Resigns(GoodBot):
    """Resigns when the referee has moved for it."""

    async def hear(self, socket: ClientConnection, message: Json) -> None:
        if message.get("forced"):
            await self.say(socket, {"type": "resign", "game": message["game"]})
        await super().hear(socket, message)


class LosesCount(GoodBot):
    """Takes a repeated start for a new game and counts plies anew."""

    def __init__(self) -> None:
        super().__init__()
        self.starts: dict[str, int] = {}

    async def hear(self, socket: ClientConnection, message: Json) -> None:
        if message["type"] == "game_start":
            self.starts[message["game"]] = self.starts.get(message["game"], 0) + 1
        await super().hear(socket, message)

    def move(self, turn: Json) -> Json:
        return {**super().move(turn), "ply": turn["ply"] + 10 * (self.starts[turn["game"]] - 1)}


class GivesUp(GoodBot):
    """Ends when its connection is lost."""

    async def run(self, url: str) -> None:
        with suppress(ConnectionClosed):
            async with connect(url, compression=None) as socket:
                await self.live(socket)


class LeavesAtPing(GoodBot):
    """Drops its connection instead of a pong."""

    async def live(self, socket: ClientConnection) -> None:
        await self.say(socket, self.hello())
        socket.protocol.send_frame = lambda _: socket.transport.abort()  # type: ignore[assignment,method-assign]
        await socket.wait_closed()


class Forgetful(GoodBot):
    """Comes back as a stranger."""

    def hello(self) -> Json:
        self.session = None
        return super().hello()


class Hasty(GoodBot):
    """Comes back immediately, whatever the goodbye said."""

    async def hear(self, socket: ClientConnection, message: Json) -> None:
        if message["type"] != "goodbye":
            await super().hear(socket, message)


class Stubborn(GoodBot):
    """Repeats a secret that was refused."""

    async def hear(self, socket: ClientConnection, message: Json) -> None:
        if message["type"] != "error":
            await super().hear(socket, message)


class Jealous(GoodBot):
    """Comes back when another connection has taken over."""

    async def run(self, url: str) -> None:
        while True:
            await super().run(url)


class ForeignName(GoodBot):
    """Has a name that no server takes."""

    def hello(self) -> Json:
        return {**super().hello(), "name": "my bot!"}


class Invents(GoodBot):
    """Sends a message of its own making."""

    async def answer(self, socket: ClientConnection, turn: Json) -> None:
        await self.say(socket, {"type": "thinking", "game": turn["game"]})


class PlaysChess(GoodBot):
    """Seeks a match of a game that the server does not know."""

    async def hear(self, socket: ClientConnection, message: Json) -> None:
        if message["type"] == "welcome":
            await self.say(socket, {"type": "seek", "rules": "chess"})
        else:
            await super().hear(socket, message)


class LeavesEarly(GoodBot):
    """Says goodbye after its first match."""

    async def hear(self, socket: ClientConnection, message: Json) -> None:
        if message["type"] == "match_over":
            await self.say(socket, {"type": "goodbye"})
        await super().hear(socket, message)


class OneMatch(GoodBot):
    """Asks for one match, leaves after it, and comes back as new."""

    async def hear(self, socket: ClientConnection, message: Json) -> None:
        await super().hear(socket, message)
        if message["type"] == "match_over":
            self.session = None
            await self.say(socket, {"type": "goodbye"})

    async def say(self, socket: ClientConnection, message: Json) -> None:
        await super().say(socket, {**message, "matches": 1} if "ladder" in message else message)


class Twins(GoodBot):
    """Runs twice under one name."""

    async def run(self, url: str) -> None:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(super().run(url))
            await asyncio.sleep(0)
            tasks.create_task(GoodBot().run(url))


class Deliberate(GoodBot):
    """Takes most of the time of each question, and one question after the other."""

    async def answer(self, socket: ClientConnection, turn: Json) -> None:
        await asyncio.sleep(0.9 * turn["deadline_ms"] / 1000)
        await super().answer(socket, turn)


BROKEN: Final[Mapping[type[GoodBot], tuple[str, str]]] = {
    Mute: ("hello and welcome", "hello within 1 s; got nothing"),
    SeeksFirst: ("hello and welcome", "the client may not say seek while connected"),
    OldProtocol: ("hello and welcome", "the protocol mancala.v1; got 'mancala.v0'"),
    Binary: ("hello and welcome", "expected a text frame; got a binary frame"),
    SpeaksTooSoon: ("hello and welcome", "the client may not say join while greeting"),
    Passive: ("asking for games", "seek, join, or accept after a challenge; got none of them"),
    NoPly: ("a whole game", "missing required field `ply`"),
    SixPits: ("other sizes", "got pit 5"),
    LeavesAtPing: ("ping frames", "that the bot stays connected; got it closed the connection"),
    OneMoveATurn: ("extra turns", "ply 1, within 300 ms; got nothing"),
    Strict: ("new members", "that the bot stays connected; got it closed the connection"),
    Complete: ("new messages", "that the bot stays connected; got it closed the connection"),
    FirstRow: ("the second seat", "one of the legal pits [0, 1, 2] of <6,0,0,4,4,4,0,0,0"),
    Touchy: ("errors that are not fatal", "that the bot stays until the end of the check"),
    Slow: ("small clocks", "ply 0, within 200 ms; got nothing"),
    OneGame: ("two games at once", "within 300 ms; got nothing"),
    Chatterbox: ("provisional moves", "at most 32 answers to one turn; got 33 of them"),
    Resigns: ("forced moves and ends", "a move; got the bot resigned game"),
    LosesCount: ("repeated messages", "got a move for ply 12"),
    GivesUp: ("a dropped connection", "a connection within 2 s; got none"),
    Forgetful: ("a dropped connection", "the secret of the welcome in hello.resume; got no"),
    Hasty: ("a restart of the server", "a connection after 10 s; got one after "),
    Stubborn: ("a forgotten session", "hello without resume; got the secret that was refused"),
    Jealous: ("a replaced connection", "that the bot stays away; got it connected again"),
    ForeignName: ("hello and welcome", "Expected `str` matching regex"),
    Invents: ("a whole game", "Invalid value 'thinking'"),
    PlaysChess: ("asking for games", "no rules named 'chess'"),
    LeavesEarly: ("other sizes", "that the bot stays until the end of the check"),
    Twins: ("a dropped connection", "got a further one while the first was open"),
}
WRONG: Final[Mapping[str, tuple[Callable[[Json], Json], str, str]]] = {
    "from one": (
        lambda turn: {"pit": turn["legal"][-1] + 1},
        *("a whole game", "one of the legal pits [0, 1, 2, 3, 4, 5]"),
    ),
    "a float": (
        lambda turn: {"pit": float(turn["legal"][0])},
        *("a whole game", "Expected `int`, got `float` - at `$.pit`"),
    ),
    "a text": (
        lambda turn: {"pit": str(turn["legal"][0])},
        *("a whole game", "Expected `int`, got `str` - at `$.pit`"),
    ),
    "ahead": (
        lambda turn: {"ply": turn["ply"] + 1},
        *("a whole game", "got a move for ply 1"),
    ),
    "no such game": (
        lambda _turn: {"game": "game0"},
        *("a whole game", "the id of a game that was started on this connection"),
    ),
    "all that it thought": (
        lambda _turn: {"info": {"comment": "x" * 20_000}},
        *("a whole game", "bytes; the limit is 16384"),
    ),
    "never final": (
        lambda _turn: {"provisional": True},
        *("provisional moves", "got only provisional moves"),
    ),
}
"""What a bot has wrong in its moves, in which situation it fails, and with what sentence."""

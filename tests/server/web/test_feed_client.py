"""The feed, both ends together: what the web learns of the game server, and at what price."""

from __future__ import annotations

import asyncio
import socket
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from protocol.clock import TimeControl
from protocol.rules import Rules
from server.health.log import NullLog
from server.model.schemas.bots import BotPresence, OpponentList, RatingBases, RatingBasis
from server.model.schemas.games import LiveGame
from server.model.schemas.ladders import LadderList, StandingsView, SuperiorityView, TermsView
from server.model.schemas.status import BrokerState, Readiness, ServerView
from server.web import feed_client
from server.web.feed import LONGEST_ANSWER
from server.web.feed_client import FeedClient, FeedError
from server.web.feed_server import feed_socket, serve_feed
from server.web.live_state import UnavailableError
from tests.patience import PATIENCE_S

ABOUT = ServerView(
    server="test",
    protocol="mancala.v1",
    websocket=None,
    websocket_port=1,
    games_running=3,
    guests=True,
)


@dataclass
class Scripted:
    """A game server that counts the questions, and answers when it may."""

    asked: Counter[str] = field(default_factory=Counter)
    may_answer: asyncio.Event = field(default_factory=asyncio.Event)

    def is_alive(self) -> bool:
        """Return True."""
        return True

    def about(self) -> ServerView:
        """Return the server's name."""
        return ABOUT

    async def live(self, game: str) -> LiveGame | None:
        """Return no game."""
        self.asked[f"live {game}"] += 1
        return None

    async def presence(self, name: str) -> BotPresence:
        """Return a bot that is here, once it may."""
        self.asked[f"presence {name}"] += 1
        await self.may_answer.wait()
        return BotPresence(present=True, agent=None, playing=(name,))

    async def ladders(self) -> LadderList:
        """Fail."""
        raise ZeroDivisionError("a fault")

    async def terms(self) -> TermsView:
        """Return no ladder's."""
        return TermsView(guests=True, ladders=())

    async def opponents(self) -> OpponentList:
        """Return nobody, by Kalah(6,4)."""
        return OpponentList(opponents=(), rules=Rules(), clock=TimeControl())

    async def standings(self, ladder: str) -> StandingsView | None:
        """Return empty standings."""
        return StandingsView(ladder=ladder, at=None, standings=())

    async def rests_on(self, bot: str) -> RatingBases:
        """Return one version of the bot, without games."""
        return RatingBases(bases=(RatingBasis(ladder="main", name=bot, rests_on=()),))

    async def superiority(self, ladder: str) -> SuperiorityView | None:
        """Return one ladder's."""
        if ladder != "main":
            return None
        return SuperiorityView(ladder=ladder, names=("ann", "bob"), los=((0.5, 0.9), (0.1, 0.5)))

    async def readiness(self) -> Readiness:
        """Return that it is ready."""
        return Readiness(ready=True, store="ok", broker=BrokerState.NONE)

    async def metrics(self) -> str:
        """Return one metric."""
        return "mancala_plies_total 7.0\n"


@dataclass(frozen=True)
class Joined:
    """Both ends of a feed.

    Attributes:
        client: the web's end.
        scripted: the game server.
        feeding: the game server's end, as a task.
    """

    client: FeedClient
    scripted: Scripted
    feeding: asyncio.Task[None]


@asynccontextmanager
async def joined() -> AsyncIterator[Joined]:
    """Connect a client with a scripted server, and wait for the first pulse."""
    ours, theirs = socket.socketpair()
    scripted, client = Scripted(), FeedClient()
    reader, writer = await asyncio.open_connection(sock=ours)
    async with asyncio.timeout(PATIENCE_S), asyncio.TaskGroup() as tasks:
        feeding = tasks.create_task(serve_feed(scripted, reader, writer, NullLog()))
        connection = await asyncio.open_connection(sock=theirs, limit=LONGEST_ANSWER)
        following = tasks.create_task(client.run(*connection))
        await client.readiness()
        yield Joined(client, scripted, feeding)
        scripted.may_answer.set()
        feeding.cancel()
        await following


async def test_every_topic_is_answered() -> None:
    """What the read model knows arrives as it is, and what there is not arrives as None."""
    async with joined() as both:
        both.scripted.may_answer.set()
        client = both.client
        assert client.is_alive()
        assert client.about() == ABOUT
        assert await client.live("abc") is None
        assert await client.presence("ann") == BotPresence(
            present=True, agent=None, playing=("ann",)
        )
        assert await client.standings("main") == StandingsView(ladder="main", at=None, standings=())
        assert [basis.name for basis in (await client.rests_on("ann")).bases] == ["ann"]
        compared = await client.superiority("main")
        assert compared is not None
        assert compared.los[0] == (0.5, 0.9)
        assert await client.superiority("other") is None
        assert (await client.readiness()).ready
        assert await client.metrics() == "mancala_plies_total 7.0\n"


async def test_many_viewers_of_one_thing_cost_one_question(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Those who ask meanwhile wait for the same answer, and those who ask after it get it too."""
    monkeypatch.setattr(feed_client, "KEPT_S", PATIENCE_S)
    async with joined() as both:
        viewers = [asyncio.create_task(both.client.presence("ann")) for _ in range(50)]
        await asyncio.sleep(0)
        both.scripted.may_answer.set()
        assert len(set(await asyncio.gather(*viewers))) == 1
        await both.client.presence("ann")
        assert both.scripted.asked == {"presence ann": 1}


async def test_an_answer_is_kept_for_a_moment_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """With no time to keep it, the next viewer's question goes to the game server again."""
    monkeypatch.setattr(feed_client, "KEPT_S", 0.0)
    async with joined() as both:
        for _ in range(3):
            await both.client.live("abc")
        assert both.scripted.asked == {"live abc": 3}


async def test_a_viewer_who_leaves_takes_no_answer_from_others() -> None:
    """A cancelled request ends alone."""
    async with joined() as both:
        leaver, stayer = (asyncio.create_task(both.client.presence("ann")) for _ in range(2))
        await asyncio.sleep(0)
        leaver.cancel()
        both.scripted.may_answer.set()
        assert (await stayer).present
        assert leaver.cancelled()


async def test_a_fault_of_the_game_server_fails_one_question() -> None:
    """The next question is answered."""
    async with joined() as both:
        with pytest.raises(FeedError):
            await both.client.ladders()
        assert (await both.client.readiness()).ready


async def test_too_many_questions_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """They do not pile up while the game server is slow."""
    monkeypatch.setattr(feed_client, "OPEN_QUESTIONS", 1)
    async with joined() as both:
        first = asyncio.create_task(both.client.presence("ann"))
        await asyncio.sleep(0)
        with pytest.raises(UnavailableError, match="busy"):
            await both.client.presence("bob")
        both.scripted.may_answer.set()
        assert (await first).present


async def test_a_silent_game_server_is_not_alive(monkeypatch: pytest.MonkeyPatch) -> None:
    """After the time without a pulse nothing is claimed about it."""
    async with joined() as both:
        monkeypatch.setattr(feed_client, "SILENT_S", -1.0)
        assert not both.client.is_alive()
        with pytest.raises(UnavailableError):
            both.client.about()


async def test_questions_end_with_the_connection() -> None:
    """A viewer who waits is told, and so is one who comes later."""
    async with joined() as both:
        waiting = asyncio.create_task(both.client.presence("ann"))
        await asyncio.sleep(0)
        both.feeding.cancel()
        with pytest.raises(UnavailableError):
            await waiting
        assert not both.client.is_alive()
        with pytest.raises(UnavailableError):
            await both.client.readiness()


async def test_a_client_that_was_never_connected_knows_nothing() -> None:
    """A web process may start before its game server."""
    client = FeedClient()
    assert not client.is_alive()
    with pytest.raises(UnavailableError):
        await client.ladders()


async def test_the_feed_on_a_path_is_for_this_user_and_one_process(tmp_path: Path) -> None:
    """A second web process is turned away, and nothing stays behind."""
    path = tmp_path / "feed"
    async with asyncio.timeout(PATIENCE_S):
        async with feed_socket(str(path), Scripted(), NullLog()):
            assert path.stat().st_mode & 0o077 == 0
            reader, writer = await asyncio.open_unix_connection(str(path))
            assert await reader.readline()
            second, second_writer = await asyncio.open_unix_connection(str(path))
            assert await second.read() == b""
            second_writer.close()
            writer.close()
        assert not path.exists()

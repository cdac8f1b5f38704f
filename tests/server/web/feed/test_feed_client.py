"""The feed, both ends together: what the web learns of the game server, and at what price."""

import asyncio
import socket
from collections import Counter
from collections.abc import AsyncIterator, Callable, Hashable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import pytest
from msgspec import Raw

from mancala.protocol import codec
from mancala.protocol.clock import TimeControl
from mancala.protocol.rules import Rules
from mancala.server.health.link import LinkLine, LocalLink
from mancala.server.health.log import NullLog
from mancala.server.model.schemas.bots import (
    BestRatings,
    BotPlaces,
    BotPresence,
    BotSchedule,
    OpponentList,
)
from mancala.server.model.schemas.event_orders import EventOrderAnswer, GivenOrder
from mancala.server.model.schemas.ladders import (
    LadderList,
    StandingsView,
    SuperiorityView,
    TermsView,
)
from mancala.server.model.schemas.status import BrokerState, LogView, Readiness, ServerView
from mancala.server.model.schemas.views import View
from mancala.server.web.feed import feed_client, topics
from mancala.server.web.feed.feed_client import FeedClient
from mancala.server.web.feed.feed_server import feed_socket, serve_feed
from mancala.server.web.feed.topics import TOPICS, InPlay, MetricsText, Topic, UnavailableError
from mancala.server.web.feed.viewers import MISSED_END, GameEvent, Receive
from tests.patience import PATIENCE_S

A = TypeVar("A", bound=View | None)

ABOUT = ServerView(
    server="test",
    protocol="mancala.v1",
    websocket=None,
    websocket_port=1,
    games_running=3,
    guests=True,
)


ANSWERS: dict[str, Callable[[Any], View | None]] = {
    "live": lambda _game: None,
    "presence": lambda name: BotPresence(present=True, agent=None, playing=(name,)),
    "ladders": lambda _: LadderList(ladders=()),
    "terms": lambda _: TermsView(guests=True, ladders=()),
    "next": lambda bot: BotSchedule(bot=bot, matches=()),
    "opponents": lambda _: OpponentList(opponents=(), rules=Rules(), clock=TimeControl()),
    "standings": lambda rows: StandingsView(ladder=rows.ladder, at=None, standings=()),
    "places": lambda _bot: BotPlaces(places=()),
    "best_ratings": lambda bots: BestRatings(ratings=dict.fromkeys(bots, 1500.0)),
    "superiority": lambda ladder: (
        SuperiorityView(ladder=ladder, names=("ann", "bob"), los=((0.5, 0.9), (0.1, 0.5)))
        if ladder == "main"
        else None
    ),
    "readiness": lambda _: Readiness(ready=True, store="ok", broker=BrokerState.NONE),
    "in_play": lambda _: InPlay(is_in_play=False),
    "log": lambda _: LogView(log=()),
    "order": lambda given: EventOrderAnswer(status=409, error=f"{given.event} is over"),
    "metrics": lambda _: MetricsText(text="mancala_plies_total 7.0\n"),
}


SUBJECTS: dict[Topic[Any], Hashable] = {
    topics.STANDINGS: topics.StandingRows(0, 10, "main"),
    topics.BEST_RATINGS: ("ann", "bob"),
    topics.ORDER: GivenOrder("cup", "ann", "token", "{}", "203.0.113.9"),
}


@dataclass
class CountingServer:
    """A game server that counts the questions, and answers when it may."""

    asked: Counter[tuple[str, Hashable]] = field(default_factory=Counter)
    may_answer: asyncio.Event = field(default_factory=asyncio.Event)
    following: list[str] = field(default_factory=list)
    receive: Receive = print
    slow: Topic[Any] = topics.PRESENCE

    def is_alive(self) -> bool:
        return True

    def about(self) -> ServerView:
        return ABOUT

    def follow(self, game: str, receive: Receive) -> Callable[[], None]:
        """Send events to what is called, until that is ended."""
        self.following.append(game)
        self.receive = receive
        return lambda: self.following.remove(game)

    async def ask(self, topic: Topic[A], subject: Hashable = "") -> A:
        """Return a scripted answer: on the slow topic once it may, and a fault on ladders."""
        self.asked[topic.name, subject] += 1
        if topic is self.slow:
            await self.may_answer.wait()
        if topic is topics.LADDERS:
            raise ZeroDivisionError("a fault")
        answer: Any = ANSWERS[topic.name](subject)
        return answer  # type: ignore[no-any-return]  # each is of its topic's type


@dataclass(frozen=True)
class FeedEnds:
    """Both ends of a feed."""

    client: FeedClient
    scripted: CountingServer
    feeding: asyncio.Task[None]


async def link_over(end: socket.socket, hears: Mapping[str, Any]) -> LocalLink:
    return LocalLink(*await asyncio.open_connection(sock=end), NullLog(), "other end", hears)


@asynccontextmanager
async def joined() -> AsyncIterator[FeedEnds]:
    """Connect a client with a scripted server, and wait for the first pulse."""
    ours, theirs = socket.socketpair()
    scripted, client = CountingServer(), FeedClient()
    async with asyncio.timeout(PATIENCE_S), asyncio.TaskGroup() as tasks:
        asked = await link_over(ours, topics.ASKED)
        feeding = tasks.create_task(serve_feed(scripted, asked, NullLog()))
        following = tasks.create_task(client.run(await link_over(theirs, topics.TOLD)))
        await client.ask(topics.READINESS)
        yield FeedEnds(client, scripted, feeding)
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
        for name, topic in TOPICS.items():
            if topic is not topics.LADDERS:
                subject = SUBJECTS.get(topic, "main")
                assert await client.ask(topic, subject) == ANSWERS[name](subject)
        assert await client.ask(topics.SUPERIORITY, "other") is None
        assert TOPICS.keys() == ANSWERS.keys()


async def test_an_order_is_carried_out_each_time() -> None:
    """Also the same one again, which may have been taken back meanwhile."""
    async with joined() as both:
        for _ in range(2):
            await both.client.ask(topics.ORDER, SUBJECTS[topics.ORDER])
        assert both.scripted.asked["order", SUBJECTS[topics.ORDER]] == 2


async def test_an_order_has_more_time_than_a_viewers_question(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It waits for others; its client heard 503 after 4 s, and it was carried out later."""
    async with joined() as both:
        monkeypatch.setattr(feed_client, "ANSWER_S", 0.0)
        assert (await both.client.ask(topics.ORDER, SUBJECTS[topics.ORDER])).status == 409


async def test_many_viewers_of_one_thing_cost_one_question(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those who ask meanwhile wait for the same answer, and those who ask after it get it too."""
    monkeypatch.setattr(feed_client, "KEPT_S", PATIENCE_S)
    async with joined() as both:
        viewers = [asyncio.create_task(both.client.ask(topics.PRESENCE, "ann")) for _ in range(50)]
        await asyncio.sleep(0)
        both.scripted.may_answer.set()
        assert len(set(await asyncio.gather(*viewers))) == 1
        await both.client.ask(topics.PRESENCE, "ann")
        assert both.scripted.asked["presence", "ann"] == 1


async def test_an_answer_is_kept_for_a_moment_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """With no time to keep it, the next viewer's question goes to the game server again."""
    monkeypatch.setattr(feed_client, "KEPT_S", 0.0)
    async with joined() as both:
        for _ in range(3):
            await both.client.ask(topics.LIVE, "abc")
        assert both.scripted.asked["live", "abc"] == 3


async def test_a_viewer_who_leaves_takes_no_answer_from_others() -> None:
    """A cancelled request ends alone."""
    async with joined() as both:
        leaver, stayer = (
            asyncio.create_task(both.client.ask(topics.PRESENCE, "ann")) for _ in range(2)
        )
        await asyncio.sleep(0)
        leaver.cancel()
        both.scripted.may_answer.set()
        assert (await stayer).present
        assert leaver.cancelled()


async def test_a_fault_of_the_game_server_fails_one_question() -> None:
    """The next question is answered."""
    async with joined() as both:
        with pytest.raises(UnavailableError, match="its log has the details"):
            await both.client.ask(topics.LADDERS)
        assert (await both.client.ask(topics.READINESS)).ready


async def test_too_many_questions_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """They do not pile up while the game server is slow."""
    monkeypatch.setattr(feed_client, "OPEN_QUESTIONS", 1)
    async with joined() as both:
        first = asyncio.create_task(both.client.ask(topics.PRESENCE, "ann"))
        await asyncio.sleep(0)
        with pytest.raises(UnavailableError, match="busy"):
            await both.client.ask(topics.PRESENCE, "bob")
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
    """A viewer who waits gets an error, and so does one who comes later."""
    async with joined() as both:
        waiting = asyncio.create_task(both.client.ask(topics.PRESENCE, "ann"))
        await asyncio.sleep(0)
        both.feeding.cancel()
        with pytest.raises(UnavailableError):
            await waiting
        assert not both.client.is_alive()
        with pytest.raises(UnavailableError):
            await both.client.ask(topics.READINESS)


@pytest.mark.parametrize("sent", [b'{"topic":"li', b"nonsense\n"])
async def test_a_web_process_that_breaks_off_ends_only_its_feed(sent: bytes) -> None:
    """The game server's end of it, which is a task of the server, ends without an error."""
    ours, theirs = socket.socketpair()
    async with asyncio.timeout(PATIENCE_S):
        theirs.sendall(sent)
        theirs.shutdown(socket.SHUT_WR)
        await serve_feed(CountingServer(), await link_over(ours, topics.ASKED), NullLog())
    theirs.close()


@pytest.mark.parametrize("sent", [b'{"topic":"ab', b"nonsense\n"])
async def test_a_game_server_that_breaks_off_leaves_the_web_waiting(sent: bytes) -> None:
    """A web process apart looks for the next one."""
    ours, theirs = socket.socketpair()
    client = FeedClient()
    async with asyncio.timeout(PATIENCE_S):
        link = await link_over(theirs, topics.TOLD)
        ours.sendall(sent)
        ours.close()
        await client.run(link)
    assert not client.is_alive()


async def test_a_client_that_was_never_connected_knows_nothing() -> None:
    """A web process may start before its game server."""
    client = FeedClient()
    assert not client.is_alive()
    with pytest.raises(UnavailableError):
        await client.ask(topics.LADDERS)


async def test_the_feed_on_a_path_is_for_this_user_and_one_process(tmp_path: Path) -> None:
    """A second web process is turned away, and nothing stays behind."""
    path = tmp_path / "feed"
    async with asyncio.timeout(PATIENCE_S):
        async with feed_socket(str(path), CountingServer(), NullLog()):
            assert path.stat().st_mode & 0o077 == 0
            reader, writer = await asyncio.open_unix_connection(str(path))
            assert await reader.readline()
            second, second_writer = await asyncio.open_unix_connection(str(path))
            assert await second.read() == b""
            second_writer.close()
            writer.close()
        assert not path.exists()


async def test_an_order_that_waits_keeps_no_further_web_process_out(tmp_path: Path) -> None:
    """It is carried out; its answer is for a process that is gone."""
    path, scripted = str(tmp_path / "feed"), CountingServer(slow=topics.ORDER)
    asked = LinkLine("order", 1, Raw(codec.to_line(SUBJECTS[topics.ORDER])))
    async with asyncio.timeout(PATIENCE_S), feed_socket(path, scripted, NullLog()):
        reader, writer = await asyncio.open_unix_connection(path)
        writer.write(codec.to_line(asked) + b"\n")
        while not scripted.asked:
            await reader.readline()
        writer.close()
        pulse = b""
        while not pulse:
            reader, writer = await asyncio.open_unix_connection(path)
            pulse = await reader.readline()
            writer.close()


async def test_a_game_is_sent_once_to_all_who_follow_it() -> None:
    """The game server is asked by the first, and again only when the last has left."""
    async with joined() as both:
        heard: list[list[GameEvent]] = [[], []]
        leave = [both.client.follow("g", each.append) for each in heard]
        await both.client.ask(topics.TERMS)
        assert both.scripted.following == ["g"]
        both.scripted.receive(GameEvent(3, b"{}"))
        await both.client.ask(topics.OPPONENTS)
        assert heard == [[(3, b"{}")], [(3, b"{}")]]
        leave[0]()
        await both.client.ask(topics.BEST_RATINGS, ("ann",))
        assert both.scripted.following == ["g"]
        both.scripted.receive(GameEvent(4, b"{}"))
        await both.client.ask(topics.NEXT, "ann")
        assert [len(each) for each in heard] == [1, 2]
        leave[1]()
        await both.client.ask(topics.STANDINGS, topics.StandingRows(0, 1, "x"))
        assert both.scripted.following == []


async def test_followers_learn_that_the_feed_is_cut_off() -> None:
    """Their stream ends, and the next one waits for the game server."""
    async with joined() as both:
        heard: asyncio.Queue[GameEvent] = asyncio.Queue()
        both.client.follow("g", heard.put_nowait)
        both.feeding.cancel()
        assert await heard.get() == MISSED_END

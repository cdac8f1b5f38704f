"""Settings of a written file that few tests give a whole server, each seen from outside."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

import httpx
import pytest

from mancala.bot.client.reconnect import dial, unix_url
from mancala.protocol import messages as wire
from mancala.protocol.messages import Info, Outcome, Reason
from mancala.protocol.referee import LedgerEntry
from mancala.server.app.server import Server
from mancala.server.app.system import System
from mancala.server.config.loading import load
from mancala.server.model.journal import (
    Entry,
    GameClosed,
    GameOpened,
    MovePlayed,
    ReviewQueued,
)
from mancala.server.model.review.reviews import QueuedReview, Urgency
from tests.patience import PATIENCE_S, WALK_S, until
from tests.server.peers import Arena, Peer, kgp_of, played_out
from tests.server.store.databases import execute, rows
from tests.server.store.test_store import OPENED, UTC, announcement

LATER = "2026-11-25T12:00:00.000+00:00"
FIRST, SECOND = "<2,0,0,1,0,1,1>", "<2,0,0,0,2,1,1>"
GAMES = """
rules = "kalah:pits=2,seeds=1"
clock = {move_ms = 60_000}
"""
ROOMS = f"""
[play]
exhibition_s = 0.01

[kgp]
tcp_port = 0
event = "evening"

[[ladder]]
name = "main"
house = {{hal = "random", hob = "random"}}
names = ["a*"]
{GAMES}
[[ladder]]
name = "club"
guests = false

[[event]]
name = "final"
format = "match"
entrants = ["ann", "abe"]
about = "A board for the winner."
openings = ["{FIRST}"]
openings_file = "fair.txt"
games = 4
{GAMES}
[[event]]
name = "beginners"
format = "swiss"
enter = "open"
rating_in = "main"
max_rating = 1500.0

[[event]]
name = "evening"
format = "swiss"
enter = "open"
"""
DIVISION = """
[[event]]
name = "friday-3-{division}"
format = "match"
entrants = ["{first}", "{second}"]
absent_s = 0.0
series = "friday"
edition = 3
division = {division}
promoted = 1
every_days = 7.0
starts = "2026-11-20T12:00:00+00:00"
"""
DIVISIONS = "".join(
    DIVISION.format(division=division, first=first, second=second)
    for division, first, second in ((1, "ann", "abe"), (2, "bob", "bea"))
)


@asynccontextmanager
async def written(folder: Path, text: str, system: System | None = None) -> AsyncIterator[Arena]:
    path = folder / "arena.toml"
    usual = 'name = "test"\nport = 0\nhttp_port = 0\ndrain_s = 0.0\nmqtt.private_broker = false\n'
    path.write_text(f'{usual}store = "arena.sqlite3"\n{text}')
    async with asyncio.timeout(WALK_S), Server(load(path), system=system) as server:
        running = Arena(server.url, server)
        try:
            yield running
        finally:
            for peer in running.peers:
                await peer.hang_up()


def finished() -> list[Entry]:
    """Return a match of three games, each with a report and a review to come."""
    entries: list[Entry] = [OPENED]
    for number, game in enumerate(("g1", "g2", "g3")):
        ended = Outcome(0, (25, 23), Reason.NORMAL, None)
        report = Info(comment="x" * 100)
        entries += [
            GameOpened(game, "m", number, UTC),
            MovePlayed(game, 0, LedgerEntry(2, 1.0, 0.0), report, forced=False),
            GameClosed(game, ended, UTC, announcement(game)),
            ReviewQueued(QueuedReview(game, Urgency.LOST, UTC), ("ann", "bob"), None),
        ]
    return entries


async def test_rooms_of_a_written_file_are_as_it_says(tmp_path: Path) -> None:
    """Who may come in reads why not; the games begin as it says, those of its house as well."""
    (tmp_path / "fair.txt").write_text(f"{SECOND}\n")
    async with written(tmp_path, ROOMS) as running:
        bob = await running.greet("bob")
        refused = []
        for asked in (wire.Join("main"), wire.Join("club"), wire.Enter("beginners")):
            if isinstance(asked, wire.Enter):
                await running.order("event-open", event="beginners")
            await bob.say(asked)
            refused.append((await bob.hear(wire.Error)).message)
        ann, abe = [await running.greet(name) for name in ("ann", "abe")]
        await ann.say(wire.Join("main"))
        await ann.hear(wire.Joined)
        await ann.say(wire.Leave("main"))
        await running.order("event-open", event="evening")
        place = urlsplit(kgp_of(running.server).urls[0])
        _reader, writer = await asyncio.open_connection(place.hostname, place.port)
        writer.write(b'set info:name "kit"\nmode freeplay\n')
        while not (evening := await running.order("event-show", event="evening"))["entrants"]:
            pass
        writer.close()
        await running.order("event-start", event="final")
        await played_out(ann, abe)
        async with httpx.AsyncClient(trust_env=False, timeout=PATIENCE_S) as http:
            shown = (await http.get(f"{running.server.http_url}/api/v1/events/final")).json()
        with TemporaryDirectory() as folder:  # a short path, as a unix socket needs
            await running.server.open_to_own(f"{folder}/house")
            for name in ("hal", "hob"):
                peer = Peer(await dial(unix_url(f"{folder}/house"), compression=None))
                running.peers.append(peer)
                await peer.say(wire.Hello(wire.VERSION, name, challenges=True))
            exhibited = await peer.hear(wire.GameStart)
    assert refused == [
        "the ladder main isn't open to bob",
        "the ladder club takes bots with a token only",
        "beginners: only bots with a rating of 1500 or less in main may enter; bob has none",
    ]
    begun = [
        each.opening and each.opening.pits for each in ann.heard if isinstance(each, wire.GameStart)
    ]
    assert begun == [((1, 0), (1, 1))] * 2 + [((0, 2), (1, 1))] * 2
    assert [each["name"] for each in evening["entrants"]] == ["kit"]
    assert shown["about"] == "A board for the winner."
    assert sorted(exhibited.names) == ["hal", "hob"]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("", (3, 3, 3)),
        ("keep.reviews_days = 1", (3, 2, 3)),
        ("keep.reports_days = 1", (0, 3, 3)),
        ("limits.info_bytes = 150", (1, 3, 3)),
        ("reviewers.queue = 1", (3, 2, 3)),
        ("mqtt.keep_days = 1", (3, 3, 0)),
        ("mqtt.keep_days = 1\nkeep.quiet_hour = 12", (3, 3, 0)),
    ],
)
async def test_what_is_kept_is_as_a_written_file_says(
    tmp_path: Path, text: str, left: tuple[int, int, int]
) -> None:
    """Reports, reviews and published payloads; in the quiet hour the file gives up its room."""
    async with written(tmp_path, text, System(utc=lambda: LATER)) as running:
        server, place = running.server, running.server.config.store_path
        server.store.commit(finished(), lambda: None)
        await server.store.mark_published([1, 2, 3], UTC)
        execute(place, "UPDATE reviews SET version = 1 WHERE game = 'g3'")
        execute(place, "UPDATE outbox SET payload = hex(zeroblob(100000))")
        await server.housekeeper.keep()
        found = tuple(
            rows(place, f"SELECT count(*) FROM {query}")[0][0]  # noqa: S608  # a test's own
            for query in ("games WHERE infos IS NOT NULL", "reviews", "outbox")
        )
        with closing(sqlite3.connect(place)) as connection:
            [unused] = connection.execute("PRAGMA freelist_count").fetchone()
    assert found == left
    assert (unused > 0) == ("keep_days" in text and "quiet_hour" not in text)


async def test_divisions_of_a_written_edition_make_the_next_one(tmp_path: Path) -> None:
    """Once both are over, which needs no player: the last of one and the first of the other."""
    async with written(tmp_path, DIVISIONS, System(utc=lambda: LATER)) as running:
        contests = running.server.target.sessions.contests
        await until(lambda: contests.get("friday-4-2"))
        events = (await running.order("event-list"))["events"]
    assert [(each["name"], [bot["name"] for bot in each["entrants"]]) for each in events[2:]] == [
        ("friday-4-1", ["abe", "bea"]),
        ("friday-4-2", ["ann", "bob"]),
    ]

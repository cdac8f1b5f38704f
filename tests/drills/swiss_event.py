"""``python -m tests.drills.swiss_event``: a Swiss event with all that may happen to one.

Bots of the ordinary client, one in a browser, clients of the Kalah Game Protocol and house bots
play an event on a server that is sent SIGKILL again and again. For half of the games the broker is
away; some bots drop their connections and come back, one enters late, one is withdrawn, and a game
is annulled and played again. Rounds last a moment, so the bot that will be withdrawn holds its
games until all of this has been ordered. The bots' moves follow from the positions, so the event
has one table, which is computed without a server. Server, MQTT and the archive file must all have
it.
"""

import asyncio
import random
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple

import typer

from mancala.protocol import codec
from mancala.protocol.results import EventGameResult, EventRoundPaired, EventStatus, EventTable
from mancala.scripts.console import output as console
from mancala.server.config.events import EventSettings
from mancala.server.config.loading import load
from mancala.server.contest.events.pairings import PairedRound
from mancala.server.contest.events.standings import EventStanding
from mancala.server.contest.live.archives import export_event, imported
from mancala.server.contest.live.state import ABSENT, ContestState, restored
from mancala.server.control.client import NotRunningError, ask
from mancala.server.control.wire import Request
from mancala.server.model.contests import EventArchive, EventGameRow
from mancala.server.model.game import RatedGame
from tests.drills.event import SeenGames, keep_alive, moments
from tests.drills.event_bots import (
    BrowserBot,
    HoldingBot,
    PositionBot,
    attend,
    attend_by_kgp,
    headless,
    house_bot,
    key_of,
    vanishing,
)
from tests.drills.hosting import ServerHost
from tests.drills.mosquitto import Broker, Consumer, overheard_host
from tests.drills.ports import HOST, free_port
from tests.drills.report import DrillReport, SeedOption, command_line

EVENT: Final = "final"
LATE: Final = "late"
TOPICS: Final = (f"events/{EVENT}/#",)
GAMES: Final = 2
"""Games of a pairing."""
LOOK_S: Final = 0.2
PATIENCE_S: Final = 300.0
"""How long the last payloads may take to arrive once the event is over."""
KILLED_UNTIL: Final = 0.8
"""The last kill is before this share of the games."""
TABLE: Final = """\
[[event]]
name = "{event}"
format = "swiss"
rounds = {rounds}
games = {games}
enter = "open"
entrants = {entrants}
clock = {{ move_ms = 600000 }}
absent_s = 600.0
"""
SETTINGS: Final = """\
ctl = "ctl"
grace_s = 600.0
{http}
[limits]
exempt = ["{host}/32"]
[kgp]
tcp_port = {kgp_port}
event = "{event}"
claim_names = true
{table}late = "half-bye until round {rounds}"
"""
LADDER: Final = """\
[[ladder]]
name = "house"
house = {house}
pulse_s = 0.0
"""


def table_of(rounds: int, entrants: Sequence[str]) -> str:
    """Return the settings of the event."""
    names = codec.to_json(entrants).decode()
    return TABLE.format(event=EVENT, rounds=rounds, games=GAMES, entrants=names)


class SwissPlan(NamedTuple):
    """What happens."""

    bots: Annotated[int, typer.Option(min=5, help="Bots of the ordinary client.")] = 24
    kgp: Annotated[int, typer.Option(min=0, help="Clients of the Kalah Game Protocol.")] = 6
    house: Annotated[int, typer.Option(min=0, help="House bots.")] = 2
    rounds: Annotated[int, typer.Option(min=3, help="Rounds.")] = 7
    kills: Annotated[int, typer.Option(min=0, help="How often the server is killed.")] = 20
    http: Annotated[
        int | None, typer.Option("--http", help="Serve the pages at this port, to be looked at.")
    ] = None
    browser: Annotated[
        bool, typer.Option(help="Let one of the bots play in a browser, chromium.")
    ] = True
    seed: SeedOption = 1
    vanishing: int = 3

    @property
    def websocket(self) -> list[str]:
        return [f"bot-{number:02}" for number in range(1, self.bots)]

    @property
    def withdrawn(self) -> str:
        return self.websocket[0]

    @property
    def clients(self) -> list[str]:
        return [f"kgp-{number}" for number in range(self.kgp)]

    @property
    def own(self) -> list[str]:
        return [f"house-{number}" for number in range(self.house)]

    @property
    def seen(self) -> int:
        """Games in which a bot of the ordinary client plays at the least, in any pairing."""
        return self.rounds * max(1, self.bots - 2)

    def settings(self, folder: Path, kgp_port: int) -> str:
        entrants = [*self.websocket, *self.clients, *self.own]
        text = SETTINGS.format(
            host=HOST,
            http="" if self.http is None else f"http_port = {self.http}",
            kgp_port=kgp_port,
            event=EVENT,
            rounds=self.rounds,
            table=table_of(self.rounds, entrants),
        )
        programs = (f'{name} = "{house_bot(folder, self.seed, name)}"' for name in self.own)
        return text + (LADDER.format(house=f"{{ {', '.join(programs)} }}") if self.house else "")


class Organiser:
    """Gives orders to the server; one that it was killed amid is given again."""

    def __init__(self, folder: Path) -> None:
        self._socket = str(folder / "ctl")

    async def order(self, action: str, **arguments: str) -> dict[str, Any] | None:
        """Return what came of an order; None if it was refused."""
        request = Request(action, {"event": EVENT, **arguments})
        while True:
            with suppress(NotRunningError, OSError):
                return (await asyncio.to_thread(ask, self._socket, request)).result
            await asyncio.sleep(LOOK_S)

    async def event(self) -> dict[str, Any]:
        found = await self.order("event-show")
        return found or {}

    async def reach(self, reached: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        while True:
            found = await self.event()
            if reached(found):
                return found
            await asyncio.sleep(LOOK_S)

    async def annul(self, spared: str) -> str:
        """Let a game of the present round be played again, but none of one bot; return its id."""
        while True:
            found = await self.event()
            rounds = found["rounds"][-1:]
            for encounter in (each for played in rounds for each in played["encounters"]):
                if spared in {encounter["first"], encounter["second"]}:
                    continue
                for game in encounter["games"]:
                    if game["game"] and await self.order("event-annul", game=game["game"]):
                        return str(game["game"])
            await asyncio.sleep(LOOK_S)


async def drill(plan: SwissPlan, program: str) -> DrillReport:
    """Play a Swiss event amid kills, absences and orders; compare it with one without a server."""
    if plan.rounds >= plan.bots + plan.kgp + plan.house - 1:
        console.fail("--rounds must be fewer than the others that each can meet")
    if plan.http is None and plan.browser:
        plan = plan._replace(http=free_port())
    async with overheard_host(program, "", topics=TOPICS) as (empty, broker, consumer):
        kgp_port = free_port()
        ground = replace(empty, settings=plan.settings(empty.folder, kgp_port))
        run = _SwissRun(plan, ground, f"tcp://{HOST}:{kgp_port}", broker, consumer)
        shown, archive = await run.play()
        return _report(run, shown, archive)


class _SwissRun:
    """One run of the event."""

    def __init__(
        self, plan: SwissPlan, ground: ServerHost, kgp: str, broker: Broker, consumer: Consumer
    ) -> None:
        self.plan, self.ground, self.kgp = plan, ground, kgp
        self.broker, self.consumer = broker, consumer
        self.progress = SeenGames()
        self.organiser = Organiser(ground.folder)
        self.rng = random.Random(f"{plan.seed}/swiss")
        self.entered, self.ordered = asyncio.Event(), asyncio.Event()
        self.kills = 0
        self.browser = BrowserBot(key_of(plan.seed, plan.websocket[-1]), self.progress)
        self.annulled = ""

    async def play(self) -> tuple[dict[str, Any], EventArchive]:
        """Play the event to its end; return what the server shows of it, and its archive."""
        plan, over = self.plan, asyncio.Event()
        killed_after = moments(int(KILLED_UNTIL * plan.seen), plan.kills, plan.seed)
        async with asyncio.TaskGroup() as tasks:
            hosting = tasks.create_task(
                keep_alive(self.ground, killed_after, self.progress, over, plan.seed)
            )
            clients = [tasks.create_task(self._client(name)) for name in plan.clients]
            tasks.create_task(self._withdrawn_bot())
            others = plan.websocket[1:]
            if plan.browser:
                tasks.create_task(self._browser_bot(others.pop()))
            leaving = set(self.rng.sample(others, plan.vanishing))
            for name in others:
                bot = self._vanishing_bot if name in leaving else self._bot
                tasks.create_task(bot(name))
            tasks.create_task(self._late())
            await self.organiser.order("event-start")
            tasks.create_task(self._order())
            tasks.create_task(self._weather())
            shown = await self.organiser.reach(lambda event: event["state"] == "finished")
            for client in clients:
                client.cancel()
            archive = await asyncio.to_thread(exported, self.ground.folder)
            await self.consumer.until(partial(_is_told, archive), within_s=PATIENCE_S)
            over.set()
            self.kills = await hosting
        return shown, archive

    def _at(self, share: float) -> int:
        return int(share * self.plan.seen)

    async def _bot(self, name: str) -> None:
        await self._attendance(name)()

    async def _withdrawn_bot(self) -> None:
        """Hold the first pairing until the late bot is in, later ones until all is ordered."""
        gates = [*[self.entered] * GAMES, self.ordered]
        name = self.plan.withdrawn
        bot = HoldingBot(key_of(self.plan.seed, name), self.progress, gates)
        await self._attendance(name, bot)()

    async def _browser_bot(self, name: str) -> None:
        page = f"http://{HOST}:{self.plan.http}"
        await self.browser.attend(page, self.ground.url, name=name, event=EVENT)

    async def _vanishing_bot(self, name: str) -> None:
        moment = asyncio.Event()
        games = self._at(self.rng.uniform(0.1, 0.7))
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._set_at(games, moment))
            tasks.create_task(vanishing(self._attendance(name), moment))

    def _attendance(
        self, name: str, bot: PositionBot | None = None
    ) -> Callable[[], Coroutine[None, None, None]]:
        bot = bot or PositionBot(key_of(self.plan.seed, name), self.progress)
        file = self.ground.folder / f"{name}.session"
        return partial(attend, self.ground.url, bot, name=name, event=EVENT, session_file=file)

    async def _set_at(self, games: int, moment: asyncio.Event) -> None:
        await self.progress.reach(games)
        moment.set()

    async def _client(self, name: str) -> None:
        bot = PositionBot(key_of(self.plan.seed, name), self.progress)
        await attend_by_kgp(self.kgp, bot, name)

    async def _late(self) -> None:
        await self.progress.reach(1)
        await self._bot(LATE)

    async def _order(self) -> None:
        reach = self.organiser.reach
        await reach(lambda event: LATE in {each["name"] for each in event["entrants"]})
        self.entered.set()
        await reach(lambda event: len(event["rounds"]) > 1)
        withdrawn = self.plan.withdrawn  # and is gone then: its game would wait for it
        self.annulled = await self.organiser.annul(withdrawn)
        await self.organiser.order("event-withdraw", bot=withdrawn)
        self.ordered.set()

    async def _weather(self) -> None:
        await self.progress.reach(self._at(0.25))
        await self.broker.stop()
        await self.progress.reach(self._at(0.75))
        await self.broker.start()


def exported(folder: Path) -> EventArchive:
    archive, _size = export_event(load(folder / "drill.toml"), EVENT, folder / "final.json.gz")
    return archive


def _is_told(archive: EventArchive, consumer: Consumer) -> bool:
    """Return whether all of an event has arrived over MQTT, its end last."""
    payloads = consumer.payloads
    statuses = [each for each in payloads if isinstance(each, EventStatus)]
    games = {each.number: each.game for each in payloads if isinstance(each, EventGameResult)}
    return (
        any(each.state == "finished" for each in statuses)
        and any(isinstance(each, EventTable) and len(each.standings) for each in payloads)
        and games == {row.number: row.game for row in archive.games}
    )


Rows = list[dict[str, Any]]


class _ExpectedEvent(NamedTuple):
    """The event without a server: its rounds, results, how they came about, and its table."""

    rounds: list[PairedRound]
    results: dict[int, RatedGame]
    reasons: dict[int, str]
    table: Rows


def _lost_on_leaving(state: ContestState, archive: EventArchive, name: str) -> dict[int, str]:
    """Return the games that a withdrawn bot had not begun in its last round, which it loses."""
    (last,) = (each.leaves for each in state.entrants if each.name == name)
    games, paired = state.regulations.games, state.rounds[(last or 0) - 1]
    begin = paired.first * games
    numbers = range(begin, begin + len(paired.round.encounters) * games)
    unplayed = (row for row in archive.games if row.reason == ABSENT and row.number in numbers)
    return {row.number: name for row in unplayed if name in (row.first, row.second)}


def expected_event(
    state: ContestState, settings: EventSettings, seed: int, lost: dict[int, str]
) -> _ExpectedEvent:
    rounds, results = headless(state.regulations, state.entrants, seed, lost)
    reasons = {number: ABSENT if number in lost else "normal" for number in results}
    rows = {
        number: EventGameRow(
            *(number, *game.players, game.winner, game.margin), reasons[number], None, 0
        )
        for number, game in results.items()
    }
    ended = ContestState(state.regulations, state.entrants, state.phase, rounds, rows)
    return _ExpectedEvent(rounds, results, reasons, _rows(ended.standings(settings, frozen=0)))


def _rows(table: Sequence[EventStanding]) -> Rows:
    return codec.from_json(codec.to_json(table), Rows)


def _report(run: _SwissRun, shown: dict[str, Any], archive: EventArchive) -> DrillReport:
    settings, kept = imported(archive)
    state = restored(kept, settings)
    lost = _lost_on_leaving(state, archive, run.plan.withdrawn)
    expected = expected_event(state, settings, run.plan.seed, lost)
    entrants = {each.name: each for each in state.entrants}
    gone, late = entrants[run.plan.withdrawn], entrants[LATE]
    promises = {
        "the server was killed as often as planned": run.kills == run.plan.kills,
        "the bot in the browser was there, and came back after kills": (
            not run.plan.browser or run.browser.connections > min(1, run.plan.kills)
        ),
        "one was withdrawn, one came late, one game was annulled": (
            gone.leaves is not None and late.joins > 1 and run.annulled != ""
        ),
        **as_expected(state, archive, expected),
        "the table shown is that of the event without a server": shown["standings"]
        == expected.table,
        **_all_told(run.consumer, archive, expected),
    }
    figures = {
        "bots": len(entrants),
        "games": len(archive.games),
        "kills": run.kills,
        "connections_of_the_browser": run.browser.connections,
        "payloads": len(run.consumer.payloads),
        "joined_in_round": late.joins,
        "left_after_round": gone.leaves,
        "table": [f"{row['rank']} {row['name']} {row['points']:g}" for row in expected.table],
    }
    return DrillReport("swiss_event", run.plan.seed, figures, promises)


def as_expected(
    state: ContestState, archive: EventArchive, expected: _ExpectedEvent
) -> dict[str, bool]:
    played = {row.number: (row.winner, row.margin, row.reason) for row in archive.games}
    results = expected.results.items()
    return {
        "the rounds are those of the event without a server": (
            [each.round for each in state.rounds] == [each.round for each in expected.rounds]
        ),
        "each game was played, and ended as it does without a server": (
            played
            == {number: (it.winner, it.margin, expected.reasons[number]) for number, it in results}
        ),
        "the archive has the record of each game": (
            {record.game for record in archive.records}
            == {row.game for row in archive.games} - {None}
        ),
    }


def _all_told(
    consumer: Consumer, archive: EventArchive, expected: _ExpectedEvent
) -> dict[str, bool]:
    payloads = consumer.payloads
    tables = [each for each in payloads if isinstance(each, EventTable)]
    told = [(row.rank, row.name, row.points) for row in tables[-1].standings] if tables else []
    rounds = sorted(each.round for each in payloads if isinstance(each, EventRoundPaired))
    return {
        "the last table over MQTT is the same": (
            told == [(row["rank"], row["name"], row["points"]) for row in expected.table]
        ),
        "each round came over MQTT": rounds == [each.number for each in expected.rounds],
        "each result and the end came over MQTT": _is_told(archive, consumer),
    }


if __name__ == "__main__":
    command_line(drill, quiet="mancala.bot")

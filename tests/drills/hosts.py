"""``python -m tests.drills.hosts``: servers and fronts on hosts that fail one after the other.

Five hosts are network namespaces of this machine: one has PostgreSQL and the broker, two a server
each, ``mancala serve --standby``, and two a front each, ``mancala front``. The server that gets the
store serves; bots reach it through the fronts, over IPv6, by names that have the addresses of both.
They play on two ladders and in an event, while each round does one of these: the serving process is
killed, its host is cut off and healed later, PostgreSQL is away, the server ends for an upgrade,
the broker is restarted, a front is killed, the host of a front is cut off. What has ended is
started again, and stands by.

The bots' moves follow from the positions, so each game has one course, and the event one table.
Compared with them are the store, what the bots were asked, and what came over MQTT. It needs Linux,
root, mosquitto, PostgreSQL and openssl.
"""

import asyncio
import os
import random
import signal
import subprocess
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, closing
from itertools import repeat
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Final, NamedTuple

import typer

from mancala.bot import GameResult, Turn, run
from mancala.protocol.messages import Reason
from mancala.protocol.results import AnyPayload, EventStatus, Status
from mancala.scripts.console import output as console
from mancala.scripts.console.processes.subscriber import RESULTS
from mancala.scripts.console.processes.supervisor import Child, mancala
from mancala.server.contest.live.archives import imported
from mancala.server.contest.live.state import restored
from mancala.server.model.contests import EventArchive
from mancala.server.publish.publisher import KEEPALIVE_S
from mancala.server.store.database.database import Access, connect
from mancala.server.store.database.writer import Transaction
from mancala.server.store.rows.played import moves_of
from mancala.server.store.upkeep.recount import differences
from tests.drills.databases import PostgreSQL, find_postgresql
from tests.drills.event import (
    SeenGames,
    by_the_rules,
    kept_games,
    kept_matches,
    nothing_lost,
)
from tests.drills.event_bots import HoldingBot, course_of, key_of
from tests.drills.hosting import NAME
from tests.drills.mosquitto import Broker, Consumer, mosquitto
from tests.drills.networks import (
    NETWORK_6,
    NetworkHost,
    enter_network,
    name_addresses,
    network_hosts,
)
from tests.drills.ports import HOST
from tests.drills.report import DrillReport, SeedOption, command_line
from tests.drills.spell import until
from tests.drills.swiss_event import (
    EVENT,
    GAMES,
    Organiser,
    as_expected,
    expected_event,
    exported,
    table_of,
)

KILL, CUT, AWAY, UPGRADE, RESTART = "kill", "cut", "postgresql", "upgrade", "mosquitto"
FRONT_KILL, FRONT_CUT = "front-kill", "front-cut"
KINDS: Final = (KILL, CUT, AWAY, UPGRADE, RESTART, FRONT_KILL, FRONT_CUT)
SERVERS, FRONTS = ("one", "two"), ("left", "right")
AWAY_BY: Final = (signal.SIGINT, signal.SIGQUIT, signal.SIGSTOP)
"""How PostgreSQL goes: in good order, immediately, or without a word."""
LADDERS: Final = ("east", "west")
PORT, FRONT_PORT = 8700, 8770
STANDS_BY: Final = b'"event": "standing by"'
"""What the log of a server says that waits for the store."""
PROBE_S: Final = 0.2
CONNECTIONS: Final = ("ss", "-Htn", "state", "established")
RETRY_S: Final = 0.5
PRESENT_S: Final = 1.5 * KEEPALIVE_S + 2.0
"""For this long the status may say ``online`` of a server that is dead: until its will is due.

A plan whose other server may take longer to serve has that long for it, too.
"""
CAME_BACK_S: Final = 30.0
"""Seconds within which bots are at another front: a cut is noticed after 22 at the latest."""
PATIENCE_S: Final = 300.0
"""How long the rest may take: a start, the last payloads, the end of the event."""
SETTINGS: Final = """\
name = "{name}"
host = "{here}"
port = {port}
front_host = "{host}"
front_port = {front_port}
front_tokens = {tokens}
store = "{store}"
ctl = "{folder}/ctl"
drain_s = 0.5
grace_s = 600.0
[limits]
exempt = ["{network}"]
[tls]
cert = "{cert}"
key = "{key}"
[mqtt]
url = "{broker}"
{ladders}
{table}"""
LADDER: Final = """\
[[ladder]]
name = "{}"
clock = {{ move_ms = 60000 }}
patience_s = 0.5
"""


class HostsPlan(NamedTuple):
    """The size of the drill."""

    bots: Annotated[int, typer.Option(min=12, help="Bots, a fifth of them in the event.")] = 40
    rounds: Annotated[int, typer.Option(min=1, help="Rounds, each with a disturbance.")] = 10
    only: Annotated[
        list[str] | None, typer.Option(help=f"Only these disturbances: {', '.join(KINDS)}.")
    ] = None
    away_s: Annotated[
        float, typer.Option("--away", min=0, help="Seconds for which PostgreSQL is away.")
    ] = 30.0
    think_s: Annotated[
        float, typer.Option("--think", min=0, help="Seconds for which a bot thinks.")
    ] = 0.5
    most_s: Annotated[
        float, typer.Option("--most", min=0, help="Seconds within which the other must serve.")
    ] = 10.0
    seed: SeedOption = 1

    @property
    def entrants(self) -> list[str]:
        return [f"event-{number}" for number in range(max(4, self.bots // 10 * 2))]

    @property
    def event_rounds(self) -> int:
        return min(5, len(self.entrants) - 2)

    def disturbances(self) -> list[str]:
        """Return the kinds, drawn so that each comes before one comes again."""
        rng, drawn = random.Random(f"{self.seed}/kinds"), list[str]()
        kinds = self.only or KINDS
        while len(drawn) < self.rounds:
            drawn += rng.sample(kinds, len(kinds))
        return drawn[: self.rounds]


class TurnLedger:
    """What the bots were asked.

    Attributes:
        turns: how many turns there were.
        back: games that went back behind a move that a bot had seen.
    """

    def __init__(self) -> None:
        self.turns = 0
        self.back = set[str]()
        self._plies = dict[tuple[str, str], int]()

    def note(self, name: str, turn: Turn) -> None:
        key = name, turn.game.id
        if turn.ply < self._plies.get(key, 0):
            self.back.add(turn.game.id)
        self._plies[key] = turn.ply
        self.turns += 1

    async def go_on(self) -> None:
        """Wait for the next turn."""
        before = self.turns
        await until(lambda: self.turns > before, PATIENCE_S)


class LedgerBot(HoldingBot):
    """A bot that thinks for a while, and notes its turns."""

    def __init__(
        self, name: str, plan: HostsPlan, ledger: TurnLedger, gates: list[asyncio.Event]
    ) -> None:
        super().__init__(key_of(plan.seed, name), SeenGames(), gates)
        self._name, self._ledger, self._think_s = name, ledger, plan.think_s

    async def choose(self, turn: Turn) -> int:
        """Return the pit that follows from the position."""
        self._ledger.note(self._name, turn)
        await asyncio.sleep(self._think_s)
        return await super().choose(turn)


class ProgramHost:
    """A host whose program is started again and again.

    Attributes:
        serves: done once the program has said that it serves.
    """

    child: Child
    serves: asyncio.Task[str]

    def __init__(
        self,
        host: NetworkHost,
        folder: Path,
        command: Sequence[str],
        environment: Mapping[str, str],
    ) -> None:
        self.host, self.folder = host, folder
        self._command, self._environment = command, environment
        self._running = AsyncExitStack()

    async def start(self) -> None:
        program = mancala(
            *(self.host.name, *self._command, "--json"),
            folder=self.folder,
            env={**os.environ, "XDG_STATE_HOME": str(self.folder), **self._environment},
            patience_s=PATIENCE_S,
            within=self.host.within,
        )
        self.child = await self._running.enter_async_context(program)
        self.expect()

    def expect(self) -> None:
        """Have ``serves`` wait for the next time."""
        self.serves = asyncio.create_task(self.child.line(), name=self.host.name)

    async def stands_by(self) -> None:
        """Wait until a server has said that it waits for the store."""
        log = self.folder / f"{self.host.name}.log"
        await until(lambda: STANDS_BY in log.read_bytes(), PATIENCE_S)

    async def ended(self) -> int:
        """Wait for its end; return its exit code."""
        async with asyncio.timeout(PATIENCE_S):
            code = await self.child.process.wait()
        await self.stop()  # what it left behind
        return code

    async def stop(self) -> None:
        self.serves.cancel()
        await self._running.aclose()


class StatusConsumer(Consumer):
    """Takes in results, the event, and what the status said when."""

    def __init__(self) -> None:
        super().__init__((*RESULTS, f"events/{EVENT}/#", "status"))
        self.said = list[tuple[float, Status]]()

    def _take(self, payload: AnyPayload) -> None:
        if isinstance(payload, Status):
            self.said.append((asyncio.get_running_loop().time(), payload))
        else:
            super()._take(payload)

    def online_after(self, died_at: float) -> float:
        """Return for how long the status said that a server was there that had died."""
        of = next((said for at, said in reversed(self.said) if at < died_at), None)
        if of is None or of.status != "online":
            return 0.0
        later = (at for at, said in self.said if at >= died_at and said != of)
        return next(later, asyncio.get_running_loop().time()) - died_at


class HostsRun:
    """One run of the drill."""

    def __init__(
        self,
        plan: HostsPlan,
        database: PostgreSQL,
        broker: Broker,
        servers: list[ProgramHost],
        fronts: list[ProgramHost],
    ) -> None:
        self.plan, self.database, self.broker = plan, database, broker
        self.servers, self.fronts = servers, fronts
        self.store = store_of(database)
        self.consumer, self.ledger = StatusConsumer(), TurnLedger()
        self.rng = random.Random(f"{plan.seed}/hosts")
        self.told = list[GameResult]()
        self.figures = dict[str, list[Any]]()
        self.wrong = list[str]()
        self.deaths = list[float]()
        self.playing = list[asyncio.Task[None]]()
        self.lost = 0

    async def play(self) -> None:
        """Play to the end of the last round and of the event."""
        plan, enough = self.plan, asyncio.Event()
        async with asyncio.TaskGroup() as tasks:
            consuming = tasks.create_task(self.consumer.run(self.broker.url))
            for machine in (*self.servers, *self.fronts):
                await machine.start()
            serving = await self._next_server()
            await self._fronts_serve()
            gates = [asyncio.Event() for _ in range(plan.event_rounds * GAMES)]
            always = asyncio.Event()
            always.set()
            names = [f"bot-{number}" for number in range(plan.bots - len(plan.entrants))]
            careers = [(name, {"event": EVENT}, gates) for name in plan.entrants]
            for at, name in enumerate(names):
                careers.append((name, {"ladder": LADDERS[at % len(LADDERS)]}, [always]))
            for at, career in enumerate(careers):
                url = f"ws://{FRONTS[at // 2 % len(FRONTS)]}:{PORT}"
                self.playing.append(tasks.create_task(self._career(url, *career, enough)))
            await Organiser(serving.folder).order("event-start")
            await self.ledger.go_on()
            kinds = plan.disturbances()
            for number, kind in enumerate(kinds):
                for gate in gates[: len(gates) * (number + 1) // len(kinds)]:
                    gate.set()
                await asyncio.sleep(self.rng.uniform(1, 3))
                await self._disturb(kind)
            await self.consumer.until(_is_over, within_s=PATIENCE_S * plan.event_rounds)
            *_, last = (it for it in self.consumer.payloads if isinstance(it, EventStatus))
            self._expect(_is_over(self.consumer), f"the event is {last.state}: {last.why}")
            enough.set()
            await asyncio.gather(*self.playing)
            self.archive = await asyncio.to_thread(exported, serving.folder)
            await self._last_payloads()
            for machine in (*self.fronts, *self.servers):
                await machine.stop()
            consuming.cancel()

    async def _career(  # all that makes a bot
        self,
        url: str,
        name: str,
        where: dict[str, Any],
        gates: list[asyncio.Event],
        enough: asyncio.Event,
    ) -> None:
        self.told += await run(
            url,
            LedgerBot(name, self.plan, self.ledger, gates),
            name=name,
            session_file=None,
            stop=enough,
            delays=self._delays,
            patience_s=PATIENCE_S,
            **where,
        )

    def _delays(self) -> Iterator[float]:
        """Return the waits of a bot that has lost its connection, or begins."""
        self.lost += 1
        return repeat(RETRY_S)

    async def _all_back(self) -> None:
        """Wait until each bot that plays has a connection to a front."""
        async with asyncio.timeout(PATIENCE_S):
            while await asyncio.to_thread(self._are_away):  # noqa: ASYNC110  # the kernel knows
                await asyncio.sleep(PROBE_S)

    def _are_away(self) -> bool:
        """Return whether fewer connections lead to fronts that are not cut off than bots play."""
        return sum(self._held().values()) < sum(not each.done() for each in self.playing)

    def _held(self) -> dict[ProgramHost, int]:
        """Return how many connections lead to each front that is not cut off."""
        told = subprocess.run(CONNECTIONS, stdout=subprocess.PIPE, check=True, text=True).stdout
        there = (front for front in self.fronts if not front.host.is_cut)
        return {each: told.split().count(f"[{each.host.address_6}]:{PORT}") for each in there}

    async def _next_server(self) -> ProgramHost:
        """Return the machine that serves, once one does."""
        waiting = [machine.serves for machine in self.servers]
        async with asyncio.timeout(PATIENCE_S):
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        for machine in self.servers:
            if machine.serves.done():
                machine.serves.result()
                return machine
        raise AssertionError

    async def _disturb(self, kind: str) -> None:
        serving = await self._next_server()
        other = next(machine for machine in self.servers if machine is not serving)
        await other.stands_by()
        await self._all_back()
        lost = self.lost
        console.say(
            f"{kind}: {serving.host.name} serves; {self.ledger.turns} turns so far", err=True
        )
        if kind in {FRONT_KILL, FRONT_CUT}:
            await self._without_front(kind)
        elif kind == AWAY:
            await self._without_database(self.rng.choice(AWAY_BY))
        elif kind == RESTART:
            await self.broker.stop()
            await asyncio.sleep(1)
            await self.broker.start()
        else:
            await self._take_over(kind, serving, other)
            return
        back_at = self._now()
        await self.ledger.go_on()
        self._note(f"{kind}_next_turn_s", back_at)
        if kind in {AWAY, RESTART}:
            self._expect(self.lost == lost, f"{kind}: connections were lost")
        self._expect(serving.child.process.returncode is None, f"{kind}: the server ended")

    async def _take_over(self, kind: str, serving: ProgramHost, other: ProgramHost) -> None:
        for front in self.fronts:
            front.expect()
        began_at = self._now()
        if kind == CUT:
            serving.host.cut()
        else:
            serving.child.process.send_signal(signal.SIGKILL if kind == KILL else signal.SIGTERM)
        async with asyncio.timeout(PATIENCE_S):
            await other.serves
            self._note(f"{kind}_serves_s", began_at)
            await self.ledger.go_on()
            self._note(f"{kind}_next_turn_s", began_at)
        await self._fronts_serve()
        await self._all_back()
        self._note(f"{kind}_all_back_s", began_at)
        if kind == CUT:
            serving.host.heal()
        code = await serving.ended()
        self._expect(code == {KILL: -signal.SIGKILL, CUT: 1, UPGRADE: 0}[kind], f"{kind}: {code}")
        self.deaths.append(began_at)
        await serving.start()

    async def _without_front(self, kind: str) -> None:
        """End or cut off a front that has bots until all are at the other one."""
        held = [front for front, bots in self._held().items() if bots]
        front, began_at = self.rng.choice(held), self._now()
        if kind == FRONT_CUT:
            front.expect()
            front.host.cut()
        else:
            front.child.process.kill()
            await front.ended()
        await self._all_back()
        self._note(f"{kind}_all_back_s", began_at)
        self._expect(self._now() - began_at <= CAME_BACK_S, f"{kind}: bots came back too late")
        if kind == FRONT_CUT:
            front.host.heal()
        else:
            await front.start()
        await self._fronts_serve()

    async def _fronts_serve(self) -> None:
        """Wait until each front has said that it serves."""
        async with asyncio.timeout(PATIENCE_S):
            await asyncio.gather(*(front.serves for front in self.fronts))

    async def _without_database(self, number: signal.Signals) -> None:
        """Stop PostgreSQL for a while; what is sent to one that hangs waits in its sockets."""
        if number is signal.SIGSTOP:
            self.database.signal_all(number)
            await asyncio.sleep(self.plan.away_s)
            self.database.signal_all(signal.SIGCONT)
        else:
            await asyncio.to_thread(self.database.stop, number)
            await asyncio.sleep(self.plan.away_s)
            await asyncio.to_thread(self.database.start)

    def _now(self) -> float:
        return asyncio.get_running_loop().time()

    def _note(self, figure: str, since: float) -> None:
        self.figures.setdefault(figure, []).append(round(self._now() - since, 1))

    def _expect(self, is_so: bool, otherwise: str) -> None:  # noqa: FBT001  # a condition
        if not is_so:
            self.wrong.append(otherwise)
            console.say(otherwise, err=True)

    async def _last_payloads(self) -> None:
        expected = len(kept_games(self.store)) + len(kept_matches(self.store))
        await self.consumer.until(
            lambda it: len(it.arrived.games) + len(it.arrived.matches) >= expected,
            within_s=PATIENCE_S,
        )

    def report(self) -> DrillReport:
        """Return the report, from the store and from all that was seen."""
        kept, matches = kept_games(self.store), kept_matches(self.store)
        counted = [game for game in kept if game.reason != Reason.ABORTED]
        online_s = [self.consumer.online_after(at) for at in self.deaths]
        serves_s = [s for name, seen in self.figures.items() if "_serves_" in name for s in seen]
        arrived = self.consumer.arrived
        with closing(connect(self.store, Access.READ)) as connection:
            transaction = Transaction(connection)
            found = differences(transaction)
            played = [
                [move.pit for move in moves_of(transaction, each.game).moves] for each in counted
            ]
        figures = {
            "bots": self.plan.bots,
            "games": len(counted),
            "games_that_bots_left_in_the_end": len(kept) - len(counted),
            "moves": sum(map(len, played)),
            "results_over_mqtt": len(arrived.games),
            "repeated_deliveries": arrived.repeated,
            "load": round(os.getloadavg()[0], 1),
            "slowest_takeover_s": max(serves_s, default=None),
            "online_after_death_s": round(max(online_s, default=0.0), 1),
            "wrong": self.wrong,
            **self.figures,
        }
        promises = {
            "each disturbance went as it should": not self.wrong,
            "the other server took over in time": max(serves_s, default=0) <= self.plan.most_s,
            "a recount equals the tables": not found,
            "games were played to their end": bool(counted) and by_the_rules(counted),
            "each move is in the store once": played
            == [course_of(each.players, self.plan.seed)[0] for each in counted],
            "no move that a bot had seen was taken back": not self.ledger.back,
            **nothing_lost(kept, self.told, arrived.games),
            "each match has one result over MQTT": (
                Counter(result.match for result in arrived.matches) == Counter(matches)
            ),
            "the status said online of no dead server": bool(self.consumer.said)
            and max(online_s, default=0.0) <= max(PRESENT_S, self.plan.most_s),
            **_event_promises(self.archive, self.plan.seed),
        }
        return DrillReport("hosts", self.plan.seed, figures, promises)


def _event_promises(archive: EventArchive, seed: int) -> dict[str, bool]:
    settings, kept = imported(archive)
    state = restored(kept, settings)
    return as_expected(state, archive, expected_event(state, settings, seed, {}))


def _is_over(consumer: Consumer) -> bool:
    return any(isinstance(it, EventStatus) and it.state == "finished" for it in consumer.payloads)


def store_of(database: PostgreSQL) -> str:
    return f"{database.url}?schema=arena"


def certificate(folder: Path, hosts: Sequence[NetworkHost]) -> tuple[Path, Path]:
    """Make a certificate of hosts, and its own authority; return its file and that of its key."""
    cert, key = folder / "cert.pem", folder / "key.pem"
    names = ",".join(f"IP:{host.address_6}" for host in hosts)
    made = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=drill")
    files = ("-out", str(cert), "-keyout", str(key))
    subprocess.run(
        ("openssl", "req", "-x509", *made, "-addext", f"subjectAltName={names}", *files),  # noqa: S607  # the one in PATH
        check=True,
        capture_output=True,
    )
    return cert, key


async def drill(plan: HostsPlan, hosts: list[NetworkHost], folder: Path) -> DrillReport:
    programs = find_postgresql()
    if programs is None:
        console.fail("postgresql is not installed")
    center, *others = hosts
    at_servers, at_fronts = others[: len(SERVERS)], others[len(SERVERS) :]
    (folder / "postgresql").mkdir()
    database = PostgreSQL(programs, folder / "postgresql", center.address, center.within)
    cert, key = certificate(folder, at_servers)
    tokens = ", ".join(f'{host.name} = "token-of-{host.name}"' for host in at_fronts)
    left, right = (host.address_6 for host in at_fronts)
    name_addresses({FRONTS[0]: (left, right), FRONTS[1]: (right, left)}, folder)
    servers, fronts = list[ProgramHost](), list[ProgramHost]()
    async with AsyncExitStack() as stack:
        await asyncio.to_thread(database.start)
        stack.callback(database.stop)
        made = Broker(mosquitto(), folder, center.address, center.within)
        broker = await stack.enter_async_context(made)
        for host in others:
            (folder / host.name).mkdir()
        for host in at_servers:
            settings = folder / host.name / "drill.toml"
            serve = ("serve", "--standby", "--config", str(settings))
            servers.append(ProgramHost(host, settings.parent, serve, {}))
            settings.write_text(
                SETTINGS.format(
                    name=NAME,
                    here=HOST,
                    port=PORT,
                    host=host.address_6,
                    front_port=FRONT_PORT,
                    tokens=f"{{ {tokens} }}",
                    network=f"{NETWORK_6.format('')}/64",
                    cert=cert,
                    key=key,
                    store=store_of(database),
                    folder=settings.parent,
                    broker=broker.url,
                    ladders="".join(map(LADDER.format, LADDERS)),
                    table=table_of(plan.event_rounds, plan.entrants),
                )
            )
        links = [f"tls://[{host.address_6}]:{FRONT_PORT}" for host in at_servers]
        for host in at_fronts:
            command = ("front", *links, "--host", host.address_6, "--port", str(PORT))
            known = {"MANCALA_TOKEN": f"token-of-{host.name}", "SSL_CERT_FILE": str(cert)}
            fronts.append(ProgramHost(host, folder / host.name, command, known))
        run_of = HostsRun(plan, database, broker, servers, fronts)
        await run_of.play()
        return run_of.report()


def main(plan: HostsPlan) -> DrillReport:
    """Disturb servers, fronts, their hosts, the store and the broker, while bots play."""
    enter_network()
    with (
        TemporaryDirectory(prefix="mancala-hosts-") as name,
        network_hosts("center", *SERVERS, *FRONTS) as hosts,
    ):
        folder = Path(name)
        folder.chmod(0o711)
        return asyncio.run(drill(plan, hosts, folder))


if __name__ == "__main__":
    command_line(main, quiet="mancala.bot")

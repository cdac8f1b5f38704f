"""``python -m tests.drills.costly``: what strangers send must cost little beside honest moves.

Pairs of polite bots play on a server that trusts a proxy at this address. Meanwhile all that is
costly to read (:mod:`tests.drills.costly_inputs`) is sent to each port. What an input costs is the
processor time of the server's processes until it is answered, without that of the moves that were
played meanwhile, and counted in such moves: neither the machine's speed nor its other work matters.
No input may cost more than ``MOST_MOVES``, and each must get its answer.
"""

import asyncio
from contextlib import suppress
from typing import Annotated, Final, NamedTuple

import typer

from tests.drills.costly_inputs import BOTS, HEALTH, HTTP, KGP, KGP_WS, CostlyInput, inputs
from tests.drills.databases import Database
from tests.drills.duellists import DuelTally, duels
from tests.drills.hosting import SQLITE_FILES, HostedServer, temporary_host
from tests.drills.ports import HOST, free_port
from tests.drills.report import DrillReport, command_line
from tests.drills.spell import until
from tests.patience import PATIENCE_S

PAIRS: Final = 2
THINK_S: Final = (0.005, 0.01)
MEASURED: Final = 300
"""Moves from which the cost of one is measured."""
MOST_MOVES: Final = 60.0
READ: Final = 64 * 1024
SETTINGS: Final = """\
http_port = {http}
health_port = {health}
status_token = "{token}"
[kgp]
tcp_port = {kgp}
ws_port = {kgp_ws}
[limits]
exempt = ["{host}/32"]
proxies = ["{host}/32"]
"""


class InputCost(NamedTuple):
    """What an input cost."""

    moves: float
    is_answered: bool


async def drill(
    rounds: Annotated[int, typer.Option(min=1, help="How often each input is sent.")] = 5,
    where: Database = SQLITE_FILES,
) -> DrillReport:
    """Send inputs that are costly to read, and count what they cost in moves."""
    tally = DuelTally()
    numbers = {port: free_port() for port in (HTTP, HEALTH, KGP, KGP_WS)}
    costs: dict[str, InputCost] = {}
    settings = SETTINGS.format(host=HOST, token="t" * 32, **numbers)
    with temporary_host(settings, where) as ground:
        async with ground.running() as life, duels(life.url, PAIRS, tally, think_s=THINK_S, seed=1):
            meter = _Meter(life, tally)
            await meter.prepare()
            for each in inputs():
                port = ground.port if each.port == BOTS else numbers[each.port]
                costs[f"{each.port}: {each.name}"] = await meter.cost(each, port, rounds)
            after = tally.plies
            await until(lambda: tally.plies > after + 10)
            is_alive = life.child.process.returncode is None
    figures = {
        "moves_by_input": {name: round(cost.moves, 1) for name, cost in costs.items()},
        "move_ms": round(meter.move_s * 1000, 2),
        "polite_plies": tally.plies,
    }
    promises = {
        "the server lives": is_alive,
        "every polite game was played by the rules, and in time": tally.is_clean,
    }
    promises |= {f"answered: {name}": cost.is_answered for name, cost in costs.items()}
    promises |= {
        f"at most {MOST_MOVES:g} moves: {name}": cost.moves <= MOST_MOVES
        for name, cost in costs.items()
    }
    return DrillReport("costly", 1, figures, promises)


class _Meter:
    """Measures processor time in moves."""

    def __init__(self, life: HostedServer, tally: DuelTally) -> None:
        self._life = life
        self._tally = tally
        self.move_s = 0.0

    async def prepare(self) -> None:
        await self._tally.first_move.wait()
        plies, used_s = self._tally.plies, self._life.family_cpu_s()
        await until(lambda: self._tally.plies >= plies + MEASURED)
        self.move_s = (self._life.family_cpu_s() - used_s) / (self._tally.plies - plies)

    async def cost(self, each: CostlyInput, port: int, rounds: int) -> InputCost:
        plies, used_s = self._tally.plies, self._life.family_cpu_s()
        answers = [await _answer(port, each) for _ in range(rounds * each.times)]
        played = self._tally.plies - plies
        moves = (self._life.family_cpu_s() - used_s) / self.move_s - played
        is_answered = all(each.answer in answer for answer in answers)
        return InputCost(moves / rounds, is_answered)


async def _answer(port: int, each: CostlyInput) -> bytes:
    reader, writer = await asyncio.open_connection(HOST, port)
    answer = b""
    with suppress(ConnectionError):
        writer.write(each.sent)
        async with asyncio.timeout(PATIENCE_S):
            while piece := await reader.read(READ):
                answer += piece
                if each.answer and each.answer in answer:
                    break
    writer.transport.abort()
    return answer


if __name__ == "__main__":
    command_line(drill)

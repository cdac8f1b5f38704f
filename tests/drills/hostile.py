"""``python -m tests.drills.hostile``: hostile peers beside bots that play by the rules.

The server takes no guests. Pairs of polite bots play while it receives corrupted frames and
handshakes, slow handshakes, many connections from one address, a spectator that never reads,
answers to other bots' games, and logins under false names. All the while the polite games must go
on by the rules and in time, no peer without a token may log in, and the server's memory must stay
within bounds.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from random import Random
from typing import Annotated, Any, Final, NamedTuple

import typer

from mancala.protocol.messages import ErrorCode
from tests.drills import attacks
from tests.drills.attacks import AttackTarget
from tests.drills.databases import Database, issue_tokens
from tests.drills.duellists import DuelTally, duellist_names, duels
from tests.drills.hosting import SQLITE_FILES, HostedServer, temporary_host
from tests.drills.ports import HOST
from tests.drills.report import DrillReport, SeedOption, command_line, for_each, quantile
from tests.drills.spell import spell

PAIRS: Final = 4
RENEGADES: Final = 8
THINK_S: Final = (0.01, 0.05)
GAMES_A_MATCH: Final = 2
HANDSHAKE_S: Final = 2.0
LATE_S: Final = 8.0
"""Longest time to close a slow connection after the handshake's time limit, in seconds."""
MOST_GROWTH: Final = 128 * 1024 * 1024
TALKS_S: Final = 15.0
"""Longest time to disconnect a peer that sends without end, in seconds."""
PER_ADDRESS: Final = 64
"""Simultaneous connections; one without a ``hello`` in the handshake's time is closed."""
CROWDED: Final = "127.0.0.2"
"""An address of this machine that the polite bots do not use."""
STARER: Final = "starer"
LOOK_S: Final = 0.1
SETTINGS: Final = f"""\
guests = false
[limits]
handshake_s = {HANDSHAKE_S}
connections_per_address = {PER_ADDRESS}
exempt = ["{HOST}/32"]
"""


class HostilePlan(NamedTuple):
    """The size of each attack.

    Attributes:
        late_s: longest time to close a slow connection after the handshake's time limit; more
            where the machine has other work.
        talks_s: longest time to disconnect a peer that sends without end.
    """

    frames: Annotated[int, typer.Option(min=1, help="Corrupted frames.")] = 100_000
    handshakes: Annotated[int, typer.Option(min=1, help="Corrupted handshakes.")] = 5000
    connections: Annotated[int, typer.Option(min=1, help="Simultaneous connections.")] = 1000
    slow: Annotated[int, typer.Option(min=1, help="Slow connections.")] = 50
    seed: SeedOption = 1
    late_s: float = LATE_S
    talks_s: float = TALKS_S


@dataclass(slots=True)
class Memory:
    """The server's memory."""

    before: int
    most: int = field(init=False)

    def __post_init__(self) -> None:
        self.most = self.before

    async def watch(self, life: HostedServer) -> None:
        while True:
            self.most = max(self.most, life.resident_bytes())
            await asyncio.sleep(LOOK_S)


async def drill(plan: HostilePlan, where: Database = SQLITE_FILES) -> DrillReport:
    """Attack the server in every known way while polite bots play."""
    tally, rng = DuelTally(), Random(plan.seed)
    polite = duellist_names(PAIRS)
    renegades = [f"renegade-{number}" for number in range(RENEGADES)]
    with temporary_host(SETTINGS, where) as ground:
        tokens = await issue_tokens(ground.store, [*polite, *renegades, STARER])
        async with (
            ground.running() as life,
            duels(
                life.url,
                PAIRS,
                tally,
                think_s=THINK_S,
                seed=plan.seed,
                games=GAMES_A_MATCH,
                tokens=tokens,
            ),
            _memory(life) as memory,
        ):
            await tally.first_move.wait()
            target = AttackTarget(life.url, tokens, renegades, tally)
            async with asyncio.TaskGroup() as tasks:
                staring = tasks.create_task(attacks.stare(target, STARER), name=STARER)
                figures, promises = await _attack(plan, target, polite[0], rng)
                figures["starer_cut_off"] = staring.done()
                staring.cancel()
            before = tally.plies
            await spell(1.0, lambda: tally.plies > before)
            promises["games go on afterwards"] = tally.plies > before
    relay_ms = quantile(tally.relay_ms, 0.99)
    figures |= {
        "polite_games": tally.games // 2,
        "polite_plies": tally.plies,
        "polite_relay_ms_p99": round(relay_ms, 1),
        "server_bytes_before": memory.before,
        "server_bytes_most": memory.most,
    }
    promises |= {
        "every polite game was played by the rules, and in time": tally.is_clean,
        f"memory grew by no more than {MOST_GROWTH} bytes": (
            memory.most - memory.before <= MOST_GROWTH
        ),
    }
    return DrillReport("hostile", plan.seed, figures, promises)


async def _attack(
    plan: HostilePlan, target: AttackTarget, victim: str, rng: Random
) -> tuple[dict[str, Any], dict[str, bool]]:
    loop = asyncio.get_running_loop()
    impostors = await attacks.false_names(target, victim, plan.slow, rng)
    complaints = await attacks.meddle(target)
    codes = await attacks.malformed_frames(target)
    asked = await attacks.chatter(target, plan.talks_s)
    began_at = loop.time()
    inside = await attacks.crowd(target, plan.connections, CROWDED)
    crowded_s = loop.time() - began_at
    slow_s = await attacks.slow_handshakes(target, plan.slow, HANDSHAKE_S + plan.late_s)
    answered = await attacks.mutated_handshakes(target, plan.handshakes, rng)
    strangers = await attacks.mutated_frames(target, plan.frames, rng)
    figures = {
        "frames": plan.frames,
        "strangers_let_in": strangers,
        "handshakes": plan.handshakes,
        "handshakes_answered": answered,
        "slow_connections_closed_after_s": None if slow_s is None else round(slow_s, 1),
        "connections": plan.connections,
        "connections_let_in": inside,
        "crowded_s": round(crowded_s, 1),
        "chatterer_cut_off_after": asked,
        "close_codes": codes,
        "false_names_let_in": impostors,
    }
    promises = {
        "no stranger got in": strangers == 0,
        "nobody got in under a false name": impostors == 0,
        "nobody answered for another's game": (
            bool(complaints) and set(complaints) == {ErrorCode.UNKNOWN_GAME}
        ),
        "malformed frames end their connection": for_each(codes.values()),
        "who talks without end is cut off": asked is not None,
        "no more from one address than allowed": (
            inside <= PER_ADDRESS * (1 + int(crowded_s / HANDSHAKE_S))
        ),
        "who dawdles is sent away": slow_s is not None,
    }
    return figures, promises


@asynccontextmanager
async def _memory(life: HostedServer) -> AsyncIterator[Memory]:
    memory = Memory(life.resident_bytes())
    async with asyncio.TaskGroup() as tasks:
        watching = tasks.create_task(memory.watch(life), name="memory")
        yield memory
        watching.cancel()


if __name__ == "__main__":
    command_line(drill)

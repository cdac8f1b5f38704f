"""``python -m tests.drills.arrival``: attempts to void lost games, and to buy time.

A bot answers 30 ms after its flag while the server is held up: stopped by a signal, or flooded by
other guests, by clients of the Kalah Game Protocol, or by readers of the API. Such an answer is
late, and the game is lost. If more data follows the answer, as the bot's own ping or its library's
answer to a ping of the server, it can't be known when the answer arrived; then no more than a few
games of a bot may be void a day. An answer that lay in the socket before the flag must count,
however late the server reads it, and whatever its bot's library has sent after that. A bot that
answers all pings late may not gain time; one that is really behind a slow link gets credit for all
of it (:mod:`tests.drills.delayed_link`).
"""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, NamedTuple

import typer

from mancala.protocol.clock import TimeControl
from mancala.protocol.messages import GameOver, Moved, Reason
from mancala.server.config.settings import Limits
from tests.drills import delayed_link, flooders
from tests.drills.databases import Database
from tests.drills.hosting import SQLITE_FILES, HostedServer, temporary_server
from tests.drills.ports import HOST, free_port
from tests.drills.report import DrillReport, SeedOption, command_line
from tests.drills.stalling import (
    AnswerOutcome,
    AnswerTiming,
    StalledPair,
    late_by,
    pairs_of,
    plain_round,
    stalled_round,
)

PAIRS: Final = 8
MOVE_MS: Final = 300
MOST_SCALE: Final = 16.0
"""With it an answer is sent a second before its flag."""
CLOCK: Final = TimeControl(move_ms=MOVE_MS)
QUICK: Final = TimeControl(move_ms=100)
FLOODERS: Final = 8
FLOODS: Final = ("ws-pings", "kgp-pings", "http-lists")
LATE_ANSWERS: Final = (AnswerTiming.LATE, AnswerTiming.FOLLOWED)
DELAYS_S: Final = (0.1, 0.2, 0.3, 0.5, 0.8, 1.0)
MOST_BOUGHT: Final = 1.02
MOST_ROUNDS: Final = 20
"""How often a round is played at most for attempts that count."""
MOST_VOIDS: Final = Limits().voids_per_day
LINK_MS: Final = 100
JITTER_MS: Final = 10
SETTINGS: Final = """\
http_port = {http}
[kgp]
tcp_port = {tcp}
[limits]
loop_lag_ms = 2000.0
"""


class ArrivalPlan(NamedTuple):
    """The size of the drill.

    Attributes:
        attempts: rounded up to whole rounds; there are as many honest answers.
        longest_s: the longest delay of pongs, in seconds.
    """

    attempts: Annotated[int, typer.Option(min=1, help="Attempts at each cheat.")] = 200
    pairs: int = PAIRS
    longest_s: float = DELAYS_S[-1]
    has_link: bool = True
    seed: SeedOption = 1

    @property
    def rounds(self) -> int:
        return -(-self.attempts // self.pairs)


async def drill(plan: ArrivalPlan, where: Database = SQLITE_FILES) -> DrillReport:
    """Answer late while the server is held up, and answer pings late."""
    ports = {"http": free_port(), "tcp": free_port()}
    async with temporary_server(SETTINGS.format(**ports), where) as life:
        urls = {"http": f"http://{HOST}:{ports['http']}", "kgp": f"tcp://{HOST}:{ports['tcp']}"}
        figures, promises = await _around_the_flag(plan, life, urls | {"ws": life.url})
        bought = await _late_pongs(plan, life)
    figures |= {"late_pongs": len(bought), "time_bought_most": max(bought)}
    promises[f"late pongs buy at most x {MOST_BOUGHT}"] = max(bought) <= MOST_BOUGHT
    if plan.has_link:
        link = await delayed_link.measure(LINK_MS)
        figures["delayed_link"] = link.problem or f"{LINK_MS} ms"
        if link.problem is None:
            honest, late = link.credits_ms
            figures |= {"credit_ms": honest, "credit_ms_with_late_pongs": late}
            promises["a bot behind a slow link is credited all of it"] = honest >= LINK_MS
            promises["late pongs add nothing to a slow link"] = late <= honest + JITTER_MS
    return DrillReport("arrival", plan.seed, figures, promises)


async def _around_the_flag(
    plan: ArrivalPlan, life: HostedServer, urls: Mapping[str, str]
) -> tuple[dict[str, Any], dict[str, bool]]:
    pid = life.child.process.pid
    found: dict[str, list[AnswerOutcome]] = {}
    async with pairs_of(life.url, plan.pairs) as pairs:
        for answer in AnswerTiming:
            found[answer] = await _stalled(plan, pairs, answer, pid)
        for flood in FLOODS:
            found[flood] = []
            async with flooders.flooding(FLOODERS, [f"{flood}={urls[flood.split('-')[0]]}"]):
                for _ in range(plan.rounds):
                    found[flood] += await plain_round(pairs, CLOCK, AnswerTiming.LATE)
    reasons = {name: _reasons(outcomes) for name, outcomes in found.items()}
    figures = {f"{name}_answers": dict(counts) for name, counts in reasons.items()}
    late = [outcome for name in (*LATE_ANSWERS, *FLOODS) for outcome in found[name]]
    ends = _reasons(late)
    return figures, {
        "an answer that arrived in time counts": set(reasons[AnswerTiming.EARLY]) == {"played"},
        f"late answers void at most {MOST_VOIDS} games of a bot a day, and lose the others": (
            max(_voids_by_bot(late).values(), default=0) <= MOST_VOIDS
            and 0 < ends.total() == ends[Reason.TIMEOUT] + ends[Reason.ABORTED]
        ),
    }


async def _stalled(
    plan: ArrivalPlan, pairs: Sequence[StalledPair], answer: AnswerTiming, pid: int
) -> list[AnswerOutcome]:
    """Play rounds until there are enough answers that count.

    On a busy machine the drill itself may be too late for all of a round; then the next one takes
    twice the time.
    """
    found, scale = list[AnswerOutcome](), 1.0
    for _ in range(MOST_ROUNDS * plan.rounds):
        clock = TimeControl(move_ms=round(scale * MOVE_MS))
        outcomes = await stalled_round(pairs, clock, answer, pid, scale)
        found += outcomes
        if sum(outcome.is_counted for outcome in found) >= plan.attempts:
            break
        if not any(outcome.is_counted for outcome in outcomes):
            scale = min(2 * scale, MOST_SCALE)
    return found


def _reasons(outcomes: list[AnswerOutcome]) -> Counter[str]:
    return Counter(
        "played" if isinstance(reply, Moved) else str(reply.reason)
        for _, is_counted, reply in outcomes
        if is_counted
    )


def _voids_by_bot(outcomes: list[AnswerOutcome]) -> Counter[str]:
    return Counter(
        bot
        for bot, _, reply in outcomes
        if isinstance(reply, GameOver) and reply.reason is Reason.ABORTED
    )


async def _late_pongs(plan: ArrivalPlan, life: HostedServer) -> list[float]:
    """Return for each attempt the time until the flag, as a multiple of the time for a move."""
    delays = [delay_s for delay_s in DELAYS_S if delay_s <= plan.longest_s]
    bought: list[float] = []
    async with pairs_of(life.url, plan.pairs, [late_by(delay_s) for delay_s in delays]) as pairs:
        await asyncio.sleep(2 * plan.longest_s)  # until the first pong of each has arrived
        for _ in range(plan.rounds):
            for _, _, reply in await plain_round(pairs, QUICK, AnswerTiming.LATE):
                bought.append(_bought(reply))
    return bought


def _bought(reply: Moved | GameOver) -> float:
    if isinstance(reply, Moved):  # 30 ms late, and still in time
        return reply.elapsed_ms / (QUICK.move_ms or 1)
    allowed_ms = reply.evidence.allowed_ms if reply.evidence is not None else None
    return (allowed_ms or 0) / (QUICK.move_ms or 1)


if __name__ == "__main__":
    command_line(drill)

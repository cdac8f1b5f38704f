"""What a player answers in proven positions, and what that loses."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, as_completed
from contextlib import closing
from functools import cache
from statistics import fmean
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mancala.bot.players.registry import make_player
from mancala.protocol.messages import Reason
from mancala.protocol.player import Budget, PlayerError
from mancala.protocol.rules import KALAH, Board
from mancala.server.contest.headless.executor import WorkerLostError
from mancala.server.contest.headless.game import seed_of

from ..tournament.workers.pool import WorkerPool, progress
from ..tournament.workers.workers import WARM_UP_S
from .baselines import BASELINES
from .loss import Loss, mean_loss
from .positions import DEMANDS, PHASES, Demand, ProvenPosition, make_position

if TYPE_CHECKING:
    from mancala.protocol.player import Player
    from mancala.server.contest.headless.game import Conditions


NONE_PROVEN: Final[Mapping[int, ProvenPosition]] = MappingProxyType({})


class PositionAnswer(NamedTuple):
    """A player's answer in a position.

    Attributes:
        position: the position.
        pit: the pit; None for no valid answer.
        elapsed_ms: the time it took; None if that is unknown.
        fault: why there is no valid answer, as games end; None when there is one.
        detail: the same in words, as far as they are known.
    """

    position: ProvenPosition
    pit: int | None
    elapsed_ms: float | None = None
    fault: Reason | None = None
    detail: str = ""

    @property
    def lost(self) -> int:
        """The seeds that it loses; no valid answer counts as the worst move."""
        return self.position.loss(self.pit)


class BaselineLoss(NamedTuple):
    """What a choice without thought loses in the same positions.

    Attributes:
        loss: the mean loss, in seeds a move.
        best_share: the share of its choices that lose nothing, 0..1.
        share: the share of the possible loss, 0..1.
    """

    loss: float
    best_share: float
    share: float


def answers(
    spec: str,
    conditions: Conditions,
    count: int,
    *,
    workers: int,
    proven: Mapping[int, ProvenPosition] = NONE_PROVEN,
    demands: Sequence[Demand] = DEMANDS,
) -> Iterator[PositionAnswer]:
    """Ask a player in proven positions; yield the answers as they come.

    A player that hangs or loses its worker has no valid answer there and is asked on.

    Args:
        spec: the player.
        conditions: the time for a move, and the seed of the positions.
        count: number of positions.
        workers: processes that prove and ask.
        proven: positions of the seed that are proven already, by number.
        demands: what the others are chosen against, in turn.

    Raises:
        SpecError: when the player cannot be made.
        WorkerLostError: when a worker is lost while a position is being proven.
    """
    with closing(_Asking(spec, conditions, workers)) as asking:
        yield from asking.asked([asking.proof(number, proven, demands) for number in range(count)])


def loss_of(found: Iterable[PositionAnswer]) -> Loss | None:
    """Return what answers lose; None without any."""
    every = list(found)
    return mean_loss([answer.lost for answer in every], [it.position.most_loss for it in every])


def baselines_of(found: Iterable[PositionAnswer]) -> dict[str, BaselineLoss]:
    """Return what each baseline loses in the positions of answers, by its name."""
    positions = [answer.position for answer in found if answer.position.choices]
    return {name: _baseline(name, positions) for name in (BASELINES if positions else ())}


def _baseline(name: str, positions: Sequence[ProvenPosition]) -> BaselineLoss:
    loss = fmean(position.mean_loss(name) for position in positions)
    scale = fmean(position.most_loss for position in positions)
    return BaselineLoss(loss, fmean(each.best_share(name) for each in positions), loss / scale)


def losses_by_phase(found: Iterable[PositionAnswer]) -> dict[str, Loss]:
    """Return what answers lose in each phase that has any."""
    every = list(found)
    each = {
        phase.name: loss_of(answer for answer in every if answer.position.phase == phase.name)
        for phase in PHASES
    }
    return {name: loss for name, loss in each.items() if loss is not None}


def faults_of(found: Iterable[PositionAnswer]) -> Counter[str]:
    """Return how often there was no valid answer, by reason."""
    return Counter(str(answer.fault) for answer in found if answer.fault is not None)


class _Asking:
    """Workers that prove positions and hold the player."""

    def __init__(self, spec: str, conditions: Conditions, workers: int) -> None:
        self._spec = spec
        self._conditions = conditions
        self.pool = WorkerPool(workers, before_exit=_kill_player)

    def proof(
        self, number: int, proven: Mapping[int, ProvenPosition], demands: Sequence[Demand]
    ) -> Future[ProvenPosition]:
        """Return the position of a number, which is proven now unless it is already."""
        if number not in proven:
            return self.pool.submit(make_position, self._conditions.seed, number, demands)
        known: Future[ProvenPosition] = Future()
        known.set_result(proven[number])
        return known

    def asked(self, proofs: list[Future[ProvenPosition]]) -> Iterator[PositionAnswer]:
        """Yield the answers in the positions proven."""
        questions: dict[Future[PositionAnswer], ProvenPosition] = {}
        for proof in proofs:
            position = proof.result()
            question = self.pool.submit(answer, self._spec, self._conditions, position)
            questions[question] = position
        for question in as_completed(questions):
            try:
                yield question.result()
            except WorkerLostError:
                yield PositionAnswer(questions[question], None, fault=Reason.WEDGED)

    def close(self) -> None:
        """End the workers."""
        self.pool.shutdown()


def answer(spec: str, conditions: Conditions, position: ProvenPosition) -> PositionAnswer:
    """Return a player's answer; what a worker does.

    Raises:
        SpecError: when the player cannot be made.
    """
    watched, board = progress(), Board.from_text(position.board, KALAH)
    watched.begin(position.number, WARM_UP_S + 2 * conditions.start_up_s)
    player = _player(spec, conditions.start_up_s)
    watched.ask(0, 2 * conditions.start_up_s)  # a program may be started twice
    player.new_game(seed_of(conditions.seed, position.number))
    limit_s = (conditions.clock.move_ms or 0) / 1000
    watched.ask(0, limit_s)
    began = time.monotonic()
    try:
        pit, _ = player.choose(board, Budget(conditions.budget_s, limit_s, enforced=False))
    except PlayerError as error:
        return PositionAnswer(position, None, fault=error.reason, detail=str(error))
    finally:
        elapsed_s = time.monotonic() - began
        watched.end()
    elapsed_ms = 1000 * elapsed_s
    if elapsed_s > limit_s:
        detail = f"the answer took {elapsed_ms:.0f} ms, and {1000 * limit_s:.0f} ms were allowed"
        return PositionAnswer(position, None, elapsed_ms, Reason.TIMEOUT, detail)
    if pit not in board.legal():
        detail = f"pit {pit} may not be sown in {position.board}"
        return PositionAnswer(position, None, elapsed_ms, Reason.ILLEGAL, detail)
    return PositionAnswer(position, pit, elapsed_ms)


@cache
def _player(spec: str, start_up_s: float) -> Player:
    """Return the player, which a worker keeps."""
    player = make_player(spec, start_up_s=start_up_s)
    _kept.append(player)
    player.warm_up(KALAH)
    return player


_kept: list[Any] = []


def _kill_player() -> None:
    for player in _kept:
        player.kill()

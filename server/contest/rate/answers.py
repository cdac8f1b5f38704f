"""What a player answers in proven positions, and what that loses."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, as_completed
from statistics import fmean
from typing import NamedTuple

from mancala.protocol.loss import Loss, ProvenPosition, mean_loss
from mancala.protocol.messages import Dialogue, Reason
from mancala.protocol.player import Budget, PlayerError

from ..headless.executor import WorkerLostError
from ..headless.game import seed_of
from ..workers.players import Job, kept_player
from ..workers.worker import progress


class PositionAnswer(NamedTuple):
    """A player's answer in a position.

    Attributes:
        fault: why there is no valid answer, as games end; None when there is one.
        is_outage: whether a service failed that the player asks; such an answer does not count.
    """

    position: ProvenPosition
    pit: int | None
    elapsed_ms: float | None = None
    fault: Reason | None = None
    detail: str = ""
    is_outage: bool = False
    dialogue: Dialogue | None = None

    @property
    def lost(self) -> int:
        """The seeds that it loses; no valid answer counts as the worst move."""
        return self.position.loss(self.pit)


class BaselineLoss(NamedTuple):
    """What a choice without thought loses in the same positions, in seeds a move.

    ``best_share`` of its choices lose nothing, and ``share`` is that of the possible loss.
    """

    loss: float
    best_share: float
    share: float


def answers(
    pool: Executor, job: Job, positions: Iterable[ProvenPosition]
) -> Iterator[PositionAnswer]:
    """Ask the one player of a job in proven positions; yield the answers as they come.

    A player that hangs, or loses a worker twice in a position, has no valid answer there and is
    asked on.

    Raises:
        WorkerLostError: when workers are lost before the player is asked.
    """
    lost: list[ProvenPosition] = []
    yield from _answered(pool, job, positions, lost.append)
    yield from _answered(pool, job, lost)


def _answered(
    pool: Executor,
    job: Job,
    positions: Iterable[ProvenPosition],
    lost: Callable[[ProvenPosition], object] | None = None,
) -> Iterator[PositionAnswer]:
    """Yield answers as they come; ``lost`` receives each whose worker was lost but didn't hang."""
    asked = {pool.submit(answer, job, position): position for position in positions}
    for question in as_completed(asked):
        try:
            yield question.result()
        except WorkerLostError as loss:
            if loss.game is None:
                raise  # it was never asked
            if lost is None or loss.is_hung:
                yield PositionAnswer(asked[question], None, fault=Reason.WEDGED)
            else:
                lost(asked[question])


def answer(job: Job, position: ProvenPosition) -> PositionAnswer:
    """Return a player's answer; what a worker does."""
    watched, conditions = progress(), job.conditions
    watched.begin(position.number, job.warm_up_s)
    player = kept_player(job, job.contenders[0].name)
    watched.ask(0, 2 * conditions.start_up_s)  # a program may be started twice
    player.new_game(seed_of(conditions.seed, position.number))
    board = position.to_board()
    limit_s = (conditions.clock.move_ms or 0) / 1000
    watched.ask(0, limit_s)
    began = time.monotonic()
    try:
        pit, info = player.choose(board, Budget(conditions.budget_s, limit_s, enforced=False))
    except PlayerError as error:
        asked = error.info.dialogue if error.info else None
        return PositionAnswer(
            position, None, None, error.reason, str(error), error.is_outage, asked
        )
    finally:
        elapsed_s = time.monotonic() - began
        watched.end()
    elapsed_ms, asked = 1000 * elapsed_s, info.dialogue if info else None
    if elapsed_s > limit_s:
        detail = f"the answer took {elapsed_ms:.0f} ms, and {1000 * limit_s:.0f} ms were allowed"
        return PositionAnswer(position, None, elapsed_ms, Reason.TIMEOUT, detail, dialogue=asked)
    if pit not in board.legal():
        detail = f"pit {pit} may not be sown in {position.board}"
        return PositionAnswer(position, None, elapsed_ms, Reason.ILLEGAL, detail, dialogue=asked)
    return PositionAnswer(position, pit, elapsed_ms, dialogue=asked)


def loss_of(found: Iterable[PositionAnswer]) -> Loss | None:
    every = list(found)
    return mean_loss([answer.lost for answer in every], [it.position.most_loss for it in every])


def baselines_of(found: Iterable[PositionAnswer]) -> dict[str, BaselineLoss]:
    """Return what each baseline loses in the positions of answers, by its name."""
    positions = [answer.position for answer in found if answer.position.choices]
    return {
        name: _baseline(name, positions) for name in (positions[0].choices if positions else ())
    }


def _baseline(name: str, positions: Sequence[ProvenPosition]) -> BaselineLoss:
    loss = fmean(position.mean_loss(name) for position in positions)
    scale = fmean(position.most_loss for position in positions)
    return BaselineLoss(loss, fmean(each.best_share(name) for each in positions), loss / scale)

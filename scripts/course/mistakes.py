"""Answers in proven positions, judged: what each one lost, and which mistake it was; pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from mancala.protocol.loss import ProvenPosition
from mancala.protocol.rules import KALAH, Board, Sowing

if TYPE_CHECKING:
    from mancala.server.contest.rate.answers import PositionAnswer


class PositionKind(StrEnum):
    """What all best moves of a position do."""

    RETURN = "re-turn"
    CAPTURE = "capture"
    QUIET = "quiet"


class AnswerMistake(StrEnum):
    """What a program did that played a move which loses seeds, in words after "it"."""

    NO_ANSWER = "gave no valid answer"
    RETURN = "passed over a re-turn"
    CAPTURE = "passed over a capture"
    REPLY = "let the reply capture"
    GREED = "captured or moved again where another move was better"
    QUIET = "played a quiet move where another was better"


class JudgedAnswer(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An answer in a proven position.

    Attributes:
        kind: what all best moves do.
        pit: the answer; None for no valid one.
        mistake: what was wrong with it; None for a best move.
        starter: the pit that an unchanged starter plays there.
    """

    position: int
    phase: str
    kind: PositionKind
    pit: int | None
    loss: int
    best: tuple[int, ...]
    mistake: AnswerMistake | None = None
    starter: int | None = None


class MistakeCount(NamedTuple):
    """How often a mistake was made, and the seeds that it lost in all."""

    mistake: AnswerMistake
    times: int
    seeds: int


def judged(answer: PositionAnswer) -> JudgedAnswer:
    position, loss = answer.position, answer.position.loss(answer.pit)
    most = max(position.values.values())
    best = tuple(pit for pit, value in position.values.items() if value == most)
    kind = kind_of(position, best)
    return JudgedAnswer(
        position=position.number,
        phase=position.phase,
        kind=kind,
        pit=answer.pit,
        loss=loss,
        best=best,
        mistake=_mistake(position, best, kind, answer.pit) if loss else None,
        starter=starters_pit(Board.from_text(position.board, KALAH)),
    )


def starters_pit(board: Board) -> int:
    """Return what an unchanged starter plays in any language."""
    legal = board.legal()
    return next((pit for pit in legal if board.sow(pit).again), legal[-1])


def kind_of(position: ProvenPosition, best: Sequence[int]) -> PositionKind:
    """Return what all best moves of a position do."""
    sowings = [_sown(position, pit) for pit in best]
    if all(sowing.again for sowing in sowings):
        return PositionKind.RETURN
    if all(sowing.captured for sowing in sowings):
        return PositionKind.CAPTURE
    return PositionKind.QUIET


def most_costly(answers: Iterable[JudgedAnswer], most: int = 3) -> list[MistakeCount]:
    """Return the mistakes that lost most seeds, the costliest first."""
    lost: dict[AnswerMistake, list[int]] = defaultdict(list)
    for answer in answers:
        if answer.mistake is not None:
            lost[answer.mistake].append(answer.loss)
    counts = [MistakeCount(mistake, len(each), sum(each)) for mistake, each in lost.items()]
    return sorted(counts, key=lambda count: (-count.seeds, count.mistake))[:most]


def _mistake(
    position: ProvenPosition, best: Sequence[int], kind: PositionKind, pit: int | None
) -> AnswerMistake:
    if pit is None:
        return AnswerMistake.NO_ANSWER
    played, wanted = _sown(position, pit), _sown(position, best[0])
    if kind is PositionKind.RETURN and not played.again:
        return AnswerMistake.RETURN
    if kind is PositionKind.CAPTURE and not played.captured:
        return AnswerMistake.CAPTURE
    if not played.again and _reply(played) > _reply(wanted):
        return AnswerMistake.REPLY
    return AnswerMistake.GREED if played.again or played.captured else AnswerMistake.QUIET


def _reply(sowing: Sowing) -> int:
    """Return the most seeds that the next sowing can capture; 0 where the mover moves again."""
    board = sowing.board
    if sowing.again or board.is_over:
        return 0
    return max(board.sow(pit).captured for pit in board.legal())


def _sown(position: ProvenPosition, pit: int) -> Sowing:
    return Board.from_text(position.board, KALAH).sow(pit)

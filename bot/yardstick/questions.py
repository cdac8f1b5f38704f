"""What a model is asked about a position, and what its answer is worth: exact, without an engine.

A question is put by one of the contracts of `llm` players; one answer counts, and none is asked
for again. A pit loses what it is worth less than the best one, in seeds; an answer that names no
legal pit loses as the worst pit does. The score is 1 for a best pit and 0 for the worst.

Under ``track`` the model says which board some sowings lead to: 1 if every number is right.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from statistics import fmean
from typing import Any, Final, NamedTuple

from mancala.protocol.loss import ProvenPosition, one_ply_greed
from mancala.protocol.rules import Board
from mancala.protocol.text import quantity

from ..players.history import History
from ..players.models.contracts import ARENA, CONTRACTS, AnswerError, Contract, last_member
from .positions import board_of, positions

MEMBER: Final = "board"
MOST_SOWINGS: Final = 6


class Mark(NamedTuple):
    """What an answer is worth.

    Attributes:
        score: 1 for a best pit, 0 for the worst or none, in between by the seeds lost.
        loss: the seeds lost; None where the board was asked for.
        pit: the pit named; None if none is legal.
        fault: why it is none; empty if it is one.
        is_silent: whether the answer holds no move at all, not even an illegal one.
        is_greedy: whether it put most seeds into the store that one sowing can, and was not best.
        has_chain: whether a best pit gives a further turn.
    """

    score: float
    loss: int | None = None
    pit: int | None = None
    fault: str = ""
    is_silent: bool = False
    is_greedy: bool = False
    has_chain: bool = False

    @property
    def is_best(self) -> bool:
        """Whether nothing is lost."""
        return self.score == 1

    @property
    def metrics(self) -> dict[str, float]:
        """The numbers that a harness takes the mean of; loss is 0 where the board was asked for."""
        return {
            "score": self.score,
            "loss": float(self.loss or 0),
            "best": float(self.is_best),
            "legal": float(not self.fault),
        }


@dataclass(frozen=True)
class Question:
    """A position as a model is asked about it.

    Attributes:
        position: the position.
        contract: how it is put in words: ``arena``, ``kaggle`` or ``disguised``.
        sowings: the pits that are sown first where the board is asked for; empty for a move.
    """

    position: ProvenPosition
    contract: str = ARENA.name
    sowings: tuple[int, ...] = ()

    @classmethod
    def from_dict(cls, found: Mapping[str, Any]) -> Question:
        """Read what `to_dict` returned."""
        position = ProvenPosition.from_dict(found["position"])
        return cls(position, found["contract"], tuple(found["sowings"]))

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON values, as harnesses keep it beside the model's answer."""
        return {
            "position": self.position.to_dict(),
            "contract": self.contract,
            "sowings": [*self.sowings],
        }

    @property
    def id(self) -> str:
        """A name that is unique among all questions."""
        board = self.position.board.strip("<>").replace(",", ".")  # numbers are those of a split
        kind = f"/track {'.'.join(map(str, self.sowings))}" if self.sowings else ""
        return f"{self.position.id}/{board}/{self.contract}{kind}"

    @property
    def prompt(self) -> str:
        """What the model is asked."""
        board = board_of(self.position)
        if not self.sowings:
            return prompt(board, contract=self.contract)
        sown = ", ".join(map(str, self.sowings))
        numbers = quantity(2 * board.rules.pits + 2, "number")
        return (
            f"{ARENA.position(board, History())}\n\nThese pits are sown from here, each by the "
            f"player whose turn it is and counted as that player counts: {sown}. What stands on the"
            f" board then? Answer with one JSON object with {numbers}: your pits in order, your "
            "store, the opponent's pits in its own order, the opponent's store: "
            f'{{"{MEMBER}": [NUMBERS]}}. You may think first; the last such object counts.'
        )

    def mark(self, answer: str) -> Mark:
        """Return what an answer is worth."""
        board = board_of(self.position)
        if self.sowings:
            said = last_member(answer, MEMBER, _numbers)
            fault = "" if said else f'there is no JSON object {{"{MEMBER}": [NUMBERS]}} in it'
            return Mark(float(said == _after(board, self.sowings)), fault=fault)
        try:
            pit = read(answer, board, contract=self.contract)
        except AnswerError as error:
            return self._mark(board, None, str(error), is_silent=error.named is None)
        return self._mark(board, pit)

    def _mark(
        self, board: Board, pit: int | None, fault: str = "", *, is_silent: bool = False
    ) -> Mark:
        position = self.position
        lost = position.loss(pit)
        return Mark(
            1 - lost / position.most_loss,
            lost,
            pit,
            fault,
            is_silent,
            is_greedy=bool(lost) and pit in one_ply_greed(board),
            has_chain=any(board.sow(best).again for best in position.best),
        )


def prompt(board: Board, *, contract: str = ARENA.name) -> str:
    """Return the question for a board, as the `llm` player asks it at the beginning of a game.

    Raises:
        ValueError: when there is no such contract.
    """
    return _contract(contract).question(board, History())


def read(answer: str, board: Board, *, contract: str = ARENA.name) -> int:
    """Return the pit that an answer names, from 0 in sowing direction.

    Raises:
        AnswerError: a ValueError that says why no legal pit is named.
        ValueError: when there is no such contract.
    """
    return _contract(contract).read(board, answer)


def questions(
    asked: Iterable[ProvenPosition] | str = "test",
    *,
    contract: str = ARENA.name,
    track: bool = False,
    limit: int | None = None,
) -> list[Question]:
    """Return questions about positions, or about those of a split.

    Args:
        asked: positions, or the name of a split.
        contract: ``arena``, ``kaggle`` or ``disguised``.
        track: ask for the board after 1 to `MOST_SOWINGS` sowings, in the words of ``arena``, where
            the game lasts as long.
        limit: of how many positions; None for all.

    Raises:
        ValueError: when there is no such split or contract.
    """
    _contract(contract)
    chosen = [*(positions(asked) if isinstance(asked, str) else asked)][:limit]
    if not track:
        return [Question(each, contract) for each in chosen]
    sowings = (_sowings(each, 1 + at % MOST_SOWINGS) for at, each in enumerate(chosen))
    return [Question(each, sowings=sown) for each, sown in zip(chosen, sowings, strict=True)]


def summary(marks: Sequence[Mark]) -> dict[str, float]:
    """Return the means of marks of moves, all 0..1 but the loss.

    ``score``, ``loss`` in seeds, ``best``, ``legal``; ``silent``: answers without any move;
    ``greed``: moves that took the most seeds and lost by it; ``chains``: best moves where one gives
    a further turn. Empty without marks.
    """
    if not marks:
        return {}
    chains = [mark.is_best for mark in marks if mark.has_chain]
    means = {name: fmean(mark.metrics[name] for mark in marks) for name in marks[0].metrics}
    return means | {
        "silent": fmean(mark.is_silent for mark in marks),
        "greed": fmean(mark.is_greedy for mark in marks),
        "chains": fmean(chains) if chains else 0.0,
    }


def _contract(name: str) -> Contract:
    if name not in CONTRACTS:
        raise ValueError(f"the contract is one of {', '.join(CONTRACTS)}, not {name!r}")
    return CONTRACTS[name]


def _sowings(position: ProvenPosition, count: int) -> tuple[int, ...]:
    rng = Random(position.id)  # noqa: S311  # games need no cryptography
    board, sown = board_of(position), list[int]()
    while len(sown) < count and not board.is_over:
        sown.append(rng.choice(board.legal()))
        board = board.sow(sown[-1]).board
    return tuple(sown)


def _after(board: Board, sowings: Iterable[int]) -> list[int]:
    for pit in sowings:
        board = board.sow(pit).board
    (own, theirs), (store, other) = board.pits, board.stores
    return [*own, store, *theirs, other]


def _numbers(value: Any) -> list[int] | None:  # noqa: ANN401  # the model's
    return value if isinstance(value, list) and all(type(each) is int for each in value) else None

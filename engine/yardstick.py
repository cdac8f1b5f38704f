"""Positions with proven values: an exact yardstick that no player can know by heart.

A position is made from a seed and its number, the same on every machine. It is reached by good play
with noise: a short search chooses the sowings, and some are random. It is taken when the mover has
at least three moves, not all of the same value, which the solver proves within `MOST_NODES`. Most
positions that games come by would tell little: the pit nearest to the store is best in half of
them, and a player that only knows such a rule would be rated well. So two positions of three are
taken only where no rule of thumb would sow a best pit, and one of these two only where alpha-beta
would not, either. What these baselines lose is stated beside what a player loses.

With 45 seeds or more in the pits a position takes the solver seconds to minutes, so 500 openings
are kept with their values (`mancala.scripts.bench.search.strength` makes them) and a seed draws
from them; they are chosen against rules of thumb as the other positions are.
"""

from __future__ import annotations

import bz2
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, as_completed
from dataclasses import replace
from enum import IntEnum
from functools import cache
from importlib.resources import files
from itertools import cycle, islice
from random import Random
from typing import TYPE_CHECKING, Final

from mancala.protocol.loss import OPENING, PHASES, PositionPhase, ProvenPosition
from mancala.protocol.rules import KALAH, Board, Rules
from mancala.protocol.text import quantity

from .classics.alphabeta import AlphaBetaPlayer
from .classics.strategies import CapturesPlayer, DefendPlayer, GreedyPlayer

if TYPE_CHECKING:
    from .kernels.state import ExactTables
    from .search.fixed_nodes import FixedNodeSearch
    from .search.solver import Solution, Solver

MOST_NODES: Final = 20_000_000
FEWEST_MOVES: Final = 3
TABLE_BITS: Final = 20
PLAY_NODES: Final = 300
"""Nodes of the search that chooses the sowings."""
NOISE: Final = 0.3
"""The share of sowings that are random."""
MOST_TRIES: Final = 30_000
"""Games that are played for a position; small boards have none that meets a demand."""
MOST_DRAWN: Final = 10
"""Positions of a seed that are made for each one wanted."""
OPENINGS_SHARE: Final = 3
"""Of how many other positions there is one opening."""


def nearest(board: Board) -> tuple[int, ...]:
    """Return the legal pit nearest to the mover's store."""
    return board.legal()[-1:]


def again(board: Board) -> tuple[int, ...]:
    """Return the pit nearest to the store that moves again; where none does, the nearest pit."""
    return tuple(pit for pit in board.legal() if board.sow(pit).again)[-1:] or nearest(board)


TREE: Final = "alphabeta:depth=4"
THUMBS: Final[dict[str, Callable[[Board], Sequence[int]]]] = {
    "nearest": nearest,
    "again": again,
    "captures": CapturesPlayer().best,
    "defend": DefendPlayer().best,
    "greedy": GreedyPlayer().best,
}
"""The rules of thumb: the pits that each one would sow, equally likely."""
BASELINES: Final = {
    "random": lambda board: board.legal(),
    **THUMBS,
    TREE: AlphaBetaPlayer(depth=4).best,
}
"""The same with a random choice, and a search of four turns."""


class Demand(IntEnum):
    """What must not be among the best moves: nothing, a rule of thumb's, also alpha-beta's."""

    NONE = 0
    NO_THUMB = 1
    NO_TREE = 2


DEMANDS: Final = (Demand.NO_TREE, Demand.NO_THUMB, Demand.NONE)
"""What positions of each phase demand, in turn: a rule of thumb is best in a third at most, and
alpha-beta in two thirds."""
AS_GAMES_HAVE_THEM: Final = (Demand.NONE,)
"""Positions as good play comes by them."""


def make_position(
    seed: int, number: int, demands: Sequence[Demand] = DEMANDS, rules: Rules = KALAH
) -> ProvenPosition:
    """Return a position of a seed, by phases and demands in turn; ValueError without any."""
    phases = phases_of(rules)
    phase = phases[number % len(phases)]
    demand = demands[number // len(phases) % len(demands)]
    rng = Random(f"{seed} {number}")  # noqa: S311  # games need no cryptography
    _solver(_standing(rules)).forget()
    for _ in range(MOST_TRIES):
        board = board_of(phase, rng, rules)
        values = _values_of(board, demand)
        if values is not None:
            found = ProvenPosition(number, phase.name, board.text, values, choices_on(board))
            return found._replace(rules=str(rules))
    raise _none_found(phase, rules)


def draw(
    executor: Executor,
    seed: int,
    count: int,
    made: dict[int, ProvenPosition],
    demands: Sequence[Demand] = DEMANDS,
    rules: Rules = KALAH,
) -> Iterator[ProvenPosition]:
    """Make a seed's positions until ``count`` of its first ones have different boards; yield each.

    A seed comes by few boards with many seeds that meet the demands, so by some of them often.

    Args:
        executor: what makes them.
        seed: whose positions they are.
        count: the number wanted.
        made: those made before, by number; each is added.
        demands: what the phases demand, in turn.
        rules: what is played.

    Raises:
        ValueError: when there are no such positions, or not as many.
    """
    drawn = 0
    while True:
        lacking = count - len(distinct(each for each in made.values() if each.number < drawn))
        if not lacking:
            return
        if drawn + lacking > MOST_DRAWN * count:
            raise ValueError(
                f"among {quantity(drawn, 'hard position')} of {rules} only"
                f" {quantity(count - lacking, 'board')} differed; ask for fewer"
            )
        asked = [
            executor.submit(make_position, seed, number, demands, rules)
            for number in range(drawn, drawn + lacking)
            if number not in made
        ]
        for future in as_completed(asked):
            position = future.result()
            made[position.number] = position
            yield position
        drawn += lacking


def distinct(positions: Iterable[ProvenPosition]) -> list[ProvenPosition]:
    """Return positions in the order of their numbers, each board once."""
    found: dict[str, ProvenPosition] = {}
    for each in sorted(positions, key=lambda each: each.number):
        found.setdefault(each.board, each)
    return list(found.values())


def phases_of(rules: Rules) -> tuple[PositionPhase, ...]:
    """Return the phases with positions, without tables only the last; ValueError for none."""
    phases = PHASES if _tables(rules).seeds else PHASES[-1:]
    most = Board.start(rules).in_play if rules.pits >= FEWEST_MOVES else 0
    reached = tuple(phase for phase in phases if phase.fewest < most)
    if not reached:
        raise ValueError(
            f"hard positions have {FEWEST_MOVES} moves, and"
            f" {quantity(PHASES[-1].fewest, 'seed')} or more once some were sown;"
            f" {rules} has too few pits or seeds"
        )
    return reached


def openings(seed: int, count: int, first: int = 0) -> list[ProvenPosition]:
    """Return openings that a seed draws, each once, numbered from ``first``; fewer if few suit."""
    rng = Random(f"openings {seed}")  # noqa: S311  # games need no cryptography
    suited = _suited(rng.sample(_kept_openings(), len(_kept_openings())))
    return [
        each._replace(number=number, choices=choices_on(each.to_board()))
        for number, each in enumerate(islice(suited, count), start=first)
    ]


def _suited(waiting: list[ProvenPosition]) -> Iterator[ProvenPosition]:
    """Take positions that meet the demands in turn, until none does."""
    for demand in cycle(DEMANDS):
        found = next(
            (
                each
                for each in waiting
                if _avoided_pits(each.to_board(), demand).isdisjoint(each.best)
            ),
            None,
        )
        if found is None:
            return
        waiting.remove(found)
        yield found


@cache
def _kept_openings() -> list[ProvenPosition]:
    """Read the openings that leave a choice."""
    path = files("mancala.engine").joinpath("data", "yardstick-openings.json.bz2")
    found = []
    for entry in json.loads(bz2.decompress(path.read_bytes()))["positions"]:
        values = {int(pit): value for pit, value in entry["moves"].items()}
        if len(values) >= FEWEST_MOVES and len(set(values.values())) > 1:
            found.append(ProvenPosition(0, OPENING.name, entry["board"], values))
    return found


def choices_on(board: Board) -> dict[str, tuple[int, ...]]:
    """Return the pits that each baseline would sow, by its name."""
    return {name: tuple(choose(board)) for name, choose in BASELINES.items()}


def board_of(phase: PositionPhase, rng: Random, rules: Rules = KALAH) -> Board:
    """Return a position of a phase, by good play with noise, under rules with four seeds a pit."""
    standing = _standing(rules)
    for _ in range(MOST_TRIES):
        board, seeds = Board.start(rules), rng.randint(phase.fewest, phase.most)
        _search(standing).forget()
        while not board.is_over and board.in_play > seeds:
            board = board.sow(_choice(board, rng, _search(standing))).board
        is_wanted = board.in_play >= phase.fewest and len(board.legal()) >= FEWEST_MOVES
        if is_wanted and not board.is_over:
            return Board.from_text(board.text, standing)
    raise _none_found(phase, rules)


def _none_found(phase: PositionPhase, rules: Rules) -> ValueError:
    return ValueError(f"no hard {phase.name} position of {rules} was found in {MOST_TRIES:,} games")


def _standing(rules: Rules) -> Rules:
    return replace(rules, seeds=KALAH.seeds)


def _choice(board: Board, rng: Random, search: FixedNodeSearch) -> int:
    return rng.choice(board.legal()) if rng.random() < NOISE else search.choose(board).pit


def _values_of(board: Board, demand: Demand) -> dict[int, int] | None:
    """Return the value of each move; None where a demand is not met or a proof takes too long."""
    avoided = _avoided_pits(board, demand)
    if avoided.issuperset(board.legal()):
        return None
    first = _proven(board, every_move=False)
    if first is None or first.best in avoided:
        return None
    whole = _proven(board, every_move=True)
    if whole is None:
        return None
    values = {pit: bounds.low for pit, bounds in whole.moves.items()}
    best = {pit for pit, value in values.items() if value == max(values.values())}
    return values if len(best) < len(values) and avoided.isdisjoint(best) else None


def _avoided_pits(board: Board, demand: Demand) -> set[int]:
    choosers = [*(THUMBS.values() if demand >= Demand.NO_THUMB else ())]
    choosers += [BASELINES[TREE]] if demand >= Demand.NO_TREE else []
    return {pit for choose in choosers for pit in choose(board)}


def _proven(board: Board, *, every_move: bool) -> Solution | None:
    """Return what a proof finds; None when it takes too long."""
    for solution in _solver(board.rules).solve(board, every_move=every_move):
        if solution.nodes > MOST_NODES:
            return None
    return solution


@cache
def _solver(rules: Rules) -> Solver:
    from .search.solver import Solver  # noqa: PLC0415  # loads the compiler

    return Solver(rules, tables=_tables(rules), table_bits=TABLE_BITS)


@cache
def _tables(rules: Rules) -> ExactTables:
    from .search.engine import tables_for  # noqa: PLC0415  # loads the compiler
    from .tablebase import default_seeds  # noqa: PLC0415  # loads the compiler

    return tables_for(rules, seeds=default_seeds(rules.pits))


@cache
def _search(rules: Rules) -> FixedNodeSearch:
    from .search.engine import EngineOptions  # noqa: PLC0415  # loads the compiler
    from .search.fixed_nodes import FixedNodeSearch  # noqa: PLC0415  # loads the compiler

    return FixedNodeSearch(rules, EngineOptions(book=False), nodes=PLAY_NODES)

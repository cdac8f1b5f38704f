"""Measure what players' moves lose on proven positions of three grades of difficulty.

``python -m mancala.scripts.bench.search.loss engine "cmd:./peer" --movetime 0.01`` asks each player
for a move in every position, as if it were the first of a game, and prints one JSON object: by
grade, the mean loss in seeds with its 95 % interval, the share of best moves, and how much the loss
differs from the first player's, position by position. Any player will do, also a program of your
own (``cmd:``). With ``engine:nodes=20000`` and no ``--movetime`` the figures do not depend on the
machine. Engines should be given ``book=0``.

``--make 300 --positions FILE --seed N`` writes the positions first: random sowings from starts with
4, 5 and 6 seeds a pit, taken where 25 to 40 seeds and at least three moves are left, every move
proven. A grade says how often searches of 2 to 10 plies, which know no feature but the stores, pick
a move that loses something: *clear* positions mislead none to a third of them, *tricky* ones up to
two thirds, *deceptive* ones more. As many are kept of each grade.
"""

import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Annotated, Any, Final

import typer

from mancala.bot.players.registry import make_player
from mancala.engine.evaluation.search_options import SearchOptions
from mancala.engine.search.engine import Engine, EngineOptions, Limit
from mancala.protocol.loss import ProvenPosition
from mancala.protocol.player import UNLIMITED, Budget
from mancala.protocol.rules import KALAH, Board

from ...console import output as console
from ..averages import average
from . import strength
from .strength import MoveCost, cost, prove, random_board, read, stores_alone, write

LEAST, MOST = 25, 40
"""Seeds left, by default."""
LEAST_MOVES: Final = 3
GRADES: Final = ("clear", "tricky", "deceptive")
SHALLOW: Final = range(2, 11)
"""Depths of the searches that grade a position."""
LATE: Final = 10.0
"""A program is waited for this many times its time, and at least as many seconds."""


def judge() -> Engine:
    """Build the engine that grades positions: plain alpha-beta that counts stores."""
    plain = SearchOptions(proof_share=0, futility_plies=0, probe_from=64, quiescence=0)
    options = EngineOptions(book=False, table_bits=16, tables=10, search=plain)
    return Engine(options=options.with_weights(stores_alone()))


def grade(position: ProvenPosition, engine: Engine) -> str:
    engine.forget()
    reports = engine.think(position.to_board(), Limit(depth=SHALLOW[-1]))
    picks = {each.depth: each.pit for each in reports}
    errors = [cost(position, pit).loss > 0 for depth, pit in picks.items() if depth in SHALLOW]
    return GRADES[min(3 * sum(errors) // len(errors), 2)] if errors else GRADES[0]


def boards(seed: int, most: int) -> Iterator[Board]:
    """Play random games to positions of three moves or more, for ever."""
    rng = Random(seed)  # noqa: S311  # games need no cryptography
    while True:
        board = random_board(rng, LEAST, most)
        if len(board.legal()) >= LEAST_MOVES:
            yield board


def make(count: int, seed: int, most: int, path: Path) -> None:
    """Prove positions until there are as many of each grade as asked for, and write them."""
    engine, share = judge(), -(-count // len(GRADES))
    kept: dict[str, list[ProvenPosition]] = {name: [] for name in GRADES}
    for position in filter(None, map(prove, boards(seed, most))):
        of_grade = kept[grade(position, engine)]
        if len(of_grade) < share:
            of_grade.append(position)
        if all(len(positions) == share for positions in kept.values()):
            break
    write([p for positions in kept.values() for p in positions], seed, path)


def answers(player: str, positions: list[ProvenPosition], movetime: float | None) -> list[MoveCost]:
    host = make_player(player)
    budget = UNLIMITED
    if movetime is not None:
        deadline = max(LATE, LATE * movetime)
        budget = Budget(time_s=movetime, deadline_s=deadline, enforced=True)
    choices = []
    try:
        host.warm_up(KALAH)
        for position in positions:
            host.new_game(0)
            choices.append(cost(position, host.choose(position.to_board(), budget).pit))
    finally:
        host.close()
    return choices


def summary(choices: list[MoveCost], first: list[MoveCost]) -> dict[str, Any]:
    """Return the figures of one player, and the difference from the first player's loss."""
    more = [one.loss - other.loss for one, other in zip(choices, first, strict=True)]
    mean, error = average(more).rounded()
    return {**strength.summary(choices), "more_than_first": mean, "more_error": error}


def main(
    players: Annotated[list[str] | None, typer.Argument(help="Players, as specs.")] = None,
    *,
    positions: Annotated[Path, typer.Option(help="The file of positions.")],
    movetime: Annotated[float | None, typer.Option(help="Seconds a move.")] = None,
    make_count: Annotated[
        int | None, typer.Option("--make", help="Prove N positions first.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Where positions made come from.")] = 2500,
    most: Annotated[
        int, typer.Option(help="Most seeds of positions made; 45 take minutes each.")
    ] = MOST,
) -> None:
    """Compare players on graded positions, and print one JSON object."""
    if make_count is not None:
        make(make_count, seed, most, positions)
    taken, engine = read(positions), judge()
    graded = [grade(position, engine) for position in taken]
    result: dict[str, Any] = {"positions": len(taken), "movetime_s": movetime, "players": []}
    first: list[MoveCost] = []
    for player in players or ():
        began = time.monotonic()
        choices = answers(player, taken, movetime)
        ms = 1000 * (time.monotonic() - began) / len(taken)
        first = first or choices
        by_grade = {
            name: summary(
                [choice for choice, of in zip(choices, graded, strict=True) if of == name],
                [choice for choice, of in zip(first, graded, strict=True) if of == name],
            )
            for name in GRADES
            if name in graded
        }
        figures = {"player": player, "ms_a_move": round(ms, 2), **summary(choices, first)}
        result["players"].append({**figures, "by_grade": by_grade})
    console.emit(result)


if __name__ == "__main__":
    typer.run(main)

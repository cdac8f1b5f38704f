"""Compare ways to search: what their moves lose, position by position, beside the first's.

``python -m mancala.scripts.bench.search.selection --positions FILE engine:nodes=8000,proof_share=0
…`` asks each of the players for a move in every position and prints one JSON object: mean loss in
seeds, plies reached, nodes a second, and how much the loss differs from the first player's. Limits
of nodes repeat themselves whatever else the machine does; with ``proof_share=0`` nothing but the
deepening is measured. Tables are forgotten between positions, and there is no book.

``--make 3000`` writes the file first: random sowings with 33 to 38 seeds left, every move proven.
Only those are kept in which a search of few plies, 4 to 8, errs at least once, since most
positions are played correctly by any search.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Annotated, Any, Final

import typer

from mancala.bot.players.spec import PlayerSpec
from mancala.engine.evaluation.search_options import SearchOptions
from mancala.engine.search.engine import Engine, EngineOptions, Limit
from mancala.protocol.rules import KALAH, Board

from ...console import output as console
from ..averages import average
from .strength import CostTally, Position, answers, cost, prove, random_board, read, write

LEAST, MOST = 33, 38
"""Seeds left: enough to be hard, few enough to be proven in a fraction of a second."""
SHALLOW: Final = (4, 8)
TABLE_BITS: Final = 16
EASY: Final[tuple[dict[str, int], ...]] = (
    {},
    {"quiescence": 0},
    {"quiescence": 0, "again_cost": 0},
)
"""Kinds of shallow search that a position has to mislead, one of them at least."""


def shallow_engines() -> list[Engine]:
    """Build the engines of ``EASY``."""
    plain = SearchOptions(proof_share=0, futility_plies=0, probe_from=64)
    options = EngineOptions(book=False, table_bits=TABLE_BITS)
    return [Engine(options=replace(options, search=replace(plain, **changes))) for changes in EASY]


def misleads(position: Position, engine: Engine) -> bool:
    """Return whether a shallow search errs in a position."""
    engine.forget()
    least, most = SHALLOW
    reports = engine.think(Board.from_text(position.board, KALAH), Limit(depth=most))
    return any(cost(position, r.pit).loss > 0 for r in reports if r.depth >= least)


def make(count: int, seed: int, path: Path) -> None:
    """Prove a number of positions, and write those that are hard."""
    rng = Random(seed)  # noqa: S311  # games need no cryptography
    boards = (random_board(rng, LEAST, MOST) for _ in range(count))
    engines = shallow_engines()
    hard = (
        p
        for p in filter(None, map(prove, boards))
        if any(misleads(p, engine) for engine in engines)
    )
    write(hard, seed, path)


def measure(player: str, positions: list[Position]) -> tuple[dict[str, Any], list[int]]:
    """Ask a player for its moves: the figures, and the loss in each position."""
    from mancala.bot.players.engine_options import engine_settings
    from mancala.engine.skill import SkillLevel

    limit, options = engine_settings(PlayerSpec.parse(player).options)
    if isinstance(options, SkillLevel):
        console.fail(
            f"{player} plays at random; only players that use the engine's search can be compared"
        )
    engine = Engine(options=replace(options, book=False, table_bits=TABLE_BITS))
    engine.warm_up()
    asked = list(answers(engine, limit, positions))
    reports, choices = [report for report, _ in asked], tuple(choice for _, choice in asked)
    tally = CostTally(choices).summary()
    figures = {
        "player": player,
        **{key: tally[key] for key in ("loss", "loss_error", "changed")},
        "depth": round(sum(report.depth for report in reports) / len(reports), 2),
        "nps": round(sum(r.nodes for r in reports) / sum(r.seconds for r in reports)),
    }
    return figures, [choice.loss for choice in choices]


def main(
    players: Annotated[list[str] | None, typer.Argument(help="Engines, as players' texts.")] = None,
    *,
    positions: Annotated[Path, typer.Option(help="The file of positions.")],
    limit: Annotated[int | None, typer.Option(help="Use only the first N positions.")] = None,
    make_count: Annotated[
        int | None, typer.Option("--make", help="Prove N positions first.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Where positions made come from.")] = 777,
) -> None:
    """Compare players on proven positions, and print one JSON object."""
    if make_count is not None:
        make(make_count, seed, positions)
    taken = read(positions)[:limit]
    rows: list[dict[str, Any]] = []
    first: list[int] = []
    for player in players or ():
        figures, losses = measure(player, taken)
        first = first or losses
        more, error = average([a - b for a, b in zip(losses, first, strict=True)]).rounded()
        rows.append({**figures, "more_than_first": more, "more_error": error})
    console.emit({"positions": len(taken), "players": rows})


if __name__ == "__main__":
    typer.run(main)

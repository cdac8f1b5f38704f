"""Play the engine from the start against every player: does it ever fall below the proven value?

``python -m mancala.scripts.bench.search.proven_value --start 4 --games 1000`` plays 1,000 games of
Kalah(6,4) against each player, half of them in each seat, the engine with ``--movetime`` of
processor time a move. It prints a line of JSON for each player: the games, those that ended below
what the start is worth for the engine's seat, the worst of them in seeds, and the seeds gained
above it in the mean. The exit code is 1 where any game fell below. One reply in ``--wild`` of the
opponent's is random, so that games differ.
"""

import time
from collections.abc import Iterable
from random import Random
from typing import Annotated, Final, NamedTuple

import typer

from mancala.bot.players.registry import make_player
from mancala.engine import knowledge
from mancala.engine.search.engine import Engine, EngineOptions, Limit
from mancala.protocol.player import Player
from mancala.protocol.rules import Board, Rules

from ...console import output as console

OPPONENTS: Final = (
    "random",
    "greedy",
    "captures",
    "defend",
    "minimax:depth=2",
    "alphabeta:depth=3",
    "expectimax:depth=1",
    "expectiminimax:depth=1",
    "maxn:depth=1",
    "mcts:playouts=50",
    "engine:level=5",
    "engine:nodes=2000",
    "engine:movetime=0.01,book=0",
)


class GainTally(NamedTuple):
    """Games against one player, and how many ended below the proven value.

    ``worst`` and ``mean`` are seeds above that value; negative is below.
    """

    games: int
    below: int
    worst: int
    mean: float


def tally(gains: Iterable[int]) -> GainTally:
    """Count games by what each ended above the proven value, seeds."""
    counted = list(gains)
    below = sum(gain < 0 for gain in counted)
    return GainTally(len(counted), below, min(counted), round(sum(counted) / len(counted), 2))


class StartDrill:
    """The engine at one limit of processor time a move, and the games that it plays."""

    def __init__(self, start: Board, movetime: float, wild: int, options: EngineOptions) -> None:
        known = knowledge.known(start)
        if known is None or not known.value.exact:
            raise ValueError(f"the value of {start.text} is not known")
        self._start, self._value = start, known.value.low
        self._limit, self._wild = Limit(time_s=movetime), wild
        self._engine = Engine(options=options, clock=time.thread_time)
        self._engine.warm_up(start.rules)

    def gain(self, opponent: Player, seat: int, rng: Random) -> int:
        """Play a game with the engine in a seat; return its seeds above the proven value."""
        board, worth = self._start, self._value if seat == 0 else -self._value
        self._engine.forget()
        while not board.is_over:
            if board.player == seat:
                pit = self._engine.analyse(board, self._limit).pit
            elif self._wild and rng.randrange(self._wild) == 0:
                pit = rng.choice(board.legal())
            else:
                pit = opponent.choose(board).pit
            board = board.sow(pit).board
        return board.score(seat) - worth


def main(
    *,
    start: Annotated[int, typer.Option(min=1, help="Seeds a pit at the start.")] = 4,
    games: Annotated[int, typer.Option(min=2, help="Games against each player.")] = 1000,
    movetime: Annotated[float, typer.Option(help="Processor time a move, seconds.")] = 0.01,
    wild: Annotated[int, typer.Option(min=0, help="One reply in N is random; 0: none.")] = 8,
    tables: Annotated[int | None, typer.Option(help="Seeds that the endgame tables reach.")] = None,
    players: Annotated[list[str] | None, typer.Option("--player", help="Only these.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of the random replies.")] = 1,
) -> None:
    """Play the games; exit with 1 where one ended below the proven value."""
    drill = StartDrill(
        Board.start(Rules(seeds=start)), movetime, wild, EngineOptions(tables=tables)
    )
    failed = False
    for spec in players or OPPONENTS:
        opponent, rng = make_player(spec), Random(seed)  # noqa: S311  # games need no cryptography
        opponent.warm_up(Rules(seeds=start))
        opponent.new_game(seed)
        found = tally(drill.gain(opponent, game % 2, rng) for game in range(games))
        console.emit({"start": start, "player": spec, "movetime_s": movetime, **found._asdict()})
        failed |= found.below > 0
    raise typer.Exit(int(failed))


if __name__ == "__main__":
    typer.run(main)

"""Measure how much a move costs: the engine's moves against exact values, and what they lose.

``python -m mancala.scripts.bench.search.strength`` asks engines that differ in their weights alone
for a move in each of the positions of ``strength_kalah.json``, and prints one JSON object: the mean
loss in seeds and the share of moves that change the result, by seeds in play. Positions are the
same for all, tables are forgotten between them, and there is no book.

``--make 300`` writes those positions first: games of random sowings from starts with 4, 5 and 6
seeds a pit, taken where 33 to 45 seeds are left, each move proven by the solver. A file that is
there is added to. ``--band 46 48 --positions FILE`` takes them from games of Kalah(6,6), where that
many seeds are left; ``strength_kalah_full.json`` was made so.

``--make 500 --large --positions FILE`` takes positions of 45 to 66 seeds from good play of
Kalah(6,6) with noise, as ``mancala rate`` does, of which the solver proves every move within
`MOST_NODES`; ``yardstick-openings.json.bz2`` was made so, with endgame tables of 30 seeds, and
compressed. A run that was ended goes on. With ``--band 55 66`` it takes those with 55 to 66 seeds
alone: ``strength_kalah_early.json`` has those of several seeds, with tables of 27 seeds.

``--prover FOLDER`` compares the values of a file with those of the program that shares nothing with
the engine, which ``docs/certificates/prove.sh`` leaves in a folder with its tables.
"""

from __future__ import annotations

import bz2
import json
import os
import subprocess
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from random import Random
from statistics import fmean
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

import typer

from mancala.engine import tablebase
from mancala.engine.evaluation.features import NAMES
from mancala.engine.evaluation.weights import Weights
from mancala.engine.search.solver import Solver
from mancala.engine.yardstick import board_of
from mancala.protocol.loss import PositionPhase, ProvenPosition, mean_loss
from mancala.protocol.rules import KALAH, Board, Rules

from ...console import output as console

if TYPE_CHECKING:
    from mancala.engine.search.engine import Engine, Limit

POSITIONS: Final = Path(__file__).with_name("strength_kalah.json")
STARTS: Final = (4, 5, 6)
FULL: Final = (6,)
"""Seeds a pit at the start of games to positions that ``--band`` asks for."""
BANDS: Final = ((33, 36), (37, 40), (41, 45))
SHARES: Final = (12, 7, 1)
"""Of twenty positions, how many are of each band: the proofs of the last take minutes."""
FULL_BANDS: Final = ((46, 48), (49, 52), (53, 66))
"""Bands that are shown besides."""
LARGE_BANDS: Final = ((45, 50), (51, 55), (56, 66))
LARGE_SHARES: Final = (11, 7, 2)
"""Of twenty boards to prove, how many are of each band: many of the last take too long."""
MOST_NODES: Final = 40_000_000
"""Positions searched to prove the moves of a board, after which it is left out."""
BATCH: Final = 20
"""Boards that are proven before the file is written."""
PROVING_TABLES: Final = 20
"""Seeds of the endgame tables that proofs need, where no larger file is there."""


class MoveCost(NamedTuple):
    """What a chosen move costs: seeds in the pits before it, and seeds by which it is not best.

    A result is changed where a win turns into less, or a draw into a loss.
    """

    seeds: int
    loss: int
    changed: bool


def summary(costs: Sequence[MoveCost]) -> dict[str, Any]:
    """Return the number, the mean loss with its interval, and the results changed; {} for none."""
    found = mean_loss([each.loss for each in costs])
    if found is None:
        return {}
    return {
        "positions": found.positions,
        "loss": round(found.loss, 4),
        "loss_error": round(found.interval.error, 4),
        "loss_interval": [round(end, 4) for end in found.interval],
        "best": round(found.best_share, 4),
        "changed": round(fmean(each.changed for each in costs), 4),
    }


def by_seeds(costs: Sequence[MoveCost]) -> dict[str, dict[str, Any]]:
    """Summarise band by band."""
    bands = {
        f"{low}-{high}": summary([each for each in costs if low <= each.seeds <= high])
        for low, high in BANDS + FULL_BANDS
    }
    return {band: figures for band, figures in bands.items() if figures}


def stores_alone() -> Weights:
    """Weigh nothing: what is left is the difference of the stores (``weights_stores.json``)."""
    return Weights(values=dict.fromkeys(NAMES, 0.0), provenance="store difference alone")


def cost(position: ProvenPosition, pit: int) -> MoveCost:
    best, value = max(position.values.values()), position.values[pit]
    seeds = position.to_board().in_play
    return MoveCost(seeds, position.loss(pit), _sign(best) != _sign(value))


def random_boards(seed: int) -> Iterator[Board]:
    """Play random games to the bands of seeds, in turn, for ever."""
    rng = Random(seed)  # noqa: S311  # games need no cryptography
    wanted = [band for band, share in zip(BANDS, SHARES, strict=True) for _ in range(share)]
    while True:
        for low, high in wanted:
            yield random_board(rng, low, high)


def full_boards(seed: int, low: int, high: int) -> Iterator[Board]:
    """Play random games of Kalah(6,6) to positions of a band of seeds, for ever."""
    rng = Random(seed)  # noqa: S311  # games need no cryptography
    while True:
        yield random_board(rng, low, high, FULL)


def random_board(rng: Random, low: int, high: int, starts: Sequence[int] = STARTS) -> Board:
    """Play a random game until a number of seeds is left in the pits."""
    while True:
        board = Board.start(Rules(seeds=rng.choice(starts)))
        target = rng.randint(low, high)
        while not board.is_over and board.in_play > target:
            board = board.sow(rng.choice(board.legal())).board
        if not board.is_over and board.in_play >= low:
            return Board.from_text(board.text, KALAH)


def large_boards(seed: int, band: tuple[int, int] | None = None) -> Iterator[Board]:
    """Play games of Kalah(6,6), well but with noise, to a band or the large ones, for ever."""
    rng = Random(seed)  # noqa: S311  # games need no cryptography
    shares = [(band, 1)] if band else zip(LARGE_BANDS, LARGE_SHARES, strict=True)
    wanted = [PositionPhase("large", *ends) for ends, share in shares for _ in range(share)]
    known: set[Board] = set()
    while True:
        for phase in wanted:
            board = board_of(phase, rng, Rules(seeds=6))
            while board in known:
                board = board_of(phase, rng, Rules(seeds=6))
            known.add(board)
            yield board


def proven_apart(boards: Iterable[Board], folder: Path) -> Iterator[ProvenPosition]:
    """Prove what every move is worth with the program in a folder of ``prove.sh``."""
    taken, log = folder / "boards", folder / "values.log"
    texts = [board.text for board in boards]
    taken.write_text("".join(f"{text}\n" for text in texts), encoding="ascii")
    (tables,) = folder.glob("tables-*[0-9]")
    threads = str(os.cpu_count())
    subprocess.run([folder / "prove", "values", tables, log, threads, taken], check=True)  # noqa: S603  # named by who calls
    entries = map(json.loads, log.read_text(encoding="ascii").splitlines())
    found = {each.board: each for each in map(_position, entries)}
    yield from map(found.__getitem__, texts)


def _position(entry: dict[str, Any]) -> ProvenPosition:
    values = {int(pit): value for pit, value in entry["moves"].items()}
    return ProvenPosition(0, "", entry["board"], values)


def compared(positions: Sequence[ProvenPosition], folder: Path) -> dict[str, Any]:
    found = proven_apart((each.to_board() for each in positions), folder)
    differ = [one.board for one, two in zip(positions, found, strict=True) if one != two]
    return {"positions": len(positions), "differ": differ}


def prove(board: Board) -> ProvenPosition | None:
    """Prove what every move of a board is worth; None where that takes too long."""
    solver = _solver()
    solver.forget()
    for solution in solver.solve(board, every_move=True):
        if solution.nodes > MOST_NODES:
            return None
    values = {pit: bounds.low for pit, bounds in solution.moves.items()}
    return ProvenPosition(0, "", board.text, values)


@cache
def _solver() -> Solver:
    directory = tablebase.default_cache()
    tables = tablebase.find(KALAH, directory)
    if tables is None or tables.seeds < PROVING_TABLES:
        tables = tablebase.obtain(KALAH, PROVING_TABLES, directory)
    return Solver(KALAH, tables=tables, table_bits=21)


def make(count: int, boards: Iterator[Board], seed: int, path: Path) -> None:
    """Prove positions and write them, some at a time; boards that took too long are left out."""
    positions = read(path) if path.exists() else []
    if positions:
        next(board for board in boards if board.text == positions[-1].board)
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        while len(positions) < count:
            found = pool.map(prove, islice(boards, BATCH))
            positions += [each for each in found if each is not None]
            write(positions[:count], seed, path)


def read(path: Path) -> list[ProvenPosition]:
    packed = path.read_bytes()
    body = json.loads(bz2.decompress(packed) if path.suffix == ".bz2" else packed)
    return list(map(_position, body["positions"]))


def write(positions: Iterable[ProvenPosition], seed: int, path: Path) -> None:
    lines = ",\n".join(json.dumps({"board": it.board, "moves": it.values}) for it in positions)
    path.write_text(f'{{"seed": {seed}, "positions": [\n{lines}\n]}}\n', encoding="utf-8")


def measure(engine: Engine, limit: Limit, positions: Iterable[ProvenPosition]) -> list[MoveCost]:
    """Return what an engine's moves cost, each position as if it were the first of a game."""
    costs = []
    for position in positions:
        engine.forget()
        costs.append(cost(position, engine.analyse(position.to_board(), limit).pit))
    return costs


def main(
    *,
    movetime: Annotated[float | None, typer.Option(help="Seconds a move.")] = None,
    nodes: Annotated[int | None, typer.Option(help="Positions searched a move.")] = None,
    weights: Annotated[
        list[Path] | None, typer.Option(help="Weights files to measure besides the shipped.")
    ] = None,
    positions: Annotated[Path, typer.Option(help="The file of positions.")] = POSITIONS,
    tables: Annotated[
        int | None, typer.Option(help="Seeds of the endgame tables; default: the largest file.")
    ] = None,
    limit: Annotated[int | None, typer.Option(help="Use only the first N positions.")] = None,
    make_count: Annotated[
        int | None, typer.Option("--make", help="Make N positions instead.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Where positions made come from.")] = 45,
    band: Annotated[
        tuple[int, int] | None,
        typer.Option(help="Fewest and most seeds of positions made, from Kalah(6,6) alone."),
    ] = None,
    large: Annotated[
        bool, typer.Option(help="Make them by good play; of 45 to 66 seeds without a band.")
    ] = False,
    prover: Annotated[
        Path | None,
        typer.Option(help="Folder of prove.sh: compare the file's values with its program's."),
    ] = None,
    cpu: Annotated[bool, typer.Option(help="Count processor time, as on an idle machine.")] = False,
) -> None:
    """Measure the shipped weights beside store difference alone, and print one JSON object."""
    from mancala.engine.search.engine import Engine, EngineOptions, Limit

    if make_count is not None:
        made = random_boards(seed) if band is None else full_boards(seed, *band)
        make(make_count, large_boards(seed, band) if large else made, seed, positions)
        return
    if prover is not None:
        console.emit(compared(read(positions)[:limit], prover))
        return
    sets = {"shipped": None, "stores": stores_alone()}
    sets |= {str(path): Weights.load(path) for path in weights or ()}
    taken = read(positions)[:limit]
    result: dict[str, Any] = {
        "movetime_s": movetime,
        "nodes": nodes,
        "tables": tables,
        "cpu": cpu,
        "weights": {},
    }
    if movetime is None and nodes is None:
        movetime = result["movetime_s"] = 0.1
    for name, chosen in sets.items():
        options = EngineOptions(book=False, tables=tables)
        if chosen is not None:
            options = options.with_weights(chosen)
        engine = Engine(options=options, clock=time.thread_time if cpu else time.monotonic)
        engine.warm_up()
        costs = measure(engine, Limit(time_s=movetime, nodes=nodes), taken)
        result["weights"][name] = {**summary(costs), "by_seeds": by_seeds(costs)}
    console.emit(result)


def _sign(value: int) -> int:
    return (value > 0) - (value < 0)


if __name__ == "__main__":
    typer.run(main)

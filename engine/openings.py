"""Where games begin: positions that are proven fair, so that a match measures its players.

From the usual start of Kalah(6,4) perfect play wins by 8 for the first player, and two programs
that never vary play one game for ever. So a match begins each pair of games from another
position, reached by random moves, and plays it twice with the seats swapped. The positions of a
book are proven by the solver to be worth what they state; 0 is a draw.

How early in the game a position can be proven decides what is honest. In Kalah(6,4) those are
positions of 34 to 42 seeds in the pits, a few turns in. Kalah(6,6) begins with 72, and what can be
proven there is a middle game; a true opening can only be judged fair by a search, and has no
stated value.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from random import Random
from typing import Final, TypeAlias

from mancala.protocol import codec
from mancala.protocol.rules import Board, Rules
from mancala.protocol.text import quantity, written_text

SCHEMA: Final = "mancala.openings.v1"
SHIPPED: Final = ("kalah-6-4", "kalah-6-6", "kalah-empty-capture-6-4")
RANDOM_PLIES: Final = (4, 9)
"""Fewest and most random moves before a start that is not proven."""
MOST_TRIES: Final = 2000
ESTIMATE_NODES: Final = 2048
ESTIMATE_SLACK: Final = 2.0
"""Seeds by which an estimate may miss the band and the position be worth a proof."""


Judge: TypeAlias = "Callable[[Board], Opening | None]"
"""Says whether a position is an opening."""


class OpeningsError(ValueError):
    """A file of openings that cannot be used; the message says why."""


@dataclass(frozen=True, slots=True)
class Opening:
    """A position to begin from, as text; the mover, who is player 0, first.

    The value is the proven store difference at the end, for the mover; None where nothing is
    proven.
    """

    board: str
    value: int | None = None


@dataclass(frozen=True, slots=True)
class Book:
    """Openings of one set of rules, each once, which favour no side by more than ``band`` seeds.

    The seed is what the random moves came from.
    """

    rules: str
    openings: tuple[Opening, ...]
    band: int | None = None
    seed: int | None = None
    schema: str = SCHEMA


@dataclass(frozen=True, slots=True)
class OpeningKind:
    """What kind of opening to look for.

    Of random moves from the start and of seeds left in the pits there are the fewest and the most.
    It may favour a side by ``band`` seeds; 0 asks for draws. A proof is given up after
    ``proof_nodes``, no time, so that the same seed finds the same openings on every machine.
    ``thought_nodes`` judges fairness by a search of that many positions; None takes only what is
    proven.
    """

    plies: tuple[int, int] = (7, 14)
    seeds: tuple[int, int] = (34, 42)
    band: int = 0
    proof_nodes: int = 10_000_000
    thought_nodes: int | None = None


def read(content: bytes, rules: Rules) -> Book:
    """Return the book in a file, or in plain lines of one board each, or raise `OpeningsError`."""
    try:
        text = written_text(content)
        book = codec.from_json(text, Book) if text.lstrip().startswith("{") else _plain(text)
        texts = [_checked(opening.board, rules) for opening in book.openings]
    except ValueError as error:
        raise OpeningsError(str(error)) from None
    if book.rules and Rules.parse(book.rules) != rules:
        raise OpeningsError(f"these openings are for {book.rules}, not for {rules}")
    if len(set(texts)) < len(texts):
        raise OpeningsError("a board occurs twice")
    return book


def write(book: Book, path: Path) -> None:
    """Write a book, a line an opening, so that versions can be compared."""
    head = codec.to_json({**_head(book), "openings": []}).decode().removesuffix("]}")
    lines = ",\n".join(codec.to_json(opening).decode() for opening in book.openings)
    path.write_text(f"{head}\n{lines}\n]}}\n", encoding="utf-8")


@cache
def shipped(rules: Rules) -> Book | None:
    """Return the book that comes with the program, where there is one for these rules."""
    for name in SHIPPED:
        file = resources.files("mancala.engine") / "data" / f"openings-{name}.json"
        if file.is_file():
            book = codec.from_json(file.read_bytes(), Book)
            if Rules.parse(book.rules) == rules:
                return book
    return None


def choose(book: Book | None, rules: Rules, count: int, *, seed: int) -> tuple[Opening, ...]:
    """Choose openings for an event: from the book by lot, then random starts, none twice.

    Only where the rules have no further position a few moves in does one come up again.
    """
    rng = Random(seed)  # noqa: S311  # games need no cryptography
    known = list(book.openings) if book is not None else []
    rng.shuffle(known)
    chosen = known[:count]
    taken = {opening.board for opening in known}
    while len(chosen) < count:
        board = _random_start(rules, rng, RANDOM_PLIES, taken)
        taken.add(board.text)
        chosen.append(Opening(board.text))
    return tuple(chosen)


def generate(rules: Rules, wanted: OpeningKind, *, seed: int) -> Iterator[Opening | None]:
    """Look for openings and judge them, until the rules have no more positions.

    Yields None for each candidate that is no such opening. The same seed tries the same positions,
    each once.
    """
    from .search.engine import EngineOptions  # noqa: PLC0415  # loads the compiler
    from .search.fixed_nodes import FixedNodeSearch  # noqa: PLC0415  # loads the compiler

    rng = Random(seed)  # noqa: S311  # as above
    estimator = FixedNodeSearch(rules, EngineOptions(), nodes=ESTIMATE_NODES)
    judge = _prover(rules, wanted) if wanted.thought_nodes is None else _thinker(rules, wanted)
    tried: set[str] = set()
    few, many = wanted.seeds
    while (board := _random_start(rules, rng, wanted.plies, tried)).text not in tried:
        tried.add(board.text)
        estimate = estimator.choose(board).value
        is_near = estimate is not None and abs(estimate) <= wanted.band + ESTIMATE_SLACK
        hopeful = few <= board.in_play <= many and is_near
        yield judge(board) if hopeful else None


def _prover(rules: Rules, wanted: OpeningKind) -> Judge:
    """Make a judge who takes what is proven to be in the band, within the nodes there are."""
    from .search.engine import tables_for  # noqa: PLC0415  # loads the compiler
    from .search.solver import Solver  # noqa: PLC0415  # loads the compiler
    from .tablebase import default_seeds  # noqa: PLC0415  # loads the compiler

    tables = tables_for(rules, seeds=default_seeds(rules.pits))  # the same file on every machine
    solver = Solver(rules, tables=tables, table_bits=20)

    def judge(board: Board) -> Opening | None:
        for solution in solver.solve(board, guess=0.0):
            value = solution.value
            if value.exact and abs(value.low) <= wanted.band:
                return Opening(board.text, value.low)
            if value.low > wanted.band or value.high < -wanted.band:
                return None
            if solution.nodes > wanted.proof_nodes:
                return None
        return None

    return judge


def _thinker(rules: Rules, wanted: OpeningKind) -> Judge:
    from .search.engine import Engine, EngineOptions, Limit  # noqa: PLC0415  # loads the compiler
    from .tablebase import default_seeds  # noqa: PLC0415  # loads the compiler

    engine = Engine(options=EngineOptions(book=False, tables=default_seeds(rules.pits)))
    engine.warm_up(rules)

    def judge(board: Board) -> Opening | None:
        engine.forget()
        report = engine.analyse(board, Limit(nodes=wanted.thought_nodes))
        return Opening(board.text) if abs(report.known_value) <= wanted.band else None

    return judge


def _random_start(rules: Rules, rng: Random, plies: tuple[int, int], taken: set[str]) -> Board:
    """Play random moves to a position that is not over and was not taken, if there is one."""
    board = Board.start(rules)
    for _ in range(MOST_TRIES):
        board = Board.start(rules)
        for _ in range(rng.randint(*plies)):
            following = board.sow(rng.choice(board.legal())).board
            if following.is_over:
                break
            board = following
        if board.text not in taken:
            break
    return board


def _plain(text: str) -> Book:
    lines = (line.strip() for line in text.splitlines())
    return Book("", tuple(Opening(line) for line in lines if line and not line.startswith("#")))


def _checked(text: str, rules: Rules) -> str:
    board = Board.from_text(text, rules)
    if board.rules.pits != rules.pits:
        raise OpeningsError(
            f"{text} has {quantity(board.rules.pits, 'pit')} a row, the rules {rules.pits}"
        )
    if board.is_over:
        raise OpeningsError(f"the game is over in {text}")
    return board.text


def _head(book: Book) -> dict[str, object]:
    return {"schema": book.schema, "rules": book.rules, "band": book.band, "seed": book.seed}

"""Games as a server writes them into a store, for tests of what becomes of them."""

import random
from pathlib import Path
from shutil import copytree
from typing import Any

from sqlalchemy import Connection

from mancala.protocol.messages import Info, Outcome, Reason
from mancala.protocol.referee import LedgerEntry
from mancala.protocol.review import Result
from mancala.protocol.rules import Board
from mancala.server.model.journal import Entry, GameClosed, GameOpened, MatchOpened, MovePlayed
from mancala.server.model.match import LadderContext
from mancala.server.model.schemas.analysis import AnalysedMove, Puzzle
from mancala.server.store.database import versions
from mancala.server.store.database.writer import Transaction
from tests.server.store.test_store import TERMS, announcement

SEED = 7
GAMES = 24
STORES = Path("tests/data/stores").absolute()


def at(second: int) -> str:
    return f"2026-11-21T12:{second // 60:02}:{second % 60:02}.000+00:00"


def played(count: int) -> list[Entry]:
    """Return what a server wrote for some games, the first of which is still under way."""
    rng = random.Random(SEED)
    written: list[Entry] = []
    for number in range(count):
        names = tuple(rng.sample(("ann", "bob", "cid"), 2))
        context = LadderContext("main", (f"{names[0]}@1", names[1])) if number % 3 else None
        match, game = f"m{number}", f"g{rng.getrandbits(32):08x}"
        opened = MatchOpened(match, (names[0], names[1]), TERMS, at(number), context)
        written += [opened, GameOpened(game, match, 0, at(number))]
        for ply in range(rng.randrange(9)):
            ledger = LedgerEntry(rng.randrange(6), rng.random() * 1000, rng.choice((0.0, 2.5)))
            info = rng.choice((None, Info(depth=ply, comment="é\n")))
            written.append(MovePlayed(game, ply, ledger, info, forced=rng.random() < 0.1))
        if number > 0:
            reason = rng.choice((Reason.NORMAL, Reason.TIMEOUT, Reason.ABORTED))
            winner = None if reason is Reason.ABORTED else rng.choice((0, 1, None))
            ended = Outcome(winner, (25, 23), reason, None)
            written.append(GameClosed(game, ended, at(100 + number), announcement(game)))
    return written


def do(connection: Connection, act: Any, *arguments: Any) -> Any:  # noqa: ANN401  # any question
    with connection.begin():
        transaction = Transaction(connection)
        found = act(transaction, *arguments)
        transaction.flush()
        return found


def ignore(_done: int, _total: int) -> None:
    """Show no progress."""


def later_scripts(folder: Path) -> Path:
    copied = copytree(versions.SCRIPTS, folder / "migrations")
    step = STORES / "v0025_later.py"
    (copied / "versions" / step.name).write_text(step.read_text())
    return copied


def a_puzzle(game: str = "g", best: int = 2) -> Puzzle:
    """Return a puzzle of a game: the start, in which one pit wins."""
    board = Board.start()
    return Puzzle(
        game=game,
        ply=9,
        ended_at="",
        board=board.text,
        rules=str(board.rules),
        best=best,
        played=0,
        line=(best,),
        keeps=Result.WIN,
        level=2,
        moves=tuple(
            AnalysedMove(pit=pit, value=2.0 if pit == best else -3.0, proven=True, depth=None)
            for pit in board.legal()
        ),
    )

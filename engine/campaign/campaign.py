"""A campaign: the proof of one position's value, in subproofs that are kept as they are finished.

The value is asked for by thresholds: first those that were given, then from a guess upwards or
downwards until the bounds meet. Each question is a tree of subproofs (`tree`). One that takes more
nodes than `Effort.subproof_nodes` is split, and its moves are asked instead; what its search has
left in the transposition table serves them. The first plies are split in any case, so that each
subproof can be checked by itself.

Where there are several provers, the questions under way are those that follow if each answer is as
expected (`tree`).

All that is proven is in the journal before it counts. The transposition table's proofs are saved
now and then, so a process that is killed loses the subproofs under way, and gets back most of them;
provers of other machines keep theirs.
"""

import random
import time
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from math import ceil, sqrt
from pathlib import Path
from typing import Final, NamedTuple

from mancala.protocol.rules import Board

from .. import book
from ..knowledge import Bounds
from . import certificate, home, positions
from .costs import Costs, Fit
from .journal import CampaignJournal, Proven, Split
from .prover import Prover, Provers, Work, each
from .tree import ProofNode, ProofTree, open_moves

SUBPROOF_NODES: Final = 1 << 20
"""Usual most nodes of a subproof: half a second of two cores. Larger ones waste more on moves that
turn out wrong; the tree chooses better than the order of moves."""
SPLIT_PLIES: Final = 3
"""Plies that are split in any case."""
HOPELESS: Final = 8.0
"""A subproof that is expected to take this many times the most nodes is split without a trial."""
ESTIMATE_SHARE: Final = 1 / 64
"""Nodes of the estimate that a move is ordered by, relative to those of a subproof."""
SAVE_S: Final = 45.0
"""Seconds between two savings of the transposition table."""
SAVE_SHARE: Final = 0.05
"""Most of the time that saving may take; where it takes longer, it happens less often."""
WAYS: Final = 256
"""Sampled ways of an estimate."""


@dataclass(frozen=True, slots=True)
class Remaining:
    """What an open question is expected to take: the mean of the ways, and its error from sampling.

    A way begins at the question that is asked. Where the side moves that is expected to win the
    question, it takes the move that seems cheapest; where the other side moves, it takes one of the
    open moves at random, and counts for all of them. It ends at a leaf, for which the mean nodes of
    finished subproofs stand (`costs`). The mean over all ways is what the tree is expected to cost
    (Knuth, "Estimating the efficiency of backtrack programs", Mathematics of Computation 29, 1975).

    The estimate holds for the tree as it now seems. Lines that meet are counted more than once,
    which makes it too large; a move that fails where it was expected to win makes it too small; and
    the cost of leaves far above any that were finished is extrapolated.

    ``largest`` is the seeds in play of the largest leaf that was met.
    """

    nodes: float
    error: float
    largest: int


def estimate(tree: ProofTree, costs: Costs, root: ProofNode, *, seed: int = 1) -> Remaining:
    """Return what an open question is expected to take yet."""
    rng = random.Random(seed)  # noqa: S311  # samples, no secrets
    wins = root.yes <= root.no
    found, largest = [], 0
    for _ in range(WAYS):
        node, factor, mover_wins = root, 1.0, wins
        while node.moves is not None:
            below = open_moves(node)
            after = tree.cheapest(node) if mover_wins else rng.choice(below)[1]
            factor *= 1 if mover_wins else len(below)
            again = next(move.again for move, each in below if each is after)
            mover_wins = mover_wins if again else not mover_wins
            node = after
        found.append(factor * costs.mean(node.board.in_play))
        largest = max(largest, node.board.in_play)
    mean = sum(found) / WAYS
    variance = sum((each - mean) ** 2 for each in found) / (WAYS - 1)
    return Remaining(mean, sqrt(variance / WAYS), largest)


@dataclass(frozen=True, kw_only=True, slots=True)
class Effort:
    """What a campaign is to prove, and in what portions.

    The thresholds are values of the board that are asked for first, in this order; with
    ``every_move``, what each move is worth is proven after the board's value. ``subproof_nodes`` is
    the most of a subproof, ``save_s`` the seconds between two savings of the transposition table.
    """

    thresholds: tuple[int, ...] = ()
    every_move: bool = False
    subproof_nodes: int = SUBPROOF_NODES
    save_s: float = SAVE_S


class Subproof(NamedTuple):
    """A leaf of the tree as a prover gets it: is the board worth at least ``threshold``?

    It is ``tried`` with ``most_nodes`` before its moves are asked instead; those are estimated by
    what ``fit`` says that each usually takes.
    """

    board: Board
    threshold: int
    most_nodes: int
    tried: bool
    fit: Fit


def answered(subproof: Subproof, prover: Prover) -> Generator[object, None, Proven | Split]:
    """Prove, or split; return the entry of the journal."""
    board, threshold, most_nodes, tried, fit = subproof
    nodes, began = prover.nodes, time.monotonic()
    if tried:
        bounds = yield from prover.ask(board, threshold, most_nodes)
        if bounds is not None:
            spent = prover.nodes - nodes, time.monotonic() - began
            return Proven(board.text, bounds.low, bounds.high, *spent)
    estimates: dict[int, float] = {}
    for move in positions.moves(board):
        if move.after is not None:
            least = min(fit.usual(move.after.in_play), most_nodes)
            estimates[move.pit] = yield from prover.estimate(move.after, ESTIMATE_SHARE * least)
    spent = prover.nodes - nodes, time.monotonic() - began
    return Split(board.text, threshold, estimates, *spent, tried)


class Campaign:
    """A campaign under way in its directory, which holds a definition.

    ``proven`` counts the subproofs that are finished, ``nodes`` the positions whose sowings were
    generated for entries of the journal, in all runs; ``restored`` the proofs that the saved
    transposition table held, None when it was of no use.

    Raises:
        CampaignError: when the directory holds no campaign.
        DirectoryBusyError: when another process proves there.
        OSError: when its files cannot be read or written.
    """

    def __init__(self, directory: Path, provers: Provers, effort: Effort | None = None) -> None:
        definition = home.read(directory)
        self.board = definition.start
        self.journal = CampaignJournal(directory, definition.checksum)
        self._directory = directory
        self._provers = provers
        self._effort = effort or Effort()
        self._costs = Costs(provers.table_seeds)
        self._tree = ProofTree(self._costs)
        self._root = positions.plain(self.board)
        self._ahead = positions.offset(self.board)
        self.proven = 0
        self.nodes, self._seconds = 0, 0.0
        self._asked: ProofNode | None = None
        self._began = self._saved = time.monotonic()
        self._saving_s = 0.0
        try:
            self._adopt()
            self._earlier_nodes = self.nodes
            self.restored = provers.load_table(directory / home.TABLE)
        except BaseException:
            self.journal.close()
            raise

    @property
    def value(self) -> Bounds:
        """What is proven of the board's value, for its mover, counted from its stores."""
        return self._tree.known(self._root).seen(self._ahead)

    @property
    def moves(self) -> dict[int, Bounds]:
        """What is proven of each move, by pit."""
        most = self.value.high  # of the position, so of each of its moves
        reach = self._tree.bounds_of_moves(self._root)
        seen = {pit: bounds.seen(self._ahead) for pit, bounds in reach.items()}
        return {pit: Bounds(each.low, min(each.high, most)) for pit, each in seen.items()}

    @property
    def best(self) -> int | None:
        high = self.value.high
        return next((pit for pit, bounds in self.moves.items() if bounds.low == high), None)

    @property
    def asked(self) -> int | None:
        """The value that is being asked for; None for that of a single move, or for nothing."""
        question = self._asked
        if question is None or question.board != self._root:
            return None
        return question.threshold + self._ahead

    @property
    def seconds(self) -> float:
        """Time spent: by this run, and by the subproofs of earlier ones, one after the other."""
        return self._seconds + time.monotonic() - self._began

    @property
    def speed(self) -> float:
        """Nodes a second, of all workers together, in this run."""
        done, seconds = self.nodes - self._earlier_nodes, self.seconds - self._seconds
        if not done:
            done, seconds = self.nodes, self._seconds
        return done / max(seconds, 1e-9)

    @property
    def remaining(self) -> Remaining | None:
        """What the question under way is expected to take; None while there is none."""
        if self._asked is None or self._tree.is_decided(self._asked):
            return None
        with self._tree.nothing_assumed():
            return estimate(self._tree, self._costs, self._asked)

    def run(self) -> Generator[None, None, None]:
        """Prove until nothing is left to ask; pause every few milliseconds."""
        given = tuple(value - self._ahead for value in self._effort.thresholds)
        yield from self._decide(self._root, given)
        if self._effort.every_move:
            for move in positions.moves(self._root):
                if move.after is not None:
                    yield from self._decide(move.after, ())
        self._asked = None

    def save(self) -> None:
        """Save the transposition table's proofs, and the certificate of what is proven."""
        began = time.monotonic()
        proof = certificate.of(self._tree, self.board, self.nodes)
        proof.save(self._directory / home.CERTIFICATE)
        self._provers.save_table(self._directory / home.TABLE)
        self._saved = time.monotonic()
        self._saving_s = self._saved - began

    def close(self) -> None:
        self.journal.close()

    def _adopt(self) -> None:
        for entry in self.journal.entries:
            self._seconds += entry.seconds
            self._take(entry, Board.from_text(entry.board, self.board.rules))

    def _take(self, entry: Proven | Split, board: Board) -> None:
        self.nodes += entry.nodes
        if isinstance(entry, Proven):
            self.proven += 1
            self._costs.add(board.in_play, entry.nodes, finished=True)
            self._tree.learn(board, Bounds(entry.low, entry.high))
            return
        if entry.tried:
            self._costs.add(board.in_play, entry.nodes, finished=False)
        node = self._tree.node(board, entry.threshold, SPLIT_PLIES)
        if node.moves is None:
            self._tree.split(node, entry.estimates)

    def _decide(self, board: Board, thresholds: tuple[int, ...]) -> Iterator[None]:
        """Ask for thresholds, the given ones first, until the value is proven."""
        step = positions.step(board.rules)
        for threshold in thresholds:
            yield from self._ask(board, threshold)
        if self._tree.known(board).exact:
            return
        guess = yield from self._guess(board)
        while not (known := self._tree.known(board)).exact:
            steps = round((guess - known.low) / step)
            asked = min(known.low + step * max(steps, 1), known.high)
            yield from self._ask(board, asked)
            now = self._tree.known(board)
            guess = now.low + step if now.low >= asked else now.high

    def _guess(self, board: Board) -> Generator[None, None, float]:
        """Return the value that is asked for first: the book's, else the engine's estimate."""
        entry = None if board.rules.majority else book.find(board)
        if entry is not None:
            return entry.to_go
        nodes = min(self._costs.usual(board.in_play), self._effort.subproof_nodes)
        work = partial(Prover.estimate, board=board, most_nodes=ESTIMATE_SHARE * nodes)
        guess = 0.0
        for found in self._provers.results(each([(None, work)])):
            if found is None:
                yield None
            else:
                _, guess = found
        return guess

    def _ask(self, board: Board, threshold: int) -> Iterator[None]:
        """Prove whether a position is worth at least a threshold, unless that is known."""
        known, step = self._tree.known(board), positions.step(board.rules)
        threshold = known.low + step * ceil((threshold - known.low) / step)
        if not known.low < threshold <= known.high:
            return
        root = self._asked = self._tree.node(board, threshold)
        try:
            with closing(self._provers.results(partial(self._next_question, root))) as results:
                for found in results:
                    if found is not None:
                        self._take_answer(*found)
                    yield None
                    if self._tree.is_decided(root):
                        break
        finally:
            self._tree.release(*self._tree.assumed)

    def _next_question(self, root: ProofNode) -> tuple[ProofNode, Work[Proven | Split]] | None:
        """Return the leaf to prove next; None while that depends on those under way."""
        if not root.is_open:
            return None
        leaf, most_nodes = self._tree.next_leaf(root), self._effort.subproof_nodes
        tried = not self._is_split_untried(leaf)
        self._tree.assume(leaf)
        subproof = Subproof(leaf.board, leaf.threshold, most_nodes, tried, self._costs.fit)
        return leaf, partial(answered, subproof)

    def _take_answer(self, leaf: ProofNode, entry: Proven | Split) -> None:
        self._tree.release(leaf)
        self.journal.add(entry)
        self._take(entry, leaf.board)
        self._save_now_and_then()

    def _is_split_untried(self, leaf: ProofNode) -> bool:
        if leaf.board.in_play <= self._provers.table_seeds:
            return False
        expected = min(leaf.yes, leaf.no)
        return leaf.ply < SPLIT_PLIES or expected > HOPELESS * self._effort.subproof_nodes

    def _save_now_and_then(self) -> None:
        pause_s = max(self._effort.save_s, self._saving_s / SAVE_SHARE)
        if time.monotonic() - self._saved >= pause_s:
            self.save()

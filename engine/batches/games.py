"""Whole games between players that are compiled, played by the hundred in one call.

The choices are those of the players one by one: of `mancala.engine.classics`, and of
`mancala.engine.search.fixed_nodes`. A game costs microseconds, since nothing of it but the result
passes through Python.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from mancala.protocol.batch import BatchedGame
from mancala.protocol.messages import Info
from mancala.protocol.rules import Board, Rules

from ..kernels import choosers, games, state
from ..kernels.layout import UNIT
from ..kernels.root import NO_VALUE
from ..search.engine import DEEPEST, EngineOptions
from ..search.fixed_nodes import search_state

GAMES_A_CALL: Final = 512
ROOM: Final = 1 << 16
"""Moves of one call: 128 a game, three times what games of four seeds a pit have. A game that does
not fit into all of it is not played here."""


class Classic(NamedTuple):
    """A textbook player; all but its name is for those that search a tree of turns."""

    name: str
    depth: int = 0
    evaluation: str = "stores"
    order: str = "promise"


class FixedNodes(NamedTuple):
    """The engine with a fixed number of nodes a move; see `mancala.engine.search.fixed_nodes`.

    Of its options, weights, search options and endgame tables apply. ``depth`` is in plies, None
    for no limit.
    """

    options: EngineOptions
    nodes: int
    depth: int | None = None


Compiled: TypeAlias = Classic | FixedNodes
KINDS: Final = {
    "random": choosers.RANDOM,
    "greedy": choosers.GREEDY,
    "captures": choosers.CAPTURES,
    "defend": choosers.DEFEND,
    "minimax": choosers.MINIMAX,
    "alphabeta": choosers.ALPHABETA,
}
REPORTING: Final = ("minimax", "alphabeta")
"""Textbook players that report their depth and the positions visited."""
EVALUATIONS: Final = {"stores": choosers.STORES, "side": choosers.SIDE}
ORDERS: Final = {
    "promise": choosers.BEST_FIRST,
    "none": choosers.UNORDERED,
    "worst": choosers.WORST_FIRST,
}


class CompiledPlayer:
    """A player's part in compiled games, under one set of rules; it may meet many opponents.

    Each of ``games_at_once`` games has random choices of its own. A textbook player searches with
    nothing; ``reports`` is whether the player reports its search with each move.
    """

    def __init__(self, rules: Rules, player: Compiled, *, games_at_once: int = 1) -> None:
        self.rules = rules
        self.chooser = _chooser(player, games_at_once)
        self.search = (
            search_state(rules, player.options) if isinstance(player, FixedNodes) else None
        )
        self.reports = isinstance(player, FixedNodes) or player.name in REPORTING


class BatchedGames:
    """Plays games between two compiled players; a `mancala.protocol.batch.BatchPlayer`."""

    def __init__(self, first: CompiledPlayer, second: CompiledPlayer) -> None:
        self._rules = first.rules.key
        self._variant = state.variant(first.rules)
        self._choosers = first.chooser, second.chooser
        self._reports = first.reports, second.reports
        self._searches: games.Searches = None
        if first.search is not None or second.search is not None:
            idle = _idle_search(first.rules)
            self._searches = first.search or idle, second.search or idle

    def warm_up(self) -> None:
        """Compile the kernel that these games need, or load it."""
        self._play([], [])

    def play(
        self, openings: Sequence[Board], seeds: Sequence[tuple[int, int]]
    ) -> list[BatchedGame | None]:
        """Play a game from each opening, with a seed for each seat.

        There is None for an opening of other rules, one that is over, a game longer than the room
        of a call or the search's stack allows, and one with a choice that takes a tree player more
        than `mancala.engine.kernels.trees.MOST_VISITED` positions.
        """
        results: list[BatchedGame | None] = [None] * len(openings)
        waiting = [
            number
            for number, board in enumerate(openings)
            if board.rules.key == self._rules and not board.is_over
        ]
        while waiting:
            part = waiting[:GAMES_A_CALL]
            played = self._play([openings[at] for at in part], [seeds[at] for at in part])
            for number, game in zip(part, played, strict=False):
                results[number] = game
            waiting = waiting[max(1, len(played)) :]
        return results

    def _play(
        self, openings: Sequence[Board], seeds: Sequence[tuple[int, int]]
    ) -> list[BatchedGame]:
        count = len(openings)
        deal = games.Deal(
            openings=np.array([words_of(board) for board in openings], dtype=np.uint64).reshape(-1),
            seeds=np.array(seeds, dtype=np.uint64).reshape(-1),
        )
        moves, taken, depths, values, nodes = np.empty((5, ROOM), dtype=np.int64)
        ends, stores = np.zeros(count, dtype=np.int64), np.zeros(2 * count, dtype=np.int64)
        played = games.PlayedBatch(moves, taken, depths, values, nodes, ends, stores)
        if self._searches is None:
            done = games.play_classics(self._variant, self._choosers, deal, played)
        else:
            done = games.play_games(self._variant, self._choosers, self._searches, deal, played)
        return self._read(played, int(done))

    def _read(self, played: games.PlayedBatch, done: int) -> list[BatchedGame]:
        ends = played.ends[:done].tolist()
        moves = played.moves[: ends[-1] if ends else 0]
        players = (moves >> games.PITS_LOG2).tolist()
        pits = (moves & games.PIT_MASK).tolist()
        elapsed_ms = np.round(played.taken[: len(moves)] / 1e6, 3).tolist()
        infos = self._infos(played, players) if any(self._reports) else None
        return [
            BatchedGame(
                players[begin:end],
                pits[begin:end],
                elapsed_ms[begin:end],
                None if infos is None else infos[begin:end],
                (int(played.stores[2 * game]), int(played.stores[2 * game + 1])),
            )
            for game, (begin, end) in enumerate(zip([0, *ends], ends, strict=False))
        ]

    def _infos(self, played: games.PlayedBatch, players: list[int]) -> list[Info | None]:
        count, reports = len(players), self._reports
        values = played.values[:count]
        in_seeds = (values / UNIT).tolist()
        return [
            Info(depth=depth, value=seeds if is_found else None, nodes=nodes)
            if reports[player]
            else None
            for player, depth, seeds, is_found, nodes in zip(
                players,
                played.depths[:count].tolist(),
                in_seeds,
                (values != NO_VALUE).tolist(),
                played.nodes[:count].tolist(),
                strict=True,
            )
        ]


def can_play(rules: Rules) -> bool:
    """Return whether games of these rules can be played here: boards of at most seven pits a row.

    Under ``majority`` at most six; captures must show in the mover's row, and no position repeat.
    """
    return not (state.is_wide(rules) or rules.relay or rules.even or rules.oware)


def words_of(board: Board) -> tuple[int, int, int]:
    """Return an opening as the kernels read it: both sides with their stores, and the mover."""
    south, north = (
        int.from_bytes(bytes((*board.pits[seat], board.stores[seat])), "little") for seat in (0, 1)
    )
    return south, north, board.player


def _chooser(player: Compiled, games_at_once: int) -> choosers.Chooser:
    order, evaluation, nodes = choosers.UNORDERED, choosers.STORES, 0
    if isinstance(player, FixedNodes):
        kind, nodes = choosers.FIXED_NODES, player.nodes
        depth = min(player.depth or DEEPEST, DEEPEST)
    else:
        kind, depth = KINDS[player.name], player.depth
        evaluation = EVALUATIONS[player.evaluation]
        order = ORDERS[player.order] if kind == choosers.ALPHABETA else order
    return choosers.Chooser(
        kind=kind,
        depth=depth,
        evaluation=evaluation,
        order=order,
        nodes=nodes,
        visited=np.zeros(1, dtype=np.int64),
        memo=np.zeros(choosers.MEMO_WORDS, dtype=np.uint64),
        draws=np.zeros(games_at_once, dtype=np.uint64),
        words=np.zeros(4 * choosers.FRAMES, dtype=np.uint64),
        ints=np.zeros(2 * choosers.FRAME * choosers.FRAMES, dtype=np.int64),
        position=np.zeros(4, dtype=np.uint64),
    )


@lru_cache(maxsize=4)
def _idle_search(rules: Rules) -> state.Search:
    """Return what stands in for the search of a player that does not search."""
    return state.new_search(rules, np.zeros(state.WEIGHTS, dtype=np.int16))

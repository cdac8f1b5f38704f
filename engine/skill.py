"""Levels 1 to 9: players that are weaker than the engine in ways that imitate human mistakes.

Level 10 is the engine itself (`mancala.engine.search.engine`), nothing held back. Below it plays a
`SkillPlayer`, who values each move by itself, with four handicaps, each smaller from level to
level:

- **Sight.** A move is followed a few plies far. An extra turn is a ply as well: so the end of a
  long chain of re-turns lies beyond a low level's sight, and so does the other side's answer.
- **Insight.** The engine's weights are felt in part only. The lowest levels count stores.
- **Oversight.** Now and then a move is judged at a glance, by what the sowing itself brings. A
  greedy capture then looks as good as before the answer was seen, and a re-turn that leads to a
  capture is passed over.
- **Whim.** Of what it believes, a player takes the best more often than the rest, but not
  always: a move that seems ``x`` seeds worse is taken ``exp(x / temperature)`` times as rarely, a
  softmax. So a move nearly as good as the best is common, and an evident blunder rare.

What it plays is a function of board, limit and seed: not of the moves before, nor of the
games played first, nor (but for a limit of time) of the machine. Its effort is counted in plies
and nodes, so it is as strong on a slow machine as on a fast one. It has no opening book and no
endgame tables, as a human player has none. How far the levels lie apart is measured by
`mancala.scripts.bench.search.levels`; `engine/STRENGTH.md` has the figures.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from math import exp, inf
from random import Random
from typing import Final, NamedTuple

import numpy as np

from mancala.protocol.rules import KALAH, Board, Rules

from . import kernels
from .classics.deepening import looks
from .evaluation.search_options import SearchOptions
from .evaluation.weights import Weights, shipped
from .kernels import state
from .search.reports import Limit, MoveValue, Report
from .search.worker import SLICE_NODES, Worker, position_of

FULL_LEVEL: Final = 10
"""The engine itself."""
TABLE_BITS: Final = 13
MOST_PLIES: Final = 64
PARAMETERS: Final = SearchOptions(
    again_cost=1, quiescence=0, futility_plies=0, probe_from=MOST_PLIES
)
"""A plain search to a depth: an extra turn is a ply, nothing is searched on until it is quiet and
nothing left out. So a change of how the engine selects is none of what a level is."""


class Handicap(NamedTuple):
    """What makes a level weaker than the engine.

    A move is followed ``plies`` far, the sowing itself included; an extra turn is a ply. On wide
    boards the nodes end that. ``insight`` is the share of the weights that is felt, ``oversight``
    the chance that a move is judged by its sowing alone, ``temperature`` the seeds of loss that
    make a move ``e`` times as rare.
    """

    plies: int
    nodes: int
    insight: float
    oversight: float
    temperature: float


HANDICAPS: Final = (
    Handicap(plies=1, nodes=200, insight=0.0, oversight=0.50, temperature=5.2),
    Handicap(plies=2, nodes=500, insight=0.0, oversight=0.34, temperature=3.0),
    Handicap(plies=3, nodes=1000, insight=0.0, oversight=0.22, temperature=1.9),
    Handicap(plies=3, nodes=1000, insight=0.13, oversight=0.165, temperature=1.3),
    Handicap(plies=4, nodes=3000, insight=0.3, oversight=0.145, temperature=1.35),
    Handicap(plies=4, nodes=3000, insight=0.45, oversight=0.10, temperature=1.07),
    Handicap(plies=5, nodes=10_000, insight=0.9, oversight=0.07, temperature=0.95),
    Handicap(plies=7, nodes=15_000, insight=1.0, oversight=0.02, temperature=0.4),
    Handicap(plies=MOST_PLIES, nodes=20_000, insight=1.0, oversight=0.0, temperature=0.05),
)
"""Levels 1 to 9, set by measurement so that each level takes about seven points of ten from the one
below, and level 10 from level 9, in games from fair openings. Level 1 sees nothing but a glance, so
it has nothing to overlook."""
LEVEL_10_NODES: Final = 20_000
"""Nodes a move of level 10 on the scale of `mancala.protocol.levels`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SkillLevel:
    """A level from 1, a beginner, to 9, and where its whims and oversights come from.

    It feels its share of the weights, without the net, so that a new net leaves the levels as
    strong as they are. ValueError when there is no such level.
    """

    level: int
    weights: Weights = field(default_factory=shipped)
    seed: int = 0

    def __post_init__(self) -> None:
        if not 1 <= self.level < FULL_LEVEL:
            raise ValueError(
                f"level must be 1..{FULL_LEVEL - 1} below the full engine, not {self.level}"
            )

    @property
    def handicap(self) -> Handicap:
        return HANDICAPS[self.level - 1]


class SkillPlayer:
    """A player of a level below the engine's; one search at a time."""

    def __init__(self, skill: SkillLevel) -> None:
        self.skill = skill
        self._sight: _Sight | _PlainSight | None = None

    def warm_up(self, rules: Rules = KALAH) -> None:
        """Compile or load every kernel it needs, and set out what these rules take."""
        self.choose(Board.start(rules), Limit())

    def choose(self, board: Board, limit: Limit, *, game: int = 0) -> Report:
        """Choose a pit on a board that is not over, and report what it believes each move is worth.

        The limit bounds the effort where it is less than the level's own; at the least every move
        gets a glance, which costs no node. The number of the game tells it from others on the same
        board: another one draws other whims and oversights. ValueError when the game is over.
        """
        if board.is_over:
            raise ValueError(f"the game is over: {board.text}")
        began = time.monotonic()
        sight = self._sight_for(board.rules)
        rng = Random(f"{self.skill.seed} {game} {board.text}")  # noqa: S311  # games need no cryptography
        views = sight.views(board, self._within(limit, began))
        believed = self._believed(views, rng)
        pit = self._whim(believed, rng)
        ranked = sorted(believed, key=lambda other: (other != pit, -believed[other]))
        return Report(
            player=board.player,
            depth=len(views),
            pit=pit,
            value=believed[pit],
            exact=False,
            pv=(pit,),
            nodes=sight.nodes,
            seconds=time.monotonic() - began,
            moves=tuple(MoveValue(other, believed[other], exact=False) for other in ranked),
        )

    def _within(self, limit: Limit, began: float) -> _Bounds:
        handicap = self.skill.handicap
        until = inf if limit.time_s is None else began + limit.time_s
        return _Bounds(
            min(handicap.plies, limit.depth or handicap.plies),
            min(handicap.nodes, limit.nodes or handicap.nodes),
            lambda: time.monotonic() >= until,
        )

    def _believed(self, views: list[dict[int, float]], rng: Random) -> dict[int, float]:
        """Value each move by the deepest view, or by the first where that one is overlooked."""
        glance, deepest = views[0], views[-1]
        oversight = self.skill.handicap.oversight
        return {
            pit: glance[pit] if rng.random() < oversight else value
            for pit, value in deepest.items()
        }

    def _whim(self, believed: dict[int, float], rng: Random) -> int:
        best, temperature = max(believed.values()), self.skill.handicap.temperature
        shares = [exp((value - best) / temperature) for value in believed.values()]
        return rng.choices(tuple(believed), shares)[0]

    def _sight_for(self, rules: Rules) -> _Sight | _PlainSight:
        if self._sight is None or self._sight.rules != rules:
            self._sight = _PlainSight(rules) if rules.oware else _Sight(rules, self.skill)
        return self._sight


class _Bounds(NamedTuple):
    """How far a look goes: plies, nodes, and whether the time is over."""

    plies: int
    nodes: int
    is_late: Callable[[], bool]


class _Sight:
    """A limited lookahead: the kernels, on small tables, with a share of the weights."""

    def __init__(self, rules: Rules, skill: SkillLevel) -> None:
        self.rules = rules
        weights = np.rint(skill.weights.linear.compiled(rules) * skill.handicap.insight)
        search = state.new_search(rules, weights.astype(np.int16), bits=TABLE_BITS)
        self._search = Worker(search, parameters=PARAMETERS).search
        self._control, self._frame = self._search.stack.control, self._search.stack.ints

    @property
    def nodes(self) -> int:
        return int(self._control[kernels.C_NODES])

    def views(self, board: Board, bounds: _Bounds) -> list[dict[int, float]]:
        """Value the moves for the mover, in seeds, to 1, 2, 3… plies, as far as bounds allow."""
        self._search.entries[:] = 0
        self._control[kernels.C_TOTAL_SEEDS] = board.total
        self._control[kernels.C_NODES] = 0
        sown = {pit: board.sow(pit).board for pit in board.legal()}
        views = [{pit: self._glance(child, board.player) for pit, child in sown.items()}]
        while len(views) < bounds.plies:
            view: dict[int, float] = {}
            for pit, child in sown.items():
                value = self._look(child, board.player, len(views), bounds)
                if value is None:
                    return views
                view[pit] = value
            views.append(view)
        return views

    def _glance(self, board: Board, me: int) -> float:
        if board.is_over:
            return float(board.score(me))
        return _for(me, board, int(kernels.static_value(self._search, position_of(board))))

    def _look(self, board: Board, me: int, plies: int, bounds: _Bounds) -> float | None:
        """Value a board by a search; None where that would take too much."""
        if board.is_over:
            return float(board.score(me))
        goal = plies, -kernels.INFINITY, kernels.INFINITY
        kernels.begin(self._search, position_of(board), board.stores[board.player], goal)
        while (left := bounds.nodes - self.nodes) > 0 and not bounds.is_late():
            if kernels.run(self._search, min(left, SLICE_NODES)) == kernels.DONE:
                return _for(me, board, int(self._frame[kernels.F_BEST]))
        return None


class _PlainSight:
    """The same by stores alone and without kernels, for a game whose positions repeat."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.nodes = 0

    def views(self, board: Board, bounds: _Bounds) -> list[dict[int, float]]:
        """Value the moves for the mover as above."""
        found: list[dict[int, float]] = []
        plies, nodes, is_late = bounds
        for view, self.nodes in looks(board, plies=plies, nodes=nodes, is_late=is_late):
            found.append(view)
        return found


def _for(me: int, board: Board, to_go: int) -> float:
    """Turn the mover's value-to-go, in units, into a player's difference of stores at the end."""
    return board.score(me) + (to_go if board.player == me else -to_go) / kernels.UNIT

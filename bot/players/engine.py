"""The engine as players: at full strength, with a few nodes a move, and below full strength."""

from contextlib import suppress
from dataclasses import replace
from math import inf
from typing import ClassVar

from mancala.engine.classics.deepening import DEEPEST, DeepeningPlayer
from mancala.engine.search.engine import Engine, EngineOptions, Limit, Report
from mancala.engine.search.fixed_nodes import MOST_NODES, FixedNodeSearch
from mancala.engine.skill import SkillLevel, SkillPlayer
from mancala.protocol.messages import Info
from mancala.protocol.player import UNLIMITED, Budget, Choice, Player
from mancala.protocol.rules import KALAH, Board, Rules

from .engine_options import build_settings
from .kind import Settings


def make_engine(settings: Settings) -> Player:
    limit, built = build_settings(settings)
    if isinstance(built, SkillLevel):
        return LevelPlayer(limit, built)
    nodes = few_nodes(limit)
    if nodes is not None:
        return FixedNodePlayer(built, nodes=nodes, depth=limit.depth)
    return EnginePlayer(limit, built)


def few_nodes(limit: Limit) -> int | None:
    """Return the nodes of a limit that a fixed-node search keeps; None for any other limit."""
    if limit.time_s is not None or limit.nodes is None or limit.nodes > MOST_NODES:
        return None
    return limit.nodes


class EnginePlayer(Player):
    """The engine at full strength, whose limit bounds it besides the budget; it offers reports."""

    anytime: ClassVar[bool] = True

    def __init__(self, limit: Limit, options: EngineOptions) -> None:
        self.ponders = bool(options.ponder)
        self._engine = Engine(options=options)
        self._limit = limit

    def warm_up(self, rules: Rules = KALAH) -> None:
        if not rules.oware:
            self._engine.warm_up(rules)

    def new_game(self, seed: int) -> None:  # noqa: ARG002  # nothing is random
        """Forget the last game, so that games do not depend on which were played before."""
        self._engine.forget()
        self._engine.look_for_tables()

    def choose(self, board: Board, budget: Budget = UNLIMITED) -> Choice:
        """Search until the limit or the budget is reached, or the value is proven."""
        if board.rules.oware:
            return choose_plainly(board, budget, limit_within(self._limit, budget))
        best = Choice(board.legal()[0]) if not board.is_over else None
        limit = limit_within(self._limit, budget).to_choose_on(board)
        for report in self._engine.think(board, limit):
            best = Choice(report.pit, info_of(report))
            budget.offer(best)
            if budget.is_cancelled():
                break
        if best is None:
            raise ValueError(f"the game is over: {board.text}")
        return best

    def ponder(self, board: Board, pv: tuple[int, ...], budget: Budget) -> None:
        """Search the board expected after the opponent's reply, to fill the table."""
        if board.rules.oware:
            return
        limit = Limit(time_s=budget.time_s)
        with suppress(RecursionError):  # a game that outgrows the stack costs no move here
            for _ in self._engine.ponder(board, pv, limit):
                if budget.is_cancelled():
                    return

    def stop(self) -> None:
        """End the running search within milliseconds."""
        self._engine.stop()


class FixedNodePlayer(Player):
    """The engine with a fixed number of nodes; see `mancala.engine.search.fixed_nodes`."""

    def __init__(self, options: EngineOptions, *, nodes: int, depth: int | None = None) -> None:
        self._options = options
        self._nodes = nodes
        self._depth = depth
        self._rules: Rules | None = None
        self._search: FixedNodeSearch

    def warm_up(self, rules: Rules = KALAH) -> None:
        if rules.oware:
            return
        self.choose(Board.start(rules))
        self._search.forget()

    def new_game(self, seed: int) -> None:  # noqa: ARG002  # nothing is random
        """Forget the last game."""
        if self._rules is not None:
            self._search.forget()

    def choose(self, board: Board, budget: Budget = UNLIMITED) -> Choice:
        """Search exactly the nodes allowed."""
        if board.rules.oware:
            return choose_plainly(board, budget, Limit(nodes=self._nodes, depth=self._depth))
        if board.rules != self._rules:
            self._rules = board.rules
            self._search = FixedNodeSearch(
                board.rules, self._options, nodes=self._nodes, depth=self._depth
            )
        found = self._search.choose(board)
        return Choice(found.pit, Info(depth=found.depth, value=found.value, nodes=found.nodes))


class LevelPlayer(Player):
    """The engine below full strength, at levels 1 to 9; see `mancala.engine.skill`.

    A choice depends on the board, the level's seed and the game's seed alone.
    """

    def __init__(self, limit: Limit, level: SkillLevel) -> None:
        self._limit = limit
        self._player = SkillPlayer(level)
        self._game = 0

    def warm_up(self, rules: Rules = KALAH) -> None:
        self._player.warm_up(rules)

    def new_game(self, seed: int) -> None:
        """Draw the next game's mistakes from ``seed``."""
        self._game = seed

    def choose(self, board: Board, budget: Budget = UNLIMITED) -> Choice:
        """Look a few plies ahead; without time left, at the sowings alone."""
        limit = self._limit.within(budget.time_s) if budget.enforced else self._limit
        report = self._player.choose(board, limit, game=self._game)
        return Choice(report.pit, info_of(report))


def choose_plainly(board: Board, budget: Budget, limit: Limit) -> Choice:
    """Choose by a search that is not compiled, in a game whose positions repeat."""
    time_s = inf if limit.time_s is None else limit.time_s
    nodes = inf if limit.nodes is None else limit.nodes
    search = DeepeningPlayer(time_s, deepest=limit.depth or DEEPEST, nodes=nodes)
    return search.choose(board, budget if budget.enforced else budget._replace(time_s=inf))


def limit_within(limit: Limit, budget: Budget) -> Limit:
    """Return the limit of a search under a budget.

    An enforced budget bounds every search. Any other bounds only a search without limits of its
    own, so that a search limited by depth or nodes repeats itself with the same tables.
    """
    if budget.enforced:
        return limit.within(budget.time_s)
    if limit == Limit():
        return replace(limit, time_s=budget.time_s)
    return limit


def info_of(report: Report) -> Info:
    return Info(
        depth=report.depth,
        value=report.value,
        exact=report.exact,
        nodes=report.nodes,
        nps=round(report.nodes / report.seconds) if report.seconds else None,
        seconds=round(report.seconds, 6),
        pv=report.pv,
    )

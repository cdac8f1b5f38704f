"""Players of whole games in compiled code; see `mancala.engine.batches.games`."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from mancala.engine.classics.evaluation import EVALUATIONS, stores

from .engine_options import build_settings
from .registry import read_spec

if TYPE_CHECKING:
    from mancala.engine.batches.games import Compiled, CompiledPlayer
    from mancala.protocol.batch import BatchPlayer
    from mancala.protocol.rules import Rules

    from .kind import Settings

STRATEGIES: Final = ("random", "greedy", "captures", "defend")
TREES: Final = {"minimax": {"depth", "evaluation"}, "alphabeta": {"depth", "evaluation", "order"}}
"""The tree players, and the options under which their compiled form plays the same."""
COMPILED_EVALUATIONS: Final = ("stores", "side")


def compiled_player(written: str, rules: Rules, *, games_at_once: int = 1) -> CompiledPlayer | None:
    """Return the compiled form of a spec's player, for games in turn; None if it has none."""
    if find_spec("numba") is None:
        return None
    from mancala.engine.batches import games as batched_games  # noqa: PLC0415  # loads the compiler

    kind, settings = read_spec(written)
    player = _compiled(kind.name, settings) if batched_games.can_play(rules) else None
    if player is None:
        return None
    return batched_games.CompiledPlayer(rules, player, games_at_once=games_at_once)


def is_quick(written: str) -> bool:
    """Return whether a player answers in microseconds in plain Python, too.

    A few of its games are over before the kernels are loaded.
    """
    kind, settings = read_spec(written)
    return kind.name in STRATEGIES and not settings


def batch_of(first: CompiledPlayer, second: CompiledPlayer) -> BatchPlayer:
    """Return what plays games between two compiled players, and compile what that needs."""
    from mancala.engine.batches.games import BatchedGames  # noqa: PLC0415  # loads the compiler

    games = BatchedGames(first, second)
    games.warm_up()
    return games


def _compiled(name: str, settings: Settings) -> Compiled | None:
    from mancala.engine.batches.games import Classic  # noqa: PLC0415  # loads the compiler

    if name in STRATEGIES:
        return Classic(name) if not settings else None
    if name in TREES:
        return _tree(name, settings) if settings.keys() <= TREES[name] else None
    return _fixed_nodes(settings) if name == "engine" else None


def _tree(name: str, settings: Settings) -> Compiled | None:
    from mancala.engine.batches.games import ORDERS, Classic  # noqa: PLC0415  # loads the compiler
    from mancala.engine.classics.trees import DEFAULT_DEPTH  # noqa: PLC0415  # loads the compiler

    asked = settings.get("evaluation", stores)
    evaluation = next((name for name in COMPILED_EVALUATIONS if EVALUATIONS[name] is asked), None)
    order = settings.get("order", "promise")
    if evaluation is None or order not in ORDERS:
        return None
    return Classic(name, settings.get("depth", DEFAULT_DEPTH), evaluation, order)


def _fixed_nodes(settings: Settings) -> Compiled | None:
    """Return the engine with a fixed number of nodes; None for every other kind of engine."""
    from mancala.engine.batches.games import FixedNodes  # noqa: PLC0415  # loads the compiler
    from mancala.engine.search.engine import EngineOptions  # noqa: PLC0415  # loads the compiler

    from .engine import few_nodes  # noqa: PLC0415  # loads the compiler

    limit, built = build_settings(settings)
    nodes = few_nodes(limit)
    if nodes is None or not isinstance(built, EngineOptions):
        return None
    return FixedNodes(built, nodes, limit.depth)

"""The classic players: how each is made from its options; the package's entry points name them.

``alphabeta`` takes the weights of its evaluation as the engine does: a file (``weights``), and
single ones by name, such as ``my_capture=0.5``.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeAlias

from mancala.engine.classics import weighted
from mancala.engine.classics.alphabeta import ORDERS, AlphaBetaPlayer, Remedies
from mancala.engine.classics.chance import (
    DEFAULT_SLIP,
    UTILITY_SCALES,
    Belief,
    ExpectimaxPlayer,
    ExpectiminimaxPlayer,
)
from mancala.engine.classics.evaluation import EVALUATIONS, UTILITIES, stores
from mancala.engine.classics.mcts import DEFAULT_EXPLORATION, DEFAULT_PLAYOUTS, MctsPlayer
from mancala.engine.classics.strategies import (
    CapturesPlayer,
    DefendPlayer,
    GreedyPlayer,
    RandomPlayer,
)
from mancala.engine.classics.trees import DEFAULT_DEPTH, MaxNPlayer, MinimaxPlayer
from mancala.engine.classics.weighted import Weighted
from mancala.engine.evaluation.features import DEFAULTS, STORES
from mancala.protocol.player import Player

from .engine_options import WEIGHT_OPTIONS
from .kind import Option, PlayerKind, Settings, number, one_of, text, whole
from .spec import SpecError

MAX_DEPTH: Final = 64
MAX_PLAYOUTS: Final = 10_000_000
MAX_EXPLORATION: Final = 100.0
MAX_MARGIN: Final = 48.0
BY_DEFAULT: Final = "default"
"""As ``weights``: the hand-set weights of `mancala.engine.evaluation.features`."""


Arguments: TypeAlias = dict[str, Option]
"""Options by the constructor's argument that each is for."""


def _classic(
    name: str, meaning: str, build: Callable[..., Player], arguments: Arguments
) -> PlayerKind:
    def make(settings: Settings) -> Player:
        return build(**_given(arguments, settings))

    return PlayerKind(name, meaning, tuple(arguments.values()), make)


def _given(arguments: Arguments, settings: Settings) -> dict[str, Any]:
    return {
        argument: settings[option.name]
        for argument, option in arguments.items()
        if option.name in settings
    }


def _alphabeta(settings: Settings) -> Player:
    weights = _weights(settings)
    evaluate = {} if weights is None else {"evaluate": weights}
    remedies = Remedies(**_given(_REMEDIES, settings))
    return AlphaBetaPlayer(**_given(_ALPHABETA, settings) | evaluate, remedies=remedies)


def _weights(settings: Settings) -> Weighted | None:
    names = [option.name for option in (*WEIGHT_OPTIONS, _STORES) if option.name in settings]
    if not names and "weights" not in settings:
        return None
    if settings.get("evaluation", EVALUATIONS["weighted"]) is not EVALUATIONS["weighted"]:
        raise SpecError("alphabeta: weights go with evaluation=weighted only")
    file = settings.get("weights", BY_DEFAULT)
    try:
        base = DEFAULTS if file == BY_DEFAULT else weighted.load(Path(file))
        return Weighted({**base, **{name: settings[name] for name in names}})
    except OSError as error:
        raise SpecError(f"alphabeta: weights={file}: {error.strerror}") from None
    except ValueError as error:
        raise SpecError(f"alphabeta: {error}") from None


def _expectimax(settings: Settings) -> Player:
    _check_expectimax(settings)
    opponent = Belief(**_given(_OPPONENT, settings))
    return ExpectimaxPlayer(**_given(_EXPECTIMAX, settings), opponent=opponent)


def _check_expectimax(settings: Settings) -> None:
    if settings.get("prune") and settings.get("evaluation", stores) is not stores:
        raise SpecError("expectimax: prune goes with evaluation=stores only")


_DEPTH: Final = whole("depth", "turns to look ahead", DEFAULT_DEPTH, low=1, high=MAX_DEPTH)
_COUNT: Final = one_of(
    "count", "what the depth counts: turns, or sowings", "turns", {"turns": False, "sowings": True}
)
_TREE: Final = {
    "depth": _DEPTH,
    "in_sowings": _COUNT,
    "evaluate": one_of(
        "evaluation", "the value of a position where the search stops", "stores", EVALUATIONS
    ),
}
_ALPHABETA: Final = {
    **_TREE,
    "order": one_of(
        "order",
        "which moves are searched first; best is an older word for promise",
        "promise",
        {**{order: order for order in ORDERS}, "best": "promise"},
    ),
    "false_ties": one_of(
        "ties",
        "what ties of the choice rest on: values, or bounds too, as in textbooks",
        "values",
        {"values": False, "bounds": True},
    ),
}
_STORES: Final = number(
    STORES,
    "weight of the store difference, 1 if not stated",
    None,
    low=0,
    high=weighted.MOST_STORES,
)
_MEANINGS: Final = {
    "quiescence": "sowings that captures and re-turns are searched on past the depth",
    "secondary": "turns that the end of the chosen move's line is searched on before it is played",
    "singular": "seeds by which a move must beat all others to be searched a turn deeper",
}
_REMEDIES: Final = {
    **{
        name: whole(name, _MEANINGS[name], 0, low=0, high=MAX_DEPTH)
        for name in ("quiescence", "secondary")
    },
    "singular": number("singular", _MEANINGS["singular"], None, low=0.0, high=MAX_MARGIN),
}
_OPPONENT: Final = {
    "minimax": number(
        "minimax", "probability that the opponent plays its minimax move", 0.0, low=0.0, high=1.0
    ),
    "foresight": whole(
        "foresight", "turns that such an opponent looks ahead", 1, low=1, high=MAX_DEPTH
    ),
}
_EXPECTIMAX: Final = {
    **_TREE,
    "utility": one_of(
        "utility",
        "what a difference of stores is worth: itself, or its square",
        "linear",
        {scale: scale for scale in UTILITY_SCALES},
    ),
    "prune": one_of(
        "prune", "1: skip what bounded values make irrelevant", "0", {"0": False, "1": True}
    ),
}
_EXPECTIMINIMAX: Final = {
    **_TREE,
    "slip": number(
        "slip", "probability that a hand slips to any legal pit", DEFAULT_SLIP, low=0.0, high=1.0
    ),
}
_MAXN: Final = {
    "depth": _DEPTH,
    "in_sowings": _COUNT,
    "utility": one_of("utility", "what each player maximises", "margin", UTILITIES),
}
_MCTS: Final = {
    "playouts": whole(
        "playouts", "random games a move", DEFAULT_PLAYOUTS, low=1, high=MAX_PLAYOUTS
    ),
    "exploration": number(
        "exploration",
        "UCT's constant; greater looks more widely",
        DEFAULT_EXPLORATION,
        low=0.0,
        high=MAX_EXPLORATION,
    ),
}
RANDOM: Final = _classic("random", "any legal pit", RandomPlayer, {})
GREEDY: Final = _classic("greedy", "as many re-turns as it can get", GreedyPlayer, {})
CAPTURES: Final = _classic("captures", "the biggest capture first", CapturesPlayer, {})
DEFEND: Final = _classic("defend", "leaves the opponent the smallest capture", DefendPlayer, {})
MINIMAX: Final = _classic("minimax", "minimax to a fixed depth", MinimaxPlayer, _TREE)
ALPHABETA: Final = PlayerKind(
    "alphabeta",
    "minimax with alpha-beta pruning",
    (
        *_ALPHABETA.values(),
        *_REMEDIES.values(),
        text("weights", "weights of evaluation=weighted", "a file, or 'default'"),
        *WEIGHT_OPTIONS,
        _STORES,
    ),
    _alphabeta,
    _weights,
)
EXPECTIMAX: Final = PlayerKind(
    "expectimax",
    "the best on average against an opponent who errs",
    (*_EXPECTIMAX.values(), *_OPPONENT.values()),
    _expectimax,
    _check_expectimax,
)
EXPECTIMINIMAX: Final = _classic(
    "expectiminimax", "minimax where every hand may slip", ExpectiminimaxPlayer, _EXPECTIMINIMAX
)
MAXN: Final = _classic("maxn", "each player maximises a utility of its own", MaxNPlayer, _MAXN)
MCTS: Final = _classic("mcts", "Monte Carlo tree search with random playouts", MctsPlayer, _MCTS)

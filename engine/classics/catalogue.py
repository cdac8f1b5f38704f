"""Every classic player by name, with its options; the only way in for who has just a text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Final, TypeAlias

from engine.classics.evaluation import EVALUATIONS, UTILITIES
from engine.classics.mcts import DEFAULT_EXPLORATION, DEFAULT_PLAYOUTS, MctsPlayer
from engine.classics.spec import AgentSpecError
from engine.classics.strategies import CapturesPlayer, DefendPlayer, GreedyPlayer, RandomPlayer
from engine.classics.trees import (
    DEFAULT_DEPTH,
    AlphaBetaPlayer,
    ExpectimaxPlayer,
    MaxNPlayer,
    MinimaxPlayer,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from protocol.player import Player

Setting: TypeAlias = "int | float | Callable[..., object]"
MAX_DEPTH: Final = 64
MAX_PLAYOUTS: Final = 10_000_000
MAX_EXPLORATION: Final = 100.0


@dataclass(frozen=True, slots=True)
class Option:
    """One setting of a player.

    Attributes:
        name: as it is written in a player's text.
        argument: the constructor's argument that it sets.
        default: as it would be written.
        meaning: one phrase, for a person.
        read: turns the text into the argument; raises ValueError with what would do.
    """

    name: str
    argument: str
    default: str
    meaning: str
    read: Callable[[str], Setting]


@dataclass(frozen=True, slots=True)
class AgentKind:
    """A player that can be made by name.

    Attributes:
        meaning: how it plays, in one phrase.
        build: makes it from ``rng`` and its options, all by keyword.
        options: its settings.
    """

    meaning: str
    build: Callable[..., Player]
    options: tuple[Option, ...] = ()


def make(name: str, options: Mapping[str, str], *, seed: int | None) -> Player:
    """Make a player.

    Args:
        name: one of `AGENTS`.
        options: its settings as written; those not given have their defaults.
        seed: the same seed plays the same games; None plays others each time.

    Raises:
        AgentSpecError: when the name, an option or a value is unknown; it says what is known.
    """
    if name not in AGENTS:
        raise AgentSpecError(f"no player named {name!r}; known: {', '.join(AGENTS)}")
    kind = AGENTS[name]
    known = {option.name: option for option in kind.options}
    for key in options:
        if key not in known:
            raise AgentSpecError(
                f"{name} has no option {key!r}; known: {', '.join(known) or 'none'}"
            )
    settings = {
        option.argument: _read(name, option, options.get(option.name, option.default))
        for option in kind.options
    }
    return kind.build(seed=seed, **settings)


def _read(name: str, option: Option, text: str) -> Setting:
    try:
        return option.read(text)
    except ValueError as error:
        raise AgentSpecError(f"{name}: {option.name} must be {error}, not {text!r}") from None


def _whole(least: int, most: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not (text.isascii() and text.isdigit() and least <= int(text[:12]) <= most):
            raise ValueError(f"a whole number {least}..{most}")
        return int(text)

    return read


def _real(least: float, most: float) -> Callable[[str], float]:
    def read(text: str) -> float:
        try:
            number = float(text)
        except ValueError:
            number = float("nan")
        if not (isfinite(number) and least <= number <= most):
            raise ValueError(f"a number {least:g}..{most:g}")
        return number

    return read


def _one_of(choices: Mapping[str, Callable[..., object]]) -> Callable[[str], Setting]:
    def read(text: str) -> Setting:
        if text not in choices:
            raise ValueError(f"one of {', '.join(choices)}")
        return choices[text]

    return read


_DEPTH: Final = Option(
    "depth", "depth", str(DEFAULT_DEPTH), "turns to look ahead", _whole(1, MAX_DEPTH)
)
_EVALUATION: Final = Option(
    "evaluation", "evaluate", "stores", "what a leaf is worth: stores or side", _one_of(EVALUATIONS)
)
_UTILITY: Final = Option(
    "utility", "utility", "margin", "what each player wants: margin or harvest", _one_of(UTILITIES)
)
_PLAYOUTS: Final = Option(
    "playouts", "playouts", str(DEFAULT_PLAYOUTS), "random games a move", _whole(1, MAX_PLAYOUTS)
)
_EXPLORATION: Final = Option(
    "exploration",
    "exploration",
    str(DEFAULT_EXPLORATION),
    "UCT's constant; greater looks more widely",
    _real(0.0, MAX_EXPLORATION),
)

AGENTS: Final[dict[str, AgentKind]] = {
    "random": AgentKind("any legal pit", RandomPlayer),
    "greedy": AgentKind("as many re-turns as it can get", GreedyPlayer),
    "captures": AgentKind("the biggest capture first", CapturesPlayer),
    "defend": AgentKind("leaves the opponent the smallest capture", DefendPlayer),
    "minimax": AgentKind("minimax to a fixed depth", MinimaxPlayer, (_DEPTH, _EVALUATION)),
    "alphabeta": AgentKind("minimax with pruning", AlphaBetaPlayer, (_DEPTH, _EVALUATION)),
    "expectimax": AgentKind(
        "the best on average against random play", ExpectimaxPlayer, (_DEPTH, _EVALUATION)
    ),
    "maxn": AgentKind("each player for a utility of its own", MaxNPlayer, (_DEPTH, _UTILITY)),
    "mcts": AgentKind("tree search by random playouts", MctsPlayer, (_PLAYOUTS, _EXPLORATION)),
}

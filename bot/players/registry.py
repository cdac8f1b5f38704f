"""Every player by name: what it is, its options, and how it is made from a spec.

`PLAYERS` is the one list. `mancala players` prints it, `make_player` makes a `Player` for a
headless game, and `make_bot` makes the same player for a server.
"""

from __future__ import annotations

import secrets
import shlex
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

from bot.players.engine_options import (
    ENGINE_OPTIONS,
    build_settings,
    check_combination,
    is_handicapped,
)
from bot.players.options import Option, Settings, nearest, number, one_of, read_options, text, whole
from bot.players.spec import PROGRAM, START_UP, PlayerSpec, SpecError
from engine.classics.evaluation import EVALUATIONS, UTILITIES
from engine.classics.mcts import DEFAULT_EXPLORATION, DEFAULT_PLAYOUTS, MctsPlayer
from engine.classics.strategies import CapturesPlayer, DefendPlayer, GreedyPlayer, RandomPlayer
from engine.classics.trees import (
    DEFAULT_DEPTH,
    ORDERS,
    AlphaBetaPlayer,
    ExpectimaxPlayer,
    MaxNPlayer,
    MinimaxPlayer,
)
from protocol.player import START_UP_S

if TYPE_CHECKING:
    from bot.client.bot import Bot
    from protocol.player import Player

__all__ = ["PLAYERS", "PlayerKind", "SpecError", "check_spec", "kind_of", "make_bot", "make_player"]

MAX_DEPTH: Final = 64
MAX_PLAYOUTS: Final = 10_000_000
MAX_EXPLORATION: Final = 100.0


def _no_check(_settings: Settings) -> None:
    """Accept any options that were read."""


@dataclass(frozen=True, slots=True)
class PlayerKind:
    """A player that can be made by name.

    Attributes:
        name: as it is written in a spec.
        meaning: how it plays, in one phrase.
        options: its options.
        make: makes the player from its options.
        check: raises SpecError where options that are fine by themselves name no player.
        needs: packages it needs beyond the base install, by the extra that brings them.
    """

    name: str
    meaning: str
    options: tuple[Option, ...]
    make: Callable[[Settings], Player]
    check: Callable[[Settings], None] = _no_check
    needs: tuple[str, tuple[str, ...]] | None = None

    @property
    def missing(self) -> str | None:
        """What to install before the player can be made; None when nothing is missing."""
        if self.needs is None:
            return None
        extra, packages = self.needs
        absent = [package for package in packages if find_spec(package) is None]
        return f'pip install "mancala-arena[{extra}]"' if absent else None


def kind_of(spec: PlayerSpec) -> PlayerKind:
    """Return the kind of player that a spec names.

    Raises:
        SpecError: when there is none; the message lists the names and the nearest one.
    """
    kind = PLAYERS.get(spec.name)
    if kind is None:
        hint = nearest(spec.name, PLAYERS)
        raise SpecError(f"no player named {spec.name!r}{hint}; known: {', '.join(PLAYERS)}")
    return kind


def check_spec(written: str) -> None:
    """Check that a spec names a player that can be made here.

    Raises:
        SpecError: when it does not; the message says what is known.
    """
    kind, settings = _read(written)
    kind.check(settings)


def make_player(written: str, *, start_up_s: float = START_UP_S) -> Player:
    """Make the player that a spec names.

    Args:
        written: such as ``engine:movetime=0.1``, ``minimax:depth=5`` or ``cmd:./mybot --fast``.
        start_up_s: the start-up allowance of a program, in seconds.

    Raises:
        SpecError: when the spec names no player; the message says what is known.
    """
    kind, settings = _read(written)
    return kind.make(_with_start_up(kind, settings, start_up_s))


def make_bot(written: str, *, seed: int | None = None, start_up_s: float = START_UP_S) -> Bot:
    """Make the player that a spec names, as a bot for a server.

    Args:
        written: as for `make_player`.
        seed: decides all that is random: the bot's n-th game repeats itself. None plays
            differently each time.
        start_up_s: the start-up allowance of a program, in seconds.

    Raises:
        SpecError: when the spec names no player; the message says what is known.
    """
    from bot.players.host import PlayerBot  # noqa: PLC0415  # the client, which headless games don't need

    kind, settings = _read(written)
    if kind.name == "cmd":
        from bot.players.external import ExternalBot  # noqa: PLC0415  # likewise

        return ExternalBot(settings[PROGRAM], start_up_s=start_up_s)
    first = secrets.randbits(62) if seed is None else seed
    if is_handicapped(settings):  # a level has a seed of its own and numbers its games from 0
        settings, first = {"seed": first, **settings}, 0
    return PlayerBot(partial(kind.make, settings), first_seed=first)


def _read(written: str) -> tuple[PlayerKind, Settings]:
    spec = PlayerSpec.parse(written)
    kind = kind_of(spec)
    settings = read_options(kind.name, kind.options, spec.options)
    if kind.missing:
        raise SpecError(f"the player {kind.name!r} is not installed: {kind.missing}")
    return kind, settings


def _with_start_up(kind: PlayerKind, settings: Settings, start_up_s: float) -> Settings:
    return {**settings, START_UP: start_up_s} if kind.name == "cmd" else settings


def _engine(settings: Settings) -> Player:
    from bot.players.engine import make_engine  # noqa: PLC0415  # loads the compiler

    return make_engine(settings)


def _check_engine(settings: Settings) -> None:
    check_combination(settings)
    build_settings(settings)


def _program(settings: Settings) -> Player:
    from bot.players.program import ProgramPlayer  # noqa: PLC0415  # loads asyncio

    return ProgramPlayer(settings[PROGRAM], start_up_s=settings[START_UP])


def _check_program(settings: Settings) -> None:
    program = shlex.split(settings[PROGRAM])[:1]
    if not program or shutil.which(program[0]) is None:
        raise SpecError(f"no program {' '.join(program)!r} to be started")


def _classic(
    name: str, meaning: str, build: Callable[..., Player], arguments: dict[str, Option]
) -> PlayerKind:
    """Declare a classic player; ``arguments`` maps its constructor's arguments to options."""

    def make(settings: Settings) -> Player:
        given: dict[str, Any] = {
            argument: settings[option.name]
            for argument, option in arguments.items()
            if option.name in settings
        }
        return build(**given)

    return PlayerKind(name, meaning, tuple(arguments.values()), make)


_DEPTH: Final = whole("depth", "turns to look ahead", DEFAULT_DEPTH, low=1, high=MAX_DEPTH)
_TREE: Final = {
    "depth": _DEPTH,
    "evaluate": one_of(
        "evaluation", "the value of a position where the search stops", "stores", EVALUATIONS
    ),
}
_ALPHABETA: Final = {
    **_TREE,
    "order": one_of(
        "order", "which moves are searched first", "best", {order: order for order in ORDERS}
    ),
}
_MAXN: Final = {
    "depth": _DEPTH,
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
_KINDS: Final = (
    PlayerKind(
        "engine",
        "the engine: iterative-deepening alpha-beta with proofs, book and endgame tables",
        ENGINE_OPTIONS,
        _engine,
        _check_engine,
        needs=("engine", ("numpy", "numba")),
    ),
    PlayerKind(
        "cmd",
        "any program, over its pipes; written cmd:PROGRAM",
        (text(PROGRAM, "the command line, everything after 'cmd:'", "a command line"),),
        _program,
        _check_program,
    ),
    _classic("random", "any legal pit", RandomPlayer, {}),
    _classic("greedy", "as many re-turns as it can get", GreedyPlayer, {}),
    _classic("captures", "the biggest capture first", CapturesPlayer, {}),
    _classic("defend", "leaves the opponent the smallest capture", DefendPlayer, {}),
    _classic("minimax", "minimax to a fixed depth", MinimaxPlayer, _TREE),
    _classic("alphabeta", "minimax with alpha-beta pruning", AlphaBetaPlayer, _ALPHABETA),
    _classic("expectimax", "the best on average against random play", ExpectimaxPlayer, _TREE),
    _classic("maxn", "each player maximises a utility of its own", MaxNPlayer, _MAXN),
    _classic("mcts", "Monte Carlo tree search with random playouts", MctsPlayer, _MCTS),
)
PLAYERS: Final[dict[str, PlayerKind]] = {kind.name: kind for kind in _KINDS}
"""Every kind of player by name."""

"""Every player by name: what it is, its options, and how it is made from a spec.

`PLAYERS` is the one list: the players below, and those of entry points, such as the classic ones
and ``llm``. `mancala players` prints it, `make_player` makes a `Player` for a headless game, and
`make_bot` makes the same player for a server.
"""

import secrets
import shlex
import shutil
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Final

from mancala.plugins import Plugged, PluginGroup
from mancala.protocol.player import START_UP_S, Player

from ..client.bot import Bot
from .engine_options import ENGINE_OPTIONS, build_settings, is_handicapped
from .host import PlayerBot
from .kind import PlayerKind, Settings, nearest, read_options, text
from .own import Place, made_of, make_own
from .programs.external import ExternalBot
from .programs.net import NetPlayer
from .programs.program import ProgramPlayer
from .spec import OWN, PASSED, PROGRAM, START_UP, URL, WHOLE, PlayerSpec, SpecError, key_values

WEIGHTS: Final = "weights"
"""The option of players that names a file to be read."""

__all__ = [
    "PLAYERS",
    "PlayerKind",
    "SpecError",
    "answers_first",
    "check_spec",
    "files_of",
    "is_level",
    "kind_of",
    "make_bot",
    "make_player",
    "outside",
    "with_file_at",
]


def kind_of(spec: PlayerSpec) -> PlayerKind:
    """Return the kind of player that a spec names; SpecError lists those that are known."""
    try:
        return PLAYERS[spec.name]
    except KeyError:
        hint = _as_file(spec.name) or nearest(spec.name, PLAYERS)
        known = ", ".join(PLAYERS)
        raise SpecError(f"no player named {spec.name!r}{hint}; known: {known}") from None
    except ImportError as error:
        raise SpecError(str(error)) from error


def _as_file(name: str) -> str:
    """Return how a player is written that was named by its file alone; nothing for other names."""
    if name.endswith(".py"):
        return f"; a file in Python is written python:{name}:choose"
    if "/" in name:
        return f"; a program is written cmd:{name}, or net:{name} {{url}} … if it opens a socket"
    return ""


def check_spec(written: str) -> None:
    """Check that a spec names a player that can be made here; else raise SpecError."""
    kind, settings = read_spec(written)
    kind.check(settings)


def outside(written: str) -> tuple[str, ...]:
    """Return the options of a spec that name a program, a file or a host."""
    spec = PlayerSpec.parse(written)
    options = kind_of(spec).options
    return tuple(each.name for each in options if each.is_outside and each.name in spec.options)


def files_of(written: Iterable[str]) -> set[str]:
    """Return the files with weights that specs name."""
    given = (PlayerSpec.parse(each).options.get(WEIGHTS) for each in written)
    return {path for path in given if path is not None}


def with_file_at(written: str, places: Mapping[str, str]) -> str:
    """Return a spec whose file with weights is named where it lies, if that is stated."""
    spec = PlayerSpec.parse(written)
    place = places.get(spec.options.get(WEIGHTS, ""))
    if place is None:
        return written
    return str(PlayerSpec(spec.name, {**spec.options, WEIGHTS: place}))


def make_player(written: str, *, start_up_s: float = START_UP_S) -> Player:
    """Make the player that a spec names.

    Args:
        written: such as ``engine:movetime=0.1``, ``minimax:depth=5`` or ``cmd:./mybot --fast``.
        start_up_s: the start-up allowance of a program, in seconds.

    Raises:
        SpecError: when the spec names no player; the message says what is known.
    """
    kind, settings = read_spec(written)
    with PLAYERS.guarded(kind.name, SpecError):
        return kind.make(_with_start_up(settings, start_up_s))


def make_bot(
    written: str,
    *,
    seed: int | None = None,
    start_up_s: float = START_UP_S,
    plain_first: bool = False,
) -> Bot:
    """Make the player that a spec names, as a bot for a server.

    Args:
        written: as for `make_player`.
        seed: decides all that is random: the bot's n-th game repeats itself. None plays
            differently each time.
        start_up_s: the start-up allowance of a program, in seconds.
        plain_first: let a plain search answer where `answers_first` and until that has changed.

    Raises:
        SpecError: when the spec names no player; the message says what is known.
    """
    kind, settings = read_spec(written)
    if kind.name in WHOLE:
        kind.check(settings)
    if kind.name == "cmd":
        passed = key_values(settings.get(PASSED, ""))
        return ExternalBot(settings[PROGRAM], start_up_s=start_up_s, options=passed)
    if OWN in settings and isinstance(own := made_of(Place.parse(settings[OWN], kind.name)), Bot):
        return own
    first = secrets.randbits(62) if seed is None else seed
    if is_handicapped(settings):  # a level has a seed of its own and numbers its games from 0
        settings, first = {"seed": first, **settings}, 0
    make = kind.make
    if plain_first and kind.name == "engine":
        from .first_answer import make_ready  # noqa: PLC0415  # needs an extra

        make = partial(make_ready, kind.make)
    return PlayerBot(partial(make, _with_start_up(settings, start_up_s)), first_seed=first)


def answers_first(written: str) -> bool:
    """Return whether the engine of this spec may answer plainly first, and is not compiled."""
    kind, settings = read_spec(written)
    if kind.name != "engine":
        return False
    from . import first_answer  # noqa: PLC0415  # needs an extra

    return first_answer.is_needed(settings)


def read_spec(written: str) -> tuple[PlayerKind, Settings]:
    spec = PlayerSpec.parse(written)
    kind = kind_of(spec)
    settings = read_options(kind.name, kind.options, spec.options)
    if kind.missing:
        raise SpecError(f"the player {kind.name!r} is not installed: {kind.missing}")
    return kind, settings


def is_level(written: str) -> bool:
    """Return whether a spec names a level of the engine below its full strength."""
    kind, settings = read_spec(written)
    return kind.name == "engine" and is_handicapped(settings)


def _with_start_up(settings: Settings, start_up_s: float) -> Settings:
    return {**settings, START_UP: start_up_s} if PROGRAM in settings else settings


def _engine(settings: Settings) -> Player:
    from .engine import make_engine  # noqa: PLC0415  # loads the compiler

    return make_engine(settings)


def _program(settings: Settings) -> Player:
    passed = key_values(settings.get(PASSED, ""))
    return ProgramPlayer(settings[PROGRAM], start_up_s=settings[START_UP], options=passed)


def _net(settings: Settings) -> Player:
    return NetPlayer(settings[PROGRAM], start_up_s=settings[START_UP])


def _in_python(name: str, meaning: str, *needs: str) -> PlayerKind:
    return PlayerKind(
        name,
        f"{meaning}; written {name}:FILE.py:NAME",
        (text(OWN, f"the file and the name, everything after '{name}:'", "FILE.py:NAME"),),
        lambda settings: make_own(settings[OWN], name),
        lambda settings: Place.parse(settings[OWN], name).check(),
        needs=("engine", needs),
    )


def _check_net(settings: Settings) -> None:
    if URL not in settings[PROGRAM]:
        raise SpecError(f"net: the command needs {URL} where the bot is told its server's address")
    _check_program(settings)


def _check_program(settings: Settings) -> None:
    program = shlex.split(settings[PROGRAM])[:1]
    if not program or shutil.which(program[0]) is None:
        raise SpecError(f"no program {' '.join(program)!r} to be started{_why_not(program)}")


def _why_not(program: list[str]) -> str:
    path = Path(*program)
    if "/" not in "".join(program) or not path.exists():
        return ": there is no such file; name its path, such as ./my-bot"
    if path.is_dir():
        return ": it is a folder"
    return f": it is not executable; chmod +x {path}"


_KINDS: Final = (
    PlayerKind(
        "engine",
        "the engine: iterative-deepening alpha-beta with proofs, book and endgame tables",
        ENGINE_OPTIONS,
        _engine,
        build_settings,
        needs=("engine", ("numpy", "numba")),
    ),
    PlayerKind(
        "cmd",
        "any program, over its pipes; written cmd:PROGRAM",
        (
            text(PROGRAM, "the command line, everything after 'cmd:'", "a command line"),
            text(PASSED, "options passed on to it: cmd[depth=5,hash=64]:PROGRAM", "key=value,…"),
        ),
        _program,
        _check_program,
    ),
    _in_python("python", "a function or a class of your own"),
    _in_python("kaggle", "an agent as for Kaggle, agent(observation, configuration)"),
    _in_python("openspiel", "a bot as for OpenSpiel, with step(state)"),
    _in_python("policy", "a learner's policy: a function, or a model with predict()", "numpy"),
    PlayerKind(
        "net",
        "a bot that connects to a server, a private one here; written net:COMMAND {url}",
        (text(PROGRAM, "the command that starts it, everything after 'net:'", "a command line"),),
        _net,
        _check_net,
    ),
)
PLAYERS: Final = Plugged(PluginGroup.PLAYERS, PlayerKind, {kind.name: kind for kind in _KINDS})
"""Every kind of player by name."""

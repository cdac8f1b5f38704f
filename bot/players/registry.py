"""From a player's text, ``name[:key=value,…]``, to a player ready to be run.

``engine`` takes ``movetime`` (seconds), ``depth`` and ``nodes``, which bound a thought besides the
clock, ``weights`` (a file), single weights by their names and ``table_scale``
(`engine.evaluation`), and every whole number of `engine.search.EngineOptions` and of
`engine.search_options.SearchOptions` by its name.
With ``level``, 1 to 9, it is an `engine.skill.SkillPlayer`, which takes the same limits,
``weights`` and a ``seed``; 10 is the engine itself.
``cmd:PROGRAM`` is any program (`external.py`). The other names are the classic agents'.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, replace
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from bot.client.bot import Bot
from bot.players.classics import AgentPlayer
from bot.players.external import ExternalPlayer
from engine.classics import AGENTS, AgentSpecError, PlayerSpec, make
from engine.classics.spec import PROGRAM

if TYPE_CHECKING:
    from engine.search import EngineOptions, Limit
    from engine.skill import SkillLevel

LIMITS: Final = ("movetime", "depth", "nodes")
WEIGHTS: Final = "weights"
LEVEL: Final = "level"
SEED: Final = "seed"


def make_player(spec: str, *, seed: int | None = None) -> Bot:
    """Make the player that a text names.

    Args:
        spec: such as ``engine:movetime=0.1``, ``minimax:depth=5`` or ``cmd:./mybot --fast``.
        seed: the same seed makes a classic agent, or a level of the engine, play the same games;
            with none they play others each time.

    Raises:
        AgentSpecError: when the text names no player; it says what is known.
    """
    player = PlayerSpec.parse(spec)
    match player.name:
        case "engine":
            return _engine(player.options, seed)
        case "cmd":
            return ExternalPlayer(player.options[PROGRAM])
        case name if name in AGENTS:
            return AgentPlayer(make(name, player.options, seed=seed))
    known = ", ".join(("engine", "cmd", *AGENTS))
    raise AgentSpecError(f"no player named {player.name!r}; known: {known}")


def _engine(options: Mapping[str, str], seed: int | None) -> Bot:
    from bot.players.engine import EnginePlayer  # noqa: PLC0415  # likewise
    from bot.players.skill import AmateurPlayer  # noqa: PLC0415  # loads the compiler
    from engine.skill import SkillLevel  # noqa: PLC0415  # likewise

    limit, made = engine_settings(options)
    if not isinstance(made, SkillLevel):
        return EnginePlayer(limit, made)
    if SEED not in options:
        made = replace(made, seed=secrets.randbits(63) if seed is None else seed)
    return AmateurPlayer(limit, made)


def engine_settings(options: Mapping[str, str]) -> tuple[Limit, EngineOptions | SkillLevel]:
    """Read the options of ``engine``: what bounds a thought, and who thinks.

    Returns:
        The limit, and how engines are built; or the grade, for a level below the engine's own.

    Raises:
        AgentSpecError: when one is unknown, no such value, or does not go with another.
    """
    from engine.search import EngineOptions, Limit  # noqa: PLC0415  # likewise
    from engine.skill import FULL_LEVEL  # noqa: PLC0415  # loads the compiler

    limit = Limit(
        time_s=_seconds(options.get("movetime")),
        depth=_count("depth", options.get("depth")),
        nodes=_count("nodes", options.get("nodes")),
    )
    others = {key: text for key, text in options.items() if key not in LIMITS}
    level = _count(LEVEL, others.pop(LEVEL, None))
    if level is None:
        return limit, _built(EngineOptions(), others)
    if level > FULL_LEVEL:
        raise AgentSpecError(f"engine: level must be 1..{FULL_LEVEL}, not {level}")
    seed = _seed(others.pop(SEED, "0"))
    if level < FULL_LEVEL:
        return limit, _grade(level, seed, others)
    return limit, _built(EngineOptions(), others)


def _grade(level: int, seed: int, others: Mapping[str, str]) -> SkillLevel:
    from engine.search import EngineOptions  # noqa: PLC0415  # likewise
    from engine.skill import SkillLevel  # noqa: PLC0415  # loads the compiler

    if unfit := others.keys() - {WEIGHTS}:
        fitting = ", ".join((*LIMITS, SEED, WEIGHTS))
        raise AgentSpecError(
            f"engine: {min(unfit)} does not go with level={level}, but {fitting} do"
        )
    return SkillLevel(level=level, seed=seed, weights=_built(EngineOptions(), others).weights)


def _built(options: EngineOptions, changes: Mapping[str, str]) -> EngineOptions:
    from engine.evaluation import Weights  # noqa: PLC0415  # as above
    from engine.features import NAMES, SCALE  # noqa: PLC0415  # as above

    whole = [f.name for f in fields(options) if type(getattr(options, f.name)) is int]
    search, weights = tuple(options.search.ranges()), (*NAMES, SCALE)
    known = (*LIMITS, LEVEL, SEED, WEIGHTS, *whole, *search, *weights)
    if SEED in changes:
        raise AgentSpecError("engine: seed needs a level, as there is no chance without one")
    if unknown := changes.keys() - set(known):
        raise AgentSpecError(f"engine has no option {min(unknown)!r}; known: {', '.join(known)}")

    def given(names: Iterable[str], number: Callable[[str], Any]) -> dict[str, Any]:
        return {name: number(changes[name]) for name in names if name in changes}

    try:
        if WEIGHTS in changes:
            options = options.with_weights(Weights.load(Path(changes[WEIGHTS])))
        return replace(
            options,
            search=replace(options.search, **given(search, int)),
            weights=options.weights.varied(given(weights, float)),
            **given(whole, int),
        )
    except (ValueError, OSError) as error:
        raise AgentSpecError(f"engine: {error}") from None


def _seconds(text: str | None) -> float | None:
    if text is None:
        return None
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < inf:
        raise AgentSpecError(f"engine: movetime must be seconds above 0, not {text!r}")
    return seconds


def _count(key: str, text: str | None) -> int | None:
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and int(text[:12]) > 0):
        raise AgentSpecError(f"engine: {key} must be a whole number above 0, not {text!r}")
    return int(text)


def _seed(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise AgentSpecError(f"engine: seed must be a whole number, not {text!r}")
    return int(text)

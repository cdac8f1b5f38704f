"""From a player's text, ``name[:key=value,…]``, to a player ready to be run.

``engine`` takes ``movetime`` (seconds), ``depth`` and ``nodes``, which bound a thought besides the
clock, ``weights`` (a file), and every whole number of `engine.search.EngineOptions` and of
`engine.parameters.SearchParameters` by its name.
``cmd:PROGRAM`` is any program (`external.py`). The other names are the classic agents'.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bot.classic import AgentPlayer
from bot.external import ExternalPlayer
from bot.player import Bot
from engine.agents import AGENTS, AgentSpecError, PlayerSpec, make
from engine.agents.spec import PROGRAM

if TYPE_CHECKING:
    from engine.features import Weights
    from engine.search import EngineOptions, Limit

LIMITS: Final = ("movetime", "depth", "nodes")
WEIGHTS: Final = "weights"


def make_player(spec: str, *, seed: int | None = None) -> Bot:
    """Make the player that a text names.

    Args:
        spec: such as ``engine:movetime=0.1``, ``minimax:depth=5`` or ``cmd:./mybot --fast``.
        seed: the same seed makes a classic agent play the same games.

    Raises:
        AgentSpecError: when the text names no player; it says what is known.
    """
    player = PlayerSpec.parse(spec)
    match player.name:
        case "engine":
            return _engine(player.options)
        case "cmd":
            return ExternalPlayer(player.options[PROGRAM])
        case name if name in AGENTS:
            return AgentPlayer(make(name, player.options, seed=seed))
    known = ", ".join(("engine", "cmd", *AGENTS))
    raise AgentSpecError(f"no player named {player.name!r}; known: {known}")


def _engine(options: Mapping[str, str]) -> Bot:
    from bot.thinking import EnginePlayer  # noqa: PLC0415  # loads the compiler

    return EnginePlayer(*engine_settings(options))


def engine_settings(options: Mapping[str, str]) -> tuple[Limit, EngineOptions]:
    """Read the options of ``engine``: what bounds a thought, and how engines are built.

    Raises:
        AgentSpecError: when one is unknown or no such value.
    """
    from engine.search import EngineOptions, Limit  # noqa: PLC0415  # loads the compiler

    limit = Limit(
        time_s=_seconds(options.get("movetime")),
        depth=_count("depth", options.get("depth")),
        nodes=_count("nodes", options.get("nodes")),
    )
    built = {key: text for key, text in options.items() if key not in LIMITS}
    return limit, _built(EngineOptions(), built)


def _built(options: EngineOptions, changes: Mapping[str, str]) -> EngineOptions:
    whole = [f.name for f in fields(options) if type(getattr(options, f.name)) is int]
    parameters = options.search.ranges()
    for key, text in changes.items():
        if key not in (WEIGHTS, *whole, *parameters):
            everything = ", ".join((*LIMITS, WEIGHTS, *whole, *parameters))
            raise AgentSpecError(f"engine has no option {key!r}; known: {everything}")
        try:
            change: dict[str, object]
            if key in parameters:
                change = {"search": replace(options.search, **{key: int(text)})}
            else:
                change = {key: _weights(text) if key == WEIGHTS else int(text)}
            options = replace(options, **change)  # type: ignore[arg-type]  # by their names
        except (ValueError, OSError) as error:
            raise AgentSpecError(f"engine: {key}={text}: {error}") from None
    return options


def _weights(path: str) -> Weights:
    from engine.features import Weights  # noqa: PLC0415  # as above

    return Weights.load(Path(path))


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

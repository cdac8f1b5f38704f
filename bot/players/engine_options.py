"""The options of the player ``engine``: declared without loading the compiler, read with it.

``movetime``, ``depth`` and ``nodes`` bound a search besides the clock. ``level`` 1 to 9 plays below
full strength (`mancala.engine.skill`) and goes with the limits, ``weights`` and ``seed`` only. The
rest builds the engine: its size and threads, how it searches
(`mancala.engine.evaluation.search_options`), and the weights of its evaluation, from a file or one
by one (`mancala.engine.evaluation.features`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mancala.engine.evaluation.features import FACTORS, MEANINGS, RANGES
from mancala.engine.evaluation.search_options import SearchOptions

from .kind import Option, Settings, number, read_options, seconds, text, whole
from .spec import SpecError

if TYPE_CHECKING:
    from mancala.engine.search.reports import EngineOptions, Limit
    from mancala.engine.skill import SkillLevel

FULL_LEVEL: Final = 10
"""The engine itself; levels below it are handicapped."""

_LIMITS: Final = (
    seconds("movetime", "longest time a move, besides the clock"),
    whole("depth", "plies to search; with it nothing is proven and no book is used", None, low=1),
    whole("nodes", "positions to search a move", None, low=1),
)
_SKILL: Final = (
    whole("level", "playing strength; 10 is the full engine", FULL_LEVEL, low=1, high=FULL_LEVEL),
    whole("seed", "random choices of a level below 10", None, low=0),
)
_WEIGHTS: Final = text("weights", "file with the weights of the evaluation", "a file")
_BUILD: Final = (
    whole("table_bits", "transposition table of 2^bits buckets of 64 bytes", 18, low=16, high=30),
    whole("verify_plies", "plies to check a move further at a depth limit", 0, low=0, high=64),
    whole(
        "tables",
        "seeds that the endgame tables reach, built if missing; else the largest in the cache",
        None,
        low=2,
        high=40,
    ),
    whole("book", "0: without the opening book", 1, low=0, high=1),
    whole("threads", "threads that search together", 1, low=1, high=64),
    whole("ponder", "1: think on the opponent's time, on a server", 0, low=0, high=1),
)


def _search_options() -> tuple[Option, ...]:
    usual = SearchOptions()
    return tuple(
        whole(
            each.name,
            each.metadata["meaning"],
            getattr(usual, each.name),
            low=each.metadata["range"].low,
            high=each.metadata["range"].high,
        )
        for each in fields(SearchOptions)
    )


_SEARCH: Final = _search_options()
WEIGHT_OPTIONS: Final = tuple(
    number(name, f"weight, seeds: {MEANINGS[name]}", None, low=low, high=high)
    for name, (low, high) in RANGES.items()
)
"""The weights of an evaluation, one a name of `mancala.engine.evaluation.features`."""
_FACTORS: Final = {
    "stores": "weight of the store difference, beside which all other weights count",
    "table_scale": "factor for all tables of weights",
    "net_scale": "factor for what the net adds; 0: no net",
}
_SINGLE_WEIGHTS: Final = (
    *WEIGHT_OPTIONS,
    *(
        number(name, meaning, 1, low=FACTORS[name][0], high=FACTORS[name][1])
        for name, meaning in _FACTORS.items()
    ),
)
ENGINE_OPTIONS: Final = (*_LIMITS, *_SKILL, _WEIGHTS, *_BUILD, *_SEARCH, *_SINGLE_WEIGHTS)
_WITH_LEVEL: Final = tuple(option.name for option in (*_LIMITS, *_SKILL, _WEIGHTS))


def is_handicapped(settings: Settings) -> bool:
    """Return whether the settings name a level below the full engine, which plays by a seed."""
    return bool(settings.get("level", FULL_LEVEL) < FULL_LEVEL)


def _check_combination(settings: Settings) -> None:
    """Refuse options that exclude each other."""
    if is_handicapped(settings):
        if unfit := [name for name in settings if name not in _WITH_LEVEL]:
            raise SpecError(
                f"engine: {unfit[0]} does not go with level={settings['level']}, "
                f"but {', '.join(_WITH_LEVEL)} do"
            )
    elif "seed" in settings and "level" not in settings:
        raise SpecError("engine: seed needs a level; without one nothing is random")


def engine_settings(written: Mapping[str, str]) -> tuple[Limit, EngineOptions | SkillLevel]:
    """Read the options of ``engine`` as written in a spec, and build what they name.

    That is the limit of a search, and how the engine is built; or the level, for one below 10.
    """
    return build_settings(read_options("engine", ENGINE_OPTIONS, written))


def build_settings(settings: Settings) -> tuple[Limit, EngineOptions | SkillLevel]:
    """Build what `engine_settings` returns from options already read; loads the compiler."""
    from mancala.engine.search.reports import EngineOptions, Limit  # noqa: PLC0415  # loads the compiler
    from mancala.engine.skill import SkillLevel  # noqa: PLC0415  # loads the compiler

    _check_combination(settings)
    limit = Limit(
        time_s=settings.get("movetime"), depth=settings.get("depth"), nodes=settings.get("nodes")
    )
    options = _built(EngineOptions(), settings)
    if not is_handicapped(settings):
        return limit, options
    level, seed = settings["level"], settings.get("seed", 0)
    return limit, SkillLevel(level=level, seed=seed, weights=options.weights)


def _built(options: EngineOptions, settings: Settings) -> EngineOptions:
    from mancala.engine.evaluation.weights import Weights  # noqa: PLC0415  # loads the compiler

    def given(declared: tuple[Option, ...]) -> dict[str, Any]:
        return {each.name: settings[each.name] for each in declared if each.name in settings}

    try:
        if "weights" in settings:
            options = options.with_weights(Weights.load(Path(settings["weights"])))
        return replace(
            options,
            search=replace(options.search, **given(_SEARCH)),
            weights=options.weights.varied(given(_SINGLE_WEIGHTS)),
            **given(_BUILD),
        )
    except OSError as error:
        raise SpecError(f"engine: weights={error.filename}: {error.strerror}") from None
    except ValueError as error:
        raise SpecError(f"engine: {error}") from None

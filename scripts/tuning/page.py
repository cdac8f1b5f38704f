"""The page of a run of ``mancala tune --play``: fitness and parameters by generation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from mancala.protocol.text import quantity

from ..console.views.document import document

if TYPE_CHECKING:
    from mancala.engine.tuning.cmaes_tuner import Generation, Parameter

RELOAD_S: Final = 5
"""Seconds after which a browser reloads the page of a run in progress."""


def page(
    command: str,
    parameters: Sequence[Parameter],
    generations: Sequence[Generation],
    result: dict[str, Any] | None,
) -> str:
    """Return the page as HTML; the result of the run is None while it is in progress."""
    data = {
        "command": command,
        "fitness": [_point(f"generation {g.number}", *g.fitness) for g in generations],
        "parameters": [
            {
                "name": each.name,
                "start": each.start,
                "course": [_point(f"{each.name} {g.number}", *g.course(at)) for g in generations],
            }
            for at, each in enumerate(parameters)
        ],
        "test": None if result is None else _test(result),
    }
    reload_s = RELOAD_S if result is None else None
    return document("tuning", "Tuning by play", data, reload_s=reload_s)


def _point(name: str, value: float, error: float) -> dict[str, Any]:
    return {"name": name, "value": value, "error": error}


def _test(result: dict[str, Any]) -> str:
    test = result["test"]
    low, high = test["bounds"]
    verdict = "installed" if result["installed"] else "not installed"
    return (
        f"{quantity(test['games'], 'game')}: Elo {test['elo']:+.1f} ± {test['elo_error']:.1f}; "
        f"{low:g} against {high:g} Elo: LLR {result['llr']:+.2f}, "
        f"verdict {result['verdict'] or 'none'}. {result['weights']}: {verdict}."
    )

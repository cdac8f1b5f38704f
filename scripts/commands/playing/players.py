"""``mancala players``: every player that a SPEC can name, with its options."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...console import output as console
from ...console.options import JsonOption

if TYPE_CHECKING:
    from mancala.bot.players.registry import PlayerKind


def command(
    name: Annotated[str | None, typer.Argument(help="Only this player.")] = None,
    *,
    json: JsonOption = False,
) -> None:
    """List the players that a SPEC can name, with each option's meaning, default and range."""
    from mancala.bot.players.registry import PLAYERS, kind_of
    from mancala.bot.players.spec import PlayerSpec

    with console.bad_input():
        kinds = list(PLAYERS.loaded()) if name is None else [kind_of(PlayerSpec.parse(name))]
    text = "\n\n".join(map(_described, kinds))
    console.show({"players": list(map(_listed, kinds))}, text, json=json)


def _listed(kind: PlayerKind) -> dict[str, Any]:
    return {
        "name": kind.name,
        "meaning": kind.meaning,
        "missing": kind.missing,
        "options": [
            {
                "name": option.name,
                "meaning": option.meaning,
                "default": option.default,
                "range": option.range,
            }
            for option in kind.options
        ],
    }


def _described(kind: PlayerKind) -> str:
    lines = [f"{kind.name}: {kind.meaning}"]
    if kind.missing:
        lines.append(f"  not installed: {kind.missing}")
    for option in kind.options:
        default = f"; default {option.default}" if option.default is not None else ""
        lines.append(f"  {option.name:<20} {option.meaning} ({option.range}{default})")
    return "\n".join(lines)

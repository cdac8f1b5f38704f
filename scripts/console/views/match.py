"""A headless match while it is played, and what its score says, in lines of text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mancala.protocol.text import quantity

if TYPE_CHECKING:
    from rich.console import RenderableType

    from mancala.server.contest.headless.runs import MatchRun


def view(match: MatchRun) -> RenderableType:
    from rich.console import Group
    from rich.progress_bar import ProgressBar
    from rich.text import Text

    score, games = match.score, match.event.games
    first, second = match.event.names
    return Group(
        Text(f"{first} against {second}", style="bold"),
        ProgressBar(total=games, completed=score.taken, width=60),
        Text(
            f"{score.taken} of {quantity(games, 'game')}:"
            f" +{score.wins} ={score.draws} -{score.losses}"
        ),
        *(Text(line) for line in estimates(score.summary())),
        Text(f"{match.speed:.0f} plies a second", style="dim"),
    )


def estimates(result: dict[str, Any]) -> list[str]:
    """Return the score, the Elo difference and the test's state as lines of text."""
    if not result["games"]:
        return ["no pair of games counts" if "outages" in result else "no game has ended yet"]
    elo = f"Elo {result['elo']:+.1f} ± {result['elo_error']:.1f}"
    pairs = f"{quantity(result['pairs'], 'pair')} {result['pentanomial']}"
    estimate = f"{elo}, LOS {result['los']:.1%}, {pairs}"
    if result.get("pairs_without_forfeits") == 0:
        estimate = "by forfeits: no pair says how strong the players are"
    lines = [f"score {result['score']:.1%}, {estimate}"]
    if "llr" in result:
        lines.append(f"LLR {result['llr']:+.2f}, verdict: {result['verdict'] or 'none yet'}")
    if "elo_as_scored" in result:
        scored = f"{result['elo_as_scored']:+.1f} ± {result['elo_error_as_scored']:.1f}"
        lines.append(f"Elo and LOS are corrected for the test's stop; as scored, Elo {scored}")
    return lines

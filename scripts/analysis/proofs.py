"""A campaign of ``mancala prove`` from its first question to its summary."""

from __future__ import annotations

import shlex
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mancala.protocol.text import quantity

from ..console import output as console
from ..console.interrupt import end_interrupted, until_interrupted

if TYPE_CHECKING:
    from mancala.engine.campaign.campaign import Campaign, Effort
    from mancala.engine.campaign.prover import Provers
    from mancala.engine.knowledge import Bounds
    from mancala.protocol.rules import Board
    from mancala.server.contest.workers.cluster import Team

    from .provers import Searching

REPORT_S: Final = 10.0
"""Seconds between two lines of progress."""
AHEAD: Final = 2
"""Subproofs under way or waiting for each thread of a cluster."""


def run_campaign(
    directory: Path,
    board: Board,
    searching: Searching,
    thresholds: tuple[int, ...],
    team: Team | None,
    *,
    all_moves: bool,
    seconds: float | None,
    json: bool,
) -> None:
    """Prove until all is proven, the time is over or Ctrl-C; save and print what is proven.

    The workers of a team prove, or without one this process.
    """
    from mancala.engine.campaign.campaign import Effort

    effort = Effort(thresholds=thresholds, every_move=all_moves)
    campaign: Campaign | None = None
    with ExitStack() as stack:
        with until_interrupted() as interruption:
            most = AHEAD * team.size if team else 1
            provers = searching.provers(board.rules, board.in_play, team, most)
            campaign = stack.enter_context(_opened(directory, provers, effort))
            _prove(campaign, seconds, is_far=team is not None)
        what_now = how_to_go_on(directory)
        if campaign is None:
            end_interrupted(what_now, json=json)
        campaign.save()
        result, text = _result(campaign, directory), _summary(campaign, directory)
        interruption.conclude(result, text, what_now, json=json)


def how_to_go_on(directory: Path) -> str:
    return f"continue with: mancala prove --dir {shlex.quote(str(directory))} --resume"


@contextmanager
def _opened(directory: Path, provers: Provers, effort: Effort) -> Iterator[Campaign]:
    """Open a campaign; a write that fails ends the command, and what was lost is reported."""
    from mancala.engine.campaign import home
    from mancala.engine.campaign.campaign import Campaign
    from mancala.engine.campaign.journal import NAME, DirectoryBusyError

    with console.bad_input(home.CampaignError, DirectoryBusyError, OSError):
        campaign = Campaign(directory, provers, effort)
    journal = directory / NAME
    if campaign.journal.cut:
        _warn(
            f"{journal}: removed {quantity(campaign.journal.cut, 'byte')} of a subproof not"
            " written whole"
        )
    if campaign.journal.damaged:
        lines = ", ".join(map(str, campaign.journal.damaged))
        _warn(f"{journal}: damaged lines are ignored, and their subproofs repeated: {lines}")
    if campaign.restored is None:
        _warn(f"{directory / home.TABLE}: damaged or for other rules, and not used")
    with closing(campaign):
        try:
            yield campaign
        except OSError as error:
            console.fail(error, hint=how_to_go_on(directory), code=console.FAILED)


def _warn(text: str) -> None:
    console.say(f"mancala: {text}", err=True)


def _prove(campaign: Campaign, seconds: float | None, *, is_far: bool) -> None:
    """Run a campaign here or elsewhere; report new bounds, and now and then how far it is."""
    began = reported = time.monotonic()
    shown: Bounds | None = None
    with closing(campaign.run()) as steps:
        for _ in steps:
            now, value = time.monotonic(), campaign.value
            if value != shown or now - reported >= REPORT_S:
                shown, reported = value, now
                text = _progress_text(campaign)
                if is_far and not campaign.nodes:
                    text += "; new workers compile the engine first"
                console.say(text, err=True)
            if seconds is not None and now - began >= seconds:
                break


def _progress_text(campaign: Campaign) -> str:
    asked, left = campaign.asked, campaign.remaining
    text = f"{campaign.seconds:8.1f} s  {campaign.value}"
    if asked is not None:
        text += f", asked: {asked:+d} or more"
    text += f"; {quantity(campaign.proven, 'subproof')}, {campaign.nodes:.3g} nodes"
    if left is not None:
        left_s = left.nodes / max(campaign.speed, 1.0)
        text += f"; about {left.nodes:.2g} nodes, {_duration(left_s)}, to the answer"
    return text


def _result(campaign: Campaign, directory: Path) -> dict[str, Any]:
    from mancala.engine.campaign import home
    from mancala.engine.campaign.prover import expected_collisions

    left = campaign.remaining
    return {
        **campaign.value.to_dict(),
        "best": campaign.best,
        "moves": [{"pit": pit, **bounds.to_dict()} for pit, bounds in campaign.moves.items()],
        "asked": campaign.asked,
        "nodes": campaign.nodes,
        "proven": campaign.proven,
        "seconds": campaign.seconds,
        "remaining": None
        if left is None
        else {
            "nodes": left.nodes,
            "error": left.error,
            "largest": left.largest,
            "seconds": left.nodes / max(campaign.speed, 1.0),
        },
        "expected_collisions": expected_collisions(campaign.board.rules, campaign.nodes),
        "certificate": str(directory / home.CERTIFICATE),
    }


def _summary(campaign: Campaign, directory: Path) -> str:
    moves = [f"{pit}: {bounds}" for pit, bounds in campaign.moves.items()]
    work = (
        f"{quantity(campaign.proven, 'subproof')}, {quantity(campaign.nodes, 'node')},"
        f" {campaign.seconds:.2f} s"
    )
    left = campaign.remaining
    lines = [str(campaign.value), *moves, work]
    if left is not None and campaign.asked is not None:
        left_s = left.nodes / max(campaign.speed, 1.0)
        error = f" ± {left.error:.2g}" if left.error >= 1 else ""  # without, all ways cost the same
        lines.append(
            f"whether it is {campaign.asked:+d} or more: about {left.nodes:.2g}{error} nodes to go,"
            f" {_duration(left_s)}"
        )
    return "\n".join([*lines, f"check with: mancala prove --check {shlex.quote(str(directory))}"])


def _duration(seconds: float) -> str:
    for limit, length, name in ((120, 1, "s"), (7200, 60, "minutes"), (172_800, 3600, "hours")):
        if seconds < limit:
            return f"{seconds / length:.0f} {name}"
    return f"{seconds / 86_400:.0f} days"

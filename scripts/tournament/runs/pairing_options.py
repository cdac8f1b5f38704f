"""Options of an event's pairings: tie-breaks, acceleration, replays, and who misses rounds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Final

import typer

from mancala.protocol.text import whole_number

from ...console import output as console

if TYPE_CHECKING:
    from mancala.server.contest.events.plan import Attendance
    from mancala.server.contest.events.standings import TieBreak

MOST_REPLAYS: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class PairingOptions:
    """How the event is paired, and what decides between equal points."""

    tie_breaks: Annotated[
        str | None,
        typer.Option(
            help="In order: direct, buchholz-1, buchholz, sonneborn-berger, wins, progressive, "
            "margin. Default: what suits the format."
        ),
    ] = None
    accelerated: Annotated[
        bool, typer.Option("--accelerated", help="Accelerate the first rounds of swiss (Baku).")
    ] = False
    replays: Annotated[
        int,
        typer.Option(
            min=0,
            max=MOST_REPLAYS,
            help="Replays of a tied encounter of a knockout; then seeds ahead decide, then a lot.",
        ),
    ] = 1
    late: Annotated[
        list[str] | None,
        typer.Option(
            help="NAME=ROUND: enters swiss, with half-point byes before, or an arena in this round."
        ),
    ] = None
    leaves: Annotated[
        list[str] | None,
        typer.Option(help="NAME=ROUND: withdraws from swiss or an arena after this round."),
    ] = None
    bye: Annotated[
        list[str] | None, typer.Option(help="NAME=ROUND: has a half-point bye in a round of swiss.")
    ] = None

    def order_of_tie_breaks(self) -> tuple[TieBreak, ...]:
        """Return the tie-breaks asked for; none for those of the format.

        Raises:
            typer.Exit: when one is unknown or named twice.
        """
        from mancala.server.contest.events.standings import TieBreak

        names = [] if self.tie_breaks is None else self.tie_breaks.split(",")
        for name in names:
            if name not in list(TieBreak):
                known = ", ".join(TieBreak)
                console.fail(f"--tie-breaks: {name!r} is unknown; known: {known}")
        if len(set(names)) < len(names):
            console.fail(f"--tie-breaks: one is named twice in {self.tie_breaks!r}")
        return tuple(map(TieBreak, names))

    def attendance(self) -> dict[str, Attendance]:
        """Return the players that don't play every round.

        Raises:
            typer.Exit: when an option is not NAME=ROUND.
        """
        from msgspec import structs

        from mancala.server.contest.events.plan import Attendance

        found: dict[str, Attendance] = {}
        for name, number in _rounds("--late", self.late or ()):
            found[name] = Attendance(joins=number)
        for name, number in _rounds("--leaves", self.leaves or ()):
            found[name] = structs.replace(found.get(name, Attendance()), leaves=number)
        for name, number in _rounds("--bye", self.bye or ()):
            known = found.get(name, Attendance())
            found[name] = structs.replace(known, byes=(*known.byes, number))
        return found


def _rounds(option: str, texts: Iterable[str]) -> Iterator[tuple[str, int]]:
    for text in texts:
        name, _, digits = text.rpartition("=")
        try:
            number = whole_number(digits)
        except ValueError:
            number = 0
        if not name or number < 1:
            console.fail(f"{option}: {text!r} is not NAME=ROUND")
        yield name, number

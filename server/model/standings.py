"""One row of standings, of a running ladder and of a headless event alike; pure."""

from __future__ import annotations

from mancala.protocol.results import StandingCounts


class Standing(StandingCounts, frozen=True):
    """A player's row in the standings.

    A ladder ranks by rating and computes no tie-breaks; an event ranks by points. The order of
    the fields is that of ``table.json``.

    Attributes:
        margin: seeds ahead, over all games.
        sonneborn_berger: points of the opponents beaten, and half those of the drawn with.
        buchholz: points of all opponents met, once a game.
        elo: the rating; None while there is none.
        elo_error: half the width of the rating's 95 % interval; None while there is no rating.
        forfeits: games lost in another way than by the rules.
        rank_range: the first and the last place by rating that are possible: not above those who
            are stronger, nor below those who are weaker, with 97.5 % certainty each; None while
            there is no rating.
    """

    margin: int = 0
    sonneborn_berger: float = 0.0
    buchholz: float = 0.0
    elo: float | None = None
    elo_error: float | None = None
    forfeits: int = 0
    rank_range: tuple[int, int] | None = None

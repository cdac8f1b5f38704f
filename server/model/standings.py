"""One row of standings, of a running ladder and of a headless event alike; pure."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Standing:
    """A player's row in the standings.

    A ladder ranks by rating and computes no tie-breaks; an event ranks by points. The order of
    the fields is that of ``table.json``.

    Attributes:
        rank: place, from 1; players that are level share one.
        name: the player; in a ladder the entrant, ``bot@version``.
        points: 1 a win, ½ a draw, and the points of byes.
        games: games that counted.
        wins: games won.
        draws: games drawn.
        losses: games lost.
        margin: seeds ahead, over all games.
        sonneborn_berger: points of the opponents beaten, and half those of the drawn with.
        buchholz: points of all opponents met, once a game.
        elo: the rating; None while there is none.
        elo_error: half the width of the rating's 95 % interval; None likewise.
        forfeits: games lost in another way than by the rules.
        rank_range: the first and the last place by rating that are possible: not above those who
            are stronger, nor below those who are weaker, with 97.5 % certainty each; None while
            there is no rating.
    """

    rank: int
    name: str
    points: float
    games: int
    wins: int
    draws: int
    losses: int
    margin: int = 0
    sonneborn_berger: float = 0.0
    buchholz: float = 0.0
    elo: float | None = None
    elo_error: float | None = None
    forfeits: int = 0
    rank_range: tuple[int, int] | None = None

"""An event in FIDE's format for reports (TRF), as of 2026.

A result there is a win, a draw or a loss, and a round of several games has more: a record 250,
meant for acceleration, has what a player's score is ahead of that or behind it before each round,
so that the scores, floats and top scorers are those of the event.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from ...model.game import Forfeit, RatedGame, Round

UNPLAYED: Final = {"bye": "U", "half": "H", "away": "Z"}


class SwissEvent(NamedTuple):
    """What a report begins with.

    Attributes:
        players: all players by their pairing numbers, the strongest first.
        rounds: rounds of the event.
        games: games of an encounter.
    """

    players: Sequence[str]
    rounds: int
    games: int


class PastRound(NamedTuple):
    """A round that was played: who met, the games of each encounter, and who had half a point."""

    paired: Round
    games: tuple[tuple[RatedGame, ...], ...]
    halves: frozenset[str]


def report(
    event: SwissEvent,
    past: Sequence[PastRound],
    scores: Sequence[Mapping[str, float]],
    apart: Iterable[frozenset[str]] = (),
) -> str:
    """Return the event so far as TRF; the arguments are those of :func:`.swiss.swiss_round`."""
    players, rounds, games = event
    numbers = {name: number for number, name in enumerate(players, start=1)}
    entries = [_entries(each, numbers, games) for each in past]
    worth = {"1": games, "+": games, "U": games, "=": games / 2, "H": games / 2}
    lines = [
        *("012 event", f"062 {len(players)}", "092 Individual: Swiss-System"),
        *(f"142 {rounds}", "152 W", f"162  W{games:4.1f}    D{games / 2:4.1f}    L 0.0"),
    ]
    extra = [
        f"260 {len(scores):3} {len(scores):3} " + " ".join(f"{it:4}" for it in sorted(pair))
        for pair in sorted(sorted(numbers[name] for name in each) for each in apart)
    ]
    for name, number in numbers.items():
        points = 0.0
        for at, score in enumerate(scores):
            ahead = score.get(name, 0.0) - points
            if ahead:
                extra.append(f"250      {ahead:4.1f} {at + 1:3} {at + 1:3} {number:4} {number:4}")
            if at < len(past):
                points += worth.get(entries[at][name][-1], 0.0)
        own = "".join(f"  {each[name]}" for each in entries)
        lines.append(
            f"001 {number:4}      {name[:33]:33} {4000 - number:4} {'':27}{points:4.1f}"
            f" {number:4}{own}"
        )
    return "\n".join((*lines, *extra, ""))


def _entries(past: PastRound, numbers: Mapping[str, int], games: int) -> dict[str, str]:
    """Return what a round was to each player: opponent, colour and result."""
    found = dict.fromkeys(numbers, f"0000 - {UNPLAYED['away']}")
    found |= dict.fromkeys(past.halves, f"0000 - {UNPLAYED['half']}")
    found |= dict.fromkeys(past.paired.byes, f"0000 - {UNPLAYED['bye']}")
    for pair, played in zip(past.paired.encounters, past.games, strict=True):
        is_forfeit = all(isinstance(game, Forfeit) for game in played)
        for name, opponent, colour in zip(pair, pair[::-1], "wb", strict=True):
            gained = sum(game.points(game.players.index(name)) for game in played)
            result = "+" if is_forfeit and gained == games else "-" if is_forfeit else "0"
            if not is_forfeit and 2 * gained >= games:
                result = "1" if 2 * gained > games else "="
            found[name] = f"{numbers[opponent]:4} {colour} {result}"
    return found

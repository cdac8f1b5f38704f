"""Swiss rounds by FIDE's Dutch system, as gacrux pairs them, a program in a process of its own.

It reads a tournament in FIDE's format for reports (TRF) and answers with the pairs of the next
round. A result there is a win, a draw or a loss, and a round of several games has more: a record
250, meant for acceleration, has what a player's score is ahead of that or behind it before each
round, so that the scores, floats and top scorers are those of the event.
"""

from __future__ import annotations

import subprocess  # noqa: TID251  # no simulated event is paired by another program
import sys
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Final, NamedTuple

from ...config.events import problem_of_fide
from ...model.game import Encounter, Forfeit, RatedGame, Round

LONGEST_S: Final = 60.0
"""How long a round may take to be paired; 200 players take about a second."""
UNPLAYED: Final = {"bye": "U", "half": "H", "away": "Z"}


class PairingFailedError(RuntimeError):
    """A round could not be paired; the message says why."""


class PastRound(NamedTuple):
    """A round that was played: who met, the games of each encounter, and who had half a point."""

    paired: Round
    games: tuple[tuple[RatedGame, ...], ...]
    halves: frozenset[str]


def fide_round(
    players: Sequence[str],
    past: Sequence[PastRound],
    scores: Sequence[Mapping[str, float]],
    *,
    rounds: int,
    games: int,
    absent: Collection[str] = (),
) -> Round:
    """Return the next round: encounters in order of boards, and the bye, if there is one.

    Args:
        players: all players by their pairing numbers, the strongest first.
        past: all rounds so far.
        scores: the points before each round of the past and before this one, with virtual ones.
        rounds: rounds of the event.
        games: games of an encounter.
        absent: those who are not paired in this round.

    Raises:
        PairingFailedError: when there is no answer in time, or none that keeps the rules.
    """
    unpaired = [str(number) for number, name in enumerate(players, start=1) if name in absent]
    answer = _asked(report(players, past, scores, rounds=rounds, games=games), unpaired)
    paired = _read(answer, players)
    if problem := _problem(paired, [name for name in players if name not in absent], past):
        raise PairingFailedError(f"gacrux's pairing of round {len(past) + 1}: {problem}")
    return paired


def report(
    players: Sequence[str],
    past: Sequence[PastRound],
    scores: Sequence[Mapping[str, float]],
    *,
    rounds: int,
    games: int,
) -> str:
    """Return the event so far as TRF; the arguments are those of :func:`fide_round`."""
    numbers = {name: number for number, name in enumerate(players, start=1)}
    entries = [_entries(each, numbers, games) for each in past]
    worth = {"1": games, "+": games, "U": games, "=": games / 2, "H": games / 2}
    lines = [
        *("012 event", f"062 {len(players)}", "092 Individual: Swiss-System"),
        *(f"142 {rounds}", "152 W", f"162  W{games:4.1f}    D{games / 2:4.1f}    L 0.0"),
    ]
    extra: list[str] = []
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


def _asked(text: str, unpaired: Sequence[str]) -> str:
    """Return gacrux's answer: the number of pairs, and one a line, 0 for the bye."""
    command = [sys.executable, "-P", "-m", "gacrux.pairingchecker", "-p", "-d", "T"]
    try:
        ended = subprocess.run(  # noqa: S603  # the arguments are this module's
            [*command, *(("-u", *unpaired) if unpaired else ())],
            input=text,
            capture_output=True,
            text=True,
            timeout=LONGEST_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise PairingFailedError(f"gacrux did not pair within {LONGEST_S:g} s") from None
    if ended.returncode or "Error" in ended.stdout:
        said = " ".join((ended.stdout + ended.stderr).split())[-200:]
        raise PairingFailedError(problem_of_fide() or f"gacrux found no pairing: {said}")
    return ended.stdout


def _read(answer: str, players: Sequence[str]) -> Round:
    try:
        pairs = [[*map(int, line.split())] for line in answer.split("\n")[1:] if line.strip()]
        names = [[players[each - 1] for each in pair if each > 0] for pair in pairs]
        met = tuple(Encounter(*pair) for pair in names if len(pair) > 1)
    except (ValueError, IndexError, TypeError):
        raise PairingFailedError(f"gacrux's answer is no pairing: {answer[:200]!r}") from None
    return Round(met, tuple(pair[0] for pair in names if len(pair) == 1))


def _problem(paired: Round, present: Sequence[str], past: Sequence[PastRound]) -> str | None:
    """Return which rule that is never broken a pairing breaks, if any."""
    seated = [name for pair in paired.encounters for name in pair] + [*paired.byes]
    if sorted(seated) != sorted(present):
        return "not each player who is there has one place"
    if len(paired.byes) != len(present) % 2:
        return "more than one bye" if paired.byes else "no bye"
    counted = [as_played(each.paired, each.games) for each in past]
    met = {frozenset(pair) for each in counted for pair in each.encounters}
    again = [" and ".join(pair) for pair in paired.encounters if frozenset(pair) in met]
    if again:
        return f"{again[0]} have met before"
    free = {name for each in counted for name in each.byes}
    return f"{paired.byes[0]} had a bye before" if free.intersection(paired.byes) else None


def as_played(paired: Round, found: Sequence[Sequence[RatedGame]]) -> Round:
    """Return a round as the pairings after it count it (FIDE C.04.1, C.04.3 C2).

    Two of whom one was absent have not met, and had no seats. Who won by it has had a bye.
    """
    played, byes = list[Encounter](), [*paired.byes]
    for encounter, games in zip(paired.encounters, found, strict=True):
        if all(isinstance(game, Forfeit) for game in games):
            wins = Counter(game.players[game.winner] for game in games if game.winner is not None)
            byes += [name for name, count in wins.items() if count == len(games)]
        else:
            played.append(encounter)
    return Round(tuple(played), tuple(byes))

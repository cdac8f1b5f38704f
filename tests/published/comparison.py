"""A game beside what a program of others shows of it: where the two first differ, in words."""

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from mancala.protocol.rules import KALAH, Board, Rules

ASPECTS: Final = ("board", "turn", "end", "result")
SAME: Final = "the same"
SIDES: Final = ("South", "North")


class Shown(NamedTuple):
    """A position as a program shows it.

    Attributes:
        south: the first player's row, in the direction of its sowing.
        north: the other one's.
        stores: the seeds in both stores.
        player: who is to move; None when the game is over.
        result: the sign of the first player's result; None where there is none.
    """

    south: list[int]
    north: list[int]
    stores: list[int]
    player: int | None
    result: float | None

    @property
    def seeds(self) -> tuple[list[int], ...]:
        return self.south, self.north, self.stores


def random_game(rng: random.Random, rules: Rules = KALAH) -> list[tuple[int, int]]:
    board, moves = Board.start(rules), []
    while not board.is_over:
        moves.append((board.player, rng.choice(board.legal())))
        board = board.sow(moves[-1][1]).board
    return moves


def differences(
    moves: Iterable[tuple[int, int]], shown: Sequence[Shown], rules: Rules = KALAH
) -> dict[str, str]:
    found: dict[str, str] = {}
    board, ways = Board.start(rules), [None, *(pit for _, pit in moves)]
    for ply, (pit, theirs) in enumerate(zip(ways, shown, strict=False)):
        board = board if pit is None else board.sow(pit, sweeps=False).board
        when = f"after sowing {ply}" if ply else "at the start"
        for aspect, words in _here(board, theirs, when).items():
            found.setdefault(aspect, words)
        if theirs.player is None or {"board", "end"} & found.keys():
            return found
    if len(shown) <= len(ways) and not board.is_over:
        found["end"] = f"after sowing {len(shown) - 1} it refuses the next one"
    return found


def _here(board: Board, theirs: Shown, when: str) -> dict[str, str]:
    found: dict[str, str] = {}
    states = [each.state for each in (board, board.settled())]
    kinds = [(list(it.pits[0]), list(it.pits[1]), list(it.stores)) for it in states]
    if theirs.seeds not in kinds:
        pairs = zip(theirs.seeds, kinds[0], ("South's row", "North's row", "stores"), strict=True)
        there, ours, name = next(it for it in pairs if it[0] != it[1])
        found["board"] = f"{when} {name} {_counts(there)}, here {_counts(ours)}"
    if (theirs.player is None) != board.is_over:
        stores = ":".join(map(str, theirs.stores))
        found["end"] = f"{when} {'over' if theirs.player is None else 'goes on'} at {stores}"
    elif theirs.player is None:
        margin = board.score()
        ours_sign = (margin > 0) - (margin < 0)
        if theirs.result != ours_sign:
            names: dict[float | None, str] = {1: "South won", 0: "drawn", -1: "North won"}
            found["result"] = f"{names.get(theirs.result, 'no result')}, here {names[ours_sign]}"
    elif theirs.player != board.player:
        found["turn"] = f"{when} {SIDES[theirs.player]}'s, here {SIDES[board.player]}'s"
    return found


def _counts(seeds: Iterable[int]) -> str:
    return " ".join(map(str, seeds))


def summary(games: Iterable[dict[str, str]]) -> dict[str, str]:
    """Return what the table says of each aspect: the first difference, and in how many games."""
    found = list(games)
    counted = Counter(aspect for game in found for aspect in game)
    first = {aspect: words for game in reversed(found) for aspect, words in game.items()}
    if "board" in first:
        return {**dict.fromkeys(ASPECTS, ""), "board": f"another game: {first['board']}"}
    return {
        aspect: f"{counted[aspect]:,} games differ: {first[aspect]}" if counted[aspect] else SAME
        for aspect in ASPECTS
    }

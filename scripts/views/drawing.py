"""The board as the article's simulator draws it, and the four outputs it prints a move.

The numbers around the board are the article's: one ring, sown by falling index, Player 1's pits
above. The layout is kept to the letter, also where a column of indices does not stand over its
pits, so that a transcript of the article and one of ours compare line by line.
"""

from __future__ import annotations

from protocol.messages import Info
from protocol.rules import Board, Sowing, article_index


def draw(board: Board) -> str:
    """Return a drawing: Player 1 (player 0) above with the store on the left, Player 2 below."""
    m = board.rules.pits
    upper, lower = board.pits[0][::-1], board.pits[1]
    rule = "=" * (4 * m - 1)
    lines = (
        _indices(range(m)),
        _row(upper),
        f"{2 * m + 1:>4} |{board.stores[0]:^3}|{rule}|{board.stores[1]:^3}| {m}",
        _row(lower),
        _indices(range(2 * m, m, -1)),
    )
    return "\n".join(lines)


def outputs(before: Board, pit: int, sowing: Sowing) -> str:
    """Return a move's four outputs: seeds, score difference after it, captured, again."""
    player = before.player
    index = article_index(player, pit, before.rules.pits)
    seeds = "seed" if sowing.seeds == 1 else "seeds"
    facts = (
        f"{sowing.board.score(player):+d}",
        str(int(sowing.captured > 0)),
        str(int(sowing.again)),
    )
    return f"Player {player + 1} selected pit {index}: {sowing.seeds} {seeds} ({', '.join(facts)})"


def worth(value: float, *, exact: bool) -> str:
    """Return a value in seeds as text; a proven value is whole and marked as exact."""
    return f"{value:+.0f} exactly" if exact else f"{value:+.2f}"


def thinking(info: Info) -> str:
    """Return a bot's report on its search in one line."""
    parts = []
    if info.depth is not None:
        parts.append(f"depth {info.depth}")
    if info.value is not None:
        parts.append(f"value {worth(info.value, exact=bool(info.exact))}")
    if info.nodes is not None:
        parts.append(f"{info.nodes:,} nodes")
    if info.comment:
        parts.append(info.comment)
    return ", ".join(parts)


def verdict(board: Board) -> str:
    """Return the result of a finished game as text."""
    first, second = board.settled().stores
    if first == second:
        return f"Game over: a draw, {first} to {second}"
    winner, loser = max(first, second), min(first, second)
    return f"Game over: Player {1 if first > second else 2} wins {winner} to {loser}"


def _indices(numbers: range) -> str:
    return ("   " + "".join(f"{number:<4}" for number in numbers)).rstrip()


def _row(pits: tuple[int, ...]) -> str:
    return f"   |---|{'|'.join(f'{seeds:^3}' for seeds in pits)}|---|"

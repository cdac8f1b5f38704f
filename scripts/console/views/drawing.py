"""The board of a game in the terminal, and the four outputs of a move.

Pits are numbered as everywhere else, from 0 in the direction in which their owner sows. The
article's simulator has other numbers: one ring, sown by falling index, Player 1's pits above. Its
layout is kept to the letter, also where a column of indices does not stand over its pits, so that a
transcript of the article and one of ours compare line by line.
"""

from enum import StrEnum

from mancala.protocol.board_text import article_index, from_article_index
from mancala.protocol.messages import Evidence, Info, Reason
from mancala.protocol.rules import Board, InvalidPositionError, Sowing
from mancala.protocol.text import quantity

LEGEND = "seeds sown (score difference of who moved, captured, moves again)"
"""What the outputs of a move are, in a few words."""
MEANING = (
    "Each move is followed by four outputs, such as: 4 seeds (+1, 0, 1)",
    "  4 seeds   how many seeds were in the pit",
    "  +1        the mover's store minus the other store, after the move",
    "  0         1 if the last seed captured: it fell into an empty pit of the mover's",
    "  1         1 if the same player moves again: the last seed fell into the store",
)
"""The same at length."""


class Numbering(StrEnum):
    """How pits are numbered."""

    OWN = "own"
    ARTICLE = "article"

    def number(self, player: int, pit: int, pits: int) -> int:
        return pit if self is Numbering.OWN else article_index(player, pit, pits)

    def pit(self, number: int, board: Board) -> int:
        if self is Numbering.ARTICLE:
            player, pit = from_article_index(number, board.rules.pits)
            if player != board.player:
                raise InvalidPositionError(f"pit {number} is the other player's")
            return pit
        if not 0 <= number < board.rules.pits:
            raise InvalidPositionError(f"{number} is not the number of a pit")
        return number


def draw(board: Board, numbering: Numbering = Numbering.ARTICLE) -> str:
    """Return a drawing: the article's has player 0 above, the other has player 0 below."""
    return str(board) if numbering is Numbering.OWN else _article(board)


def _article(board: Board) -> str:
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


def outputs(
    before: Board, pit: int, sowing: Sowing, numbering: Numbering = Numbering.ARTICLE
) -> str:
    """Return a move's four outputs: seeds, score difference after it, captured, again."""
    player = before.player
    index = numbering.number(player, pit, before.rules.pits)
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
    parts = []
    if info.depth is not None:
        parts.append(f"depth {info.depth}")
    if info.value is not None:
        parts.append(f"value {worth(info.value, exact=bool(info.exact))}")
    if info.nodes is not None:
        parts.append(quantity(info.nodes, "node", form=","))
    if info.comment:
        parts.append(info.comment)
    return ", ".join(parts)


def verdict(board: Board) -> str:
    """Return who won a finished game, and by how many seeds."""
    first, second = board.settled().stores
    if first == second:
        return f"Game over: a draw, {first} to {second}"
    winner, loser = max(first, second), min(first, second)
    return f"Game over: Player {1 if first > second else 2} wins {winner} to {loser}"


def reason_text(reason: Reason, evidence: Evidence | None) -> str:
    """Return the reason and what is known of it; the detail alone if it begins with the reason."""
    detail = evidence.detail if evidence else ""
    if not detail:
        return str(reason)
    return detail if detail.lower().startswith(reason) else f"{reason}: {detail}"


def _indices(numbers: range) -> str:
    return ("   " + "".join(f"{number:<4}" for number in numbers)).rstrip()


def _row(pits: tuple[int, ...]) -> str:
    return f"   |---|{'|'.join(f'{seeds:^3}' for seeds in pits)}|---|"

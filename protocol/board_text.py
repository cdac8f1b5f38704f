"""How positions are written, and how the article's simulator numbers their pits."""

import re
from typing import Final

from .text import quantity, shortened, whole_number
from .variants import MAX_PITS, InvalidPositionError

LONGEST_NUMBER: Final = 9
"""Most digits of a number in a board's text."""
MOST_NUMBERS: Final = 2 * MAX_PITS + 3
"""Most numbers of a board's text."""
LONGEST_QUOTE: Final = 100
"""Characters of a text that a message about it quotes: the start of a board of sixteen pits."""
_PLAIN: Final = re.compile(rf"<[0-9]{{1,{LONGEST_NUMBER}}}(,[0-9]{{1,{LONGEST_NUMBER}}})*>")
"""Boards as programs write them, which need no check number by number."""


def numbers_of(text: str) -> tuple[int, list[int]]:
    """Return the pits a row and the other numbers of ``<m,store,other store,pits…,other pits…>``.

    Raises:
        InvalidPositionError: when the text is not such a literal.
    """
    stripped = text.strip()
    shown = repr(shortened(text, LONGEST_QUOTE))
    if not (stripped.startswith("<") and stripped.endswith(">")):
        raise InvalidPositionError(f"a board is written <m,store,store,pits…>, not {shown}")
    parts = stripped[1:-1].split(",", MOST_NUMBERS)
    if len(parts) > MOST_NUMBERS:
        raise InvalidPositionError(f"a board has at most {MOST_NUMBERS} numbers; {shown} has more")
    if _PLAIN.fullmatch(stripped):
        size, *numbers = map(int, parts)
    else:
        size, *numbers = (_natural(part, place) for place, part in enumerate(parts, start=1))
    if not 1 <= size <= MAX_PITS:
        raise InvalidPositionError(f"pits must be 1..{MAX_PITS}, not {size}")
    if len(numbers) != 2 * size + 2:
        raise InvalidPositionError(
            f"{quantity(size, 'pit a row takes', 'pits a row take')} {2 * size + 2} more"
            f" numbers; {shown} has {len(numbers)}"
        )
    return size, numbers


def _natural(text: str, place: int) -> int:
    digits = text.strip()
    try:
        return whole_number(digits)
    except ValueError:
        what = ("the pits a row", "the mover's store", "the other store")[place - 1 : place]
        shown = shortened(digits, LONGEST_NUMBER)
        raise InvalidPositionError(
            f"{what[0] if what else f'pit {place - 3}'} of a board is a whole number, not {shown!r}"
        ) from None


def article_index(player: int, pit: int, pits: int = 6) -> int:
    """Return the number of a pit in the article's simulator.

    It has one ring of ``2m + 2`` places, sown by falling index: player 0's pits are ``m-1..0`` and
    the store ``2m + 1``; player 1's pits are ``2m..m+1`` and the store ``m``.
    """
    return pits - 1 - pit if player == 0 else 2 * pits - pit


def from_article_index(index: int, pits: int = 6) -> tuple[int, int]:
    """Return ``(player, pit)`` for the article's number of a pit.

    Raises:
        InvalidPositionError: when it is a store's number, or not on the board.
    """
    if 0 <= index < pits:
        return 0, pits - 1 - index
    if pits < index <= 2 * pits:
        return 1, 2 * pits - index
    raise InvalidPositionError(
        f"{index} is not the number of a pit on a board of {quantity(pits, 'pit')} a row"
    )

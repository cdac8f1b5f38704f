"""The positions that come with the program, and those of other files: each with exact values.

There are two splits of other seeds, ``train`` and ``test``, each of four variants; a position that
both seeds come by is in ``test`` alone. Both are public:
for a measurement that no model has read, make a file of your own seed by ``mancala dataset
DIRECTORY --hard`` and read it with `read_positions`.
"""

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Final

from mancala.protocol.loss import ProvenPosition
from mancala.protocol.rules import Board, Rules

SPLITS: Final = ("train", "test")
RULE_SETS: Final = ("kalah", "kalah-empty-capture", "kalah:pits=5,seeds=5", "mangala")
"""The variants of each split, the usual one first."""
POSITIONS: Final = "positions.jsonl"
CARD: Final = "card.json"
DATA: Final = Path(__file__).parent / "data"


def positions(split: str = "test", rules: str | None = None) -> tuple[ProvenPosition, ...]:
    """Return the positions of a split, ``train`` or ``test``, all or those of one of `RULE_SETS`.

    Raises:
        ValueError: when there is no such split, or it has no such rules.
    """
    if split not in SPLITS:
        raise ValueError(f"the split is one of {', '.join(SPLITS)}, not {split!r}")
    if rules is not None and rules not in RULE_SETS:
        raise ValueError(f"the rules are one of {', '.join(RULE_SETS)}, not {rules!r}")
    every = _every_position(split)
    text = None if rules is None else str(Rules.parse(rules))
    return every if text is None else tuple(each for each in every if each.rules == text)


@cache
def _every_position(split: str) -> tuple[ProvenPosition, ...]:
    """Read the positions of a split, those of each of `RULE_SETS` by number."""
    found = [each for folder in (DATA / split).iterdir() for each in _read(folder)]
    if split == "train":
        held_out = {(each.rules, each.board) for each in _every_position("test")}
        found = [each for each in found if (each.rules, each.board) not in held_out]
    order = [str(Rules.parse(text)) for text in RULE_SETS]
    return tuple(sorted(found, key=lambda each: (order.index(each.rules), each.number)))


def read_positions(path: Path | str) -> tuple[ProvenPosition, ...]:
    """Return the positions of a folder that ``mancala dataset DIRECTORY --hard`` made, or its file.

    Raises:
        OSError: when a file cannot be read.
        ValueError: when it holds anything else, or its card names another hash.
    """
    path = Path(path)
    return tuple(_read(path if path.is_dir() else path.parent))


def board_of(position: ProvenPosition) -> Board:
    """Return the board of a position; player 0 is to move."""
    return position.to_board()


def loss(board: Board, pit: int | None, *, split: str = "test") -> int:
    """Return the seeds that a pit loses on a board of a split; None is the worst pit.

    Raises:
        ValueError: when the board is none of the split, or the pit may not be sown.
    """
    known = _by_board(split).get((board.text, board.rules.key))
    if known is None:
        raise ValueError(f"{board.text} is no position of the split {split}")
    if pit is not None and pit not in known.values:
        raise ValueError(f"pit {pit} may not be sown on {board.text}")
    return known.loss(pit)


@cache
def _by_board(split: str) -> dict[tuple[str, str], ProvenPosition]:
    return {(each.board, board_of(each).rules.key): each for each in positions(split)}


def _read(folder: Path) -> list[ProvenPosition]:
    content = (folder / POSITIONS).read_bytes()
    try:
        stated = json.loads((folder / CARD).read_bytes())["file"]["sha256"]
        found = [ProvenPosition.from_dict(json.loads(line)) for line in content.splitlines()]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{folder} holds no hard positions: {error!r}") from error
    if hashlib.sha256(content).hexdigest() != stated:
        raise ValueError(f"{folder / POSITIONS} is not the file that {CARD} describes")
    return found

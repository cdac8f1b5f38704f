"""General-sum game trees: each leaf is worth something of its own to every player.

Written as ``((1,6,6 7,1,2) (6,1,2 7,2,1))``: numbers joined by commas are a leaf, one number for
each player. The players decide in turn, the first at the root. Each takes the child that is worth
most to itself and hands all of its numbers up, so that cooperation may arise by itself.
With two players whose numbers add up to nothing this is minimax; Luckhardt and Irani, "An
algorithmic solution of N-person games", AAAI 1986, call it maxⁿ.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from .game_tree import TreeError

MOST_PLAYERS: Final = 9
MOST_LEAVES: Final = 5_000
DEEPEST: Final = 64
_NUMBER: Final = r"[-+]?[0-9]{1,12}(?:\.[0-9]{1,12})?"
_WORD: Final = re.compile(rf"\s*([()]|{_NUMBER}(?:,{_NUMBER})*|$)")


@dataclass(frozen=True, slots=True)
class Shares:
    """A node of a general-sum tree.

    Attributes:
        player: who decides here, from 0; at a leaf who would.
        utilities: a leaf's worth to each player, or that of the best child for ``player``.
        children: the successors, from left to right.
        best: the number of the child that is taken, from 0; None at a leaf.
    """

    player: int
    utilities: tuple[float, ...]
    children: tuple[Shares, ...] = ()
    best: int | None = None


def solve(text: str) -> Shares:
    """Return the tree that a text writes, with every node's utilities.

    Raises:
        TreeError: when it is none, or its leaves are not for the same number of players.
    """
    words = _words(text)
    leaves = [word for word in words if word not in "()"]
    players = {word.count(",") + 1 for word in leaves}
    if len(players) != 1 or not 1 <= max(players) <= MOST_PLAYERS:
        raise TreeError(
            "every leaf has one number for each player, joined by commas, such as 1,6,6; "
            f"at most {MOST_PLAYERS}"
        )
    if len(leaves) > MOST_LEAVES:
        raise TreeError(f"a tree has at most {MOST_LEAVES} leaves, not {len(leaves)}")
    tree = _node(words, 0, max(players))
    if words:
        raise TreeError(f"there is more after the tree: {words[0]!r}")
    return tree


def _words(text: str) -> list[str]:
    words, place = [], 0
    while place < len(text):
        found = _WORD.match(text, place)
        if found is None:
            wrong = text[place:][:9]
            raise TreeError(f"not numbers joined by commas, nor a parenthesis: {wrong!r}")
        words += [found[1]] if found[1] else []
        place = found.end()
    return words


def _node(words: list[str], level: int, players: int) -> Shares:
    if not words or words[0] == ")" or level > DEEPEST:
        raise TreeError(f"a leaf or a parenthesis is missing, or there are over {DEEPEST} levels")
    word, player = words.pop(0), level % players
    if word != "(":
        return Shares(player, tuple(float(number) for number in word.split(",")))
    children = []
    while words and words[0] != ")":
        children.append(_node(words, level + 1, players))
    if not (words and children):
        raise TreeError("a parenthesis is not closed, or holds nothing")
    words.pop(0)
    best = max(range(len(children)), key=lambda number: children[number].utilities[player])
    return Shares(player, children[best].utilities, tuple(children), best)

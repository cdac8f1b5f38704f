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
from .tree_text import DEEPEST, NUMBER, tokens

MOST_PLAYERS: Final = 9
MOST_LEAVES: Final = 5_000
_WORD: Final = re.compile(rf"\s*([()]|{NUMBER}(?:,{NUMBER})*|$)")
_WANTED: Final = "numbers joined by commas, nor a parenthesis"


@dataclass(frozen=True, slots=True)
class Shares:
    """A node of a general-sum tree, its children from left to right.

    ``player`` decides here, from 0; at a leaf it would. The utilities are a leaf's worth to each
    player, or that of the best child for ``player``, whose number is ``best``.
    """

    player: int
    utilities: tuple[float, ...]
    children: tuple[Shares, ...] = ()
    best: int | None = None


def solve(text: str) -> Shares:
    """Return the tree that a text writes, with every node's utilities, or raise `TreeError`."""
    words = [word for word, _ in tokens(_WORD, text, _WANTED)]
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

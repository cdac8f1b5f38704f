"""A general-sum tree as lines of text: what every node is worth to each player."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mancala.engine.classics.utilities import Shares


def best_line(root: Shares) -> list[int]:
    """Return the numbers of the children that are taken, from the root on."""
    line, node = [], root
    while node.best is not None:
        line.append(node.best)
        node = node.children[node.best]
    return line


def lines(root: Shares) -> Iterator[str]:
    """Yield the tree as lines of text, one a node, the root first; the best line is doubled."""
    yield from _lines(root, "", "", on_best=True)


def _lines(node: Shares, before: str, branch: str, *, on_best: bool) -> Iterator[str]:
    mark = branch and branch + ("═ " if on_best else "─ ")
    worth = "(" + ", ".join(f"{share:g}" for share in node.utilities) + ")"
    who = f"player {node.player + 1} " if node.children else ""
    yield f"{before}{mark}{who}{worth}"
    below = before + {"": "", "└": "   ", "├": "│  "}[branch]
    for number, child in enumerate(node.children):
        last = number == len(node.children) - 1
        taken = on_best and number == node.best
        yield from _lines(child, below, "└" if last else "├", on_best=taken)

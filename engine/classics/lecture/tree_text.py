"""Game trees as text.

A tree is written with parentheses: ``(3 12 8) (2 4 6) (14 5 2)`` in one more pair is a max node
over three min nodes over nine leaves. Kinds alternate below a max root, between max and min, or
between max and chance where that is asked for; ``max(…)``, ``min(…)`` and
``chance(…)`` name one where it differs. The children of a chance node are equally likely unless
each states its probability, as in ``chance(0.8:5 0.2:-3)``.

A leaf ``?`` is not known; alpha-beta finds the value all the same where it never looks there.

For searches that stop early, ``@`` states what the evaluation says of a node that has children, and
``!`` marks what a loud move (a capture, a re-turn) leads to: ``(@4(3 9!) 2)`` is a max node over a
min node worth 4 at first sight, whose second child is the result of a loud move.
"""

import re
from collections.abc import Iterator
from math import isclose, isnan, nan
from typing import Final

from .game_tree import MOST_NODES, GameTree, NodeKind, TreeError, even

DEEPEST: Final = 64
NUMBER: Final = r"[-+]?[0-9]{1,12}(?:\.[0-9]{1,12})?"
_TOKEN: Final = re.compile(rf"\s*(?:,\s*)?(max|min|chance|[()?]|@{NUMBER}!?|{NUMBER}[:!]?|!)|\s*\Z")
_WANTED: Final = "a number, parenthesis, max, min or chance"


def parse(text: str, *, opponent: NodeKind = NodeKind.MIN) -> GameTree:
    """Return a text's tree; TreeError names the place. Unnamed nodes below max are ``opponent``."""
    reader = _Reader(list(tokens(_TOKEN, text, _WANTED)), opponent)
    tree = reader.node(NodeKind.MAX, 0)
    if reader.words:
        word, place = reader.words[0]
        raise TreeError(f"there is more after the tree: {word!r} at {place}")
    if tree.size > MOST_NODES:
        raise TreeError(f"a tree has at most {MOST_NODES} nodes, not {tree.size}")
    return tree


def write(tree: GameTree) -> str:
    """Return the text of a tree; `parse` reads it back."""
    loud = "!" if tree.loud else ""
    if tree.value is not None:
        return "?" if isnan(tree.value) else f"{tree.value:g}{loud}"
    parts = [write(child) for child in tree.children]
    if tree.kind is NodeKind.CHANCE and tree.weights != even(len(parts)):
        parts = [f"{weight:g}:{part}" for weight, part in zip(tree.weights, parts, strict=True)]
    static = "" if tree.static is None else f"@{tree.static:g}"
    return f"{tree.kind}{static}{loud}({' '.join(parts)})"


def tokens(pattern: re.Pattern[str], text: str, wanted: str) -> Iterator[tuple[str, int]]:
    """Yield the words of a text, each with its place; TreeError for what is not wanted."""
    place = 0
    while place < len(text):
        found = pattern.match(text, place)
        if found is None:
            raise TreeError(f"not {wanted}: {text[place:][:9]!r}")
        if found[1]:
            yield found[1], found.start(1)
        place = found.end()


class _Reader:
    def __init__(self, words: list[tuple[str, int]], opponent: NodeKind) -> None:
        if not words:
            raise TreeError("the tree is empty; write for example ((3 12 8) (2 4 6) (14 5 2))")
        self.words = words
        self._opponent = opponent

    def node(self, kind: NodeKind, level: int) -> GameTree:
        """Read one node with all that hangs from it; ``kind`` is what it is unless it says so."""
        if level > DEEPEST:
            raise TreeError(f"a tree has at most {DEEPEST} levels")
        word, place = self._next()
        if word == "?":
            return GameTree(NodeKind.LEAF, nan)
        if word[0] in "+-0123456789" and not word.endswith(":"):
            return GameTree(NodeKind.LEAF, float(word.rstrip("!")), loud=word.endswith("!"))
        static, loud, before = None, False, ""
        if word in {NodeKind.MAX, NodeKind.MIN, NodeKind.CHANCE}:
            kind, before = NodeKind(word), word
            word, place = self._next(after=f"{before} at {place}")
        if word.startswith("@"):
            static, loud, before = float(word[1:].rstrip("!")), word.endswith("!"), word
            word, place = self._next(after=f"{before} at {place}")
        elif word == "!":
            loud, before = True, word
            word, place = self._next(after=f"{before} at {place}")
        if word != "(":
            reason = f"after {before} comes a parenthesis, not " if before else "not expected: "
            raise TreeError(f"{reason}{word!r} at {place}")
        children, weights = self._children(kind, level, place)
        return GameTree(kind, None, children, weights, static=static, loud=loud)

    def _children(
        self, kind: NodeKind, level: int, opened: int
    ) -> tuple[tuple[GameTree, ...], tuple[float, ...]]:
        children: list[GameTree] = []
        weights: list[float] = []
        below = self._opponent if kind is NodeKind.MAX else NodeKind.MAX
        while self.words and self.words[0][0] != ")":
            if self.words[0][0].endswith(":"):
                weights.append(float(self._next()[0][:-1]))
            children.append(self.node(below, level + 1))
        if not self.words:
            raise TreeError(f"the parenthesis at {opened} is not closed")
        self._next()
        if not children:
            raise TreeError(f"the parenthesis at {opened} holds nothing")
        return tuple(children), _weights(kind, weights, len(children), opened)

    def _next(self, *, after: str = "") -> tuple[str, int]:
        if not self.words:
            wanted = (
                f"after {after} comes a parenthesis" if after else "a parenthesis is not closed"
            )
            raise TreeError(f"the tree ends too soon for a parenthesis: {wanted}")
        return self.words.pop(0)


def _weights(kind: NodeKind, given: list[float], count: int, place: int) -> tuple[float, ...]:
    if kind is not NodeKind.CHANCE:
        if given:
            raise TreeError(f"only a chance node has probabilities; at {place} is a {kind} node")
        return ()
    if not given:
        return even(count)
    if len(given) != count or min(given) <= 0 or not isclose(sum(given), 1, abs_tol=1e-6):
        raise TreeError(f"the probabilities at {place} are not one a child that add up to 1")
    return tuple(given)

#!/usr/bin/env bash
# A win in one move is found by the first simulation and played in fewer than one of five games: imparaai-montecarlo 1.3.1.
#
# Found with: imparaai-montecarlo 1.3.1 (PyPI), its "traditional" search, set up as its README has it.
# A good guess: the more simulations, the surer the choice; a move that wins is visited most, and `make_choice` takes the
# child with the most visits. The README provides for end states: no children, and a value from the `node_evaluator`.
# What happens: an end state that is chosen again is neither evaluated nor counted, as only its children would be, and it
# has none. Nothing in the tree has changed, so each further simulation goes the same way and does nothing. The winning
# move stays at one visit; the others have as many or, looked at by chance before, more; among equals it is random.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check imparaai-montecarlo==1.3.1 2>/dev/null
cat >see.py <<'PY'
import random

from montecarlo.montecarlo import MonteCarlo
from montecarlo.node import Node

random.seed(1)


def choice(stones: int, simulations: int) -> tuple[int, list[int]]:
    """Whoever takes the last of some stones, one to three at a time, has won; gives the move and the visits."""
    tree = MonteCarlo(Node(stones))
    tree.root_node.player_number = 1

    def children(node: Node, _tree: MonteCarlo) -> None:
        for taken in range(1, min(3, node.state) + 1):
            child = Node(node.state - taken)
            child.player_number = 3 - node.player_number
            node.add_child(child)

    tree.child_finder = children
    tree.node_evaluator = lambda node, _: None if node.state else (1 if node.player_number == 2 else -1)
    tree.simulate(simulations)
    return stones - tree.make_choice().state, [child.visits for child in tree.root_node.children]


for simulations in (10, 100, 1000):
    games = [choice(3, simulations) for _ in range(200)]
    good = sum(move == 3 for move, _ in games)
    print(f"three stones, {simulations} simulations: {good} of 200 take three; most visits of a move",
          max(max(visits) for _, visits in games))
    assert good < 100 and max(sum(visits) for _, visits in games) < 20
PY
echo "imparaai-montecarlo 1.3.1; guess: the last of three stones are taken by all 200"
env/bin/python see.py

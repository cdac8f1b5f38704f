#!/usr/bin/env bash
# A move that won 9 of 21 simulations and lost 12 is worth 0.29: multimcts 0.6.4.
#
# Found with: multimcts 0.6.4 (PyPI), Python 3.11; a Monte Carlo tree search "for any number of players".
# A good guess: the value of a move is what its source says, "(reward for my parent's team - rewards for all other teams) /
# num visits", here (9 - 12) / 21; and a game is made "by subclassing GameState and implementing the required methods",
# five of them.
# What happens: the other teams' rewards are added up only for teams that were paid in the latest simulation. After a win of
# one's own nothing is taken off for the losses; after a loss, and after a draw, own wins count twice. The move with the
# highest value is played, so who won last decides: with 30 simulations a trap that lost more than it won is preferred to a
# sure draw in all of 200 searches. And a subclass with the five methods ends with a TypeError, as the optional sixth one is
# always called.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check multimcts==0.6.4 2>/dev/null
cat >see.py <<'PY'
import random

from multimcts import MCTS, GameState


class Game:
    """Team 0 chooses a draw, or a trap that team 1 wins with one answer and loses with the others."""

    def __init__(self, *moves: str) -> None:
        self.moves = moves

    def get_current_team(self) -> int:
        return len(self.moves) % 2

    def get_legal_moves(self) -> list[str]:
        return ["win", *"12345678"] if self.moves else ["draw", "trap"]

    def make_move(self, move: str) -> "Game":
        return type(self)(*self.moves, move)

    def is_terminal(self) -> bool:
        return self.moves not in ((), ("trap",))

    def get_reward(self) -> dict[int, int]:
        return {"draw": {0: 0, 1: 0}, "win": {0: 0, 1: 1}}.get(self.moves[-1], {0: 1, 1: 0})


class Subclass(Game, GameState):
    pass


traps, wrong, worse = 0, 0, 0
for seed in range(200):
    random.seed(seed)
    node = MCTS().search(Game(), max_iterations=30, return_type="node")
    traps += node.get_move() == "trap"
    trap = node.get_parent().get_children()["trap"]
    won, lost = (trap.get_rewards().get(team, 0) for team in "01")
    value = (won - lost) / trap.get_visits()
    wrong += abs(trap.get_avg_reward() - value) > 1e-9
    worse += value < 0
print(f"{won:.0f} won, {lost:.0f} lost of {trap.get_visits()}: {trap.get_avg_reward():.2f}, by its source {value:.2f}")
assert (won, lost, traps, wrong, worse) == (9, 12, 200, 200, 200) and value < 0 < trap.get_avg_reward()
print(f"other than by its source in {wrong} of 200 searches; the trap is played in {traps}, worse than a draw in {worse}")
try:
    MCTS().search(Subclass(), max_iterations=10)
    raise SystemExit("a subclass works")
except TypeError as error:
    print("a subclass:", error)
PY
echo "multimcts 0.6.4; guess: values as by its source, and no trap is played that is worse than a draw"
env/bin/python see.py

#!/usr/bin/env bash
# In a game where a player may move again, the search minimises its own second move: easyAI 2.0.12.
#
# Found with: easyAI 2.0.12 (PyPI), its Negamax, whose examples have an Awele among them.
# A good guess: who moves next is the game's own affair, since `switch_player` is a method of the game that a subclass
# may override; a subclass that leaves the player where it is after a further turn is played and searched rightly
# (`play` indeed asks the same player again).
# What happens: Negamax negates the value of each position after a move, whoever is to move there. A further turn
# counts as the opponent's, and in four of ten positions of a small Kalah the move it chooses is not among the best
# of a plain search of the same depth. Nothing says so.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check easyAI==2.0.12
cat >see.py <<'PYTHON'
from importlib.metadata import version
from random import Random

from easyAI import Negamax, TwoPlayerGame

DEPTH = 4


class Kalah(TwoPlayerGame):
    """Kalah with three pits: player 1's pits and store, then player 2's."""

    def __init__(self, board: list[int]) -> None:
        self.players, self.current_player = [None, None], 1
        self.board, self.again = board, False

    def possible_moves(self) -> list[int]:
        first = 4 * (self.current_player - 1)
        return [pit for pit in range(first, first + 3) if self.board[pit]]

    def make_move(self, pit: int) -> None:
        first = 4 * (self.current_player - 1)
        store, other = first + 3, (first + 7) % 8
        seeds, self.board[pit] = self.board[pit], 0
        while seeds:
            pit = (pit + 1) % 8
            if pit != other:
                self.board[pit] += 1
                seeds -= 1
        self.again = pit == store
        if first <= pit < store and self.board[pit] == 1 and self.board[6 - pit]:
            self.board[store] += 1 + self.board[6 - pit]
            self.board[pit] = self.board[6 - pit] = 0

    def switch_player(self) -> None:
        if not self.again:
            self.current_player = 3 - self.current_player
        self.again = False

    def is_over(self) -> bool:
        return not any(self.board[:3]) or not any(self.board[4:7])

    def scoring(self) -> int:
        """Seeds by which the player to move is ahead, the pits counted when the game is over."""
        pits = 1 if self.is_over() else 0
        ahead = self.board[3] - self.board[7] + pits * (sum(self.board[:3]) - sum(self.board[4:7]))
        return ahead if self.current_player == 1 else -ahead


def values(game: Kalah, depth: int) -> dict[int, int]:
    """What each move is worth to who moves, by a plain search that asks who moves next."""
    told = {}
    for pit in game.possible_moves():
        after = game.copy()
        after.make_move(pit)
        after.switch_player()
        ended = depth == 1 or after.is_over()
        value = after.scoring() if ended else max(values(after, depth - 1).values())
        told[pit] = value if after.current_player == game.current_player else -value
    return told


print("easyAI", version("easyAI"))
random = Random(1)
boards = [[random.randint(0, 3) for _ in range(3)] + [0] for _ in range(400)]
games = [Kalah(one + other) for one, other in zip(boards[::2], boards[1::2])]
games = [game for game in games if not game.is_over()]
worse, lost = 0, 0
for game in games:
    worth, chosen = values(game, DEPTH), Negamax(DEPTH)(game)
    loss = max(worth.values()) - worth[chosen]
    if loss > lost:
        example = f"{game.board}: chose {chosen} of {worth}"
    worse, lost = worse + (loss > 0), max(lost, loss)
print(f"positions: {len(games)}; a worse move than a plain search of depth {DEPTH}: {worse}")
print("dearest:", example)
assert worse > len(games) / 4
PYTHON
env/bin/python see.py

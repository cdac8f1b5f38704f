#!/usr/bin/env bash
# The last observation of a game shows neither its result nor that it is over: OpenSpiel 2.0.2's mancala.
#
# Found with: open_spiel 2.0.2 (PyPI).
# A good guess: an observation is the 14 counts; of a finished game its stores are the result, as in the rules of
# Kalah, where what is left goes to the owner of the row; and it names no player, as `current_player()` is -4.
# What happens: it has 16 numbers: the index of a player and the number of moves follow the counts. The index stays
# 0 or 1 in finished positions, and the seeds that decide the game still lie in the pits: `returns()` may be a win
# of the player whose store is the smaller one.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check open_spiel==2.0.2
cat >see.py <<'PYTHON'
import random

import pyspiel

game = pyspiel.load_game("mancala")
print("shape of an observation:", game.observation_tensor_shape())
assert game.observation_tensor_shape() == [16]
players, misleading = set(), None
for seed in range(2000):
    rng, state = random.Random(seed), game.new_initial_state()
    while not state.is_terminal():
        state.apply_action(rng.choice(state.legal_actions()))
    last = [int(each) for each in state.observation_tensor(0)]
    assert sum(last[:14]) == 48 and last[15] == len(state.history())
    assert state.current_player() == pyspiel.PlayerId.TERMINAL
    players.add(last[14])
    stores = last[7], last[0]  # of player 0 and of player 1
    if (stores[0] - stores[1]) * state.returns()[0] < 0:
        misleading = misleading or (last, stores, state.returns())
print("players named by 2,000 last observations:", sorted(players))
print("one of them:", misleading[0])
print("its stores:", misleading[1], "its returns:", misleading[2])
assert players == {0, 1}
PYTHON
echo "open_spiel $(env/bin/pip show open_spiel 2>/dev/null | sed -n 's/^Version: //p')"
echo "guess: 14 counts, no player at the end, stores that tell who won"
env/bin/python see.py

#!/usr/bin/env bash
# No square is free, and the one to move loses: Ultimate Tic Tac Toe of TextArena 0.7.4.
#
# Found with: textarena 0.7.4 (PyPI, among its 10,000 most downloaded), environment UltimateTicTacToe-v0.
# A good guess: a game with no square left, and no three small boards in a row, is drawn; the environment has a draw
# ("The game is a draw!") and gives 0 to both.
# What happens: it looks for a draw among the small boards alone, and there a small board that was drawn itself stays
# empty for ever. So with one such board there is no draw. The next player is asked for a move, each answer is invalid,
# and the second one ends the game: 1 for the other player, and -1. Of 300 games of random moves that is the end of 46
# (only 11 are drawn).
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install -q --no-deps textarena==0.7.4 certifi==2026.10.19.post1 idna==3.20 nltk==3.10.4 regex==2026.11.19 \
  requests==2.34.2 rich==15.0.0 urllib3==2.8.0 websockets==17.4 2>/dev/null
cat >see.py <<'PY'
import random
from collections import Counter

import textarena as ta

ends, last = Counter(), ""
for seed in range(300):
    rng = random.Random(seed)
    env = ta.make("UltimateTicTacToe-v0-raw")
    env.reset(num_players=2, seed=seed)
    done = False
    while not done:
        game = env.state.game_state
        won, forced = game["macro_board"], game["next_micro_board"]
        moves = [
            f"[{macro} {micro}]"
            for macro in range(9)
            if won[macro // 3][macro % 3] == " " and forced in (None, macro)
            for micro in range(9)
            if game["board"][macro][micro // 3][micro % 3] == " "
        ]
        player = env.state.current_player_id
        done, _ = env.step(rng.choice(moves) if moves else "[4 4]")
    rewards = env.state.rewards
    if moves:
        ends["drawn" if rewards[player] == 0 else "won"] += 1
    else:
        assert rewards == {player: -1, 1 - player: 1}, rewards
        assert rewards[player] == -1 and not any(" " in row for board in game["board"] for row in board)
        ends["no move left, lost"] += 1
        last = f"{rewards} after player {player} had no move; {env.state.game_info[player]['reason']}"
print(dict(ends))
print(last)
assert ends == {"won": 243, "no move left, lost": 46, "drawn": 11}
PY
echo "textarena 0.7.4; guess: drawn, where no move is left"
env/bin/python -W ignore see.py

#!/usr/bin/env bash
# A board of 3 by 3 is one of 11 by 11 as soon as it is reset: Shimmy 2.0.1 around a game of OpenSpiel.
#
# Found with: shimmy 2.0.1, pettingzoo 1.27.0, open_spiel 2.0.2 (PyPI).
# A good guess: `env=` is an "existing OpenSpiel environment to wrap", so `OpenSpielCompatibilityV0(env=load_game(
# "hex(board_size=3)"))` plays that game; so does `game_name="hex(board_size=3)"`, which is how OpenSpiel writes a name.
# What happens: `reset`, which has to come first, loads a game anew by its short name, without parameters. Spaces, moves and
# length are those of the default game from then on, though they were the right ones before. With `config=` the parameters
# are kept (Shimmy's pull request 97 of 2023 passed it to `reset`, and left these two cases), but not by a copy: a worker
# that gets the environment by pickle (multiprocessing, for one) has the default game from the start.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install -q shimmy==2.0.1 pettingzoo==1.27.0 open_spiel==2.0.2 2>/dev/null
cat >see.py <<'PY'
import pickle

import pyspiel
from shimmy import OpenSpielCompatibilityV0

small = OpenSpielCompatibilityV0(game_name="hex", config={"board_size": 3})
for told, env, seen in (
    ("env=", OpenSpielCompatibilityV0(env=pyspiel.load_game("hex", {"board_size": 3})), 121),
    ("game_name=", OpenSpielCompatibilityV0(game_name="hex(board_size=3)"), 121),
    ("config=", small, 9),
    ("config=, pickled", pickle.loads(pickle.dumps(small)), 121),
):
    before = int(env.action_space("player_0").n)
    env.reset(seed=1)
    after = int(env.action_space("player_0").n)
    print(f"hex of 3 by 3 by {told}: {before} cells before reset, {after} after it")
    assert after == seen == len(env.infos["player_0"]["action_mask"])
    assert before == (121 if "pickled" in told else 9)
PY
echo "shimmy 2.0.1; guess: 9 cells, before and after"
env/bin/python see.py

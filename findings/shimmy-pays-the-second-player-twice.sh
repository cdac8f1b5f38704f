#!/usr/bin/env bash
# A win of the second player is worth 2, a loss -2: Shimmy 2.0.1 between OpenSpiel and PettingZoo.
#
# Found with: shimmy 2.0.1, pettingzoo 1.27.0, open_spiel 2.0.2 (PyPI); games of two, in PettingZoo's usual loop.
# A good guess: the last reward that `env.last()` gives each player is what OpenSpiel's `returns()` says: 1 and -1 in a game
# of zero sum, whoever won, so that points of a match may be added up.
# What happens: after the last move both rewards are set, and added once more when the first player, who has nothing left
# to do, makes the empty step; PettingZoo's own environments clear them there. The first player has read 1 or -1 by then,
# the second reads 2 or -2. A learner sees a game in which the second seat counts double, and sums are not zero.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install -q shimmy==2.0.1 pettingzoo==1.27.0 open_spiel==2.0.2 2>/dev/null
cat >see.py <<'PY'
import random
from collections import Counter

from shimmy import OpenSpielCompatibilityV0


def play(game: str, seed: int) -> tuple[tuple[float, float], tuple[float, float]]:
    """Gives the last rewards by PettingZoo and the returns by OpenSpiel."""
    chance = random.Random(seed)
    env = OpenSpielCompatibilityV0(game_name=game)
    env.reset(seed=seed)
    last = {}
    for agent in env.agent_iter():
        _, reward, over, cut, info = env.last()
        legal = [action for action, allowed in enumerate(info["action_mask"]) if allowed]
        last[agent] = reward
        env.step(None if over or cut else chance.choice(legal))
    first, second = env.game_state.returns()
    return (last["player_0"], last["player_1"]), (first, second)


for game in ("mancala", "tic_tac_toe"):
    seen = Counter(play(game, seed) for seed in range(30))
    for (rewards, returns), games in sorted(seen.items()):
        print(f"{game}: returns {returns}, rewards {rewards}: {games} games")
        assert rewards == (returns[0], 2 * returns[1])
    assert len(seen) >= 2
PY
echo "shimmy 2.0.1; guess: the rewards are the returns"
env/bin/python see.py

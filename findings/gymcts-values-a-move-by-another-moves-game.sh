#!/usr/bin/env bash
# Moves are valued by games that were played after other moves: gymcts 1.5.1 with its ActionHistoryMCTSGymEnvWrapper.
#
# Found with: gymcts 1.5.1, gymnasium 1.4.0 (PyPI), a deterministic environment of four moves, one of which wins.
# A good guess: the two wrappers differ in how they keep a state, by copies or by the moves that lead there; so by either
# each rollout starts in the state that was loaded, and the agent finds the winning move.
# What happens: after a rollout the flag "the game is over" stays set: loading a state plays its moves below the wrapper and
# does not touch the flag. A new node's rollout then plays nothing and returns the result of the game before. Whether a
# move is thought to be good depends on which one was looked at before it. With the copying wrapper all is right.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check gymnasium==1.4.0 rich==15.0.0 2>/dev/null
env/bin/pip install --quiet --disable-pip-version-check --no-deps gymcts==1.5.1 2>/dev/null
cat >see.py <<'PY'
import random

import gymnasium as gym
from gymcts.gymcts_action_history_wrapper import ActionHistoryMCTSGymEnvWrapper
from gymcts.gymcts_agent import GymctsAgent
from gymcts.gymcts_deepcopy_wrapper import DeepCopyMCTSGymEnvWrapper


class Opening(gym.Env):
    """Three moves; the game is won if the first of them is 2, whatever follows."""

    action_space = observation_space = gym.spaces.Discrete(4)

    def reset(self, *, seed=None, options=None):
        self.moves = []
        return 0, {}

    def step(self, action):
        self.moves.append(action)
        ended = len(self.moves) == 3
        return 0, float(ended and self.moves[0] == 2), ended, False, {}


def search(wrapper: type, seed: int) -> tuple[int, dict[int, float]]:
    """Looks at each move once; gives the best one and the values of all."""
    random.seed(seed)
    env = wrapper(Opening())
    env.reset()
    agent = GymctsAgent(env)
    best = agent.vanilla_mcts_search(num_simulations=5)
    return best, {move: float(child.mean_value) for move, child in agent.search_root_node.children.items()}


for wrapper, right in ((DeepCopyMCTSGymEnvWrapper, True), (ActionHistoryMCTSGymEnvWrapper, False)):
    searches = [search(wrapper, seed) for seed in range(60)]
    found = sum(best == 2 for best, _ in searches)
    values = {tuple(values.values()) for _, values in searches}
    print(f"{wrapper.__name__}: {found} of 60 find move 2; values of the moves: {sorted(values)}")
    assert (found == 60 and values == {(0, 0, 1, 0)}) == right
PY
echo "gymcts 1.5.1; guess: by both wrappers 60 of 60, and a value of 1 for move 2 alone"
env/bin/python see.py

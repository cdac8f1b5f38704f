#!/usr/bin/env bash
# `reset(seed=0)` repeats the first game alone, `reset(seed=1)` all of them: PettingZoo 1.27.0's MultiEpisodeEnv.
#
# Found with: pettingzoo 1.27.0 (PyPI), whose wrapper plays several episodes as one, "for evaluation".
# A good guess: a seed makes the whole run repeatable; the wrapper adds one to it for each episode that follows.
# What happens: a seed of 0 is taken for no seed, so that the second and each later episode begins at random. An
# evaluation over random openings under the seed most often chosen gives other numbers each time.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check pettingzoo==1.27.0
cat >see.py <<'PYTHON'
from importlib.metadata import version

from gymnasium.spaces import Discrete
from gymnasium.utils import seeding
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import MultiEpisodeEnv

EPISODES = 4


class Opening(AECEnv):
    """A game of two moves whose start is drawn at random."""

    metadata = {"name": "opening"}
    possible_agents = ["first", "second"]
    render_mode = None

    def observation_space(self, _agent):
        return Discrete(10**9)

    def action_space(self, _agent):
        return Discrete(1)

    def observe(self, _agent):
        return self.start

    def reset(self, seed=None, options=None):
        self.start = int(seeding.np_random(seed)[0].integers(10**9))
        self.agents, self.agent_selection, self.moves = self.possible_agents[:], "first", 0
        for name, value in (("terminations", False), ("truncations", False), ("rewards", 0.0)):
            setattr(self, name, dict.fromkeys(self.agents, value))
        self._cumulative_rewards, self.infos = dict(self.rewards), {agent: {} for agent in self.agents}

    def step(self, action):
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        self.moves += 1
        if self.moves == 2:
            self.terminations = dict.fromkeys(self.agents, True)
        self.agent_selection = self.agents[self.moves % 2]


def starts(seed: int) -> list[int]:
    """The starts of all episodes."""
    env, told = MultiEpisodeEnv(Opening(), EPISODES), []
    env.reset(seed=seed)
    for agent in env.agent_iter():
        start, _, ended, cut, _ = env.last()
        if not told or told[-1] != start:
            told.append(start)
        env.step(None if ended or cut else 0)
    return told


print("pettingzoo", version("pettingzoo"))
for seed in (0, 1, 2):
    one, other = starts(seed), starts(seed)
    alike = sum(a == b for a, b in zip(one, other))
    print(f"seed {seed}: of {len(one)} episodes {alike} begin alike when the run is repeated")
    assert len(one) == len(other) == EPISODES
    assert alike == (1 if seed == 0 else EPISODES)
PYTHON
env/bin/python see.py

"""Mancala as an environment for learners: PettingZoo for both players, Gymnasium for one.

They need the extra ``env``. Both show the board from the side of the player to move, with
a mask of the pits that may be sown; the value of a finished game is 1, 0 or -1::

    from bot.env import MancalaEnv

    env = MancalaEnv(opponent="engine:depth=6")
    observation, info = env.reset(seed=1)
    while True:
        pit = env.action_space.sample(info["action_mask"])
        observation, reward, terminated, truncated, info = env.step(pit)
        if terminated or truncated:
            break
"""

from bot.env.duel import MancalaDuel, env
from bot.env.solo import MancalaEnv
from bot.env.view import mask, view

__all__ = ["MancalaDuel", "MancalaEnv", "env", "mask", "view"]

"""Mancala as an environment for learners: Gymnasium for one player, PettingZoo for both.

They need the extra ``env``. Importing this package, or `mancala.env`, registers
``mancala_arena/Kalah-v0`` with Gymnasium. All environments show the board from the side of the
player to move, with a mask of the pits that may be sown; the value of a finished game is 1, 0 or
-1, or the difference of the stores (``reward="margin"``)::

    import gymnasium
    import mancala.env

    env = gymnasium.make("mancala_arena/Kalah-v0", opponent="engine:depth=6")
    observation, info = env.reset(seed=1)
    while True:
        pit = env.action_space.sample(info["action_mask"])
        observation, reward, terminated, truncated, info = env.step(pit)
        if terminated or truncated:
            break

``gymnasium.make_vec`` with the same name makes `MancalaVectorEnv`, which plays many games in
compiled code; nothing is compiled before it is made. `MancalaSelfPlayEnv` asks for every ply of
many games, those of both players. `points` measures a policy against an opponent.
"""

import gymnasium

from ..players.seen import mask, view
from .duel import MancalaDuel, env
from .games import MancalaSelfPlayEnv
from .solo import MancalaEnv
from .vector import MancalaVectorEnv, points

__all__ = [
    "ID",
    "MancalaDuel",
    "MancalaEnv",
    "MancalaSelfPlayEnv",
    "MancalaVectorEnv",
    "env",
    "mask",
    "points",
    "view",
]

ID = "mancala_arena/Kalah-v0"
"""The name under which the environment is registered."""

if ID not in gymnasium.registry:
    gymnasium.register(
        ID,
        entry_point="mancala.bot.env.solo:MancalaEnv",
        vector_entry_point="mancala.bot.env.vector:MancalaVectorEnv",
    )

"""The environments for learners under the one name to import; importing it registers them.

See `mancala.bot.env`, where they are. They need the extra ``env``.
"""

from mancala.bot.env import (
    ID,
    MancalaDuel,
    MancalaEnv,
    MancalaSelfPlayEnv,
    MancalaVectorEnv,
    env,
    mask,
    points,
    view,
)

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

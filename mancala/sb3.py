"""Many games as a ``VecEnv`` of Stable-Baselines3; it needs that package and the extra ``env``.

See `mancala.bot.env.sb3`, where it is.
"""

from mancala.bot.env.sb3 import MancalaSb3Env

__all__ = ["MancalaSb3Env"]

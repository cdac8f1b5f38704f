"""The environments for learners under the one name to import; importing it registers them.

See `mancala.bot.env`, where they are. They need the extra ``env``.
"""

from mancala.bot.env import *  # noqa: F403  # the names of its __all__
from mancala.bot.env import __all__ as __all__  # noqa: PLC0414  # they are public here, too

"""Every view, for those who use many."""

from .analysis import *  # noqa: F403  # as the module says
from .bots import *  # noqa: F403  # as above: every view of bots
from .games import *  # noqa: F403  # as above: every view of games and matches
from .history import *  # noqa: F403  # as above: every view of the past
from .ladders import *  # noqa: F403  # as above: every view of ladders
from .status import *  # noqa: F403  # as above: every view of the server
from .submissions import *  # noqa: F403  # as above: every view of what was played elsewhere

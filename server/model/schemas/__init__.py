"""The API's schemas: what the store reads and the web shows, as data.

Names are the API's: a struct here is a JSON object there, and the OpenAPI document is made of
them. No token, secret or address is among them. Times are RFC 3339 in UTC; everything ``_ms`` is
milliseconds; ratings are Elo.
"""

from .analysis import *  # noqa: F403  # every view, for those who use many
from .bots import *  # noqa: F403  # as above: every view of bots
from .games import *  # noqa: F403  # as above: every view of games and matches
from .history import *  # noqa: F403  # as above: every view of the past
from .ladders import *  # noqa: F403  # as above: every view of ladders
from .status import *  # noqa: F403  # as above: every view of the server
from .submissions import *  # noqa: F403  # as above: every view of what was played elsewhere

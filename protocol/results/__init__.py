"""The results published over MQTT: the topics, and one struct for each payload.

Every payload is one JSON object. It names its ``schema`` and can be understood without any other
payload. ``event_id`` stays the same when a payload is delivered again, so a consumer can drop
duplicates; ``seq`` grows with each event of a server, so a consumer can notice a gap. The caller
supplies both, and all times: this package has no random generator and no clock.
"""

from .events import *  # noqa: F403  # every payload of an event
from .payloads import *  # noqa: F403  # every other payload
from .topics import *  # noqa: F403  # where they are published

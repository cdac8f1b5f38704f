"""What the web can ask a running server: the one table of it.

The read model has a handler for each topic, the feed carries its name, and both ends take the type
of the answer from here. Besides, the server tells how it stands four times a second, and each event
of the games that the web follows.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, Final, Generic, NamedTuple, Protocol, TypeVar

from msgspec import Raw

from mancala.protocol import codec

from ...config.settings import Config
from ...health.child_process import Handover
from ...model.schemas.bots import BestRatings, BotPlaces, BotPresence, BotSchedule, OpponentList
from ...model.schemas.event_orders import EventOrderAnswer, GivenOrder
from ...model.schemas.games import LiveGame
from ...model.schemas.ladders import LadderList, StandingsView, SuperiorityView, TermsView
from ...model.schemas.status import LogView, Readiness, ServerView
from ...model.schemas.views import View
from .viewers import Receive

V = TypeVar("V", bound=View)
A = TypeVar("A", bound=View | None)
A_co = TypeVar("A_co", bound=View | None, covariant=True)


class InPlay(View, frozen=True):
    """Whether a position is on the board of a rated game, or would be after one more move."""

    is_in_play: bool


class MetricsText(View, frozen=True):
    """The game server's metrics, in Prometheus's text format."""

    text: str


class StandingRows(NamedTuple):
    """Rows of a ladder's standings: how many come before, and how many at the most."""

    begin: int
    most: int
    ladder: str


@dataclass(frozen=True, slots=True, eq=False)
class Topic(Generic[A_co]):
    """A topic: its name on the feed, what reads an answer, and the type of what it is about.

    An order is carried out each time, and others are answered meanwhile.
    """

    name: str
    kind: type[A_co]
    subject: Any = str
    is_order: bool = False

    def __post_init__(self) -> None:
        TOPICS[self.name] = self

    def decode(self, answer: bytes) -> A_co:
        return codec.from_json(answer, self.kind)


TOPICS: Final[dict[str, Topic[View | None]]] = {}


def _if_any(name: str, kind: type[V], subject: Any = str) -> Topic[V | None]:  # noqa: ANN401  # any type
    """Return a topic whose answer is None where there is no such game or ladder."""
    either: Any = kind | None
    return Topic(name, either, subject)


LIVE: Final = _if_any("live", LiveGame)
"""A running game, by its id."""
PRESENCE: Final = Topic("presence", BotPresence)
"""Whether a bot is connected, and its games; by its name."""
NEXT: Final = Topic("next", BotSchedule)
"""What a bot plays next, and what it waits for; by its name."""
LADDERS: Final = Topic("ladders", LadderList)
TERMS: Final = Topic("terms", TermsView)
"""The terms of the server and its ladders."""
OPPONENTS: Final = Topic("opponents", OpponentList)
"""The connected bots that take challenges."""
STANDINGS: Final = _if_any("standings", StandingsView, StandingRows)
"""Some rows of a ladder's standings."""
PLACES: Final = Topic("places", BotPlaces)
"""A bot's places in all ladders, and what they rest on; by its name."""
BEST_RATINGS: Final = Topic("best_ratings", BestRatings, tuple[str, ...])
"""How strong some bots are; by their names."""
SUPERIORITY: Final = _if_any("superiority", SuperiorityView)
"""Which of a ladder's best is stronger than which; by the ladder's name."""
READINESS: Final = Topic("readiness", Readiness)
"""Whether the server can work, and the broker's state."""
IN_PLAY: Final = Topic("in_play", InPlay)
"""Whether a position is being played in a rated game; by its literal."""
LOG: Final = _if_any("log", LogView)
"""The operator's log, where it is public."""
ORDER: Final = Topic("order", EventOrderAnswer, GivenOrder, is_order=True)
"""An order for an event, by the token of someone with a role in it."""
METRICS: Final = Topic("metrics", MetricsText)
"""The game server's metrics."""

FOLLOW: Final = "follow"
UNFOLLOW: Final = "unfollow"
ASKED: Final = {FOLLOW: str, UNFOLLOW: str, **{each.name: each.subject for each in TOPICS.values()}}
"""What the web tells and asks on the feed: a game to follow, and the subject of a topic."""
LONGEST_QUESTION: Final = 64 * 1024
ABOUT: Final = "about"
EVENT: Final = "event"


class FollowedEvent(NamedTuple):
    """An event of a game that the web follows, as the feed carries it."""

    game: str
    ply: int
    message: Raw


TOLD: Final = {ABOUT: ServerView, EVENT: FollowedEvent}
LONGEST_ANSWER: Final = 64 * 1024 * 1024
"""Ample for the standings of 100,000 bots."""


class WebHandover(Handover, frozen=True):
    """What the game server gives its web process, with a socket that listens."""

    config: Config


class UnavailableError(Exception):
    """The game server does not answer; the message says how long to wait for it."""


class LiveState(Protocol):
    """The state of a running server, as API schemas; it also takes orders for events.

    The read model answers in the game server's own process, the feed's client in one of the web.

    :meth:`about` and :meth:`ask` raise :class:`UnavailableError` when the game server does not
    answer.
    """

    def is_alive(self) -> bool:
        """Return whether the game server was heard of a moment ago."""

    def about(self) -> ServerView:
        """Return the server's name, version and address."""

    def follow(self, game: str, receive: Receive) -> Callable[[], None]:
        """Call ``receive`` with each move of a game and its end; return what ends that."""

    async def ask(self, topic: Topic[A], subject: Hashable = "") -> A:
        """Return the answer to a topic, about one game, bot or ladder where it needs one."""

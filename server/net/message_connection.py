"""What a seat knows of its connection: whole messages, from a socket here or in a front."""

from abc import abstractmethod
from collections.abc import Callable, Iterable
from typing import Any

from .arrivals.arrival import Arrival
from .limits import costs as prices
from .metered import MeteredConnection


class MessageConnection(MeteredConnection[bytes]):
    """A connection of websocket messages, in this process or in a front.

    Attributes:
        is_excused: whether it was lost by no fault of its peer.
    """

    PRICE = prices.HANDSHAKE

    def __init__(self, *args: Any, **options: Any) -> None:  # noqa: ANN401  # as any connection's
        super().__init__(*args, **options)
        self.is_open = False
        self.is_excused = False

    @property
    @abstractmethod
    def lag_s(self) -> float:
        """The smallest of its last round trips, in seconds."""

    @property
    @abstractmethod
    def fault(self) -> str | None:
        """What was unreadable, once that has ended the connection."""

    @property
    def is_held_up(self) -> bool:
        """Whether another process reads it, whose event loop is late."""
        return False

    def read_at(self, now: float) -> Arrival:
        """Return when the message that is being passed on was read."""
        return Arrival(now, now)

    @abstractmethod
    def send(self, message: bytes) -> None:
        """Let a message wait for the next :meth:`flush`; the connection must be open."""

    @abstractmethod
    def send_frames(self, frames: bytes) -> None:
        """Let frames wait for the next :meth:`flush`; the connection must be open."""

    @abstractmethod
    def flush(self) -> None:
        """Write what waits."""

    def write(self, lines: Iterable[str]) -> None:
        if self.is_open:
            for line in lines:
                self.send(line.encode())
            self.flush()

    @abstractmethod
    def measure_lag(self, *, plays: bool) -> None:
        """Measure the lag more often from now on if the peer plays, else rarely."""

    def hear_out(self, done: Callable[[], None]) -> None:
        """Call back once all has been heard that had arrived by now."""
        done()

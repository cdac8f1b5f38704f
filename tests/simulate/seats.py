"""Which bots are connected to a server, for those who check what it does."""

from typing import Protocol


class Seats(Protocol):
    """Which bots are connected, as the server has noticed it."""

    @property
    def names(self) -> frozenset[str]:
        """The names of the bots that were welcomed by the present server."""

    def present_since(self, name: str) -> float | None:
        """Return when a bot's present connection was welcomed; None while it is away."""

    def away_since(self, name: str) -> float:
        """Return when the server noticed that a bot is away, or when the server was started."""

    def utc(self) -> str:
        """Return the time of day."""

    def knows(self, name: str, game: str) -> bool:
        """Return whether a bot's present connection was shown a game."""

    @property
    def calm_since(self) -> float:
        """When the server was last too late to begin a game."""

    @property
    def last_stall(self) -> tuple[float, float]:
        """When the server's loop was last held up, from when to when."""

"""What holds by the operator's orders: as the trail says, line by line, and as the tables say.

An order and its line of the trail are one transaction. So both must say the same whenever a server
was killed, and whatever it was doing.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple, TypeVar

from mancala.protocol import codec

T = TypeVar("T")
Rows = Callable[[str], Sequence[tuple[Any, ...]]]
"""Returns what a query finds in a store."""

TRAIL: Final = "SELECT action, what FROM admin_log ORDER BY number"
ANNULLED: Final = "SELECT id FROM games WHERE annulled_at IS NOT NULL"
BANNED: Final = "SELECT kind, key FROM bans"
SET: Final = "SELECT kind, subject FROM switches"
OF_A_LADDER: Final = frozenset({"paused", "closed"})
OF_THE_SERVER: Final = frozenset({"notice", "drained"})
SEASON: Final = "season"
REPLAY: Final = "replay"
MOVES: Final = frozenset({"rename", "merge"})


class Holding(NamedTuple):
    """What holds.

    Attributes:
        annulled: the games that do not count.
        banned: kind and key of each ban, such as ``name eve``.
        switched: what is switched on: what, and the ladder; empty for the whole server.
    """

    annulled: frozenset[str]
    banned: frozenset[str]
    switched: frozenset[tuple[str, str]]


class _Trail:
    """Replays the trail."""

    def __init__(self) -> None:
        self.annulled: set[str] = set()
        self.banned: set[str] = set()
        self.switched: set[tuple[str, str]] = set()

    def replay(self, change: dict[str, str | None]) -> None:
        what, subject = str(change["what"]), str(change["subject"])
        match what, change["after"]:
            case "game", "annulled":
                self.annulled.add(subject)
            case "game", "counts":
                self.annulled.discard(subject)
            case "ban", after:
                _set(self.banned, _folded(subject), is_on=after is not None)
            case "season", _:
                self._switch(what, subject, is_on=change["before"] is None)
            case "held", after:
                self._switch(what, subject, is_on=after is not None)
            case _, after if what in OF_A_LADDER | OF_THE_SERVER:
                self._switch(what, subject if what in OF_A_LADDER else "", is_on=after is not None)

    def _switch(self, what: str, subject: str, *, is_on: bool) -> None:
        _set(self.switched, (what, subject), is_on=is_on)

    def move(self, old: str, new: str) -> None:
        """Keep out a bot under its other name, too, once it has one."""
        if f"name {old.lower()}" in self.banned:
            self.banned.add(f"name {new.lower()}")


def _set(those: set[T], one: T, *, is_on: bool) -> None:
    (those.add if is_on else those.discard)(one)


def _folded(key: str) -> str:
    return key.lower() if key.startswith("name ") else key


def told(rows: Rows) -> Holding:
    trail = _Trail()
    for action, what in _lines(rows):
        for change in what["changed"]:
            if change["what"] != "ban" or action not in MOVES:
                trail.replay(change)
        if action in MOVES:
            given = what["arguments"]
            trail.move(given["bot"], given["new" if action == "rename" else "into"])
    return Holding(frozenset(trail.annulled), frozenset(trail.banned), frozenset(trail.switched))


def kept(rows: Rows) -> Holding:
    return Holding(
        frozenset(str(game) for [game] in rows(ANNULLED)),
        frozenset(f"{kind} {key}" for kind, key in rows(BANNED)),
        frozenset((str(kind), str(subject)) for kind, subject in rows(SET) if kind != REPLAY),
    )


def replays_ordered(rows: Rows) -> frozenset[str]:
    return frozenset(what["match"] for action, what in _lines(rows) if action == REPLAY)


def replays_owed(rows: Rows) -> frozenset[str]:
    return frozenset(str(subject) for kind, subject in rows(SET) if kind == REPLAY)


def former_names(rows: Rows) -> frozenset[str]:
    return frozenset(what["arguments"]["bot"] for action, what in _lines(rows) if action in MOVES)


def _lines(rows: Rows) -> Iterator[tuple[str, dict[str, Any]]]:
    return ((action, codec.from_json(what, dict[str, Any])) for action, what in rows(TRAIL))

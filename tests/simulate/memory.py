"""How much a server keeps in memory: everything that its rooms hold, counted."""

import gc
import sys
from collections import Counter, deque
from collections.abc import Iterable
from functools import partial
from types import FunctionType, MethodType, ModuleType
from typing import Any, Final, NamedTuple
from weakref import ref

from msgspec import Raw

from mancala.protocol.messages import Assessment
from mancala.protocol.session import Session
from mancala.server.contest.live.state import ContestState
from mancala.server.control.actions import Action
from mancala.server.model.contests import EntrantRow
from mancala.server.model.review.reviews import ReviewableGame
from mancala.server.net.seat import Seat
from mancala.server.reviews.queue import ReviewQueue
from tests.simulate.promises import Promise, broken

ROOMS: Final = ("mancala.server.", "mancala.protocol.")
SIZED: Final = (dict, list, tuple, set, frozenset, deque)
LOOKED_INTO: Final = (*SIZED, Seat, partial, MethodType, FunctionType)
"""What is looked into besides objects of the rooms."""
BOUNDED: Final = (
    *(ReviewQueue, Session, ReviewableGame, Assessment, ContestState, EntrantRow),
    Action,
)
"""What has a bound of its own: 256 games, 1,024 games, what reviewers have in hand, an event, the
orders that there are, whose table is reached while one is carried out."""

RAW_BYTES: Final = Raw.__basicsize__
"""What one takes beside the bytes it shows; Python is given an address in place of its size."""


class Bound(NamedTuple):
    """How many entries a server may keep: about twice of what it does.

    Attributes:
        each: for each bot that was there, or version of one that a ladder knows.
    """

    base: int
    each: int


AT_WORK: Final = Bound(500, 180)
"""Timers of ladders and events count, too: each is an object, with the functions that it calls.
So does the budget of an address, by its network and what it may spend."""
IDLE: Final = Bound(350, 110)
"""While no game is played."""
AT_REST: Final = Bound(320, 45)
"""Once all have left, only what is known of their versions in the ladders, of twenty pairs too, and
the ladders' timers, which are objects though none is set."""


def check_size(root: object, bots: int, bound: Bound) -> None:
    """Compare the size of a server with a bound that does not depend on how much was played."""
    found, most = size(root), bound.base + bound.each * bots
    if found > most:
        broken(Promise.BOUNDED, f"{found} entries; {bots} bots need {most} at most")


def check_seats(root: object, connections: int) -> None:
    """Compare the connections that a server holds with those that are open, while it is idle."""
    found = sum(isinstance(each, Seat) for each in _reached(root))
    if found > connections:
        broken(Promise.BOUNDED, f"{found} connections are kept, and {connections} open")


def size(root: object) -> int:
    """Return how many entries all the containers have that something holds, directly or not.

    Objects of the server and of the protocol count one each, and are looked into.
    """
    return sum(len(each) if isinstance(each, SIZED) else 1 for each in _reached(root))


def held() -> Counter[str]:
    """Return how many bytes all objects take that Python holds, by the names of their types.

    A msgspec Raw counts with what it shows, which only it may hold, once for each that shows it.
    References to what is gone are left out, as sqlite3 keeps up to 200 of them for a connection.
    """
    gc.collect()
    waiting = gc.get_objects()
    seen = {id(each) for each in waiting}
    taken: Counter[str] = Counter()
    while waiting:
        each = waiting.pop()
        if type(each) is not ref or each() is not None:
            taken[type(each).__qualname__] += _size(each)
        for other in gc.get_referents(each):
            if id(other) not in seen:
                seen.add(id(other))
                waiting.append(other)
    return taken


def _size(one: object) -> int:
    return RAW_BYTES + len(memoryview(one)) if type(one) is Raw else sys.getsizeof(one)


def _reached(root: object) -> Iterable[object]:
    seen: dict[int, object] = {}
    counted: dict[type, bool] = {}
    waiting = [root]
    while waiting:
        found = waiting.pop()
        kind = type(found)
        if kind not in counted:
            counted[kind] = _is_counted(kind)
        if counted[kind] and id(found) not in seen:
            seen[id(found)] = found
            waiting += _referents(found)
    return seen.values()


def _is_counted(kind: type) -> bool:
    if issubclass(kind, (type, ModuleType, *BOUNDED)):
        return False
    return kind.__module__.startswith(ROOMS) or issubclass(kind, LOOKED_INTO)


def _referents(found: object) -> list[Any]:
    """Return what an object holds; of a function only what it has enclosed, not its module."""
    if isinstance(found, FunctionType):
        return [cell.cell_contents for cell in found.__closure__ or () if _is_filled(cell)]
    return gc.get_referents(found)


def _is_filled(cell: Any) -> bool:  # noqa: ANN401  # the type of cells has no name
    try:
        _ = cell.cell_contents
    except ValueError:
        return False
    return True

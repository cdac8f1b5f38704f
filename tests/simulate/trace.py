"""What happened in a run: a log in virtual time, and how often each kind of thing happened."""

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from tests.simulate.input_space import InputSpace


class RareEvent(StrEnum):
    """A fault, or a branch that is rarely taken; a long campaign must see every one."""

    KILL = "the server was killed"
    KILL_BEFORE_COMMIT = "the server was killed with work before its commit"
    KILL_BEFORE_ANNOUNCEMENT = "the server was killed between a commit and its announcement"
    HOST_CUT = "the server's machine was cut off"
    STORE_CUT = "the server was cut off from its database"
    BROKER_CUT = "the server was cut off from its broker"
    STORE_RESTART = "the database was restarted"
    COMMIT_UNSURE = "the answer to a commit was lost"
    TOGETHER = "two servers of one store began at the same moment"
    RESTART = "the server was stopped and started"
    RESTART_IN_PLAY = "the server was stopped and started with games under way"
    NIGHT = "the server was off for about a day"
    DROP = "a connection was lost"
    CRASH = "a bot's process was killed, and started again in time"
    HALF_OPEN = "a connection was lost, and the server learned it late"
    RESUME = "a session was resumed"
    REPLACED = "a connection was replaced by another of its bot"
    DUPLICATE = "an answer was sent twice"
    LATE = "an answer came about when its flag fell"
    BELATED = "only provisional answers came, about when the flag fell"
    SILENT = "a question was not answered"
    LIE = "an illegal move was sent"
    NONSENSE = "a message came out of place"
    DEPARTURE = "a bot left for good"
    ABSENCE = "a bot stayed away for longer than its seat is kept"
    RESIGNED = "a game was resigned"
    FLOOD = "many messages were sent at a time"
    DEAF = "a spectator asked for much and read nothing"
    STRANGER = "a stranger asked for the name of another"
    REVOKED = "a token was revoked"
    RESERVED = "a name was given to another bot"
    HOG = "a challenger asked for the longest match"
    PLACE_WANTED = "a challenge waited for a place of a house bot, and got it"
    REVIEW_FALSE = "a review was sent that contradicts the rules"
    REVIEW_LATE = "a review came late, or never"
    REVIEWED = "a game was reviewed"
    WATCHED = "a game was watched"
    OVERDRAWN = "a spectator had overdrawn its budget"
    REVIEWERS_IN_TURN = "two reviewers could have a game"
    FLAG = "a flag fell"
    FORCED = "a provisional move was played at the flag"
    STALL = "the server's loop was held up"
    POSTPONED = "a game had to wait for the server's loop"
    VOID = "a game was void, because no one can know whether an answer was in time"
    ABORTED = "a game ended that does not count"
    QUARANTINED = "a bot was refused for its quarantine"
    SUSPENDED = "games were suspended and resumed"
    OPERATED = "the operator gave an order"
    KILL_IN_ORDER = "the server was killed in the middle of an order"
    DISK_LOCKED = "another program had the store locked"
    DISK_FULL = "the disk was full"
    WORK_REFUSED = "the store refused a piece of work"
    BROKER_AWAY = "the broker could not be reached"
    BROKER_FROZEN = "the broker stopped answering"
    FRONT_KILLED = "a front was killed"
    FRONT_HUNG = "a front hung"
    PUBLISHER_KILLED = "the publisher's process was killed"
    PUBLISHER_HUNG = "the publisher's process hung"
    PAGE_LOST = "the page lost its feed"
    WEB_KILLED = "the web process was killed"
    WEB_HUNG = "the web process hung"
    ACK_LOST = "an acknowledgement of the broker was lost"
    REPEATED = "a payload reached the broker twice"
    OVER = "a game was finished"
    ORDERED = "an organiser stepped into an event"
    FILLED = "a bot filled an event that an odd number began"
    LATE_ENTRY = "a bot entered an event after its first round had begun"
    EXCUSED = "an organiser gave a half-point bye, or took it back"
    BY_HAND = "an organiser paired two by hand, or took it back"
    REINSTATED = "an organiser reinstated an entrant that had withdrawn"
    RULED = "an organiser set results by hand"
    REVEALED = "an organiser revealed a frozen round"
    EVENT_RESTORED = "the server was started while rounds of an event were played"
    EVENT_ABSENT = "a game of an event was forfeited by one that was absent"
    EVENT_OVER = "an event was played to its end"


NO_EVENT: Final = "no event"
CONSEQUENCES: Final = frozenset(
    {
        *(
            RareEvent.RESUME,
            RareEvent.REPLACED,
            RareEvent.FLAG,
            RareEvent.FORCED,
            RareEvent.POSTPONED,
            RareEvent.VOID,
            RareEvent.PLACE_WANTED,
        ),
        *(
            RareEvent.ABORTED,
            RareEvent.QUARANTINED,
            RareEvent.SUSPENDED,
            RareEvent.REPEATED,
            RareEvent.OVER,
        ),
        *(RareEvent.REVIEWED, RareEvent.WATCHED),
        *(RareEvent.OVERDRAWN, RareEvent.REVIEWERS_IN_TURN),
        *(RareEvent.FILLED, RareEvent.LATE_ENTRY, RareEvent.EXCUSED),
        *(RareEvent.BY_HAND, RareEvent.REINSTATED, RareEvent.RULED, RareEvent.REVEALED),
        *(RareEvent.EVENT_RESTORED, RareEvent.EVENT_ABSENT),
        RareEvent.EVENT_OVER,
    }
)
"""Events that follow from faults, or from none."""


@dataclass(slots=True)
class Trace:
    """The log and the counters of one run.

    Attributes:
        lines: the log; empty unless it is kept.
        alarms: what the server logged that it never should in a world whose store works.
        state: returns where the world's event stands.
    """

    rng: random.Random
    now: Callable[[], float]
    is_kept: bool = False
    lines: list[str] = field(default_factory=list)
    counts: Counter[RareEvent] = field(default_factory=Counter)
    alarms: list[str] = field(default_factory=list)
    inputs: InputSpace = field(default_factory=InputSpace)
    state: Callable[[], str] = lambda: NO_EVENT
    _numbers: int = 0

    def new_number(self) -> int:
        self._numbers += 1
        return self._numbers

    def tell(self, who: str, what: str) -> None:
        if self.is_kept:
            self.lines.append(f"{self.now():10.3f}  {who:<10} {what}")

    def count(self, event: RareEvent, who: str = "world") -> None:
        self.counts[event] += 1
        self.inputs.happened(event, self.state())
        self.tell(who, event)

    def happens(self, probability: float) -> bool:
        return self.rng.random() < probability


ALARMS: Final = frozenset({"match given up", "the store refused", "housekeeping failed"})


class PlainLog:
    """The server's log, as lines of the trace."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace

    def debug(self, event: str, **facts: object) -> None:
        self.info(event, **facts)

    def info(self, event: str, **facts: object) -> None:
        self._trace.tell("server", _line(event, facts))

    def warning(self, event: str, **facts: object) -> None:
        self._trace.tell("server", f"! {_line(event, facts)}")
        if event in ALARMS:
            self._trace.alarms.append(_line(event, facts))


def _line(event: str, facts: dict[str, object]) -> str:
    return " ".join([event, *(f"{name}={value}" for name, value in facts.items())])

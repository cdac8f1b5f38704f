"""One message of each type, for tests that care only for the type and the game."""

from collections.abc import Mapping
from typing import Any, Final

from msgspec import structs

from mancala.protocol.clock import ClockState, TimeControl
from mancala.protocol.messages import (
    VERSION,
    Accept,
    Challenge,
    Challenged,
    Decline,
    Enter,
    Entered,
    Error,
    ErrorCode,
    GameOver,
    GameStart,
    Goodbye,
    Hello,
    Join,
    Joined,
    Leave,
    Left,
    Limits,
    List,
    Listable,
    Listing,
    MatchOrigin,
    MatchOver,
    Message,
    Move,
    Moved,
    NextMatch,
    Notice,
    OfferReviews,
    Opponent,
    Reason,
    Resign,
    Review,
    ReviewWanted,
    Schedule,
    Scheduled,
    Seek,
    Seeking,
    Turn,
    Unseek,
    Unwatch,
    Watch,
    Welcome,
    Withdraw,
    Withdrawn,
)
from mancala.protocol.rules import KALAH, Board

GAME: Final = "g1"
CLOCK: Final = TimeControl()
CLOCKS: Final = ClockState(None, (930, 930))
STATE: Final = Board.start().state

_ALL: Final[tuple[Message, ...]] = (
    Hello(VERSION, "ada"),
    Seek(),
    Unseek(),
    Join("main"),
    Leave("main"),
    Enter("final"),
    Withdraw("final"),
    Challenge("bob"),
    Accept("c1"),
    Decline("c1"),
    Move(GAME, 0, 2),
    Resign(GAME),
    Resign(GAME, "the budget is spent"),
    Watch(GAME),
    Unwatch(),
    List(Listable.BOTS),
    Schedule("bob"),
    OfferReviews(1),
    Review(GAME, ()),
    Welcome(VERSION, "arena", "s3cret", resumed=False, limits=Limits(16384, 1000, 30.0)),
    Seeking(KALAH, CLOCK, rated=True, games=2),
    Joined("main", KALAH, CLOCK, games=2, matches=3),
    Left("main"),
    Entered("final", KALAH, CLOCK, games=2, starts="2026-12-01T19:00:00Z"),
    Withdrawn("final", "the event is finished"),
    Challenged("c1", "ada", "bob", KALAH, CLOCK, rated=True, games=2),
    GameStart(GAME, "m1", 0, KALAH, CLOCK, Opponent("bob"), STATE, (), CLOCKS, ("ada", "bob")),
    Turn(GAME, 0, STATE, (0, 1, 2, 3, 4, 5), CLOCKS, 1000),
    Moved(GAME, 0, 0, 2, 0, again=True, state=STATE, clock=CLOCKS, elapsed_ms=8, lag_ms=1),
    GameOver(GAME, 0, (25, 23), Reason.NORMAL),
    MatchOver("m1", {"ada": 1.5, "bob": 0.5}),
    Listing(Listable.BOTS),
    Scheduled("bob", (NextMatch(MatchOrigin.LADDER, "main", waits_for="another bot"),)),
    ReviewWanted(GAME, KALAH, STATE, (2,)),
    Notice("maintenance at nine", until="2026-01-02T21:00:00Z"),
    Error(ErrorCode.INVALID, "no", fatal=False),
    Goodbye(),
)
SAMPLES: Final[dict[type[Message], Message]] = {type(message): message for message in _ALL}
_WORDS: Final[Mapping[str, object]] = {
    "challenge": "c1",
    "event": "final",
    "game": "g1",
    "ladder": "main",
    "name": "ann",
    "opponent": "bob",
    "pit": 0,
    "ply": 0,
    "protocol": VERSION,
    "submission": "s1",
    "text": "{}",
    "version": 1,
    "what": "bots",
}
"""What the fields hold that a message of a client must have."""


def smallest(kind: type[Message]) -> dict[str, Any]:
    """Return a message of a client with the fields that it must have, as JSON has it."""
    words = {field.name: _WORDS[field.name] for field in structs.fields(kind) if field.required}
    return {"type": kind.__struct_config__.tag, **words}

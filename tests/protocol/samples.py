"""One message of each type, for tests that care only for the type and the game."""

from __future__ import annotations

from typing import Final

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
    MatchOver,
    Message,
    Move,
    Moved,
    Notice,
    OfferReviews,
    Opponent,
    Reason,
    Resign,
    Review,
    ReviewWanted,
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
    ReviewWanted(GAME, KALAH, STATE, (2,)),
    Notice("maintenance at nine", until="2026-01-02T21:00:00Z"),
    Error(ErrorCode.INVALID, "no", fatal=False),
    Goodbye(),
)
SAMPLES: Final[dict[type[Message], Message]] = {type(message): message for message in _ALL}

"""One message of each type, for tests that care only for the type and the game."""

from collections.abc import Mapping
from typing import Any, Final

from msgspec import structs

from mancala.protocol import messages as wire
from mancala.protocol.clock import ClockState, TimeControl
from mancala.protocol.rules import KALAH, Board

GAME: Final = "g1"
CLOCK: Final = TimeControl()
CLOCKS: Final = ClockState(None, (930, 930))
STATE: Final = Board.start().state

_ALL: Final[tuple[wire.Message, ...]] = (
    wire.Hello(wire.VERSION, "ada"),
    wire.Seek(),
    wire.Unseek(),
    wire.Join("main"),
    wire.Leave("main"),
    wire.Enter("final"),
    wire.Withdraw("final"),
    wire.Challenge("bob"),
    wire.Accept("c1"),
    wire.Decline("c1"),
    wire.Move(GAME, 0, 2),
    wire.Resign(GAME),
    wire.Resign(GAME, "the budget is spent"),
    wire.Watch(GAME),
    wire.Unwatch(),
    wire.List(wire.Listable.BOTS),
    wire.Schedule("bob"),
    wire.OfferReviews(1),
    wire.Review(GAME, ()),
    wire.Welcome(
        wire.VERSION, "arena", "s3cret", resumed=False, limits=wire.Limits(16384, 1000, 30.0)
    ),
    wire.Seeking(KALAH, CLOCK, rated=True, games=2),
    wire.Joined("main", KALAH, CLOCK, games=2, matches=3),
    wire.Left("main"),
    wire.Entered("final", KALAH, CLOCK, games=2, starts="2026-12-01T19:00:00Z"),
    wire.Withdrawn("final", "the event is finished"),
    wire.Challenged("c1", "ada", "bob", KALAH, CLOCK, rated=True, games=2),
    wire.GameStart(
        GAME, "m1", 0, KALAH, CLOCK, wire.Opponent("bob"), STATE, (), CLOCKS, ("ada", "bob")
    ),
    wire.Turn(GAME, 0, STATE, (0, 1, 2, 3, 4, 5), CLOCKS, 1000),
    wire.Moved(GAME, 0, 0, 2, 0, again=True, state=STATE, clock=CLOCKS, elapsed_ms=8, lag_ms=1),
    wire.GameOver(GAME, 0, (25, 23), wire.Reason.NORMAL),
    wire.MatchOver("m1", {"ada": 1.5, "bob": 0.5}),
    wire.Listing(wire.Listable.BOTS),
    wire.Scheduled(
        "bob", (wire.NextMatch(wire.MatchOrigin.LADDER, "main", waits_for="another bot"),)
    ),
    wire.ReviewWanted(GAME, KALAH, STATE, (2,)),
    wire.Notice("maintenance at nine", until="2026-01-02T21:00:00Z"),
    wire.Error(wire.ErrorCode.INVALID, "no", fatal=False),
    wire.Goodbye(),
)
SAMPLES: Final[dict[type[wire.Message], wire.Message]] = {
    type(message): message for message in _ALL
}
_WORDS: Final[Mapping[str, object]] = {
    "challenge": "c1",
    "event": "final",
    "game": "g1",
    "ladder": "main",
    "name": "ann",
    "opponent": "bob",
    "pit": 0,
    "ply": 0,
    "protocol": wire.VERSION,
    "submission": "s1",
    "text": "{}",
    "version": 1,
    "what": "bots",
}
"""What the fields hold that a message of a client must have."""


def smallest(kind: type[wire.Message]) -> dict[str, Any]:
    """Return a message of a client with the fields that it must have, as JSON has it."""
    words = {field.name: _WORDS[field.name] for field in structs.fields(kind) if field.required}
    return {"type": kind.__struct_config__.tag, **words}

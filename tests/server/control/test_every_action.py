"""Every action of the operator, as a dry run, done and taken back, on both databases.

Each is given to a running server, and on SQLite to the store of one that is stopped.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from mancala.protocol import codec
from mancala.server.app.operating import carry_out
from mancala.server.control.actions import ACTIONS
from mancala.server.control.wire import Request
from tests.patience import PATIENCE_S
from tests.server.control.operators import LADDER, laddered, played
from tests.server.peers import order, settings
from tests.server.store import databases

pytestmark = pytest.mark.usefixtures("database")

STATE: Final = (
    "SELECT kind, key, reason, until FROM bans ORDER BY kind, key",
    "SELECT kind, subject, text, until FROM switches ORDER BY kind, subject",
    "SELECT name, quarantined_until FROM entrants WHERE quarantined_until > '' ORDER BY name",
    "SELECT * FROM duels ORDER BY south, north",
    "SELECT id FROM games WHERE annulled_at IS NOT NULL ORDER BY id",
    "SELECT id, first, second, ladder FROM matches ORDER BY id",
)
"""What orders change, besides the trail and what is announced."""


class Done(NamedTuple):
    """An action with its arguments."""

    action: str
    arguments: dict[str, Any]
    first: tuple[tuple[str, dict[str, Any]], ...] = ()


MAIN: Final = {"ladder": "main"}
BAN: Final = {"name": "eve", "reason": "by hand"}
ANN: Final = {"ladder": "main", "bot": "ann"}
DONE: Final = (
    Done("ban", BAN),
    Done("ban", {"address": "192.0.2.0/24"}),
    Done("ban", {"name": "eve", "for_s": 3600.0}, (("ban", BAN),)),
    Done("unban", {"name": "eve"}, (("ban", BAN),)),
    Done("notice", {"text": "Soon."}),
    Done("notice", {}, (("notice", {"text": "Soon."}),)),
    Done("pause", MAIN),
    Done("resume", MAIN, (("pause", MAIN),)),
    Done("close", MAIN),
    Done("open", MAIN, (("close", MAIN),)),
    Done("drain", {}),
    Done("undrain", {}, (("drain", {}),)),
    Done("quarantine", {**ANN, "reason": "crashes"}),
    Done("release", ANN, (("quarantine", ANN),)),
    Done("annul", {"bot": "ann"}),
    Done("annul", {"bot": "ann", "other": "bob", "since": "2000-01-01T00:00:00Z"}),
    Done("replay", {"game": "GAME"}),
    Done("rename", {"bot": "ann", "new": "ada"}),
    Done("merge", {"bot": "cid", "into": "ann"}),
    Done("season", MAIN, (("pause", MAIN),)),
    Done("hold", {"action": "drain", "arguments": {}}),
    Done("drop", {"id": "HELD"}, (("hold", {"action": "drain", "arguments": {}}),)),
    Done("backup", {"target": "copy.sqlite3", "size": 1}),
)
ELSEWHERE: Final = {"abort", "confirm", "recompute", "reload", "undo"}
"""What needs a game under way, an order, a fault, new settings or a line has tests of its own."""
COUNTED: Final = {"annul", "replay", "rename", "merge", "season"}
"""What changes tables that are counted from the games."""
STOPPED: Final = ("ban", "pause", "quarantine", "drop", "rename", "season", "annul", "merge")
"""What is done on the store of a stopped server; the others use the same code."""
BACK: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "ban": ("unban", {"name": "eve"}),
    "notice": ("notice", {}),
    "pause": ("resume", MAIN),
    "close": ("open", MAIN),
    "drain": ("undrain", {}),
    "quarantine": ("release", ANN),
    "hold": ("drop", {"id": "HELD"}),
}
"""What ends the state that an action makes."""


def test_no_action_is_left_out() -> None:
    """Besides those that only ask, and those of events."""
    acting = {name for name, each in ACTIONS.items() if each.command[0] == "admin"}
    acting -= {name for name, each in ACTIONS.items() if each.asks}
    assert {each.action for each in DONE} | ELSEWHERE == acting


def test_an_order_stays_as_it_was_given() -> None:
    """What was checked is what is done."""
    declared = {name: each.arguments.__struct_config__ for name, each in ACTIONS.items()}
    assert [name for name, each in declared.items() if not each.frozen] == []


class _Hand:
    """Gives orders to a server, or to its store where none runs."""

    def __init__(self, folder: Path) -> None:
        self.config = settings(folder, ladder=LADDER)
        self.place = databases.place_of(folder)
        self.server: Any = None

    async def give(self, action: str, /, *, dry_run: bool = False, **arguments: Any) -> Any:  # noqa: ANN401  # JSON
        if self.server is not None:
            return await order(self.server, action, dry_run=dry_run, **arguments)
        found = await carry_out(self.config, Request(action, arguments, dry_run), "root")
        return codec.from_json(codec.to_json(found), dict[str, Any])

    def state(self) -> list[list[tuple[Any, ...]]]:
        return [databases.rows(self.place, query) for query in STATE]


@pytest.mark.parametrize(
    ("database", "is_running"),
    [("sqlite", True), ("sqlite", False), ("postgresql", True)],
    indirect=["database"],
    ids=["running", "stopped", "postgresql-running"],
)
async def test_each_action_is_tried_done_and_taken_back(
    tmp_path: Path, *, is_running: bool
) -> None:
    """A dry run changes nothing and says what is changed then; undo restores the state."""
    hand = _Hand(tmp_path)
    async with laddered(tmp_path, grace_s=PATIENCE_S) as running:  # sessions stay to be ended
        for pair in (("ann", "bob"), ("cid", "dan")):
            await played(running, *pair)
            for peer in running.peers:
                await peer.hang_up()
            running.peers.clear()
        if is_running:
            hand.server = running.server
            await _walk(hand, DONE)
    if not is_running:
        await _walk(hand, [each for each in DONE[::-1] if each.action in STOPPED])


async def _walk(hand: _Hand, wanted: Iterable[Done]) -> None:
    for done in sorted(wanted, key=lambda each: not ACTIONS[each.action].back):
        for action, given in done.first:
            await hand.give(action, **given)
        given = _filled_in(hand, done.arguments)
        before, number = hand.state(), _latest(hand)
        dry = await hand.give(done.action, dry_run=True, **given)
        assert (hand.state(), _latest(hand)) == (before, number), done
        result = await hand.give(done.action, **given)
        assert len(result["changed"]) == len(dry["changed"]) > 0, done
        assert _latest(hand) == number + 1
        if done.action in COUNTED:
            assert (await hand.give("check"))["equal"], done
        if ACTIONS[done.action].back:
            await hand.give("undo", number=number + 1)
            assert hand.state() == before, done
        for action, _ in done.first:
            back, given = BACK[action]
            await hand.give(back, **_filled_in(hand, given))
    assert (await hand.give("check"))["equal"]


def _filled_in(hand: _Hand, given: dict[str, Any]) -> dict[str, Any]:
    [(game,), *_] = databases.rows(hand.place, "SELECT id FROM games ORDER BY seq")
    held = databases.rows(hand.place, "SELECT subject FROM switches WHERE kind = 'held'")
    ids = {"GAME": game, "HELD": next((key for [key] in held), "")}
    return {name: ids.get(str(value), value) for name, value in given.items()}


def _latest(hand: _Hand) -> int:
    """Return the number of the latest line of the log; 0 if there is none."""
    [[number]] = databases.rows(hand.place, "SELECT coalesce(max(number), 0) FROM admin_log")
    return int(number)

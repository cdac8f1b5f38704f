"""What an organiser orders by hand, compared with what is stored."""

import random
from typing import Any

import pytest

from mancala.server.contest.live.state import ARBITER
from mancala.server.control.wire import Change, Request
from mancala.server.model.contests import EventGameRow, PairingRow
from tests.simulate.hand_watch import HandWatch
from tests.simulate.promises import BrokenPromiseError, Promise
from tests.simulate.test_ladder_watch import ConnectedBots
from tests.simulate.trace import Trace

MEET = {"event": "cup", "bot": "ann", "opponent": "bob", "round": 2}


def watch() -> HandWatch:
    return HandWatch(Trace(random.Random(1), lambda: 100.0), ConnectedBots())


def order(hands: HandWatch, place: int, action: str, given: dict[str, Any], *games: int) -> None:
    request = Request(action, given, why=f"by hand {place}")
    hands.asked(request)
    changed = tuple(Change("game", str(number), None) for number in games)
    hands.answered(request, {"changed": changed}, 1)


def ruled(winner: int | None, why: str) -> EventGameRow:
    return EventGameRow(0, "ann", "bob", winner, 0, ARBITER, None, 0, note=why)


def test_a_result_stands_as_it_was_set_last() -> None:
    """A later order may be in force though its answer was lost; no other result may."""
    hands = watch()
    won = {"event": "cup", "bot": "bob", "result": "win"}
    order(hands, 1, "event-result", won, 0)
    hands.check((), [ruled(1, "by hand 1")], is_spoilt=False)
    hands.asked(Request("event-result", won | {"result": "draw"}, why="by hand 2"))
    hands.check((), [ruled(None, "by hand 2")], is_spoilt=False)
    played = EventGameRow(0, "ann", "bob", 1, 3, "normal", "g", 0)
    for wrong in (ruled(0, "by hand 1"), ruled(1, "by hand 2"), ruled(1, ""), played):
        with pytest.raises(BrokenPromiseError, match=Promise.RULED):
            hands.check((), [wrong], is_spoilt=False)
    hands.replayed([0])
    hands.check((), [played], is_spoilt=False)


def test_two_meet_as_ordered_if_both_are_paired() -> None:
    """The first moves first; what was taken back binds no one."""
    hands = watch()
    order(hands, 1, "event-pair", MEET | {"take_back": False})
    met, away = PairingRow(2, 0, "ann", "bob", ""), PairingRow(2, 0, "bob", None, "")
    for right in ([met], [away]):
        hands.check(right, (), is_spoilt=False)
    wrong = [PairingRow(2, 0, "bob", "ann", "")]
    with pytest.raises(BrokenPromiseError, match=Promise.MET_BY_ORDER):
        hands.check(wrong, (), is_spoilt=False)
    hands.asked(Request("event-pair", MEET | {"take_back": True}, why="by hand 2"))
    hands.check(wrong, (), is_spoilt=False)
    later = [Request("event-pair", MEET | {"take_back": it}, why="by hand 3") for it in (0, 1)]
    for request in later:
        hands.asked(request)
    for request in later:
        hands.answered(request, {}, 1)
    hands.check(wrong, (), is_spoilt=False)

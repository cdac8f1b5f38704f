"""The organiser's orders to events, by forms of the status page that need no script.

A form asks for what ``mancala event`` asks for, and the order goes the same way: one gate refuses
it or carries it out, and the trail names who asked. A form carries the page's token, which no page
of another site can read.
"""

from __future__ import annotations

import hmac
import re
import tomllib
from collections.abc import Awaitable, Callable, Iterable
from html import escape
from typing import Any, Final, NamedTuple
from urllib.parse import parse_qs

from ...contest.events.lifecycle import EventState
from ...contest.events.plan import Format
from ...model.schemas.morning import EventOrdersView

ORDER: Final = "/status/order"
MOST_FIELDS: Final = 10
TOKEN: Final = "token"  # noqa: S105  # the field's name
STEPS: Final = {
    "open": "Open",
    "check-in": "Begin the check-in",
    "start": "Start",
    "pause": "Pause",
    "resume": "Resume",
    "publish": "Publish",
}
"""Orders that name an event alone, and the words of their buttons."""
FOR_GOOD: Final = {"cancel": "Cancel the event"}
"""Those that nothing takes back, which ask for a tick."""
OF_A_BOT: Final = {"withdraw": "Withdraw", "forfeit": "Forfeit its round", "replay": "Replay"}
OF_A_ROUND: Final = {"bye": "Half-point bye"}
OF_A_GAME: Final = {"annul": "Play again"}
NEW: Final = "new"
QUIET: Final = (EventState.DRAFT, EventState.FINISHED)
"""The states whose forms are folded: an organiser in the morning looks for what goes on."""
NO_DEFAULT: Final = "<button hidden disabled></button>"
"""So that the key Enter in a field presses no button."""
EXAMPLE: Final = """name = "friday"
format = "swiss"
rounds = 5
games = 2
clock = {move_ms = 500}
enter = "open"
"""


class PageOrder(NamedTuple):
    """What a form asks for.

    Attributes:
        action: the operator's action.
        arguments: its arguments, by name.
        why: the reason, for the trail.
        by: who asks.
    """

    action: str
    arguments: dict[str, Any]
    why: str
    by: str


class OrderRefusedError(Exception):
    """An order can't be carried out; the message is one sentence."""


Obey = Callable[[PageOrder], Awaitable[str]]
"""Carries an order out and returns what it changed; raises :class:`OrderRefusedError`."""


def order_in(body: bytes, token: str, by: str) -> PageOrder:
    """Return the order of a form.

    Args:
        body: the form, as browsers send it.
        token: what the page's own forms carry.
        by: who asks.

    Raises:
        OrderRefusedError: when it is no form of the page, or lacks what the order needs.
    """
    try:
        fields = parse_qs(body.decode(), max_num_fields=MOST_FIELDS, errors="strict")
    except ValueError as error:
        raise OrderRefusedError(f"no form of this page: {error}") from None
    given = {name: values[-1].strip() for name, values in fields.items()}
    if not hmac.compare_digest(given.get(TOKEN, "").encode(), token.encode()):
        raise OrderRefusedError("the page is older than the server's last start; load it again")
    order = given.get("order", "")
    return PageOrder(f"event-{order}", _arguments(order, given), given.get("why", ""), by)


def _arguments(order: str, given: dict[str, str]) -> dict[str, Any]:
    if order == NEW:
        try:
            return {"settings": tomllib.loads(given.get("settings", ""))}
        except tomllib.TOMLDecodeError as error:
            raise OrderRefusedError(f"the settings are no TOML: {error}") from None
    named = {"event": given.get("event", "")}
    if order in OF_A_BOT:
        return named | {"bot": given.get("bot", "")}
    if order in OF_A_ROUND:
        number = given.get("round", "")
        if re.fullmatch("[1-9][0-9]{0,2}", number) is None:
            raise OrderRefusedError(f"a round is a number from 1, not {number[:40]!r}")
        return named | {"bot": given.get("bot", ""), "round": int(number)}
    if order in OF_A_GAME:
        return named | {"game": given.get("game", "")}
    if order in STEPS or order in FOR_GOOD:
        return named
    raise OrderRefusedError(f"the page has no order {order[:40]!r}")


# The forms


def forms_of(events: Iterable[EventOrdersView], token: str) -> str:
    """Return a form for each event that is not over, and one for a new event."""
    hidden = _hidden(TOKEN, token)
    new = f"<details><summary>New event</summary>{_form(hidden + _new())}</details>"
    return f"<h2>Events</h2>{''.join(_event(each, hidden) for each in events)}{new}"


def _new() -> str:
    text = escape(EXAMPLE)
    return (
        "<label>Settings, as [[event]] has them"
        f'<textarea name="settings" rows="8" required>{text}</textarea></label>'
        f"{_why()}{_button(NEW, 'Make it')}"
    )


def _event(event: EventOrdersView, hidden: str) -> str:
    named = hidden + _hidden("event", event.name)
    steps = "".join(_button(step, STEPS[step]) for step in event.orders if step in STEPS)
    parts = [_form(f"{named}{_why()}{steps}")] if steps else []
    if event.bots:
        bots = "".join(f"<option>{escape(bot)}</option>" for bot in event.bots)
        chosen = f'<label>Bot<select name="bot">{bots}</select></label>'
        parts.append(_form(f"{named}{chosen}{_why()}{_buttons(OF_A_BOT)}"))
        if event.format == Format.SWISS:
            number = f'<label>Round<input name="round" size="3" value="{event.round + 1}"></label>'
            parts.append(_form(f"{named}{chosen}{number}{_why()}{_buttons(OF_A_ROUND)}"))
    if "cancel" in event.orders:
        sure = '<label>Sure<input type="checkbox" required></label>'
        parts.append(_form(f"{named}{sure}{_why()}{_buttons(FOR_GOOD)}"))
    if event.round:
        game = '<label>Game<input name="game" required></label>'
        parts.append(_form(f"{named}{game}{_why()}{_buttons(OF_A_GAME)}"))
    stands = escape(f"{event.name}: {event.format}, {event.state}")
    at = f", round {event.round}" if event.round else ""
    shown = "" if event.state in QUIET else " open"
    return f"<details{shown}><summary>{stands}{at}</summary>{''.join(parts)}</details>"


def _form(content: str) -> str:
    return f'<form method="post" action="{ORDER}">{NO_DEFAULT}{content}</form>'


def _hidden(name: str, value: str) -> str:
    return f'<input type="hidden" name="{name}" value="{escape(value)}">'


def _why() -> str:
    return '<label>Why<input name="why" maxlength="200"></label>'


def _buttons(orders: dict[str, str]) -> str:
    return "".join(_button(order, words) for order, words in orders.items())


def _button(order: str, words: str) -> str:
    return f'<button name="order" value="{order}">{words}</button>'

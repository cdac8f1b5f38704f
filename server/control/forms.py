"""The organiser's orders to events, by forms of the status page that need no script.

A form asks for what ``mancala event`` asks for, and the order goes the same way: one gate refuses
it or carries it out, and the trail names who asked. Each action with a button has one: its form
asks for the arguments that have no default. A form carries a token, which no page of another site
can read.
"""

import hmac
import re
from collections.abc import Callable, Iterable
from html import escape
from itertools import groupby
from typing import Final, Literal, get_args, get_origin, get_type_hints
from urllib.parse import parse_qs

from msgspec.structs import fields

from ..config.events import Format
from ..config.loading import document_of
from ..config.settings import ConfigError
from ..contest.events.lifecycle import EventState
from ..model.schemas.morning import EventOrdersView
from .actions import ACTIONS, Action
from .operator import Operator, RefusedError, Target
from .wire import Request

BUTTONS: Final = {each.command[1]: each for each in ACTIONS.values() if each.button}
"""The actions that have a button, by what it sends."""
MOST_FIELDS: Final = 10
TOKEN: Final = "token"  # noqa: S105  # the field's name
QUIET: Final = (EventState.DRAFT, EventState.FINISHED)
"""The states whose forms are folded: an organiser in the morning looks for what goes on."""
STEP: Final = ACTIONS["event-start"].plan
"""What plans the steps, of which an event's state allows some."""
NO_DEFAULT: Final = "<button hidden disabled></button>"
"""So that the key Enter in a field presses no button."""
OF_ROUND: Final = frozenset({"start", "reveal", "result", "replay", "forfeit"})
"""The orders that would mean another round once the event has moved on."""
EXAMPLE: Final = """name = "friday"
format = "swiss"
rounds = 5
games = 2
clock = {move_ms = 500}
enter = "open"
"""
SURE: Final = '<label>Sure<input type="checkbox" required></label>'


class OrderForms:
    def __init__(self, operator: Callable[[], Operator | None], token: str) -> None:
        """Prepare forms that carry a token; the operator may be there later, or never."""
        self._operator = operator
        self._token = token

    def html(self, events: Iterable[EventOrdersView], place: str) -> str:
        """Return forms for each event that is not over, and one for a new event, sent to a path."""
        begin = f'<form method="post" action="{place}">{NO_DEFAULT}{_hidden(TOKEN, self._token)}'
        shown = "".join(_event(each, begin) for each in events)
        new = _form(begin, [BUTTONS["new"]], None)
        return f"<h2>Events</h2>{shown}<details><summary>New event</summary>{new}</details>"

    async def obey(self, body: bytes, by: str) -> tuple[str, bool]:
        """Carry the order of a form out; return what is to be said, and whether it was refused."""
        operator = self._operator()
        if operator is None:
            return "Refused: this server has no operator; its program orders it", True
        try:
            request, expect = _request(body, self._token)
            found = await operator.carry_out(request, by, expect=expect)
        except RefusedError as error:
            return f"Refused: {error}", True
        return "; ".join(map(str, found["changed"])) or "nothing to change", False


def _request(body: bytes, token: str) -> tuple[Request, Callable[[Target], None]]:
    """Return the order of a form, and what refuses it once the event has moved on."""
    try:
        found = parse_qs(body.decode(), max_num_fields=MOST_FIELDS, errors="strict")
    except ValueError as error:
        raise RefusedError(f"no form of this page: {error}") from None
    given = {name: values[-1].strip() for name, values in found.items()}
    if not hmac.compare_digest(given.get(TOKEN, "").encode(), token.encode()):
        raise RefusedError("the page is older than the server's last start; load it again")
    order = given.get("order", "")
    if order not in BUTTONS:
        raise RefusedError(f"the page has no order {order[:40]!r}")
    action = BUTTONS[order]
    arguments = {
        name: _read(name, kind, given.get(name, "")) for name, kind in _asked(action).items()
    }
    seen = given.get("seen") if order in OF_ROUND else None

    def expect(target: Target) -> None:
        contest = target.sessions.contests.get(str(arguments["event"])) if seen else None
        if contest is not None and seen != _seen(
            contest.state.phase.round, contest.state.tabled_rounds(contest.settings)
        ):
            raise RefusedError(f"{contest.name} has moved on since the page was loaded; see below")

    return Request(action.name, arguments, why=given.get("why", "")), expect


def _seen(round_: int, shown: int) -> str:
    """Return what of an event a page shows that orders for a round go by."""
    return f"{round_} {shown}"


def _asked(action: Action) -> dict[str, object]:
    kinds = get_type_hints(action.arguments)
    return {each.name: kinds[each.name] for each in fields(action.arguments) if each.required}


def _read(name: str, kind: object, text: str) -> object:
    if kind is str or get_origin(kind) is Literal:
        return text
    if kind is int:
        if re.fullmatch("[1-9][0-9]{0,2}", text) is None:
            raise RefusedError(f"a {name} is a number from 1, not {text[:40]!r}")
        return int(text)
    try:
        return document_of(text)
    except ConfigError as error:
        raise RefusedError(f"the {name}: {error}") from None


# HTML


def _event(event: EventOrdersView, begin: str) -> str:
    offered = [action for order, action in BUTTONS.items() if _is_offered(order, action, event)]
    offered.sort(key=_form_of)
    forms = (_form(begin, [*each], event) for _, each in groupby(offered, _form_of))
    state = "round over" if event.state == EventState.CLOSED else event.state  # as the page has it
    stands = escape(f"{event.name}: {event.format}, {state}")
    at = f", round {event.round}" if event.round else ""
    shown = "" if event.state in QUIET else " open"
    return f"<details{shown}><summary>{stands}{at}</summary>{''.join(forms)}</details>"


def _form_of(action: Action) -> tuple[bool, int, list[str]]:
    asked = [*_asked(action)]
    return action.is_final, len(asked), asked


def _is_offered(order: str, action: Action, event: EventOrdersView) -> bool:
    """Return whether an event is in a state for an action, as far as a form can tell."""
    asked = _asked(action).keys()
    return (
        "event" in asked
        and ("bot" not in asked or bool(event.bots))
        and ("round" not in asked or event.format == Format.SWISS)
        and (asked.isdisjoint({"game", "result"}) or event.round > 0)
        and (order != "reveal" or event.round > event.shown)
        and (order not in {"edit", "delete"} or event.round == 0)
        and (action.plan != STEP or order in event.orders)
    )


def _form(begin: str, actions: list[Action], event: EventOrdersView | None) -> str:
    first = actions[0]
    asked = "".join(_field(name, kind, event) for name, kind in _asked(first).items())
    buttons = "".join(
        f'<button name="order" value="{each.command[1]}">{each.button}</button>' for each in actions
    )
    named = [] if event is None else [event.name]
    of = escape(", ".join([*named, *(each.button for each in actions)]))
    why = f'<label>Why<input name="why" maxlength="200" aria-label="Why: {of}"></label>'
    return f"{begin}{asked}{SURE if first.is_final else ''}{why}{buttons}</form>"


def _field(name: str, kind: object, event: EventOrdersView | None) -> str:
    if event is None or name == "settings":
        rows, text = (8, escape(EXAMPLE)) if event is None else (2, "")
        said = "Settings, as [[event]] has them" if event is None else "Settings that change"
        return (
            f"<label>{said}"
            f'<textarea name="settings" rows="{rows}" required>{text}</textarea></label>'
        )
    match name:
        case "event":
            seen = _hidden("seen", _seen(event.round, event.shown))
            return _hidden("event", event.name) + seen
        case "bot" | "opponent":
            return _select(name, (*event.bots, *event.withdrawn))
        case _ if get_origin(kind) is Literal:
            return _select(name, get_args(kind))
        case "round":
            return f'<label>Round<input name="round" size="3" value="{event.round + 1}"></label>'
        case _:
            return f'<label>{name.capitalize()}<input name="{name}" required></label>'


def _select(name: str, choices: Iterable[str]) -> str:
    options = "".join(f"<option>{escape(each)}</option>" for each in choices)
    return f'<label>{name.capitalize()}<select name="{name}">{options}</select></label>'


def _hidden(name: str, value: str) -> str:
    return f'<input type="hidden" name="{name}" value="{escape(value)}">'

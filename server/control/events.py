"""Events: what is seen of them, and the steps that the organiser takes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any, Final

from msgspec.structs import asdict

from ..config.loading import event_of
from ..config.settings import ConfigError
from ..contest.events.entry import EntryError, started, withdrawn
from ..contest.events.lifecycle import EventState, EventStep, StepError
from ..contest.events.pairings import PairedRound
from ..contest.live.archives import imported, with_line
from ..contest.live.contest import Contest
from ..contest.live.views import event_view
from ..model.contests import EventImported, EventLogLine
from ..model.journal import Entry
from ..store.carrying.archive_file import ArchiveFileError
from ..store.carrying.event_file import read_event
from ..store.rows.contests import event_with_any, kept_event, log_of
from .actions import Action, Arguments, Order, Plan, RefusedError, UsageError
from .target import Target
from .wire import Change


class NameEvent(Arguments, frozen=True):
    """Name an event.

    Attributes:
        event: its name.
    """

    event: str


class NameEventBot(Arguments, frozen=True):
    """Name an entrant of an event.

    Attributes:
        event: the event.
        bot: the entrant.
    """

    event: str
    bot: str


class OrderBye(Arguments, frozen=True):
    """Order a half-point bye, or take it back.

    Attributes:
        event: the event.
        bot: the entrant.
        round: the round, which is not paired yet.
        take_back: whether it is to play that round after all.
    """

    event: str
    bot: str
    round: int
    take_back: bool = False


class MakeEvent(Arguments, frozen=True):
    """Make an event.

    Attributes:
        settings: its settings, as ``[[event]]`` has them.
    """

    settings: dict[str, Any]


class ImportEvent(Arguments, frozen=True):
    """Bring in an event of another server.

    Attributes:
        file: its archive, a path that the server can read.
        name: its name here; by default, as there.
    """

    file: str
    name: str | None = None


class NameEventGame(Arguments, frozen=True):
    """Name a game of an event.

    Attributes:
        event: the event.
        game: the game's id.
    """

    event: str
    game: str


async def _new(target: Target, wanted: MakeEvent, order: Order) -> Plan:
    contests = target.sessions.contests
    try:
        settings = event_of(wanted.settings, target.config())
    except ConfigError as error:
        raise UsageError(str(error)) from None
    await _expect_free(target, settings.name)
    contest = contests.prepared(settings)
    return Plan(
        changed=(Change("event", settings.name, None, _state(contest)),),
        entries=lambda: contest.made(order.by, order.why),
        done=lambda: contests.add(contest),
    )


async def _import(target: Target, wanted: ImportEvent, order: Order) -> Plan:
    try:
        archive = await asyncio.to_thread(read_event, wanted.file)
        settings, kept = imported(archive, wanted.name)
    except ArchiveFileError as error:
        raise RefusedError(str(error)) from None
    except ValueError as error:
        raise RefusedError(f"{wanted.file}: {error}") from None
    await _expect_free(target, settings.name)
    games = [record.game for record in archive.records]
    event = await target.store.read(partial(event_with_any, games=games))
    if event is not None:
        raise RefusedError(f"its games are those of the event {event}, which is here already")
    contests = target.sessions.contests
    contest = contests.prepared(settings)
    contest.restore(kept)
    line = EventLogLine(0, order.at, "import", order.by, order.why)
    return Plan(
        changed=(Change("event", settings.name, None, archive.state),),
        facts={"server": archive.server, "games": len(archive.records)},
        entries=lambda: [EventImported(settings.name, with_line(archive, kept, line))],
        done=lambda: contests.add(contest),
    )


async def _expect_free(target: Target, name: str) -> None:
    """Refuse a name that an event has, or had."""
    stored = await target.store.read(partial(kept_event, event=name))
    if stored is not None or target.sessions.contests.get(name) is not None:
        raise RefusedError(f"there is an event {name} already; another needs another name")


async def _list(target: Target, _wanted: Arguments, _order: Order) -> Plan:
    return Plan(
        facts={"events": [_summary(each) for each in target.sessions.contests.all_contests]}
    )


async def _show(target: Target, wanted: NameEvent, _order: Order) -> Plan:
    contest = _found(target, wanted.event)
    log = await target.store.read(partial(log_of, event=contest.name))
    view = event_view(contest.settings, contest.state, frozen=0, origin=contest.origin)
    steps = [line._asdict() for line in log]
    return Plan(facts={**asdict(view), "running": contest.running, "log": steps})


def _summary(contest: Contest) -> dict[str, object]:
    state, settings = contest.state, contest.settings
    return {
        "name": contest.name,
        "origin": contest.origin,
        "format": settings.format,
        "state": state.phase.state,
        "round": state.phase.round,
        "starts": settings.starts,
        "running": contest.running,
        "entrants": [
            {"name": each.name, "withdrawn": each.has_withdrawn} for each in state.entrants
        ],
    }


def _step(step: EventStep) -> Callable[[Target, NameEvent, Order], Awaitable[Plan]]:
    """Return what plans a step that the organiser may order."""

    async def planned(target: Target, wanted: NameEvent, order: Order) -> Plan:
        contest = _found(target, wanted.event)
        if contest.origin is not None:
            raise RefusedError(f"{contest.name}: it was held on {contest.origin}, and only shown")
        before = contest.state.phase
        try:
            after = before.after(step)
            if after.round > before.round:
                started(contest.state.entrants, before)
        except (StepError, EntryError) as error:
            raise RefusedError(f"{contest.name}: {error}") from None
        return _plan(
            contest,
            (Change("event", contest.name, before.state, after.state),),
            lambda: contest.stepped(step, order.by, order.why),
        )

    return planned


async def _start(target: Target, wanted: NameEvent, order: Order) -> Plan:
    contest = _found(target, wanted.event)
    if contest.state.phase.has_begun:
        raise RefusedError(f"{contest.name}: the event has begun, and is {_state(contest)}")
    return await _step(EventStep.PAIR)(target, wanted, order)


async def _withdraw(target: Target, wanted: NameEventBot, order: Order) -> Plan:
    contest = _found(target, wanted.event)
    state = contest.state
    try:
        withdrawn(state.entrants, state.phase, wanted.bot)
    except EntryError as error:
        raise RefusedError(f"{contest.name}: {error}") from None
    change = Change("entrant", wanted.bot, "entered", f"withdrawn after round {state.phase.round}")
    return Plan(
        changed=(change,),
        entries=lambda: contest.withdraw(wanted.bot, order.by, f"{wanted.bot} {order.why}".strip()),
        done=lambda: contest.on_withdrawn(wanted.bot, "the organiser withdrew it"),
        roll_back=contest.stop,
    )


async def _bye(target: Target, wanted: OrderBye, order: Order) -> Plan:
    contest = _found(target, wanted.event)
    name, number, has_bye = wanted.bot, wanted.round, not wanted.take_back
    try:
        contest.excused(name, number, has_bye=has_bye)
    except EntryError as error:
        raise RefusedError(f"{contest.name}: {error}") from None
    plays, rests = f"plays round {number}", f"half-point bye in round {number}"
    changed = Change("entrant", name, *((plays, rests) if has_bye else (rests, plays)))
    why = f"{name} round {number} {order.why}".strip()
    return _plan(
        contest,
        (changed,),
        lambda: contest.excuse(name, number, order.by, why, has_bye=has_bye),
    )


async def _forfeit(target: Target, wanted: NameEventBot, _order: Order) -> Plan:
    contest = _found(target, wanted.event)
    number = _present_round(contest).number
    games = contest.unplayed_of(wanted.bot)
    if not games:
        raise RefusedError(
            f"{contest.name}: {wanted.bot} has no game left in round {number}, or plays it now"
        )
    changes = tuple(Change("game", str(row.number), None, f"lost by {wanted.bot}") for row in games)
    return _plan(contest, changes, lambda: contest.forfeit(wanted.bot))


async def _replay(target: Target, wanted: NameEventBot, order: Order) -> Plan:
    contest = _found(target, wanted.event)
    places = [
        place
        for place, encounter in enumerate(_present_round(contest).round.encounters)
        if wanted.bot in encounter
    ]
    if not places:
        number = contest.state.phase.round
        raise RefusedError(f"{contest.name}: {wanted.bot} has no opponent in round {number}")
    numbers = set(contest.state.numbers_of(places[0])) & set(contest.state.rows)
    return _again(contest, places[0], numbers, order)


async def _annul(target: Target, wanted: NameEventGame, order: Order) -> Plan:
    contest = _found(target, wanted.event)
    state, present = contest.state, _present_round(contest)
    for place in range(len(present.round.encounters)):
        for number in state.numbers_of(place):
            if number in state.rows and state.rows[number].game == wanted.game:
                return _again(contest, place, {number}, order)
    raise RefusedError(
        f"{contest.name}: round {present.number} has no result of a game {wanted.game}; only games"
        " of the round that is being played can be played again"
    )


def _present_round(contest: Contest) -> PairedRound:
    state = contest.state
    if EventState.PLAYING not in {state.phase.state, state.phase.resumes}:
        raise RefusedError(f"{contest.name}: no round is being played, it is {_state(contest)}")
    return state.present_round


def _again(contest: Contest, place: int, numbers: set[int], order: Order) -> Plan:
    """Return what lets games with a result be played again."""
    one, two = contest.state.encounter(place)
    if contest.is_playing(place):
        raise RefusedError(f"{contest.name}: {one} and {two} are playing; wait, or end their match")
    if not numbers:
        raise RefusedError(f"{contest.name}: {one} and {two} have not played yet")
    changes = tuple(
        Change("game", str(number), contest.state.rows[number].reason, "to be played again")
        for number in sorted(numbers)
    )
    return _plan(contest, changes, lambda: contest.replayed({place: numbers}, order.by, order.why))


def _plan(
    contest: Contest, changed: tuple[Change, ...], entries: Callable[[], Sequence[Entry]]
) -> Plan:
    return Plan(changed=changed, entries=entries, done=contest.look, roll_back=contest.stop)


def _state(contest: Contest) -> str:
    return contest.state.phase.state.value


def _found(target: Target, name: str) -> Contest:
    contest = target.sessions.contests.get(name)
    if contest is None:
        known = ", ".join(each.name for each in target.sessions.contests.all_contests)
        raise RefusedError(f"there is no event {name}; there are: {known or 'none'}")
    return contest


EVENT_ACTIONS: Final = (
    Action("event-new", MakeEvent, _new),
    Action("event-import", ImportEvent, _import),
    Action("event-list", Arguments, _list),
    Action("event-show", NameEvent, _show),
    Action("event-start", NameEvent, _start),
    Action("event-open", NameEvent, _step(EventStep.OPEN)),
    Action("event-check-in", NameEvent, _step(EventStep.CHECK_IN)),
    Action("event-pause", NameEvent, _step(EventStep.PAUSE)),
    Action("event-resume", NameEvent, _step(EventStep.RESUME)),
    Action("event-publish", NameEvent, _step(EventStep.PUBLISH)),
    Action("event-cancel", NameEvent, _step(EventStep.CANCEL)),
    Action("event-withdraw", NameEventBot, _withdraw),
    Action("event-bye", OrderBye, _bye),
    Action("event-forfeit", NameEventBot, _forfeit),
    Action("event-replay", NameEventBot, _replay),
    Action("event-annul", NameEventGame, _annul),
)

"""Events: what is seen of them, and the steps that the organiser takes."""

from __future__ import annotations

import asyncio
import sys
from asyncio.subprocess import PIPE
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress

from msgspec.structs import asdict

from mancala.parent_death import ending_with_us

from ..config.loading import event_of
from ..config.settings import ConfigError
from ..contest.events.entry import EntryError, started, withdrawn
from ..contest.events.lifecycle import ORDERS, EventState, EventStep, StepError
from ..contest.events.pairings import PairedRound
from ..contest.live.archives import imported, with_line
from ..contest.live.contest import Contest
from ..contest.live.views import event_view
from ..model.contests import EventImported, EventLogLine
from ..model.journal import Entry
from ..store.carrying import event_file
from ..store.carrying.archive_file import ArchiveFileError
from ..store.carrying.event_file import read_event
from ..store.rows.contests import event_with_any, kept_event, log_of
from .actions import (
    AnnulEventGame,
    Arguments,
    ImportEvent,
    MakeEvent,
    OneEvent,
    OneEventBot,
    OrderBye,
)
from .operator import Order, Plan, RefusedError, Target, UsageError
from .wire import Change


async def new(target: Target, wanted: MakeEvent, order: Order) -> Plan:
    """Plan an event."""
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


async def bring_in(target: Target, wanted: ImportEvent, order: Order) -> Plan:
    """Plan to show an event of another server, from its archive."""
    try:
        await _check(wanted.file)
        archive = await asyncio.to_thread(read_event, wanted.file)
        settings, kept = imported(archive, wanted.name)
    except ArchiveFileError as error:
        raise RefusedError(str(error)) from None
    except ValueError as error:
        raise RefusedError(f"{wanted.file}: {error}") from None
    await _expect_free(target, settings.name)
    games = [record.game for record in archive.records]
    event = await target.store.run(event_with_any, games=games)
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


async def _check(file: str) -> None:
    """Have the games of a file replayed by a process of its own, which spares the games here."""
    command = ending_with_us(sys.executable, "-P", "-m", event_file.__name__, file)
    process = await asyncio.create_subprocess_exec(*command, stdout=PIPE)  # noqa: TID251  # no simulated world imports
    try:
        said, _ = await process.communicate()
    finally:
        with suppress(ProcessLookupError):
            process.kill()
    if process.returncode:
        raise RefusedError(said.decode() or f"{file} could not be checked")


async def _expect_free(target: Target, name: str) -> None:
    stored = await target.store.run(kept_event, event=name)
    if stored is not None or target.sessions.contests.get(name) is not None:
        raise RefusedError(f"there is an event {name} already; another needs another name")


async def list_all(target: Target, _wanted: Arguments, _order: Order) -> Plan:
    """List the events."""
    return Plan(
        facts={"events": [_summary(each) for each in target.sessions.contests.all_contests]}
    )


async def show(target: Target, wanted: OneEvent, _order: Order) -> Plan:
    """Show an event as it stands, with the steps it took."""
    contest = _found(target, wanted.event)
    log = await target.store.run(log_of, event=contest.name)
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


async def step(target: Target, wanted: OneEvent, order: Order) -> Plan:
    """Plan a step that the organiser may order."""
    contest = _found(target, wanted.event)
    if contest.origin is not None:
        raise RefusedError(f"{contest.name}: it was held on {contest.origin}, and only shown")
    ordered, before = ORDERS[order.action.removeprefix("event-")], contest.state.phase
    if ordered is EventStep.PAIR and before.has_begun:
        raise RefusedError(f"{contest.name}: the event has begun, and is {_state(contest)}")
    with _refusing(contest):
        after = before.after(ordered)
        if after.round > before.round:
            started(contest.state.entrants, before)
    change = Change("event", contest.name, before.state, after.state)
    return _plan(contest, lambda: contest.stepped(ordered, order.by, order.why), change)


async def withdraw(target: Target, wanted: OneEventBot, order: Order) -> Plan:
    """Plan to withdraw an entrant."""
    contest, bot = _found(target, wanted.event), wanted.bot
    phase = contest.state.phase
    with _refusing(contest):
        withdrawn(contest.state.entrants, phase, bot)
    return Plan(
        changed=(Change("entrant", bot, "entered", f"withdrawn after round {phase.round}"),),
        entries=lambda: contest.withdraw(bot, order.by, f"{bot} {order.why}".strip()),
        done=lambda: contest.dismiss((bot,), "the organiser withdrew it"),
        roll_back=contest.stop,
    )


async def bye(target: Target, wanted: OrderBye, order: Order) -> Plan:
    """Plan a half-point bye, or that the entrant plays after all."""
    contest = _found(target, wanted.event)
    name, number, has_bye = wanted.bot, wanted.round, not wanted.take_back
    with _refusing(contest):
        contest.excused(name, number, has_bye=has_bye)
    plays, rests = f"plays round {number}", f"half-point bye in round {number}"
    change = Change("entrant", name, *((plays, rests) if has_bye else (rests, plays)))
    why = f"{name} round {number} {order.why}".strip()
    return _plan(
        contest, lambda: contest.excuse(name, number, order.by, why, has_bye=has_bye), change
    )


async def forfeit(target: Target, wanted: OneEventBot, _order: Order) -> Plan:
    """Plan the forfeit of what a bot has not played of the present round."""
    contest, bot = _found(target, wanted.event), wanted.bot
    number = _present_round(contest).number
    games = contest.unplayed_of(bot)
    if not games:
        raise RefusedError(
            f"{contest.name}: {bot} has no game left in round {number}, or plays it now"
        )
    changes = (Change("game", str(row.number), None, f"lost by {bot}") for row in games)
    return _plan(contest, lambda: contest.forfeit(bot), *changes)


async def replay(target: Target, wanted: OneEventBot, order: Order) -> Plan:
    """Plan to let a bot's games of the present round be played again."""
    contest = _found(target, wanted.event)
    present = _present_round(contest)
    for place, encounter in enumerate(present.round.encounters):
        if wanted.bot in encounter:
            numbers = {*contest.state.numbers_of(place)} & {*contest.state.rows}
            return _again(contest, place, numbers, order)
    raise RefusedError(f"{contest.name}: {wanted.bot} has no opponent in round {present.number}")


async def annul(target: Target, wanted: AnnulEventGame, order: Order) -> Plan:
    """Plan to let one game of the present round be played again."""
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
    changes = (
        Change("game", str(number), contest.state.rows[number].reason, "to be played again")
        for number in sorted(numbers)
    )
    return _plan(contest, lambda: contest.replayed({place: numbers}, order.by, order.why), *changes)


def _plan(contest: Contest, entries: Callable[[], Sequence[Entry]], *changed: Change) -> Plan:
    return Plan(changed=changed, entries=entries, done=contest.look, roll_back=contest.stop)


@contextmanager
def _refusing(contest: Contest) -> Iterator[None]:
    try:
        yield
    except (EntryError, StepError) as error:
        raise RefusedError(f"{contest.name}: {error}") from None


def _state(contest: Contest) -> str:
    return contest.state.phase.state.value


def _found(target: Target, name: str) -> Contest:
    contest = target.sessions.contests.get(name)
    if contest is None:
        known = ", ".join(each.name for each in target.sessions.contests.all_contests)
        raise RefusedError(f"there is no event {name}; there are: {known or 'none'}")
    return contest

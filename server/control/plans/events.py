"""Events: what is seen of them, and the steps that the organiser takes."""

import asyncio
import sys
from asyncio.subprocess import PIPE
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, Final

import msgspec
from msgspec import structs

from mancala.parent_death import ending_with_us
from mancala.protocol import codec

from ...config.events import TIMES, EventSettings
from ...config.loading import event_of
from ...config.settings import ConfigError
from ...contest.events.entry import Entrants, EntryError, withdrawn
from ...contest.events.lifecycle import ORDERS, EventStep, StepError
from ...contest.live.archives import imported, with_line
from ...contest.live.contest import Contest
from ...contest.live.reports import archive_of_report, text_of
from ...contest.live.state import listed_first, problem_of_size
from ...contest.live.views import event_view
from ...model.contests import EventArchive, EventImported, EventLogLine
from ...model.journal import Entry, Revealed
from ...model.timestamps import in_utc
from ...store.carrying import event_file
from ...store.carrying.archive_file import ArchiveFileError
from ...store.carrying.event_file import document_of, event_in, is_archive
from ...store.rows.contests import event_with_any, kept_event, log_of
from ...store.rows.sealed import hidden_matches
from ..actions import (
    Arguments,
    EditEvent,
    ImportEvent,
    MakeEvent,
    OneEvent,
    OneEventBot,
    OrderBye,
    PairByHand,
    RevealRound,
)
from ..operator import HIDDEN, SECRETS, Order, Plan, RefusedError, Target, UsageError
from ..wire import Change
from .roles import roles_of, without_roles

OF_SIZE: Final = frozenset({"format", "rounds", "games", "replays", "entrants", "fill"})
"""The settings that an event's number of games follows from."""


async def new(target: Target, wanted: MakeEvent, order: Order) -> Plan:
    contests = target.sessions.contests
    try:
        settings = event_of(wanted.settings, target.config())
    except ConfigError as error:
        raise UsageError(str(error)) from None
    await _expect_free(target, settings.name)
    _expect_place(target, settings)
    contest = contests.prepared(settings)
    _expect_size(settings, contest.state.entrants, wanted.settings)
    return Plan(
        changed=(Change("event", settings.name, None, state_of(contest)),),
        facts=_remark(settings, TIMES, order.at),
        entries=lambda: contest.made(order.by, order.why),
        done=lambda: contests.add(contest),
    )


async def edit(target: Target, wanted: EditEvent, order: Order) -> Plan:
    """Plan other settings of an event that has not begun; None is what holds where none is set."""
    contest = _in_preparation(target, wanted.event)
    former: dict[str, Any] = msgspec.to_builtins(contest.settings)
    both = {**former, **wanted.settings}.items()
    given = {key: value for key, value in both if value is not None or key not in former}
    if isinstance(clock := wanted.settings.get("clock"), dict):
        given["clock"] = {**former["clock"], **clock}
    try:
        settings = event_of(given, target.config())
    except ConfigError as error:
        raise UsageError(str(error)) from None
    if settings.name != contest.name:
        raise UsageError(f"name: it stays {contest.name}; make another event for another name")
    _expect_place(target, settings)
    _expect_size(settings, contest.state.entrants, wanted.settings)
    edited: dict[str, Any] = msgspec.to_builtins(settings)
    others = [key for key, value in edited.items() if value != former.get(key)]
    changes = (
        Change("setting", key, *(_shown(key, each.get(key)) for each in (former, edited)))
        for key in others
    )
    return Plan(
        changed=tuple(changes),
        facts=_remark(settings, others, order.at),
        entries=lambda: contest.edited(settings, order.by, order.why),
        done=contest.look,
        roll_back=partial(contest.keep, contest.settings),
    )


def _remark(settings: EventSettings, changed: Iterable[str], now: str) -> dict[str, str]:
    """Return, as a fact, which times that were changed an event does not wait for."""
    given = {key: getattr(settings, key) for key in TIMES if key in changed}
    over = [f"{key}: {at} is over" for key, at in given.items() if at and in_utc(at) <= now]
    return {"remark": f"{', '.join(over)}: the event does not wait for that"} if over else {}


def _shown(name: str, value: object) -> str:
    return HIDDEN if name in SECRETS and value else codec.to_json(value).decode()


async def delete(target: Target, wanted: OneEvent, order: Order) -> Plan:
    """Plan that an event which has not begun is gone."""
    contest = _in_preparation(target, wanted.event)
    change = Change("event", contest.name, state_of(contest))
    plan = plan_of(
        *(contest, lambda: contest.deleted(order.why), change),
        before=lambda: target.sessions.contests.remove(contest),
    )
    return plan.also(without_roles(target, contest.name))


def _in_preparation(target: Target, name: str) -> Contest:
    contest = event_of_name(target, name)
    if any(each.name == name for each in target.config().event):
        raise RefusedError(f"{name} stands in the settings' file; change it there, and restart")
    if contest.state.phase.has_begun or contest.state.phase.is_over:
        raise RefusedError(f"{name} is {state_of(contest)}; only before it begins that can be done")
    return contest


async def bring_in(target: Target, wanted: ImportEvent, order: Order) -> Plan:
    """Plan to show an event of another server, from its archive."""
    try:
        document = await asyncio.to_thread(document_of, wanted.file)
        if is_archive(document):
            await _check(wanted.file)
        archive = await asyncio.to_thread(_read, wanted.file, document)
        settings, kept = await asyncio.to_thread(imported, archive, wanted.name)
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


def _read(file: str, document: bytes) -> EventArchive:
    return (
        event_in(file, document) if is_archive(document) else archive_of_report(text_of(document))
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


def _expect_place(target: Target, settings: EventSettings) -> None:
    if problem := target.sessions.contests.problem_of_place(settings):
        raise RefusedError(problem)


def _expect_size(settings: EventSettings, stored: Entrants, given: Iterable[str]) -> None:
    """Refuse an event whose entrants would have too many games; name what was given of its size."""
    if problem := problem_of_size(settings, listed_first(settings, stored)):
        causes = ", ".join(each for each in given if each in OF_SIZE)
        raise UsageError(f"{causes}: {problem}" if causes else problem)


async def list_all(target: Target, _wanted: Arguments, _order: Order) -> Plan:
    return Plan(
        facts={"events": [_summary(each) for each in target.sessions.contests.all_contests]}
    )


async def show(target: Target, wanted: OneEvent, _order: Order) -> Plan:
    contest = event_of_name(target, wanted.event)
    log = await target.store.run(log_of, event=contest.name)
    view = event_view(contest.settings, contest.state, frozen=0, origin=contest.origin)
    steps = [line._asdict() for line in log]
    roles = roles_of(target.sessions.orders, contest.name)
    facts = {"running": contest.encounters.running, "log": steps, "roles": roles}
    return Plan(facts={**structs.asdict(view), **facts})


def _summary(contest: Contest) -> dict[str, object]:
    state, settings = contest.state, contest.settings
    return {
        "name": contest.name,
        "origin": contest.origin,
        "format": settings.format,
        "state": state.phase.state,
        "round": state.phase.round,
        "starts": settings.starts,
        "running": contest.encounters.running,
        "entrants": [
            {"name": each.name, "withdrawn": each.has_withdrawn} for each in state.entrants
        ],
    }


async def step(target: Target, wanted: OneEvent, order: Order) -> Plan:
    """Plan a step that the organiser may order."""
    contest = event_of_name(target, wanted.event)
    if contest.origin is not None:
        raise RefusedError(f"{contest.name}: it was held on {contest.origin}, and only shown")
    ordered, before = ORDERS[order.action.removeprefix("event-")], contest.state.phase
    if ordered is EventStep.PAIR and before.has_begun and not contest.rests:
        raise RefusedError(f"{contest.name}: the event has begun, and is {state_of(contest)}")
    with _refusing(contest):
        after = before.after(ordered)
        if after.round > before.round:
            contest.started()
    change = Change("event", contest.name, before.state, after.state)
    return plan_of(contest, lambda: contest.stepped(ordered, order.by, order.why), change)


async def reveal(target: Target, wanted: RevealRound, order: Order) -> Plan:
    """Plan to show the next round that is frozen, or all of an event that is not here any more."""
    if target.sessions.contests.get(wanted.event) is None:
        hidden = await target.store.read_apart(hidden_matches, event=wanted.event)
        if hidden:
            if wanted.round is not None:
                said = "all of its rounds are shown together; leave --round out"
                raise RefusedError(f"{wanted.event}: {said}")
            return Plan(
                changed=tuple(Change("match", match, "hidden", "shown") for match in hidden),
                entries=lambda: [Revealed(wanted.event, None)],
                done=target.sessions.tables.review_revealed,
            )
    contest = event_of_name(target, wanted.event)
    state, shown = contest.state, contest.state.tabled_rounds(contest.settings)
    if shown == len(state.rounds):
        raise RefusedError(f"{contest.name}: no round is frozen that was paired")
    if wanted.round not in {None, shown + 1}:
        said = f"the next round to be shown is {shown + 1}, not {wanted.round}"
        raise RefusedError(f"{contest.name}: {said}")
    if shown + 1 == state.phase.round and state.missing:
        raise RefusedError(f"{contest.name}: round {shown + 1} is not over yet")
    change = Change("round", str(shown + 1), "frozen", "shown")
    return plan_of(contest, lambda: contest.reveal(order.by, order.why), change)


async def withdraw(target: Target, wanted: OneEventBot, order: Order) -> Plan:
    contest, bot = event_of_name(target, wanted.event), wanted.bot
    phase = contest.state.phase
    with _refusing(contest):
        withdrawn(contest.state.entrants, phase, bot)
    change = Change("entrant", bot, "entered", f"withdrawn after round {phase.round}")
    why = f"{bot} {order.why}".strip()
    entries = partial(contest.withdraw, bot, order.by, why)
    dismiss = partial(contest.dismiss, (bot,), "the organiser withdrew it")
    return plan_of(contest, entries, change, before=dismiss)


async def bye(target: Target, wanted: OrderBye, order: Order) -> Plan:
    """Plan a half-point bye, or that the entrant plays after all."""
    contest = event_of_name(target, wanted.event)
    name, number, has_bye = wanted.bot, wanted.round, not wanted.take_back
    plays, rests = f"plays round {number}", f"half-point bye in round {number}"
    change = Change("entrant", name, *((plays, rests) if has_bye else (rests, plays)))
    entrants = partial(contest.excused, name, number, has_bye=has_bye)
    step = "bye" if has_bye else "no-bye"
    return _changed(contest, entrants, step, order, f"{name} round {number}", change)


async def pair(target: Target, wanted: PairByHand, order: Order) -> Plan:
    """Plan that two meet in a round to come, or do not after all."""
    contest = event_of_name(target, wanted.event)
    number, is_set = wanted.round, not wanted.take_back
    both = wanted.bot, wanted.opponent
    met, usual = f"meets {both[1]} in round {number}", f"paired as usual in round {number}"
    change = Change("entrant", both[0], *((usual, met) if is_set else (met, usual)))
    entrants = partial(contest.meeting, both, number, is_set=is_set)
    step = "pair-by-hand" if is_set else "no-pair-by-hand"
    return _changed(contest, entrants, step, order, f"{' - '.join(both)} round {number}", change)


async def reinstate(target: Target, wanted: OneEventBot, order: Order) -> Plan:
    """Plan to take back an entrant that had withdrawn."""
    contest, bot = event_of_name(target, wanted.event), wanted.bot
    change = Change("entrant", bot, "withdrawn", "entered")
    return _changed(contest, partial(contest.reinstated, bot), "reinstate", order, bot, change)


def _changed(
    contest: Contest,
    entrants: Callable[[], Entrants],
    step: str,
    order: Order,
    what: str,
    change: Change,
) -> Plan:
    with _refusing(contest):
        entrants()
    why = f"{what} {order.why}".strip()
    return plan_of(contest, lambda: contest.changed(step, entrants(), order.by, why), change)


def plan_of(
    contest: Contest,
    entries: Callable[[], Sequence[Entry]],
    *changed: Change,
    before: Callable[[], None] = lambda: None,
) -> Plan:
    """Return what an event does; once that is durable it looks what follows, after ``before``."""
    durable: list[Entry] = []

    def handed_in() -> Sequence[Entry]:
        durable[:] = entries()
        return durable

    def done() -> None:
        before()
        contest.ordered(durable)

    return Plan(changed=changed, entries=handed_in, done=done, roll_back=contest.stop)


@contextmanager
def _refusing(contest: Contest) -> Iterator[None]:
    try:
        yield
    except (EntryError, StepError) as error:
        raise RefusedError(f"{contest.name}: {error}") from None


def state_of(contest: Contest) -> str:
    """Return where an event stands, in one word."""
    return contest.state.phase.state.value


def event_of_name(target: Target, name: str) -> Contest:
    """Return an event; raise `RefusedError`, which names those there are, if there is none."""
    contest = target.sessions.contests.get(name)
    if contest is None:
        known = ", ".join(each.name for each in target.sessions.contests.all_contests)
        raise RefusedError(f"there is no event {name}; there are: {known or 'none'}")
    return contest

"""Events: what is seen of them, and the steps that the organiser takes."""

import asyncio
import sys
from asyncio.subprocess import PIPE
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from typing import Any, Final

import msgspec
from msgspec.structs import asdict

from mancala.parent_death import ending_with_us
from mancala.protocol import codec
from mancala.protocol.messages import Reason
from mancala.protocol.text import quantity

from ..config.events import EventSettings, Format
from ..config.loading import event_of
from ..config.settings import ConfigError
from ..contest.events.entry import Entrants, EntryError, withdrawn
from ..contest.events.lifecycle import ORDERS, EventState, EventStep, StepError
from ..contest.events.pairings import PairedRound, seats_of
from ..contest.events.plan import BRACKETS
from ..contest.live.archives import imported, with_line
from ..contest.live.contest import Contest
from ..contest.live.reports import archive_of_report, text_of
from ..contest.live.state import listed_first, problem_of_size
from ..contest.live.views import event_view
from ..model.contests import EventArchive, EventGameRow, EventImported, EventLogLine
from ..model.journal import Entry, Revealed
from ..store.carrying import event_file
from ..store.carrying.archive_file import ArchiveFileError
from ..store.carrying.event_file import document_of, event_in, is_archive
from ..store.rows.contests import event_with_any, kept_event, log_of
from ..store.rows.sealed import hidden_matches
from .actions import (
    AbortGame,
    AnnulEventGame,
    Arguments,
    EditEvent,
    ImportEvent,
    MakeEvent,
    OneEvent,
    OneEventBot,
    OrderBye,
    PairByHand,
    SetResult,
)
from .games import abort
from .operator import HIDDEN, SECRETS, Order, Plan, RefusedError, Target, UsageError, noted
from .roles import roles_of, without_roles
from .wire import Change

NEEDS_RESULTS: Final = BRACKETS | {Format.ARENA}
"""The formats whose rounds are found again from all results."""


async def new(target: Target, wanted: MakeEvent, order: Order) -> Plan:
    """Plan an event."""
    contests = target.sessions.contests
    try:
        settings = event_of(wanted.settings, target.config())
    except ConfigError as error:
        raise UsageError(str(error)) from None
    await _expect_free(target, settings.name)
    _expect_place(target, settings)
    contest = contests.prepared(settings)
    _expect_size(settings, contest.state.entrants)
    return Plan(
        changed=(Change("event", settings.name, None, _state(contest)),),
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
    _expect_size(settings, contest.state.entrants)
    edited: dict[str, Any] = msgspec.to_builtins(settings)
    changes = (
        Change("setting", key, *(_shown(key, each.get(key)) for each in (former, edited)))
        for key, value in edited.items()
        if value != former.get(key)
    )
    return Plan(
        changed=tuple(changes),
        entries=lambda: contest.edited(settings, order.by, order.why),
        done=contest.look,
        roll_back=partial(contest.keep, contest.settings),
    )


def _shown(name: str, value: object) -> str:
    """Return a setting as a line of the log has it."""
    return HIDDEN if name in SECRETS and value else codec.to_json(value).decode()


async def delete(target: Target, wanted: OneEvent, order: Order) -> Plan:
    """Plan that an event which has not begun is gone."""
    contest = _in_preparation(target, wanted.event)
    change = Change("event", contest.name, _state(contest))
    plan = _plan(
        *(contest, lambda: contest.deleted(order.why), change),
        before=lambda: target.sessions.contests.remove(contest),
    )
    return plan.also(without_roles(target, contest.name))


def _in_preparation(target: Target, name: str) -> Contest:
    """Return an event that was made by an order and has not begun."""
    contest = _found(target, name)
    if any(each.name == name for each in target.config().event):
        raise RefusedError(f"{name} stands in the settings' file; change it there, and restart")
    if contest.state.phase.has_begun or contest.state.phase.is_over:
        raise RefusedError(f"{name} is {_state(contest)}; only before it begins that can be done")
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
    """Return the event of an archive, or of a report in FIDE's format."""
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
    """Refuse an event whose place in its series another one has."""
    if problem := target.sessions.contests.problem_of_place(settings):
        raise RefusedError(problem)


def _expect_size(settings: EventSettings, stored: Entrants) -> None:
    """Refuse an event whose entrants would have too many games."""
    if problem := problem_of_size(settings, listed_first(settings, stored)):
        raise UsageError(f"games: {problem}")


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
    roles = roles_of(target.sessions.orders, contest.name)
    facts = {"running": contest.encounters.running, "log": steps, "roles": roles}
    return Plan(facts={**asdict(view), **facts})


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
    contest = _found(target, wanted.event)
    if contest.origin is not None:
        raise RefusedError(f"{contest.name}: it was held on {contest.origin}, and only shown")
    ordered, before = ORDERS[order.action.removeprefix("event-")], contest.state.phase
    if ordered is EventStep.PAIR and before.has_begun and not contest.rests:
        raise RefusedError(f"{contest.name}: the event has begun, and is {_state(contest)}")
    with _refusing(contest):
        after = before.after(ordered)
        if after.round > before.round:
            contest.started()
    change = Change("event", contest.name, before.state, after.state)
    return _plan(contest, lambda: contest.stepped(ordered, order.by, order.why), change)


async def reveal(target: Target, wanted: OneEvent, order: Order) -> Plan:
    """Plan to show the next round that is frozen, or all of an event that is not here any more."""
    if target.sessions.contests.get(wanted.event) is None:
        hidden = await target.store.read_apart(hidden_matches, event=wanted.event)
        if hidden:
            return Plan(
                changed=tuple(Change("match", match, "hidden", "shown") for match in hidden),
                entries=lambda: [Revealed(wanted.event, None)],
                done=target.sessions.tables.review_revealed,
            )
    contest = _found(target, wanted.event)
    state, shown = contest.state, contest.state.tabled_rounds(contest.settings)
    if shown == len(state.rounds):
        raise RefusedError(f"{contest.name}: no round is frozen that was paired")
    if shown + 1 == state.phase.round and state.missing:
        raise RefusedError(f"{contest.name}: round {shown + 1} is not over yet")
    change = Change("round", str(shown + 1), "frozen", "shown")
    return _plan(contest, lambda: contest.reveal(order.by, order.why), change)


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
    plays, rests = f"plays round {number}", f"half-point bye in round {number}"
    change = Change("entrant", name, *((plays, rests) if has_bye else (rests, plays)))
    entrants = partial(contest.excused, name, number, has_bye=has_bye)
    step = "bye" if has_bye else "no-bye"
    return _changed(contest, entrants, step, order, f"{name} round {number}", change)


async def pair(target: Target, wanted: PairByHand, order: Order) -> Plan:
    """Plan that two meet in a round to come, or do not after all."""
    contest, number, is_set = _found(target, wanted.event), wanted.round, not wanted.take_back
    both = wanted.bot, wanted.opponent
    met, usual = f"meets {both[1]} in round {number}", f"paired as usual in round {number}"
    change = Change("entrant", both[0], *((usual, met) if is_set else (met, usual)))
    entrants = partial(contest.meeting, both, number, is_set=is_set)
    step = "pair-by-hand" if is_set else "no-pair-by-hand"
    return _changed(contest, entrants, step, order, f"{' - '.join(both)} round {number}", change)


async def reinstate(target: Target, wanted: OneEventBot, order: Order) -> Plan:
    """Plan to take back an entrant that had withdrawn."""
    contest, bot = _found(target, wanted.event), wanted.bot
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
    """Return what gives an event other entrants, if it can have them; ``what`` is for its log."""
    with _refusing(contest):
        entrants()
    why = f"{what} {order.why}".strip()
    return _plan(contest, lambda: contest.changed(step, entrants(), order.by, why), change)


async def result(target: Target, wanted: SetResult, order: Order) -> Plan:
    """Plan results of an encounter that are set by hand, with a reason that all read."""
    contest, bot = _found(target, wanted.event), wanted.bot
    if not order.why:
        raise UsageError("a result that is set by hand needs a reason, which is published: --why")
    number = contest.state.phase.round if wanted.round is None else wanted.round
    paired = _correctable_round(contest, number)
    games = paired.numbers(contest.state.regulations.games)
    met = [it for it, both in enumerate(paired.round.encounters) if bot in both]
    if not met:
        raise RefusedError(f"{contest.name}: {bot} has no opponent in round {number}")
    [place] = met
    _expect_at_rest(contest, number, place)
    numbers = [*games[place]]
    if wanted.game is not None:
        if not 1 <= wanted.game <= len(numbers):
            raise UsageError(f"game: an encounter has the games 1 to {len(numbers)}")
        numbers = [numbers[wanted.game - 1]]
    rows = [_ruling(contest, paired, place, each, wanted, order.why) for each in numbers]
    return _ruled(contest, rows, number, order, f"{bot} round {number}: {order.why}")


def _ruling(
    contest: Contest, paired: PairedRound, place: int, number: int, wanted: SetResult, why: str
) -> EventGameRow:
    """Return a game's row with the result that is wanted for an entrant."""
    seats = seats_of(paired.round.encounters[place], contest.state.regulations.games, number)
    own = seats.index(wanted.bot)
    winner = {"win": own, "loss": 1 - own}.get(wanted.result)
    return contest.state.ruled(number, seats, winner, why)


async def result_back(target: Target, what: Mapping[str, Any], order: Order) -> Plan:
    """Plan that games have the results again which they had before they were set by hand."""
    contest = _found(target, what["arguments"]["event"])
    number = noted(what, "round", int)
    former, made = (noted(what, key, tuple[EventGameRow, ...]) for key in ("former", "made"))
    paired = _correctable_round(contest, number)
    for place, games in enumerate(paired.numbers(contest.state.regulations.games)):
        if any(row.number in games for row in made):
            _expect_at_rest(contest, number, place)
    if any(contest.state.rows.get(row.number) != row for row in made):
        raise RefusedError(f"{contest.name}: the result was changed after this line")
    is_played = EventState.PLAYING in {contest.state.phase.state, contest.state.phase.resumes}
    if any(row.reason == Reason.ABORTED.value for row in former) and not (
        is_played and number == contest.state.phase.round
    ):
        raise RefusedError(
            f"{contest.name}: round {number} is over, and a game of it would have no result;"
            " set another one"
        )
    return _ruled(contest, former, number, order, f"round {number} as before")


def _ruled(
    contest: Contest, rows: Sequence[EventGameRow], number: int, order: Order, why: str
) -> Plan:
    state = contest.state
    former = [
        state.rows.get(row.number)
        or EventGameRow(row.number, row.first, row.second, None, 0, Reason.ABORTED.value, None, 0)
        for row in rows
    ]
    changes = (
        Change("game", str(row.number), _result(before), _result(row))
        for before, row in zip(former, rows, strict=True)
    )
    plan = _plan(contest, lambda: contest.ruled(rows, number, order.by, why), *changes)
    return replace(plan, record={"round": number, "former": former, "made": rows})


def _result(row: EventGameRow) -> str:
    if row.reason == Reason.ABORTED.value:
        return "no result"
    return "drawn" if row.winner is None else f"{(row.first, row.second)[row.winner]} won"


def _correctable_round(contest: Contest, number: int) -> PairedRound:
    """Return a round whose results can be set by hand."""
    state, name = contest.state, contest.name
    if state.phase.state in {EventState.PUBLISHED, EventState.CANCELLED}:
        raise RefusedError(f"{name} is {_state(contest)}, and its results are final")
    if contest.origin is not None:
        raise RefusedError(f"{name}: it was held on {contest.origin}, and only shown")
    if not 1 <= number <= len(state.rounds):
        count = quantity(len(state.rounds), "round")
        raise RefusedError(f"{name}: there is no round {number}; {count} paired so far")
    if contest.is_pairing:
        raise RefusedError(f"{name}: a round is being paired from the results; try again")
    if number < len(state.rounds) and state.regulations.format in NEEDS_RESULTS:
        raise RefusedError(f"{name}: round {number} is over, and the pairings after it rest on it")
    return state.rounds[number - 1]


def _expect_at_rest(contest: Contest, number: int, place: int) -> None:
    """Refuse an encounter whose match is under way."""
    if number == contest.state.phase.round and contest.encounters.is_playing(place):
        one, two = contest.state.encounter(place)
        raise RefusedError(
            f"{contest.name}: {one} and {two} are playing; wait, or pause it and annul their game"
        )


async def forfeit(target: Target, wanted: OneEventBot, _order: Order) -> Plan:
    """Plan the forfeit of what a bot has not played of the present round."""
    contest, bot = _found(target, wanted.event), wanted.bot
    number = _present_round(contest).number
    games = contest.encounters.unplayed_of(bot)
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
    """Plan to let one game of the present round be played again; one under way is aborted."""
    contest = _found(target, wanted.event)
    state, present = contest.state, _present_round(contest)
    table = target.sessions.tables.find(wanted.game)
    context = None if table is None else table.match.event_context
    if context is not None and context.event == contest.name:
        return await abort(target, AbortGame(game=wanted.game, reason=order.why), order)
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
    one, two = contest.state.encounter(place)
    _expect_at_rest(contest, contest.state.phase.round, place)
    if not numbers:
        raise RefusedError(f"{contest.name}: {one} and {two} have not played yet")
    changes = (
        Change("game", str(number), contest.state.rows[number].reason, "to be played again")
        for number in sorted(numbers)
    )
    return _plan(contest, lambda: contest.replayed({place: numbers}, order.by, order.why), *changes)


def _plan(
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


def _state(contest: Contest) -> str:
    return contest.state.phase.state.value


def _found(target: Target, name: str) -> Contest:
    contest = target.sessions.contests.get(name)
    if contest is None:
        known = ", ".join(each.name for each in target.sessions.contests.all_contests)
        raise RefusedError(f"there is no event {name}; there are: {known or 'none'}")
    return contest

"""Events: results that the organiser sets, and games that are lost or played again by order."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from mancala.protocol.messages import Reason
from mancala.protocol.text import quantity

from ...config.events import Format
from ...contest.events.lifecycle import EventState
from ...contest.events.pairings import PairedRound
from ...contest.events.terms import BRACKETS, seats_of
from ...contest.live.contest import Contest
from ...model.contests import EventGameRow
from ..actions import AbortGame, AnnulEventGame, OneEventBot, SetResult
from ..operator import Order, Plan, RefusedError, Target, UsageError, noted
from ..wire import Change
from .events import event_of_name, plan_of, state_of
from .games import abort

NEEDS_RESULTS: Final = BRACKETS | {Format.ARENA}
"""The formats whose rounds are found again from all results."""


async def result(target: Target, wanted: SetResult, order: Order) -> Plan:
    """Plan results of an encounter that are set by hand, with a reason that all read."""
    contest, bot = event_of_name(target, wanted.event), wanted.bot
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
    seats = seats_of(paired.round.encounters[place], contest.state.regulations.games, number)
    own = seats.index(wanted.bot)
    winner = {"win": own, "loss": 1 - own}.get(wanted.result)
    return contest.state.ruled(number, seats, winner, why)


async def result_back(target: Target, what: Mapping[str, Any], order: Order) -> Plan:
    """Plan that games have the results again which they had before they were set by hand."""
    contest = event_of_name(target, what["arguments"]["event"])
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
    plan = plan_of(contest, lambda: contest.ruled(rows, number, order.by, why), *changes)
    return replace(plan, record={"round": number, "former": former, "made": rows})


def _result(row: EventGameRow) -> str:
    if row.reason == Reason.ABORTED.value:
        return "no result"
    return "drawn" if row.winner is None else f"{(row.first, row.second)[row.winner]} won"


def _correctable_round(contest: Contest, number: int) -> PairedRound:
    state, name = contest.state, contest.name
    if state.phase.state in {EventState.PUBLISHED, EventState.CANCELLED}:
        raise RefusedError(f"{name} is {state_of(contest)}, and its results are final")
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
    contest, bot = event_of_name(target, wanted.event), wanted.bot
    number = _present_round(contest).number
    games = contest.encounters.unplayed_of(bot)
    if not games:
        raise RefusedError(
            f"{contest.name}: {bot} has no game left in round {number}, or plays it now"
        )
    changes = (Change("game", str(row.number), None, f"lost by {bot}") for row in games)
    return plan_of(contest, lambda: contest.forfeit(bot), *changes)


async def replay(target: Target, wanted: OneEventBot, order: Order) -> Plan:
    """Plan to let a bot's games of the present round be played again."""
    contest = event_of_name(target, wanted.event)
    present = _present_round(contest)
    for place, encounter in enumerate(present.round.encounters):
        if wanted.bot in encounter:
            numbers = {*contest.state.numbers_of(place)} & {*contest.state.rows}
            return _again(contest, place, numbers, order)
    raise RefusedError(f"{contest.name}: {wanted.bot} has no opponent in round {present.number}")


async def annul(target: Target, wanted: AnnulEventGame, order: Order) -> Plan:
    """Plan to let one game of the present round be played again; one under way is aborted."""
    contest = event_of_name(target, wanted.event)
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
        raise RefusedError(f"{contest.name}: no round is being played, it is {state_of(contest)}")
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
    return plan_of(
        contest, lambda: contest.replayed({place: numbers}, order.by, order.why), *changes
    )

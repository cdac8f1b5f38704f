"""Games that are aborted, annulled, or count again.

An annulled game stays in the archive. It is taken out of everything that games add up to: totals,
accuracies, a ladder's tallies and pairs, and so its ratings and standings. What was published of it
is corrected on MQTT.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

from ..contest.live.contest import Contest
from ..ladders.ladder import Ladder
from ..ladders.ratings import correction_entries, forfeited_by
from ..ladders.state import CountedGame, LadderState
from ..model.game import Seats, Standing
from ..model.journal import Announced, Announcement, Entry, GamesMarked
from ..model.pair_counts import by_name
from ..store.rows.ladders import kept_ladders
from ..store.rows.reviews import unreviewed
from ..store.upkeep.annulled import (
    MOST_GAMES,
    FinishedGame,
    Selection,
    end_of_part,
    find,
    find_all,
    of_matches,
)
from .actions import Action, Arguments, Order, Plan, RefusedError, UsageError
from .target import Target
from .times import instant_of
from .wire import Change

GAMES_A_PAYLOAD: Final = 200
"""Games in one announcement, some 10 kB."""
SHOWN_ROWS: Final = 20
"""Rows of a table that the operator sees, besides those of bots whose games change."""

Pair = tuple[Seats, tuple[float, float]]


class AbortGame(Arguments, frozen=True):
    """End a game under way, and its match; the game does not count.

    Attributes:
        game: its id.
        reason: one sentence, which both players read.
    """

    game: str
    reason: str = ""


class SelectGames(Arguments, frozen=True):
    """Name finished games; what is left out does not matter.

    Attributes:
        games: their ids.
        match: the match they belong to.
        bot: a bot that played.
        other: the other one.
        ladder: the ladder they were played in.
        since: began then or later, RFC 3339.
        until: began before.
        reason: one sentence, which is published.
    """

    games: tuple[str, ...] = ()
    match: str | None = None
    bot: str | None = None
    other: str | None = None
    ladder: str | None = None
    since: str | None = None
    until: str | None = None
    reason: str = ""


async def _abort(target: Target, wanted: AbortGame, _order: Order) -> Plan:
    table = target.sessions.tables.find(wanted.game)
    if table is None:
        if await target.store.read(partial(find, selection=Selection((wanted.game,)))):
            raise RefusedError(f"game {wanted.game} is over; annul it, or abort one under way")
        raise RefusedError(f"no game {wanted.game} is under way")
    match = table.match.id
    detail = f"ended by the organiser{f': {wanted.reason}' if wanted.reason else ''}"

    async def commit(entries: Sequence[Entry]) -> None:
        target.sessions.tables.end_match(match, detail, entries)
        while target.sessions.tables.find(wanted.game) is table:
            await target.store.read(lambda _transaction: None)

    changed = (
        Change("game", wanted.game, "under way", "aborted"),
        Change("match", match, "under way", "ended"),
    )
    return Plan(changed=changed, commit=commit)


async def _annul(target: Target, wanted: SelectGames, order: Order) -> Plan:
    found = await target.store.read_apart(partial(find, selection=_selection(wanted)))
    if len(found) > MOST_GAMES:
        end = await target.store.read_apart(partial(end_of_part, selection=_selection(wanted)))
        raise RefusedError(
            f"these are more than {MOST_GAMES} games; annul those that began before {end} (until)"
            " first, and then those that began since"
        )
    if not found and not wanted.games:
        raise RefusedError("no finished game is meant: look at the names and times that were given")
    missing = sorted(set(wanted.games) - {game.id for game in found})
    if missing and target.sessions.tables.find(missing[0]) is not None:
        raise RefusedError(f"game {missing[0]} is under way; abort it first")
    if missing:
        raise RefusedError(f"no finished game {missing[0]}")
    if wanted.games and any(game.is_under_way for game in found):
        under_way = next(game for game in found if game.is_under_way)
        raise RefusedError(
            f"the match {under_way.match} of game {under_way.id} is under way; abort it first"
        )
    chosen = [game for game in found if not (game.is_annulled or game.is_under_way)]
    left_out = sum(game.is_under_way for game in found)
    facts = {"games": len(chosen), "left_out": left_out}
    return await _correction(target, chosen, order, wanted.reason, counts=False, facts=facts)


async def annulled(
    target: Target, chosen: Sequence[FinishedGame], order: Order, reason: str
) -> Plan:
    """Plan to annul these games."""
    facts = {"games": len(chosen)}
    return await _correction(target, chosen, order, reason, counts=False, facts=facts)


async def reinstate(target: Target, what: Mapping[str, Any], order: Order) -> Plan:
    """Plan to let games count again that a former action annulled."""
    found = await target.store.read(partial(find_all, ids=what["games"]))
    chosen = [game for game in found if game.is_annulled]
    facts = {"games": len(chosen)}
    return await _correction(target, chosen, order, order.why, counts=True, facts=facts)


def _selection(wanted: SelectGames) -> Selection:
    named = (wanted.games, wanted.match, wanted.bot, wanted.since)
    if not any(named):
        raise UsageError("name the games: by id, match, bot or time (since)")
    if wanted.other is not None and wanted.bot is None:
        raise UsageError("a pair needs both bots: bot and other")
    return Selection(
        wanted.games,
        wanted.match,
        wanted.bot,
        wanted.other,
        wanted.ladder,
        None if wanted.since is None else instant_of(wanted.since),
        None if wanted.until is None else instant_of(wanted.until),
    )


class _Correction(NamedTuple):
    """What games mean to one ladder."""

    ladder: str
    games: list[CountedGame]
    pairs: list[Pair]


async def _correction(
    target: Target,
    chosen: Sequence[FinishedGame],
    order: Order,
    reason: str,
    *,
    counts: bool,
    facts: Mapping[str, object],
) -> Plan:
    """Plan to take games out of all tables, or to let them count again."""
    by_match = await target.store.read(
        partial(of_matches, ids={game.match: None for game in chosen})
    )
    corrections = _by_ladder(chosen, by_match, counts=counts)
    before = _tables(target, corrections)
    sign = 1 if counts else -1
    unconfigured = await _unconfigured(target, corrections, sign)
    ladders = [
        (each, ladder)
        for each in corrections
        if (ladder := target.sessions.ladders.get(each.ladder)) is not None
    ]
    ids = tuple(game.id for game in chosen)
    reviews, contests = target.sessions.reviews, target.sessions.contests.having(ids)
    again = await target.store.read(partial(unreviewed, ids=ids)) if counts else []
    queued = reviews.wanted_again(again)

    def entries() -> list[Entry]:
        made = [*unconfigured]
        for each, ladder in ladders:
            made += ladder.correct(each.games, each.pairs, sign=sign)
        made += _correct_events(contests, ids, order, reason, counts=counts)
        marked = GamesMarked(ids, None if counts else order.at)
        announced = _announced(target, chosen, order, reason, counts=counts)
        return [*made, marked, *queued, *announced]

    def roll_back() -> None:
        for each, ladder in ladders:
            ladder.correct(each.games, each.pairs, sign=-sign)
        _each(contests, Contest.stop)

    def done() -> None:
        reviews.count_again(queued)
        _each(contests, Contest.look)

    async def after() -> Mapping[str, object]:
        for _, ladder in ladders:
            await refit(ladder)
        return {"tables": _both(before, _tables(target, corrections))}

    states = ("annulled", "counts") if counts else ("counts", "annulled")
    return Plan(
        changed=tuple(Change("game", game, *states) for game in ids),
        facts={**facts, "tables": _both(before, {})},
        record={"games": ids},
        entries=entries,
        done=done,
        roll_back=roll_back,
        after=after,
    )


def _correct_events(
    contests: Iterable[Contest], games: Sequence[str], order: Order, reason: str, *, counts: bool
) -> list[Entry]:
    """Leave games out of the tables of events, or count them again; the latest round plays on."""
    return [
        entry
        for contest in contests
        for entry in contest.corrected(games, counts=counts, by=order.by, why=reason)
    ]


def _each(contests: Iterable[Contest], act: Callable[[Contest], None]) -> None:
    for contest in contests:
        act(contest)


async def _unconfigured(
    target: Target, corrections: Sequence[_Correction], sign: int
) -> list[Entry]:
    """Return the entries of ladders that are only in the store."""
    names = {each.ladder for each in corrections}
    strange = {name for name in names if target.sessions.ladders.get(name) is None}
    if not strange:
        return []
    kept = await target.store.read(kept_ladders)
    entries: list[Entry] = []
    for each in corrections:
        if each.ladder in strange and each.ladder in kept:
            known = kept[each.ladder]
            state = LadderState({}, known.entrants, known.tallies, (), known.pairs)
            found = state.correct(each.games, each.pairs, sign=sign)
            entries += correction_entries(each.ladder, found)
    return entries


async def refit(ladder: Ladder) -> None:
    """Fit a ladder's ratings again; return once they are handed in."""
    fitted = asyncio.Event()
    ladder.refit(fitted.set)
    await fitted.wait()


def _by_ladder(
    chosen: Iterable[FinishedGame],
    by_match: Mapping[str, Sequence[FinishedGame]],
    *,
    counts: bool,
) -> list[_Correction]:
    games: defaultdict[str, list[CountedGame]] = defaultdict(list)
    pairs: defaultdict[str, list[Pair]] = defaultdict(list)
    ids = {game.id for game in chosen}
    for game in chosen:
        if game.ladder is not None and game.tallied:
            forfeited = forfeited_by(game.reason, game.winner)
            games[game.ladder].append(CountedGame(game.entrants, game.winner, forfeited))
    for match in by_match.values():
        for first, second in zip(match[::2], match[1::2], strict=False):
            if first.ladder is not None and _changes(first, second, ids, counts=counts):
                pairs[first.ladder].append(_pair(first, second))
    return [_Correction(ladder, games[ladder], pairs[ladder]) for ladder in games]


def _changes(first: FinishedGame, second: FinishedGame, ids: set[str], *, counts: bool) -> bool:
    """Return whether two games are a pair that counts before or after, and not both."""
    if not (first.tallied and second.tallied):
        return False
    both = first, second
    before = not any(game.is_annulled for game in both)
    after = all(counts if game.id in ids else not game.is_annulled for game in both)
    return before != after


def _pair(first: FinishedGame, second: FinishedGame) -> Pair:
    """Return the points of a pair as its ladder counts it."""
    return by_name(first.entrants, (first.points(0), second.points(0)))


def _announced(
    target: Target,
    chosen: Sequence[FinishedGame],
    order: Order,
    reason: str,
    *,
    counts: bool,
) -> list[Announced]:
    def announcement(some: Sequence[FinishedGame]) -> Announcement:
        games = tuple((game.id, game.ladder is not None) for game in some)
        context = target.context
        return context.events.annulled(context.new_id(), games, order.at, reason, counts=counts)

    begins = range(0, len(chosen), GAMES_A_PAYLOAD)
    return [Announced(announcement(chosen[at : at + GAMES_A_PAYLOAD])) for at in begins]


def _tables(target: Target, corrections: Sequence[_Correction]) -> dict[str, list[Standing]]:
    """Return the rows of the ladders: the best, and the bots concerned."""
    tables = {}
    for each in corrections:
        ladder = target.sessions.ladders.get(each.ladder)
        if ladder is not None:
            concerned = {name for game in each.games for name in game.seats}
            rows = ladder.standings()
            tables[each.ladder] = [
                row for place, row in enumerate(rows) if place < SHOWN_ROWS or row.name in concerned
            ]
    return tables


def _both(
    before: Mapping[str, list[Standing]], after: Mapping[str, list[Standing]]
) -> dict[str, object]:
    return {ladder: {"before": rows, "after": after.get(ladder)} for ladder, rows in before.items()}


GAME_ACTIONS: Final = (Action("abort", AbortGame, _abort), Action("annul", SelectGames, _annul))

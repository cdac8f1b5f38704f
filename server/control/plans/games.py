"""Games that are aborted, annulled, or count again.

An annulled game stays in the archive. It is taken out of everything that games add up to: totals,
accuracies, a ladder's tallies and pairs, and so its ratings and standings. What was published of it
is corrected on MQTT.
"""

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

from ...ladders.ladder import Ladder
from ...ladders.ratings import correction_entries, forfeited_by
from ...ladders.state import CountedGame, LadderState
from ...model.game import Seats, Standing
from ...model.journal import Announced, Entry, GamesMarked
from ...model.pair_counts import by_name
from ...store.rows.ladders import kept_ladders
from ...store.rows.reviews import unreviewed
from ...store.upkeep.annulled import (
    MOST_GAMES,
    FinishedGame,
    Selection,
    end_of_part,
    find,
    find_all,
    of_matches,
)
from ..actions import AbortGame, AnnulGames
from ..operator import Order, Plan, RefusedError, Target, UsageError, instant_of
from ..wire import Change

GAMES_A_PAYLOAD: Final = 200
"""Games in one announcement, some 10 kB."""
SHOWN_ROWS: Final = 20
"""Rows of a table that the operator sees, besides those of bots whose games change."""


async def abort(target: Target, wanted: AbortGame, _order: Order) -> Plan:
    tables = target.sessions.tables
    table = tables.find(wanted.game)
    is_over = f"game {wanted.game} is over; annul it, or abort one under way"
    if table is None:
        if await target.store.run(find, selection=Selection((wanted.game,))):
            raise RefusedError(is_over)
        raise RefusedError(f"no game {wanted.game} is under way")
    match = table.match.id
    detail = f"ended by the organiser{f': {wanted.reason}' if wanted.reason else ''}"

    async def commit(entries: Sequence[Entry]) -> None:
        tables.end_match(match, detail, entries)
        while tables.find(wanted.game) is table:
            await target.store.run(lambda _transaction: None)
        if not table.is_ended:  # the match ended by itself before its turn came
            raise RefusedError(is_over)

    changed = (
        Change("game", wanted.game, "under way", "aborted"),
        Change("match", match, "under way", "ended"),
    )
    return Plan(changed=changed, commit=commit)


async def annul(target: Target, wanted: AnnulGames, order: Order) -> Plan:
    """Plan to annul games that are over; those of matches under way are left out."""
    selection = _selection(wanted)
    found = await target.store.read_apart(find, selection=selection)
    if len(found) > MOST_GAMES:
        end = await target.store.read_apart(end_of_part, selection=selection)
        raise RefusedError(
            f"these are more than {MOST_GAMES} games; annul those that began before {end} (until)"
            " first, and then those that began since"
        )
    under_way = [game for game in found if game.is_under_way]
    _expect_finished(target, wanted.games, found, under_way)
    chosen = [game for game in found if not (game.is_annulled or game.is_under_way)]
    plan = await corrected(target, chosen, order, wanted.reason, counts=False)
    return replace(plan, facts={**plan.facts, "left_out": len(under_way)})


def _expect_finished(
    target: Target,
    named: Sequence[str],
    found: Sequence[FinishedGame],
    under_way: Sequence[FinishedGame],
) -> None:
    """Refuse a selection without a game, and games named by id that are not over."""
    if not found and not named:
        raise RefusedError("no finished game is meant: look at the names and times that were given")
    missing = sorted(set(named) - {game.id for game in found})
    if missing and target.sessions.tables.find(missing[0]) is not None:
        raise RefusedError(f"game {missing[0]} is under way; abort it first")
    if missing:
        raise RefusedError(f"no finished game {missing[0]}")
    if named and under_way:
        raise RefusedError(
            f"the match {under_way[0].match} of game {under_way[0].id} is under way; abort it first"
        )


def _selection(wanted: AnnulGames) -> Selection:
    if not any((wanted.games, wanted.match, wanted.bot, wanted.since)):
        raise UsageError("name the games: by id, match, bot or time (since)")
    if wanted.other is not None and wanted.bot is None:
        raise UsageError("a pair needs both bots: bot and other")
    since, until = (
        None if each is None else instant_of(each) for each in (wanted.since, wanted.until)
    )
    return Selection(
        tuple(wanted.games), wanted.match, wanted.bot, wanted.other, wanted.ladder, since, until
    )


async def reinstate(target: Target, what: Mapping[str, Any], order: Order) -> Plan:
    """Plan to let games count again that a former action annulled."""
    found = await target.store.run(find_all, ids=what["games"])
    chosen = [game for game in found if game.is_annulled]
    return await corrected(target, chosen, order, order.why, counts=True)


class _Correction(NamedTuple):
    """What games mean to one ladder: the games themselves, and the points of pairs of them."""

    ladder: str
    games: list[CountedGame]
    pairs: list[tuple[Seats, tuple[float, float]]]


async def corrected(
    target: Target, chosen: Sequence[FinishedGame], order: Order, reason: str, *, counts: bool
) -> Plan:
    """Plan to take games out of all tables, or to let them count again."""
    ids = tuple(game.id for game in chosen)
    matches = await target.store.run(of_matches, ids={game.match: None for game in chosen})
    corrections = _by_ladder(chosen, matches.values(), counts=counts)
    before, sign = _tables(target, corrections), 1 if counts else -1
    unconfigured = await _unconfigured(target, corrections, sign)
    ladders = [
        (each, ladder)
        for each in corrections
        if (ladder := target.sessions.ladders.get(each.ladder)) is not None
    ]
    reviews, contests = target.sessions.reviews, target.sessions.contests.having(ids)
    again = await target.store.run(unreviewed, ids=ids) if counts else []
    queued = reviews.wanted_again(again)

    def entries() -> list[Entry]:
        made = [*unconfigured]
        for each, ladder in ladders:
            made += ladder.correct(each.games, each.pairs, sign=sign)
        for contest in contests:  # the latest round plays on
            made += contest.corrected(ids, counts=counts, by=order.by, why=reason)
        made += [GamesMarked(ids, None if counts else order.at), *queued]
        return [*made, *_announced(target, chosen, order, reason, counts=counts)]

    def roll_back() -> None:
        for each, ladder in ladders:
            ladder.correct(each.games, each.pairs, sign=-sign)
        for contest in contests:
            contest.stop()

    def done() -> None:
        reviews.count_again(queued)
        for contest in contests:
            contest.look()

    async def after() -> Mapping[str, object]:
        await refit(*(ladder for _, ladder in ladders))
        return {"tables": _both(before, _tables(target, corrections))}

    states = ("annulled", "counts") if counts else ("counts", "annulled")
    return Plan(
        changed=tuple(Change("game", game, *states) for game in ids),
        facts={"games": len(ids), "tables": _both(before, {})},
        record={"games": ids},
        entries=entries,
        done=done,
        roll_back=roll_back,
        after=after,
    )


async def _unconfigured(
    target: Target, corrections: Sequence[_Correction], sign: int
) -> list[Entry]:
    strange = [each for each in corrections if target.sessions.ladders.get(each.ladder) is None]
    kept = await target.store.run(kept_ladders) if strange else {}
    entries: list[Entry] = []
    for each in strange:
        if (known := kept.get(each.ladder)) is not None:
            state = LadderState({}, known.entrants, known.tallies, (), known.pairs)
            found = state.correct(each.games, each.pairs, sign=sign)
            entries += correction_entries(each.ladder, found)
    return entries


async def refit(*ladders: Ladder) -> Mapping[str, object]:
    """Fit the ratings of ladders again; return, no fact, once they are handed in."""
    for ladder in ladders:
        fitted = asyncio.Event()
        ladder.refit(fitted.set)
        await fitted.wait()
    return {}


def _by_ladder(
    chosen: Iterable[FinishedGame], matches: Iterable[Sequence[FinishedGame]], *, counts: bool
) -> list[_Correction]:
    found: dict[str, _Correction] = {}
    ids = {game.id for game in chosen}
    for game in chosen:
        if game.ladder is not None and game.tallied:
            forfeited = forfeited_by(game.reason, game.winner)
            correction = found.setdefault(game.ladder, _Correction(game.ladder, [], []))
            correction.games.append(CountedGame(game.entrants, game.winner, forfeited))
    for match in matches:
        for one, two in zip(match[::2], match[1::2], strict=False):
            if one.ladder is not None and _changes(one, two, ids, counts=counts):
                points = by_name(one.entrants, (one.points(0), two.points(0)))
                found[one.ladder].pairs.append(points)
    return [*found.values()]


def _changes(first: FinishedGame, second: FinishedGame, ids: set[str], *, counts: bool) -> bool:
    """Return whether two games are a pair that counts before or after, and not both."""
    if not (first.tallied and second.tallied):
        return False
    both = first, second
    before = not any(game.is_annulled for game in both)
    after = all(counts if game.id in ids else not game.is_annulled for game in both)
    return before != after


def _announced(
    target: Target, chosen: Sequence[FinishedGame], order: Order, reason: str, *, counts: bool
) -> Iterator[Announced]:
    context = target.context
    for at in range(0, len(chosen), GAMES_A_PAYLOAD):
        part = chosen[at : at + GAMES_A_PAYLOAD]
        games = tuple((game.id, game.ladder is not None) for game in part)
        yield Announced(
            context.events.annulled(context.new_id(), games, order.at, reason, counts=counts)
        )


def _tables(target: Target, corrections: Sequence[_Correction]) -> dict[str, list[Standing]]:
    tables = {}
    for each in corrections:
        ladder = target.sessions.ladders.get(each.ladder)
        if ladder is not None:
            concerned = {name for game in each.games for name in game.seats}
            rows = enumerate(ladder.state.standings())
            tables[each.ladder] = [
                row for place, row in rows if place < SHOWN_ROWS or row.name in concerned
            ]
    return tables


def _both(
    before: Mapping[str, list[Standing]], after: Mapping[str, list[Standing]]
) -> dict[str, object]:
    return {ladder: {"before": rows, "after": after.get(ladder)} for ladder, rows in before.items()}

"""How strong a player is, without a server: proven positions, games with the levels, reviews.

A part of `mancala.headless`, whose names lead here as well.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Sequence
from itertools import chain, repeat
from math import inf
from typing import TYPE_CHECKING, Final

from msgspec import structs

from mancala.bot.yardstick.positions import positions as hard_ones
from mancala.headless import SOURCE, job_of, open_executor, opening_boards
from mancala.server.contest.headless.event import Contender
from mancala.server.contest.headless.game import Conditions
from mancala.server.contest.workers.cluster import open_pool
from mancala.server.contest.workers.players import PlayerSource, open_players

if TYPE_CHECKING:
    from mancala.engine.yardstick import Demand
    from mancala.protocol.loss import ProvenPosition
    from mancala.server.contest.rate.answers import PositionAnswer
    from mancala.server.contest.rate.gauntlet import GauntletEnd, GauntletLimits, Meeting
    from mancala.server.contest.rate.rating import PlayerRating

ERROR_ELO: Final = 25.0
MINUTES: Final = 10.0


def rate(
    contender: Contender,
    conditions: Conditions,
    *,
    positions: int = 120,
    hard: int = 0,
    review_s: float = 0.0,
    limits: GauntletLimits | None = None,
    workers: int | None = None,
    cluster: str | None = None,
    source: PlayerSource = SOURCE,
) -> Iterator[PlayerRating]:
    """Report how strong a player is; yield what is known after each answer and round of games.

    Args:
        contender: the player.
        conditions: the time for a move, and the seed of positions, openings and games.
        positions: proven positions that it is asked in, and a third as many openings.
        hard: how often it is asked in each position of the test split of `mancala.yardstick`, in
            the place of those; 0 for not.
        review_s: seconds for a review of each of its games with the levels, as many at a time as
            games are played; 0 for none.
        limits: what ends the games with the levels, 0 pairs for none; None for the usual.
        workers: games at a time; None for one per core.
        cluster: address of a Dask scheduler; None for processes on this machine.
        source: what makes the player.

    Raises:
        Exception: as `open_executor`, and WorkerLostError while a position is being proven.
    """
    from mancala.engine.yardstick import OPENINGS_SHARE, distinct, draw
    from mancala.engine.yardstick import openings as kept_openings
    from mancala.server.contest.rate.answers import answers
    from mancala.server.contest.rate.rating import PlayerRating

    limits = limits or gauntlet_limits()
    rating = PlayerRating(contender.name, conditions.seed, conditions.margin_ms)
    job = job_of((contender,), conditions, source=source, cluster=cluster)
    with open_players(job, workers=workers, cluster=cluster) as team:
        proven: dict[int, ProvenPosition] = {}
        boards = set[str]()
        for each in draw(team.executor, conditions.seed, 0 if hard else positions, proven):
            boards.add(each.board)
            rating.proven = len(boards)
            yield rating
        openings = kept_openings(conditions.seed, positions // OPENINGS_SHARE, len(proven))
        asked = list(_hard(hard)) if hard else [*distinct(proven.values()), *openings]
        for answer in answers(team.executor, job, asked):
            rating.asked.append(answer)
            yield rating
            if rating.silence:
                return
    if limits.pairs:
        rounds = meet_levels(
            *(contender, conditions, limits), workers=workers, cluster=cluster, source=source
        )
        yield from _placed(rating, rounds)
    if review_s and rating.counted:
        yield from _reviewed(rating, review_s, workers, cluster)


def steps_in(positions: int, hard: int, limits: GauntletLimits, review_s: float) -> int:
    """Return how many proofs, answers, games and reviews `rate` makes at most."""
    from mancala.engine.yardstick import OPENINGS_SHARE

    asked = hard * len(hard_ones()) if hard else 2 * positions + positions // OPENINGS_SHARE
    return asked + 2 * limits.pairs * (2 if review_s else 1)


def _hard(times: int) -> Iterator[ProvenPosition]:
    from mancala.engine.yardstick import choices_on

    chosen = [each._replace(choices=choices_on(each.to_board())) for each in hard_ones()]
    for number, each in enumerate(chain.from_iterable(repeat(chosen, times))):
        yield each._replace(number=number)


def _reviewed(
    rating: PlayerRating, seconds: float, workers: int | None, cluster: str | None
) -> Iterator[PlayerRating]:
    """Review the games that count; add what the player's moves lost, as ``mancala review`` does."""
    from mancala.engine import game_reviews
    from mancala.server.contest.rate.gauntlet import PLAYER

    records = [game.record for meeting in rating.counted for game in meeting.games]
    reviews = []
    with open_pool(workers, cluster) as team:
        for each in game_reviews.review(records, time_s=seconds, executor=team.executor):
            reviews.append(each)
            rating.reviewed = len(reviews)
            yield rating
    rating.regret = game_reviews.figures_of(game_reviews.accuracies(reviews)[PLAYER])
    yield rating


def _placed(
    rating: PlayerRating, rounds: Generator[list[Meeting], None, GauntletEnd]
) -> Iterator[PlayerRating]:
    """Add the rounds of a gauntlet to a rating until it ends, or no answer was ever valid."""
    while True:
        try:
            rating.meetings += next(rounds)
        except StopIteration as end:
            rating.ended_by = end.value
            return
        yield rating
        if rating.silence:
            rounds.close()
            return


def gauntlet_limits(
    error: float | None = None, minutes: float | None = None, games: int | None = None
) -> GauntletLimits:
    """Return what ends games with the levels: the usual error and time, unless games are given."""
    from mancala.server.contest.rate.gauntlet import MOST_PAIRS, GauntletLimits

    if games is None:
        error = ERROR_ELO if error is None else error
        minutes = MINUTES if minutes is None else minutes
    ends_at = inf if minutes is None else time.monotonic() + 60 * minutes
    return GauntletLimits(MOST_PAIRS if games is None else games // 2, error or 0.0, ends_at)


def ask(
    contender: Contender,
    conditions: Conditions,
    positions: Sequence[ProvenPosition],
    *,
    workers: int | None = None,
) -> Iterator[PositionAnswer]:
    """Ask a player in proven positions; yield the answers as they come."""
    from mancala.server.contest.rate.answers import answers

    job = job_of((contender,), conditions)
    with open_players(job, workers=workers) as team:
        yield from answers(team.executor, job, positions)


def prove_positions(
    seed: int,
    count: int,
    proven: dict[int, ProvenPosition],
    demands: Sequence[Demand],
    *,
    cluster: str | None = None,
) -> Iterator[ProvenPosition]:
    """Prove a seed's first positions of different boards, as `mancala.engine.yardstick.draw` does.

    Args:
        seed: whose positions they are.
        count: the number wanted.
        proven: those proven before, by number; each is added.
        demands: what the phases demand, in turn.
        cluster: address of a Dask scheduler; None for processes on this machine.

    Raises:
        ClusterError: when the cluster cannot be used.
        WorkerLostError: when workers are lost.
    """
    from mancala.engine.yardstick import draw

    with open_pool(cluster=cluster) as team:
        yield from draw(team.executor, seed, count, proven, demands)


def meet_levels(
    contender: Contender,
    conditions: Conditions,
    limits: GauntletLimits,
    *,
    workers: int | None = None,
    cluster: str | None = None,
    source: PlayerSource = SOURCE,
) -> Generator[list[Meeting], None, GauntletEnd]:
    """Let a player meet the levels; yield each round's meetings, return what ended them."""
    from mancala.engine.skill import FULL_LEVEL
    from mancala.server.contest.rate.gauntlet import PLAYER, meetings

    levels = tuple(map(level_contender, range(1, FULL_LEVEL + 1)))
    conditions = structs.replace(conditions, untimed=tuple(level.name for level in levels))
    contenders = (Contender(PLAYER, contender.spec), *levels)
    boards = opening_boards(conditions.rules, limits.pairs, seed=conditions.seed)
    with open_executor(
        *(contenders, conditions), workers=workers, cluster=cluster, source=source
    ) as executor:
        return (yield from meetings(executor, boards, limits))


def level_contender(level: int, nodes: int | None = None) -> Contender:
    """Return a level as it is on the scale: the engine itself is bounded by nodes."""
    from mancala.engine.skill import FULL_LEVEL, LEVEL_10_NODES
    from mancala.server.contest.rate.gauntlet import level_name

    bound = f",nodes={nodes or LEVEL_10_NODES}" if level == FULL_LEVEL else ""
    return Contender(level_name(level), f"engine:level={level}{bound}")

"""Matches, tournaments, ratings and data sets without a server: where the rooms meet.

Players (`mancala.bot`), openings and proofs (`mancala.engine`), and the referee with its workers
(`mancala.server.contest`) do not know one another. They are put together here, for the commands and
for programs. Nothing is printed: what goes on is yielded or handed to callbacks, and what cannot be
done is raised. What loads the compiler is imported where it is needed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain, repeat
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from msgspec import structs

from mancala.bot.players.compiled import batch_of, compiled_player, is_quick
from mancala.bot.players.programs.net import restored
from mancala.bot.players.registry import (
    check_spec,
    files_of,
    kind_of,
    make_player,
    outside,
    with_file_at,
)
from mancala.bot.players.spec import PROGRAM, PlayerSpec
from mancala.bot.yardstick.positions import positions as hard_ones
from mancala.engine import openings
from mancala.protocol.clock import TimeControl
from mancala.protocol.player import START_UP_S
from mancala.protocol.rules import KALAH, Rules
from mancala.server.config.events import Format, most_swiss_rounds, too_many_rounds
from mancala.server.contest.events.plan import BRACKETS, FORMATS, usual_rounds
from mancala.server.contest.headless.event import Contender, Event, most_pairs
from mancala.server.contest.headless.game import UNTIMED_LIMIT_S, Conditions
from mancala.server.contest.headless.runs import match_event
from mancala.server.contest.workers.cluster import open_pool
from mancala.server.contest.workers.players import (
    WARM_UP_S,
    CarriedFile,
    Job,
    PlayerSource,
    open_players,
    open_workers,
)

if TYPE_CHECKING:
    from mancala.engine.dataset_files import DatasetCard
    from mancala.engine.game_reviews import Reviewed
    from mancala.engine.hard_positions import HardCard
    from mancala.engine.yardstick import Demand
    from mancala.protocol.loss import ProvenPosition
    from mancala.protocol.record import GameRecord
    from mancala.server.contest.headless.executor import GameExecutor
    from mancala.server.contest.headless.played_game import PlayedGame
    from mancala.server.contest.headless.runs import EventRun
    from mancala.server.contest.rate.answers import PositionAnswer
    from mancala.server.contest.rate.gauntlet import GauntletEnd, GauntletLimits, Meeting
    from mancala.server.contest.rate.rating import PlayerRating

MARGIN_S: Final = 0.2
UNTIMED_BUDGET_S: Final = 0.1
"""Seconds a move for a player that needs a time, where none is given."""
START: Final = "start"
"""The source of openings that stands for the standard start."""
ERROR_ELO: Final = 25.0
MINUTES: Final = 10.0
MOST_PROOF_NODES: Final = 20_000_000


def _is_program(spec: str) -> bool:
    return PROGRAM in PlayerSpec.parse(spec).options


SOURCE: Final = PlayerSource(
    make_player, compiled_player, batch_of, is_quick, _is_program, outside, with_file_at
)
"""The players of the registry, as workers are sent them."""


def conditions_of(
    rules: Rules = KALAH,
    *,
    movetime: float | None = None,
    margin: float = MARGIN_S,
    start_up: float = START_UP_S,
    seed: int = 1,
) -> Conditions:
    """Return the conditions of every game.

    Args:
        rules: what is played.
        movetime: seconds a move for players without a limit of their own; None lets no clock run.
        margin: seconds that an answer may be late.
        start_up: seconds for a program from its start to its first answer.
        seed: decides everything random in the games.
    """
    budget_s = UNTIMED_BUDGET_S if movetime is None else movetime
    limit_s = UNTIMED_LIMIT_S if movetime is None else budget_s + margin
    margin_ms = 0 if movetime is None else round(1000 * margin)
    clock = TimeControl.for_each_move(limit_s)
    return Conditions(rules, clock, budget_s, seed, margin_ms, start_up)


def contenders_of(
    players: Iterable[str], *, depth: int | None = None, nodes: int | None = None
) -> tuple[Contender, ...]:
    """Return the players, each ``SPEC`` or ``NAME=SPEC``; equal names get a number.

    ``depth`` and ``nodes`` are limits for those that take them and name none.

    Raises:
        SpecError: when one is none.
    """
    contenders = []
    for text in players:
        name, spec = _named(text)
        contenders.append(Contender(name, _limited(spec, depth, nodes)))
        check_spec(contenders[-1].spec)
    return numbered(contenders)


def numbered(contenders: Iterable[Contender]) -> tuple[Contender, ...]:
    """Return contenders with a number after each name that was there before."""
    known: dict[str, Contender] = {}
    for name, spec in ((each.name, each.spec) for each in contenders):
        free = (f"{name}#{n}" if n > 1 else name for n in range(1, len(known) + 2))
        new = next(each for each in free if each not in known)
        known[new] = Contender(new, spec)
    return tuple(known.values())


def _named(text: str) -> tuple[str, str]:
    name, equals, spec = text.partition("=")
    if equals and name.strip() and ":" not in name:
        return name.strip(), spec.strip()
    return text.strip(), text.strip()


def _limited(text: str, depth: int | None, nodes: int | None) -> str:
    """Return a spec with limits, if its player takes them and it names none."""
    spec = PlayerSpec.parse(text)
    options = dict(spec.options)
    known = {option.name for option in kind_of(spec).options}
    if {"movetime", "depth", "nodes"} <= known:
        if not {"movetime", "depth", "nodes"} & options.keys():
            given = {"depth": depth, "nodes": nodes}
            options |= {key: str(value) for key, value in given.items() if value is not None}
    elif "depth" in known and depth is not None:
        options = {"depth": str(depth), **options}
    return str(replace(spec, options=options))


def opening_boards(
    rules: Rules,
    pairs: int,
    *,
    seed: int,
    source: str | None = None,
    on_few: Callable[[int, int], object] = lambda *_: None,
) -> tuple[str, ...]:
    """Return the board that each pair of games begins from; none for the standard start.

    Args:
        rules: what is played.
        pairs: how many.
        seed: the same seed chooses the same.
        source: a file of openings, `START`, or None for the book that comes with the program.
        on_few: called with the number of openings of a file that holds fewer than there are pairs,
            and that of the pairs; the others begin from random positions.

    Raises:
        OpeningsError: when the file is no book, or for other rules.
        OSError: when it cannot be read.
    """
    if source == START:
        return ()
    book = openings.shipped(rules)
    if source is not None:
        try:
            book = openings.read(Path(source).read_bytes(), rules)
        except openings.OpeningsError as error:
            raise openings.OpeningsError(f"{source}: {error}") from None
        if len(book.openings) < pairs:
            on_few(len(book.openings), pairs)
    return tuple(each.board for each in openings.choose(book, rules, pairs, seed=seed))


def job_of(
    contenders: tuple[Contender, ...],
    conditions: Conditions,
    games: int | None = None,
    source: PlayerSource = SOURCE,
    *,
    cluster: str | None = None,
) -> Job:
    """Return what workers need to know to play about as many games as given, None for many.

    Those of a cluster get the files with weights that players name.
    """
    warm_up_s = WARM_UP_S + 2 * conditions.start_up_s  # a program may be started twice
    named = sorted(files_of(each.spec for each in contenders)) if cluster else ()
    files = tuple(CarriedFile(it, Path(it).read_bytes()) for it in named if Path(it).is_file())
    return Job(contenders, conditions, source, warm_up_s, games, files)


@contextmanager
def open_executor(
    contenders: tuple[Contender, ...],
    conditions: Conditions,
    *,
    workers: int | None = None,
    cluster: str | None = None,
    games: int | None = None,
    source: PlayerSource = SOURCE,
) -> Iterator[GameExecutor]:
    """Start workers for as long as the block lasts, as do sessions of bots in this folder.

    Args:
        contenders: who may play.
        conditions: what holds for every game.
        workers: games at a time; None for as many as there are cores, here or there.
        cluster: address of a Dask scheduler; None for processes on this machine.
        games: about how many there will be; None for many.
        source: what makes the players.

    Raises:
        SpecError: when a player cannot be made.
        PlayerError: when a player cannot play at all.
        ClusterError: when the cluster cannot be used.
        WorkerLostError: when a player hung or ended its worker while it was warmed up.
    """
    job = job_of(contenders, conditions, games, source, cluster=cluster)
    with restored(Path.cwd()), open_workers(job, workers=workers, cluster=cluster) as executor:
        yield executor


def played(
    run: EventRun,
    *,
    workers: int | None = None,
    cluster: str | None = None,
    source: PlayerSource = SOURCE,
) -> Generator[Sequence[PlayedGame], None, None]:
    """Resume a match or an event and play what is missing; yield games when they have ended.

    Raises:
        WriteError: when its journal cannot be written.
        WorkerLostError: when workers keep dying between games.
        Exception: as `open_executor`.
    """
    event = run.event
    yield from run.resume()
    if missing := run.missing:
        with open_executor(
            event.contenders,
            event.conditions,
            workers=workers,
            cluster=cluster,
            games=event.rounds * len(missing),
            source=source,
        ) as executor:
            yield from run.play(executor)


def match_of(
    contenders: tuple[Contender, ...],
    *,
    games: int,
    conditions: Conditions,
    source: str | None = None,
    on_few: Callable[[int, int], object] = lambda *_: None,
) -> Event:
    """Set up a match of two players over an even number of games; openings as `opening_boards`.

    Raises:
        Exception: as `opening_boards`; ValueError when there is no such match.
    """
    rules, seed = conditions.rules, conditions.seed
    boards = opening_boards(rules, games // 2, seed=seed, source=source, on_few=on_few)
    return match_event(contenders, conditions, games=games, openings=boards)


def event_of(
    contenders: tuple[Contender, ...],
    *,
    format: str,  # noqa: A002  # the field's word
    games: int,
    rounds: int | None,
    conditions: Conditions,
    source: str | None = None,
    on_few: Callable[[int, int], object] = lambda *_: None,
    replays: int = 1,
    **terms: Any,  # noqa: ANN401  # of several types
) -> Event:
    """Set up an event of two or more players, in order of seeding; openings as `opening_boards`.

    ``rounds`` are those of a Swiss event, waves of an arena, laps of a round robin; None for what
    is usual. ``replays`` are those of a knockout, ``terms`` further fields of an `Event`.

    Raises:
        Exception: as `opening_boards`; ValueError when there is no such event.
    """
    if format not in FORMATS:
        raise ValueError(f"the format is one of {', '.join(FORMATS)}, not {format!r}")
    kind, players = Format(format), len(contenders)
    most = most_swiss_rounds(players)
    if kind is Format.SWISS and rounds is not None and rounds > most > 0:
        raise ValueError(too_many_rounds(players, most, rounds))
    event = Event(
        kind,
        contenders,
        games,
        rounds or usual_rounds(kind, players),
        conditions,
        replays=replays if kind in BRACKETS else 0,
        **terms,
    )
    rules, seed = conditions.rules, conditions.seed
    boards = opening_boards(rules, most_pairs(event), seed=seed, source=source, on_few=on_few)
    return structs.replace(event, openings=boards)


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
    """Yield all hard positions, a number of times."""
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


def review(
    records: Iterable[GameRecord], *, time_s: float = 5.0, cluster: str | None = None
) -> Iterator[Reviewed]:
    """Yield each game with its review, in their order.

    Args:
        records: the games.
        time_s: seconds for each.
        cluster: address of a Dask scheduler, each of whose threads reviews a game at a time; None
            for one game after the other, here.

    Raises:
        ClusterError: when the cluster cannot be used.
        WorkerLostError: when workers are lost.
    """
    from mancala.engine import game_reviews

    if cluster is None:
        yield from game_reviews.review(records, time_s=time_s)
        return
    with open_pool(cluster=cluster) as team:
        yield from game_reviews.review(records, time_s=time_s, executor=team.executor)


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


def dataset(
    home: Path | str,
    *,
    positions: int = 100_000,
    seeds: tuple[int, int] = (8, 32),
    rules: Rules | str = KALAH,
    nodes: int = MOST_PROOF_NODES,
    shard: int = 5000,
    seed: int = 1,
    tables: int | None = None,
    workers: int | None = None,
    cluster: str | None = None,
    on_made: Callable[[int], object] = lambda _: None,
) -> DatasetCard:
    """Write positions with the exact values of all moves into a folder; return their card.

    A call that was interrupted goes on when it is repeated.

    Args:
        home: the folder, made if it is missing.
        positions: how many.
        seeds: the fewest and the most seeds in play; an equal number of positions for each.
        rules: a variant, or its text.
        nodes: a proof of more nodes ends with bounds.
        shard: positions in a file.
        seed: the same seed makes the same positions.
        tables: seeds that the endgame tables reach; None for the largest there are.
        workers: processes; None for one per core.
        cluster: address of a Dask scheduler; None for processes on this machine.
        on_made: called with the number of positions that there are, after each file.

    Raises:
        ValueError: when there are no such positions, or the folder holds others.
        OSError: when a file cannot be read or written.
        WorkerLostError: when a worker is lost.
    """
    from mancala.engine import dataset_files
    from mancala.engine.dataset import DatasetPlan
    from mancala.engine.search.engine import tables_for

    home = Path(home)
    chosen = Rules.of(rules)
    reach = tables_for(chosen, seeds=tables).seeds
    plan = DatasetPlan(chosen, seed, positions, shard, *seeds, nodes, reach)
    dataset_files.begin(home, plan)
    with open_pool(workers, cluster) as team:
        for made in dataset_files.make_shards(home, plan, team.executor):
            on_made(made)
    return dataset_files.write_card(home, plan)


def hard_positions(
    home: Path | str,
    *,
    positions: int = 300,
    rules: Rules | str = KALAH,
    seed: int = 1,
    workers: int | None = None,
    cluster: str | None = None,
    on_made: Callable[[int], object] = lambda _: None,
) -> HardCard:
    """Write hard positions with the exact values of all moves into a folder; return their card.

    No rule of thumb is best in many of them: see `mancala.engine.yardstick`. A call that was
    interrupted goes on when it is repeated.

    Args:
        home: the folder, made if it is missing.
        positions: how many.
        rules: a variant, or its text.
        seed: the same seed makes the same positions.
        workers: processes; None for one per core.
        cluster: address of a Dask scheduler; None for processes on this machine.
        on_made: called with the number of positions that there are, after each.

    Raises:
        ValueError: when there are no such positions, or the folder holds others.
        OSError: when a file cannot be read or written.
        WorkerLostError: when a worker is lost.
    """
    from mancala.engine import hard_positions as files

    plan = files.HardPlan(str(Rules.of(rules)), seed, positions)
    with open_pool(workers, cluster) as team:
        for made in files.make(Path(home), plan, team.executor):
            on_made(made)
    return files.read_card(Path(home))

"""Matches, tournaments, ratings and data sets without a server: where the rooms meet.

Players (`mancala.bot`), openings and proofs (`mancala.engine`), and the referee with its workers
(`mancala.server.contest`) do not know one another. They are put together here, for the commands and
for programs. Nothing is printed: what goes on is yielded or handed to callbacks, and what cannot be
done is raised. What loads the compiler is imported where it is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
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
from mancala.engine import openings
from mancala.lazy_names import homes_of, lazy_names
from mancala.protocol.clock import TimeControl
from mancala.protocol.player import START_UP_S
from mancala.protocol.rules import KALAH, Rules
from mancala.server.config.events import Format, most_swiss_rounds, too_many_rounds
from mancala.server.contest.events.plan import FORMATS, usual_rounds
from mancala.server.contest.events.terms import BRACKETS
from mancala.server.contest.headless.event import Contender, Event, most_pairs
from mancala.server.contest.headless.game import UNTIMED_LIMIT_S, Conditions
from mancala.server.contest.headless.runs import match_event
from mancala.server.contest.workers.cluster import open_pool
from mancala.server.contest.workers.players import (
    WARM_UP_S,
    CarriedFile,
    Job,
    PlayerSource,
    open_workers,
)

if TYPE_CHECKING:
    from mancala.engine.dataset_files import DatasetCard
    from mancala.engine.game_reviews import Reviewed
    from mancala.engine.hard_positions import HardCard
    from mancala.protocol.record import GameRecord
    from mancala.server.contest.headless.executor import GameExecutor
    from mancala.server.contest.headless.played_game import PlayedGame
    from mancala.server.contest.headless.runs import EventRun

MARGIN_S: Final = 0.2
UNTIMED_BUDGET_S: Final = 0.1
"""Seconds a move for a player that needs a time, where none is given."""
START: Final = "start"
"""The source of openings that stands for the standard start."""
MOST_PROOF_NODES: Final = 20_000_000


def _is_program(spec: str) -> bool:
    return PROGRAM in PlayerSpec.parse(spec).options


_RATING: Final = (
    "ERROR_ELO MINUTES "
    "ask gauntlet_limits level_contender meet_levels prove_positions rate steps_in"
)
if not TYPE_CHECKING:  # or a checker would take every misspelt name for one of ours
    __getattr__, _ = lazy_names(__name__, homes_of({"mancala.gauntlet": _RATING}), ())

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

    Raises:
        ValueError: when ``movetime`` is no time.
    """
    if movetime is not None and not movetime > 0:
        raise ValueError(f"movetime must be seconds above 0, not {movetime}")
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

"""The product as a library: matches, ratings, proofs and reviews as calls with typed results.

Each result has ``to_dict()`` (what the command of that name prints with ``--json``), ``rows``,
``to_frame()``, and shows itself in a notebook. A player is a SPEC, a function from a
`mancala.Turn` to a pit, a `mancala.Bot` or a `mancala.protocol.player.Player`. Where one is an
object of this process, its games are played here, one after the other; all others are played by
processes. Ctrl-C, or a notebook's stop, ends `match`, `tournament`, `rate` and `solve` with what
there is; of a match or tournament ``is_complete`` says so.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import Any, Final, TypeAlias

from msgspec import to_builtins

from mancala.bot.client.bot import Bot, Choose, as_bot, problem_of_player
from mancala.bot.players.own import OwnPlayer
from mancala.engine import solving
from mancala.engine.game_reviews import Reviewed, read_records
from mancala.engine.game_reviews import review as reviews
from mancala.engine.search.solver import Solution
from mancala.protocol import codec
from mancala.protocol.game_board import GameBoard
from mancala.protocol.player import Player
from mancala.protocol.record import GameRecord, verify
from mancala.protocol.rules import KALAH, Board, Rules
from mancala.protocol.tabular import Rows, Tabular
from mancala.protocol.text import quantity
from mancala.server.contest.headless.event import Contender, most_pairs
from mancala.server.contest.headless.played_game import PlayedGame
from mancala.server.contest.headless.runs import EventRun, MatchRun, TournamentRun
from mancala.server.contest.rate.rating import PlayerRating
from mancala.server.contest.workers.players import PlayerSource

from . import gauntlet, headless

PlayerLike: TypeAlias = str | Choose | Bot | Player
"""A player: a SPEC or ``NAME=SPEC``, a function from a turn to a pit, a bot, or a player."""
FIRST: Final = 5
"""Players that the text of an event names."""
Progress: TypeAlias = Callable[[int, int], object] | bool | None
"""A callback for what is done and in total; True for a bar on stderr, False for none. None draws a
bar where stderr is a terminal, or in a notebook."""


@dataclass(frozen=True, slots=True)
class EventResult(Tabular):
    """What the games of a call came to.

    Attributes:
        run: the match or the event.
        is_complete: whether it was played to its end.
    """

    run: EventRun
    is_complete: bool

    @property
    def games(self) -> list[GameRecord]:
        """The records of the finished games, in order."""
        return [game.record for game in self._played]

    @property
    def _played(self) -> list[PlayedGame]:
        return [game for _, game in sorted(self.run.journal.games.items())]


@dataclass(frozen=True, slots=True)
class MatchResult(EventResult):
    """What a match came to; points, Elo and ``los`` are the first player's."""

    run: MatchRun

    @property
    def wins(self) -> int:
        """Games that the first player won."""
        return self.run.score.wins

    @property
    def draws(self) -> int:
        """Games without a winner."""
        return self.run.score.draws

    @property
    def losses(self) -> int:
        """Games that the second player won."""
        return self.run.score.losses

    @property
    def elo(self) -> float | None:
        """The first player's advantage in Elo; None before a pair of games is over."""
        found: float | None = self.to_dict()["elo"]
        return found

    @property
    def elo_error(self) -> float | None:
        """Half of the 95 % interval of `elo`."""
        found: float | None = self.to_dict()["elo_error"]
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return the result as ``mancala match --json`` prints it."""
        return self.run.to_dict()

    @property
    def rows(self) -> Rows:
        """A row for each game; ``margin`` is the store of the player in seat 0 less the other's."""
        return [
            {
                "game": game.number,
                "seat 0": game.facts.players[0],
                "seat 1": game.facts.players[1],
                "winner": "" if (seat := game.facts.winner) is None else game.facts.players[seat],
                "margin": game.facts.margin,
                "plies": game.facts.plies,
                "reason": str(game.facts.reason),
            }
            for game in self._played
        ]

    def __str__(self) -> str:
        """Return the score in one line, with the Elo once a pair is over, and why games were lost.

        A game lost otherwise than by the rules is a forfeit.
        """
        found, (first, second) = self.to_dict(), self.run.event.names
        score = f"{first} against {second}: +{found['wins']} ={found['draws']} -{found['losses']}"
        if "void_games" in found:
            score += f" and {quantity(found['void_games'], 'void game')}"
        if found["elo"] is not None:
            score += f", Elo {found['elo']:+.0f} ± {found['elo_error']:.0f}"
        if "first_forfeit" in found:
            score += f"; the first forfeit: {found['first_forfeit']}"
        return score


@dataclass(frozen=True, slots=True)
class TournamentResult(EventResult):
    """What an event came to."""

    run: TournamentRun

    def to_dict(self) -> dict[str, Any]:
        """Return the standings as ``mancala tournament --json`` prints them."""
        found: dict[str, Any] = to_builtins(self.run.standings)
        return found

    @property
    def rows(self) -> Rows:
        """A row for each player, the best first, with the points against each other one."""
        table = self.run.standings
        names = [row.name for row in table.standings]
        return [
            {
                "rank": row.rank,
                "player": row.name,
                "points": row.points,
                "games": row.games,
                "elo": row.elo,
                "±": row.elo_error,
                **dict(zip(names, points, strict=True)),
            }
            for row, points in zip(table.standings, table.crosstable.points, strict=True)
        ]

    def __str__(self) -> str:
        """Return the format, the number of games, points of the first players, and forfeits."""
        first = ", ".join(f"{row['player']} {row['points']:g}" for row in self.rows[:FIRST])
        text = f"{self.run.event.format}, {quantity(len(self._played), 'game')}: {first}"
        forfeits = self.run.first_forfeits.items()
        return "".join((text, *(f"; the first forfeit of {name}: {why}" for name, why in forfeits)))


def match(  # noqa: PLR0913  # each is an option of the call
    first: PlayerLike,
    second: PlayerLike,
    *,
    games: int = 100,
    rules: Rules | str = KALAH,
    movetime: float | None = None,
    openings: str | None = None,
    seed: int = 1,
    workers: int | None = None,
    progress: Progress = None,
) -> MatchResult:
    """Play two players against each other, in pairs of games with the seats swapped.

    Args:
        first: a player.
        second: the other one.
        games: an even number.
        rules: a variant, or its text.
        movetime: seconds a move; None where no clock should run.
        openings: ``start`` for the usual start, a file, or None for the built-in fair ones.
        seed: decides openings and all that is random.
        workers: processes; None for one per core.
        progress: what hears how far it is.

    Raises:
        ValueError: when there is no such player, rule or number of games.
        OSError: when the file of openings cannot be read.
    """
    with _known((first, second)) as (contenders, source):
        conditions = headless.conditions_of(Rules.of(rules), movetime=movetime, seed=seed)
        event = headless.match_of(contenders, games=games, conditions=conditions, source=openings)
        run = MatchRun(event)
        done = _play(run, games, source, workers, progress)
    return MatchResult(run, done)


def tournament(  # noqa: PLR0913  # each is an option of the call
    players: Iterable[PlayerLike],
    *,
    format: str = "rr",  # noqa: A002  # the field's word
    games: int = 2,
    rounds: int | None = None,
    rules: Rules | str = KALAH,
    movetime: float | None = None,
    openings: str | None = None,
    seed: int = 1,
    workers: int | None = None,
    progress: Progress = None,
) -> TournamentResult:
    """Hold an event of two or more players, in order of seeding; the rest is as for `match`.

    Args:
        players: who takes part.
        format: one of `mancala.server.config.events.Format`, such as ``swiss`` or ``knockout``.
        games: games of an encounter, an even number.
        rounds: those of a Swiss event, laps of a round robin; None for what is usual.
        rules: a variant, or its text.
        movetime: seconds a move; None where no clock should run.
        openings: as for `match`.
        seed: decides pairings, openings and all that is random.
        workers: processes; None for one per core.
        progress: what hears how far it is.

    Raises:
        ValueError: when there is no such player, rule or event.
        OSError: when the file of openings cannot be read.
        RuntimeError: when the format of a plug-in fails.
    """
    with _known(players) as (contenders, source):
        conditions = headless.conditions_of(Rules.of(rules), movetime=movetime, seed=seed)
        event = headless.event_of(
            contenders,
            format=format,
            games=games,
            rounds=rounds,
            conditions=conditions,
            source=openings,
        )
        run = TournamentRun(event)
        done = _play(run, 2 * most_pairs(run.event), source, workers, progress)
    return TournamentResult(run, done)


def rate(  # noqa: PLR0913  # each is an option of the call
    player: PlayerLike,
    *,
    positions: int = 120,
    hard: int = 0,
    games: int | None = None,
    review: float = 0.0,
    error: float | None = None,
    minutes: float | None = None,
    movetime: float = 0.1,
    seed: int = 1,
    workers: int | None = None,
    progress: Progress = None,
) -> PlayerRating:
    """Report how strong a player is: what its answers lose, and its Elo among the levels.

    Args:
        player: who is rated.
        positions: proven positions that it is asked in, and a third as many openings.
        hard: how often it is asked in each position of the test split of `mancala.yardstick`, in
            the place of those; 0 for not.
        games: games with the levels at most, 0 for none; None for as many as ``error`` needs.
        review: seconds to review each of these games, for ``regret``; 0 for none.
        error: half of the 95 % interval of the Elo that ends the games; 25 unless games are given.
        minutes: the time that ends the games; 10 unless games are given.
        movetime: seconds a move.
        seed: decides positions, openings and games.
        workers: processes; None for one per core.
        progress: what hears how far it is.

    Raises:
        ValueError: when there is no such player, or nothing by which it is rated.
    """
    with _known((player,)) as ((contender,), source):
        limits = gauntlet.gauntlet_limits(error, minutes, games)
        total = gauntlet.steps_in(positions, hard, limits, review)
        if total < 1 or min(positions, hard) < 0:
            raise ValueError("a player is rated by some positions, or by games")
        conditions = headless.conditions_of(movetime=movetime, seed=seed)
        steps = gauntlet.rate(
            contender,
            conditions,
            positions=positions,
            hard=hard,
            review_s=review,
            limits=limits,
            workers=workers,
            source=source,
        )
        rating = PlayerRating(contender.name, seed, conditions.margin_ms)
        with suppress(KeyboardInterrupt), _shown("answers and games", total, progress) as show:
            for rating in steps:
                show(rating.steps)
    return rating


def solve(
    board: Board | str,
    *,
    rules: Rules | str = KALAH,
    time: float | None = None,
    all_moves: bool = False,
    threads: int | None = None,
    tables: int | None = None,
) -> Solution:
    """Prove the value of a board and of its moves, for its mover; what is proven when time is up.

    Args:
        board: a position that is not over, or its text.
        rules: of a text.
        time: seconds after which the proof ends with bounds; None for no limit.
        all_moves: prove every move even if the value is known without a search.
        threads: how many search; None for one per core.
        tables: seeds that the endgame tables reach; None for the largest there are.

    Raises:
        ValueError: when the game is over, the text is no position, the time is no number, or there
            would be fewer threads than none.
    """
    asked = Board.from_text(board, Rules.of(rules)) if isinstance(board, str) else board
    found: list[Solution] = []
    with suppress(KeyboardInterrupt):
        found.extend(
            solving.solve(asked, time_s=time, all_moves=all_moves, threads=threads, tables=tables)
        )
    if not found:
        raise KeyboardInterrupt
    return found[-1]


def review(game: GameBoard | GameRecord, *, time: float = 5.0) -> Reviewed:
    """Return what each move of a game lost against best play, and which one lost the game.

    Args:
        game: of any rules but ``pie`` and ``first_again=false``.
        time: seconds; what is not proven by then is an estimate.

    Raises:
        UnknownRuleError: when its rules are others.
        RecordError: when the record contradicts the rules.
        ValueError: when the time is no number.
    """
    record = game.record() if isinstance(game, GameBoard) else game
    verify(record)
    return next(reviews([record], time_s=time))


def read_games(path: Path | str) -> list[GameRecord]:
    """Return the games in a file of records, or in the folder of an event, checked by the rules.

    Raises:
        OSError: when it cannot be read.
        ValueError: when it holds anything but games by the rules.
    """
    records = read_records(Path(path))
    for record in records:
        verify(record)
    return records


def write_games(path: Path | str, games: Iterable[GameRecord]) -> None:
    """Write games into a file, one line of JSON each, as `read_games` reads them.

    Raises:
        OSError: when it cannot be written.
    """
    Path(path).write_bytes(b"".join(codec.to_line(game) + b"\n" for game in games))


# Players of this process

CLOSING_S: Final = 5.0
OWN: Final = "own:"
"""What the spec of an object of this process begins with; it is read nowhere else."""


@contextmanager
def _known(
    players: Iterable[PlayerLike],
) -> Iterator[tuple[tuple[Contender, ...], PlayerSource]]:
    """Yield players as contenders, and what makes them; close those that were made for it."""
    if isinstance(players, str):
        raise TypeError(f"the players are a list of them, not the text {players!r}")
    named, own, made = list[Contender](), dict[str, Player](), list[Player]()
    try:
        for player in players:
            if isinstance(player, str):
                (contender,) = headless.contenders_of([player])
            elif not isinstance(player, Player) and (problem := problem_of_player(player)):
                raise ValueError(problem)
            else:
                name = getattr(player, "__name__", type(player).__name__)
                contender = Contender(name, f"{OWN}{name}#{len(own)}")
                if not isinstance(player, Player):
                    made.append(OwnPlayer(as_bot(player)))
                own[contender.spec] = player if isinstance(player, Player) else made[-1]
            named.append(contender)
        yield headless.numbered(named), _source(own) if own else headless.SOURCE
    finally:
        for each in made:  # in a thread, since a notebook has an event loop in this one
            closing_thread = Thread(target=each.close, daemon=True)
            closing_thread.start()
            closing_thread.join(CLOSING_S)


def _source(own: Mapping[str, Player]) -> PlayerSource:
    usual = headless.SOURCE

    def unless_own(asked: Callable[..., Any], otherwise: Any) -> Callable[..., Any]:  # noqa: ANN401  # of several types
        return lambda spec, *rest: otherwise if spec in own else asked(spec, *rest)

    def make(spec: str, **options: Any) -> Player:  # noqa: ANN401  # those of `make_player`
        return own[spec] if spec in own else usual.make(spec, **options)

    return PlayerSource(
        make,
        unless_own(usual.compiled, None),
        usual.batch,
        unless_own(usual.is_quick, otherwise=True),
        unless_own(usual.is_program, otherwise=False),
        unless_own(usual.outside, ()),
        usual.with_file_at,
        is_here=True,
    )


# Progress, and an early end


def _play(
    run: EventRun, total: int, source: PlayerSource, workers: int | None, progress: Progress
) -> bool:
    """Play a run as far as Ctrl-C lets it; return whether it came to its end."""
    done = 0
    with suppress(KeyboardInterrupt), _shown("games", total, progress) as show:
        with closing(headless.played(run, workers=workers, source=source)) as steps:
            for games in steps:
                done += len(games)
                show(done)
        return True
    return False


@contextmanager
def _shown(what: str, total: int, progress: Progress) -> Iterator[Callable[[int], object]]:
    """Yield what hears how far work is, and show it."""
    if callable(progress):
        yield lambda done: progress(done, total)
        return
    from rich.console import Console  # noqa: PLC0415  # only where a bar may be drawn
    from rich.progress import Progress as Bar  # noqa: PLC0415

    console = Console(stderr=True)
    if progress is False or not (progress or console.is_terminal or console.is_jupyter):
        yield lambda _done: None
        return
    with Bar(console=console, transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda done: bar.update(task, completed=done)

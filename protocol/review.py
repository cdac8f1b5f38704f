"""The review of a game: what each position and each move was worth, and which move lost.

All values are expected differences of stores at the end of the game, *for seat 0*: positive if
player 0 is ahead with best play from there on. Losses are never negative and belong to the mover.
A value is either *proven*, then it is exact and a whole number, or an *estimate* from a search of
``depth`` plies. No figure mixes the two: each is counted once over proven losses and once over
estimated ones. A loss is proven if both values that it is the difference of are.

A reviewer sends only :class:`mancala.protocol.messages.Assessment`; all else is computed here, so
it need not be trusted.
"""

from collections.abc import Iterable, Sequence
from enum import StrEnum
from functools import partial
from itertools import pairwise
from typing import Final, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from .messages import Assessment, MoveValue, Player
from .reasons import LossReason, PlayedLine, reason_of, reason_sentence
from .rules import Board
from .text import quantity

SCHEMA: Final = "mancala.review.v1"
SHOWN_LINE: Final = 16
"""Pits that are kept of a line of play; longer ones serve to find reasons."""
DRAWN_BELOW: Final = 1.0
"""An estimate of less than this many seeds for either side is taken for a draw."""


class Result(StrEnum):
    """What a value means for a player."""

    WIN = "win"
    DRAW = "draw"
    LOSS = "loss"


class ReviewedMove(Struct, frozen=True, omit_defaults=True):
    """A legal move of a position.

    Attributes:
        pit: the pit sown.
        value: what it is worth, for seat 0.
        proven: whether ``value`` is proven.
        loss: seeds that the mover loses by it against the best move.
        depth: the depth of an estimate.
    """

    pit: int
    value: float
    proven: bool
    loss: float
    depth: int | None = None


class ReviewedPly(Struct, frozen=True, omit_defaults=True):
    """A move of the game and the position in which it was played.

    Attributes:
        ply: the number of sowings before it.
        player: the mover.
        pit: the pit sown.
        value: what the position was worth before the move, for seat 0.
        proven: whether ``value`` is proven.
        loss: seeds that the move lost against the best one, at least 0.
        loss_proven: whether ``loss`` is proven.
        best: the best move.
        line: best play from the position, ``best`` first.
        moves: every legal move.
        forced: whether there was only one.
        depth: the depth of an estimated ``value``.
        reason: why the move loses what it loses, where that is proven.
    """

    ply: int
    player: Player
    pit: int
    value: float
    proven: bool
    loss: float
    loss_proven: bool
    best: int
    line: tuple[int, ...]
    moves: tuple[ReviewedMove, ...]
    forced: bool
    depth: int | None = None
    reason: LossReason | None = None

    def __repr__(self) -> str:
        """Return what the move lost and why; all of its fields would fill a screen."""
        return f"<{mistake_sentence(self)}>"


class Tally(Struct, frozen=True):
    """How well a player chose, where there was a choice.

    Attributes:
        moves: moves counted.
        best: how many of them lost nothing.
        lost: seeds lost by all of them.
        accuracy: the share of ``best``, 0..1; None without moves.
        mean_loss: seeds lost a move; None without moves.
    """

    moves: int
    best: int
    lost: float
    accuracy: float | None
    mean_loss: float | None


class PlayerReview(Struct, frozen=True):
    """How well a player played; proven and estimated losses are counted apart.

    Attributes:
        proven: over the moves whose loss is proven.
        estimated: over the others.
    """

    proven: Tally
    estimated: Tally


class ResultChange(Struct, frozen=True):
    """A move after which best play no longer leads to the same result.

    Attributes:
        ply: the number of sowings before it.
        player: the mover.
        pit: the pit sown.
        loss: seeds lost.
        best: the best move.
        before: the result with best play before the move, for the mover.
        after: the result after it, for the mover.
        proven: whether ``loss`` is proven.
    """

    ply: int
    player: Player
    pit: int
    loss: float
    best: int
    before: Result
    after: Result
    proven: bool


class LosingMove(Struct, frozen=True):
    """The move that lost the game: the facts of "ply 17: pit 3 loses 4 seeds; pit 5 kept the draw".

    It is the loser's move that turned a win or a draw into a loss, after which best play led to a
    loss until the end.

    Attributes:
        ply: the number of sowings before it.
        player: the loser.
        pit: the pit sown.
        loss: seeds lost.
        best: the move that was better.
        kept: the result that ``best`` would have kept, for the loser.
        proven: whether ``loss`` is proven.
    """

    ply: int
    player: Player
    pit: int
    loss: float
    best: int
    kept: Result
    proven: bool


class GameReview(Struct, frozen=True, omit_defaults=True, tag_field="schema", tag=SCHEMA):
    """The review of a whole game.

    Attributes:
        game: the game's id.
        version: the version of the way of reviewing; a higher one is better.
        engine: the program that made it, with its version.
        seconds: time spent on it.
        proven: share of the plies whose loss is proven, 0..1.
        players: how well each player played, in seat order.
        changes: the moves that changed the result, in order of play.
        plies: every move, in order of play.
        losing: the move that lost the game; None if neither lost, or no move did.
    """

    game: str
    version: int
    engine: str
    seconds: float
    proven: float
    players: tuple[PlayerReview, PlayerReview]
    changes: tuple[ResultChange, ...]
    plies: tuple[ReviewedPly, ...]
    losing: LosingMove | None = None


class Lost(StrEnum):
    """How a game was lost, as far as its review knows."""

    BY_MOVE = "by a move"
    """The loser gave a win or a draw away, and it did not come back."""
    FROM_START = "from the start"
    """Best play led to a loss in every position of the game."""
    OTHERWISE = "otherwise"
    """By the clock or another forfeit: best play did not lead to a loss when it ended."""
    UNKNOWN = "unknown"
    """Estimates disagree about where the game turned, or no move was played."""


class ReviewError(ValueError):
    """A review contradicts the rules or itself at a ply."""

    def __init__(self, ply: int, detail: str) -> None:
        self.ply = ply
        super().__init__(f"ply {ply}: {detail}")


class ReviewedGame(NamedTuple):
    """A finished game: the position before each move, and the pits sown.

    The last position may follow. ``loser`` is None for a draw or a void game.
    """

    game: str
    boards: Sequence[Board]
    pits: Sequence[int]
    loser: int | None


class ReviewWork(NamedTuple):
    """A reviewer's work on one game: an assessment of each move, in order of play.

    ``version`` is that of the way of reviewing.
    """

    assessments: Sequence[Assessment]
    version: int
    engine: str
    seconds: float


def result(value: float, player: int) -> Result:
    """Return what a value for seat 0 means for a player."""
    if abs(value) < DRAWN_BELOW:
        return Result.DRAW
    return Result.WIN if (value > 0) == (player == 0) else Result.LOSS


def check(game: ReviewedGame, assessments: Sequence[Assessment]) -> None:
    """Compare all that a reviewer states with the rules and with itself.

    Whether its values are right is not known here; but each is possible, each line can be played,
    and no two contradict each other. ReviewError names the first ply where something is wrong.
    """
    if len(assessments) != len(game.pits):
        raise ReviewError(len(assessments), f"the game has {quantity(len(game.pits), 'ply')}")
    for ply, found in enumerate(assessments):
        _check_ply(ply, game.boards[ply], found)
    for ply, (before, after) in enumerate(pairwise(assessments)):
        played = _move(before, game.pits[ply])
        best = _move(after, after.line[0])
        if played.depth is None and after.depth is None and played.value != best.value:
            raise ReviewError(ply, "the value of the move is not that of the next position")


def compose(game: ReviewedGame, work: ReviewWork) -> GameReview:
    """Return the review of a game from what a reviewer found out about its positions."""
    found = tuple(map(_reviewed, game.boards, game.pits, work.assessments))
    plies = tuple(
        replace(ply, line=ply.line[:SHOWN_LINE], reason=_reason(game, found, ply)) for ply in found
    )
    changes = tuple(change for ply in plies if (change := _change(ply)) is not None)
    return GameReview(
        game=game.game,
        version=work.version,
        engine=work.engine,
        seconds=work.seconds,
        proven=sum(ply.loss_proven for ply in plies) / len(plies) if plies else 0.0,
        players=(_of_player(plies, 0), _of_player(plies, 1)),
        changes=changes,
        plies=plies,
        losing=None if game.loser is None else _losing(plies, changes, game.loser),
    )


def _reason(
    game: ReviewedGame, plies: Sequence[ReviewedPly], ply: ReviewedPly
) -> LossReason | None:
    if not (ply.loss and ply.loss_proven):
        return None
    after = plies[ply.ply + 1].line if ply.ply + 1 < len(plies) else ()
    start = partial(PlayedLine, game.boards[ply.ply], ply.ply)
    best, played = start(ply.line, ply.value), start((ply.pit, *after), value_after(ply))
    return reason_of(best, played, ply.player)


def how_lost(plies: Sequence[ReviewedPly], loser: int) -> Lost:
    """Return how a player lost a game, by the values of its positions and moves."""
    if not plies:
        return Lost.UNKNOWN
    before = [result(ply.value, loser) for ply in plies]
    end = result(value_after(plies[-1]), loser)
    if end is not Result.LOSS:
        return Lost.OTHERWISE
    if all(each is Result.LOSS for each in before):
        return Lost.FROM_START
    last = plies[max(ply for ply, each in enumerate(before) if each is not Result.LOSS)]
    turned = last.player == loser and result(value_after(last), loser) is Result.LOSS
    return Lost.BY_MOVE if turned else Lost.UNKNOWN


def sentence(change: ResultChange | LosingMove) -> str:
    """Return a move that changed the result as a sentence; plies count from 1, pits from 0."""
    kept, became = _results(change)
    proven = "proven" if change.proven else "estimated"
    return (
        f"ply {change.ply + 1}: pit {change.pit} turns a {kept} into a {became} and loses "
        f"{change.loss:g} seeds; pit {change.best} kept the {kept}, {proven}"
    )


def mistake_sentence(ply: ReviewedPly) -> str:
    """Return what a move lost and why, as a sentence; plies count from 1, pits from 0."""
    proven = "proven" if ply.loss_proven else "estimated"
    lost = quantity(round(ply.loss), "seed") if ply.loss_proven else f"about {ply.loss:g} seeds"
    why = f": {reason_sentence(ply.reason, ply.player)}" if ply.reason else ""
    return f"ply {ply.ply + 1}: pit {ply.pit} loses {lost}, {proven}{why}; pit {ply.best} is best"


def costliest(plies: Iterable[ReviewedPly], player: int) -> ReviewedPly | None:
    """Return a player's move that lost the most seeds, proven ones first; None if none did."""
    costly = [ply for ply in plies if ply.player == player and ply.loss > 0]
    return max(costly, key=lambda ply: (ply.loss_proven, ply.loss), default=None)


def accuracy(plies: Iterable[ReviewedPly]) -> PlayerReview:
    """Return how good some moves were; those without a choice do not count."""
    chosen = [ply for ply in plies if not ply.forced]
    return PlayerReview(
        proven=tally([ply.loss for ply in chosen if ply.loss_proven]),
        estimated=tally([ply.loss for ply in chosen if not ply.loss_proven]),
    )


def tally(losses: Sequence[float]) -> Tally:
    """Return the figures of moves from the seeds that each lost."""
    moves, best, lost = len(losses), losses.count(0), sum(losses)
    return Tally(
        moves=moves,
        best=best,
        lost=lost,
        accuracy=best / moves if moves else None,
        mean_loss=lost / moves if moves else None,
    )


def _check_ply(ply: int, board: Board, found: Assessment) -> None:
    if found.ply != ply:
        raise ReviewError(ply, f"it is called ply {found.ply}")
    if tuple(move.pit for move in found.moves) != board.legal():
        raise ReviewError(ply, f"the legal moves are {board.legal()}")
    for move in found.moves:
        _check_value(ply, board, move)
    _check_line(ply, board, found.line)
    sign, best = 1 if board.player == 0 else -1, _move(found, found.line[0])
    if any(sign * move.value > sign * best.value for move in found.moves):
        raise ReviewError(ply, f"pit {best.pit} is not the best")
    all_proven = all(move.depth is None for move in found.moves)
    if (found.depth is None and best.depth is not None) or (found.depth is not None and all_proven):
        raise ReviewError(ply, "what is proven of the moves is not what is proven of the position")


def _check_value(ply: int, board: Board, move: MoveValue) -> None:
    after = board.sow(move.pit).board
    left = 0 if after.is_over else after.in_play
    ahead = after.score()
    if not ahead - left <= move.value <= ahead + left:
        raise ReviewError(ply, f"pit {move.pit} cannot be worth {move.value:g}")
    step = 1 if board.rules.majority else 2
    if move.depth is None and (move.value - ahead - left) % step:
        raise ReviewError(ply, f"pit {move.pit} cannot be worth exactly {move.value:g}")


def _check_line(ply: int, board: Board, line: Sequence[int]) -> None:
    for pit in line:
        if pit not in board.legal():
            raise ReviewError(ply, "the line cannot be played")
        board = board.sow(pit).board


def _move(found: Assessment, pit: int) -> MoveValue:
    return next(move for move in found.moves if move.pit == pit)


def _reviewed(board: Board, pit: int, found: Assessment) -> ReviewedPly:
    sign = 1 if board.player == 0 else -1
    by_pit = {move.pit: move for move in found.moves}
    best = by_pit[found.line[0]]
    proven = found.depth is None
    moves = tuple(
        ReviewedMove(
            pit=move.pit,
            value=move.value + 0.0,
            proven=move.depth is None,
            loss=max(0.0, sign * (best.value - move.value)),
            depth=move.depth,
        )
        for move in found.moves
    )
    (played,) = (move for move in moves if move.pit == pit)
    return ReviewedPly(
        ply=found.ply,
        player=board.player,
        pit=pit,
        value=best.value + 0.0,  # so that there is no -0.0
        proven=proven,
        loss=played.loss,
        loss_proven=proven and played.proven,
        best=pit if played.loss == 0 and played.proven == proven else best.pit,
        line=found.line,
        moves=moves,
        forced=len(moves) == 1,
        depth=found.depth,
    )


def value_after(ply: ReviewedPly) -> float:
    """Return what the position was worth after the move played, for seat 0."""
    return next(move.value for move in ply.moves if move.pit == ply.pit)


def _change(ply: ReviewedPly) -> ResultChange | None:
    before, after = result(ply.value, ply.player), result(value_after(ply), ply.player)
    if before is after:
        return None
    return ResultChange(
        ply=ply.ply,
        player=ply.player,
        pit=ply.pit,
        loss=ply.loss,
        best=ply.best,
        before=before,
        after=after,
        proven=ply.loss_proven,
    )


def _results(change: ResultChange | LosingMove) -> tuple[Result, Result]:
    """Return what best play led to before a move and after it, for the mover."""
    if isinstance(change, LosingMove):
        return change.kept, Result.LOSS
    return change.before, change.after


def _losing(
    plies: Sequence[ReviewedPly], changes: Sequence[ResultChange], loser: int
) -> LosingMove | None:
    if how_lost(plies, loser) is not Lost.BY_MOVE:
        return None
    last = [each for each in changes if each.player == loser and each.after is Result.LOSS][-1]
    return LosingMove(last.ply, loser, last.pit, last.loss, last.best, last.before, last.proven)


def _of_player(plies: Iterable[ReviewedPly], player: int) -> PlayerReview:
    return accuracy(ply for ply in plies if ply.player == player)

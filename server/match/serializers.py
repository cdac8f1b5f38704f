"""Builds the messages about a game from the referee's state; pure."""

from mancala.protocol.messages import GameStart, Moved, Opponent, Turn
from mancala.protocol.referee import Played, Referee

from ..model.match import Match, nonstandard


def snapshot(match: Match, referee: Referee, seat: int | None, opponent: Opponent) -> GameStart:
    """Return everything that is known of the match's present game."""
    return GameStart(
        game=match.games[-1],
        match=match.id,
        seat=seat,
        rules=match.terms.rules,
        clock=match.terms.clock,
        opponent=opponent,
        state=referee.board.state,
        moves=tuple(referee.moves),
        clocks=referee.clock.state,
        opening=nonstandard(referee.opening),
        names=match.seat_names,
        rated=match.terms.rated,
    )


def turn(
    game: str, referee: Referee, now: float, *, last: Moved | None = None, knows_swap: bool = False
) -> Turn:
    """Return the present turn, with the time left for it; ``last`` is what it follows, if any."""
    board, clock, ply = referee.board, referee.clock, len(referee.moves)
    left_ms = clock.allowed_ms(board.player) - (now - clock.since) * 1000
    state, times = (board.state, clock.state) if last is None else (last.state, last.clock)
    pie = knows_swap and bool(board.rules.pie)
    return Turn(game, ply, state, board.legal(), times, max(0, int(left_ms)), pie)


def moved(game: str, played: Played) -> Moved:
    player, ply, pit, (board, _seeds, captured, again), ledger, clock, info, forced = played
    effect = captured, again, board.state, clock.state
    times = round(ledger.elapsed_ms), round(ledger.lag_ms)
    return Moved(game, ply, player, pit, *effect, *times, info, forced)

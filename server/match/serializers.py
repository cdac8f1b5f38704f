"""Builds the messages about a game from the referee's state; pure."""

from __future__ import annotations

from mancala.protocol.messages import GameStart, Moved, Opponent, Turn
from mancala.protocol.referee import Played, Referee

from ..model.match import Match, nonstandard


def snapshot(match: Match, referee: Referee, seat: int | None, opponent: Opponent) -> GameStart:
    """Return everything that is known of the match's present game.

    Args:
        match: the match.
        referee: referees the game.
        seat: the recipient's, or None for a spectator.
        opponent: the player on the other side; for a spectator, player 1.
    """
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


def turn(game: str, referee: Referee, now: float, *, knows_swap: bool = False) -> Turn:
    """Return the present turn, with the time that is left for it."""
    used_ms = (now - referee.clock.since) * 1000
    left_ms = max(0, int(referee.clock.allowed_ms(referee.player) - used_ms))
    board = referee.board
    pie = knows_swap and bool(board.rules.pie)
    clock = referee.clock.state
    return Turn(game, referee.ply, board.state, board.legal(), clock, left_ms, pie)


def moved(game: str, played: Played) -> Moved:
    """Return a played move, with its ledger."""
    sowing = played.sowing
    return Moved(
        game=game,
        ply=played.ply,
        player=played.player,
        pit=played.pit,
        captured=sowing.captured,
        again=sowing.again,
        state=sowing.board.state,
        clock=played.clock.state,
        elapsed_ms=round(played.ledger.elapsed_ms),
        lag_ms=round(played.ledger.lag_ms),
        info=played.info,
        forced=played.forced,
    )

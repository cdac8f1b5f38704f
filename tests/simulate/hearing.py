"""What bots hear of their games: every move in its order, and clocks that add up."""

from dataclasses import dataclass, field
from math import inf
from typing import Final

from mancala.protocol.clock import ClockState, TimeControl, TimeoutPolicy
from mancala.protocol.messages import GameStart, Moved, Turn
from tests.simulate.promises import Promise, broken

ROUNDED_MS: Final = 3
"""Differences between clocks that come from whole milliseconds."""
REPLAYED_MS: Final = 60
"""Differences of a clock that a restart computed from all moves of a game."""
Times = tuple[int, int]


@dataclass(slots=True)
class Hearing:
    """What each bot has heard on its present connection, and what the clocks said.

    Attributes:
        next_ply: by bot and game, the number of the sowing that it hears next.
    """

    next_ply: dict[tuple[str, str], int] = field(default_factory=dict)
    _informed: set[tuple[str, str]] = field(default_factory=set)
    _controls: dict[str, TimeControl] = field(default_factory=dict)
    _clocks: dict[str, tuple[int, ClockState]] = field(default_factory=dict)

    def timeout(self, game: str) -> TimeoutPolicy:
        control = self._controls.get(game)
        return TimeoutPolicy.FORFEIT if control is None else control.timeout

    def shown(self, name: str, start: GameStart) -> None:
        self._controls[start.game] = start.clock
        self.next_ply[name, start.game] = len(start.moves)
        self._informed.discard((name, start.game))
        self._compare(start.game, len(start.moves), start.clocks)

    def asked(self, name: str, turn: Turn) -> None:
        """Check a question: its number, its clock, and the time that it leaves."""
        key = name, turn.game
        self._check_ply(key, turn.ply)
        self._compare(turn.game, turn.ply, turn.clock)
        if key in self._informed:  # by the move before, so the question is new
            self._check_time(turn)
            self._informed.discard(key)

    def moved(self, name: str, move: Moved) -> None:
        """Check a move: its number, and what it took from the clock."""
        key = name, move.game
        self._check_ply(key, move.ply)
        self.next_ply[key] = move.ply + 1
        self._informed.add(key)
        ply, before = self._clocks.get(move.game, (-1, move.clock))
        if ply == move.ply:
            self._check_charge(before, move)
        if ply <= move.ply:
            self._clocks[move.game] = move.ply + 1, move.clock

    def _check_ply(self, key: tuple[str, str], ply: int) -> None:
        if self.next_ply.get(key, ply) != ply:
            broken(Promise.HEARD, f"{key}: ply {ply} after {self.next_ply[key]} moves")

    def _compare(self, game: str, ply: int, clock: ClockState) -> None:
        known_ply, known = self._clocks.setdefault(game, (ply, clock))
        if known_ply == ply and not _is_near(known, clock, REPLAYED_MS):
            broken(Promise.CLOCK, f"{game} ply {ply}: {known}, then {clock}")

    def _check_time(self, turn: Turn) -> None:
        control = self._controls[turn.game]
        player, banks = turn.state.current_player, turn.clock.banks_ms
        allowed = min(control.move_ms or inf, inf if banks is None else banks[player])
        if turn.deadline_ms < allowed - ROUNDED_MS:
            broken(Promise.WHOLE_TIME, f"{turn.game} ply {turn.ply}: {turn.deadline_ms} ms")

    def _check_charge(self, before: ClockState, move: Moved) -> None:
        control, player = self._controls.get(move.game), move.player
        if control is None:
            return
        quotas = before.quotas_ms
        quota = min(7 * control.gain_ms, quotas[player] - move.lag_ms + control.gain_ms)
        banks = before.banks_ms
        if banks is not None:
            bank = max(0, banks[player] - move.elapsed_ms + move.lag_ms) + control.increment_ms
            banks = _put(banks, player, bank)
        after = ClockState(banks, _put(quotas, player, int(quota)))
        is_too_much = move.lag_ms > quotas[player] + ROUNDED_MS
        if is_too_much or not _is_near(after, move.clock, ROUNDED_MS):
            broken(Promise.CLOCK, f"{move.game} ply {move.ply}: {before}, then {move}")


def _put(pair: Times, player: int, value: int) -> Times:
    return (value, pair[1]) if player == 0 else (pair[0], value)


def _is_near(one: ClockState, two: ClockState, most_ms: int) -> bool:
    pairs = [*zip(one.quotas_ms, two.quotas_ms, strict=True)]
    if one.banks_ms is not None and two.banks_ms is not None:
        pairs += zip(one.banks_ms, two.banks_ms, strict=True)
    return all(abs(first - second) <= most_ms for first, second in pairs)

"""One player of a game as a Gymnasium environment, against an opponent given by its spec."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, Final

import gymnasium

from bot.env.view import Seeds, mask, pits_space, seeds_space, view
from bot.players.engine_options import FULL_LEVEL
from bot.players.registry import make_player
from bot.players.spec import PlayerSpec, SpecError
from protocol.player import Player
from protocol.rules import KALAH, Board, Rules

Opponent = Callable[[Board], int]
SEATS: Final = ("first", "second", "random")
UNTIMED_DEPTH: Final = 4
"""Plies that an engine without limits of its own searches."""


class MancalaEnv(gymnasium.Env[Seeds, Any]):
    """A game against an opponent, from the learner's side.

    An observation is the board, the learner's row first; ``info["action_mask"]`` says which pits
    may be sown. The reward is 1, 0 or -1 when the game is over, and 0 before. An illegal pit loses
    immediately, as it does in a match.

    Args:
        opponent: a player's spec, such as ``greedy`` or ``engine:depth=6``, or a function from a
            board to a pit.
        rules: a variant, or its text.
        seat: ``first``, ``second``, or ``random`` to draw it for each game.
        render_mode: ``ansi`` for the board's text, or None.

    Raises:
        SpecError: when the spec names no such opponent.
        ValueError: when there is no such seat.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"]}  # noqa: RUF012  # gymnasium's own way

    def __init__(
        self,
        opponent: str | Opponent = "random",
        rules: Rules | str = KALAH,
        *,
        seat: str = "random",
        render_mode: str | None = None,
    ) -> None:
        if seat not in SEATS:
            raise ValueError(f"the seat is one of {', '.join(SEATS)}, not {seat!r}")
        self.rules = Rules.parse(rules) if isinstance(rules, str) else rules
        self.render_mode = render_mode
        self.board = Board.start(self.rules)
        self.player = 0
        self._seat = seat
        self._opponent = opponent
        self._answer = _answering(opponent, 0)
        self.observation_space = seeds_space(self.rules)
        self.action_space = pits_space(self.rules)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Seeds, dict[str, Any]]:
        """Begin a new game, the opponent's first moves included."""
        super().reset(seed=seed, options=options)
        rng = self.np_random
        self.player = int(rng.integers(2)) if self._seat == "random" else SEATS.index(self._seat)
        self._answer = _answering(self._opponent, int(rng.integers(2**31)))
        self.board = self._answered(Board.start(self.rules))
        return view(self.board, self.player), self._info()

    def step(self, action: Any) -> tuple[Seeds, float, bool, bool, dict[str, Any]]:  # noqa: ANN401  # numpy's integers, too
        """Sow a pit, and let the opponent answer."""
        pit = int(action)
        if pit not in self.board.legal():
            return view(self.board, self.player), -1.0, True, False, self._info(illegal=True)
        self.board = self._answered(self.board.sow(pit).board)
        margin = self.board.score(self.player) if self.board.is_over else 0
        reward = float((margin > 0) - (margin < 0))
        return view(self.board, self.player), reward, self.board.is_over, False, self._info()

    def render(self) -> str | None:
        """Return the board's text, the mover first; None without a render mode."""
        return self.board.text if self.render_mode == "ansi" else None

    def _answered(self, board: Board) -> Board:
        while not board.is_over and board.player != self.player:
            board = board.sow(self._answer(board)).board
        return board

    def _info(self, *, illegal: bool = False) -> dict[str, Any]:
        return {"action_mask": mask(self.board, self.player), "illegal": illegal}


def _answering(opponent: str | Opponent, seed: int) -> Opponent:
    """Return the opponent's function; a player named by its spec plays by the seed."""
    if not isinstance(opponent, str):
        return opponent
    spec = PlayerSpec.parse(opponent)
    if spec.name == "cmd":
        raise SpecError("an environment's opponent is a player of this package, not a program")
    if spec.name == "engine":
        return _shared(opponent, seed)
    player = make_player(opponent)
    player.new_game(seed)
    return lambda board: player.choose(board).pit


def _shared(opponent: str, seed: int) -> Opponent:
    """Return the function of an engine that all environments share."""
    spec = PlayerSpec.parse(opponent)
    options = dict(spec.options)
    is_full = options.get("level", str(FULL_LEVEL)) == str(FULL_LEVEL)
    if is_full and not {"movetime", "depth", "nodes"} & options.keys():
        options["depth"] = str(UNTIMED_DEPTH)
    player = _engine(str(PlayerSpec(spec.name, dict(sorted(options.items())))))

    def answer(board: Board) -> int:
        player.new_game(seed)  # so that answers do not depend on other environments
        return player.choose(board).pit

    return answer


@cache
def _engine(spec: str) -> Player:
    """Make an engine once, since that takes a moment."""
    return make_player(spec)

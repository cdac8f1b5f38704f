"""One player of a game as a Gymnasium environment, against an opponent given by its spec."""

from collections.abc import Callable
from functools import cache, partial
from typing import Any, Final

import gymnasium
import numpy as np
from numpy.typing import NDArray

from mancala.protocol import pie
from mancala.protocol.player import UNLIMITED, Player
from mancala.protocol.rules import KALAH, Board, Rules

from ..players.engine_options import FULL_LEVEL
from ..players.registry import make_player
from ..players.seen import Seeds, mask, move_of, view
from ..players.spec import PlayerSpec, SpecError
from .picture import FRAMES_A_SECOND, SingleGame
from .start import Openings, drawn, pits_space, reward_for, seeds_space

Opponent = Callable[[Board], int]
SEATS: Final = ("first", "second", "random")
UNTIMED_DEPTH: Final = 4
"""Plies that an engine without limits of its own searches."""


class MancalaEnv(SingleGame, gymnasium.Env[Seeds, Any]):
    """A game against an opponent, from the learner's side.

    Under the pie rule the action after the last pit swaps, where that is legal.

    An observation is i16[2, pits + 1]: the learner's pits in its sowing direction and its store,
    then the opponent's. ``action_masks()`` and ``info["action_mask"]`` say which pits may be sown.
    The reward is 0 until the game is over. An illegal pit loses immediately, as in a match.

    Args:
        opponent: a player's spec, such as ``greedy`` or ``engine:depth=6``, or a function from a
            board to a pit.
        rules: a variant, or its text.
        seat: ``first``, ``second``, or ``random`` to draw it for each game.
        openings: where games begin; one is drawn for each. See `mancala.bot.env.start.Openings`.
        reward: ``result`` for 1, 0 or -1; ``margin`` for the difference of the stores, divided by
            all seeds.
        render_mode: ``ansi`` for a drawing in text, ``rgb_array`` for pixels, ``human`` for a
            window, or None.

    Raises:
        SpecError: when the spec names no such opponent.
        ValueError: when there is no such seat, opening or reward.
        ModuleNotFoundError: when pixels are wanted and pygame is not installed.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012  # gymnasium's own way
        "render_modes": ["ansi", "rgb_array", "human"],
        "render_fps": FRAMES_A_SECOND,
    }

    def __init__(
        self,
        opponent: str | Opponent = "random",
        rules: Rules | str = KALAH,
        *,
        seat: str = "random",
        openings: Openings = "start",
        reward: str = "result",
        render_mode: str | None = None,
    ) -> None:
        if seat not in SEATS:
            raise ValueError(f"the seat is one of {', '.join(SEATS)}, not {seat!r}")
        self._set_up(rules, openings, reward, render_mode)
        self._seat = seat
        self._opponent = opponent
        self._answer = _answering(opponent, 0)
        self.observation_space = seeds_space(self.rules)
        self.action_space = pits_space(self.rules)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Seeds, dict[str, Any]]:
        """Begin a new game, the opponent's first moves included.

        Args:
            seed: decides seat, opening and the opponent's random choices of this game and, if none
                is given then, of the games after it.
            options: ``opening``, a board or its text, for this game alone; the mover is player 0.

        Raises:
            ValueError: when the opening is no board of the rules, or over already.
        """
        super().reset(seed=seed, options=options)
        rng = self.np_random
        self.player = int(rng.integers(2)) if self._seat == "random" else SEATS.index(self._seat)
        self._answer = _answering(self._opponent, int(rng.integers(2**31)))
        start = drawn(self._starts, rng, options)
        self.board = self._answered(start)
        if self.board.is_over:  # a first turn that ends the game is the learner's
            self.player, self.board = start.player, start
        self._show()
        return view(self.board, self.player), self._info()

    def step(self, action: Any) -> tuple[Seeds, float, bool, bool, dict[str, Any]]:  # noqa: ANN401  # numpy's integers, too
        """Sow a pit, and let the opponent answer."""
        pit = move_of(int(action), self.rules)
        if not self.board.may_play(pit):
            return view(self.board, self.player), -1.0, True, False, self._info(illegal=True)
        self.board = self._answered(self.board.sow(pit).board)
        self._show()
        reward = reward_for(self._reward, self.board, self.player)
        return view(self.board, self.player), reward, self.board.is_over, False, self._info()

    def action_masks(self) -> NDArray[np.bool_]:
        """Return which actions are legal, bool[actions]; the name that sb3-contrib calls."""
        return mask(self.board, self.player, self.rules).astype(bool)

    def _answered(self, board: Board) -> Board:
        while not board.is_over and board.player != self.player:
            board = board.sow(self._answer(board)).board
        return board

    def _info(self, *, illegal: bool = False) -> dict[str, Any]:
        return {"action_mask": mask(self.board, self.player, self.rules), "illegal": illegal}


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
    return partial(_answer, player)


def _shared(opponent: str, seed: int) -> Opponent:
    """Return the function of an engine that all environments share."""
    spec = PlayerSpec.parse(opponent)
    options = dict(spec.options)
    is_full = options.get("level", str(FULL_LEVEL)) == str(FULL_LEVEL)
    if is_full and not {"movetime", "depth", "nodes"} & options.keys():
        options["depth"] = str(UNTIMED_DEPTH)
    return partial(_shared_answer, str(PlayerSpec(spec.name, dict(sorted(options.items())))), seed)


def _shared_answer(spec: str, seed: int, board: Board) -> int:
    player = _engine(spec)
    player.new_game(seed)  # so that answers do not depend on other environments
    return _answer(player, board)


def _answer(player: Player, board: Board) -> int:
    return pie.choose(player, board, UNLIMITED).pit


@cache
def _engine(spec: str) -> Player:
    """Make an engine once, since that takes a moment."""
    return make_player(spec)

"""Many games against an opponent as one Gymnasium vector environment, played in compiled code."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from mancala.protocol.rules import KALAH, Board, Rules
from mancala.protocol.text import quantity

from ..players.compiled import compiled_player
from ..players.registry import is_level, make_player
from .games import GamesEnv
from .solo import SEATS
from .start import Openings, drawn

if TYPE_CHECKING:
    from mancala.engine.batches.steps import GamesUnderWay
    from mancala.protocol.player import Player

MOST_SEED: Final = 2**31


class _Beginning(NamedTuple):
    """How a game begins: its number, position, the learner's seat and the opponent's seed."""

    game: int
    board: Board
    player: int
    seed: int


class MancalaVectorEnv(GamesEnv):
    """Games against an opponent, as many as are wanted, moved on by one call.

    Each game is what `MancalaEnv` plays with the same seed: the same seats, openings and answers of
    the opponent. Observations are i16[games, 2, pits + 1]; ``action_masks()`` and
    ``info["action_mask"]`` are [games, pits].

    Args:
        num_envs: number of games.
        opponent: ``random``, ``greedy``, ``captures``, ``defend``, ``minimax:…``, ``alphabeta:…``
            or ``engine:nodes=…``; a level, ``engine:level=1`` to 9, which is asked game by game; or
            a function from observations and masks to pits, which is asked about all games that wait
            for it in one call. See `mancala.bot.env.vector.Policy`.
        rules: a variant, or its text; at most seven pits a row.
        seat: ``first``, ``second``, or ``random`` to draw it for each game.
        openings: where games begin; one is drawn for each. See `mancala.bot.env.start.Openings`.
        reward: ``result`` or ``margin``, as for `MancalaEnv`.
        autoreset: ``NEXT_STEP``: a game that is over begins anew with the next step, whose pit is
            not looked at and whose reward is 0. ``SAME_STEP``: it begins anew in the step that
            ends it, whose ``info["final_obs"]`` shows the end where ``info["_final_obs"]`` is set.

    Raises:
        ValueError: when there is no such seat, opening, reward, autoreset, or opponent in compiled
            code.
    """

    _games: GamesUnderWay | _GamesOnBothSides
    metadata: dict[str, Any] = {"autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012  # gymnasium's own way

    def __init__(  # noqa: PLR0913  # each is an option of the games
        self,
        num_envs: int = 1,
        opponent: str | Policy = "random",
        rules: Rules | str = KALAH,
        *,
        seat: str = "random",
        openings: Openings = "start",
        reward: str = "result",
        autoreset: AutoresetMode = AutoresetMode.NEXT_STEP,
    ) -> None:
        if seat not in SEATS:
            raise ValueError(f"the seat is one of {', '.join(SEATS)}, not {seat!r}")
        super().__init__(num_envs, rules, openings, reward, autoreset)
        self._seat = seat
        self._games = _games_against(opponent, self.rules, num_envs)
        self._rngs = [np.random.default_rng() for _ in range(num_envs)]

    def _seed(self, game: int, seed: int) -> None:
        self._rngs[game] = np.random.default_rng(seed)

    def _sow(self, pits: NDArray[np.int64]) -> None:
        self._games.step(pits)

    def _open(self, which: Iterable[int], options: dict[str, Any] | None) -> None:
        """Begin games, each by its own random generator."""
        beginnings = [self._drawn(game, options) for game in which]
        self._games.open(*zip(*beginnings, strict=True))
        ended = [
            each._replace(player=each.board.player)  # a first turn that ends it is the learner's
            for each in beginnings
            if self._games.states[each.game] != self._running
        ]
        if ended:
            self._games.open(*zip(*ended, strict=True))

    def _drawn(self, game: int, options: dict[str, Any] | None) -> _Beginning:
        rng = self._rngs[game]
        player = int(rng.integers(2)) if self._seat == "random" else SEATS.index(self._seat)
        seed = int(rng.integers(MOST_SEED))
        return _Beginning(game, drawn(self._starts, rng, options), player, seed)


def _games_against(
    opponent: str | Policy, rules: Rules, count: int
) -> GamesUnderWay | _GamesOnBothSides:
    from mancala.engine.batches.games import can_play  # noqa: PLC0415  # loads the compiler
    from mancala.engine.batches.steps import GamesUnderWay  # noqa: PLC0415  # loads the compiler

    if not isinstance(opponent, str):
        return _GamesAgainstPolicy(opponent, rules, count)
    player = compiled_player(opponent, rules, games_at_once=count)
    if player is not None:
        return GamesUnderWay(player, count)
    if can_play(rules) and is_level(opponent):
        return _GamesAgainstLevel(make_player(opponent), rules, count)
    raise ValueError(f"{opponent!r} does not play {rules} in compiled code")


def points(
    policy: Policy,
    opponent: str | Policy,
    rules: Rules | str = KALAH,
    *,
    games: int = 200,
    openings: Openings = "fair",
    seed: int = 1,
) -> float:
    """Return the share of points that a policy takes, a draw being half of one.

    Args:
        policy: asked about all games that wait for it in one call.
        opponent: as for `MancalaVectorEnv`.
        rules: a variant, or its text; at most seven pits a row.
        games: number of games, each player beginning about half of them.
        openings: where games begin; the fair ones, unless they are few or there are none.
        seed: the same seed plays the same openings and seats.

    Raises:
        ValueError: when there is no such opponent or opening.
    """
    env = MancalaVectorEnv(games, opponent, rules, openings=openings)
    seen, _ = env.reset(seed=seed)
    masks, results = env.action_masks(), np.full(games, np.nan)
    while (left := np.isnan(results)).any():
        pits = np.zeros(games, dtype=np.int64)
        pits[left] = policy(seen[left], masks[left])
        seen, rewards, over, _, _ = env.step(pits)
        results[left & over] = rewards[left & over]
        masks = env.action_masks()
    return float((results.mean() + 1) / 2)


Policy: TypeAlias = Callable[[NDArray[np.int16], NDArray[np.bool_]], Any]
"""From observations i16[n, 2, pits + 1], each from the side of the player to move, and the masks
bool[n, pits] of what it may sow, to n pits."""


class _GamesOnBothSides:
    """Games under way, whose opponent is asked about all that wait for it.

    It has the methods and arrays of `mancala.engine.batches.steps.GamesUnderWay`.
    """

    def __init__(self, rules: Rules, count: int) -> None:
        from mancala.engine.batches.selfplay import ILLEGAL, RUNNING, SelfPlayGames  # noqa: PLC0415  # loads the compiler

        self._games = SelfPlayGames(rules, count)
        self._illegal, self._running = ILLEGAL, RUNNING
        self._seats: NDArray[np.int64] = np.zeros(count, dtype=np.int64)
        self._all: NDArray[np.int64] = np.arange(count, dtype=np.int64)
        self.states, self.masks = self._games.states, self._games.masks
        self.seen, self.margins = self._games.seen.copy(), self._games.margins.copy()

    def open(
        self,
        which: Sequence[int],
        boards: Sequence[Board],
        players: Sequence[int],
        _seeds: Sequence[int],
    ) -> None:
        """Begin games; where the opponent moves first, it has moved when this returns."""
        for game, board, player in zip(which, boards, players, strict=True):
            self._games.deal(self._all[game : game + 1], (board,))
            self._seats[game] = player
        self._answer()

    def step(self, pits: NDArray[np.int64]) -> None:
        """Sow a pit in every game that is not over, and have the opponent answer."""
        self._games.sow(self._all, pits)
        self._answer()

    def _answer(self) -> None:
        games = self._games
        pits = np.zeros_like(self._seats)
        while (waiting := self._waiting()).size:
            pits[waiting] = self._chosen(waiting)
            games.sow(waiting, pits)
            if (wrong := waiting[games.states[waiting] == self._illegal]).size:
                raise ValueError(f"the opponent's function chose the illegal pit {pits[wrong[0]]}")
        self._look()

    def _chosen(self, waiting: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the opponent's pit in each game that waits for it."""
        raise NotImplementedError

    def _waiting(self) -> NDArray[np.int64]:
        games = self._games
        return np.flatnonzero((games.states == self._running) & (games.movers != self._seats))

    def _look(self) -> None:
        """Show each game from the learner's side, also where the opponent ended it."""
        games = self._games
        turned = games.movers != self._seats
        self.seen[:] = np.where(turned[:, None, None], games.seen[:, ::-1], games.seen)
        self.margins[:] = np.where(turned, -games.margins, games.margins)


class _GamesAgainstPolicy(_GamesOnBothSides):
    """Games against a function, which is asked about all games in one call."""

    def __init__(self, policy: Policy, rules: Rules, count: int) -> None:
        super().__init__(rules, count)
        self._policy = policy

    def _chosen(self, waiting: NDArray[np.int64]) -> NDArray[np.int64]:
        seen, masks = self._games.seen[waiting], self._games.masks[waiting].astype(bool)
        chosen = np.asarray(self._policy(seen, masks))
        if chosen.shape != waiting.shape:
            raise ValueError(
                f"the opponent's function was asked about {quantity(waiting.size, 'game')} and"
                f" returned an array of shape {chosen.shape}"
            )
        return chosen


class _GamesAgainstLevel(_GamesOnBothSides):
    """Games against a level, whose choice depends on the board and the game's seed alone."""

    def __init__(self, level: Player, rules: Rules, count: int) -> None:
        super().__init__(rules, count)
        self._level, self._rules, self._seeds = level, rules, [0] * count

    def open(
        self,
        which: Sequence[int],
        boards: Sequence[Board],
        players: Sequence[int],
        seeds: Sequence[int],
    ) -> None:
        """Begin games, each with a seed of its own."""
        for game, seed in zip(which, seeds, strict=True):
            self._seeds[game] = seed
        super().open(which, boards, players, seeds)

    def _chosen(self, waiting: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.array([self._pit(game) for game in waiting.tolist()])

    def _pit(self, game: int) -> int:
        (*pits, store), (*others, other) = self._games.seen[game].tolist()
        board = Board(self._rules, (tuple(pits), tuple(others)), (store, other))
        self._level.new_game(self._seeds[game])
        return self._level.choose(board).pit

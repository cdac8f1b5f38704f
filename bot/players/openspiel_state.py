"""A position as OpenSpiel has it: its numbers of holes, its states, and Kaggle's fields of them.

OpenSpiel numbers the fourteen holes of both players: player 0's pits 1 to 6 and its store 7, player
1's pits 8 to 13 and its store 0. `KalahState` answers as ``pyspiel.State`` of OpenSpiel 2.0.2 does,
under any rules and from any position, where OpenSpiel's own game has one beginning. It needs no
OpenSpiel; `mancala.spiel` makes it a game of OpenSpiel.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import Any, Final, NamedTuple

from mancala.protocol.rules import KALAH, SWAP, Board, Rules

from .history import History, leads_to

TERMINAL: Final = -4
"""The player to move of a game that is over."""
LONGEST_GAME: Final = 1000
"""Plies of a game as OpenSpiel states them."""


def holes(rules: Rules) -> int:
    """Return the number of holes, stores included."""
    return 2 * rules.pits + 2


def action_of(rules: Rules, player: int, pit: int) -> int:
    """Return OpenSpiel's number of a player's pit."""
    return pit + 1 + player * (rules.pits + 1)


def pit_of(rules: Rules, player: int, action: int) -> int:
    """Return the pit that a player's action sows; no pit for an action that is none of its pits."""
    return action - action_of(rules, player, 0)


def counts(board: Board) -> list[int]:
    """Return the seeds in each hole, by OpenSpiel's numbers."""
    south, north = board.pits
    return [board.stores[1], *south, board.stores[0], *north]


class KalahGame:
    """The game of a state: what OpenSpiel's algorithms ask a game about."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules

    def new_initial_state(self) -> KalahState:
        """Return the start."""
        return KalahState(Board.start(self.rules))

    def num_players(self) -> int:
        """Return the number of players."""
        return 2

    def num_distinct_actions(self) -> int:
        """Return the number of actions: one for each hole, though stores are never sown."""
        return holes(self.rules)

    def min_utility(self) -> float:
        """Return what a loss is worth."""
        return -1.0

    def max_utility(self) -> float:
        """Return what a win is worth."""
        return 1.0

    def utility_sum(self) -> float:
        """Return what both players' results add up to."""
        return 0.0

    def observation_tensor_shape(self) -> list[int]:
        """Return the shape of an observation: the holes, the player to move, the move's number."""
        return [self.observation_tensor_size()]

    def observation_tensor_size(self) -> int:
        """Return the number of numbers of an observation."""
        return holes(self.rules) + 2

    def policy_tensor_shape(self) -> list[int]:
        """Return the shape of a policy: one number for each action."""
        return [self.num_distinct_actions()]

    def max_game_length(self) -> int:
        """Return the most plies of a game."""
        return LONGEST_GAME

    max_history_length = max_move_number = max_game_length

    def max_chance_outcomes(self) -> int:
        """Return the number of outcomes of chance: none."""
        return 0

    max_chance_nodes_in_history = max_chance_outcomes

    def get_parameters(self) -> dict[str, object]:
        """Return the parameters: none."""
        return {}

    def __str__(self) -> str:
        return "mancala()"

    to_string = serialize = __str__


class PlayerAction(NamedTuple):
    """An action with who played it."""

    player: int
    action: int


class StateType(IntEnum):
    """Who is to move in a state."""

    TERMINAL = 0
    CHANCE = 1
    DECISION = 2


class KalahState:
    """A position as ``pyspiel.State`` shows it; seeds that are left at the end stay in their pits.

    ``before`` is the number of sowings before those of the history.
    """

    def __init__(
        self, board: Board, history: tuple[PlayerAction, ...] = (), *, before: int = 0
    ) -> None:
        self.board = board
        self._history = history
        self._before = before

    def get_game(self) -> KalahGame:
        """Return the game."""
        return KalahGame(self.board.rules)

    def current_player(self) -> int:
        """Return the player to move; a negative number when the game is over."""
        return TERMINAL if self.board.is_over else self.board.player

    def legal_actions(self, player: int | None = None) -> list[int]:
        """Return the actions of the player to move, ascending; none of the other player."""
        mover = self.board.player
        if player not in {None, mover}:
            return []
        return [action_of(self.board.rules, mover, pit) for pit in self.board.legal()]

    def legal_actions_mask(self, player: int | None = None) -> list[int]:
        """Return 1 for each action that is legal."""
        legal = self.legal_actions(player)
        return [int(action in legal) for action in range(holes(self.board.rules))]

    def apply_action(self, action: int) -> None:
        """Sow; raise IllegalMoveError when the action is not legal."""
        player, action = self.board.player, int(action)
        pit = pit_of(self.board.rules, player, action)
        self.board = self.board.sow(pit, sweeps=False).board
        self._history = (*self._history, PlayerAction(player, action))

    apply_action_with_legality_check = apply_action

    def apply_actions(self, actions: Iterable[int]) -> None:
        """Sow one after another."""
        for action in actions:
            self.apply_action(action)

    apply_actions_with_legality_checks = apply_actions

    def clone(self) -> KalahState:
        """Return a state of its own."""
        return KalahState(self.board, self._history, before=self._before)

    def __deepcopy__(self, memo: object) -> KalahState:
        return self.clone()

    def child(self, action: int) -> KalahState:
        """Return the state after an action."""
        after = self.clone()
        after.apply_action(action)
        return after

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return self.board.is_over

    def is_chance_node(self) -> bool:
        """Return whether chance moves: never."""
        return False

    is_simultaneous_node = is_mean_field_node = is_chance_node

    def is_player_node(self) -> bool:
        """Return whether a player is to move."""
        return not self.board.is_over

    def is_initial_state(self) -> bool:
        """Return whether nothing was played."""
        return self.move_number() == 0

    def get_type(self) -> StateType:
        """Return whether a player is to move, or the game is over."""
        return StateType.TERMINAL if self.board.is_over else StateType.DECISION

    def returns(self) -> list[float]:
        """Return what the game is worth to each player: 1, 0 or -1; 0 while it goes on."""
        margin = self.board.score(0) if self.board.is_over else 0
        result = float((margin > 0) - (margin < 0))
        return [result, -result]

    rewards = returns  # an action brings nothing but at the end

    def player_return(self, player: int) -> float:
        """Return what the game is worth to a player."""
        return self.returns()[player]

    player_reward = player_return

    def full_history(self) -> list[PlayerAction]:
        """Return who played what so far, as far as it is known."""
        return list(self._history)

    def history(self) -> list[int]:
        """Return the actions so far, as far as they are known."""
        return [each.action for each in self._history]

    def history_str(self) -> str:
        """Return the actions so far as text."""
        return ", ".join(map(str, self.history()))

    def serialize(self) -> str:
        """Return the actions so far, a line each."""
        return "".join(f"{action}\n" for action in self.history()) or "\n"

    def move_number(self) -> int:
        """Return the number of actions so far."""
        return self._before + len(self._history)

    @property
    def is_known(self) -> bool:
        """Whether this is a state of OpenSpiel's game: all was played from its start."""
        sown = ((who, pit_of(KALAH, who, action)) for who, action in self._history)
        return self.board.rules == KALAH and not self._before and leads_to(sown, self.board)

    def num_players(self) -> int:
        """Return the number of players."""
        return 2

    def num_distinct_actions(self) -> int:
        """Return the number of actions."""
        return holes(self.board.rules)

    def action_to_string(self, *player_and_action: int) -> str:
        """Return an action as text."""
        return str(player_and_action[-1])

    def string_to_action(self, *player_and_text: int | str) -> int:
        """Return the legal action that a text names; raise ValueError when there is none."""
        text = player_and_text[-1]
        for action in self.legal_actions():
            if str(action) == text:
                return action
        raise ValueError(f"Couldn't find an action matching {text}")

    def observation_tensor(self, player: int = 0) -> list[float]:  # noqa: ARG002  # all is seen by both
        """Return the seeds in each hole, the player to move and the number of the move."""
        return [
            float(each) for each in (*counts(self.board), self.board.player, self.move_number())
        ]

    def observation_string(self, player: int = 0) -> str:  # noqa: ARG002  # all is seen by both
        """Return the position as text."""
        return str(self)

    def __str__(self) -> str:
        """Return the position as OpenSpiel draws it, player 1's row above."""
        rows = self.board.pits[0], self.board.pits[1][::-1]
        south, north = ("-".join(map(str, row)) for row in rows)
        gap = "-" * (2 * self.board.rules.pits - 1)
        stores = f"{self.board.stores[1]}{gap}{self.board.stores[0]}"
        told = f"Current player: {self.board.player}\nMove number: {self.move_number()}"
        return f"-{north}-\n{stores}\n-{south}-\n{told}"

    to_string = __str__


def state_of(board: Board, history: History, ply: int | None = None) -> KalahState:
    """Return the state of a board with what is known of its game; ``ply`` is its number."""
    known = history.played
    swaps = [number for number, (_, pit) in enumerate(known, 1) if pit == SWAP]
    known = known[swaps[-1] :] if swaps else known
    actions = tuple(PlayerAction(who, action_of(board.rules, who, pit)) for who, pit in known)
    plies = history.moves if ply is None else ply
    return KalahState(board, actions, before=max(0, plies - len(actions)))


def board_fields(state: KalahState) -> dict[str, Any]:
    """Return a position as Kaggle's JSON object has it."""
    board, known = state.board, state.full_history()
    player, action = known[-1] if known else (None, None)
    return {
        "board": counts(board),
        "pits": {str(player): list(row) for player, row in enumerate(board.pits)},
        "stores": {str(player): store for player, store in enumerate(board.stores)},
        "scores": list(board.stores),
        "current_player": state.current_player(),
        "move_number": state.move_number(),
        "last_action": action,
        "last_action_player": player,
        "is_terminal": False,
        "winner": None,
    }

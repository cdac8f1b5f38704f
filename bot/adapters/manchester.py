"""Agents of the Manchester course, which read ``START``, ``CHANGE`` and ``END`` on their stdin.

    mancala match "cmd:python -m mancala.bot.adapters.manchester java -jar agent.jar" \
        engine:level=3 --rules manchester

The course's engine starts an agent for each game, tells it its side by ``START;South`` or
``START;North`` and each move by ``CHANGE;MOVE;STATE;TURN``, and reads ``MOVE;n`` or ``SWAP``. A
state has the holes of North, its store, the holes of South, its store; holes are counted from 1 in
the direction of play. South begins, and its first move gives no further one; that is the preset
``manchester``. Then North may answer by ``SWAP``, and the agents change sides.

A host asks for moves in positions. The moves between two of them follow from the rules, with or
without a further one after the first, so the agent hears them as from its own engine; also those
of South's first turn, if North is asked first. A position to which no such moves lead, such as one
of an opening, is put to a new agent: it plays South, and hears the position as the outcome of its
own first move, whatever that was. So it never swaps where nothing can be swapped.
"""

import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from mancala.protocol.rules import Board
from mancala.protocol.text import whole_number

from .dialogue import Adapter, LineProcess, ProgramQuestion

SOUTH: Final = "South"
NORTH: Final = "North"
SWAPS: Final = "SWAP"
MOST_GAMES: Final = 4
"""Games under way at a time; each has an agent."""


class _ToldMove(NamedTuple):
    """A move of which an agent hears, a hole from 1 or ``SWAP``, and the position after it."""

    move: str
    board: Board


class _ManchesterAgent(LineProcess):
    def tell(self, *fields: str) -> None:
        self.say(";".join(fields))

    def answer(self) -> str:
        """Return its next answer: a pit from 0, or ``swap``."""
        line = self.hear()
        name, _, hole = line.partition(";")
        if name == SWAPS and not hole:
            return "swap"
        try:
            number = whole_number(hole if name == "MOVE" else "")
        except ValueError:
            sys.exit(f"the agent wrote {line!r}; MOVE;n or SWAP is wanted")
        return str(number - 1) if number else "255"


class _ManchesterGame:
    """A game of one agent; in its boards, player 0 is the agent."""

    def __init__(self, agent: _ManchesterAgent) -> None:
        self.agent = agent
        self._side = SOUTH
        self._after: list[Board] = []
        self._own = ""

    def begin(self, question: ProgramQuestion) -> str:
        board = question.board
        found = (_moves_between(each, board) for each in _starts(board, 1))
        opened = None if _is_start(board) else next(filter(None, found), None)
        if opened or (question.pie and question.seat == 1):
            self._side = NORTH
            self.agent.tell("START", NORTH)
            self._tell(opened or [_ToldMove("1", board)])
        else:
            self.agent.tell("START", SOUTH)
            if not _is_start(board):
                self._tell([_ToldMove(_hole(self.agent.answer()), board)])
        return self._answered(board)

    def follow(self, board: Board) -> str | None:
        """Return the answer to a later question; None where no moves lead to its position."""
        for after in self._after:
            moves = _moves_between(after, board)
            if moves is not None:
                self._tell([*([_ToldMove(self._own, after)] if self._own else []), *moves])
                return self._answered(board)
        return None

    def _tell(self, moves: list[_ToldMove]) -> None:
        for number, (move, board) in enumerate(moves, start=1):
            if move == SWAPS:
                self._side = NORTH
            turn = "YOU" if board.player == 0 or number == len(moves) else "OPP"
            self.agent.tell("CHANGE", move, _state(board, self._side), turn)

    def _answered(self, board: Board) -> str:
        """Return the agent's answer; remember the positions that it may lead to, to tell it one."""
        answer = self.agent.answer()
        self._after, self._own = [], ""
        if answer == "swap":
            self._side, self._after = SOUTH, [_turned(board)]
        elif board.may_sow(int(answer)):
            boards = _starts(board, 0) if _is_start(board) else [board]
            self._after = [each.sow(int(answer)).board for each in boards]
            self._own = _hole(answer)
        return answer


class AdaptedAgents(Adapter):
    def __init__(self, command: Sequence[str]) -> None:
        super().__init__(command)
        self._spare: _ManchesterAgent | None = None
        self._games: dict[str, _ManchesterGame] = {}

    def warm_up(self) -> None:
        """Start an agent for the next game, so that its start takes none of the game's time."""
        if self._spare is None:
            self._spare = _ManchesterAgent(self._command)

    def answer(self, question: ProgramQuestion) -> str:
        game = self._games.get(question.game)
        answer = game.follow(question.board) if game is not None else None
        return self._begun(question) if answer is None else answer

    def close(self) -> None:
        for agent in (self._spare, *(game.agent for game in self._games.values())):
            if agent is not None:
                agent.end("END")
        self._spare, self._games = None, {}

    def _begun(self, question: ProgramQuestion) -> str:
        """Return a new agent's answer; the oldest of several games under way is given up."""
        given_up = question.game
        if given_up not in self._games and len(self._games) == MOST_GAMES:
            given_up = next(iter(self._games))
        if given_up in self._games:
            self._games.pop(given_up).agent.end("END")
        self.warm_up()
        game = _ManchesterGame(self._spare or _ManchesterAgent(self._command))
        self._spare, self._games[question.game] = None, game
        answer = game.begin(question)
        self.warm_up()
        return answer


def _moves_between(start: Board, end: Board) -> list[_ToldMove] | None:
    """Return the opponent's moves from one position to another; None if there are none."""
    if start.player == 0 or start.is_over:
        return [] if _is_same(start, end) else None
    if _is_same(_turned(start), end):
        return [_ToldMove(SWAPS, end)]
    for pit in start.legal():
        after = start.sow(pit).board
        rest = _moves_between(after, end) if after.stores[1] <= end.stores[1] else None
        if rest is not None:
            return [_ToldMove(_hole(str(pit)), after), *rest]
    return None


def _is_same(one: Board, other: Board) -> bool:
    return (one.pits, one.stores, one.player) == (other.pits, other.stores, other.player)


def _is_start(board: Board) -> bool:
    return board.stores == (0, 0) and len({*board.pits[0], *board.pits[1]}) == 1


def _starts(board: Board, player: int) -> list[Board]:
    """Return the start of a position's game, without and with a further move after the first."""
    seeds = board.total // (2 * board.rules.pits)
    if not seeds:
        return []
    rules = replace(board.rules, seeds=seeds)
    start = replace(Board.start(rules), player=player)
    return [replace(start, rules=replace(rules, first_again=False)), start]


def _turned(board: Board) -> Board:
    """Return the position with the sides exchanged, and the other player to move."""
    return replace(board, pits=board.pits[::-1], stores=board.stores[::-1], player=1 - board.player)


def _hole(answer: str) -> str:
    """Return a pit as the agents count; any hole stands for a swap of which no agent hears."""
    return "1" if answer == "swap" else str(int(answer) + 1)


def _state(board: Board, side: str) -> str:
    """Return a position as the agents read it: North's row and store, South's row and store."""
    mine, theirs = ((*board.pits[each], board.stores[each]) for each in (0, 1))
    north, south = (mine, theirs) if side == NORTH else (theirs, mine)
    return ",".join(map(str, (*north, *south)))


if __name__ == "__main__":
    AdaptedAgents.main()

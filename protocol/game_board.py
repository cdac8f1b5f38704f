"""A game to step through: sowings are made and taken back, and it becomes a record or a picture."""

from typing import Self

from .drawing import as_svg
from .messages import Outcome
from .record import GameRecord, RecordedMove, replay
from .referee import outcome
from .results import Contestant
from .rules import KALAH, Board, PlayerScore, Rules, Sowing


class GameBoard:
    """A game: the position now, and all that led to it.

    Args:
        start: the position that it begins from, or its text; None for the rules' own.
        rules: the variant, or its text; those of ``start`` where that is a board.

    Attributes:
        boards: the position before each sowing, then the one now.
        history: the pits sown so far, each counted in its mover's direction.

    Raises:
        InvalidPositionError: when ``start`` or ``rules`` is none.
    """

    def __init__(self, start: Board | str | None = None, *, rules: Rules | str = KALAH) -> None:
        played = Rules.of(rules)
        if start is None:
            start = Board.start(played)
        self.boards = [
            Board.from_text(start, played) if isinstance(start, str) else start.as_opening
        ]
        self.history: list[int] = []

    @classmethod
    def from_record(cls, record: GameRecord) -> Self:
        """Return a recorded game, at its end.

        Raises:
            RecordError: when a move is out of turn or illegal.
        """
        boards = list(replay(record))
        game = cls(boards[0])
        game.boards, game.history = boards, [move.pit for move in record.moves]
        return game

    @property
    def board(self) -> Board:
        """The position now."""
        return self.boards[-1]

    @property
    def player(self) -> int:
        """The player to move, 0 or 1."""
        return self.board.player

    @property
    def legal_moves(self) -> tuple[int, ...]:
        """The pits that the player to move may sow; none once the game is over."""
        return self.board.legal()

    @property
    def is_over(self) -> bool:
        """Whether the game is over."""
        return self.board.is_over

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended by the rules; None while it goes on."""
        return outcome(self.board)

    @property
    def winner(self) -> int | None:
        """The player who won; None for a draw, and while the game goes on."""
        return None if self.outcome is None else self.outcome.winner

    @property
    def score(self) -> PlayerScore:
        """The difference of the stores now, with the seeds that the end of the game moves there."""
        return PlayerScore(self.board.score(0), 0)

    def push(self, pit: int) -> Sowing:
        """Sow a pit for the player to move, and return what that did.

        Raises:
            IllegalMoveError: when the pit may not be sown.
        """
        sowing = self.board.sow(pit)
        self.boards.append(sowing.board)
        self.history.append(pit)
        return sowing

    def pop(self) -> int:
        """Take the last sowing back, and return its pit.

        Raises:
            IndexError: when nothing was sown.
        """
        pit = self.history.pop()
        self.boards.pop()
        return pit

    def record(
        self, players: tuple[str, str] = ("Player 0", "Player 1"), *, game: str = "game"
    ) -> GameRecord:
        """Return the game as a record, with the players' names in seat order."""
        movers = (board.player for board in self.boards)
        return GameRecord(
            game,
            self.boards[0].rules,
            (Contestant(players[0]), Contestant(players[1])),
            self.boards[0].state,
            tuple(map(RecordedMove, movers, self.history)),
            self.outcome,
        )

    def svg(self) -> str:
        """Return the position now as SVG; the pit sown last has a ring."""
        last = (self.boards[-2].player, self.history[-1]) if self.history else None
        board = self.board
        return as_svg(board.pits, board.stores, last)

    def _repr_svg_(self) -> str:
        return self.svg()

    def __bool__(self) -> bool:
        """Return True, also before the first sowing."""
        return True

    def __len__(self) -> int:
        """Return the number of sowings so far."""
        return len(self.history)

    def __str__(self) -> str:
        """Return a drawing of the position now."""
        return str(self.board)

    def __repr__(self) -> str:
        """Return the position now and the pits sown."""
        return f"GameBoard({self.board.text!r}, history={self.history})"

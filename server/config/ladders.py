"""What an organiser may set of a ladder: one ``[[ladder]]`` of the configuration file."""

from __future__ import annotations

from fnmatch import fnmatchcase

import msgspec

from protocol.clock import TimeControl
from protocol.messages import Name
from protocol.rules import Board, InvalidPositionError, Rules


class LadderSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A ladder's settings.

    Attributes:
        name: what bots join it by.
        rules: what is played.
        clock: the limits in force.
        games: games of a match; even, since seats are swapped. Two, so that whoever waits for
            this opponent waits little.
        openings: positions to begin from, as board literals, each for a pair of games; without
            any, the usual position.
        openings_file: file that holds more of them, one a line; ``#`` begins a comment. Its path
            is taken from the configuration's folder.
        seed: shuffles the openings; the same seed gives the same order.
        guests: whether bots without a token may join.
        names: patterns (``*``, ``?``) of the names that may join; without any, every name.
        patience_s: how long a bot waits for somebody else before it meets its last opponent
            again; a little more than a quick match, so that others come free.
        refit_s: how often all ratings are fitted together while games are played; five seconds
            keep a thousand games an hour current at a hundredth of a core.
        anchors: ratings that are given, in Elo, by ``bot@version`` or by ``bot`` for all its
            versions.
        quarantine_after: forfeits in a row after which a bot is sent out; see ``books``. Three
            is a program that crashes, not a cable that came loose.
        quarantine_s: for how long; an hour, in which somebody may look at it.
        house: bots that the organiser runs in the ladder: name and player SPEC.
    """

    name: Name
    rules: str = "kalah"
    clock: TimeControl = TimeControl(move_ms=1000)
    games: int = 2
    openings: tuple[str, ...] = ()
    openings_file: str | None = None
    seed: int = 1
    guests: bool = True
    names: tuple[str, ...] = ()
    patience_s: float = 5.0
    refit_s: float = 5.0
    anchors: dict[str, float] = {}
    quarantine_after: int = 3
    quarantine_s: float = 3600.0
    house: dict[Name, str] = {}

    @property
    def parsed_rules(self) -> Rules:
        """What is played."""
        return Rules.parse(self.rules)

    @property
    def boards(self) -> tuple[Board, ...]:
        """The positions to begin from.

        Raises:
            InvalidPositionError: when one is no position of these rules that can be played on.
        """
        return tuple(_opening(text, self.parsed_rules) for text in self.openings)

    def admits(self, name: str) -> bool:
        """Tell whether a bot of that name may join."""
        patterns = self.names
        return not patterns or any(fnmatchcase(name, pattern) for pattern in patterns)

    def problem(self) -> str | None:
        """Tell which key holds what can't be used, and why; None when all is well."""
        try:
            _ = self.parsed_rules
        except InvalidPositionError as error:
            return f"rules: {error}"
        try:
            _ = self.boards
        except InvalidPositionError as error:
            return f"openings: {error}"
        if self.games < 2 or self.games % 2:
            return f"games: must be 2, 4, 6, …, not {self.games}"
        for key in ("refit_s", "quarantine_after", "quarantine_s"):
            if getattr(self, key) <= 0:
                return f"{key}: must be more than 0"
        return None if self.patience_s >= 0 else "patience_s: must be 0 or more"


def _opening(text: str, rules: Rules) -> Board:
    board = Board.from_state(Board.from_text(text).state, rules)
    if board.is_over:
        raise InvalidPositionError(f"in {text} the game is over")
    return board

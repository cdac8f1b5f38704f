"""What a bot's moves cost it, by proof."""

from __future__ import annotations

from enum import StrEnum

from .views import View


class Kind(StrEnum):
    """What a mistake gave up or allowed, as far as its position shows it."""

    CAPTURE = "capture"
    """The best move captured more."""
    AGAIN = "again"
    """The best move was followed by another one, the move played was not."""
    END = "end"
    """The best move ended the game."""
    ALLOWED = "allowed"
    """The best answer captures three seeds or more, more than after the best move."""
    QUIET = "quiet"
    """None of these: it is seen some plies later."""


class Mistake(View, frozen=True):
    """A move that lost seeds, by proof.

    Attributes:
        game: the game.
        ply: the number of sowings before it.
        opponent: the bot's opponent in that game.
        pit: the pit sown.
        best: the best move.
        loss: seeds lost.
        kind: what it gave up or allowed.
    """

    game: str
    ply: int
    opponent: str
    pit: int
    best: int
    loss: float
    kind: Kind


class CommonMistake(View, frozen=True):
    """A kind of mistake that a version makes.

    Attributes:
        kind: the kind.
        count: how many of them it made.
        loss: seeds lost by them.
    """

    kind: Kind
    count: int
    loss: float


class VersionMistakes(View, frozen=True):
    """The mistakes of one version of a bot.

    Attributes:
        name: the version: ``bot@version``.
        games: its reviewed games that were looked at.
        dearest: its dearest mistakes, at most five, the dearest first.
        common: its three commonest kinds of mistakes, the commonest first.
    """

    name: str
    games: int
    dearest: tuple[Mistake, ...]
    common: tuple[CommonMistake, ...]


class BotMistakes(View, frozen=True):
    """The mistakes of a bot in the latest games that were reviewed.

    Attributes:
        versions: each version in these games, the latest first.
    """

    versions: tuple[VersionMistakes, ...]

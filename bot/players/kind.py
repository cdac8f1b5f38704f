"""A kind of player: what `mancala players` lists, and how one is made from its options."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING

from mancala.extras import install_words

from .options import Option, Settings

if TYPE_CHECKING:
    from mancala.protocol.player import Player


def _no_check(_settings: Settings) -> None:
    """Accept any options that were read."""


@dataclass(frozen=True, slots=True)
class PlayerKind:
    """A player that can be made by name.

    Attributes:
        name: as it is written in a spec.
        meaning: how it plays, in one phrase.
        options: its options.
        make: makes the player from its options.
        check: raises SpecError where options that are fine by themselves name no player.
        needs: packages it needs beyond the base install, by the extra that brings them.
    """

    name: str
    meaning: str
    options: tuple[Option, ...]
    make: Callable[[Settings], Player]
    check: Callable[[Settings], None] = _no_check
    needs: tuple[str, tuple[str, ...]] | None = None

    @property
    def missing(self) -> str | None:
        """What to install before the player can be made; None when nothing is missing."""
        if self.needs is None:
            return None
        extra, packages = self.needs
        absent = [package for package in packages if find_spec(package) is None]
        return install_words(extra) if absent else None

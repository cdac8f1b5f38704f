"""One game as an environment shows it: as text, or drawn with pygame as pixels or in a window.

The player named first sits below and sows to the right. A pit shows its seeds as dots, and their
number; a ring marks the pits of the player to move.
"""

from __future__ import annotations

from math import cos, pi, sin, sqrt
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mancala.protocol.rules import Board, Rules

from .start import Openings, boards_of, check_reward

CELL: Final = 90
"""Pixels of a pit's square."""
RADIUS: Final = 36
DOT: Final = 4
MOST_DOTS: Final = 60
GOLDEN: Final = pi * (3 - sqrt(5))
WOOD, PIT, SEED, INK, RING = (
    (214, 176, 128),
    (125, 80, 41),
    (244, 227, 191),
    (38, 33, 28),
    (18, 49, 110),
)
FRAMES_A_SECOND: Final = 4


class SingleGame:
    """What environments of one game have in common: its terms, and how it is shown."""

    player = 0

    def _set_up(
        self, rules: Rules | str, openings: Openings, reward: str, render_mode: str | None
    ) -> None:
        self.rules = Rules.of(rules)
        self.render_mode = render_mode
        self._starts = boards_of(openings, self.rules)
        self._reward = check_reward(reward)
        self._picture = Picture() if render_mode in {"rgb_array", "human"} else None
        self.board = self._starts[0]

    def render(self) -> Any:  # noqa: ANN401  # by the render mode
        """Return the board as the render mode says; None for a window or without a mode."""
        if self._picture is not None:
            shown = self._picture.in_window if self.render_mode == "human" else self._picture.pixels
            return shown(self.board, self.player)
        return str(self.board) if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._picture is not None:
            self._picture.close()

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()


class Picture:
    """Draws positions; without pygame it raises ModuleNotFoundError."""

    def __init__(self) -> None:
        import pygame  # noqa: PLC0415  # only who draws needs it

        self._pygame: Any = pygame
        self._pygame.font.init()
        self._font = pygame.font.Font(None, 30)
        self._window: Any = None
        self._clock: Any = None

    def __reduce__(self) -> tuple[type[Picture], tuple[()]]:
        """Travel as a new one: neither a window nor a module can be pickled."""
        return Picture, ()

    def pixels(self, board: Board, below: int) -> NDArray[np.uint8]:
        """Return a position as u8[height, width, 3], with a player below."""
        pixels = self._pygame.surfarray.array3d(self._drawn(board, below))
        return np.ascontiguousarray(np.transpose(pixels, (1, 0, 2)), dtype=np.uint8)

    def in_window(self, board: Board, below: int) -> None:
        """Show a position in a window, which opens with the first one."""
        surface = self._drawn(board, below)
        if self._window is None:
            self._pygame.display.init()
            self._window = self._pygame.display.set_mode(surface.get_size())
            self._pygame.display.set_caption("Mancala Arena")
            self._clock = self._pygame.time.Clock()
        self._window.blit(surface, (0, 0))
        self._pygame.event.pump()
        self._pygame.display.flip()
        self._clock.tick(FRAMES_A_SECOND)

    def close(self) -> None:
        """Close the window."""
        if self._window is not None:
            self._pygame.display.quit()
            self._window = None

    def _drawn(self, board: Board, below: int) -> Any:  # noqa: ANN401  # pygame's
        m = board.rules.pits
        surface = self._pygame.Surface((CELL * (m + 2), CELL * 3))
        surface.fill(WOOD)
        for pit in range(m):
            for player, row, column in ((below, 2, pit + 1), (1 - below, 0, m - pit)):
                seeds = board.pits[player][pit]
                can_sow = board.player == player and board.may_sow(pit)
                self._hole(surface, (column, row), seeds, marked=can_sow)
        for player, column in ((below, m + 1), (1 - below, 0)):
            self._hole(surface, (column, 1), board.stores[player], marked=False)
        return surface

    def _hole(self, surface: Any, place: tuple[int, int], seeds: int, *, marked: bool) -> None:  # noqa: ANN401  # pygame's
        circle = self._pygame.draw.circle
        x, y = (round(CELL * (at + 0.5)) for at in place)
        circle(surface, PIT, (x, y), RADIUS)
        if marked:
            circle(surface, RING, (x, y), RADIUS + 3, width=3)
        shown = min(seeds, MOST_DOTS)
        for dot in range(shown):
            out = (RADIUS - 2 * DOT) * sqrt((dot + 0.5) / max(shown, 8))
            spot = x + out * cos(GOLDEN * dot), y + out * sin(GOLDEN * dot)
            circle(surface, SEED, spot, DOT)
        text = self._font.render(str(seeds), True, INK)  # antialiased
        surface.blit(text, text.get_rect(midbottom=(x + RADIUS, y + CELL // 2)))

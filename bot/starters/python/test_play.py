"""Tests of the bot's own part: which pit it chooses."""

import unittest

from play import best

from mancala import Board


class BestTest(unittest.TestCase):
    """Positions whose answer is known; the mover's pits come first."""

    def test_moves_again_where_it_can(self) -> None:
        """Four seeds from pit 2 end in the store."""
        self.assertEqual(best(Board.start()), 2)

    def test_plays_the_last_legal_pit_otherwise(self) -> None:
        """No pit reaches the store, and the last one is empty."""
        self.assertEqual(best(Board.from_text("<6,0,0,1,1,1,0,0,0,4,4,4,4,4,4>")), 2)


if __name__ == "__main__":
    unittest.main()

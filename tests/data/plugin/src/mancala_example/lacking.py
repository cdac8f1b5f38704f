"""A player that needs a package which only the extra brings."""

import mancala_example_that_nobody_has  # type: ignore[import-not-found]

PLAYER = mancala_example_that_nobody_has.PLAYER

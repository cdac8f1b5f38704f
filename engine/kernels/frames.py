"""The search stack: frames of numbers, frames of words, and the control words.

There is no recursion. A search is an explicit stack of frames in two arrays, so it can be paused
after any node and resumed by the same call. Frame ``k`` has its numbers at ``ints[96 * k]`` and its
words at ``words[72 * k]``: the position, then the positions of its children, four words each.

```
ints[f + ...]   0 .. 13        16 .. 31   32 .. 47   48 .. 63   64 .. 79   80 .. 95
              +--------------+----------+----------+----------+----------+----------+
              | F_ALPHA_...  |  F_GAIN  | F_AGAIN  | F_CHILD_ |  F_KEY   | F_ORDER  |
              | one each     |  by child, in the order of generation     | of search|
              +--------------+----------+----------+----------+----------+----------+
```
"""

from typing import Final

import numpy as np

from .layout import POSITION_WORDS
from .state import BUSY_SLOTS, FRAME_INTS, FRAME_WORDS, MAX_PLIES

LAST_PLY = np.uint64(MAX_PLIES)
FRAME = np.uint64(FRAME_INTS)
FRAME_W = np.uint64(FRAME_WORDS)
POSITION_W = np.uint64(POSITION_WORDS)
BUSY_MASK = np.uint64(BUSY_SLOTS - 1)
DEFERRED = np.int64(1 << 40)
"""Added to a child's place in the order once ABDADA has moved it to the end."""

C_STOP, C_PLY, C_ENTERING, C_NODES, C_TOTAL_SEEDS, C_SHARED, C_CLOCK, C_DEADLINE = map(
    np.uint64, range(8)
)
"""Control words: stop flag, frame on top, whether it is new, nodes so far, seeds in all (for
``majority``), whether other threads search the same tables; the number of a clock, and the
nanoseconds on it from which on the search pauses, 0 for never."""
C_READ = np.uint64(24)
"""Control word: the nodes at which that clock is read next."""
READ_NODES: Final = 128
"""Nodes between two readings of the clock, some 30 microseconds."""
C_OPTIONS: Final = 8
(
    C_AGAIN_COST,
    C_QUIESCENCE,
    C_FUTILITY_PLIES,
    C_FUTILITY_MARGIN,
    C_RAZOR_MARGIN,
    C_PROBCUT_FROM,
    C_PROBCUT_LESS,
    C_PROBCUT_MARGIN,
) = map(np.uint64, range(C_OPTIONS, C_OPTIONS + 8))
"""Control words from the eighth on: see `mancala.engine.evaluation.search_options`."""

F_ALPHA_GIVEN, F_ALPHA, F_BETA, F_BEST, F_BEST_PIT, F_DEPTH, F_SEEDS, F_STORE = map(
    np.uint64, range(8)
)
"""Frame: alpha as given, window now, best value, its pit, depth, seeds in pits, mover's store."""
F_CURSOR, F_COUNT, F_NODES_BEFORE, F_STAGE, F_NO_STORE, F_MIXED_KEY = map(np.uint64, range(8, 14))
"""Frame: next in the order, length of the order, nodes when it began, how the next child is being
searched, whether the result is not to be stored, mixed half of the key."""
FIRST_VISIT, NULL_WINDOW, FULL_WINDOW, PROBCUT_HIGH, PROBCUT_LOW = range(5)
"""Stage of a frame. Of its next child: not searched yet, or in the frame's window; searched with a
null window; searched again with the frame's window. The last two: ProbCut's shallow search of the
position itself is under way, above or below the window."""
F_GAIN, F_AGAIN, F_CHILD_PIT, F_KEY, F_ORDER = map(np.uint64, range(16, 96, 16))
"""Frame: sixteen of each, by child: ``4 * seeds gained + kind``, sows again, pit, and its index in
the endgame tables or its mixed key; then the open children in the order of search, as
``16 * score + child``."""
CHILD_FINAL, CHILD_IN_TABLEBASE, CHILD_IN_TT, CHILD_LEAF = range(4)
"""Kind of a child: the game is over; the endgame tables have it; the transposition table may; only
the evaluation does."""

PAUSED, DONE, TOO_DEEP = 0, 1, 2
"""What ``run`` returns: call it again; frame 0 has its value; more plies than frames."""

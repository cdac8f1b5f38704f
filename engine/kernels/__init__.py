"""All compiled code, cut by concept; Python uses the names listed here.

From the bottom up:

- `locator` names the folder of the cached machine code by all files of the package, `lowering`
  is how functions become LLVM's code, `compiler` is the door to numba.
- `layout` is words and lanes, `state` the tuples of arrays that kernels take as one argument,
  `frames` the search stack.
- `sowing`, `tt` (transposition table), `evaluation` with `threats` and the nets (`net`), and
  `tablebase` (endgame tables) are the parts; `build_kernel` computes endgame tables.
- `children` generates and bounds moves, `ordering` orders them, `search` is the search, `root` an
  iteration over the moves of a board, `queries` asks about one position.
- `choosers` is what players of whole games have in common, `turns` and `trees` are the textbook
  players, `splitmix` breaks their ties, `games` plays whole games, and
  `steps` plays one side of many, `selfplay` none: both are asked for.

Module constants are frozen into the compiled code; rules, weights and tables vary and so are
arguments.
"""

from .build_kernel import fill_pair
from .frames import (
    C_CLOCK,
    C_DEADLINE,
    C_NODES,
    C_OPTIONS,
    C_READ,
    C_SHARED,
    C_STOP,
    C_TOTAL_SEEDS,
    DONE,
    F_BEST,
    F_BEST_PIT,
    PAUSED,
    READ_NODES,
    TOO_DEEP,
)
from .layout import INFINITY, NO_PIT, PROOF, UNIT
from .queries import count_threats, estimates_of, follow, lookup, static_value
from .root import open_root, run, search_root
from .search import begin, prove
from .sowing import perft, perft_wide, play
from .tablebase import table_at, tables_at
from .tt import collect_proofs, restore_proofs

__all__ = [
    "C_CLOCK",
    "C_DEADLINE",
    "C_NODES",
    "C_OPTIONS",
    "C_READ",
    "C_SHARED",
    "C_STOP",
    "C_TOTAL_SEEDS",
    "DONE",
    "F_BEST",
    "F_BEST_PIT",
    "INFINITY",
    "NO_PIT",
    "PAUSED",
    "PROOF",
    "READ_NODES",
    "TOO_DEEP",
    "UNIT",
    "begin",
    "collect_proofs",
    "count_threats",
    "estimates_of",
    "fill_pair",
    "follow",
    "lookup",
    "open_root",
    "perft",
    "perft_wide",
    "play",
    "prove",
    "restore_proofs",
    "run",
    "search_root",
    "static_value",
    "table_at",
    "tables_at",
]

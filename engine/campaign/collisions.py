"""How sure a proof is of its transposition table.

With up to seven pits a row an entry identifies its position fully, so one thread never reads
another position's proof. Two threads may write the two words of an entry together; such a torn pair
passes for a position that is being looked up only if 56 mixed bits agree by accident. Of wide
positions 96 bits are kept. So the expected number of false hits is at most the number of entries
compared, divided by 2 ** 56 (or 2 ** 96): as if every pair were torn.
"""

from __future__ import annotations

from typing import Final

from mancala.protocol.rules import Rules

from ..kernels.state import SLOTS, is_wide

TORN_BITS: Final = 56
WIDE_BITS: Final = 96


def expected_collisions(rules: Rules, nodes: int) -> float:
    """Return an upper bound of the false hits that a search of this many nodes expects.

    A node looks up itself twice, and each of its children once.
    """
    compared = nodes * (rules.pits + 2) * SLOTS
    torn = compared / 2.0**TORN_BITS
    return torn + compared / 2.0**WIDE_BITS if is_wide(rules) else torn

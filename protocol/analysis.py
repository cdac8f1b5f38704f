"""What a server's web process asks its analyst: one JSON object a line.

The answer is the :class:`mancala.protocol.messages.Assessment` of the position, with ply 0; the
mover is player 0 there, so its values are the mover's.
"""

from .messages import Part


class PositionQuestion(Part, frozen=True):
    """A question about a position: its literal, the mover first, and the seconds to think."""

    board: str
    rules: str
    seconds: float

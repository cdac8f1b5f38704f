"""What a token gives the right to, and what can be wrong with one."""

from __future__ import annotations

from typing import Final, NamedTuple


class Rights(NamedTuple):
    """What the holder of a token may do besides playing.

    Attributes:
        is_reviewer: whether it may review games.
        is_submitter: whether it may submit events that were played elsewhere.
    """

    is_reviewer: bool = False
    is_submitter: bool = False


NO_RIGHTS: Final = Rights()


class TokenProblem(NamedTuple):
    """Why the bearer of a token may not use a name.

    Attributes:
        detail: the problem in words.
        is_free: whether no token was ever issued for the name.
    """

    detail: str
    is_free: bool = False

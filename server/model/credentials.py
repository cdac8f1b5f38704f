"""What can be wrong with a token."""

from __future__ import annotations

from typing import NamedTuple


class TokenProblem(NamedTuple):
    """Why the bearer of a token may not use a name.

    Attributes:
        detail: the problem in words.
        is_free: whether no token was ever issued for the name.
    """

    detail: str
    is_free: bool = False

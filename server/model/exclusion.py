"""What keeps a bot out, a ban or a quarantine, when its name becomes another one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

T = TypeVar("T")
FOR_EVER: Final = "9999-12-31T23:59:59.000+00:00"
"""An end that never comes, RFC 3339."""


def of_both(
    old: T | None, new: T | None, *, lasts: Callable[[T], str], leaves: bool
) -> tuple[T | None, T | None]:
    """Return what keeps out each of two names once they are one bot's.

    Of two that meet the longer one holds. The name that goes stays kept out, so that a bot that
    comes back under it is not free.

    Args:
        old: what keeps out the name that goes.
        new: what keeps out the other one.
        lasts: until when it holds, RFC 3339.
        leaves: whether the bot may come back under the name that goes; not where a former change
            of its name is undone.
    """
    held = [each for each in (old, new) if each is not None]
    return (old if leaves else None), max(held, key=lasts, default=None)

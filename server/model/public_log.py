"""What of the operator's log is public, where the organiser wants it so. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from mancala.protocol.results import ActChange

SHOWN: Final = 20
"""Changes of one line that are published."""
PRIVATE: Final = ("address", "token")
"""Kinds of bans whose subject is left out."""


def public_changes(changed: Iterable[Mapping[str, Any]]) -> tuple[ActChange, ...]:
    """Return what a line changed, without networks, tokens, files and the values of settings.

    Args:
        changed: the changes, as the log keeps them.
    """
    return tuple(map(_public, [*changed][:SHOWN]))


def _public(change: Mapping[str, Any]) -> ActChange:
    what, subject = str(change["what"]), str(change["subject"])
    kind = subject.partition(" ")[0]
    if what == "ban" and kind in PRIVATE:
        return ActChange(what, f"{kind} (not public)")
    if what == "backup":
        return ActChange(what, "the store")
    if what == "setting":
        return ActChange(what, subject)
    return ActChange(what, subject, change.get("before"), change.get("after"))

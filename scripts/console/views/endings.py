"""Why a game ended, in words, for the terminal."""

from __future__ import annotations

from mancala.protocol.messages import Evidence, Reason


def reason_text(reason: Reason, evidence: Evidence | None) -> str:
    """Return the reason and what is known of it; the detail alone if it begins with the reason."""
    detail = evidence.detail if evidence else ""
    if not detail:
        return str(reason)
    return detail if detail.lower().startswith(reason) else f"{reason}: {detail}"

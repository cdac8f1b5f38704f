"""Proven bounds of a value as commands show them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mancala.engine.knowledge import Bounds


def bounds_fields(bounds: Bounds) -> dict[str, Any]:
    """Return what ``--json`` has of a value: both bounds, and the value once they meet."""
    return {
        "value": bounds.low if bounds.exact else None,
        "exact": bounds.exact,
        "low": bounds.low,
        "high": bounds.high,
    }


def bounds_text(bounds: Bounds) -> str:
    """Return a proven value as one signed number, an open one as ``low to high``."""
    return f"{bounds.low:+d}" if bounds.exact else f"{bounds.low:+d} to {bounds.high:+d}"

"""Proven bounds of a value as commands show them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.solver import Bounds


def bounds_fields(bounds: Bounds) -> dict[str, Any]:
    """Return bounds as fields of JSON."""
    return {
        "value": bounds.low if bounds.exact else None,
        "exact": bounds.exact,
        "low": bounds.low,
        "high": bounds.high,
    }


def bounds_text(bounds: Bounds) -> str:
    """Return bounds as text."""
    return f"{bounds.low:+d}" if bounds.exact else f"{bounds.low:+d} to {bounds.high:+d}"

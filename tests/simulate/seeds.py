"""Seeds that once found something, kept under ``tests/data/seeds``."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parents[1] / "data" / "seeds"


def kept_seeds(name: str) -> list[int]:
    """Return the seeds of a file."""
    lines = (FOLDER / f"{name}.txt").read_text().splitlines()
    return [int(line.partition(" ")[0]) for line in lines if line and not line.startswith("#")]

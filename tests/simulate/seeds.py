"""Seeds that once found something, kept under ``tests/data/seeds``."""

from tests.sources import ROOT

FOLDER = ROOT / "tests" / "data" / "seeds"


def kept_seeds(name: str) -> list[int]:
    lines = (FOLDER / f"{name}.txt").read_text().splitlines()
    return [int(line.partition(" ")[0]) for line in lines if line and not line.startswith("#")]

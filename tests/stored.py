"""Pages, pictures and answers that a developer has looked at, each compared as a whole."""

from typing import Final

from tests.sources import ROOT

STORED: Final = ROOT / "tests" / "data" / "stored"
NEW: Final = ROOT / "build" / "stored"


def assert_is_stored(name: str, text: str) -> None:
    """Compare a text with the stored one; write another one beside it, to be looked at."""
    lines = text.replace("><", ">\n<").splitlines()
    if lines != (STORED / name).read_text().splitlines():
        NEW.mkdir(parents=True, exist_ok=True)
        (NEW / name).write_text("\n".join([*lines, ""]))
        raise AssertionError(f"look at {NEW / name} before it takes the place of {STORED / name}")

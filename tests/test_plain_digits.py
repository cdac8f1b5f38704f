"""Numbers in texts of others have the digits 0 to 9; ``int`` takes those of all scripts."""

import re
from typing import Final

from tests.sources import ROOT

ROOMS: Final = ("protocol", "server", "bot", "scripts", "engine/classics")
LENIENT: Final = re.compile(r"\.is(?:digit|decimal|numeric)\(\)")
CLASS: Final = re.compile(r"r[f]?\"[^\"]*\\d")
OF_BYTES: Final = {"bot/players/programs/dialogue.py", "bot/players/programs/reaper.py"}
"""Modules whose numbers are bytes, or the kernel's; the digits of bytes are 0 to 9."""


def test_no_number_is_read_in_digits_of_other_scripts() -> None:
    """Arabic digits were pits once; ``²`` is a digit, and no number at all."""
    found = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for room in ROOMS
        for path in sorted((ROOT / room).rglob("*.py"))
        if path.relative_to(ROOT).as_posix() not in OF_BYTES
        for line in path.read_text().splitlines()
        if (LENIENT.search(line) and "isascii()" not in line) or CLASS.search(line)
    ]
    assert not found, "protocol.text.whole_number reads a number"

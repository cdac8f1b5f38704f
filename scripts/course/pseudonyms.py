"""Names under which teams are shown in public, and the names of their private pages; pure.

Both follow from a key that only the course's folder has. So they stay the same over the weeks, and
neither tells anything of the other, of the team, or of other teams.
"""

import hmac
import secrets
from pathlib import Path
from typing import Final

from ..hosting.shelf import STATE, write_whole

KEY: Final = "pages.key"
KEY_BYTES: Final = 32
TOKEN_LETTERS: Final = 32
NUMBERS: Final = 1000
MANNERS: Final = (
    "Amber Bold Brisk Calm Clever Copper Crimson Daring Eager Early Gentle Golden Grand Hidden"
    " Humble Ivory Jolly Keen Lucky Mellow Misty Noble Patient Proud Quiet Rapid Sable Silver"
    " Steady Swift Velvet Wise"
)
ANIMALS: Final = (
    "Badger Bison Crane Curlew Dolphin Eagle Falcon Ferret Finch Fox Gecko Hare Heron Ibis Jackal"
    " Kestrel Lemur Lynx Marten Mole Newt Otter Owl Panda Puffin Quail Raven Robin Seal Stork"
    " Tapir Wren"
)


def page_key(course: Path) -> bytes:
    """Return the key of a course, drawn when it is first needed."""
    file = course / STATE / KEY
    if not file.exists():
        write_whole(file, secrets.token_bytes(KEY_BYTES))
    return file.read_bytes()


def pseudonym(key: bytes, team: str) -> str:
    number = int.from_bytes(_digest(key, f"name/{team}")[:8])
    words = []
    for names in (MANNERS.split(), ANIMALS.split()):
        number, place = divmod(number, len(names))
        words.append(names[place])
    return f"{' '.join(words)} {number % NUMBERS}"


def page_token(key: bytes, team: str) -> str:
    return _digest(key, f"page/{team}").hex()[:TOKEN_LETTERS]


def _digest(key: bytes, text: str) -> bytes:
    return hmac.digest(key, text.encode(), "sha256")

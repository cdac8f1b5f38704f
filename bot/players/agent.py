"""Which program stands behind a bot's name: what its author says, or a hash of its files.

A ladder rates each version of a bot by itself. A version that is not stated would mix all that a
program ever was; so the program of ``cmd:``, ``net:`` and ``python:`` is then told by its files.
"""

from __future__ import annotations

import hashlib
import shlex
import shutil
from pathlib import Path
from typing import Final

from mancala.protocol.messages import Agent

from .spec import OWN, PROGRAM, PlayerSpec

HASH_DIGITS: Final = 10
LONGEST: Final = 256


def parse_agent(text: str) -> Agent:
    """Read ``NAME/VERSION``, or ``NAME``.

    Raises:
        ValueError: when it has no name, is too long, or holds what a terminal would hide.
    """
    name, _, version = (part.strip() for part in text.partition("/"))
    if not name or len(text) > LONGEST or not text.isprintable():
        raise ValueError(f"an agent is written NAME/VERSION, such as my-bot/1.2, not {text!r}")
    return Agent(name, version)


def agent_of(written: str, *, arena: str) -> Agent:
    """Return the agent of a player whose author states none.

    Args:
        written: the player's spec.
        arena: the version of this package, for its own players.
    """
    spec = PlayerSpec.parse(written)
    files = _files(spec)
    if not files:
        return Agent(spec.name, arena)
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.read_bytes())
    return Agent(files[0].stem[:LONGEST], digest.hexdigest()[:HASH_DIGITS])


def _files(spec: PlayerSpec) -> list[Path]:
    """Return the files that a spec names; the interpreter of a script is none of them."""
    if OWN in spec.options:
        path, _, _ = spec.options[OWN].rpartition(":")
        return _existing(path or spec.options[OWN])
    if PROGRAM in spec.options:
        command, *words = shlex.split(spec.options[PROGRAM])
        return _existing(*words) or _existing(shutil.which(command) or command)
    return []


def _existing(*words: str) -> list[Path]:
    return [Path(word) for word in words if Path(word).is_file()]

"""What makes a starter a repository: workflows that check and rate it on each push, a container.

The commands are those of its README. A line of a template stands for one command, named in angle
brackets; it is left out where a starter has no such command.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

FILES: Final = {
    ".github/workflows/bot.yml": "bot.yml",
    ".gitlab-ci.yml": "gitlab-ci.yml",
    "Containerfile": "Containerfile",
}
"""The templates, by the place of what is made of them. Forgejo and Gitea read the first as well."""
TEMPLATES: Final = Path(__file__).parent / "repository"
INSTALL: Final = "apt-get"
_BLOCK: Final = re.compile(r"^```sh\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_COMMAND: Final = re.compile(r"<(install|build|test|check|rate|play)>")


def workflows(readme: str) -> Mapping[str, str]:
    """Return the files, by their places, for a starter with this README."""
    commands = commands_of(readme)
    texts = {place: (TEMPLATES / name).read_text("utf-8") for place, name in FILES.items()}
    return {place: _filled(text, commands) for place, text in texts.items()}


def commands_of(readme: str) -> dict[str, str]:
    """Return the commands of a README by what they do; those that it lacks are empty."""
    *blocks, play = [" && ".join(block.strip().splitlines()) for block in _BLOCK.findall(readme)]
    return {
        "install": " && ".join(block for block in blocks if INSTALL in block),
        "build": " && ".join(block for block in blocks if INSTALL not in block),
        "test": _tests(readme),
        "check": _inline(readme, "check-bot"),
        "rate": _inline(readme, "rate"),
        "play": play,
    }


def _inline(readme: str, command: str) -> str:
    found = re.search(rf"`(mancala {command} [^`]+)`", readme)
    return "" if found is None else found[1]


def _tests(readme: str) -> str:
    found = re.search(r"`([^`]+)` runs the tests", readme)
    return "" if found is None else found[1]


def _filled(text: str, commands: Mapping[str, str]) -> str:
    lines = [
        _COMMAND.sub(lambda found: commands[found[1]], line)
        for line in text.splitlines()
        if all(commands[name] for name in _COMMAND.findall(line))
    ]
    return "\n".join(lines) + "\n"

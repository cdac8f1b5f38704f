"""How a player is written: ``name[:key=value,…]``, such as ``minimax:depth=5``.

Some players begin with a value that has no key. ``cmd:PROGRAM`` is a command line, which may hold
commas, equals signs, colons and spaces, so everything after the first colon is the program; so is
it with ``net:COMMAND``, the command of a bot, and ``python:FILE.py:NAME``, a player in Python;
``kaggle:``, ``openspiel:`` and ``policy:`` are players in Python that were written for others.
``cmd[key=value,…]:PROGRAM`` passes options on to a program that takes them.
``llm:MODEL@URL[,key=value,…]`` is a language model and where it is served.

A ladder rates each version of a bot by itself. A version that is not stated would mix all that a
program ever was; so what is a program or a file in Python is then told by a hash of its files
(`agent_of`).
"""

from __future__ import annotations

import hashlib
import re
import shlex
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from mancala.protocol.messages import Agent

PROGRAM: Final = "program"
"""The command line of a ``cmd`` or ``net`` player."""
PASSED: Final = "options"
"""The options that a ``cmd`` player passes on to its program, as they are written."""
URL: Final = "{url}"
"""What stands for the server's address in the command of a ``net`` player."""
OWN: Final = "file"
"""The one option of a player in Python: its file and its name."""
WHOLE: Final = {
    "cmd": (PROGRAM, "a program: cmd:PROGRAM"),
    "net": (PROGRAM, "the command of a bot: net:COMMAND {url}"),
    **{
        kind: (OWN, f"a file and a name in it: {kind}:FILE.py:NAME")
        for kind in ("python", "kaggle", "openspiel", "policy")
    },
}
"""The players whose one option is all that follows the name: the option, and what it is."""
ENDPOINT: Final = "model"
"""The option of an ``llm`` player that is written without a key: ``MODEL@URL``."""
START_UP: Final = "start_up_s"
"""The setting of a ``cmd`` or ``net`` player that its host adds: the start-up allowance."""


_PASSED: Final = re.compile(r"\s*cmd\[(?P<options>[^\]\s]*)\]:")
_ADDRESS: Final = re.compile(r"(?P<model>\S+)@(?P<url>https?://\S+)")


class SpecError(ValueError):
    """A spec that names no player; the message says what is known."""


@dataclass(frozen=True, slots=True)
class ModelAddress:
    """A language model and the base of the API, such as ``http://127.0.0.1:8080/v1``."""

    model: str
    url: str

    @classmethod
    def parse(cls, text: str) -> ModelAddress:
        """Read ``MODEL@URL``, without credentials and query."""
        found = _ADDRESS.fullmatch(text)
        if found is None:
            raise ValueError("no MODEL@URL")
        parts = urlsplit(found["url"])
        if not parts.hostname or "@" in parts.netloc or parts.query or parts.fragment:
            raise ValueError("a host without credentials, and no query")
        return cls(found["model"], found["url"].rstrip("/"))


@dataclass(frozen=True, slots=True)
class PlayerSpec:
    """A player's name and options as written, not yet checked against the registry.

    The program of ``cmd`` is an option as well, and so is the model of ``llm``.
    """

    name: str
    options: dict[str, str] = field(default_factory=dict)

    @classmethod
    def parse(cls, text: str) -> PlayerSpec:
        """Read ``name[:key=value,…]``, ``cmd:PROGRAM`` and the like, or ``llm:MODEL@URL[,…]``."""
        if passed := _PASSED.match(text):
            known = {PASSED: passed["options"]} if key_values(passed["options"]) else {}
            return cls("cmd", {**cls.parse(f"cmd:{text[passed.end() :]}").options, **known})
        name, _, rest = text.partition(":")
        name = name.strip()
        if not name:
            raise SpecError(f"a player is written name[:key=value,…], not {text!r}")
        if name in WHOLE:
            option, what = WHOLE[name]
            if not rest.strip():
                raise SpecError(f"{name} needs {what}")
            return cls(name, {option: rest.strip()})
        if name == "llm":
            endpoint, _, options = rest.partition(",")
            if not endpoint.strip():
                raise SpecError("llm needs a model: llm:MODEL@URL")
            return cls(name, {ENDPOINT: endpoint.strip(), **key_values(options)})
        return cls(name, key_values(rest))

    def __str__(self) -> str:
        """Return the text that :meth:`parse` reads back."""
        if self.name in WHOLE:
            passed = f"[{self.options[PASSED]}]" if PASSED in self.options else ""
            return f"{self.name}{passed}:{self.options[WHOLE[self.name][0]]}"
        options = ",".join(
            value if (self.name, key) == ("llm", ENDPOINT) else f"{key}={value}"
            for key, value in self.options.items()
        )
        return f"{self.name}:{options}" if options else self.name


def key_values(text: str) -> dict[str, str]:
    """Return the options of ``key=value,…``, or raise `SpecError`."""
    options: dict[str, str] = {}
    for part in text.split(",") if text.strip() else []:
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not (key and equals and value):
            raise SpecError(f"an option is written key=value, not {part!r}")
        if key in options:
            raise SpecError(f"the option {key!r} is given twice")
        options[key] = value
    return options


HASH_DIGITS: Final = 10
LONGEST: Final = 256


def parse_agent(text: str) -> Agent:
    """Read ``NAME/VERSION``, or ``NAME``; ValueError where a terminal could not show it."""
    name, _, version = (part.strip() for part in text.partition("/"))
    if not name or len(text) > LONGEST or not text.isprintable():
        raise ValueError(f"an agent is written NAME/VERSION, such as my-bot/1.2, not {text!r}")
    return Agent(name, version)


def agent_of(written: str, *, arena: str) -> Agent:
    """Return the agent of a player whose author states none; ``arena`` is our version."""
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

"""``bot.toml``: what a program's author says of it."""

import shlex
from enum import StrEnum
from typing import Final

import msgspec

from mancala.protocol.messages import problem_of_name
from mancala.protocol.rules import KALAH, Board, Rules
from mancala.protocol.text import shortened
from mancala.server.config.loading import parse_table
from mancala.server.config.settings import ConfigError

from .handin import HandInError

MANIFEST: Final = "bot.toml"
MOST_BYTES: Final = 1 << 16
LONGEST_REASON: Final = 600
"""Letters of a reason, which quotes what its author wrote."""
LONGEST_LINE: Final = 4096
"""Letters of a line of the shell; with its places filled in, Linux takes it as one argument."""

MANCHESTER_RULES: Final = Rules(pits=7, seeds=7)
"""What the agents of that course play; many know no other size."""
CHECKED_AGENTS: Final = ("the rehearsal", "a whole game", "quit")


class BotProtocol(StrEnum):
    """How a program is asked for its moves."""

    WEBSOCKET = "websocket"
    CMD = "cmd"
    KGP = "kgp"
    MANCHESTER = "manchester"
    UCI = "uci"

    @property
    def connects(self) -> bool:
        """Whether the program itself connects to a server; all others are asked for moves."""
        return self is BotProtocol.WEBSOCKET

    @property
    def start(self) -> Board:
        """The position with which the game begins that it plays while it is checked."""
        return Board.start(MANCHESTER_RULES if self is BotProtocol.MANCHESTER else KALAH)

    @property
    def situations(self) -> tuple[str, ...]:
        """The situations of check-bot that it is put through; all if there are none.

        Agents of the Manchester course hear of neither a time nor the size of the board.
        """
        return CHECKED_AGENTS if self is BotProtocol.MANCHESTER else ()


class Language(msgspec.Struct, frozen=True):
    """How programs in a language are built, if at all, run and asked, as the starters are."""

    command: str
    build: str = ""
    protocol: BotProtocol = BotProtocol.WEBSOCKET


_SEAT: Final = "{url} {name} {ladder} {games}"
LANGUAGES: Final = {
    "c": Language("./{name}", "make BOT={name}", BotProtocol.CMD),
    "csharp": Language("mono bot.exe", "mcs -out:bot.exe Bot.cs Rules.cs", BotProtocol.CMD),
    "go": Language(
        f"./{{name}} {_SEAT}",
        "GO111MODULE=off GOPATH=/usr/share/gocode go build -o {name} .",
    ),
    "java": Language(f"java Bot {_SEAT}", "javac Bot.java"),
    "javascript": Language(f"node bot.js {_SEAT}"),
    "python": Language(f"python3 play.py {_SEAT}"),
    "ruby": Language(f"ruby bot.rb {_SEAT}"),
    "rust": Language("target/release/bot", "cargo build --release", BotProtocol.CMD),
}


class ManifestError(HandInError):
    """A ``bot.toml`` that cannot be used."""

    def __init__(self, why: str) -> None:
        super().__init__(shortened(why, LONGEST_REASON))


class Manifest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a program's author says of it.

    Attributes:
        owner: whose it is.
        language: how it is built and run, unless the next three say otherwise.
        command: runs it; a line of the shell, with ``{url}``, ``{name}``, ``{ladder}`` and
            ``{games}`` for where and how long it plays.
        trees: solves game trees, for exercises of a course; a line of the shell.
    """

    name: str
    owner: str = ""
    language: str = ""
    build: str = ""
    command: str = ""
    protocol: BotProtocol | None = None
    trees: str = ""

    @property
    def how(self) -> Language:
        """How it is built, run and asked, all in all."""
        usual = LANGUAGES.get(self.language, Language(""))
        protocol = self.protocol or (BotProtocol.WEBSOCKET if self.command else usual.protocol)
        return Language(self.command or usual.command, self.build or usual.build, protocol)

    def started(self, *, url: str, ladder: str, games: int) -> str:
        """Return the line of the shell that runs it, within its adapter if it has one."""
        how = self.how
        if how.protocol in (BotProtocol.WEBSOCKET, BotProtocol.CMD):
            return f"exec {self.filled(how.command, url=url, ladder=ladder, games=games)}"
        line = self.filled(how.command, url="{url}", ladder=ladder, games=games)
        adapter = f"exec python3 -m mancala.bot.adapters.{how.protocol}"
        return f"{adapter} sh -c {shlex.quote(f'exec {line}')}"

    def filled(self, line: str, *, url: str = "", ladder: str = "", games: int = 1) -> str:
        """Return a line of the shell with the places for where and how long filled in."""
        words = {"url": url, "name": self.name, "ladder": shlex.quote(ladder), "games": str(games)}
        for key, word in words.items():
            line = line.replace(f"{{{key}}}", word)
        return line


def read_manifest(data: bytes) -> Manifest:
    """Read a ``bot.toml``."""
    if len(data) > MOST_BYTES:
        raise ManifestError(f"{MANIFEST} is longer than {MOST_BYTES >> 10} KiB")
    try:
        manifest = parse_table(data, Manifest)
    except ConfigError as error:
        raise ManifestError(f"{MANIFEST}: {error}") from None
    if (problem := problem_of_name(manifest.name)) is not None:
        raise ManifestError(f"{MANIFEST}: {problem}")
    if manifest.language and manifest.language not in LANGUAGES:
        raise ManifestError(
            f"{MANIFEST}: no language {manifest.language!r}; there are {', '.join(LANGUAGES)},"
            " or state build and command"
        )
    if not manifest.how.command:
        raise ManifestError(f"{MANIFEST}: state a language or a command")
    for key in ("build", "command", "trees"):
        _require_line(key, getattr(manifest, key))
    return manifest


def _require_line(key: str, line: str) -> None:
    """Refuse a line of the shell that this machine could not start: a fault of its author's."""
    if len(line) > LONGEST_LINE:
        raise ManifestError(f"{MANIFEST}: {key} is longer than {LONGEST_LINE} letters")
    for letter in line:
        if not letter.isprintable() and letter not in "\n\t":
            raise ManifestError(f"{MANIFEST}: {key} has {letter!r}, which cannot be printed")

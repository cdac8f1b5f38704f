"""The directory of a campaign: the names of its files, and its definition."""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import Final

import msgspec

from mancala.files import write_whole
from mancala.protocol import codec
from mancala.protocol.rules import Board, InvalidPositionError, Rules

DEFINITION: Final = "campaign.json"
CERTIFICATE: Final = "certificate.jsonl"
TABLE: Final = "table.bin"
FORMAT: Final = 1


class CampaignError(ValueError):
    """A directory does not hold the campaign that was asked for."""


class Definition(msgspec.Struct, frozen=True):
    """What a campaign proves, as texts, and the version of the files in the directory.

    The checksum is the CRC-32 of the others: what was proven for one definition holds for no other.
    """

    board: str
    rules: str
    format: int
    checksum: int

    @classmethod
    def of(cls, board: Board) -> Definition:
        return cls._checked(board.text, str(board.rules), FORMAT)

    @classmethod
    def _checked(cls, board: str, rules: str, number: int) -> Definition:
        return cls(board, rules, number, zlib.crc32(f"{number} {rules} {board}".encode()))

    @property
    def is_whole(self) -> bool:
        """Whether the checksum is that of the others."""
        return self == self._checked(self.board, self.rules, self.format)

    @property
    def start(self) -> Board:
        """The position whose value is asked."""
        return Board.from_text(self.board, Rules.parse(self.rules))


def create(directory: Path, definition: Definition) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    if (directory / DEFINITION).exists():
        raise CampaignError(f"{directory} holds a campaign already; take it up with --resume")
    text = codec.to_json(definition, indent=True) + b"\n"
    write_whole(directory / DEFINITION, text)


def read(directory: Path) -> Definition:
    path = directory / DEFINITION
    try:
        definition = codec.from_json(path.read_bytes(), Definition)
        usable = definition.is_whole and not definition.start.is_over
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise CampaignError(f"no campaign to take up: {path}: {reason}") from None
    except (ValueError, InvalidPositionError) as error:
        raise CampaignError(f"{path} is damaged: {error}") from None
    if definition.format != FORMAT:
        raise CampaignError(f"{path} is of another version, {definition.format}")
    if not usable:
        raise CampaignError(f"{path} was changed after the campaign began")
    return definition

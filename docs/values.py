"""Prove the values of many games of Kalah, each with a certificate; write the table of them.

``python -m docs.values DIR`` proves every game of `GAMES` under the presets of `TABLES` that has no
certificate yet (with ``--again`` all), each as a campaign in a directory of its own below ``DIR``,
so a run that was ended goes on. A game that takes longer than ``--seconds`` is left for a later
run. It prints one JSON object. With ``--publish`` it adds what it proved to the certificates in
``docs/certificates/values.zip``, the same bytes for the same proofs, and writes the tables of
``docs/values.md``.

The values are the first player's: the difference of stores at the end under best play.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import typer

from docs import tables
from mancala.engine.campaign import certificate, home
from mancala.engine.campaign.campaign import Campaign
from mancala.engine.campaign.certificate import CertificateHeader
from mancala.engine.knowledge import Bounds
from mancala.protocol import codec
from mancala.protocol.rules import FAMILY, PRESETS, Board, Rules
from mancala.scripts.analysis.proofs import Searching
from mancala.scripts.console import output as console

GAMES: Final = {1: 12, 2: 12, 3: 12, 4: 9, 5: 7, 6: 6, 7: 4, 8: 3}
"""Most seeds a pit of the games that are tried, by pits a row."""
TABLES: Final = (*PRESETS, *FAMILY)
"""The presets that have a table."""
PAGE: Final = Path("docs/values.md")
ARCHIVE: Final = Path("docs/certificates/values.zip")
SUFFIX: Final = ".jsonl"
SEEDS: Final = range(1, max(GAMES.values()) + 1)


class Game(NamedTuple):
    """A game from its start: the rules' preset, pits a row, and seeds a pit."""

    preset: str
    pits: int
    seeds: int

    @property
    def name(self) -> str:
        """The name of its directory and certificate."""
        return f"{self.preset}-{self.pits}-{self.seeds}"

    @classmethod
    def named(cls, file: str) -> Game:
        """Return the game of a certificate's file."""
        preset, pits, seeds = file.removesuffix(SUFFIX).rsplit("-", 2)
        return cls(preset, int(pits), int(seeds))

    @property
    def rules(self) -> Rules:
        """Its rules."""
        return Rules.parse(f"{self.preset}:pits={self.pits},seeds={self.seeds}")


def games() -> Iterator[Game]:
    """Yield every game that is tried, those with few seeds first."""
    every = (
        Game(preset, pits, seeds)
        for preset in TABLES
        for pits, most in GAMES.items()
        for seeds in range(1, most + 1)
    )
    yield from sorted(every, key=lambda game: game.pits * game.seeds)


SHIPPED: Final = {Game("kalah", 6, 6): Path("engine/data/kalah-6-6.jsonl.gz")}
"""Games whose certificate the engine has, so that it is not in the archive."""


def archived() -> dict[Game, bytes]:
    """Return the certificates of the archive."""
    with ZipFile(ARCHIVE) as archive:
        return {Game.named(name): archive.read(name) for name in archive.namelist()}


def values_of(certificates: Mapping[Game, bytes]) -> dict[Game, int]:
    """Return what certificates prove, and those that the engine has."""
    headers = {game: text.partition(b"\n")[0] for game, text in certificates.items()}
    proven = {game: codec.from_json(line, CertificateHeader).low for game, line in headers.items()}
    return proven | {game: certificate.load(path).header.low for game, path in SHIPPED.items()}


def prove(game: Game, directory: Path, seconds: float, tables_seeds: int | None) -> Bounds:
    """Prove a game's value in its directory, for at most so long; return what is proven of it."""
    board = Board.start(game.rules)
    if not directory.exists():
        home.create(directory, home.Definition.of(board))
    searching = Searching(threads=1, memory_mb=None, tables=tables_seeds)
    began = time.monotonic()
    with closing(Campaign(directory, searching.prover(board.rules, board.in_play))) as campaign:
        for _ in campaign.run():
            if time.monotonic() - began > seconds:
                break
        campaign.save()
        return campaign.value


def publish(certificates: Mapping[Game, bytes]) -> None:
    """Write certificates into the archive, and all that is proven into the page."""
    with ZipFile(ARCHIVE, "w", compression=ZIP_DEFLATED, compresslevel=9) as archive:
        for game, text in sorted(certificates.items()):
            member = ZipInfo(f"{game.name}{SUFFIX}")
            member.compress_type = ZIP_DEFLATED
            archive.writestr(member, text)
    proven = values_of(certificates)
    for preset in TABLES:
        tables.write(PAGE, "\n".join(table(preset, proven)))


def table(preset: str, values: Mapping[Game, int]) -> Iterator[str]:
    """Yield the rows of a preset's table; a value that is not proven is left out."""
    yield f"| `{preset}` | " + " | ".join(f"n = {seeds}" for seeds in SEEDS) + " |"
    yield "| --- |" + " ---: |" * len(SEEDS)
    for pits in GAMES:
        row = (values.get(Game(preset, pits, seeds)) for seeds in SEEDS)
        cells = ("" if value is None else f"{value:+d}" if value else "0" for value in row)
        yield f"| m = {pits} | " + " | ".join(cells) + " |"


def main(
    directory: Annotated[Path, typer.Argument(help="Directory of the campaigns.")],
    *,
    seconds: Annotated[float, typer.Option(min=0.0, help="Time limit of a game.")] = 60.0,
    endgames: Annotated[
        int | None, typer.Option("--tables", help="Seeds of the endgame tables.")
    ] = None,
    most: Annotated[int, typer.Option(help="Most seeds of a game.")] = 255,
    again: Annotated[
        bool, typer.Option("--again", help="Prove those that have a certificate, too.")
    ] = False,
    to_publish: Annotated[
        bool, typer.Option("--publish", help="Write the page and the archive.")
    ] = False,
) -> None:
    """Prove the games; print one JSON object."""
    certificates = archived()
    known = set() if again else {*certificates, *SHIPPED}
    rows: list[dict[str, Any]] = []
    for game in games():
        if 2 * game.pits * game.seeds > most or game in known:
            continue
        value = prove(game, directory / game.name, seconds, endgames)
        rows.append({"game": game.name, "low": value.low, "high": value.high})
        console.say(f"{game.name}: {value.low} to {value.high}", err=True)
        if value.exact and game not in SHIPPED:
            certificates[game] = (directory / game.name / home.CERTIFICATE).read_bytes()
    if to_publish:
        publish(certificates)
    proven = len(values_of(certificates))
    console.show({"games": rows, "proven": proven}, f"{proven} values", json=True)


if __name__ == "__main__":
    typer.run(main)

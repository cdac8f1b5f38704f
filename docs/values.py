"""Prove the values of many games of Kalah, each with a certificate; write the table of them.

``python -m docs.values DIR`` proves every game of `GAMES` under the presets of `TABLES` that has no
certificate yet (with ``--again`` all), each as a campaign in a directory of its own below ``DIR``,
so a run that was ended goes on. A game that takes longer than ``--seconds`` is left for a later
run, and its certificate is of the bounds that its search came to. It prints one JSON object. With
``--publish`` it adds what it proved to the certificates in ``docs/certificates/values.zip``, the
same bytes for the same proofs, and writes the tables of ``docs/values.md``; a certificate that is
there gives way to none of wider bounds.

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
from mancala.engine import knowledge
from mancala.engine.campaign import certificate, home
from mancala.engine.campaign.campaign import Campaign
from mancala.engine.campaign.certificate import CertificateHeader
from mancala.engine.knowledge import Bounds, widest
from mancala.protocol import codec
from mancala.protocol.rules import PRESETS, Board, Rules
from mancala.protocol.variants import FAMILY
from mancala.scripts.analysis.provers import Searching
from mancala.scripts.console import output as console

GAMES: Final = {1: 16, 2: 16, 3: 16, 4: 16, 5: 6, 6: 6, 7: 4, 8: 3}
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


SHIPPED: Final = {
    Game.named(name.removesuffix(".xz")): Path("engine/data", name)
    for name in knowledge.CERTIFICATES.values()
}
"""Games whose certificate the engine has, so that it is not in the archive."""


def archived() -> dict[Game, bytes]:
    """Return the certificates of the archive."""
    with ZipFile(ARCHIVE) as archive:
        return {Game.named(name): archive.read(name) for name in archive.namelist()}


def values_of(certificates: Mapping[Game, bytes]) -> dict[Game, Bounds]:
    """Return what certificates prove, and those that the engine has."""
    lines = {game: text.partition(b"\n")[0] for game, text in certificates.items()}
    headers = {game: codec.from_json(line, CertificateHeader) for game, line in lines.items()}
    headers |= {game: certificate.load(path).header for game, path in SHIPPED.items()}
    return {game: Bounds(header.low, header.high) for game, header in headers.items()}


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


def table(preset: str, values: Mapping[Game, Bounds]) -> Iterator[str]:
    """Yield the rows of a preset's table; a cell without any proof is empty."""
    yield f"| `{preset}` | " + " | ".join(f"n = {seeds}" for seeds in SEEDS) + " |"
    yield "| --- |" + " ---: |" * len(SEEDS)
    for pits in GAMES:
        row = (values.get(Game(preset, pits, seeds)) for seeds in SEEDS)
        cells = ("" if value is None else str(value).replace("+0", "0") for value in row)
        yield f"| m = {pits} | " + " | ".join(cells) + " |"


def main(  # noqa: PLR0913  # each is an option of the command
    directory: Annotated[Path, typer.Argument(help="Directory of the campaigns.")],
    *,
    seconds: Annotated[float, typer.Option(min=0.0, help="Time limit of a game.")] = 60.0,
    endgames: Annotated[
        int | None, typer.Option("--tables", help="Seeds of the endgame tables.")
    ] = None,
    most: Annotated[int, typer.Option(help="Most seeds of a game.")] = 255,
    presets: Annotated[
        list[str] | None, typer.Option("--preset", help="Only games of this preset; repeatable.")
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Prove those that have a certificate, too.")
    ] = False,
    to_publish: Annotated[
        bool, typer.Option("--publish", help="Write the page and the archive.")
    ] = False,
) -> None:
    """Prove the games; print one JSON object."""
    certificates = archived()
    bounds = values_of(certificates)
    known = {game for game, value in bounds.items() if value.exact and not again}
    rows: list[dict[str, Any]] = []
    for game in games():
        if 2 * game.pits * game.seeds > most or game in known:
            continue
        if presets and game.preset not in presets:
            continue
        value = prove(game, directory / game.name, seconds, endgames)
        rows.append({"game": game.name, "low": value.low, "high": value.high})
        console.say(f"{game.name}: {value.low} to {value.high}", err=True)
        before = bounds.get(game) or widest(Board.start(game.rules))
        lost = (value.high - value.low) - (before.high - before.low)
        if game not in SHIPPED and (lost < 0 or (game in certificates and lost == 0)):
            certificates[game] = (directory / game.name / home.CERTIFICATE).read_bytes()
    if to_publish:
        publish(certificates)
    proven = sum(value.exact for value in values_of(certificates).values())
    console.show({"games": rows, "proven": proven}, f"{proven} values", json=True)


if __name__ == "__main__":
    typer.run(main)

"""Prove the values of many games of Kalah, each with a certificate; write the table of them.

``python -m docs.values DIR`` proves every game of `GAMES` under the three presets,
each as a campaign in a directory of its own below ``DIR``, so a run that was ended goes on. A game
that takes longer than ``--seconds`` is left for a later run. It prints one JSON object. With
``--publish`` it replaces the table of ``docs/values.md``, and the certificates in
``docs/certificates/values.zip``: the same bytes for the same proofs.

The values are the first player's: the difference of stores at the end under best play.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import typer

from docs import tables
from mancala.engine.campaign import home
from mancala.engine.campaign.campaign import Campaign
from mancala.engine.knowledge import Bounds
from mancala.protocol.rules import PRESETS, Board, Rules
from mancala.scripts.analysis.proofs import Searching
from mancala.scripts.console import output as console

GAMES: Final = {1: 12, 2: 12, 3: 10, 4: 8, 5: 6, 6: 6, 7: 4, 8: 3}
"""Most seeds a pit of the games that are tried, by pits a row."""
PAGE: Final = Path("docs/values.md")
ARCHIVE: Final = Path("docs/certificates/values.zip")
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

    @property
    def rules(self) -> Rules:
        """Its rules."""
        return Rules.parse(f"{self.preset}:pits={self.pits},seeds={self.seeds}")


def games() -> Iterator[Game]:
    """Yield every game that is tried, those with few seeds first."""
    every = (
        Game(preset, pits, seeds)
        for preset in PRESETS
        for pits, most in GAMES.items()
        for seeds in range(1, most + 1)
    )
    yield from sorted(every, key=lambda game: game.pits * game.seeds)


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


def publish(directory: Path, values: dict[Game, int]) -> None:
    """Write the proven values into the page, and their certificates into the archive."""
    for preset in PRESETS:
        tables.write(PAGE, "\n".join(table(preset, values)))
    with ZipFile(ARCHIVE, "w", compression=ZIP_DEFLATED, compresslevel=9) as archive:
        for game in sorted(values):
            member = ZipInfo(f"{game.name}.jsonl")
            member.compress_type = ZIP_DEFLATED
            archive.writestr(member, (directory / game.name / home.CERTIFICATE).read_bytes())


def table(preset: str, values: dict[Game, int]) -> Iterator[str]:
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
    to_publish: Annotated[
        bool, typer.Option("--publish", help="Write the page and the archive.")
    ] = False,
) -> None:
    """Prove the games; print one JSON object."""
    proven: dict[Game, int] = {}
    rows: list[dict[str, Any]] = []
    for game in games():
        if 2 * game.pits * game.seeds > most:
            continue
        value = prove(game, directory / game.name, seconds, endgames)
        rows.append({"game": game.name, "low": value.low, "high": value.high})
        console.say(f"{game.name}: {value.low} to {value.high}", err=True)
        if value.exact:
            proven[game] = value.low
    if to_publish:
        publish(directory, proven)
    console.show({"games": rows, "proven": len(proven)}, f"{len(proven)} values", json=True)


if __name__ == "__main__":
    typer.run(main)

"""The files of a match: a record of each game, and one line of JSON for each game."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mancala.protocol import codec

from ...console import output as console

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from contextlib import ExitStack

    from mancala.server.contest.headless.played_game import PlayedGame


@dataclass(frozen=True, slots=True, kw_only=True)
class GameFileOptions:
    """Options: what finished games are also written to.

    Attributes:
        records: a directory for a record of each game; None for none.
        out: a file for one JSON line a game; None for none.
    """

    records: Annotated[
        Path | None, typer.Option(help="Directory to write each game's record to.")
    ] = None
    out: Annotated[
        Path | None, typer.Option(help="File to write all games to, one line of JSON each.")
    ] = None

    def opened(self, stack: ExitStack) -> GameFiles:
        """Open the files; ``stack`` closes them.

        Raises:
            typer.Exit: when a file or directory cannot be made.
        """
        from mancala.server.contest.headless.journal import write_all

        records, out = self.records, self.out
        try:
            if records is not None:
                records.mkdir(parents=True, exist_ok=True)
            file = stack.enter_context(out.open("wb", buffering=0)) if out is not None else None
        except OSError as error:
            console.fail(error)
        write = partial(write_all, file.fileno()) if file is not None else None
        return GameFiles(records, write)


@dataclass(frozen=True, slots=True)
class GameFiles:
    """Writes finished games to the files that the command line named."""

    records: Path | None
    out: Callable[[bytes], object] | None

    def __call__(self, games: Iterable[PlayedGame]) -> None:
        """Write games, in the order given.

        Raises:
            typer.Exit: when they cannot be written.
        """
        try:
            self._write(games)
        except OSError as error:
            console.fail(error, code=console.FAILED)

    def _write(self, games: Iterable[PlayedGame]) -> None:
        for game in games:
            if self.out is not None:
                self.out(game.line + b"\n")
            if self.records is not None:
                self._record(self.records / f"{game.number:06}", game)

    def _record(self, path: Path, game: PlayedGame) -> None:
        path.with_suffix(".json").write_bytes(codec.to_json(game.record, indent=True) + b"\n")
        if game.stderr:
            lines = [f"{remark.ply} {remark.player} {remark.line}\n" for remark in game.stderr]
            path.with_suffix(".stderr").write_text("".join(lines), encoding="utf-8")

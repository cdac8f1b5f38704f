"""``mancala openings``: find positions that are fair, and write them to a file."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from scripts.console import output as console
from scripts.console.options import JsonOption, RulesOption, rules_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from engine.openings import Opening

MOST_OPENINGS: Final = 100_000

FileArgument = Annotated[Path, typer.Argument(help="The file to write, JSON.")]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("openings")(_openings)


def _openings(
    file: FileArgument,
    *,
    count: Annotated[int, typer.Option(min=1, max=MOST_OPENINGS, help="How many.")] = 100,
    rules: RulesOption = "kalah",
    band: Annotated[
        int, typer.Option(min=0, help="Most seeds that perfect play may win by; 0: draws.")
    ] = 0,
    plies: Annotated[
        tuple[int, int], typer.Option(help="Fewest and most random moves from the start.")
    ] = (7, 14),
    seeds: Annotated[
        tuple[int, int], typer.Option(help="Fewest and most seeds left in the pits.")
    ] = (34, 42),
    nodes: Annotated[
        int, typer.Option(min=1, help="Positions after which a proof is given up.")
    ] = 10_000_000,
    think: Annotated[
        int | None,
        typer.Option(min=1, help="Take what a search of so many positions thinks fair, unproven."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Where the random moves come from.")] = 1,
    tries: Annotated[int, typer.Option(min=1, help="Candidates to judge, at most.")] = 1_000_000,
    json: JsonOption = False,
) -> None:
    """Find positions that are proven fair, for matches to begin from, and write them to a file.

    With --think the search's opinion is enough: for openings so early that nobody can prove them.
    """
    from engine.openings import Book, Wanted, generate, write

    chosen = rules_of(rules)
    if not (0 < plies[0] <= plies[1] and 0 < seeds[0] <= seeds[1]):
        console.fail("--plies and --seeds take the fewest first, then the most")
    wanted = Wanted(plies=plies, seeds=seeds, band=band, proof_nodes=nodes, thought_nodes=think)
    candidates = islice(generate(chosen, wanted, seed=seed), tries)
    with console.counted("openings", count) as show:
        found, tried = _collect(candidates, count, show)
    result: dict[str, Any] = {"openings": len(found), "tried": tried, "file": str(file)}
    try:
        write(Book(str(chosen), tuple(found), band, seed), file)
    except OSError as error:
        console.fail(str(error), code=console.FAILED)
    if json:
        console.emit(result)
    else:
        typer.echo(f"{len(found)} openings of {tried} candidates: {file}")
    if len(found) < count:
        console.fail(f"found {len(found)} openings of {count}", code=console.FAILED)


def _collect(
    candidates: Iterator[Opening | None], count: int, show: Callable[[int], None]
) -> tuple[list[Opening], int]:
    found: list[Opening] = []
    tried = 0
    try:
        for opening in candidates:
            tried += 1
            if opening is not None:
                found.append(opening)
                show(len(found))
            if len(found) == count:
                break
    except KeyboardInterrupt:
        typer.echo("interrupted; what was found is kept", err=True)
    return found, tried

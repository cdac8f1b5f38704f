"""``mancala openings``: search for fair positions to begin games from."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from mancala.protocol.text import quantity

from ...console import output as console
from ...console.interrupt import until_interrupted
from ...console.options import JsonOption, RulesOption, rules_of

if TYPE_CHECKING:
    from mancala.engine.openings import Opening

MOST_OPENINGS: Final = 100_000

FileArgument = Annotated[Path, typer.Argument(help="The JSON file to write.")]


def command(
    file: FileArgument,
    *,
    count: Annotated[
        int, typer.Option(min=1, max=MOST_OPENINGS, help="Number of openings to find.")
    ] = 100,
    rules: RulesOption = "kalah",
    band: Annotated[
        int,
        typer.Option(min=0, help="Greatest margin under perfect play, in seeds; 0: draws only."),
    ] = 0,
    plies: Annotated[
        tuple[int, int], typer.Option(help="Fewest and most random moves from the start.")
    ] = (7, 14),
    seeds: Annotated[
        tuple[int, int], typer.Option(help="Fewest and most seeds left in the pits.")
    ] = (34, 42),
    nodes: Annotated[
        int, typer.Option(min=1, help="Nodes after which a proof is abandoned.")
    ] = 10_000_000,
    think: Annotated[
        int | None, typer.Option(min=1, help="Accept unproven what a search of N nodes finds fair.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the random moves.")] = 1,
    tries: Annotated[int, typer.Option(min=1, help="Most candidates to examine.")] = 1_000_000,
    json: JsonOption = False,
) -> None:
    """Find fair positions to begin matches from.

    A position is fair when its exact value is within --band. With --think the estimate of a search
    is accepted instead, for openings too early to prove.
    """
    from mancala.engine.openings import Book, OpeningKind, generate, write

    chosen = rules_of(rules)
    if not (0 < plies[0] <= plies[1] and 0 < seeds[0] <= seeds[1]):
        console.fail("--plies and --seeds each take two numbers above 0: the fewest, then the most")
    console.expect_writable(file)
    wanted = OpeningKind(
        plies=plies, seeds=seeds, band=band, proof_nodes=nodes, thought_nodes=think
    )
    candidates = islice(generate(chosen, wanted, seed=seed), tries)
    found: list[Opening] = []
    tried = 0
    with until_interrupted() as interruption, console.counted("openings", count) as show:
        for opening in candidates:
            tried += 1
            if opening is not None:
                found.append(opening)
                show(len(found))
            if len(found) == count:
                break
    result: dict[str, Any] = {"openings": len(found), "tried": tried, "file": str(file)}
    with console.failing_on(OSError, at=file):
        write(Book(str(chosen), tuple(found), band, seed), file)
    text = f"{quantity(len(found), 'opening')} of {quantity(tried, 'candidate')}: {file}"
    interruption.conclude(result, text, "the file holds the openings found so far", json=json)
    if len(found) < count:
        console.fail(f"found {quantity(len(found), 'opening')} of {count}", code=console.FAILED)

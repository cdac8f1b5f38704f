"""``mancala prove``: prove a position's value in a campaign that survives kills; check it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mancala.protocol.rules import Board

from ...analysis.certificates import CertificateOptions, check_certificate
from ...analysis.proofs import how_to_go_on, run_campaign
from ...analysis.provers import Searching
from ...console import output as console
from ...console.compiling import compile_engine_for
from ...console.options import JsonOption, RulesOption, TablesOption
from ...console.positions import DEFAULT, PitsOption, SeedsOption, StartArgument, start_of

if TYPE_CHECKING:
    from mancala.server.contest.workers.cluster import Team


def command(
    start: StartArgument = None,
    rules: RulesOption = DEFAULT,
    pits: PitsOption = None,
    seeds: SeedsOption = None,
    directory: Annotated[
        Path | None, typer.Option("--dir", help="Directory to keep the campaign in.")
    ] = None,
    *,
    resume: Annotated[
        bool, typer.Option("--resume", help="Take up the campaign in the directory.")
    ] = False,
    bound: Annotated[
        list[int] | None,
        typer.Option(help="Ask first whether the value is at least this; repeatable."),
    ] = None,
    all_moves: Annotated[
        bool, typer.Option("--all-moves", help="Prove every first move's value, after the best.")
    ] = False,
    seconds: Annotated[float | None, typer.Option(min=0.0, help="Stop after this time.")] = None,
    threads: Annotated[
        int | None, typer.Option(min=1, help="Threads to search with; default: one per core.")
    ] = None,
    memory: Annotated[
        int | None,
        typer.Option(min=4, help="MB of the transposition table; by the seeds, at most 1024."),
    ] = None,
    tables: TablesOption = None,
    checking: CertificateOptions,
    json: JsonOption = False,
) -> None:
    """Prove a position's value as a campaign that is kept in a directory and survives kills.

    The proof is split into subproofs; each is on disk when it is finished. With --cluster the
    workers of a Dask cluster prove them. After a kill, Ctrl-C or --seconds, continue with --resume.
    What is proven is in DIR/certificate.jsonl, which --check checks: all its claims by the rules,
    and a sample of its leaves by proving them again. Its exit code is 0 when all leaves were
    proven, 3 when some were taken on trust, 1 when it is wrong.
    """
    if checking.cluster is None:
        compile_engine_for("engine")
    elif threads is not None:
        console.fail("each thread of a cluster searches by itself; leave out --threads")
    else:
        threads = 1
    searching = Searching(threads=threads or os.cpu_count() or 1, memory_mb=memory, tables=tables)
    if checking.check is not None:
        with _workers_of(checking.cluster, None) as team:
            check_certificate(checking.check, searching, checking, team, json=json)
        return
    if directory is None:
        console.fail("name a directory for the campaign with --dir")
    board = None
    if not resume or start or pits or seeds:
        board = start_of(start, rules, pits, seeds)
    with _workers_of(checking.cluster, directory) as team:
        board = _begun(directory, board, resume=resume)
        run_campaign(
            directory,
            board,
            searching,
            tuple(bound or ()),
            team,
            all_moves=all_moves,
            seconds=seconds,
            json=json,
        )


@contextmanager
def _workers_of(cluster: str | None, directory: Path | None) -> Iterator[Team | None]:
    """Use the workers of a cluster, if one is named, for as long as the block lasts.

    When they fail, the message says how to continue the campaign of a directory.
    """
    if cluster is None:
        yield None
        return
    from mancala.engine.campaign.home import DEFINITION
    from mancala.server.contest.workers.cluster import ClusterError, on_cluster

    try:
        with on_cluster(cluster) as team:
            yield team
    except ClusterError as error:
        what_now = ""
        if directory is not None and (directory / DEFINITION).exists():
            what_now = f"; {how_to_go_on(directory)}"
        console.fail(f"{error}{what_now}", code=console.FAILED)


def _begun(directory: Path, board: Board | None, *, resume: bool) -> Board:
    """Begin a campaign in a directory, or find the one to take up; return its position."""
    from mancala.engine.campaign import home

    with console.bad_input(home.CampaignError, OSError):
        if not resume and board is not None:
            home.create(directory, home.Definition.of(board))
            return board
        definition = home.read(directory)
    if board is not None and home.Definition.of(board) != definition:
        known = f"{definition.board} by the rules {definition.rules}"
        console.fail(f"{directory} holds a campaign on another position: {known}")
    return definition.start

"""The check of a certificate, as ``mancala prove --check`` runs and prints it."""

from __future__ import annotations

import time
from contextlib import closing, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from mancala.protocol.text import quantity

from ..console import output as console
from ..console.interrupt import end_interrupted, until_interrupted
from ..console.processes.table_advice import missing_seeds
from .proofs import REPORT_S

if TYPE_CHECKING:
    from mancala.engine.campaign.certificate import Certificate
    from mancala.engine.campaign.checking import CheckResult, LeafLog
    from mancala.engine.campaign.prover import Provers
    from mancala.server.contest.workers.cluster import Team

    from .provers import Searching

SHARE: Final = 0.1
"""Share of wrong leaves for which the check states how likely it missed them all."""
NOT_PROVEN: Final = 3
"""Exit code where nothing wrong was found, but some leaves were taken on trust."""
LONG_H: Final = 0.1
"""Hours from which it is said beforehand what a check takes."""
NODES_AN_HOUR: Final = 3.6e9
"""Nodes of a thread in an hour, on usual machines within a factor of two."""
SHOWN: Final = 20
"""Most faults that are printed."""


@dataclass(frozen=True, slots=True)
class CertificateOptions:
    """Options: what is checked, how much of it, and where."""

    check: Annotated[
        Path | None,
        typer.Option(help="Check a certificate, or that of a campaign's directory, instead."),
    ] = None
    samples: Annotated[int, typer.Option(min=0, help="With --check: leaves to prove again.")] = 20
    seed: Annotated[int, typer.Option(help="With --check: the same seed draws the same.")] = 1
    log: Annotated[
        Path | None,
        typer.Option(help="With --check: file for a line a leaf; an ended check goes on with it."),
    ] = None
    cluster: Annotated[
        str | None,
        typer.Option(help="Prove on a Dask cluster, by its scheduler, such as tcp://host:8786."),
    ] = None


def check_certificate(
    path: Path, searching: Searching, options: CertificateOptions, team: Team | None, *, json: bool
) -> None:
    """Check a certificate and print the verdict.

    The workers of a team prove its leaves, or without one this process. The exit code is 1
    when it is wrong, 2 when there is none, and 3 when it follows from its leaves and not all of
    them were proven here.
    """
    from mancala.engine.campaign import home
    from mancala.engine.campaign.certificate import CertificateError, load
    from mancala.engine.campaign.checking import LeafLog, check

    try:
        certificate = load(path / home.CERTIFICATE if path.is_dir() else path)
        kept = None if options.log is None else LeafLog(options.log)
    except (CertificateError, OSError) as error:
        console.fail(error)
    except ValueError as error:
        console.fail(f"no log of a check: {error}", at=options.log)

    def new_provers(in_play: int) -> Provers:
        return searching.provers(certificate.rules, in_play, team)

    samples = min(options.samples, len(certificate.leaves))
    verdict: CheckResult | None = None
    reported = time.monotonic()
    with until_interrupted() as interruption, closing(kept) if kept else nullcontext():
        for newer in check(certificate, new_provers, samples=samples, seed=options.seed, log=kept):
            if verdict is None and newer.is_good and team is None:
                say_what_it_takes(certificate, searching, samples / max(newer.leaves, 1), kept)
            verdict = newer
            if time.monotonic() - reported >= REPORT_S:
                reported = time.monotonic()
                console.say(_progress_text(verdict, samples), err=True)
    if verdict is None:
        end_interrupted("nothing was checked", json=json)
    result, text = _result(certificate, verdict), _text(certificate, verdict)
    interruption.conclude(result, text, "this is what was checked so far", json=json)
    if not verdict.is_good:
        raise typer.Exit(console.FAILED)
    if not verdict.is_proven:
        raise typer.Exit(NOT_PROVEN)


def say_what_it_takes(
    certificate: Certificate, searching: Searching, share: float, kept: LeafLog | None
) -> None:
    """Say how many hours a share of the leaves is expected to take here, where it is long."""
    from mancala.engine.campaign.costs import check_nodes

    rules, leaves, took = certificate.rules, certificate.leaves, certificate.header.nodes
    left = sum(kept is None or not kept.confirms(line) for line in leaves)
    seeds = [certificate.claim(line).board.in_play for line in leaves]
    share *= left / max(len(leaves), 1)

    def hours(reach: int) -> float:
        nodes = share * check_nodes(took, seeds, reach, searching.usual_reach(rules))
        return nodes / searching.threads / NODES_AN_HOUR

    reach, better = searching.reach(rules), missing_seeds(rules)
    if hours(reach) < LONG_H:
        return
    said = f"with endgame tables of {quantity(reach, 'seed')} this takes about"
    said += f" {hours(reach):.2g} hours"
    if better is not None and better > reach:
        said += f", with those of `mancala endgame build --seeds {better} --rules {rules}` about"
        said += f" {hours(better):.2g}"
    console.say(said, err=True)


def _progress_text(verdict: CheckResult, samples: int) -> str:
    leaves = quantity(samples, "leaf", "leaves")
    return f"{verdict.checked} of {leaves} checked, {verdict.nodes:.3g} nodes"


def _result(certificate: Certificate, verdict: CheckResult) -> dict[str, Any]:
    return {
        "ok": verdict.is_good,
        "proven": verdict.is_proven,
        "board": certificate.header.board,
        "rules": certificate.header.rules,
        "low": certificate.header.low,
        "high": certificate.header.high,
        "claims": len(certificate.lines),
        "leaves": verdict.leaves,
        "checked": verdict.checked,
        "confirmed": verdict.confirmed,
        "missed_one": verdict.missed_one,
        "missed": verdict.missed(SHARE),
        "faults": verdict.faults[:SHOWN],
        "refuted": verdict.refuted[:SHOWN],
        "nodes": verdict.nodes,
    }


def _text(certificate: Certificate, verdict: CheckResult) -> str:
    header = certificate.header
    lines = [
        f"claimed of {header.board}: {header.low:+d} to {header.high:+d}",
        *verdict.faults[:SHOWN],
        *(
            f"refuted: {line.board}: {line.bound} {line.value:+d}"
            for line in verdict.refuted[:SHOWN]
        ),
        f"{quantity(len(certificate.lines), 'claim')}, {len(verdict.faults)} do not follow",
    ]
    if not verdict.is_good:
        return "\n".join(
            (*lines, f"{quantity(len(verdict.refuted), 'leaf', 'leaves')} refuted: it is wrong")
        )
    lines.append(
        f"follows from {quantity(verdict.leaves, 'leaf', 'leaves')},"
        f" {verdict.confirmed} of them proven here"
    )
    if verdict.is_proven:
        return "\n".join((*lines, "proven"))
    lines += [
        f"a single wrong leaf would have been missed with probability {verdict.missed_one:.3f},",
        f"and with {verdict.missed(SHARE):.2g} every one if a tenth of them were wrong",
    ]
    return "\n".join(lines)

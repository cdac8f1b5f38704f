"""The check of a certificate, as ``mancala prove --check`` runs and prints it."""

from __future__ import annotations

import time
from contextlib import closing, nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import typer

from mancala.protocol.text import quantity
from mancala.scripts.analysis.proofs import REPORT_S
from mancala.scripts.console import output as console
from mancala.scripts.console.interrupt import end_interrupted, until_interrupted

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from mancala.engine.campaign.certificate import Certificate
    from mancala.engine.campaign.checking import Attempting, CheckResult
    from mancala.scripts.analysis.proofs import Searching

SHARE: Final = 0.1
"""Share of wrong leaves for which the check states how likely it missed them all."""
NOT_PROVEN: Final = 3
"""Exit code where nothing wrong was found, but some leaves were taken on trust."""
SHOWN: Final = 20
"""Most faults that are printed."""


def check_certificate(
    path: Path,
    searching: Searching,
    *,
    samples: int,
    seed: int,
    log: Path | None,
    executor: Executor | None,
    json: bool,
) -> None:
    """Check a certificate and print the verdict; a log makes a check that goes on when run again.

    The workers of an executor prove its leaves, or without one this process.

    Raises:
        typer.Exit: with code 1 when it is wrong, with code 2 when there is none, with code 3 when
            it follows from its leaves and not all of them were proven here.
        SystemExit: after Ctrl-C.
    """
    from mancala.engine.campaign import home
    from mancala.engine.campaign.certificate import CertificateError, load
    from mancala.engine.campaign.checking import LeafProver, check
    from mancala.engine.campaign.leaf_log import LeafLog
    from mancala.scripts.analysis.leaf_workers import ClusterProver

    try:
        certificate = load(path / home.CERTIFICATE if path.is_dir() else path)
        kept = None if log is None else LeafLog(log)
    except (CertificateError, OSError) as error:
        console.fail(error)
    except ValueError as error:
        console.fail(f"no log of a check: {error}", at=log)

    attempting: Attempting
    if executor is None:
        attempting = LeafProver(certificate, partial(searching.prover, certificate.rules))
    else:
        attempting = ClusterProver(certificate, searching, executor)
    verdict: CheckResult | None = None
    reported = time.monotonic()
    with until_interrupted() as interruption, closing(kept) if kept else nullcontext():
        for newer in check(certificate, attempting, samples=samples, seed=seed, log=kept):
            verdict = newer
            if time.monotonic() - reported >= REPORT_S:
                reported = time.monotonic()
                console.say(_progress_text(verdict, min(samples, verdict.leaves)), err=True)
    if verdict is None:
        end_interrupted("nothing was checked", json=json)
    result = interruption.marked(_result(certificate, verdict))
    console.show(result, _text(certificate, verdict), json=json)
    if interruption.happened:
        end_interrupted("this is what was checked so far")
    if not verdict.is_good:
        raise typer.Exit(console.FAILED)
    if not verdict.is_proven:
        raise typer.Exit(NOT_PROVEN)


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
            (
                *lines,
                f"{quantity(len(verdict.refuted), 'leaf', 'leaves')} refuted: it is wrong",
            )
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

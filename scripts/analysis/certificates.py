"""The check of a certificate, as ``mancala prove --check`` runs and prints it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import typer

from scripts.console import output as console
from scripts.console.interrupt import end_interrupted, until_interrupted

if TYPE_CHECKING:
    from engine.campaign.certificate import Certificate
    from engine.campaign.checking import Verdict
    from engine.campaign.positions import Claim
    from engine.campaign.prover import Prover
    from scripts.analysis.proofs import Searching

SHARE: Final = 0.1
"""Share of wrong leaves for which the check states how likely it missed them all."""
SHOWN: Final = 20
"""Most faults that are printed."""


def check_certificate(
    path: Path, searching: Searching, *, samples: int, seed: int, json: bool
) -> None:
    """Check a certificate and print the verdict.

    Raises:
        typer.Exit: with code 1 when it is wrong, with code 2 when there is none.
        SystemExit: after Ctrl-C.
    """
    from engine.campaign import home
    from engine.campaign.certificate import CertificateError, load
    from engine.campaign.checking import check

    try:
        certificate = load(path / home.CERTIFICATE if path.is_dir() else path)
    except (CertificateError, OSError) as error:
        console.fail(error)

    def prover_of(claim: Claim) -> Prover:
        return searching.prover(certificate.rules, claim.board.in_play)

    verdict: Verdict | None = None
    with until_interrupted() as interruption:
        for newer in check(certificate, prover_of, samples=samples, seed=seed):
            verdict = newer
    if verdict is None:
        end_interrupted("nothing was checked", json=json)
    result = interruption.marked(_result(certificate, verdict))
    console.show(result, _text(certificate, verdict), json=json)
    if interruption.happened:
        end_interrupted("this is what was checked so far")
    if not verdict.is_good:
        raise typer.Exit(console.FAILED)


def _result(certificate: Certificate, verdict: Verdict) -> dict[str, Any]:
    return {
        "ok": verdict.is_good,
        "board": certificate.header.board,
        "rules": certificate.header.rules,
        "low": certificate.header.low,
        "high": certificate.header.high,
        "claims": len(certificate.lines),
        "leaves": verdict.leaves,
        "checked": verdict.checked,
        "missed": verdict.missed(SHARE),
        "faults": verdict.faults[:SHOWN],
        "refuted": verdict.refuted[:SHOWN],
        "nodes": verdict.nodes,
    }


def _text(certificate: Certificate, verdict: Verdict) -> str:
    header = certificate.header
    lines = [
        f"claimed of {header.board}: {header.low:+d} to {header.high:+d}",
        *verdict.faults[:SHOWN],
        *(
            f"refuted: {line.board}: {line.bound} {line.value:+d}"
            for line in verdict.refuted[:SHOWN]
        ),
        f"{len(certificate.lines)} claims, {len(verdict.faults)} of which do not follow",
        f"{verdict.checked} of {verdict.leaves} leaves checked, {len(verdict.refuted)} refuted",
        f"if a tenth were wrong, a sample as large would miss it: {verdict.missed(SHARE):.2g}",
        "no fault was found" if verdict.is_good else "the certificate is wrong",
    ]
    return "\n".join(lines)

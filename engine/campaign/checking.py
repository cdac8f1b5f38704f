"""Checking a certificate: its claims by the rules, and a sample of its leaves by new proofs."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mancala.engine.campaign import positions
from mancala.engine.campaign.certificate import faults

if TYPE_CHECKING:
    from mancala.engine.campaign.certificate import Certificate, CertificateLine
    from mancala.engine.campaign.leaf_log import LeafLog
    from mancala.engine.campaign.positions import Claim
    from mancala.engine.campaign.prover import Prover


@dataclass(slots=True)
class CheckResult:
    """What a check has found so far.

    Attributes:
        faults: claims that do not follow from those after their moves.
        leaves: leaves of the certificate.
        confirmed: leaves that were proven again.
        refuted: leaves that are wrong.
        nodes: positions whose sowings were generated.
    """

    faults: list[str] = field(default_factory=list)
    leaves: int = 0
    confirmed: int = 0
    refuted: list[CertificateLine] = field(default_factory=list)
    nodes: int = 0

    @property
    def is_good(self) -> bool:
        """Whether nothing wrong was found."""
        return not self.faults and not self.refuted

    @property
    def is_proven(self) -> bool:
        """Whether the certificate follows from its leaves, and each of them was proven again."""
        return self.is_good and self.confirmed == self.leaves

    @property
    def missed_one(self) -> float:
        """The probability that the sample holds no wrong leaf if a single one of all is wrong."""
        return 1 - self.checked / self.leaves if self.leaves else 0.0

    @property
    def checked(self) -> int:
        """Leaves that were proven again or refuted."""
        return self.confirmed + len(self.refuted)

    def missed(self, share: float) -> float:
        """Return the probability that the sample holds no wrong leaf if ``share`` of all are wrong.

        Drawn without replacement: hypergeometric.
        """
        wrong = round(share * self.leaves)
        probability = 1.0
        for drawn in range(self.checked):
            probability *= max(0, self.leaves - wrong - drawn) / (self.leaves - drawn)
        return probability


def check(
    certificate: Certificate,
    new_prover: Callable[[Claim], Prover],
    *,
    samples: int,
    seed: int,
    log: LeafLog | None = None,
) -> Iterator[CheckResult]:
    """Check a certificate; yield the verdict so far, every few milliseconds.

    Args:
        certificate: what to check.
        new_prover: makes what proves a leaf, with an empty transposition table.
        samples: leaves to prove again, drawn at random.
        seed: the same seed draws the same leaves.
        log: gets a line for each leaf that is proven; those that it has already are not proven
            again.
    """
    leaves = certificate.leaves
    verdict = CheckResult(leaves=len(leaves), faults=list(faults(certificate)))
    yield verdict
    rng = random.Random(seed)  # noqa: S311  # a sample that can be drawn again
    for line in rng.sample(leaves, min(samples, len(leaves))):
        try:
            claim = certificate.claim(line)
        except ValueError:
            verdict.refuted.append(line)
            continue
        if claim.board.is_over:
            verdict.refuted.append(line)
            continue
        if log is not None and log.confirms(line):
            verdict.confirmed += 1
            continue
        began, before = time.monotonic(), (verdict.confirmed, verdict.nodes)
        yield from _check_leaf(claim, line, new_prover(claim), verdict)
        if log is not None:
            holds, nodes = verdict.confirmed > before[0], verdict.nodes - before[1]
            log.write(line, holds=holds, nodes=nodes, seconds=time.monotonic() - began)
        yield verdict


def _check_leaf(
    claim: Claim, line: CertificateLine, prover: Prover, verdict: CheckResult
) -> Iterator[CheckResult]:
    step = positions.step(claim.board.rules)
    threshold = claim.value if claim.at_least else claim.value + step
    search, before = prover.ask(claim.board, threshold), verdict.nodes
    while True:
        try:
            next(search)
        except StopIteration as end:
            if end.value is not None and claim.follows_from(end.value):
                verdict.confirmed += 1
            else:
                verdict.refuted.append(line)
            return
        finally:
            verdict.nodes = before + prover.nodes
        yield verdict

"""Checking a certificate: its claims by the rules, and a sample of its leaves by new proofs."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from mancala.engine.campaign import positions
from mancala.engine.campaign.certificate import faults

if TYPE_CHECKING:
    from mancala.engine.campaign.certificate import Certificate, CertificateLine
    from mancala.engine.campaign.leaf_log import LeafLog
    from mancala.engine.campaign.positions import Claim
    from mancala.engine.campaign.prover import Prover

FIRST_ROUND: Final = 1 << 20
"""Nodes that the first round allows a leaf."""
ROUNDS_GROW: Final = 4


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
    new_prover: Callable[[int], Prover],
    *,
    samples: int,
    seed: int,
    log: LeafLog | None = None,
) -> Iterator[CheckResult]:
    """Check a certificate; yield the verdict so far, every few milliseconds.

    Leaves are proven in rounds: one that takes more nodes than its round allows is put off to the
    next, which allows four times as many. What was proven for it, and for others, stays in the
    transposition table.

    Args:
        certificate: what to check.
        new_prover: makes what proves all leaves, with an empty transposition table, from the most
            seeds in play in any of them; not called where nothing is left to prove.
        samples: leaves to prove again, drawn at random.
        seed: the same seed draws the same leaves.
        log: gets a line for each leaf that is proven; those that it has already are not proven
            again.
    """
    leaves = certificate.leaves
    verdict = CheckResult(leaves=len(leaves), faults=list(faults(certificate)))
    yield verdict
    rng = random.Random(seed)  # noqa: S311  # a sample that can be drawn again
    drawn = rng.sample(leaves, min(samples, len(leaves)))
    waiting = _to_prove(certificate, drawn, log, verdict)
    if not waiting:
        return
    prover = new_prover(max(leaf.claim.board.in_play for leaf in waiting))
    most_nodes = FIRST_ROUND
    while waiting:
        for leaf in waiting:
            for _ in leaf.ask(prover, most_nodes):
                verdict.nodes = prover.nodes
                yield verdict
            verdict.nodes = prover.nodes
            _count(leaf, verdict, log)
        waiting = [leaf for leaf in waiting if leaf.holds is None]
        most_nodes *= ROUNDS_GROW


def _to_prove(
    certificate: Certificate,
    lines: list[CertificateLine],
    log: LeafLog | None,
    verdict: CheckResult,
) -> list[_Leaf]:
    """Return the leaves that only a proof decides; count the others."""
    waiting = []
    for line in lines:
        try:
            claim = certificate.claim(line)
        except ValueError:
            verdict.refuted.append(line)
            continue
        if claim.board.is_over:
            verdict.refuted.append(line)
        elif log is not None and log.confirms(line):
            verdict.confirmed += 1
        else:
            waiting.append(_Leaf(line, claim))
    return waiting


def _count(leaf: _Leaf, verdict: CheckResult, log: LeafLog | None) -> None:
    """Count and write down a leaf that was decided."""
    if leaf.holds is None:
        return
    if leaf.holds:
        verdict.confirmed += 1
    else:
        verdict.refuted.append(leaf.line)
    if log is not None:
        log.write(leaf.line, holds=leaf.holds, nodes=leaf.nodes, seconds=leaf.seconds)


@dataclass(slots=True)
class _Leaf:
    """A leaf that is to be proven, and what that has taken so far."""

    line: CertificateLine
    claim: Claim
    nodes: int = 0
    seconds: float = 0.0
    holds: bool | None = None

    def ask(self, prover: Prover, most_nodes: int) -> Iterator[None]:
        """Prove or refute it; give up after the nodes."""
        claim, before, began = self.claim, prover.nodes, time.monotonic()
        step = positions.step(claim.board.rules)
        threshold = claim.value if claim.at_least else claim.value + step
        bounds = yield from prover.ask(claim.board, threshold, most_nodes)
        self.nodes += prover.nodes - before
        self.seconds += time.monotonic() - began
        if bounds is not None:
            self.holds = claim.follows_from(bounds)

"""Checking a certificate: its claims by the rules, and a sample of its leaves by new proofs."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from mancala.protocol import codec

from . import positions
from .certificate import Certificate, CertificateLine, faults
from .positions import Claim
from .prover import Prover, Provers, each

FIRST_ROUND: Final = 1 << 20
"""Nodes that the first round allows a leaf."""
ROUNDS_GROW: Final = 4


class ProvenLeaf(msgspec.Struct, frozen=True):
    """A line of the log: what a leaf asserts, whether it holds, and what the proof took."""

    board: str
    bound: str
    value: int
    holds: bool
    nodes: int
    seconds: float


class LeafLog:
    """A log that is open for appending; ValueError where the file holds anything else.

    An ended check goes on where it was. A line begins with what a leaf asserts; whether that holds,
    nodes and seconds follow. The prover in ``docs/certificates`` writes the same form. A line that
    a kill cut off does not count.
    """

    def __init__(self, path: Path) -> None:
        text = path.read_bytes() if path.exists() else b""
        *whole, cut = text.split(b"\n")
        lines = [codec.from_json(line, ProvenLeaf) for line in whole]
        self._holding = {(each.board, each.bound, each.value) for each in lines if each.holds}
        self._file = path.open("ab")
        self._file.truncate(len(text) - len(cut))

    def confirms(self, leaf: CertificateLine) -> bool:
        """Return whether a leaf was proven by an earlier run."""
        return (leaf.board, leaf.bound, leaf.value) in self._holding

    def write(self, leaf: CertificateLine, *, holds: bool, nodes: int, seconds: float) -> None:
        """Write down what came of a leaf; it is in the file when this returns."""
        found = ProvenLeaf(leaf.board, leaf.bound, leaf.value, holds, nodes, round(seconds, 3))
        self._file.write(codec.to_line(found) + b"\n")
        self._file.flush()

    def close(self) -> None:
        self._file.close()


@dataclass(slots=True)
class CheckResult:
    """What a check has found so far: claims that do not follow from those after their moves.

    Of the leaves some were proven again (``confirmed``) and some found wrong (``refuted``).
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


class Attempt(NamedTuple):
    """An attempt to prove a leaf; ``holds`` is None when that takes more nodes than allowed."""

    holds: bool | None
    nodes: int
    seconds: float

    def after(self, earlier: Attempt) -> Attempt:
        return Attempt(self.holds, earlier.nodes + self.nodes, earlier.seconds + self.seconds)


def check(
    certificate: Certificate,
    new_provers: Callable[[int], Provers],
    *,
    samples: int,
    seed: int,
    log: LeafLog | None = None,
) -> Iterator[CheckResult]:
    """Check a certificate; yield the verdict so far, every few milliseconds.

    Leaves are proven in rounds: one that takes more nodes than its round allows is put off to the
    next, which allows four times as many. ``samples`` leaves are drawn at random, the same ones
    from the same seed. ``new_provers`` makes what proves them, from the most seeds in play in any;
    it is not called where nothing is left to prove. The log gets a line for each leaf that is
    proven; those that it has already are not proven again.
    """
    leaves = certificate.leaves
    verdict = CheckResult(leaves=len(leaves), faults=list(faults(certificate)))
    yield verdict
    rng = random.Random(seed)  # noqa: S311  # a sample that can be drawn again
    drawn = rng.sample(leaves, min(samples, len(leaves)))
    waiting = dict(_to_prove(certificate, drawn, log, verdict))
    spent = dict.fromkeys(waiting, Attempt(None, 0, 0.0))
    most_nodes, provers = FIRST_ROUND, None
    while waiting:
        provers = provers or new_provers(max(claim.board.in_play for claim in waiting.values()))
        attempts = [
            (line, partial(attempted, claim, most_nodes)) for line, claim in waiting.items()
        ]
        for found in provers.results(each(attempts)):
            if found is not None:
                line, attempt = found
                verdict.nodes += attempt.nodes
                spent[line] = attempt.after(spent[line])
                _count(line, spent[line], verdict, log)
            yield verdict
        waiting = {line: claim for line, claim in waiting.items() if spent[line].holds is None}
        most_nodes *= ROUNDS_GROW


def _to_prove(
    certificate: Certificate,
    lines: list[CertificateLine],
    log: LeafLog | None,
    verdict: CheckResult,
) -> Iterator[tuple[CertificateLine, Claim]]:
    """Yield the leaves that only a proof decides, and what they assert; count the others."""
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
            yield line, claim


def _count(
    line: CertificateLine, attempt: Attempt, verdict: CheckResult, log: LeafLog | None
) -> None:
    if attempt.holds is None:
        return
    if attempt.holds:
        verdict.confirmed += 1
    else:
        verdict.refuted.append(line)
    if log is not None:
        log.write(line, holds=attempt.holds, nodes=attempt.nodes, seconds=attempt.seconds)


def attempted(claim: Claim, most_nodes: int, prover: Prover) -> Generator[None, None, Attempt]:
    """Try to prove or refute what a leaf asserts, every few milliseconds with a pause."""
    before, began = prover.nodes, time.monotonic()
    threshold = claim.value if claim.at_least else claim.value + positions.step(claim.board.rules)
    bounds = yield from prover.ask(claim.board, threshold, most_nodes)
    holds = None if bounds is None else claim.follows_from(bounds)
    return Attempt(holds, prover.nodes - before, time.monotonic() - began)

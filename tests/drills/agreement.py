"""Drill: how often the own Swiss system pairs as FIDE's does.

    python -m tests.drills.agreement --events 100

Simulated Swiss events of 5 to 60 players with absences are paired by gacrux; each round is paired
by the own system as well, from the same rounds before it. It prints the table of
docs/tournaments.md, and fails when gacrux pairs a round against a rule that is never broken.
"""

from __future__ import annotations

import random
from collections import Counter
from importlib.metadata import version
from typing import Annotated, Final

import typer
from msgspec.structs import replace

from mancala.server.contest.events.fide import PairingFailedError
from mancala.server.contest.events.plan import Terms, plan
from mancala.server.model.game import RatedGame, Round
from tests.drills.pairings import result_of, swiss_terms
from tests.drills.report import DrillReport, SeedOption, command_line

FEWEST, MOST = 5, 60
"""Players of an event."""
ROW: Final = "| {} | {} | {:.0%} | {:.0%} | {:.0%} |"


def drill(events: int, seed: int) -> DrillReport:
    """Pair events by gacrux, and each of their rounds by the own system too.

    Args:
        events: how many.
        seed: seed of sizes, absences and results.
    """
    rng = random.Random(seed)
    counts: Counter[str] = Counter()
    for _ in range(events):
        terms = swiss_terms(rng, rng.randint(FEWEST, MOST))
        counts["unpaired"] += not _compared(replace(terms, pairing="fide"), rng, counts)
    rounds = max(1, counts["rounds"])
    shares = [counts[key] / rounds for key in ("pairs", "seats")]
    shares.append(counts["common"] / max(1, counts["all"]))
    own = f"own, beside gacrux {version('gacrux')}"
    figures = {"events": events, "table": ROW.format(own, rounds, *shares)}
    return DrillReport("agreement", seed, figures, {"all_are_paired": not counts["unpaired"]})


def _compared(terms: Terms, rng: random.Random, counts: Counter[str]) -> bool:
    """Play an event that gacrux pairs; return whether it paired all of its rounds."""
    played, kept = dict[int, RatedGame](), list[Round]()
    while True:
        try:
            rounds = plan(terms, played, kept).rounds
        except PairingFailedError:
            return False
        if len(rounds) == len(kept):
            return True
        own = plan(replace(terms, pairing="fast"), played, kept).rounds[-1]
        kept.append(rounds[-1])
        pairs, theirs = ({frozenset(it) for it in each.encounters} for each in (own, kept[-1]))
        counts["rounds"] += 1
        counts["pairs"] += pairs == theirs
        counts["seats"] += {*own.encounters} == {*kept[-1].encounters}
        counts["common"] += len(pairs & theirs)
        counts["all"] += len(theirs)
        for pair in kept[-1].encounters:
            for leg in range(terms.games):
                played[len(played)] = result_of(terms, pair.games[leg % 2], rng)


def main(
    *,
    events: Annotated[int, typer.Option(min=1, help="Number of Swiss events.")] = 100,
    seed: SeedOption = 1,
) -> DrillReport:
    """Compare the own Swiss system with FIDE's, round by round."""
    return drill(events, seed)


if __name__ == "__main__":
    command_line(main)

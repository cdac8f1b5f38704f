"""A preset of rules, and a format of events."""

from collections.abc import Mapping
from itertools import pairwise

from mancala.protocol.rules import Rules
from mancala.server.contest.events.plan import FormatKind, Plan, Terms
from mancala.server.model.game import Encounter, RatedGame, Round

TINY = Rules(pits=3, seeds=2)


def plan(terms: Terms, _results: Mapping[int, RatedGame]) -> Plan:
    """Return one round an encounter: each player meets the next one in the order of seeding."""
    rounds = tuple(Round((Encounter(*pair),)) for pair in pairwise(terms.players))
    return Plan(rounds * terms.rounds, is_complete=True)


CHAIN = FormatKind("Chain", plan, lambda terms: terms.rounds * (len(terms.players) - 1))

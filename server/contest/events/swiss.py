"""Swiss rounds by FIDE's Dutch system (Handbook C.04.3), which :mod:`.dutch` asks for.

It is asked with the event so far as a report (:mod:`.trf`). Its answer is checked against the rules
that are never broken. Where no pairing keeps them, FIDE leaves the round to the arbiter. Then no
event stands still here: rematches and second byes are as few as can be, of such pairings those who
are near in points meet, and who had the first seat more often has the second. On a server that one
search runs in a thread of its process, and shares the interpreter with the event loop: it is needed
by few players with many rounds, for whom it is short.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import combinations
from math import ceil, log2
from typing import Final

from ...model.game import Encounter, Forfeit, RatedGame, Round
from .dutch import PairingFailedError, Pairs, paired_here
from .trf import PastRound, SwissEvent, report

Asked = Callable[[str, int, tuple[int, ...]], Pairs | None]
"""As :func:`.dutch.paired_here`."""
AGAIN: Final = 10**12
"""What a rematch or a further bye weighs, so that nothing else counts more."""
BYE_PLACE: Final = 10**8
"""What it weighs by a place that the bye goes to a better one; points apart count least."""


def rounds_for(players: int) -> int:
    """Return the number of rounds that single out a winner, so that only one can win all."""
    return ceil(log2(players)) if players > 1 else 0


def acceleration(players: Sequence[str], number: int, rounds: int) -> dict[str, float]:
    """Return the virtual points of a round in wins, by the Baku acceleration (FIDE C.04.5.1).

    The upper half of the players, strongest first, rounded up to an even number, has one point in
    the first half of the accelerated rounds and half a point in the second; accelerated is the
    first half of all rounds.
    """
    accelerated = ceil(rounds / 2)
    if number > accelerated:
        return {}
    bonus = 1.0 if number <= ceil(accelerated / 2) else 0.5
    return dict.fromkeys(players[: 2 * ceil(len(players) / 4)], bonus)


def swiss_round(
    event: SwissEvent,
    past: Sequence[PastRound],
    scores: Sequence[Mapping[str, float]],
    *,
    absent: Collection[str] = (),
    apart: Iterable[frozenset[frozenset[str]]] = (),
    asked: Asked = paired_here,
) -> Round:
    """Return the next round: encounters in order of boards, and the bye, if there is one.

    Args:
        event: the players and sizes.
        past: all rounds so far.
        scores: the points before each round of the past and before this one, with virtual ones.
        absent: those who are not paired in this round.
        apart: pairs who meet only if it can't be helped, in a first attempt and in further ones.
        asked: what pairs.

    Raises:
        PairingFailedError: when there is no answer, or none that keeps the rules.
    """
    players = event.players
    present = [name for name in players if name not in absent]
    if len(present) < 2:  # two players
        return Round((), tuple(present))
    number = len(past) + 1
    unpaired = tuple(at for at, name in enumerate(players, start=1) if name in absent)
    for kept in dict.fromkeys((*apart, frozenset())):
        text = report(event, past, scores, kept)
        if (answer := asked(text, number, unpaired)) is not None:
            paired = _read(answer, players)
            if problem := _problem(paired, present, past):
                raise PairingFailedError(f"gacrux's pairing of round {number}: {problem}")
            return paired
    return _with_rematches(present, past, scores[-1])


def _read(answer: Pairs, players: Sequence[str]) -> Round:
    try:
        names = [[players[each - 1] for each in pair if each > 0] for pair in answer]
    except IndexError:
        raise PairingFailedError(f"gacrux's answer is no pairing: {answer}") from None
    met = tuple(Encounter(*pair) for pair in names if len(pair) > 1)
    return Round(met, tuple(pair[0] for pair in names if len(pair) == 1))


def _with_rematches(
    present: Sequence[str], past: Sequence[PastRound], points: Mapping[str, float]
) -> Round:
    """Return a round in which no pairing keeps the rules."""
    from networkx import Graph, min_weight_matching  # noqa: PLC0415  # takes half a second

    met, byes, firsts = Counter[frozenset[str]](), Counter[str](), Counter[str]()
    for each in past:
        played = as_played(each.paired, each.games)
        byes.update(played.byes)
        met.update(map(frozenset, played.encounters))
        firsts.update(pair.first for pair in played.encounters)
        firsts.subtract(pair.second for pair in played.encounters)
    order = sorted(present, key=lambda name: -points[name])
    graph = Graph()
    for one, two in combinations(order, 2):
        apart = (points[one] - points[two]) ** 2
        graph.add_edge(one, two, weight=AGAIN * met[frozenset((one, two))] + int(4 * apart))
    for at, name in enumerate(order if len(order) % 2 else ()):
        graph.add_edge(name, "", weight=AGAIN * byes[name] - BYE_PLACE * at)
    places = {name: at for at, name in enumerate(order)}
    pairs = [
        sorted(filter(None, pair), key=places.__getitem__) for pair in min_weight_matching(graph)
    ]
    pairs.sort(key=lambda pair: places[pair[0]])
    return Round(
        tuple(Encounter(*sorted(pair, key=firsts.__getitem__)) for pair in pairs if len(pair) > 1),
        tuple(pair[0] for pair in pairs if len(pair) < 2),  # a pair
    )


def _problem(paired: Round, present: Sequence[str], past: Sequence[PastRound]) -> str | None:
    """Return which rule that is never broken a pairing breaks, if any."""
    seated = [name for pair in paired.encounters for name in pair] + [*paired.byes]
    if sorted(seated) != sorted(present):
        return "not each player who is there has one place"
    if len(paired.byes) != len(present) % 2:
        return "more than one bye" if paired.byes else "no bye"
    counted = [as_played(each.paired, each.games) for each in past]
    met = {frozenset(pair) for each in counted for pair in each.encounters}
    again = [" and ".join(pair) for pair in paired.encounters if frozenset(pair) in met]
    if again:
        return f"{again[0]} have met before"
    free = {name for each in counted for name in each.byes}
    return f"{paired.byes[0]} had a bye before" if free.intersection(paired.byes) else None


def as_played(paired: Round, found: Sequence[Sequence[RatedGame]]) -> Round:
    """Return a round as the pairings after it count it (FIDE C.04.1, C.04.3 C2).

    Two of whom one was absent have not met, and had no seats. Who won by it has had a bye.
    """
    played, byes = list[Encounter](), [*paired.byes]
    for encounter, games in zip(paired.encounters, found, strict=True):
        if all(isinstance(game, Forfeit) for game in games):
            wins = Counter(game.players[game.winner] for game in games if game.winner is not None)
            byes += [name for name, count in wins.items() if count == len(games)]
        else:
            played.append(encounter)
    return Round(tuple(played), tuple(byes))

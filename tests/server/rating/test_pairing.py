"""Pairing on a ladder: information, waiting, repeats."""

from collections import Counter
from dataclasses import replace
from functools import partial
from itertools import combinations
from math import inf
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mancala.server.model.game import Encounter
from mancala.server.rating import pairing
from mancala.server.rating.pairing import Waiting, information

PATIENCE_S = 20.0
next_look = partial(pairing.next_look, patience_s=PATIENCE_S)
pair = partial(pairing.pair, patience_s=PATIENCE_S, meetings=lambda _one, _two: 0)


def bot(name: str, elo: float = 1500, deviation: float = 50, since: float = 0) -> Waiting:
    return Waiting(name, elo, deviation, since)


@st.composite
def crowds(draw: st.DrawFn) -> list[Waiting]:
    """Draw up to nine bots that wait, some of whom met before or must never meet."""
    names = "abcdefghi"[: draw(st.integers(0, 9))]
    return [
        Waiting(
            name,
            draw(st.floats(0, 3000)),
            draw(st.floats(20, 350)),
            draw(st.integers(0, 60)),
            draw(st.sampled_from(["", *names.replace(name, "")])),
            frozenset(draw(st.sets(st.sampled_from(["", *names]), max_size=2))),
        )
        for name in names
    ]


def test_close_ratings_teach_more() -> None:
    """A game between equals says more than one whose end is known beforehand."""
    close, far = bot("b", elo=1520), bot("c", elo=2100)
    assert information(bot("a"), close) > 3 * information(bot("a"), far)


def test_uncertain_ratings_teach_more() -> None:
    """A game with a newcomer says more than one between two who are well known."""
    assert information(bot("a"), bot("b", deviation=300)) > 5 * information(bot("a"), bot("b"))


def test_information_is_the_textbook_gain() -> None:
    """Two games between equals each known to 173.7 Elo gain ½ ln(1 + 2·2·¼) nats."""
    known = 400 / np.log(10)
    gain = information(bot("a", deviation=known), bot("b", deviation=known))
    assert gain == pytest.approx(np.log(2) / 2)


def test_the_best_teacher_is_chosen() -> None:
    """The bot that waited longest gets the most informative opponent, not the earliest."""
    crowd = [bot("a"), bot("b", elo=2400, since=1), bot("c", elo=1510, since=2)]
    assert pair(crowd, now=3) == [Encounter("a", "c")]


def test_no_bot_meets_its_last_opponent_again_immediately() -> None:
    """Two who just met wait for others until the patience of one ends, then meet again."""
    crowd = [replace(bot("a"), last_opponent="b"), replace(bot("b", since=1), last_opponent="a")]
    assert pair(crowd, now=1) == []
    assert pair([*crowd, bot("c", elo=2400)], now=1) == [Encounter("a", "c")]
    assert next_look(crowd, now=1) == PATIENCE_S
    assert pair(crowd, now=PATIENCE_S) == [Encounter("a", "b")]
    assert next_look(crowd, now=PATIENCE_S + 1) == inf


def test_those_who_must_not_meet_never_do() -> None:
    """Two versions of one bot stay apart however long they wait, said by either side."""
    crowd = [replace(bot("a@1"), never=frozenset({"a@2"})), bot("a@2")]
    assert pair(crowd, now=1e9) == []
    assert pair(crowd[::-1], now=1e9) == []


@given(crowds(), st.randoms(use_true_random=False))
def test_the_choice_depends_on_who_waits_and_nothing_else(
    crowd: list[Waiting], shuffler: Random
) -> None:
    """The order in which the bots are named makes no difference, and no bot plays twice."""
    found = pair(crowd, now=60)
    shuffler.shuffle(crowd)
    assert pair(crowd, now=60) == found
    seated = [name for encounter in found for name in encounter]
    assert len(seated) == len(set(seated))


@given(crowds())
def test_no_two_that_could_be_paired_are_left(crowd: list[Waiting]) -> None:
    """Of those still waiting, no two may meet; and the longest wait is served if it can be."""
    found = pair(crowd, now=60)
    seated = {name for encounter in found for name in encounter}
    left = [one for one in crowd if one.name not in seated]
    assert pair(left, now=60) == []
    longest = sorted(crowd, key=lambda one: (one.since, one.name))[:1]
    for one in longest:
        alone = [pair([one, other], now=60) for other in crowd if other is not one]
        assert (one.name in seated) == any(alone)


def test_waiting_is_bounded_on_a_busy_ladder(rng: np.random.Generator) -> None:
    """Over 3,000 games of random length, no bot waits longer than its patience and a look.

    Nine bots of very different strength, newcomers among them; two look at the ladder each
    second. Even the least informative bot keeps playing, and repeats are rare.
    """
    strengths = {f"bot{number}": float(elo) for number, elo in enumerate(rng.normal(0, 500, 9))}
    strengths["hopeless"] = -4000.0
    idle = {name: bot(name, elo=elo, deviation=60) for name, elo in strengths.items()}
    busy: list[tuple[float, Encounter]] = []
    waits, repeats, played = [], 0, dict.fromkeys(strengths, 0)
    for now in np.arange(0, 2000, 0.5):
        for over, (one, two) in [game for game in busy if game[0] <= now]:
            for name, other in ((one, two), (two, one)):
                idle[name] = replace(
                    bot(name, strengths[name], 60, since=over), last_opponent=other
                )
        busy = [game for game in busy if game[0] > now]
        for encounter in pair(idle.values(), now=float(now)):
            longer, rival = (idle.pop(name) for name in encounter)
            waits += [now - longer.since, now - rival.since]
            repeats += longer.last_opponent == rival.name
            played[longer.name] += 1
            played[rival.name] += 1
            busy.append((float(now + rng.uniform(1, 5)), encounter))
    assert len(waits) > 3000
    assert max(waits) <= PATIENCE_S + 0.5
    assert repeats < 0.02 * len(waits)
    assert min(played.values()) > 0.5 * max(played.values())


def test_close_and_uncertain_pairs_meet_most(rng: np.random.Generator) -> None:
    """On a crowded ladder the mean gap of opponents is far below that of chance."""
    crowd = [
        bot(f"bot{number}", float(rng.normal(0, 400)), since=float(number)) for number in range(200)
    ]
    elo = {one.name: one.elo for one in crowd}
    gaps = [abs(elo[one] - elo[two]) for one, two in pair(crowd, now=200)]
    assert len(gaps) == 100
    assert np.median(gaps) < 40


def test_a_pairing_that_was_played_often_teaches_less() -> None:
    """Games of two bots leave less to be learnt from their next ones."""
    taught = [information(bot("a"), bot("b"), met) for met in (0, 10, 100)]
    assert taught == sorted(taught, reverse=True)
    assert taught[0] > 2 * taught[2] > 0


@given(crowds(), st.randoms(use_true_random=False))
def test_no_other_opponent_would_have_taught_more(crowd: list[Waiting], rng: Random) -> None:
    """The first in the queue gets the best of all it may meet, meetings counted."""
    met = {
        frozenset((one.name, two.name)): rng.choice((0, 5, 500))
        for one, two in combinations(crowd, 2)
    }
    queue = sorted(crowd, key=lambda each: (each.since, each.name))
    found = pair(crowd, now=60, meetings=lambda one, two: met[frozenset((one, two))])
    if found and found[0].first == queue[0].name:
        taught = {
            other.name: information(queue[0], other, met[frozenset((queue[0].name, other.name))])
            for other in queue[1:]
            if pair([queue[0], other], now=60)
        }
        assert taught[found[0].second] == max(taught.values())


def test_four_that_are_equally_fast_all_meet_one_another() -> None:
    """Though each of them has a nearest rival, and all games end together."""
    crowd = [bot(name, elo) for name, elo in zip("abcd", (1500, 1510, 1530, 1560), strict=True)]
    met: Counter[frozenset[str]] = Counter()
    for _ in range(300):
        found = pair(crowd, now=1, meetings=lambda one, two: met[frozenset((one, two))])
        met.update(map(frozenset, found))
        last = {name: other for one, two in found for name, other in ((one, two), (two, one))}
        crowd = [replace(each, last_opponent=last[each.name]) for each in crowd]
    assert len(met) == 6
    assert min(met.values()) > max(met.values()) / 2

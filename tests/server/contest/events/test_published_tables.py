"""Tie-breaks of published tables: FIDE's exercises in tie-breaking.

Results and values are those of Mario Held, *Exercises in Tie-Breaking* (for FIDE's C.07 of 2023,
revision of March 2024): a Swiss event of 16 players after 5 rounds and after 9, with byes and
forfeits, and a round robin of 6. Where the rules of March 2026 (16.4: the dummy opponent has at
most a draw a round, and at most what an absent opponent has) give another value, it is gacrux's.
"""

import re
from collections.abc import Iterator, Sequence

import pytest

from mancala.server.config.events import TieBreak
from mancala.server.contest.events.standings import EventStanding, PlayedRound, standings
from mancala.server.model.game import Forfeit, RatedGame

SWISS = {
    1: "9w1 13b= 2w= 15b1 4w= 6b= 3b= 16w= 8b1",
    2: "10b1 7w1 1b= 16w1 3b= 4w= 6w0 15b= 5w=",
    3: "11w= 6b1 8w1 4b= 2w= 16b1 1w= 14w1 10b1",
    4: "12b1 0-H 13w1 3w= 1b= 2b= 16w= 6b= 15w1",
    5: "13w0 15b0 11w1 7b= 10w1 14b0 9b1 8w0 2b=",
    6: "14b0 3w0 0-U 10w1 8b1 1w= 2b1 4w= 16b1",
    7: "15w1 2b0 16b0 5w= 11b0 10b0 13w1 9w1 14b1",
    8: "16b= 14w1 3b0 13w1 6w0 11b= 15w= 5b1 1w0",
    9: "1b0 10w0 0-H 11b- 0-U 13b1 5w0 7b0 12w=",
    10: "2w0 9b1 15w0 6b0 5b0 7w1 12b1 11w1 3w0",
    11: "3b= 16w0 5b0 9w+ 7w1 8w= 14b0 10b0 13w=",
    12: "4w0 0-U 14w+ 0-Z 0-Z 15b0 10w0 13b= 9b=",
    13: "5b1 1w= 4b0 8b0 14w0 9w0 7b0 12w= 11b=",
    14: "6w1 8b0 12b- 0-Z 13b1 5w1 11w1 3b0 7w0",
    15: "7b0 5w1 10b1 1w0 16b0 12w1 8b= 2w= 4b0",
    16: "8w= 11b1 7w1 2b0 15w1 3w0 4b= 1b= 6w0",
}
LATER = {2: SWISS[2].replace("3b=", "3b1"), 3: SWISS[3].replace("2w=", "2w0")}
"""In the table of nine rounds the game of 2 and 3 ended otherwise."""
ROUND_ROBIN = {
    1: "5w= 2w1 3b1 4w0 6b1",
    2: "6w1 1b0 5w1 3w= 4b1",
    3: "4w1 6b1 1w0 2b= 5w1",
    4: "3b0 5b0 6w= 1b1 2w0",
    5: "1b= 4w1 2b0 6w0 3b0",
    6: "2b0 3w0 4b= 5b1 1w0",
}
"""The forfeit counts as a game, as it does in a round robin."""
POINTS = {"1": 1.0, "=": 0.5, "0": 0.0, "+": 1.0, "-": 0.0, "H": 0.5, "U": 1.0, "Z": 0.0}
UNPLAYED = "HUZ"

BUCHHOLZ = [12.5, 13, 15.5, 15, 8.5, 12, 14.5, 13.5, 9, 13, 13.5, 11.5, 14, 11, 12, 12.5]
BUCHHOLZ_1 = [11, 12, 13, 11.5, 7.5, 11, 12.5, 12, 7.5, 11.5, 12, 9.5, 12, 9, 11, 11]
SONNEBORN_BERGER = [
    *(8, 9.5, 10.5, 9.75, 4.25, 6.5, 3.25, 5.25, 2.25, 1.5, 5.75, 4, 4.25, 4.5, 3.5, 7.25)
]
PROGRESSIVE = [11, 13, 11, 11.5, 5, 6, 6, 8.5, 2.5, 4, 5.5, 7, 7, 6, 7, 10.5]
WINS = [2, 3, 2, 2, 2, 2, 1, 2, 0, 1, 1, 0, 1, 2, 2, 3]
SINCE_2026: dict[TieBreak, dict[int, float]] = {
    TieBreak.BUCHHOLZ: {4: 14, 6: 11.5, 11: 12.5},
    TieBreak.BUCHHOLZ_1: {6: 10.5, 11: 11},
    TieBreak.SONNEBORN_BERGER: {4: 9.25, 6: 6, 11: 4.75},
    TieBreak.WINS: {11: 2, 12: 1},
}
"""Other values of players; wins by absence count as wins here, in the exercises they do not."""


def rounds_of(cards: dict[int, str], count: int) -> Iterator[PlayedRound]:
    for place in range(count):
        games, unplayed = [], {}
        for number, card in cards.items():
            found = re.fullmatch(r"(\d+)([wb-])?(.)", card.split()[place])
            assert found is not None
            opponent, seat, said = found.groups()
            if said in UNPLAYED:
                unplayed[str(number)] = POINTS[said]
            elif seat == "w":
                winner = {"1": 0, "0": 1, "+": 0, "-": 1}.get(said)
                kind = Forfeit if said in "+-" else RatedGame
                games.append((kind(str(number), opponent, winner),))
        yield PlayedRound(tuple(games), unplayed)


def table(
    cards: dict[int, str], count: int, tie_breaks: Sequence[TieBreak]
) -> dict[int, EventStanding]:
    rounds = [*rounds_of(cards, count)]
    names = [str(number) for number in cards]
    found = standings(
        rounds,
        players=names,
        games=1,
        tie_breaks=tie_breaks,
        reached={},
        counts_absence=cards is ROUND_ROBIN,
    )
    return {int(row.name): row for row in found}


@pytest.mark.parametrize(
    ("tie_break", "published"),
    [
        (TieBreak.BUCHHOLZ, BUCHHOLZ),
        (TieBreak.BUCHHOLZ_1, BUCHHOLZ_1),
        (TieBreak.SONNEBORN_BERGER, SONNEBORN_BERGER),
        (TieBreak.PROGRESSIVE, PROGRESSIVE),
        (TieBreak.WINS, WINS),
    ],
)
def test_tie_breaks_of_a_published_swiss_event(tie_break: TieBreak, published: list[float]) -> None:
    """Exercises 1 to 8, 12, 28 and 32: all 16 players, with byes, forfeits and one that left."""
    rows = table(SWISS, 5, [tie_break])
    found = {number: getattr(rows[number], tie_break.column) for number in SWISS}
    expected = dict(zip(SWISS, published, strict=True))
    assert found == expected | SINCE_2026.get(tie_break, {})


def test_direct_encounters_of_published_events() -> None:
    """Exercises 23 to 26: ranks by points and direct encounter, only where all have met."""
    five = table(SWISS, 5, [TieBreak.DIRECT])
    assert {five[number].rank for number in (1, 3, 4, 16)} == {2}
    assert {five[number].rank for number in (5, 8, 11)} == {7}
    nine = table(SWISS | LATER, 9, [TieBreak.DIRECT])
    ranks = [3, 5, 1, 3, 9, 2, 6, 6, 14, 9, 13, 14, 16, 9, 9, 6]
    assert [nine[number].rank for number in SWISS] == ranks
    six = table(ROUND_ROBIN, 5, [TieBreak.DIRECT])
    assert [six[number].rank for number in ROUND_ROBIN] == [1, 2, 2, 6, 5, 4]


def test_sonneborn_berger_of_a_published_round_robin() -> None:
    """Exercise 14."""
    rows = table(ROUND_ROBIN, 5, [TieBreak.SONNEBORN_BERGER])
    found = [rows[number].sonneborn_berger for number in ROUND_ROBIN]
    assert found == [9.25, 6.25, 6.25, 4.25, 3.25, 2.25]

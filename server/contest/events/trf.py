"""An event in FIDE's format for reports (TRF): as of 2026, and as of 2016, which has less.

A result there is a win, a draw or a loss, and a round of several games has more: a record 250,
meant for acceleration, has what a player's score is ahead of that or behind it before each round,
so that the scores, floats and top scorers are those of the event. Numbers have four columns there;
where those of an event need more, all are divided by one number. Divided by more than 5, scores
half a point apart may be paired as equal: when a player has 500 points, or has won 50 games fewer
than it had in the rounds that it won, which takes 100 games a player.

Read are the numbers and names of players, who met whom with which result, byes and forfeits, the
name of the event, its rounds and tie-breaks, and whether it was accelerated.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Final, NamedTuple

from mancala.protocol.text import whole_number

from ...config.events import TieBreak
from ...model.game import Forfeit, RatedGame, Round

UNPLAYED: Final = {"bye": "U", "half": "H", "away": "Z"}
TIE_BREAKS: Final = {
    "DE": TieBreak.DIRECT,
    "BH": TieBreak.BUCHHOLZ,
    "BH/C1": TieBreak.BUCHHOLZ_1,
    "SB": TieBreak.SONNEBORN_BERGER,
    "PS": TieBreak.PROGRESSIVE,
}
"""FIDE's names of tie-breaks (C.07); wins as counted here and seeds ahead have none."""
POINTS: Final = {**dict.fromkeys("1W+UF", 1.0), **dict.fromkeys("=DH", 0.5)}
"""What a result is worth; others are worth nothing."""
PLAYED: Final = {"1": "0", "0": "1", "=": "=", "+": "-", "-": "+-"}
"""What the opponent's result is, by a result against an opponent; two may be absent."""
WITHOUT_OPPONENT: Final = {"-": "Z", "+": "U", "F": "U"}
"""What a result without an opponent is read as, beside a bye's own."""
SAME: Final = {"W": "1", "D": "=", "L": "0"}
"""Results that were not rated, as they are read."""
HIGHEST, LOWEST = 99.9, -9.9
"""What four columns take."""
FIRST_ROUND, ROUND_WIDTH = 89, 10
"""Where a player's first round begins, and how long each is."""


class SwissEvent(NamedTuple):
    """What a report begins with.

    Attributes:
        players: all players by their pairing numbers, the strongest first.
        ranks: the rank of each player; by default, its pairing number.
    """

    players: Sequence[str]
    rounds: int
    games: int
    heading: Sequence[str] = ("012 event", "092 Individual: Swiss-System")
    ranks: Mapping[str, int] = {}


class PastRound(NamedTuple):
    """A round that was played: who met, the games of each encounter, and who had half a point."""

    paired: Round
    games: tuple[tuple[RatedGame, ...], ...]
    halves: frozenset[str]


def report(
    event: SwissEvent,
    past: Sequence[PastRound],
    scores: Sequence[Mapping[str, float]],
    apart: Iterable[frozenset[str]] = (),
) -> str:
    """Return the event so far as TRF; the arguments are those of :func:`.swiss.swiss_round`."""
    numbers = {name: number for number, name in enumerate(event.players, start=1)}
    entries = [_entries(each, numbers, event.games) for each in past]
    unit = 1
    while True:
        found = _Scores(event, entries, scores, unit)
        if found.fits or unit > event.games * event.rounds:
            break
        unit += 1
    win, draw = found.worth["1"], found.worth["="]
    lines = [
        *(*event.heading, f"062 {len(numbers)}", f"142 {event.rounds}"),
        *(f"152 {_initial(past, numbers)}", f"162  W{win:4.1f}    D{draw:4.1f}    L 0.0"),
    ]
    for name, number in numbers.items():
        own = "".join(f"  {each[name]}" for each in entries)
        points = found.points[name]
        player = f"{number:4}      {name[:33]:33} {'':32}"
        lines.append(f"001 {player}{points:4.1f} {event.ranks.get(name, number):4}{own}")
    lines += found.ahead()
    for pair in sorted(sorted(numbers[name] for name in each) for each in apart):
        one, two = pair
        lines.append(f"260 {len(scores):3} {len(scores):3} {one:4} {two:4}")
    return "\n".join((*lines, ""))


def as_of_2016(text: str) -> str:
    """Return a report in the format of 2016, which has no acceleration and no scores of its own."""
    lines = [line for line in text.splitlines() if line[:3] not in TRF_2026]
    return "\n".join((*(_as_of_2016(line) for line in lines), ""))


TRF_2026: Final = frozenset({"162", "192", "212", "250", "260"})
"""The records that the format of 2016 lacks, but for the rounds and the initial colour."""


def _as_of_2016(line: str) -> str:
    match line[:4]:
        case "142 ":
            return f"XXR {line[4:]}"
        case "152 ":
            return f"XXC {'white1' if line[4] == 'W' else 'black1'}"
        case _:
            return line


class _Scores:
    """The points of a report, and what the scores before each round are ahead of them."""

    def __init__(
        self,
        event: SwissEvent,
        entries: Sequence[Mapping[str, str]],
        scores: Sequence[Mapping[str, float]],
        unit: int,
    ) -> None:
        win, draw = round(event.games / unit, 1), round(event.games / 2 / unit, 1)
        self.worth = {"1": win, "+": win, "U": win, "=": draw, "H": draw}
        self.points = dict.fromkeys(event.players, 0.0)
        self.rows: list[dict[str, float]] = []
        for at, score in enumerate(scores):
            self.rows.append(
                {
                    name: round(round(score.get(name, 0.0) / unit, 1) - points, 1)
                    for name, points in self.points.items()
                }
            )
            for name in self.points if at < len(entries) else ():
                self.points[name] += self.worth.get(entries[at][name][-1], 0.0)

    @property
    def fits(self) -> bool:
        """Whether each number has at most four columns."""
        ahead = [value for row in self.rows for value in row.values()]
        highest = max((*ahead, *self.points.values(), *self.worth.values()), default=0.0)
        return highest <= HIGHEST and min(ahead, default=0.0) >= LOWEST

    def ahead(self) -> Iterator[str]:
        """Yield the records 250: a value of players in a row in rounds from one to another."""
        for number, row in enumerate(self.rows, start=1):
            first = 1
            for value, group in groupby(row.values()):
                last = first + len([*group]) - 1
                if value:
                    yield f"250      {value:4.1f} {number:3} {number:3} {first:4} {last:4}"
                first = last + 1


def _initial(past: Sequence[PastRound], numbers: Mapping[str, int]) -> str:
    """Return the initial colour: that of the best player who was paired in the first round.

    Numbers count those who are there alone, as gacrux 1.11 and bbpPairings 6 do; so its is odd.
    """
    pairs = past[0].paired.encounters if past else ()
    best = min(pairs, key=lambda pair: min(numbers[name] for name in pair), default=None)
    return "B" if best is not None and numbers[best[0]] > numbers[best[1]] else "W"


def _entries(past: PastRound, numbers: Mapping[str, int], games: int) -> dict[str, str]:
    found = dict.fromkeys(numbers, f"0000 - {UNPLAYED['away']}")
    found |= dict.fromkeys(past.halves, f"0000 - {UNPLAYED['half']}")
    found |= dict.fromkeys(past.paired.byes, f"0000 - {UNPLAYED['bye']}")
    for pair, played in zip(past.paired.encounters, past.games, strict=True):
        is_forfeit = all(isinstance(game, Forfeit) for game in played)
        points = [sum(game.points(game.players.index(name)) for game in played) for name in pair]
        for at, name in enumerate(pair):
            own, others, opponent = points[at], points[1 - at], numbers[pair[1 - at]]
            result = "1" if own > others else "=" if own == others else "0"
            if is_forfeit:
                result = "+" if own == games else "-"
            found[name] = f"{opponent:4} {'wb'[at]} {result}"
    return found


class ReportedRound(NamedTuple):
    """What a round was to a player: the opponent's number, 0 for none, the colour, the result."""

    opponent: int
    colour: str
    result: str


NOT_PLAYED: Final = ReportedRound(0, "-", "Z")


class ReportedPlayer(NamedTuple):
    """A player of a report, with an entry for each round."""

    number: int
    name: str
    entries: tuple[ReportedRound, ...]

    def entry(self, number: int) -> ReportedRound:
        """Return what a round was to it; one that the report lacks was not played."""
        return self.entries[number - 1] if number <= len(self.entries) else NOT_PLAYED

    def has_bye(self, number: int) -> bool:
        """Return whether it had a bye in a round that it had not asked for."""
        return self.entry(number).result == "U"

    def points(self, rounds: int) -> float:
        """Return the points of the first rounds."""
        return sum(POINTS.get(each.result, 0.0) for each in self.entries[:rounds])


class ReportedEvent(NamedTuple):
    """A report that was read.

    Attributes:
        players: in order of their pairing numbers.
        date: the day it began, as ``2026-12-01``; None where the report has none.
    """

    name: str
    date: str | None
    players: tuple[ReportedPlayer, ...]
    rounds: int
    played: int
    is_swiss: bool
    is_accelerated: bool
    tie_breaks: tuple[TieBreak, ...]


def read_report(text: str) -> ReportedEvent:
    """Return what a report says, of 2016 or 2026; ValueError names the record that is wrong."""
    records: dict[str, list[str]] = {}
    for line in text.splitlines():
        records.setdefault(line[:3], []).append(line)
    if "013" in records or "310" in records:
        raise ValueError("record 013: events of teams are not read")
    players = [_read_player(line) for line in records.get("001", ())]
    if len(players) < 2:  # two players
        raise ValueError("record 001: it has fewer than two players")
    for line in records.get("162", ()):
        _check_points(line)
    by_number = {each.number: each for each in players}
    if len(by_number) < len(players):
        raise ValueError("record 001: two players have one number")
    for each in players:
        _check_opponents(each, by_number)
    entries = [(at, it) for each in players for at, it in enumerate(each.entries, start=1)]
    played = max((at for at, it in entries if it.opponent or it.result == "U"), default=0)
    if not played:
        raise ValueError("record 001: no round was played")
    stated = _text(records, "142") or _text(records, "XXR")
    rounds = _number(stated or "0", "record 142: rounds are")
    day = re.match(r"([0-9]{4})[-/.]([0-9]{2})[-/.]([0-9]{2})$", _text(records, "042"))
    words = (_text(records, "212") or _text(records, "202")).replace(",", " ").split()
    return ReportedEvent(
        name=_text(records, "012"),
        date="-".join(day.groups()) if day else None,
        players=tuple(by_number[number] for number in sorted(by_number)),
        rounds=max(played, rounds),
        played=played,
        is_swiss=not re.search(r"(?i)robin|berger", _text(records, "092")),
        is_accelerated="250" in records or "XXA" in records,
        tie_breaks=tuple(dict.fromkeys(TIE_BREAKS[it] for it in words if it in TIE_BREAKS)),
    )


def _text(records: Mapping[str, Sequence[str]], key: str) -> str:
    return next(iter(records.get(key, ())), "")[4:].strip()


def _number(text: str, what: str) -> int:
    try:
        return whole_number(text.strip())
    except ValueError:
        raise ValueError(f"{what} a number, not {text.strip()!r}") from None


def _read_player(line: str) -> ReportedPlayer:
    number = _number(line[4:8], "record 001: a player's number is")
    rounds = line.rstrip()[FIRST_ROUND:]
    parts = [rounds[at : at + ROUND_WIDTH] for at in range(0, len(rounds), ROUND_WIDTH)]
    entries = tuple(_read_entry(part, number, at) for at, part in enumerate(parts, start=1))
    found = ReportedPlayer(number, line[14:47].strip(), entries)
    stated = line[80:84].strip().replace(",", ".")
    points = found.points(len(entries))
    if stated not in {"", f"{points:.1f}", f"{points:g}"}:
        raise ValueError(f"record 001: player {number} has {stated}, and {points:g} by its rounds")
    return found


def _read_entry(part: str, number: int, at: int) -> ReportedRound:
    opponent, colour = part[2:6].strip(), part[7:8].strip().lower() or "-"
    result = part[9:10].strip().upper() or "Z"
    result = SAME.get(result, result)
    if not opponent.strip("0"):
        if result in {*UNPLAYED.values(), *WITHOUT_OPPONENT}:
            return ReportedRound(0, "-", WITHOUT_OPPONENT.get(result, result))
    elif result in PLAYED:
        who = _number(opponent, f"record 001: player {number}, round {at}: the opponent is")
        return ReportedRound(who, colour, result)
    raise ValueError(f"record 001: player {number}, round {at}: {part.strip()!r} is not read")


def _check_points(line: str) -> None:
    for letter, value in re.findall(r"([A-Z])\s*([0-9]+(?:[.,][0-9]+)?)", line[4:]):
        usual = {"W": 1.0, "D": 0.5, "L": 0.0, "P": 1.0}.get(letter)
        if usual is not None and float(value.replace(",", ".")) != usual:
            raise ValueError(f"record 162: {letter} is worth {value}, where {usual:g} is read")


def _check_opponents(player: ReportedPlayer, by_number: Mapping[int, ReportedPlayer]) -> None:
    for at, each in enumerate(player.entries):
        if not each.opponent:
            continue
        other = by_number.get(each.opponent)
        theirs = NOT_PLAYED if other is None else other.entry(at + 1)
        if (
            theirs.opponent != player.number
            or theirs.result not in PLAYED[each.result]
            or (each.result in "10=" and {each.colour, theirs.colour} != {"w", "b"})
        ):
            pair = f"players {player.number} and {each.opponent}"
            raise ValueError(f"record 001: {pair} contradict each other in round {at + 1}")

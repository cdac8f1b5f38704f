"""Events as FIDE's report or as a table of boards, and events from reports."""

import csv
import io
import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import chain, count
from math import ceil
from typing import Final

from msgspec.structs import asdict

from mancala.protocol import codec
from mancala.protocol.messages import Reason
from mancala.protocol.text import written_text

from ...config.events import EventSettings, Format, TieBreak
from ...model.contests import EntrantRow, EventArchive, EventGameRow, PairingRow
from ..events.lifecycle import EventState
from ..events.pairings import Regulations
from ..events.plan import reported, usual_tie_breaks
from ..events.trf import (
    TIE_BREAKS,
    ReportedEvent,
    ReportedPlayer,
    SwissEvent,
    as_of_2016,
    read_report,
    report,
)
from .state import ABSENT, ARBITER, ContestState, result_of, tie_breaks_of
from .views import REPORT, EventEncounter, EventGame, EventView

TYPES: Final = {
    Format.SWISS: "Individual: Swiss-System",
    Format.ROUND_ROBIN: "Individual: Round-Robin",
    Format.DOUBLE_ROUND_ROBIN: "Individual: Double Round-Robin",
}
"""The formats that a report can have, and what it calls them."""
COLUMNS: Final = (
    *("round", "board", "first", "second", "first_points", "second_points", "result"),
    "by_hand",
)
LONGEST_NAME: Final = 48
UNNAMED: Final = "event"


class ReportError(ValueError):
    """An event has no report; the message says why."""


def trf_of(settings: EventSettings, state: ContestState, *, of_2016: bool = False) -> str:
    """Return an event as FIDE's report, with the rounds that are over, or raise `ReportError`."""
    terms = state.terms()
    if terms.format not in TYPES:
        raise ReportError(f"a report has Swiss events and round robins, not {settings.format}")
    over = state.rounds[:-1] if state.missing else state.rounds
    past, scores = reported(terms, [each.round for each in over], state.results, state.annulled)
    is_swiss = terms.format is Format.SWISS
    codes = {it: code for code, it in TIE_BREAKS.items()}
    order = ["PTS", *(codes[it] for it in tie_breaks_of(settings) if it in codes)]
    heading = [f"012 {settings.name}", f"092 {TYPES[terms.format]}"]
    if settings.starts is not None:
        heading.append(f"042 {settings.starts[:10].replace('-', '/')}")
    if is_swiss:
        heading.append(f"192 FIDE_DUTCH{'_BAKU' if terms.accelerated else ''}")
    event = SwissEvent(
        players=terms.players,
        rounds=max(state.all_rounds, len(over)),
        games=terms.games,
        heading=[*heading, f"212 {','.join(order)}"],
        ranks={row.name: row.rank for row in state.standings(settings, frozen=0)},
    )
    text = report(event, past, scores)
    return as_of_2016(text) if of_2016 else text


def csv_of(event: EventView) -> str:
    """Return all boards of an event as CSV: a line for each, and for who has none in a round."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(COLUMNS)
    for each in event.rounds:
        for board, met in enumerate(each.encounters, start=1):
            games = [it for it in met.games if it.reason != Reason.ABORTED.value]
            how = "hidden" if each.hidden else _how(event, games)
            two = met.first, met.second
            points = _points(two, [it for it in games if not it.annulled])
            table.writerow((each.number, board, *two, *points, how, _by_hand(met)))
        resting = {"bye": each.byes, "half-point bye": each.half_byes, "left out": each.left_out}
        for why, names in resting.items():
            table.writerows((each.number, "", name, "", "", "", why, "") for name in names)
    return text.getvalue()


def _points(names: Sequence[str], games: Sequence[EventGame]) -> Sequence[str]:
    if not games:
        return "", ""
    results = [result_of(EventGameRow(**asdict(it))) for it in games]
    if any({*it.players} != {*names} for it in results):
        raise ValueError(f"a game of {' and '.join(names)} has other players")
    points = (sum(it.points(it.players.index(name)) for it in results) for name in names)
    return [f"{each:g}" for each in points]


def _how(event: EventView, games: Sequence[EventGame]) -> str:
    if games and all(it.annulled for it in games):
        return "annulled"
    if games and all(it.reason == ABSENT for it in games):
        return "absent"
    return "played" if len(games) == event.games else "to be played"


def _by_hand(met: EventEncounter) -> str:
    said = ["paired"] if met.by_hand else []
    said += dict.fromkeys(f"result: {it.note}" for it in met.games if it.reason == ARBITER)
    return "; ".join(said)


def text_of(document: bytes) -> str:
    """Return a report as text, as of all files that people write; older ones are in Latin-1."""
    try:
        return written_text(document)
    except ValueError:
        return document.decode("latin-1")


def archive_of_report(text: str) -> EventArchive:
    """Return the event of a report as one that is over, without records of its games.

    Its players have names as bots have: letters without accents, digits and ``_.-``.

    Raises:
        ValueError: when it is no report, or one of what an event here can't be.
    """
    found = read_report(text)
    names = _names(found.players)
    format_ = Format.SWISS if found.is_swiss else Format.ROUND_ROBIN
    results = {it.result for each in found.players for it in each.entries}
    if not found.is_swiss and results & {"H", "U"}:
        raise ValueError("record 001: a round robin has no byes with points")
    pairings, games = list[PairingRow](), list[EventGameRow]()
    for number in range(1, found.played + 1):
        boards = [*_boards_of(found, number, names, len(games))]
        games += boards
        pairs: list[tuple[str, str | None]] = [(row.first, row.second) for row in boards]
        pairs += [(names[each.number], None) for each in found.players if each.has_bye(number)]
        pairings += [PairingRow(number, place, *pair, "") for place, pair in enumerate(pairs)]
    lap = len(names) - 1 + len(names) % 2
    rounds = found.rounds if found.is_swiss else ceil(found.rounds / lap)
    rules = Regulations(format_, 1, rounds, accelerated=found.is_accelerated, pairing="fide")
    settings = EventSettings(
        name=_name(found.name) or UNNAMED,
        format=format_,
        entrants=tuple(names.values()),
        rounds=rounds,
        games=1,
        accelerated=found.is_accelerated,
        tie_breaks=found.tie_breaks or _usual(format_),
        starts=found.date and f"{found.date}T00:00:00Z",
    )
    return EventArchive(
        event_archive=1,
        server=REPORT,
        settings=codec.from_json(codec.to_json(settings), dict[str, object]),
        state=EventState.FINISHED,
        round=found.played,
        regulations=codec.from_json(codec.to_json(rules), dict[str, object]),
        entrants=tuple(_entrant(each, names[each.number]) for each in found.players),
        pairings=tuple(pairings),
        games=tuple(games),
        log=(),
        records=(),
    )


def _usual(format_: Format) -> tuple[TieBreak, ...]:
    """Return the usual tie-breaks but for seeds, of which a report has none."""
    return tuple(it for it in usual_tie_breaks(format_) if it is not TieBreak.MARGIN)


def _boards_of(
    found: ReportedEvent, number: int, names: dict[int, str], first: int
) -> Iterator[EventGameRow]:
    """Yield the games of a round in order of boards: by the best points, then by those of both."""
    points = {each.number: each.points(number - 1) for each in found.players}
    at = {each.number: each.entry(number) for each in found.players}
    pairs = [(one, it.opponent) for one, it in at.items() if it.opponent > one]
    for one, two in sorted(pairs, key=lambda it: (*sorted(-points[each] for each in it), it[0])):
        white, black = (two, one) if at[one].colour == "b" else (one, two)
        wins = [seat for seat, it in enumerate((white, black)) if at[it].result in {"1", "+"}]
        reason = Reason.NORMAL.value if at[one].result in "10=" else ABSENT
        seats = names[white], names[black]
        winner = wins[0] if wins else None
        yield EventGameRow(first, *seats, winner, 0, reason, None, 0)
        first += 1


def _entrant(player: ReportedPlayer, name: str) -> EntrantRow:
    rounds = [each.result for each in player.entries]
    last = max((at for at, it in enumerate(rounds, start=1) if it != "Z"), default=0)
    byes = ",".join(str(at) for at, it in enumerate(rounds, start=1) if it == "H")
    return EntrantRow(name, 1, last if 0 < last < len(rounds) else None, 0, byes=byes)


def _names(players: Sequence[ReportedPlayer]) -> dict[int, str]:
    """Return a name of its own for each player, by its number."""
    found: dict[int, str] = {}
    taken = set[str]()
    for each in players:
        name = own = _name(each.name) or f"player-{each.number}"
        others = chain((each.number,), count(1))
        while name.lower() in taken:
            name = f"{own[: LONGEST_NAME - 5]}-{next(others)}"
        taken.add(name.lower())
        found[each.number] = name
    return found


def _name(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", plain).strip("-_.")[:LONGEST_NAME]

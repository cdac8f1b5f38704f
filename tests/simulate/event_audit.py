"""An event as the store and the broker have it at the end of a run, compared with a recount."""

import sqlite3
import sys
from collections import defaultdict
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from mancala.protocol import codec
from mancala.protocol.results import (
    EventGameResult,
    EventRoundPaired,
    EventStatus,
    EventTable,
    Topics,
)
from mancala.server.config.events import EventSettings, Format
from mancala.server.contest.events.lifecycle import EventState
from mancala.server.contest.events.pairings import pair
from mancala.server.contest.events.terms import BRACKETS
from mancala.server.contest.live.state import ARBITER, ContestState, restored
from mancala.server.model.contests import EntrantRow, EventGameRow, KeptEvent, PairingRow
from mancala.server.model.game import Encounter, Round
from mancala.server.model.timestamps import seconds_between
from tests.simulate.broker import SimulatedBroker
from tests.simulate.hand_watch import SHOWN
from tests.simulate.promises import Promise, broken
from tests.simulate.reading import Stored, StoredGame

ABORTED: Final = "aborted"
NOT_PLAYED: Final = frozenset({"absent", "lot"})
ENDED: Final = frozenset({EventState.FINISHED, EventState.PUBLISHED})
EVENT: Final = "select state, round, resumes, regulations from events where name = ?"
ENTRANTS: Final = """
select name, joins, leaves, absences, checked_in, owner, byes, meets from event_entrants
where event = ? order by place
"""
PAIRINGS: Final = """
select round, place, first, second, inputs from event_pairings
where event = ? order by round, place
"""
GAMES: Final = """
select number, first, second, winner, margin, reason, game, voids, annulled, note from event_games
where event = ? order by number
"""


REVEALED: Final = "select count(*) from event_log where event = ? and step = 'reveal'"


def read_event(path: Path, event: str) -> KeptEvent | None:
    """Return an event as the database has it; None before its first step."""
    with closing(sqlite3.connect(path)) as connection:
        row = connection.execute(EVENT, (event,)).fetchone()
        if row is None:
            return None
        state, played, resumes, regulations = row
        (revealed,) = connection.execute(REVEALED, (event,)).fetchone()
        return KeptEvent(
            *(state, played, resumes, regulations),
            tuple(EntrantRow(*each) for each in connection.execute(ENTRANTS, (event,))),
            tuple(PairingRow(*each) for each in connection.execute(PAIRINGS, (event,))),
            tuple(EventGameRow(*each) for each in connection.execute(GAMES, (event,))),
            revealed=revealed,
        )


@dataclass(frozen=True, slots=True)
class EventAudit:
    """An event at the end of a run.

    Attributes:
        former: names that bots have lost to another one; an event keeps those that played.
        others: names of other events that the store has.
    """

    settings: EventSettings
    kept: KeptEvent
    stored: Stored
    broker: SimulatedBroker
    topics: Topics
    former: frozenset[str] = frozenset()
    others: frozenset[str] = frozenset()

    def check(self) -> None:
        state = restored(self.kept, self.settings)
        self._check_names()
        self._check_apart()
        self._check_admitted()
        self._check_byes()
        self._check_games(state)
        self._check_pairings(state)
        self._check_published()
        self._check_table(state)
        self._check_continued()

    def _check_names(self) -> None:
        """Check that no one is paired twice in a round, nor again with one it met before.

        A Swiss round has no rematch while half of the others are left to each: then there is a
        pairing without one (Dirac 1952).
        """
        met: set[frozenset[str]] = set()
        for number, group in groupby(self.kept.pairings, key=lambda row: row.round):
            rows = [*group]
            pairs = [frozenset((row.first, row.second)) for row in rows if row.second is not None]
            names = [name for row in rows for name in (row.first, row.second) if name is not None]
            if len(set(names)) < len(names):
                broken(Promise.PAIRED_ONCE, f"round {number}: {names}")
            ordered = {*pairs} & self._ordered(number)
            again = met & ({*pairs} - ordered)
            left = len(names) - 2 * len(ordered)
            is_swiss = self.settings.format == "swiss" and 2 * number < left
            if again and (is_swiss or self.settings.format == "rr"):
                broken(Promise.PAIRED_ONCE, f"met again in round {number}: {again}")
            met.update(pairs)

    def _check_apart(self) -> None:
        """Check that bots that are to be kept apart did not meet, where enough others were there.

        In round 1 three are enough; later there is a pairing without rematches while half of those
        who are there are left to each (Dirac 1952).
        """
        apart = [*map(frozenset, self.settings.apart)]
        for number, group in groupby(self.kept.pairings, key=lambda row: row.round):
            rows = [*group]
            count = sum(1 + (row.second is not None) for row in rows)
            pairs = {frozenset((row.first, row.second)) for row in rows if row.second is not None}
            ordered = pairs & self._ordered(number)
            met, count = pairs - ordered, count - 2 * len(ordered)
            enough = 3 if number == 1 else 2 * (number + 1)
            if count >= enough and {*apart} & met:
                broken(Promise.APART, f"{apart} in round {number}: {met}")

    def _ordered(self, number: int) -> set[frozenset[str]]:
        entrants, by_order = self.kept.entrants, set[frozenset[str]]()
        for each in entrants:
            at = dict(it.split(":", 1) for it in each.meets.split(",") if it)
            if str(number) in at:
                by_order.add(frozenset((each.name, at[str(number)])))
        return by_order

    def _check_admitted(self) -> None:
        """Check that those who entered by themselves are of the team, and had rated games."""
        wanted = self.settings
        needs_games = wanted.min_games is not None or wanted.min_rating is not None
        for name in (each.name for each in self.kept.entrants if each.owner):
            if wanted.team and name not in {*wanted.team, *self.former}:
                broken(Promise.ADMITTED, f"{name} is not in {wanted.team}")
            rated = (
                game
                for game in self.stored.games
                if game.rated and game.lasting == wanted.rating_in
            )
            if needs_games and not any({name, *self.former} & {*game.names} for game in rated):
                broken(Promise.ADMITTED, f"{name} has no rated game")

    def _check_byes(self) -> None:
        """Check that no one with a bye by order is paired, unless all entrants have one."""
        excused = {each.name: _byes(each) for each in self.kept.entrants}
        for number, group in groupby(self.kept.pairings, key=lambda row: row.round):
            names = {name for row in group for name in (row.first, row.second) if name is not None}
            resting = {name for name in names if number in excused[name]}
            if resting and resting != names:
                broken(Promise.EXCUSED, f"round {number}: {resting} of {names}")

    def _check_games(self, state: ContestState) -> None:
        games = {game.game: game for game in (*self.stored.games, *self.stored.hidden)}
        for row in self.kept.games:
            if row.reason in {*NOT_PLAYED, ARBITER} or (row.reason == ABORTED and row.game is None):
                continue
            game = games.get(row.game or "")
            if game is None or game.reason.value != row.reason or not self._is_by(row, game):
                broken(Promise.EACH_GAME, f"{row} against {game}")
            if row.reason != ABORTED and game.winner != row.winner:
                broken(Promise.EACH_GAME, f"{row} against {game}")
        is_over = EventState(self.kept.state) in ENDED
        encounters = sum(
            row.second is not None and (is_over or row.round < self.kept.round)
            for row in self.kept.pairings
        )
        due = set(range(encounters * self.settings.games))
        if lost := due - state.results.keys():
            broken(Promise.EACH_GAME, f"without a result: {sorted(lost)} of {encounters}")

    def _is_by(self, row: EventGameRow, game: StoredGame) -> bool:
        """Return whether a game was played by those of a row, who may have other names since."""
        names = zip((row.first, row.second), game.names, strict=True)
        return all(played in {name, *self.former} for played, name in names)

    def _check_pairings(self, state: ContestState) -> None:
        for paired in state.rounds:
            entrants = tuple(each for each in state.entrants if each.joins <= paired.number)
            terms = replace(state, entrants=entrants).terms()
            due = paired.first * self.settings.games
            before = {number: game for number, game in state.results.items() if number < due}
            again = pair(terms, before, paired.number)
            if again is None or again.round != paired.round:
                broken(Promise.PAIRED_ONCE, f"{paired} is {again} from its results")

    # What was published

    def _payloads(self, topic: str) -> list[str]:
        return [*dict.fromkeys(text for name, text in self.broker.received if name == topic)]

    def _check_published(self) -> None:
        name = self.settings.name
        status = codec.from_json(self.broker.retained[self.topics.event_status(name)], EventStatus)
        if (status.state, status.round) != (self.kept.state, self.kept.round):
            broken(Promise.PUBLISHED, f"{status} against {self.kept.state} {self.kept.round}")
        rounds = [
            codec.from_json(text, EventRoundPaired)
            for text in self._payloads(self.topics.event_rounds(name))
        ]
        games = [
            codec.from_json(text, EventGameResult)
            for text in self._payloads(self.topics.event_games(name))
        ]
        self._check_time(rounds)
        self._check_rests(rounds, games)
        told = {
            each.round: Round(tuple(Encounter(*pair) for pair in each.encounters), each.byes)
            for each in rounds
        }
        kept = {each.number: each.round for each in restored(self.kept, self.settings).rounds}
        if told != kept or len(rounds) != len(kept):
            broken(Promise.PUBLISHED, f"rounds {told} against {kept}")
        last: dict[int, tuple[Any, ...]] = {}
        for game in games:
            facts = *game.names, game.winner, game.margin, game.reason, game.game, game.note or ""
            last[game.number] = facts
        told_of = self._shown_games() if self.settings.hides_results else sys.maxsize
        shown = (row for row in self.kept.games if row.number < told_of)
        wanted = {row.number: (*row[1:7], row.note) for row in shown}
        if last != wanted:
            broken(Promise.PUBLISHED, f"games {last} against {wanted}")

    def _check_time(self, rounds: list[EventRoundPaired]) -> None:
        """Check that waves of an arena were paired in its time; the first one always is."""
        regulations = codec.from_json(self.kept.regulations or "{}", dict[str, Any])
        if (ends := regulations.get("ends")) is None:
            return
        for each in rounds:
            if each.round > 1 and seconds_between(each.at, ends) <= 0:
                broken(Promise.WAVES_END, f"round {each.round} at {each.at}, after {ends}")

    def _check_continued(self) -> None:
        state, series = EventState(self.kept.state), self.settings.series
        if state is EventState.FINISHED and self._frozen:
            return
        is_over = state in {*ENDED, EventState.CANCELLED}
        is_followed = is_over and self.settings.every_days is not None
        due = {f"{series}-{self.settings.edition + 1}"} if is_followed else set[str]()
        if self.others != due:
            broken(Promise.CONTINUED, f"{self.others} against {due}")

    def _check_rests(self, rounds: list[EventRoundPaired], games: list[EventGameResult]) -> None:
        """Check that a round is paired as late after the games of the one before as is set."""
        for each in rounds:
            played = (game for game in games if game.reason != ARBITER)
            before = [game.at for game in played if game.round == each.round - 1]
            before = [at for at in before if seconds_between(at, each.at) >= 0]
            if before and seconds_between(max(before), each.at) < self.settings.interval_s:
                broken(Promise.RESTED, f"round {each.round} at {each.at}, after {max(before)}")

    def _check_table(self, state: ContestState) -> None:
        retained = self.broker.retained.get(self.topics.event_standings(self.settings.name))
        if EventState(self.kept.state) not in ENDED:
            return
        if retained is None:
            broken(Promise.TABLED, "no table was published")
        table = codec.from_json(retained, EventTable)
        again = state.standings(self.settings)
        rows = [(row.name, row.rank, row.points) for row in table.standings]
        if rows != [(row.name, row.rank, row.points) for row in again]:
            broken(Promise.TABLED, f"{rows} against {again}")
        self._recount(table)
        keys = [
            (row.points, *(row.tie_breaks.get(each, 0.0) for each in table.tie_breaks))
            for row in table.standings
        ]
        is_by_points = Format(self.settings.format) not in BRACKETS
        if is_by_points and "direct" not in table.tie_breaks and keys != sorted(keys, reverse=True):
            broken(Promise.TABLED, f"not in order: {table.standings}")

    def _recount(self, table: EventTable) -> None:
        counts: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
        shown, frozen = self._shown_games(), self._frozen
        for row in (each for each in self.kept.games[:shown] if not each.annulled):
            for seat, name in enumerate((row.first, row.second)):
                if row.winner is None:
                    counts[name][2 if row.reason in NOT_PLAYED else 1] += 1
                else:
                    counts[name][0 if row.winner == seat else 2] += 1
        for each in table.standings:
            found = counts[each.name]
            if [each.wins, each.draws, each.losses] != found or each.games != sum(found):
                broken(Promise.TABLED, f"{each}; recounted {found}")
            points = found[0] + 0.5 * found[1] + self._unplayed(each.name)
            if each.points != points and not frozen:
                broken(Promise.TABLED, f"{each}; recounted {points}")

    @property
    def _frozen(self) -> int:
        left = self.settings.freeze_rounds - self.kept.revealed
        return 0 if self.kept.state in SHOWN else max(0, left)

    def _shown_games(self) -> int:
        rounds = codec.from_json(self.kept.regulations or "{}", dict[str, Any]).get("rounds", 0)
        last = (rounds if self.settings.format == "swiss" else self.kept.round) - self._frozen
        its = (row for row in self.kept.pairings if row.second is not None and row.round <= last)
        return self.settings.games * sum(1 for _ in its)

    def _unplayed(self, name: str) -> float:
        """Return an entrant's points of byes, and of Swiss rounds before a late entry."""
        if self.settings.format not in {"swiss", "arena"}:
            return 0.0
        entrant = next(each for each in self.kept.entrants if each.name == name)
        byes = sum(row.first == name and row.second is None for row in self.kept.pairings)
        if self.settings.format == "arena":
            return 0.5 * self.settings.games * byes
        halves = entrant.joins - 1 + len(self._rests(entrant))
        return self.settings.games * (byes + 0.5 * halves)

    def _rests(self, entrant: EntrantRow) -> set[int]:
        """Return the rounds for which an entrant had a half-point bye by order, until it left."""
        last = self.kept.round if entrant.leaves is None else entrant.leaves
        rounds = {row.round for row in self.kept.pairings if row.round <= last}
        own = (row for row in self.kept.pairings if entrant.name in (row.first, row.second))
        return (rounds & _byes(entrant)) - {row.round for row in own}


def _byes(entrant: EntrantRow) -> set[int]:
    """Return the rounds for which an entrant has a half-point bye by order."""
    return set(map(int, filter(None, entrant.byes.split(","))))

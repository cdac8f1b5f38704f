"""The settings of an event: one ``[[event]]`` of the configuration file."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from typing import Literal

import msgspec

from mancala.protocol.clock import TimeControl
from mancala.protocol.messages import Name
from mancala.protocol.rules import Board, InvalidPositionError, Rules
from mancala.server.config.annotations import Count, PositiveCount, Seconds
from mancala.server.config.openings import board_of

EventFormat = Literal["rr", "drr", "gauntlet", "swiss", "knockout", "double-knockout", "match"]
EventTieBreak = Literal[
    "direct", "buchholz-1", "buchholz", "sonneborn-berger", "wins", "progressive", "margin"
]


class EventSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The settings of an event.

    Attributes:
        name: the event's name, which the store keeps: another event needs another name.
        format: ``rr`` (round robin), ``drr`` (two of them), ``gauntlet`` (the first entrant meets
            all others), ``swiss``, ``knockout``, ``double-knockout`` or ``match``.
        entrants: the bots that play, in order of seeding; two or more, for a match two.
        rounds: rounds of a Swiss event, laps of the others; by default, as many as the entrants
            need, or one lap.
        games: games of an encounter; seats are swapped after each, so two favour neither side.
        rules: the rules of its games.
        clock: the time control of its games.
        openings: starting positions, as board literals, each for a pair of games; by default, the
            standard start.
        openings_file: file with further openings, one per line; ``#`` begins a comment. Its path
            is relative to the configuration's folder.
        seed: decides lots.
        replays: how often a tied encounter of a knockout is played again before seeds ahead, and
            then a lot, decide.
        tie_breaks: what decides between equal points, in order; by default ``buchholz``,
            ``sonneborn-berger`` and ``margin`` for a Swiss event, ``sonneborn-berger``, ``wins``
            and ``margin`` for the others.
        starts: when it begins, as ``"2026-12-01T19:00:00+01:00"``; by default, when the organiser
            says ``mancala event start``.
        boards: maximum number of its matches at the same time.
        absent_s: how long an entrant that is away when it is to play is waited for; then it loses
            its games of the round. Two such rounds in a row withdraw it.
    """

    name: Name
    format: EventFormat
    entrants: tuple[Name, ...]
    rounds: PositiveCount | None = None
    games: PositiveCount = 2
    rules: str = "kalah"
    clock: TimeControl = TimeControl(move_ms=1000)
    openings: tuple[str, ...] = ()
    openings_file: str | None = None
    seed: int = 1
    replays: Count = 1
    tie_breaks: tuple[EventTieBreak, ...] = ()
    starts: str | None = None
    boards: PositiveCount = 16
    absent_s: Seconds = 120.0

    @property
    def parsed_rules(self) -> Rules:
        """The rules of its games."""
        return Rules.parse(self.rules)

    @property
    def positions(self) -> tuple[Board, ...]:
        """The starting positions.

        Raises:
            InvalidPositionError: when one is not a playable position of these rules.
        """
        return tuple(board_of(text, self.parsed_rules) for text in self.openings)

    def problem(self) -> str | None:
        """Return the first invalid key and the reason; None when all are valid."""
        return self._problem_of_games() or self._problem_of_entrants() or self._problem_of_times()

    def _problem_of_games(self) -> str | None:
        try:
            _ = self.parsed_rules
        except InvalidPositionError as error:
            return f"rules: {error}"
        try:
            _ = self.positions
        except InvalidPositionError as error:
            return f"openings: {error}"
        return None

    def _problem_of_entrants(self) -> str | None:
        names = Counter(name.lower() for name in self.entrants)
        if twice := [name for name, count in names.items() if count > 1]:
            return f"entrants: named twice: {', '.join(twice)}"
        if len(self.entrants) < 2:
            return f"entrants: an event needs two or more, not {len(self.entrants)}"
        if self.format == "match" and len(self.entrants) > 2:
            return f"entrants: a match has two, not {len(self.entrants)}"
        return None

    def _problem_of_times(self) -> str | None:
        if self.starts is None:
            return None
        try:
            has_zone = datetime.fromisoformat(self.starts).tzinfo is not None
        except ValueError:
            has_zone = False
        example = "2026-12-01T19:00:00+01:00"
        return None if has_zone else f"starts: write it as {example}, not {self.starts!r}"

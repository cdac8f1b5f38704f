"""A finished game: a line of the journal, and the few facts that scores and standings need.

A game of forty moves is some two kilobytes of JSON. The worker that played it writes them; the
process that collects games adds them to the journal as they are, and decodes a line only where its
moves are asked for. So collecting a game costs less than a tenth of the fastest way to play one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from msgspec import Struct

from mancala.protocol import codec
from mancala.protocol.messages import Info, Reason
from mancala.protocol.record import GameRecord
from mancala.protocol.rules import State

from ...model.game import Forfeit, RatedGame


class Remark(Struct, frozen=True):
    """A line that a player's program wrote to stderr while it was asked."""

    ply: int
    player: int
    line: str


class GameLine(Struct, frozen=True, omit_defaults=True):
    """The shape of a line of the journal."""

    number: int
    record: GameRecord
    stderr: tuple[Remark, ...] = ()
    unplayed: Info | None = None


class GameSummary(NamedTuple):
    """What scores and standings need of a game.

    Attributes:
        opening: the position it began from, as text, player 0 first.
        winner: 0, 1, or None for a draw.
        margin: player 0's store less player 1's at the end, in seeds.
        spared: the player that would have lost, if the game is void since a service failed that it
            asks.
    """

    players: tuple[str, str]
    opening: str
    winner: int | None
    margin: int
    reason: Reason | None
    plies: int
    forfeiter: str | None
    spared: str | None = None


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A game as the journal keeps it, as its line and its facts, in which it travels too.

    Thousands of games with all their moves would keep the garbage collector busier than the
    players; so what else a game consists of is decoded where it is asked for.
    """

    number: int
    line: bytes = field(repr=False)
    facts: GameSummary

    @classmethod
    def of(
        cls,
        number: int,
        record: GameRecord,
        stderr: tuple[Remark, ...] = (),
        unplayed: Info | None = None,
    ) -> PlayedGame:
        content = GameLine(number, record, stderr, unplayed)
        return cls(number, codec.to_line(content), _facts_of(content))

    @classmethod
    def from_line(cls, line: bytes) -> PlayedGame:
        content = codec.from_json(line, GameLine)
        return cls(content.number, line, _facts_of(content))

    @property
    def record(self) -> GameRecord:
        return self._decoded().record

    @property
    def rated(self) -> RatedGame:
        """The result, as pairings use it: a void game brings neither player a point."""
        facts = self.facts
        if facts.reason is None:
            raise ValueError(f"game {self.number} has no result")
        if facts.spared is not None:
            spared = facts.players.index(facts.spared)
            return Forfeit(*facts.players, None, 0, facts.opening, spared)
        return RatedGame(*facts.players, facts.winner, facts.margin, facts.opening)

    @property
    def forfeiter(self) -> str | None:
        return self.facts.forfeiter

    @property
    def is_void(self) -> bool:
        """Whether it does not count, since a service failed that a player asks."""
        return self.facts.spared is not None

    @property
    def failed(self) -> str | None:
        """The player that gave no valid answer, whether it lost by that or not; None without."""
        return self.facts.forfeiter or self.facts.spared

    @property
    def evidence(self) -> str:
        """What is known of why it was forfeited or is void; empty if nothing is."""
        result = self.record.result
        evidence = result.evidence if result is not None else None
        if result is None or evidence is None:
            return ""
        if result.reason is Reason.TIMEOUT and evidence.elapsed_ms is not None:
            return f"{evidence.detail} ({evidence.elapsed_ms} ms of {evidence.allowed_ms} ms)"
        if evidence.pit is None or not evidence.legal:
            return evidence.detail
        legal = ", ".join(map(str, evidence.legal))
        return f"{evidence.detail}: it was pit {evidence.pit}; legal: {legal}"

    @property
    def stderr(self) -> tuple[Remark, ...]:
        return self._decoded().stderr

    @property
    def unplayed(self) -> Info | None:
        """What a player reported with an answer that ended the game, and was no move."""
        return self._decoded().unplayed

    def _decoded(self) -> GameLine:
        return codec.from_json(self.line, GameLine)


@lru_cache(maxsize=16)
def _opening_text(state: State) -> str:
    south, north = state.pits
    numbers = (len(south), *state.stores, *south, *north)
    return f"<{','.join(map(str, numbers))}>"


def _facts_of(line: GameLine) -> GameSummary:
    record = line.record
    players = record.players[0].name, record.players[1].name
    opening, plies, result = _opening_text(record.opening), len(record.moves), record.result
    if result is None:
        return GameSummary(players, opening, None, 0, None, plies, None)
    forfeited = result.winner is not None and result.evidence is not None
    forfeiter = players[1 - (result.winner or 0)] if forfeited else None
    margin = result.stores[0] - result.stores[1]
    spared = result.evidence.spared if result.evidence is not None else None
    facts = (players, opening, result.winner, margin, result.reason, plies, forfeiter)
    return GameSummary(*facts, None if spared is None else players[spared])

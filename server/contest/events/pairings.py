"""The rounds of an event as a server keeps them: paired once, with a hash of what they follow from.

A round is a function of the terms, of who takes part, of who is connected when it is paired (in a
Swiss event or an arena) and of the results of the rounds before it.
The hash of these inputs is stored with it: a test can pair rounds again and compare. A server that
was killed re-reads its rounds. A pairing without a player ends by forfeit; when both are absent,
both lose.
"""

import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from msgspec import Struct

from mancala.protocol import codec

from ...config.events import Format
from ...model.contests import numbered
from ...model.game import Forfeit, RatedGame, Round
from .dutch import paired_here
from .entry import Away, Entrants, attendance, players
from .plan import plan, problem_of_size
from .swiss import Asked
from .terms import BY_SCORES, Terms

Results = Mapping[int, RatedGame]


class Regulations(Struct, frozen=True):
    """What decides the pairings of an event, besides its entrants and results; as in `Terms`.

    ``ends`` is when an arena pairs no further wave, RFC 3339 in UTC; None for no such time, and
    before it began. ``pairing`` is ``fast`` for a Swiss event that began when the server paired by
    a simplified system of its own; its further rounds are paired as those of others.
    """

    format: Format
    games: int
    rounds: int
    seed: int = 0
    replays: int = 0
    accelerated: bool = False
    ends: str | None = None
    pairing: str = "fast"
    apart: tuple[tuple[str, ...], ...] = ()

    def terms(self, entrants: Entrants, away: Away = MappingProxyType({})) -> Terms:
        """Return the terms with the entrants as players, and the rounds they are paired for.

        ``away`` has the rounds that entrants of a Swiss event or an arena were left out of.

        Raises:
            ValueError: when these entrants can't play such an event.
        """
        playing = players(entrants)
        is_swiss = self.format is Format.SWISS
        held = attendance(playing, self.rounds, away) if self.format in BY_SCORES else {}
        owned = {it.name: it.owner for it in numbered(playing) if it.owner} if is_swiss else {}
        return Terms(
            self.format,
            tuple(each.name for each in playing),
            self.games,
            self.rounds,
            self.seed,
            accelerated=self.accelerated,
            replays=self.replays,
            attendance=held,
            owners=owned,
            apart=self.apart,
            meetings=tuple(_meetings(playing)) if is_swiss else (),
        )

    def problem_of_size(self, entrants: Entrants) -> str | None:
        """Return why an event of these entrants would have too many games; None if it has not."""
        names = tuple(each.name for each in players(entrants))
        if len(names) < 2:  # a pair
            return None
        values = self.format, names, self.games, self.rounds
        return problem_of_size(Terms(*values, replays=self.replays))


class PairedRound(NamedTuple):
    """A round that was paired; ``inputs`` is a hash of what it follows from, in hexadecimal."""

    number: int
    first: int
    round: Round
    inputs: str

    @property
    def names(self) -> frozenset[str]:
        """Who has an opponent."""
        return frozenset(name for encounter in self.round.encounters for name in encounter)

    def inputs_shown(self, shown: int) -> str:
        """Return ``inputs``; nothing where it follows from more rounds than those that all see.

        Results are few enough to try them all until the hash is the same.
        """
        return self.inputs if self.number <= shown + 1 else ""

    def numbers(self, games: int) -> list[range]:
        last = self.first + len(self.round.encounters)
        return [range(at * games, (at + 1) * games) for at in range(self.first, last)]


def _meetings(entrants: Entrants) -> Iterator[tuple[int, str, str]]:
    """Yield who meets whom by order, with the round; neither may have left before."""
    names = {each.name for each in entrants}
    for each in entrants:
        for number, other in each.meetings.items():
            if other in names:
                yield number, each.name, other


def pair(
    terms: Terms,
    results: Results,
    number: int,
    kept: Sequence[Round] = (),
    asked: Asked = paired_here,
) -> PairedRound | None:
    """Return a round; None when the event has no such round, no player for it, or not yet."""
    rounds = plan(terms, results, kept, asked).rounds
    if number > len(rounds) or not any(rounds[number - 1]):
        return None
    first = sum(len(each.encounters) for each in rounds[: number - 1])
    return PairedRound(number, first, rounds[number - 1], _hash(terms, results, first, number))


def missing(paired: PairedRound, games: int, results: Results) -> dict[int, list[int]]:
    """Return the games of a round that have no result, by the place of their encounter in it."""
    left = enumerate([it for it in its if it not in results] for its in paired.numbers(games))
    return {place: its for place, its in left if its}


def forfeited(seats: tuple[str, str], absent: Collection[str]) -> Forfeit:
    """Return the result of a game that those who are absent lose, one of the seats at least."""
    if all(name in absent for name in seats):
        return Forfeit(*seats, None)
    return Forfeit(*seats, winner=int(seats[0] in absent))


def _hash(terms: Terms, results: Results, first: int, number: int) -> str:
    before = [
        (key, *game.players, game.points(0), game.points(1), game.margin, type(game) is Forfeit)
        for key, game in sorted(results.items())
        if key < first * terms.games
    ]
    return hashlib.sha256(codec.to_json([terms, before, number])).hexdigest()

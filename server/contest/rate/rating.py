"""A player's rating: what its answers lose, its place among the levels, its time and its faults."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from math import sqrt
from statistics import fmean, variance
from typing import Any, Final, NamedTuple

from mancala.protocol.levels import LEVEL_ELO
from mancala.protocol.loss import OPENING, PHASES, Loss, ProvenPosition
from mancala.protocol.messages import Dialogue, Info
from mancala.protocol.tabular import Tabular
from mancala.protocol.text import quantity, shortened

from ..headless.played_game import PlayedGame
from ..headless.score import lateness_of
from .answers import BaselineLoss, PositionAnswer, baselines_of, loss_of
from .gauntlet import OUTAGE, PLAYER, GauntletEnd, Meeting, level_name, points_of, times_in
from .placement import Placement, place_of

DIGITS: Final = 4
LOSS_FIGURES: Final = ("loss", "loss_error", "loss_interval", "loss_share", "best_share")
MOST_DEAREST: Final = 5
MOST_VOID: Final = 0.1
"""The share of void games up to which the others place the player. Beyond it no place is stated:
what kept the levels from answering may have chosen the games that count."""
PATIENCE: Final = 10
"""Answers and games after which a player that gave no valid one is asked no more."""
MOST_DETAIL: Final = 400
"""Characters of a reason."""


class ModelUse(NamedTuple):
    """What a language model was asked in all, and what that cost; None if that is unknown.

    ``tries`` beyond the answers are asked again, and ``cut`` answers ended at the limit of tokens.
    """

    answers: int
    tries: int
    cut: int
    prompt_tokens: int
    answer_tokens: int
    cost: float | None

    @classmethod
    def of(cls, found: Iterable[Dialogue | None]) -> ModelUse | None:
        """Return the sums of dialogues; None without any."""
        asked = [each for each in found if each is not None]
        if not asked:
            return None
        costs = [each.cost for each in asked if each.cost is not None]
        return cls(
            sum(each.tries > 0 for each in asked),
            sum(each.tries for each in asked),
            sum(each.cut for each in asked),
            sum(each.prompt_tokens for each in asked),
            sum(each.answer_tokens for each in asked),
            sum(costs) if len(costs) == len(asked) else None,
        )


class LevelScore(NamedTuple):
    """The games with one level, which is at an Elo of the scale; ``score`` is their mean, 0..1."""

    level: int
    elo: int
    games: int
    wins: int
    draws: int
    losses: int
    score: float


@dataclass(slots=True)
class PlayerRating(Tabular):
    """What is known of a player so far.

    Attributes:
        regret: what its moves in these games lost, by reviews of them, as ``mancala review`` has a
            player's; None without reviews.
    """

    player: str
    seed: int
    margin_ms: int = 0
    proven: int = 0
    asked: list[PositionAnswer] = field(default_factory=list)
    meetings: list[Meeting] = field(default_factory=list)
    ended_by: GauntletEnd | None = None
    reviewed: int = 0
    regret: dict[str, Any] | None = None

    @property
    def steps(self) -> int:
        """How many proofs, answers, games and reviews there are."""
        return self.proven + len(self.asked) + 2 * len(self.meetings) + self.reviewed

    @property
    def answers(self) -> list[PositionAnswer]:
        """The answers that count without those in openings, which are stated apart."""
        return [answer for answer in self._counting if answer.position.phase != OPENING.name]

    @property
    def _counting(self) -> list[PositionAnswer]:
        return [answer for answer in self.asked if not answer.is_outage]

    @property
    def outages(self) -> int:
        """How many positions have no answer since a service failed that the player asks."""
        return len(self.asked) - len(self._counting)

    @property
    def games(self) -> list[PlayedGame]:
        """The games of the gauntlet, in order."""
        return [game for meeting in self.meetings for game in meeting.games]

    @property
    def counted(self) -> list[Meeting]:
        """The pairs that count: those in which no level forfeited a game."""
        return [meeting for meeting in self.meetings if not meeting.void]

    @property
    def void(self) -> dict[str, dict[str, int]]:
        """How often each level forfeited a game, by reason; their pairs are void."""
        found: dict[str, Counter[str]] = {}
        for meeting in sorted(self.meetings, key=lambda meeting: meeting.level):
            if meeting.void:
                found.setdefault(level_name(meeting.level), Counter()).update(meeting.void)
        return {level: dict(sorted(reasons.items())) for level, reasons in found.items()}

    @property
    def no_verdict(self) -> str:
        """Why no place is stated though games were played; empty if one is."""
        if self.silence:
            return self.silence
        void = len(self.meetings) - len(self.counted)
        if void <= MOST_VOID * len(self.meetings):
            return ""
        return (
            f"{void} of {quantity(len(self.meetings), 'pair')} of games are void: no Elo is stated"
        )

    @property
    def silence(self) -> str:
        """Why the player is asked no more, since nothing that it did was valid; else empty."""
        tried = len(self.asked) + len(self.games)
        if tried < PATIENCE or sum(self.faults.values()) < tried:
            return ""
        first = next((answer.detail for answer in self.asked), self.first_forfeit)
        reason = f": {shortened(first, MOST_DETAIL)}" if first else ""
        return f"none of its first {tried} answers was valid, so it was asked no more{reason}"

    @property
    def loss(self) -> Loss | None:
        return loss_of(self.answers)

    @property
    def losses(self) -> dict[str, int]:
        """How many answers lost each number of seeds."""
        counts = Counter(answer.lost for answer in self.answers)
        return {str(seeds): counts[seeds] for seeds in sorted(counts)}

    @property
    def dearest(self) -> list[PositionAnswer]:
        """The answers that lost most, the dearest first; those that lost something."""
        ordered = sorted(self._counting, key=lambda it: (-it.lost, it.position.number))
        return [answer for answer in ordered[:MOST_DEAREST] if answer.lost]

    @property
    def baselines(self) -> dict[str, BaselineLoss]:
        """What choices without thought lose in the same positions, by name; empty without any."""
        return baselines_of(self.answers)

    @property
    def phases(self) -> dict[str, Loss]:
        """What the answers lose by phase of the game, openings among them; those that have any."""
        found = self._by(lambda position: position.phase)
        return {each.name: found[each.name] for each in (OPENING, *PHASES) if each.name in found}

    @property
    def rule_sets(self) -> dict[str, Loss]:
        """What the answers lose under each variant; empty where there is one."""
        found = self._by(lambda position: position.rules)
        return found if len(found) > 1 else {}

    def _by(self, key: Callable[[ProvenPosition], str]) -> dict[str, Loss]:
        names = dict.fromkeys(key(each.position) for each in self._counting)
        each_loss = {
            name: loss_of(each for each in self._counting if key(each.position) == name)
            for name in names
        }
        return {name: loss for name, loss in each_loss.items() if loss is not None}

    @property
    def repeat_error(self) -> float | None:
        """The standard deviation of `Loss.share` over repeats in the same positions, 0..1."""
        asked: dict[tuple[str, str], list[PositionAnswer]] = {}
        for answer in self.answers:
            asked.setdefault((answer.position.rules, answer.position.board), []).append(answer)
        if min(map(len, asked.values()), default=0) < 2:  # no variance of one
            return None
        spread = sum(len(each) * variance(it.lost for it in each) for each in asked.values())
        return sqrt(spread) / sum(it.position.most_loss for it in self.answers)

    @property
    def models(self) -> dict[str, ModelUse]:
        """What a language model used in ``positions`` and for its answers in ``games``."""
        moves = (
            info.dialogue for game in self.games for info in _reported(game) if info is not None
        )
        found = {
            "positions": ModelUse.of(answer.dialogue for answer in self.asked),
            "games": ModelUse.of(moves),
        }
        return {name: use for name, use in found.items() if use is not None}

    @property
    def place(self) -> Placement | None:
        """Its place on the levels' scale; None without games, or where too many are void."""
        if not self.meetings or self.no_verdict:
            return None
        return place_of([meeting.pair for meeting in self.counted])

    @property
    def elo(self) -> float | None:
        """Its Elo above level 1; None where `place` is."""
        return self.place.elo if self.place else None

    @property
    def elo_error(self) -> float | None:
        """Half of the 95 % interval of `elo`."""
        return self.place.elo_error if self.place else None

    @property
    def levels(self) -> list[LevelScore]:
        """The games with each level met, in order."""
        points: dict[int, list[float]] = {}
        for meeting in sorted(self.counted, key=lambda meeting: meeting.level):
            points.setdefault(meeting.level, []).extend(map(points_of, meeting.games))
        return [
            LevelScore(
                level,
                LEVEL_ELO[level - 1],
                games=len(each),
                wins=each.count(1),
                draws=each.count(0.5),
                losses=each.count(0),
                score=fmean(each),
            )
            for level, each in points.items()
        ]

    @property
    def faults(self) -> dict[str, int]:
        """How often an answer or a game was forfeited or has an outage, by reason."""
        found = Counter(
            OUTAGE if it.is_outage else str(it.fault) for it in self.asked if it.fault is not None
        )
        found.update(
            OUTAGE if it.is_void else str(it.facts.reason)
            for it in self.games
            if it.failed == PLAYER
        )
        return dict(sorted(found.items()))

    @property
    def first_forfeit(self) -> str:
        """Why the first game was forfeited by the player; empty if none was, or it is unknown."""
        return next((game.evidence for game in self.games if game.forfeiter == PLAYER), "")

    @property
    def rows(self) -> list[dict[str, Any]]:
        return [each._replace(score=round(each.score, DIGITS))._asdict() for each in self.levels]

    def __str__(self) -> str:
        loss, place = self.loss, self.place
        lost = f", {loss.loss:.2f} seeds lost a move" if loss else ""
        elo = f", Elo {place.elo:+.0f} ± {place.elo_error:.0f}" if place else ""
        return f"{self.player}{lost}{elo}"

    def time(self) -> dict[str, Any]:
        """Return the time used for a move, as JSON values."""
        answered = (answer.elapsed_ms for answer in self.asked if answer.elapsed_ms is not None)
        times = sorted(chain(answered, times_in(self.games)))
        late = lateness_of(self.games, self.margin_ms).get(PLAYER)
        return {
            "moves": len(times),
            "mean_ms": round(fmean(times), 3) if times else None,
            "p99_ms": round(times[int(0.99 * (len(times) - 1))], 3) if times else None,
            "worst_ms": round(times[-1], 3) if times else None,
            "late": late.moves if late is not None else 0,
        }

    def to_dict(self) -> dict[str, Any]:
        """Return what ``mancala rate --json`` prints; ± are halves of 95 % intervals."""
        loss, place, models = self.loss, self.place, self.models
        return {
            "player": self.player,
            "positions": len(self.answers),
            **(_loss_json(loss) if loss else dict.fromkeys(LOSS_FIGURES)),
            "phases": _by_name(self.phases),
            **({"rule_sets": _by_name(self.rule_sets)} if self.rule_sets else {}),
            **({"repeat_error": self.repeat_error} if self.repeat_error is not None else {}),
            **({"regret": self.regret} if self.regret is not None else {}),
            **({"model": {name: it._asdict() for name, it in models.items()}} if models else {}),
            "losses": self.losses,
            "baselines": {
                name: {
                    "loss": round(found.loss, DIGITS),
                    "loss_share": round(found.share, DIGITS),
                    "best_share": round(found.best_share, DIGITS),
                }
                for name, found in self.baselines.items()
            },
            "elo": round(place.elo, 1) if place else None,
            "elo_error": round(place.elo_error, 1) if place else None,
            "games": 2 * len(self.counted),
            "void_games": 2 * (len(self.meetings) - len(self.counted)),
            "void": self.void,
            "no_verdict": self.no_verdict or None,
            "ended_by": self.ended_by,
            "dearest": [
                {
                    "board": each.position.board,
                    "rules": each.position.rules,
                    "pit": each.pit,
                    "loss": each.lost,
                    "best": each.position.best,
                }
                for each in self.dearest
            ],
            "levels": self.rows,
            "time": self.time(),
            "faults": self.faults,
            "outages": self.outages,
            **({"first_forfeit": self.first_forfeit} if self.first_forfeit else {}),
            "seed": self.seed,
        }


def _by_name(losses: dict[str, Loss]) -> dict[str, Any]:
    return {name: {"positions": it.positions, **_loss_json(it)} for name, it in losses.items()}


def _loss_json(loss: Loss) -> dict[str, Any]:
    return {
        "loss": round(loss.loss, DIGITS),
        "loss_error": round(loss.interval.error, DIGITS),
        "loss_interval": [round(end, DIGITS) for end in loss.interval],
        "loss_share": round(loss.share, DIGITS),
        "best_share": round(loss.best_share, DIGITS),
    }


def _reported(game: PlayedGame) -> Iterator[Info | None]:
    """Yield what the player reported with each answer, the last one too if it was no move."""
    record = game.record
    for move in record.moves:
        if record.players[move.player].name == PLAYER:
            yield move.info
    if game.failed == PLAYER:
        yield game.unplayed

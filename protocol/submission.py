"""An event that was played elsewhere, as its author submits it to a server.

The document holds what a page shows: head, table, rounds and, for a test of two engines, where the
test stands. Every text and list is bounded, so that a server can keep it as it came. It is sent in
parts, since a frame is smaller; `parts_of` cuts it and `submission_of` reads it.
"""

from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated, Final

from msgspec import Meta, Struct, to_builtins
from msgspec.structs import replace

from . import codec
from .messages import SUBMISSION_PART, ShortText
from .text import CONTROL, find_control, may_hold_control

SCHEMA: Final = "mancala.submission.v1"
MOST_BYTES: Final = 256 * 1024
"""The longest document."""

PlayerName = Annotated[str, Meta(min_length=1, max_length=128)]
Number = Annotated[int, Meta(ge=0, le=2**53 - 1)]
Share = Annotated[float, Meta(ge=0, le=1)]
Players = Annotated[tuple["SubmittedPlayer", ...], Meta(min_length=2, max_length=1000)]


class SubmissionState(StrEnum):
    """Where a submitted event stands."""

    PLAYING = "playing"
    FINISHED = "finished"
    STOPPED = "stopped"


class SubmittedPart(Struct, frozen=True, omit_defaults=True):
    """A part of a submission."""


class SubmittedPlayer(SubmittedPart, frozen=True):
    """A player of a submitted event.

    Attributes:
        name: its name in the table.
        program: what plays under it, such as its SPEC.
    """

    name: PlayerName
    program: ShortText = ""


class SubmittedGame(SubmittedPart, frozen=True):
    """What came of a game.

    Attributes:
        first: who moved first.
        second: the opponent.
        winner: 0 or 1; None for a draw.
        margin: seeds ahead of the one who moved first.
        reason: how it ended.
    """

    first: PlayerName
    second: PlayerName
    winner: Annotated[int, Meta(ge=0, le=1)] | None
    margin: Annotated[int, Meta(ge=-255, le=255)] = 0
    reason: Annotated[str, Meta(max_length=32)] = "normal"


class SubmittedEncounter(SubmittedPart, frozen=True):
    """Two players that meet in a round.

    Attributes:
        first: who moves first in the first game.
        second: the opponent.
        games: their finished games.
    """

    first: PlayerName
    second: PlayerName
    games: Annotated[tuple[SubmittedGame, ...], Meta(max_length=10_000)] = ()


class SubmittedRound(SubmittedPart, frozen=True):
    """A round.

    Attributes:
        number: its number, from 1.
        byes: who has no opponent.
        encounters: who meets whom.
        unplayed: points that players got without play, once the round is over.
    """

    number: Annotated[int, Meta(ge=1, le=100_000)]
    byes: Annotated[tuple[PlayerName, ...], Meta(max_length=1000)] = ()
    encounters: Annotated[tuple[SubmittedEncounter, ...], Meta(max_length=10_000)] = ()
    unplayed: Annotated[dict[PlayerName, float], Meta(max_length=1000)] = {}


class SubmittedStanding(SubmittedPart, frozen=True):
    """A row of the table; a tie-break that was not computed is None.

    Attributes:
        rank: the place.
        name: the player.
        games: games played.
        points: points, byes included.
        wins: games won.
        draws: games drawn.
        losses: games lost.
        elo: the rating among these players, whose mean is 0.
        elo_error: half of its 95 % interval.
        direct: points against those that are level before this tie-break.
        buchholz: points of all opponents.
        buchholz_1: the same without the round that adds the least.
        sonneborn_berger: points of opponents beaten, half of those drawn with.
        progressive: the sum of the points after each round.
        margin: seeds ahead, over all games.
    """

    rank: Number
    name: PlayerName
    games: Number
    points: float
    wins: Number
    draws: Number
    losses: Number
    elo: float | None = None
    elo_error: float | None = None
    direct: float | None = None
    buchholz: float | None = None
    buchholz_1: float | None = None
    sonneborn_berger: float | None = None
    progressive: float | None = None
    margin: float | None = None


class SequentialTest(SubmittedPart, frozen=True):
    """Where a sequential test of two engines stands; the first player is the one that is tested.

    Attributes:
        elo0: the difference under H0, in Elo.
        elo1: the difference under H1.
        alpha: the probability of accepting H1 where H0 is true.
        beta: the probability of accepting H0 where H1 is true.
        model: what the differences count in: `logistic` or `normalized` Elo.
        llr: the log-likelihood ratio.
        lower: where H0 is accepted.
        upper: where H1 is accepted.
        verdict: the accepted hypothesis; None before there is one.
        pentanomial: pairs of games by the first player's points: 0, ½, 1, 1½ and 2.
        score: the first player's share of the points; None before the first pair.
        elo: the difference found, in Elo; corrected for the test's stop once it has ended.
        elo_error: half of its 95 % interval.
        los: the likelihood that the first player is stronger.
        course: the ratio after some of the pairs, evenly spaced from the first to the last.
    """

    elo0: float
    elo1: float
    alpha: Share
    beta: Share
    model: Annotated[str, Meta(max_length=32)]
    llr: float
    lower: float
    upper: float
    pentanomial: Annotated[tuple[Number, ...], Meta(min_length=5, max_length=5)]
    verdict: Annotated[str, Meta(max_length=8)] | None = None
    score: Share | None = None
    elo: float | None = None
    elo_error: float | None = None
    los: Share | None = None
    course: Annotated[tuple[float, ...], Meta(max_length=512)] = ()


class Submission(SubmittedPart, frozen=True, tag_field="schema", tag=SCHEMA):
    """An event that was played elsewhere.

    Attributes:
        title: what it is.
        format: its format, as events of a server have it.
        state: whether it is being played, finished, or was stopped before its end.
        round: the round that is played, or was played last.
        rules: the rules, as text.
        clock: the limit of a move, in words.
        seed: the seed of all random choices.
        version: the version of the program that played it.
        machine: the machine, in words.
        began_at: when it began, RFC 3339.
        at: when this was written, RFC 3339.
        played: games that were played.
        planned: games of the whole event, if that is known; of a test, at most.
        entrants: who plays, in order of seeding.
        tie_breaks: what decides between equal points, in order.
        standings: the table as it stands.
        rounds: the rounds that were paired; none where they would be too long.
        test: where its sequential test stands, if it is one.
    """

    title: Annotated[str, Meta(min_length=1, max_length=200)]
    format: Annotated[str, Meta(max_length=32)]
    state: SubmissionState
    entrants: Players
    standings: Annotated[tuple[SubmittedStanding, ...], Meta(max_length=1000)]
    round: Number = 0
    rules: ShortText = ""
    clock: ShortText = ""
    seed: int = 0
    version: ShortText = ""
    machine: ShortText = ""
    began_at: Annotated[str, Meta(max_length=40)] = ""
    at: Annotated[str, Meta(max_length=40)] = ""
    played: Number = 0
    planned: Number | None = None
    tie_breaks: Annotated[tuple[Annotated[str, Meta(max_length=32)], ...], Meta(max_length=16)] = ()
    rounds: Annotated[tuple[SubmittedRound, ...], Meta(max_length=10_000)] = ()
    test: SequentialTest | None = None


class SubmissionError(ValueError):
    """A document is no submission; the message says why."""


def document_of(submission: Submission) -> str:
    """Return a submission as JSON, without its rounds where they make it too long.

    Control characters, which no message may hold, become spaces.
    """
    text = codec.to_json(submission)
    if len(text) > MOST_BYTES:
        text = codec.to_json(replace(submission, rounds=()))
    return CONTROL.sub(" ", text.decode())


def parts_of(document: str) -> Iterator[str]:
    for begin in range(0, len(document), SUBMISSION_PART):
        yield document[begin : begin + SUBMISSION_PART]


def submission_of(document: str) -> Submission:
    """Return the submission in a document; SubmissionError when it is none."""
    try:
        found = codec.from_json(document, Submission)
    except ValueError as error:
        raise SubmissionError(str(error)) from None
    if may_hold_control(document.encode()):
        control = find_control(to_builtins(found))
        if control is not None:
            raise SubmissionError(str(control))
    return found

"""What simulated bots say, drawn so that each field of each message varies."""

import random
from typing import Final

from mancala.protocol.clock import TimeControl
from mancala.protocol.messages import (
    SUBMISSION_PART,
    Accept,
    Challenge,
    Decline,
    Dialogue,
    Enter,
    Info,
    Join,
    Leave,
    List,
    Listable,
    Message,
    Move,
    OfferReviews,
    Schedule,
    Seek,
    Submit,
    Turn,
    Unseek,
    Unwatch,
    Watch,
    Withdraw,
)
from mancala.protocol.rules import Capture, Rules
from mancala.protocol.submission import (
    MOST_BYTES,
    Submission,
    SubmissionState,
    SubmittedPlayer,
    document_of,
)
from mancala.server.config.settings import Config, Play
from tests.simulate.faults import LADDER, POLITE_NAME

ASKED: Final = (
    *("kalah:pits=2,seeds=1", "chess", Rules(2, 1), Rules(3, 1, Capture.ALWAYS)),
    Rules(2, 2, relap=True, majority=True),
)
"""Rules that are asked for besides the server's own; one is unknown."""
CODES: Final = ("", "a code")
"""The code of a challenge, by the seat that it asks for."""
RATED: Final = 0.7
REPORTED: Final = 0.1
"""The share of answers with a report about the search."""
FLOOD: Final = 60
"""Messages of a flood."""


def draw_seek(rng: random.Random, config: Config) -> Seek:
    """Draw a seek, of one of a few kinds, so that some of them are matched."""
    rules = rng.choice((None, None, None, config.rules, *ASKED))
    clock = rng.choice((None, None, config.ladder[0].clock))
    opponent = rng.choice((None, None, None, POLITE_NAME))
    is_rated = rng.random() < RATED
    return Seek(rules, clock, rated=is_rated, opponent=opponent, games=rng.choice((2, 2, 3)))


def draw_challenge(rng: random.Random, config: Config) -> Challenge:
    seek, seat = draw_seek(rng, config), rng.choice((0, 1))
    games = rng.choice((1, 2, 2, 6))
    terms = seek.rules, seek.clock, seek.rated, games, seat
    return Challenge(POLITE_NAME, *terms, code=CODES[seat])


def draw_long_challenge(rng: random.Random, play: Play) -> Challenge:
    """Draw a challenge to the longest match, which a house bot refuses at times."""
    turn_s = play.longest_turn_s * rng.choice((0.5, 1.0, 2.0))
    games = play.games * rng.choice((1, 1, 2))
    return Challenge(POLITE_NAME, clock=TimeControl(move_ms=round(1000 * turn_s)), games=games)


def draw_info(rng: random.Random) -> Info | None:
    """Draw a report about a move: mostly none, at times more than is stored."""
    if rng.random() >= REPORTED:
        return None
    comment = "so it goes " * rng.choice((0, 1, 40))
    if rng.random() < RATED:
        depth, nodes = rng.randint(1, 30), rng.randint(1, 1000)
        return Info(depth=depth, value=rng.choice((0.5, -1.0)), nodes=nodes, comment=comment)
    tokens, cost = rng.randint(0, 9), rng.choice((None, 0.1))
    return Info(
        exact=rng.choice((True, False)),
        nps=rng.random(),
        seconds=rng.random(),
        pv=tuple(rng.choices(range(4), k=rng.randint(1, 9))),
        dialogue=Dialogue(
            *(comment, f"{rng.random()}", rng.randint(1, 3), tokens, 2 * tokens, cost),
            cut=tokens % 2,
        ),
    )


def draw_submission(rng: random.Random) -> list[Message]:
    """Draw an event to submit, in parts: at times one that is spoilt, too long, or cut off."""
    players = SubmittedPlayer("ann"), SubmittedPlayer("bob")
    state = rng.choice((*SubmissionState,))
    document = document_of(Submission(f"night {rng.random()}", "rr", state, players, ()))
    name, half = rng.choice(("night-1", "night-2")), len(document) // 2
    whole = [Submit(name, document[:half], more=True), Submit(name, document[half:])]
    long = "x" * SUBMISSION_PART
    others = (
        whole[:1],
        [Submit(name, "{}")],
        [Submit(name, long, more=True) for _ in range(MOST_BYTES // SUBMISSION_PART + 2)],
    )
    return list(whole if rng.random() < RATED else rng.choice(others))


def draw_flood(rng: random.Random, name: str, turn: Turn) -> list[Message]:
    """Draw many messages, all of which a bot may send while it is asked."""
    provisional = Move(turn.game, turn.ply, turn.legal[0], provisional=True)
    messages = (
        *(List(what) for what in Listable),
        *(Schedule(), Schedule(name), Schedule(POLITE_NAME), Schedule("nobody")),
        *(Watch(ladder=LADDER), Watch(game=turn.game), Watch(game="none"), Unwatch()),
        *(Watch(), Unwatch(game=turn.game), Join("none"), Leave("none")),
        *(Seek(games=2), Seek(opponent=name), Unseek(), Challenge(name), Challenge("nobody")),
        *(Accept("none"), Decline("none"), OfferReviews(1), Submit("none", "{}")),
        *(Enter("none"), Enter("other"), Withdraw("none"), Withdraw("other")),
        *(provisional, provisional, provisional),
    )
    return rng.choices(messages, k=FLOOD)

"""How simulated bots behave: well, or as an arena has to live with."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

MOST_BOTS: Final = 8
"""Bots of a world; the last character of a bot's name is its number."""


@dataclass(frozen=True, slots=True)
class BotFaults:
    """How a bot behaves; each probability is for one turn, unless it says otherwise.

    Attributes:
        joins: whether it joins the ladder; else it asks for matches.
        challenges: whether it challenges another bot to its matches.
        hogs: whether it asks for the longest matches when it challenges.
        is_timed: whether the server's kernel knows when its answers arrive.
        has_token: whether its name is reserved, and it has the token.
        reviews: whether it reviews games instead of playing; a turn is then a game to review.
        late: probability of an answer around the flag, before or after.
        belated: of provisional answers around the flag, and no final one.
        half_open: of a loss that the server learns late, given a loss.
        absent: of staying away for longer than the seat is kept, given a loss.
        look: of asking what there is, and watching one of the games.
        pose: of a stranger that asks for the name of a bot with a token.
        updates: for one login, that the bot comes as another version.
        revoked: for one login, that its token is revoked soon, or its name given to another.
    """

    name: str
    think_s: float = 0.3
    delay_s: float = 0.02
    joins: bool = True
    challenges: bool = False
    hogs: bool = False
    watches: bool = False
    is_timed: bool = True
    has_token: bool = False
    reviews: bool = False
    late: float = 0.0
    provisional: float = 0.0
    belated: float = 0.0
    silent: float = 0.0
    drop: float = 0.0
    half_open: float = 0.0
    absent: float = 0.0
    twice: float = 0.0
    again: float = 0.0
    lie: float = 0.0
    nonsense: float = 0.0
    resign: float = 0.0
    leave: float = 0.0
    look: float = 0.0
    flood: float = 0.0
    pose: float = 0.0
    updates: float = 0.0
    revoked: float = 0.0


LADDER: Final = "main"
KGP_LADDER: Final = "kgp"
POLITE: Final = BotFaults("polite")
POLITE_NAME: Final = f"{POLITE.name}0"
"""The first bot of every world, which others may challenge."""
BOT_FAULTS: Final = (
    POLITE,
    BotFaults("slow", think_s=0.8, delay_s=0.03, provisional=0.3),
    BotFaults("flagging", think_s=0.5, late=0.06, provisional=0.2, belated=0.06),
    BotFaults("untimed", think_s=0.5, late=0.06, is_timed=False),
    BotFaults("silent", silent=0.03, provisional=0.3),
    BotFaults("dropping", drop=0.12, half_open=0.4),
    BotFaults("absent", drop=0.05, absent=0.5, revoked=0.05),
    BotFaults("twice", twice=0.5, again=0.1),
    BotFaults("lying", lie=0.03),
    BotFaults("confused", nonsense=0.03),
    BotFaults("updating", drop=0.1, absent=0.1, silent=0.02, lie=0.02, leave=0.02, updates=0.4),
    BotFaults("resigning", resign=0.03),
    BotFaults("leaving", leave=0.05),
    BotFaults("seeking", joins=False, drop=0.04, absent=0.3),
    BotFaults("challenging", joins=False, challenges=True, drop=0.02, leave=0.02),
    BotFaults("hogging", joins=False, challenges=True, hogs=True, silent=0.02, drop=0.02),
    BotFaults("watching", watches=True, drop=0.05, half_open=0.4),
    BotFaults("curious", look=0.3, drop=0.03, revoked=0.05),
    BotFaults("flooding", flood=0.05),
    BotFaults("holding", has_token=True, drop=0.05, absent=0.2, revoked=0.6),
    BotFaults("posing", pose=0.2),
    BotFaults(
        "reviewing",
        think_s=1.0,
        joins=False,
        has_token=True,
        reviews=True,
        late=0.1,
        silent=0.05,
        drop=0.1,
        half_open=0.3,
        absent=0.2,
        twice=0.1,
        lie=0.2,
        revoked=0.02,
    ),
    BotFaults(
        "wild",
        think_s=0.2,
        delay_s=0.05,
        late=0.02,
        provisional=0.3,
        belated=0.02,
        silent=0.02,
        drop=0.05,
        half_open=0.3,
        absent=0.1,
        twice=0.1,
        again=0.05,
        lie=0.01,
        nonsense=0.01,
        resign=0.02,
        leave=0.02,
        look=0.05,
        flood=0.02,
    ),
)
CROWDED: Final = 0.15
"""The share of worlds whose bots all want to play with the same one."""
REVIEWED: Final = 0.2
"""The share of worlds with two reviewers at least."""
FEWEST_BESIDE: Final = 5
SLOW_S: Final = 3.0
PLAYING: Final = tuple(faults for faults in BOT_FAULTS if not (faults.reviews or faults.hogs))
"""Those of bots that run the real client, which reviews nothing here and answers its turns."""


def draw_faults(rng: random.Random, pool: Sequence[BotFaults], bots: int) -> list[BotFaults]:
    """Return the faults of a world's bots: the first is polite, the others have a few of a pool.

    Worlds with few kinds of bots reach what a mixture of all does not, such as several challengers
    of one bot ("swarm testing", Groce et al., ISSTA 2012).
    """
    few = rng.sample(pool, rng.randint(1, len(pool)))
    if rng.random() < CROWDED:
        few = [faults for faults in pool if faults.challenges]
    return [POLITE, *rng.choices(few, k=bots - 1)]


def with_reviewers(drawn: Sequence[BotFaults], seed: int) -> list[BotFaults]:
    """Return the faults of a world's bots; in a part of the worlds two of many review games.

    They take their time, so that several games wait.
    """
    [reviewing] = [faults for faults in BOT_FAULTS if faults.reviews]
    is_reviewed = random.Random(f"reviewers {seed}").random() < REVIEWED
    if len(drawn) < FEWEST_BESIDE or not is_reviewed:
        return [*drawn]
    slow = replace(reviewing, think_s=SLOW_S)
    return [*drawn[:-2], slow, slow]

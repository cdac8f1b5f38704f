"""What in-process worlds do not vary of a server's input, each with the reason."""

from collections.abc import Mapping
from typing import Final

from mancala.protocol.clock import TimeoutPolicy
from mancala.protocol.variants import LATER
from tests.simulate import knobs
from tests.simulate.sentences import sentences

SOCKETS: Final = "only the full stack has sockets and frames; tests of net send it"
ORDERED: Final = "no bot asks just then; tests of control do"
CLAIMED: Final = "clients of KGP claim names, which in-process worlds do not have"
OPENED: Final = "no bot asks for a position to begin from; tests of the lobby do"
NAMED: Final = "no bot of a world has a level's name; tests of the lobby do"
CLOSED: Final = "all ladders are open to guests, as all polite bots are guests; tests of ladders"
SHORT: Final = "simulated reviewers look one move ahead, so they prove only last moves"
ELSEWHERE: Final = "it is no refusal of a server; tests of its own module have it"
ANSWERED: Final = "an entrant that repeats its entry is answered as before; tests of entries do"
ASKED: Final = "an answer to `schedule` says it, which worlds do not read; tests of the lobby do"
UNVARIED: Final[Mapping[str, str]] = {
    **dict.fromkeys(
        (
            "server/ladders/membership.py: {} to connect",
            "server/ladders/membership.py: the other bot to be free",
            "server/ladders/membership.py: one of {} to be free",
            "server/ladders/membership.py: a new opponent, or a rematch",
            "server/ladders/membership.py: an opponent; guests and bots with a token play apart …",
            "server/ladders/membership.py: its pause to end",
            "server/ladders/membership.py: another bot to join",
            "server/ladders/membership.py: its matches elsewhere to end",
            "server/ladders/membership.py: its present match to end",
            "server/lobby/house.py: a place of {}; challenges that wait for one: {}",
            "server/lobby/requests.py: {} to seek the same",
            "server/lobby/requests.py: {} to accept",
        ),
        ASKED,
    ),
    **dict.fromkeys(
        (
            "server/contest/events/entry.py: {} has entered already",
            "server/contest/events/entry.py: the event is {}, there is no check-in",
        ),
        ANSWERED,
    ),
    **dict.fromkeys(
        (
            "server/contest/live/contest.py: it is time",
            "server/contest/events/entry.py: an event needs two entrants or more, and has {}",
        ),
        "the organiser reads it, and no peer",
    ),
    "server/contest/live/registry.py: the server could not store that": (
        "an event that can't be stored stops until a restart, so it would not end"
    ),
    **{f"setting {name}": reason for name, reason in knobs.UNVARIED.items()},
    **dict.fromkeys(
        (
            *(
                "server/net/accepting.py",
                "server/net/limits/client_address.py",
                "server/net/connection.py",
                "server/net/handshake.py",
            ),
            *(
                "server/net/limits/costs.py",
                "server/net/limits/gate.py",
                "server/net/kgp/kgp_gateway.py",
            ),
            *(
                "server/net/listener.py",
                "server/net/listening.py",
                "server/net/arrivals/segment_watch.py",
            ),
            *(
                "server/net/arrivals/segment_watcher.py",
                "server/net/tls.py",
                "server/net/metered.py",
            ),
            "server/net/seat.py: no hello within {} s",
            *("protocol/codec.py", "refusal not_json", "refusal timeout", "refusal too_large"),
            "refusal unknown_type",
        ),
        SOCKETS,
    ),
    **dict.fromkeys(
        (
            "server/ladders/ladder.py: the organiser: {}",
            "server/ladders/ladder.py: the ladder {} is being opened",
            "server/match/orders.py: the ladder {} is paused{}",
            "server/match/orders.py: the season {} is over",
        ),
        ORDERED,
    ),
    "server/lobby/logins.py: the name is kept for a level of the server's own; take …": NAMED,
    **dict.fromkeys(
        (
            "server/ladders/ladder.py: the ladder {} takes bots with a token only",
            "server/ladders/ladder.py: the ladder {} isn't open to {}",
            "server/lobby/logins.py: this server takes no guests; hello needs a token",
        ),
        CLOSED,
    ),
    **dict.fromkeys(
        (
            *("Challenge.opening", "Challenge.opening as str"),
            "server/lobby/requests.py: only unrated games may start from an opening of one's own",
        ),
        OPENED,
    ),
    **dict.fromkeys(
        (
            "server/lobby/claims.py",
            "server/lobby/logins.py: this server takes no guests; choose a token and send it as …",
            "server/lobby/logins.py: to be bound later",
            "server/lobby/logins.py: played under before",
        ),
        CLAIMED,
    ),
    **dict.fromkeys(
        (
            "protocol/review.py: from the start",
            "protocol/review.py: ply {}: pit {} turns a {} into a {} and loses {} seeds; pit {} …",
            "server/store/rows/tokens.py: a store in memory has no tokens",
        ),
        ELSEWHERE,
    ),
    "server/ladders/ladder.py: the ladder {} is for requests: challenge a bot, and it …": (
        "worlds have no ladder of requests; tests of ladders have one"
    ),
    "protocol/review.py: the value of the move is not that of the next position": SHORT,
    "protocol/referee.py: answered question {}, which was not put to this player": (
        "bots answer questions that they were asked; tests of the referee have others"
    ),
    "server/lobby/tables.py: you don't play in that game": (
        "a connection that was shown no such game is refused before; tests of tables go on"
    ),
    **dict.fromkeys(
        (
            *(
                "Hello.swap",
                "Seek.rules.pie",
                "Challenge.rules.pie",
                "Seek.rules.first_again",
                "Challenge.rules.first_again",
            ),
            "server/ladders/ladder.py: this ladder plays the pie rule; your hello does not say …",
        ),
        "a swap is a move of the referee's board; tests of the pie rule swap on a server",
    ),
    **dict.fromkeys(
        (
            f"{said}.rules.{rule}"
            for said in ("Seek", "Challenge")
            for rule in (
                "capture is none",
                *(rule for rule in LATER if rule not in ("pie", "first_again")),
            )
        ),
        "the referee's board knows them; tests of the rules play all mixes of them",
    ),
    "server/net/gateways.py: gateways.{}: no package adds it; there are: {}": (
        "worlds have no gateway of a package; tests of the gateways ask for one that is missing"
    ),
    "server/net/gateways.py: its start was cancelled": (
        "worlds have no gateway of a package; tests of the gateways enter one that cancels itself"
    ),
    "Goodbye.reconnect_after": "only a server says it",
    "Goodbye.reconnect_after as float": "only a server says it",
    "List.after": "what follows on a later page can't be checked; tests of listings have pages",
    "List.after as str": "as List.after",
    "Review.seconds": "it is shown only; reviewers that take long are those that are late",
    "end wedged": "a hung program loses in headless matches; on a server a bot is away",
}
OF_FEW: Final = ("protocol/review.py: ", "server/contest/live/", "server/contest/events/")
"""Modules whose sentences need a false review, or an event that bots enter by themselves."""
RARE: Final = frozenset(
    (
        *("Challenge.clock.move_ms as NoneType", "Seek.clock.move_ms as NoneType"),
        *("Seek.clock.bank_ms as NoneType", "Seek.clock.bank_ms as int"),
        *(f"Seek.clock.timeout is {policy}" for policy in TimeoutPolicy),
        *("Seek.clock.bank_ms", "Seek.clock.increment_ms", "Seek.clock.move_ms"),
        *("Seek.clock.timeout", "Seek.rules as Rules", "Seek.rules as str"),
        *("Seek.rules.capture is always", "Seek.rules.capture is opposite"),
        *("Seek.rules.majority", "Seek.rules.relap"),
        *("Seek.rules.capture", "Seek.rules.pits", "Seek.rules.seeds"),
        "server/ladders/ladder.py: no new match: the server is about to stop",
        "server/ladders/ladder.py: {} is closed",
        "server/lobby/logins.py: the server is about to stop",
        "server/lobby/logins.py: the name {} is taken; take another, or end the bot that has …",
        "server/match/orders.py: the ladder {} is closed{}",
        "server/lobby/requests.py: no new match: the server is about to stop",
        "server/reviews/dispatcher.py: the game has {}",
        "refusal shutting_down",
        "server/ladders/day_limits.py: guests of your address left {} today before their …",
        "server/ladders/day_limits.py: you left {} before your first move: paused for {} s; …",
        "server/ladders/day_limits.py: a bot may have at most {} a day",
        "server/ladders/ladder.py: {}: the ladder {} takes no other",
        "server/ladders/registry.py: this server has none",
        "server/lobby/requests.py: you challenged {} too often; try again in a second",
        "server/lobby/requests.py: you play {} with {} already, open challenges included",
        "server/lobby/house.py: this place of {} was held for {} minutes, and another player …",
        "server/lobby/house.py: no move for {} s, and another player waits",
        "server/lobby/logouts.py: the name is reserved; its token is required",
        "server/lobby/requests.py: a bot plays at most {} at the same time",
        "server/lobby/spectators.py: {} watched already",
        "server/match/table.py: cannot tell whether the answer was in time: the server was …",
        "server/match/steps.py: that game is over",
        "server/ladders/ladder.py: the server could not store that; try again later",
        "server/lobby/logins.py: the server could not store the session",
        "server/reviews/dispatcher.py: the server could not store it",
        "server/lobby/submissions.py: the server could not store that; try again later",
        "server/lobby/submissions.py: a submission has at most {} bytes",
        "server/lobby/submissions.py: no submission: {}",
        "server/lobby/submissions.py: only a token with the right to submit may do that …",
        *("Submit.more", "Submit.submission", "Submit.text"),
        "protocol/referee.py: both players were gone",
        *(each.key for each in sentences() if each.key.startswith(OF_FEW)),
        "server/store/rows/tokens.py: no token was issued for {}; without one it may log in …",
        "server/store/rows/tokens.py: the token of {} was revoked",
    )
)
"""What a campaign varies, but not each hundred worlds; long sentences by their beginnings."""

PROCESSES: Final[Mapping[str, str]] = {
    "server/contest/events/dutch.py": "its answer decides each round, which worlds ask for in here",
    "server/control/plans/events.py": "a world imports no event; tests of control do",
    "server/net/arrivals/segment_watch.py": "it watches a kernel; tests and drills of arrivals do",
    "server/publish/broker.py": "mosquitto, in whose place a world has a broker of its own",
    "server/web/api/analyst.py": knobs.ELSEWHERE,
}
"""The modules of the server that start a process which no world has, each with the reason."""

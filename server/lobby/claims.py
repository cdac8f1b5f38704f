"""Names of which an address may have a few: those bound to tokens, and those of a class's league.

Clients of the Kalah Game Protocol choose their tokens themselves. Where the organiser lets them
(``kgp.claim_names``), the first token that comes with a free name is kept, and from then on the
name is its bearer's, as if the token had been issued. Free is a name under which no one plays or
has played, in whichever capitals, since a bound name is not free for others in any: who brings a
token for that of a guest who left plays as a guest, too. A name bound so stays reserved, so an
address may bind only a few in 24 hours, and after that one every few minutes. A
client that comes in between plays as a guest: its name is bound when it comes again with its token,
before the server restarts.

Who joins a league of a class has no login, but a name that begins with the league's code. So that a
stranger with the code can't play as a child that has joined, such a name is that of the token which
the page made up on the child's device, while the child is there and for a day after it last came or
left, a few minutes less at most; any ban on the name ends that. So that a stranger can't fill the
league's table, the names of a network in it are bounded. This is of codes that the page made, and
where levels run; other names with a dot, and other tokens, are as all are.
"""

import re
from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from typing import Final

from mancala.protocol.messages import ErrorCode, Hello

from ..config.settings import LEVEL_NAMES
from ..match.context import Context
from ..match.participant import secret_hash
from ..model.credentials import Credentials, TokenProblem
from ..model.day_counts import Counted, CountKind, DailyLimit
from ..model.entrant import bot_name
from ..net.limits.costs import LOOPBACK, layers_of, network_of
from ..net.seat import Seat

SHORTEST_TOKEN: Final = 8
"""Characters; a shorter token could be found by trying."""
BOUND_APART_S: Final = 300.0
"""Between further names that are bound from an address: 288 a day at most."""
LEAGUE: Final = re.compile(r"([bcdfghjkmnpqrstvwxz2-9]{5})\.")
"""Begins a child's name in a league whose code the page made (``addresses.js``)."""
DEVICE: Final = "device-"
"""Begins the token that the page makes up for a device (``play.js``)."""
FREE: Final = ""
"""Stands for the token of a name of a league that any device may take."""
MOST_OF_LEAGUE: Final = 50
"""Names that a network may bring to a league in 24 hours; the table has a hundred."""
RENEWED_APART_S: Final = 600.0
"""Between two times from which a child's name counts anew: each of them is stored."""
THERE_APART_S: Final = 12 * 3600.0
"""The same while the child is there: a restart leaves it half a day to come back to its name."""
MOST_PUT_OFF: Final = 1024
"""Clients whose names are to be bound when they come again; beyond them, the first is forgotten."""


class Claims:
    """Decides who may bind a free name to a token, and has it stored."""

    def __init__(self, context: Context, credentials: Credentials) -> None:
        """Begin with no claim; :meth:`restore_count` brings those of a former server."""
        self._context = context
        self._credentials = credentials
        self._claimed = DailyLimit(CountKind.CLAIM)
        self._leagues = DailyLimit(CountKind.LEAGUE)
        self._holders: dict[str, tuple[str, set[str]]] = {}  # of whom, and in which capitals
        self._put_off: OrderedDict[str, str] = OrderedDict()

    def has_room(self, seat: Seat, name: str) -> bool:
        """Return whether a name may be bound now from a client's address."""
        key, now = network_of(seat.address), self._context.now()
        latest = self._claimed.latest(key, now)
        most = self._context.config.now.kgp.claims_a_day
        is_turn = latest is not None and now - latest >= BOUND_APART_S
        return is_turn or self._claimed.has_room(key, name, now, most=most)

    def is_promised(self, name: str, token: str) -> bool:
        """Return whether a name is to be bound to a token once its bearer's address has room."""
        return self._put_off.get(name.lower()) == secret_hash(token)

    def ask_free(self, name: str, token: str, answer: Callable[[bool], None]) -> None:
        """Call ``answer`` with whether no one has played under a name but the bearer of a token."""
        if self.is_promised(name, token):
            answer(True)  # as the store answers
        elif self._is_of_another_device(name, token):
            answer(False)
        else:
            self._credentials.has_played(name, lambda has_played: answer(not has_played))

    def put_off(self, name: str, token: str) -> None:
        """Keep in mind whose a name is to be, who plays under it and can't have it bound yet."""
        self._put_off[name.lower()] = secret_hash(token)
        if len(self._put_off) > MOST_PUT_OFF:
            self._put_off.popitem(last=False)

    def forget(self, name: str) -> None:
        """Promise a name to no token, since someone else plays under it now."""
        self._put_off.pop(name.lower(), None)

    def claim(
        self, seat: Seat, name: str, token: str, answer: Callable[[TokenProblem | None], None]
    ) -> None:
        """Bind a free name to a client's token; ``answer`` gets None, or what is wrong."""
        key, at = network_of(seat.address), self._context.utc()
        if counted := self._claimed.note([(key, name)], self._context.now(), at):
            self._context.journal.commit(counted, lambda: None)
        self._credentials.bind(name, token, at, partial(self._note, seat, name, answer))

    def problem(self, name: str, token: str) -> str | None:
        """Return why a name can't be bound to a token, or None."""
        config = self._context.config.now
        anchors = {bot_name(key) for each in config.ladder for key in each.anchors}
        own = config.own_names.union(LEVEL_NAMES, anchors)
        if name.lower() in {each.lower() for each in own}:
            return f"the name {name} is the server's own"
        if len(token) < SHORTEST_TOKEN:
            return f"a token of your own has at least {SHORTEST_TOKEN} characters"
        return None

    def is_by_device(self, hello: Hello) -> bool:
        """Return whether a child joins a league on the page, with the token of its device."""
        is_made = LEAGUE.match(hello.name) and (hello.token or "").startswith(DEVICE)
        return bool(is_made) and self._context.config.now.guests

    def no_league(self, seat: Seat, hello: Hello) -> tuple[ErrorCode, str] | None:
        """Return why a guest can't join the league that its name begins with, or None."""
        name, now = hello.name.lower(), self._context.now()
        if (code := self._league_of(hello)) is None:
            return None
        if self._is_of_another_device(hello.name, hello.token or ""):
            detail = f"{hello.name} plays on another device today; take another name"
            return ErrorCode.BAD_NAME, detail
        key = _key_of(seat, code)
        if key is not None and not self._leagues.has_room(key, name, now, most=MOST_OF_LEAGUE):
            said = f"{MOST_OF_LEAGUE} names of the league {code} came from your network"
            return ErrorCode.LIMIT, f"{said} today"
        return None

    def join_league(self, seat: Seat, hello: Hello) -> None:
        """Count a guest in its league, and keep its name for its device."""
        if (code := self._league_of(hello)) is None:
            return
        name, key = hello.name.lower(), _key_of(seat, code)
        now, at = self._context.now(), self._context.utc()
        counted = [] if key is None else self._leagues.note([(key, name)], now, at)
        if self.is_by_device(hello):
            holder = secret_hash(hello.token or "")
            self._holders.setdefault(name, (holder, set()))[1].add(hello.name)
            counted += self._leagues.renew(name, holder, now, at, apart_s=RENEWED_APART_S)
        if counted:
            self._context.journal.commit(counted, lambda: None)

    def left_league(self, name: str) -> None:
        """Keep the name of a child that leaves for its device, counted from now."""
        key, now, at = name.lower(), self._context.now(), self._context.utc()
        holder, there = self._holders.get(key, (FREE, set()))
        if name not in there:
            return
        there.remove(name)
        if not there:
            del self._holders[key]
        if counted := self._leagues.renew(key, holder, now, at, apart_s=RENEWED_APART_S):
            self._context.journal.commit(counted, lambda: None)

    def renew(self) -> None:
        """Count the names of children that have been there for long anew."""
        now, at = self._context.now(), self._context.utc()
        counted = [
            each
            for name, (holder, _) in self._holders.items()
            for each in self._leagues.renew(name, holder, now, at, apart_s=THERE_APART_S)
        ]
        if counted:
            self._context.journal.commit(counted, lambda: None)

    def is_kept(self, name: str) -> bool:
        """Return whether a name of a league, in lower case, is that of a device."""
        return self._holder_of(name) != FREE

    def freed(self, name: str) -> list[Counted]:
        """Let any device take a name of a league, in lower case; return what is to be stored."""
        is_kept, now, at = self.is_kept(name), self._context.now(), self._context.utc()
        self._holders.pop(name, None)
        return self._leagues.renew(name, FREE, now, at) if is_kept else []

    def _league_of(self, hello: Hello) -> str | None:
        found = LEAGUE.match(hello.name)
        return found[1] if found is not None and self._context.config.now.play.levels else None

    def _is_of_another_device(self, name: str, token: str) -> bool:
        return self._holder_of(name.lower()) not in {FREE, secret_hash(token)}

    def _holder_of(self, name: str) -> str:
        """Return whose a name is: that of a child that is there, maybe for days, or came lately."""
        there = self._holders.get(name)
        return there[0] if there else self._leagues.last(name, self._context.now()) or FREE

    def restore_count(self, counted: Counted, since: float) -> None:
        """Count again what a former server counted; ``since`` is when, on the loop's clock."""
        is_claim = counted.kind is CountKind.CLAIM
        (self._claimed if is_claim else self._leagues).restore_count(counted, since)

    def _note(
        self,
        seat: Seat,
        name: str,
        answer: Callable[[TokenProblem | None], None],
        problem: TokenProblem | None,
    ) -> None:
        if problem is None:
            self._context.log.info("name bound", name=name, address=seat.address)
        answer(problem)


def _key_of(seat: Seat, code: str) -> str | None:
    """Return under which a network's names in a league count; None on this machine."""
    networks = layers_of(seat.address)
    network = networks[0] if ":" in seat.address else networks[-1]  # a /48 costs no more
    return None if network == LOOPBACK else f"{network} {code}"

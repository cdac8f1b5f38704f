"""Login and resume: from ``hello`` to ``welcome``, or to the reason why not.

A session is known by the hash of its secret, and stored before it is welcomed. A bot comes back by
that secret, or by its token, which gives its session a new secret; a program that the server runs
comes back by its name.
"""

from dataclasses import dataclass, field
from functools import partial
from typing import Final

from msgspec.structs import asdict, replace

from mancala.protocol import codec
from mancala.protocol.messages import VERSION, ErrorCode, Hello, Limits, Welcome

from ..config.settings import LEVEL_NAMES, Config
from ..match.context import Context
from ..match.orders import token_hash
from ..match.participant import Participant, secret_hash
from ..model.credentials import Credentials, TokenProblem
from ..model.journal import LadderJoined, SessionClosed, SessionOpened
from ..net.seat import Seat
from .claims import Claims
from .connections import Connections
from .directory import NO_SESSION_HASH, Directory
from .tables import Tables

NO_GUESTS: Final = "this server takes no guests; hello needs a token"
CHOOSE: Final = "this server takes no guests; choose a token and send it as auth:token"
NO_VERSION: Final = (
    "no version is stated (agent: name and version): all versions of this bot are rated as one"
)
NO_SESSION: Final = "no session of that name is kept for that secret; a hello without it begins one"
OF_A_LEVEL: Final = "the name is kept for a level of the server's own; take another"
STOPPING: Final = "the server is about to stop"
NOT_STORED: Final = "the server could not store the session"


@dataclass(slots=True)
class Logins:
    """Answers ``hello``."""

    context: Context
    credentials: Credentials
    directory: Directory
    connections: Connections
    tables: Tables
    claims: Claims = field(init=False)

    def __post_init__(self) -> None:
        self.claims = Claims(self.context, self.credentials)

    def log_in(self, seat: Seat, hello: Hello) -> None:
        """Answer with a welcome or a fatal error, now or once token and journal allow it."""
        if hello.protocol != VERSION:
            detail = f"this server speaks {VERSION}, not {hello.protocol}"
            self._refuse_login(seat, hello, ErrorCode.UNSUPPORTED_PROTOCOL, detail)
        elif (banned := self.context.orders.refusal(seat, hello)) is not None:
            self._refuse_login(seat, hello, ErrorCode.FORBIDDEN, banned)
        elif seat.is_own:
            self._log_in_own(seat, hello)
        elif hello.resume is not None:
            self._resume(seat, hello, hello.resume)
        elif self.tables.is_draining:
            self._refuse_login(seat, hello, ErrorCode.SHUTTING_DOWN, STOPPING)
        elif hello.token is None and not self.context.config.now.guests:
            detail = CHOOSE if seat.may_claim else NO_GUESTS
            self._refuse_login(seat, hello, ErrorCode.BAD_TOKEN, detail)
        else:
            self.credentials.check(hello.name, hello.token, partial(self._admit, seat, hello))

    def _log_in_own(self, seat: Seat, hello: Hello) -> None:
        """Admit a program that the server runs; its name alone takes its seat back."""
        player = self.directory.find(hello.name)
        if hello.name not in self.context.config.now.own_names:
            detail = f"{hello.name} is none of the server's own programs"
            self._refuse_login(seat, hello, ErrorCode.BAD_NAME, detail)
        elif player is not None and player.is_own and not player.has_left:
            self._resume_seat(player, seat, hello, self.context.new_secret())
        elif hello.resume is not None:
            self._refuse_login(seat, hello, ErrorCode.BAD_RESUME, NO_SESSION)
        elif self.tables.is_stopping:
            self._refuse_login(seat, hello, ErrorCode.SHUTTING_DOWN, STOPPING)
        else:
            self._admit(seat, hello, None)

    def _refuse_login(self, seat: Seat, hello: Hello, code: ErrorCode, detail: str) -> None:
        self.context.log.info(
            "login refused", name=hello.name, address=seat.address, code=code, detail=detail
        )
        seat.close_with_error(code, detail)

    def _welcome(self, player: Participant, secret: str, *, resumed: bool) -> None:
        config, matches = self.context.config.now, tuple(player.matches)
        limits = announced(config)
        warnings = () if player.agent is not None and player.agent.version else (NO_VERSION,)
        player.send(Welcome(VERSION, config.name, secret, resumed, limits, matches, warnings))
        if (notice := self.context.orders.notice).text:
            player.send(notice)
        self.context.log.info("welcome", name=player.name, resumed=resumed)
        if not resumed:
            self.tables.contests.look()

    def _welcome_new(self, player: Participant, seat: Seat, secret: str) -> None:
        """Welcome a new session, unless it came back meanwhile and was welcomed there."""
        if player.seat is seat or player.seat is None:
            self._welcome(player, secret, resumed=False)

    # A name and perhaps a token

    def _admit(self, seat: Seat, hello: Hello, problem: TokenProblem | None) -> None:
        if seat not in self.directory.seats:
            return
        former, said = self.directory.find(hello.name), hello
        is_free = problem is not None and problem.is_free
        if is_free and not seat.may_claim and self.claims.is_by_device(hello):
            hello, problem, is_free = replace(hello, token=None), None, False
        is_guest = hello.token is None and not seat.is_own
        if (banned := self.context.orders.refusal(seat, hello)) is not None:  # meanwhile
            self._refuse_login(seat, hello, ErrorCode.FORBIDDEN, banned)
        elif problem is not None and not (is_free and seat.may_claim):
            self._refuse_login(seat, hello, ErrorCode.BAD_TOKEN, problem.detail)
        elif is_guest and hello.name.lower() in LEVEL_NAMES:
            self._refuse_login(seat, hello, ErrorCode.BAD_TOKEN, OF_A_LEVEL)
        elif is_guest and (refusal := self.claims.no_league(seat, said)) is not None:
            self._refuse_login(seat, hello, *refusal)
        elif former is not None and self.directory.is_taken(hello.name):
            self._take_over(seat, hello, former)
        elif is_free and hello.token is not None:
            self._claim(seat, hello, hello.token)
        else:
            if is_guest:
                self.claims.join_league(seat, said)
            self._open_session(seat, hello)

    def _claim(self, seat: Seat, hello: Hello, token: str) -> None:
        """Bind a free name to the client's own token, if no one else has played under it."""
        problem = self.claims.problem(hello.name, token)
        if problem is not None:
            self._refuse_login(seat, hello, ErrorCode.BAD_TOKEN, problem)
        else:
            self.claims.ask_free(hello.name, token, partial(self._bind, seat, hello, token))

    def _bind(
        self,
        seat: Seat,
        hello: Hello,
        token: str,
        is_unplayed: bool,  # noqa: FBT001  # the store's answer
    ) -> None:
        """Bind an unplayed name; let a client play as a guest whose name can't be bound."""
        if seat not in self.directory.seats:
            return
        is_promised = self.claims.is_promised(hello.name, token)
        is_free = is_unplayed and (is_promised or not self.directory.is_alike_taken(hello.name))
        if is_free and self.claims.has_room(seat, hello.name):
            self.claims.claim(seat, hello.name, token, partial(self._admit, seat, hello))
            return
        why = "to be bound later" if is_free else "played under before"
        self.context.log.info("name not bound", name=hello.name, address=seat.address, why=why)
        self._admit(seat, replace(hello, token=None), None)
        player = self.directory.find(hello.name)
        if player is not None and player.seat is seat:
            player.token_hash = token_hash(token)
            if is_free:
                self.claims.put_off(hello.name, token)

    def _open_session(self, seat: Seat, hello: Hello) -> None:
        former = self.directory.find(hello.name)
        if former is not None:
            self.connections.forget(former)
        if not self.directory.is_alike_taken(hello.name):
            self.claims.forget(hello.name)
        secret, is_own = self.context.new_secret(), seat.is_own
        is_guest = hello.token is None and not is_own
        known = hello.name, secret_hash(secret), hello.agent
        player = Participant(*known, is_guest=is_guest, is_own=is_own)
        self.directory.add(player)
        self._attach(player, seat, hello)
        opened = SessionOpened(
            *(player.secret_hash, player.name, player.agent, hello.token), is_own=player.is_own
        )
        welcome = partial(self._welcome_new, player, seat, secret)
        self.context.journal.commit([opened], welcome, partial(self._turn_away, player))

    def _turn_away(self, player: Participant) -> None:
        player.has_left = True
        self.directory.remove(player)
        if player.seat is not None:
            player.seat.close_with_error(ErrorCode.INTERNAL, NOT_STORED)

    # A token whose session still has the name

    def _take_over(self, seat: Seat, hello: Hello, former: Participant) -> None:
        """Admit the holder of a token whose former session still has the name, and no other."""
        is_its_own = not former.is_guest or former.secret_hash == NO_SESSION_HASH
        if hello.token is None or former.has_left or not is_its_own:
            detail = f"the name {hello.name} is taken; take another, or end the bot that has it"
            self._refuse_login(seat, hello, ErrorCode.BAD_NAME, detail)
        elif former.matches:
            self._renew(former, seat, hello, hello.token)
        else:
            self.connections.replace(former)
            self.connections.on_disconnect(former)
            self._open_session(seat, hello)

    def _renew(self, player: Participant, seat: Seat, hello: Hello, token: str) -> None:
        """Change a session's secret, and move its games under way to a new connection."""
        secret, former = self.context.new_secret(), player.secret_hash
        self.directory.change_session(player, secret_hash(secret))
        opened = SessionOpened(player.secret_hash, player.name, hello.agent or player.agent, token)
        joined = [
            LadderJoined(ladder.name, player.secret_hash)
            for ladder in self.tables.ladders.all_ladders
            if player.name in ladder
        ]
        closed = [SessionClosed(former)] if former != NO_SESSION_HASH else []
        self.context.journal.commit(
            [*closed, opened, *joined],
            partial(self._renewed, player, seat, hello, secret),
            partial(self._not_renewed, player, seat, former),
        )

    def _renewed(self, player: Participant, seat: Seat, hello: Hello, secret: str) -> None:
        if seat in self.directory.seats and not player.has_left:
            player.is_guest = False
            self._resume_seat(player, seat, hello, secret)

    def _not_renewed(self, player: Participant, seat: Seat, former: str) -> None:
        self.directory.change_session(player, former)
        seat.close_with_error(ErrorCode.INTERNAL, NOT_STORED)

    # The secret of a session

    def _resume(self, seat: Seat, hello: Hello, secret: str) -> None:
        player = self.directory.with_session(secret_hash(secret))
        if player is None or player.has_left or player.name != hello.name:
            self._refuse_login(seat, hello, ErrorCode.BAD_RESUME, NO_SESSION)
        elif player.is_guest:
            self.claims.join_league(seat, hello)
            self._resume_seat(player, seat, hello, secret)
        else:
            readmit = partial(self._readmit, player, seat, hello, secret)
            self.credentials.verify_session(player.secret_hash, readmit)

    def _readmit(
        self,
        player: Participant,
        seat: Seat,
        hello: Hello,
        secret: str,
        is_good: bool,  # noqa: FBT001  # the token checker's answer
    ) -> None:
        if seat not in self.directory.seats:
            return
        is_its_own = self.directory.with_session(player.secret_hash) is player
        if is_good and not player.has_left and is_its_own:
            self._resume_seat(player, seat, hello, secret)
        else:
            seat.close_with_error(ErrorCode.BAD_RESUME, NO_SESSION)

    def _resume_seat(self, player: Participant, seat: Seat, hello: Hello, secret: str) -> None:
        if (banned := self.context.orders.refusal(seat, hello)) is not None:  # meanwhile
            self._refuse_login(seat, hello, ErrorCode.FORBIDDEN, banned)
            return
        former = self.connections.replace(player)
        self._attach(player, seat, hello)
        self._welcome(player, secret, resumed=True)
        self.connections.on_reconnect(player, former)

    def _attach(self, player: Participant, seat: Seat, hello: Hello) -> None:
        """Join a participant and a connection; it is as its latest ``hello`` says."""
        self.connections.attach(player, seat)
        player.agent = hello.agent or player.agent
        if hello.token is not None:
            player.token_hash = token_hash(hello.token)
        player.takes_challenges = hello.challenges
        player.knows_swap = hello.swap


def announced(config: Config) -> Limits:
    """Return what ``welcome`` states: each limit is the setting of its name."""
    known = {"frame_bytes": codec.FRAME_LIMIT, "grace_s": config.grace_s, **asdict(config.limits)}
    return Limits(**{name: known[name] for name in Limits.__struct_fields__})

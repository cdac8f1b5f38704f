"""The operator of a simulated world, who gives orders to its server while bots play.

A part of the worlds has one. Its orders are drawn apart from everything else, so that a world
without it is the same as before. Some are followed by a kill.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, Protocol

from mancala.protocol import codec
from mancala.server.control.actions import ACTIONS
from mancala.server.control.wire import Request
from mancala.server.model.orders import HeldOrder
from tests.holding import Holding, kept
from tests.simulate.faults import LADDER
from tests.simulate.ledger import Transcript
from tests.simulate.order_watch import OrderWatch
from tests.simulate.tokens import BEARERS, RESERVED, token_of
from tests.simulate.trace import RareEvent, Trace

OPERATED: Final = 0.4
"""The share of worlds that have an operator."""
BETWEEN_S: Final = 2.5
"""Mean time between two orders."""
LIFTED: Final = 0.4
"""The share of orders that take back what holds, while anything does."""
HELD_BACK: Final = 0.15
"""The share of orders that are held back, until they are confirmed or dropped."""
KILLED: Final = 0.3
"""The share of orders after which the server is killed soon."""
SOON: Final = (1, 4)
"""Steps of the server until then."""
LETTING_IN: Final = frozenset({"release", "undo", "season"})
"""Orders after which a quarantine may be over."""
SETTING: Final = frozenset({"quarantine", "undo"})
"""Orders after which a quarantine may hold."""
BANNING: Final = frozenset({"ban", "unban"})
BENIGN: Final = frozenset({"notice", "pause", "recompute"})
FOR_S: Final = (5.0, 20.0)
FORMER: Final = "former"
"""How the other names of bots begin; no bot of a world has such a name."""
FINISHED: Final = (
    "SELECT games.id, games.match FROM games JOIN matches ON games.match = matches.id"
    " WHERE matches.ended_at IS NOT NULL ORDER BY games.id DESC LIMIT 8"
)
HELD: Final = "SELECT text FROM switches WHERE kind = 'held'"
LINE: Final = "SELECT action, what FROM admin_log WHERE number = {}"
LINES: Final = "SELECT number FROM admin_log ORDER BY number DESC LIMIT 5"
FORMERS: Final = (
    "SELECT first FROM matches WHERE first LIKE 'former%'"
    " UNION SELECT second FROM matches WHERE second LIKE 'former%'"
)


class Ordered(Protocol):
    """A run of a server, as its operator reaches it."""

    trace: Trace

    @property
    def is_over(self) -> bool: ...

    def order(
        self,
        request: Request,
        answered: Callable[[dict[str, Any]], None],
        refused: Callable[[str], None],
    ) -> None:
        """Have an order carried out; neither is called if the run is over before."""


class Operated(Protocol):
    """What an operator needs of its world."""

    @property
    def server_run(self) -> Ordered | None: ...
    @property
    def ledger(self) -> Transcript: ...
    @property
    def is_calm(self) -> bool: ...
    @property
    def bot_names(self) -> tuple[str, ...]: ...
    @property
    def games(self) -> tuple[str, ...]: ...
    def later(self, delay_s: float, call: Any, /) -> None: ...  # noqa: ANN401  # any callback
    def kill_after(self, steps: int) -> None: ...


class SimOperator:
    """Gives orders, and takes them all back once the world calms down.

    Attributes:
        share: of the worlds that may have an operator, the share of those that have one.
        killed: the share of orders after which the server is killed soon.
    """

    share = OPERATED
    killed = KILLED

    def __init__(self, world: Operated, seed: int, watch: OrderWatch, *, is_at_work: bool) -> None:
        self._world = world
        self._watch = watch
        self._rng = random.Random(f"operator {seed}")
        self._number = 0
        self.is_at_work = self._rng.random() < self.share and is_at_work

    def begin(self) -> None:
        if self.is_at_work:
            self._world.later(self._rng.expovariate(1 / BETWEEN_S), self._act)

    def _act(self) -> None:
        if self._world.is_calm:
            return
        run = self._world.server_run
        if run is not None and not run.is_over:
            self._order(run, self._draw(run))
            if self._rng.random() < self.killed:
                self._world.kill_after(self._rng.randint(*SOON))
        self.begin()

    def lift(self) -> bool:
        """Take back what still holds, one order at a time; return whether anything does."""
        run = self._world.server_run
        if not self.is_at_work:
            return False
        lifting = list(_lifting(kept(self._watch.rows)))
        if lifting and run is not None:
            self._order(run, lifting[0])
        return bool(lifting)

    # One order

    def _order(self, run: Ordered, drawn: Request) -> None:
        self._number += 1
        request = Request(drawn.action, drawn.arguments, why=f"order {self._number}")
        ledger, obeyed = self._world.ledger, self._obeyed(request)
        run.trace.count(RareEvent.OPERATED, f"{request.action} {request.arguments}")
        self._note_concerned(obeyed)
        self._watch.asked(obeyed)

        def answered(result: dict[str, Any]) -> None:
            self._note_concerned(obeyed)
            self._note_done(obeyed, result)
            self._watch.answered(obeyed, has_changed=bool(result["changed"]))

        def refused(error: str) -> None:
            ledger.trace.tell("operator", f"is refused: {error}")
            self._watch.refused(obeyed)

        run.order(request, answered, refused)

    def _obeyed(self, request: Request) -> Request:
        if request.action == "confirm":
            for held in self._held_orders():
                if held.id == request.arguments["id"]:
                    return Request(held.action, held.arguments, why=request.why)
        return request

    def _held_orders(self) -> list[HeldOrder]:
        return [HeldOrder.of(str(text)) for [text] in self._watch.rows(HELD)]

    def _note_concerned(self, request: Request) -> None:
        """Note what may come of an order, also where its answer is lost."""
        ledger, meant = self._world.ledger, self._meaning(request)
        given = meant.arguments
        if request.action in LETTING_IN:
            ledger.ladder.released()
        match meant.action:
            case "ban" | "rename":
                for name in self._meant(given):
                    ledger.put_out(name)
            case "close":
                for name in self._world.bot_names:
                    ledger.ladder.left(name)

    def _meaning(self, request: Request) -> Request:
        """Return an order, or what one comes to that takes back a line: a ban, or a close."""
        if request.action != "undo":
            return request
        for action, text in self._watch.rows(LINE.format(request.arguments["number"])):
            what = codec.from_json(text, dict[str, Any])
            if action == "open":
                return Request("close", what["arguments"])
            if what.get("former") is not None and action in BANNING:
                token = what["kind"] == "token"
                who = token_of(BEARERS[what["key"]]) if token else what["key"]
                return Request("ban", {what["kind"]: who})
        return request

    def _note_done(self, request: Request, result: dict[str, Any]) -> None:
        ledger, meant = self._world.ledger, self._meaning(request)
        changed = [change for change in result["changed"] if change.after is not None]
        if any(change.what == "ban" for change in changed) and meant.action == "ban":
            for name in self._meant(meant.arguments):
                ledger.sessions.banned(name)
        if request.action in SETTING:
            for change in changed:
                if change.what == "quarantine":
                    ledger.ladder.barred(
                        change.subject.removesuffix(f" in {LADDER}"), str(change.after)
                    )

    def _meant(self, given: dict[str, Any]) -> Iterator[str]:
        names = {given.get("name"), given.get("bot")}
        for name in self._world.bot_names:
            if name in names or given.get("token") == token_of(name):
                yield name

    # Which

    def _draw(self, run: Ordered) -> Request:
        lifting = list(_lifting(kept(self._watch.rows)))
        if lifting and self._rng.random() < LIFTED:
            return self._rng.choice(lifting)
        kinds = (
            *(self._bans, self._games, self._games, self._games, self._quarantines),
            *(self._names, self._holds, self._seasons, self._undone, self._settled),
        )
        choices: Sequence[Request] = ()
        while not choices:
            choices = self._rng.choice(kinds)(run)
        order = self._rng.choice(choices)
        if ACTIONS[order.action].may_wait and self._rng.random() < HELD_BACK:
            return Request("hold", {"action": order.action, "arguments": order.arguments})
        return order

    def _settled(self, _run: Ordered) -> Sequence[Request]:
        actions = ("confirm", "confirm", "drop")
        return [
            Request(action, {"id": held.id}) for held in self._held_orders() for action in actions
        ]

    def _bans(self, _run: Ordered) -> Sequence[Request]:
        spared = self._world.ledger.polite | self._world.ledger.house
        guilty = [name for name in self._world.bot_names if name not in spared]
        by_name = [Request("ban", {"name": name}) for name in guilty]
        by_token = [
            Request("ban", {"token": token_of(each)}) for each in guilty if each in RESERVED
        ]
        return *by_name, *by_token, Request("ban", {"address": "203.0.113.0/24"})

    def _games(self, _run: Ordered) -> Sequence[Request]:
        finished = self._watch.rows(FINISHED)
        bot = self._rng.choice(self._world.bot_names)
        return (
            *(Request("abort", {"game": game}) for game in self._world.games),
            *(Request("annul", {"games": [game]}) for game, _ in finished),
            *(Request("annul", {"match": match}) for _, match in finished),
            *(Request("replay", {"game": game}) for game, _ in finished),
            Request("annul", {"bot": bot}),
        )

    def _quarantines(self, _run: Ordered) -> Sequence[Request]:
        named = {"ladder": LADDER, "bot": self._rng.choice(self._world.bot_names)}
        spell = {**named, "for_s": self._rng.choice(FOR_S)}
        return Request("quarantine", spell), Request("release", named)

    def _names(self, _run: Ordered) -> Sequence[Request]:
        """Return other names for bots that are free to lose theirs, and two names made one."""
        ledger, formers = self._world.ledger, [str(name) for [name] in self._watch.rows(FORMERS)]
        free = [
            name
            for name in self._world.bot_names
            if name not in RESERVED and not ledger.sessions.is_revoked(name)
        ]
        new = f"{FORMER}{self._number}"
        renames = [Request("rename", {"bot": name, "new": new}) for name in free]
        merges = [
            Request("merge", {"bot": one, "into": two})
            for one in formers
            for two in formers
            if one != two
        ]
        return *renames, *merges

    def _holds(self, _run: Ordered) -> Sequence[Request]:
        return (
            Request("notice", {"text": f"Maintenance {self._number}."}),
            Request("pause", {"ladder": LADDER}),
            Request("pause", {"ladder": LADDER}),
            Request("close", {"ladder": LADDER}),
            Request("drain"),
            Request("recompute"),
        )

    def _seasons(self, _run: Ordered) -> Sequence[Request]:
        """End the season where the ladder is on hold; else put it on hold first."""
        if not any(subject == LADDER for _, subject in kept(self._watch.rows).switched):
            return (Request("pause", {"ladder": LADDER}),)
        return (Request("season", {"ladder": LADDER, "from_ratings": self._rng.random() < 1 / 2}),)

    def _undone(self, _run: Ordered) -> Sequence[Request]:
        return [Request("undo", {"number": number}) for [number] in self._watch.rows(LINES)]


class StackOperator(SimOperator):
    """The operator of the full stack, who keeps to what real clients meet without a fault."""

    share = 1.0
    killed = 0.05

    def _draw(self, run: Ordered) -> Request:
        """Return an order that the state may allow; half of them take the settings up again."""
        lifting = list(_lifting(kept(self._watch.rows)))
        holds = [each for each in self._holds(run) if each.action in BENIGN]
        return self._rng.choice((Request("reload"), self._rng.choice(lifting or holds)))


def _lifting(held: Holding) -> Iterator[Request]:
    """Return the orders that take back what holds, so that bots can play."""
    for what, subject in sorted(held.switched):
        match what:
            case "paused":
                yield Request("resume", {"ladder": subject})
            case "closed":
                yield Request("open", {"ladder": subject})
            case "drained":
                yield Request("undrain")
            case "notice":
                yield Request("notice")
    for key in sorted(held.banned):
        kind, _, who = key.partition(" ")
        if kind != "token":
            yield Request("unban", {kind: who})
        else:
            yield Request("unban", {"token": token_of(BEARERS[who])})

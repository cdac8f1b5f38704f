"""A simulated organiser: it steps into its event, and ends it once the world is calm."""

import random
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, Final

from mancala.server.config.events import Format
from mancala.server.contest.events.entry import EntryError
from mancala.server.contest.events.lifecycle import EventState, EventStep, StepError
from mancala.server.contest.live.contest import Contest
from mancala.server.control.wire import Request
from mancala.server.model.journal import Entry
from tests.simulate.event_knobs import EVENT
from tests.simulate.setup import Setup
from tests.simulate.trace import RareEvent

NAME: Final = "root"
FIRST_S: Final = (1.0, 20.0)
NEXT_S: Final = (3.0, 20.0)
CANCELLED: Final = 0.03
"""The share of orders that cancel the event."""
BY_HAND: Final = 0.5
"""The share of organisers who also pair by hand, reinstate, set results and reveal rounds."""
MOST_BY_HAND: Final = 3
"""How many orders they give at a time; those that make no sense are refused."""
TAKEN_BACK: Final = 0.2
"""The share of orders to pair by hand that take one back."""
EXCUSES: Final = 0.5
"""The share of orders to a Swiss event that are followed by one about a bye."""
GRANTED: Final = 0.8
"""The share of orders about a bye that give one; the others take one back."""


class SimOrganiser:
    """The organiser of a world's event."""

    def __init__(self, world: Setup, seed: int) -> None:
        """Prepare one; its byes are drawn apart from all else."""
        self._byes = random.Random(f"byes {seed}")
        self._hand = random.Random(f"hands {seed}")
        self._acts_by_hand = self._hand.random() < BY_HAND
        self._orders = 0
        self._world = world
        self._rng = world.trace.rng
        self._publishes = world.trace.happens(0.5)

    def begin(self) -> None:
        self._world.later(self._rng.uniform(*FIRST_S), self._step_in)

    def settle(self) -> bool:
        """Take the steps that an event needs to end; return whether it has."""
        contest = self._contest
        if contest is None:
            return False
        phase = contest.state.phase
        if phase.state is EventState.PAUSED:
            self._take(contest, EventStep.RESUME)
        elif not phase.has_begun:
            self._start(contest)
        elif phase.state is EventState.FINISHED and self._publishes:
            self._take(contest, EventStep.PUBLISH)
        elif phase.state is EventState.FINISHED and self._acts_by_hand:
            self._give(contest, RareEvent.REVEALED, "event-reveal", {"event": contest.name})
        return contest.state.phase.is_over

    @property
    def _contest(self) -> Contest | None:
        server = self._world.server_run
        return None if server is None else server.registry.contests.get(EVENT)

    def _step_in(self) -> None:
        if self._world.is_calm:
            return
        if (contest := self._contest) is not None:
            self._order(contest)
            is_swiss = contest.state.regulations.format is Format.SWISS
            if is_swiss and self._byes.random() < EXCUSES:
                self._bye(contest)
            for _ in range(MOST_BY_HAND * self._acts_by_hand):
                self._order_by_hand(contest)
        self._world.later(self._rng.uniform(*NEXT_S), self._step_in)

    def _order(self, contest: Contest) -> None:
        steps = contest.state.phase.steps()
        orders: list[Callable[[Contest], None]] = [self._withdraw, self._forfeit, self._replay]
        orders += [
            partial(self._take, step=step)
            for step in (EventStep.OPEN, EventStep.PAUSE, EventStep.RESUME, EventStep.RESUME)
            if step in steps
        ]
        if not contest.state.phase.has_begun:
            orders.append(self._start)
        if self._world.trace.happens(CANCELLED) and EventStep.CANCEL in steps:
            orders = [partial(self._take, step=EventStep.CANCEL)]
        self._rng.choice(orders)(contest)

    def _take(self, contest: Contest, step: EventStep) -> None:
        self._commit(contest, lambda: contest.stepped(step, NAME))

    def _start(self, contest: Contest) -> None:
        """Start the event, or cancel it once the world is calm and it has too few entrants."""
        try:
            self._commit(contest, lambda: contest.stepped(EventStep.PAIR, NAME))
        except EntryError:
            if self._world.is_calm:
                self._take(contest, EventStep.CANCEL)
        except StepError:
            return

    def _withdraw(self, contest: Contest) -> None:
        names = [each.name for each in contest.state.entrants if not each.has_withdrawn]
        if names and not contest.state.phase.is_over:
            name = self._rng.choice(names)
            self._world.ledger.events.hands.withdrew(name)
            self._commit(contest, lambda: contest.withdraw(name, NAME))

    def _bye(self, contest: Contest) -> None:
        state, rng = contest.state, self._byes
        names = [each.name for each in state.entrants if not each.has_withdrawn]
        number, has_bye = state.phase.round + rng.randint(1, 2), rng.random() < GRANTED
        if not names:
            return
        name = rng.choice(names)
        with suppress(EntryError):
            entrants = contest.excused(name, number, has_bye=has_bye)
            self._world.trace.count(RareEvent.EXCUSED, f"{name} {number} {has_bye}")
            step = "bye" if has_bye else "no-bye"
            self._commit(contest, lambda: contest.changed(step, entrants, NAME))

    def _forfeit(self, contest: Contest) -> None:
        names = [each.name for each in contest.state.entrants]
        if names and contest.encounters.unplayed_of(name := self._rng.choice(names)):
            self._world.ledger.events.forfeited_by_order(name)
            self._commit(contest, lambda: contest.forfeit(name))

    def _replay(self, contest: Contest) -> None:
        state = contest.state
        if EventState.PLAYING not in {state.phase.state, state.phase.resumes}:
            return
        place = self._rng.randrange(len(state.present_round.round.encounters))
        numbers = set(state.numbers_of(place)) & set(state.rows)
        if numbers and not contest.encounters.is_playing(place):
            self._world.ledger.events.hands.replayed(numbers)
            self._commit(contest, lambda: contest.replayed({place: numbers}, NAME, "again"))

    def _order_by_hand(self, contest: Contest) -> None:
        """Give one of the orders of an arbiter as the operator's port carries them out."""
        rng, state = self._hand, contest.state
        given: dict[str, Any] = {"event": contest.name}
        names = [each.name for each in state.entrants]
        gone = [each.name for each in state.entrants if each.has_withdrawn and each.has_rounds]
        kinds = [(RareEvent.REVEALED, "event-reveal", given)]
        if gone:
            given = {**given, "bot": rng.choice(gone)}
            kinds.append((RareEvent.REINSTATED, "event-reinstate", given))
        if len(names) > 1:
            pair = dict(zip(("bot", "opponent"), rng.sample(names, 2), strict=True))
            number, is_back = state.phase.round + rng.randint(1, 2), rng.random() < TAKEN_BACK
            given = {**given, **pair, "round": number, "take_back": is_back}
            kinds.append((RareEvent.BY_HAND, "event-pair", given))
            result = rng.choice(("win", "draw", "loss"))
            given = {"event": contest.name, "bot": pair["bot"], "result": result}
            kinds.append((RareEvent.RULED, "event-result", given))
        self._give(contest, *rng.choice(kinds))

    def _give(self, contest: Contest, event: RareEvent, action: str, given: dict[str, Any]) -> None:
        """Give an order, and note it as asked and, once it is durable, as answered."""
        run, trace, hands = (
            self._world.server_run,
            self._world.trace,
            self._world.ledger.events.hands,
        )
        if run is None:
            return
        self._orders += 1
        request = Request(action, given, why=f"by hand {self._orders}")
        hands.asked(request)

        def answered(result: dict[str, Any]) -> None:
            trace.count(event, f"{NAME} {given}")
            hands.answered(request, result, len(contest.state.rounds) + contest.is_pairing)

        run.order(request, answered, lambda error: trace.tell(NAME, f"is refused: {error}"))

    def _commit(self, contest: Contest, order: Callable[[], list[Entry]]) -> None:
        server = self._world.server_run
        if server is not None:
            self._world.trace.count(RareEvent.ORDERED, NAME)
            hides = contest.settings.hides_results
            done = partial(contest.ordered, ()) if hides else contest.look
            server.store.commit(order(), done, contest.stop)

"""The life of an event: which step leads from which state to which.

    draft → open → check-in → pairing → playing → closed → finished → published
                                 ↑_____________________|

A round is paired, played and closed; then the next one is paired, or the event is finished. An
event that is under way can be paused, which keeps its state for later, or cancelled. Entering and
checking in may be left out: an event whose entrants are listed is started as a draft.

What is legal is one table, :data:`NEXT`; code looks it up.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from msgspec import Struct
from msgspec.structs import replace


class EventState(StrEnum):
    """Where an event stands."""

    DRAFT = "draft"
    """It is being prepared."""
    OPEN = "open"
    """Bots may enter."""
    CHECK_IN = "check-in"
    """Those who entered confirm that they are there."""
    PAIRING = "pairing"
    """A round is being paired."""
    PLAYING = "playing"
    """A round is being played."""
    CLOSED = "closed"
    """The last round that was paired is over."""
    PAUSED = "paused"
    """No game begins until it is resumed."""
    FINISHED = "finished"
    """All rounds are over."""
    PUBLISHED = "published"
    """Its table is final."""
    CANCELLED = "cancelled"
    """It ended before its last round."""


class EventStep(StrEnum):
    """What leads from one state to the next."""

    OPEN = "open"
    CHECK_IN = "check-in"
    PAIR = "pair"
    PLAY = "play"
    CLOSE = "close"
    FINISH = "finish"
    PUBLISH = "publish"
    PAUSE = "pause"
    RESUME = "resume"
    CANCEL = "cancel"


ORDERS: Final = {
    "open": EventStep.OPEN,
    "check-in": EventStep.CHECK_IN,
    "start": EventStep.PAIR,
    "pause": EventStep.PAUSE,
    "resume": EventStep.RESUME,
    "publish": EventStep.PUBLISH,
    "cancel": EventStep.CANCEL,
}
"""What the organiser may order of an event, and the step that it is."""
BEFORE_ROUNDS: Final = (EventState.DRAFT, EventState.OPEN, EventState.CHECK_IN)
"""The states of an event that has not begun."""
UNDER_WAY: Final = (*BEFORE_ROUNDS, EventState.PAIRING, EventState.PLAYING, EventState.CLOSED)
"""The states that an event can be paused in."""
OVER: Final = (EventState.FINISHED, EventState.PUBLISHED, EventState.CANCELLED)
"""The states in which no game follows."""

NEXT: Final[dict[tuple[EventState, EventStep], EventState]] = {
    (EventState.DRAFT, EventStep.OPEN): EventState.OPEN,
    (EventState.DRAFT, EventStep.CHECK_IN): EventState.CHECK_IN,
    (EventState.OPEN, EventStep.CHECK_IN): EventState.CHECK_IN,
    **dict.fromkeys(((state, EventStep.PAIR) for state in BEFORE_ROUNDS), EventState.PAIRING),
    (EventState.PAIRING, EventStep.PLAY): EventState.PLAYING,
    (EventState.PLAYING, EventStep.CLOSE): EventState.CLOSED,
    (EventState.CLOSED, EventStep.PAIR): EventState.PAIRING,
    (EventState.CLOSED, EventStep.FINISH): EventState.FINISHED,
    (EventState.FINISHED, EventStep.PUBLISH): EventState.PUBLISHED,
    **dict.fromkeys(((state, EventStep.PAUSE) for state in UNDER_WAY), EventState.PAUSED),
    **dict.fromkeys(((state, EventStep.CANCEL) for state in UNDER_WAY), EventState.CANCELLED),
    (EventState.PAUSED, EventStep.CANCEL): EventState.CANCELLED,
}
"""The state after each step. ``resume`` is missing: it leads back to where the event was paused."""


class StepError(ValueError):
    """A step can't be taken in this state."""

    def __init__(self, state: EventState, step: EventStep) -> None:
        self.state = state
        self.step = step
        super().__init__(f"the step {step} can't be taken while the event is {state}")


class Phase(Struct, frozen=True):
    """Where an event stands.

    Attributes:
        round: the number of the last round that was paired, or is being paired; 0 before.
    """

    state: EventState = EventState.DRAFT
    round: int = 0
    resumes: EventState | None = None

    @property
    def has_begun(self) -> bool:
        """Whether its first round was paired, or is being paired."""
        return self.round > 0

    @property
    def is_over(self) -> bool:
        return self.state in OVER

    def after(self, step: EventStep) -> Phase:
        """Return where it stands after a step; raise `StepError` when the step can't be taken."""
        if step is EventStep.RESUME and self.resumes is not None:
            return replace(self, state=self.resumes, resumes=None)
        state = NEXT.get((self.state, step))
        if state is None:
            raise StepError(self.state, step)
        return Phase(
            state,
            self.round + (step is EventStep.PAIR),
            self.state if step is EventStep.PAUSE else None,
        )

    def steps(self) -> tuple[EventStep, ...]:
        legal = [step for step in EventStep if (self.state, step) in NEXT]
        return (*legal, EventStep.RESUME) if self.resumes is not None else tuple(legal)

    def orders(self) -> tuple[str, ...]:
        """Return what the organiser may order now; ``start`` also ends a rest."""
        legal = {*self.steps()}
        return tuple(order for order, step in ORDERS.items() if step in legal)

"""The time of a world: it passes in steps, and after each one the promises are checked."""

import asyncio
from collections.abc import Callable
from typing import Final

STEP_S: Final = 1.0


class Scenario:
    """Lets time pass; raises what goes wrong meanwhile."""

    def __init__(self, loop: asyncio.AbstractEventLoop, check: Callable[[], None]) -> None:
        """Begin with nothing wrong; ``check`` raises what promise is broken."""
        self._loop = loop
        self._check = check
        self._wrong: BaseException | None = None

    def note(self, error: BaseException) -> None:
        self._wrong = self._wrong or error

    def note_error(self, _loop: asyncio.AbstractEventLoop, facts: dict[str, object]) -> None:
        """Keep the first error of a callback; what a killed server leaves behind is none."""
        if isinstance(error := facts.get("exception"), BaseException):
            self.note(error)

    def check(self) -> None:
        self.raise_noted()
        self._check()

    def raise_noted(self) -> None:
        if self._wrong is not None:
            raise self._wrong

    async def wait(self, seconds: float) -> None:
        """Let time pass; raise what goes wrong meanwhile."""
        end = self._loop.time() + seconds
        while self._loop.time() < end:
            await asyncio.sleep(min(STEP_S, end - self._loop.time()))
            self.check()

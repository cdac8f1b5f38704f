"""The situations: a right bot passes all, each broken one fails its own with a clear sentence."""

import asyncio
import time
from collections.abc import Collection
from types import SimpleNamespace

import pytest

from mancala.protocol.rules import Board
from mancala.scripts.conformance import robot as robots
from mancala.scripts.conformance import situations
from mancala.scripts.conformance.link import Link
from mancala.scripts.conformance.robot import Times, listening
from mancala.scripts.conformance.situations import AGAIN, SITUATIONS, check
from mancala.scripts.conformance.verdicts import ConformanceReport
from tests.patience import PATIENCE_S, WALK_S
from tests.scripts.conformance.bots import (
    BROKEN,
    WRONG,
    Deliberate,
    GivesUp,
    GoodBot,
    Hasty,
    Moving,
    Mute,
    OneGame,
    OneMatch,
    OneMoveATurn,
    Passive,
    Slow,
)

PATIENT = Times(move_s=PATIENCE_S, late_s=PATIENCE_S, come_s=PATIENCE_S)
"""For a bot that answers: no machine is too slow for it."""
BRIEF = Times(move_s=0.3, late_s=0.2, come_s=2.0)
"""For a bot that does not answer."""
ONCE = Times(move_s=0.3, late_s=3.0, come_s=2.0)
"""For a bot that answers, and then does not."""
GONE = Times(move_s=PATIENCE_S, late_s=PATIENCE_S, come_s=2.0)
"""For a bot that answers, and then does not come back."""
TIMES = {Slow: BRIEF, OneGame: ONCE, OneMoveATurn: ONCE, GivesUp: GONE}
WAITS = {
    Mute: ("mancala.scripts.conformance.robot.HELLO_S", 1.0),
    Passive: ("mancala.scripts.conformance.situations.WISH_S", 0.3),
    Hasty: ("mancala.scripts.conformance.situations.BACK_AFTER_S", 10.0),
}
"""What is awaited for other times than usual: shorter in vain, or so long that early is early."""


async def checked(bot: GoodBot, times: Times, names: Collection[str] = ()) -> ConformanceReport:
    async with asyncio.timeout(WALK_S), listening("127.0.0.1", 0, times) as robot:
        playing = asyncio.create_task(bot.run(robot.url))
        try:
            return await check(robot, "trial", names)
        finally:
            playing.cancel()


async def test_a_right_bot_passes_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every situation is met, in the order of the list."""
    monkeypatch.setattr(situations, "STAY_AWAY_S", 0.3)
    report = await checked(GoodBot(), PATIENT)
    assert report.as_json()["failed"] == []
    assert report.as_json()["passed"] == list(SITUATIONS)
    assert report.as_text().endswith("20 passed, 0 failed")


@pytest.mark.parametrize("kind", BROKEN)
async def test_a_broken_bot_fails_with_the_right_sentence(
    kind: type[GoodBot], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It fails in one situation, and the report has what was expected, what came, and the rule."""
    if kind in WAITS:
        monkeypatch.setattr(*WAITS[kind])
    await fails(kind(), TIMES.get(kind, PATIENT), *BROKEN[kind])


@pytest.mark.parametrize("wrong", WRONG)
async def test_a_bot_whose_moves_are_wrong_fails_with_the_right_sentence(wrong: str) -> None:
    """In one member, by which the report names it."""
    changed, name, sentence = WRONG[wrong]
    await fails(Moving(changed), ONCE if wrong == "never final" else PATIENT, name, sentence)


async def fails(bot: GoodBot, times: Times, name: str, sentence: str) -> None:
    """Check what is reported of a bot that is broken in one way."""
    report = await checked(bot, times, {name})
    (verdict,) = report.failed
    assert verdict.situation == name
    assert sentence in str(verdict.failure)
    assert verdict.frames
    (failed,) = report.as_json()["failed"]
    assert set(failed) == {"situation", "expected", "got", "spec", "frames"}
    assert failed["spec"].startswith("SPEC.md, section ")
    assert failed["expected"] in report.as_text()


async def test_a_bot_that_comes_back_too_soon_is_found_while_its_old_connection_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its wait ends as it connects: regression, one that left its old socket open passed."""
    back, late_s = asyncio.Event(), 0.0
    clock = SimpleNamespace(monotonic=lambda: time.monotonic() + late_s)

    class TooSoonBack(Hasty):
        def hello(self) -> dict[str, object]:
            if self.session is not None:
                back.set()
            return super().hello()

    async def close(link: Link, code: int = 1000) -> None:
        nonlocal late_s
        await link.socket.close(code)
        await back.wait()
        late_s = 10.0

    for module in (situations, robots):
        monkeypatch.setattr(module, "time", clock)
    monkeypatch.setattr(Link, "close", close)
    monkeypatch.setattr(situations, "BACK_AFTER_S", 10.0)
    await fails(
        TooSoonBack(), PATIENT, "a restart of the server", "a connection after 10 s; got one after "
    )


async def test_a_bot_that_takes_its_time_passes() -> None:
    """No question is put while it still thinks about one whose time is not up."""
    times = Times(move_s=1.5, late_s=PATIENCE_S, come_s=PATIENCE_S)
    report = await checked(Deliberate(), times, {"forced moves and ends"})
    assert report.failed == []


async def test_a_bot_that_asks_for_one_match_may_leave_after_it() -> None:
    """It comes back for the next one: regression, what followed its goodbye was failed."""
    names = ("other sizes", "two games at once", "forced moves and ends", "a dropped connection")
    report = await checked(OneMatch(), PATIENT, names)
    assert report.failed == []


async def test_a_bot_that_is_gone_is_not_awaited_again() -> None:
    """What was not tried is neither passed nor failed."""
    report = await checked(GivesUp(), GONE, {"a dropped connection", "a restart of the server"})
    assert [verdict.situation for verdict in report.failed] == ["a dropped connection"]
    assert report.skipped == ("a restart of the server",)
    assert report.as_json()["skipped"] == ["a restart of the server"]
    assert "not tried, as the bot was gone or silent: a restart of the server" in report.as_text()


async def test_a_situation_that_there_is_not_is_an_error() -> None:
    """The message lists those that there are."""
    with pytest.raises(ValueError, match="no situation 'chess'; there are hello and welcome, "):
        await checked(GoodBot(), PATIENT, {"chess"})


def test_every_move_of_the_chain_moves_again() -> None:
    """The position of the extra turns holds what it says, however the bot plays."""
    board = Board.from_text(AGAIN)
    for pit in board.legal():
        assert board.sow(pit).again
        assert not board.sow(pit).board.is_over

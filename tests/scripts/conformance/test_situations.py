"""The situations: a right bot passes all, each broken one fails its own with a clear sentence."""

from __future__ import annotations

import asyncio
from collections.abc import Collection

import pytest

from protocol.rules import Board
from scripts.conformance import situations
from scripts.conformance.robot import Times, listening
from scripts.conformance.situations import AGAIN, SITUATIONS, check
from scripts.conformance.verdicts import Report
from tests.patience import PATIENCE_S
from tests.scripts.conformance.bots import BROKEN, Deliberate, GivesUp, GoodBot

PATIENT = Times(move_s=PATIENCE_S, late_s=PATIENCE_S, come_s=PATIENCE_S)
"""For a bot that answers: no machine is too slow for it."""
BRIEF = Times(move_s=0.3, late_s=0.2, come_s=2.0)
"""For a bot that does not answer."""
SHORT_OF_TIME = {"extra turns", "small clocks", "two games at once", "provisional moves"}


async def checked(bot: GoodBot, times: Times, names: Collection[str] = ()) -> Report:
    """Put a bot through situations."""
    async with asyncio.timeout(4 * PATIENCE_S), listening("127.0.0.1", 0, times) as robot:
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
    assert report.as_text().endswith("19 passed, 0 failed")


@pytest.mark.parametrize("kind", BROKEN)
async def test_a_broken_bot_fails_with_the_right_sentence(
    kind: type[GoodBot], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It fails in one situation, and the report has what was expected, what came, and the rule."""
    name, sentence = BROKEN[kind]
    monkeypatch.setattr(situations, "WISH_S", 0.3)
    monkeypatch.setattr("scripts.conformance.robot.HELLO_S", 1.0)
    is_awaited = name in SHORT_OF_TIME or sentence.startswith(("a connection within", "hello"))
    report = await checked(kind(), BRIEF if is_awaited else PATIENT, {name})
    (verdict,) = report.failed
    assert verdict.situation == name
    assert sentence in str(verdict.failure)
    assert verdict.frames
    (failed,) = report.as_json()["failed"]
    assert set(failed) == {"situation", "expected", "got", "spec", "frames"}
    assert failed["spec"].startswith("SPEC.md, section ")
    assert failed["expected"] in report.as_text()


async def test_a_bot_that_takes_its_time_passes() -> None:
    """No question is put while it still thinks about one whose time is not up."""
    times = Times(move_s=1.5, late_s=1.5, come_s=PATIENCE_S)
    report = await checked(Deliberate(), times, {"forced moves and ends"})
    assert report.failed == []


async def test_a_bot_that_is_gone_is_not_awaited_again() -> None:
    """What was not tried is neither passed nor failed."""
    report = await checked(GivesUp(), BRIEF, {"a dropped connection", "a restart of the server"})
    assert [verdict.situation for verdict in report.failed] == ["a dropped connection"]
    assert report.skipped == ("a restart of the server",)
    assert report.as_json()["skipped"] == ["a restart of the server"]
    assert "not tried, as the bot was gone: a restart of the server" in report.as_text()


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

"""How an action is carried out: planned, logged, durable, and only then announced."""

import asyncio
from dataclasses import replace
from pathlib import Path
from unittest.mock import AsyncMock

import pytest

from mancala.server.control import operator as module
from mancala.server.control.actions import Action, Arguments
from mancala.server.control.operator import (
    Operator,
    Order,
    Plan,
    RefusedError,
    Target,
    UsageError,
    end_of,
)
from mancala.server.control.wire import Change, Request
from mancala.server.store.rows.orders import logged
from tests.patience import PATIENCE_S
from tests.server.fakes import FakeJournal
from tests.server.peers import arena


class WordArguments(Arguments, frozen=True):
    """An argument."""

    word: str


async def shout(_target: Target, given: WordArguments, order: Order) -> Plan:
    return Plan(changed=(Change("word", given.word, None, order.by),))


SHOUT = {"shout": Action("shout", WordArguments, "Shout.", f"{__name__}:shout")}
WRONG = (
    (Request("whisper"), "whisper; there are shout"),
    (Request("shout"), "shout: .*word"),
    (Request("shout", {"word": 1}), "shout: .*word"),
    (Request("shout", {"word": "a", "loud": True}), "shout: .*loud"),
)
NOW = "2026-01-31T12:00:00.000+00:00"


async def linger(_target: Target, _given: Arguments, _order: Order) -> Plan:
    await asyncio.Event().wait()
    return Plan()


def test_an_operator_has_the_plan_of_each_order_when_it_begins() -> None:
    """Else the first order of a kind would find that it is missing, amid games."""
    lost = {"lost": Action("lost", Arguments, "Get lost.", f"{__name__}:lost")}
    with pytest.raises(AttributeError, match="lost"):
        Operator(AsyncMock(), SHOUT | lost)


async def test_an_order_without_an_end_blocks_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those that wait hear what for; it is given up after its time, and changes nothing."""
    actions = SHOUT | {"linger": Action("linger", Arguments, "Linger.", f"{__name__}:linger")}
    monkeypatch.setattr(module, "TURN_S", 0.0)
    async with arena(tmp_path) as running:
        operator = Operator(running.server.target, actions)
        with monkeypatch.context() as patched:
            patched.setattr(module, "PLAN_S", 0.1)
            endless = asyncio.create_task(operator.carry_out(Request("linger"), "ann"))
            await asyncio.sleep(0)
            with pytest.raises(RefusedError, match="linger by ann is being carried out"):
                await operator.carry_out(Request("shout", {"word": "hey"}), "bob")
            with pytest.raises(RefusedError, match=r"linger took more than 0.1 s"):
                await endless
        await operator.carry_out(Request("shout", {"word": "hey"}), "bob")


async def test_an_action_and_its_line_of_the_trail_are_one(tmp_path: Path) -> None:
    """Who, when, what and why."""
    async with arena(tmp_path) as running:
        target = running.server.target
        operator = Operator(target, SHOUT)
        result = await operator.carry_out(Request("shout", {"word": "hey"}, why="fun"), "root")
        [(number, act)] = await target.store.run(lambda each: logged(each, 10))
    assert result["changed"] == (Change("word", "hey", None, "root"),)
    assert (number, act.by, act.action, act.why) == (1, "root", "shout", "fun")
    assert '"word":"hey"' in act.what


async def test_a_dry_run_changes_and_logs_nothing(tmp_path: Path) -> None:
    """It says what would change."""
    async with arena(tmp_path) as running:
        target = running.server.target
        operator = Operator(target, SHOUT)
        request = Request("shout", {"word": "hey"}, dry_run=True)
        result = await operator.carry_out(request, "root")
        assert await target.store.run(lambda each: logged(each, 10)) == []
    assert result["dry_run"]
    assert result["changed"]


async def test_a_wrong_request_is_refused_by_what_is_wrong(tmp_path: Path) -> None:
    """An action, an argument, or its type."""
    async with arena(tmp_path) as running:
        operator = Operator(running.server.target, SHOUT)
        for request, named in WRONG:
            with pytest.raises(UsageError, match=named):
                await operator.carry_out(request, "root")


async def test_what_the_store_refuses_is_rolled_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is not announced, and the operator hears so."""
    happened: list[str] = []
    given = Plan(
        changed=(Change("word", "hey"),),
        done=lambda: happened.append("done"),
        roll_back=lambda: happened.append("rolled back"),
    )
    monkeypatch.setitem(globals(), "shout", AsyncMock(return_value=given))
    async with arena(tmp_path) as running:
        target, journal = running.server.target, FakeJournal()
        journal.refuses = lambda _entry: True
        context = replace(target.context, journal=journal)
        operator = Operator(replace(target, context=context), SHOUT)
        with pytest.raises(RefusedError, match="the store could not take it"):
            await operator.carry_out(Request("shout", {"word": "hey"}), "root")
    assert happened == ["rolled back"]


async def test_an_order_ends_though_what_follows_from_it_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It waited for ever and kept the turn of all others; the fault is the event loop's."""
    happened: list[str] = []

    def fail() -> None:
        raise ValueError("no such round")

    given = Plan(changed=(Change("word", "hey"),), done=fail)
    monkeypatch.setitem(globals(), "shout", AsyncMock(return_value=given))
    async with arena(tmp_path) as running:
        asyncio.get_running_loop().set_exception_handler(
            lambda _loop, fault: happened.append(str(fault["exception"]))
        )
        operator = Operator(running.server.target, SHOUT)
        async with asyncio.timeout(PATIENCE_S):
            await operator.carry_out(Request("shout", {"word": "hey"}), "root")
    assert happened == ["no such round"]


@pytest.mark.parametrize(
    ("until", "for_s", "end"),
    [
        (None, None, None),
        (None, 90.0, "2026-01-31T12:01:30.000+00:00"),
        ("2026-01-31T18:00:00+01:00", None, "2026-01-31T17:00:00.000+00:00"),
    ],
)
def test_an_end_is_named_by_time_or_by_length(
    until: str | None, for_s: float | None, end: str | None
) -> None:
    """An end that is not named is never, and none is now."""
    assert end_of(until, for_s, NOW) == end
    with pytest.raises(UsageError, match="is over already"):
        end_of(NOW, None, NOW)


@pytest.mark.parametrize(
    ("changes", "said"), [(10, ""), (11, " and 1 more"), (400, " and 390 more")]
)
def test_the_log_names_ten_changes_of_an_order_and_how_many_more_there_are(
    changes: int, said: str
) -> None:
    """An order that annuls all games of a bot is one line."""
    plan = Plan(changed=tuple(Change("game", f"g{number}") for number in range(changes)))
    named = ", ".join(f"game g{number}" for number in range(10))
    assert str(plan) == named + said

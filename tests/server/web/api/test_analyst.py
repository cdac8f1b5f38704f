"""Values of positions, from a process that may be slow, fail or never answer."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import pytest

from mancala.protocol.rules import Board, Rules
from mancala.server.health.log import NullLog
from mancala.server.web.api import analyst as module
from mancala.server.web.api.analyst import Analyst
from mancala.server.web.http.responses import BusyError
from tests.patience import PATIENCE_S

ANSWER: Final = '{"ply":0,"moves":[{"pit":0,"value":%d}],"line":[0]}'
COUNTS: Final = f"""
import sys
for number, line in enumerate(sys.stdin):
    print('{ANSWER}' % number + 60_000 * ' ', flush=True)
"""
FAILS: Final = "import sys; sys.stdin.readline(); print('nonsense', flush=True)"
ENDS: Final = "pass"
ASKER: Final = ("192.0.2.1",)
OTHER: Final = ("192.0.2.2",)
NEVER_ANSWERS: Final = "import sys; sys.stdin.read()"


@asynccontextmanager
async def asked(folder: Path, program: str) -> AsyncIterator[Analyst]:
    script = folder / "program.py"
    script.write_text(program)
    analyst = Analyst(NullLog(), (sys.executable, str(script)))
    try:
        async with asyncio.timeout(PATIENCE_S):
            yield analyst
    finally:
        await analyst.close()


def board(number: int) -> Board:
    return Board(Rules(), ((number, *[4] * 5), (4,) * 6), (0, 0))


async def test_questions_alike_share_an_answer_that_is_kept(tmp_path: Path) -> None:
    """The program is asked once for each position; its answer may take 60 kB."""
    async with asked(tmp_path, COUNTS) as analyst:
        same = await asyncio.gather(*(analyst.ask(board(1), ASKER) for _ in range(20)))
        other = await analyst.ask(board(2), ASKER)
        again = await analyst.ask(board(1), ASKER)
    assert {answer.moves[0].value for answer in (*same, again)} == {0}
    assert other.moves[0].value == 1


@pytest.mark.parametrize("program", [FAILS, ENDS])
async def test_a_program_that_fails_is_started_anew(tmp_path: Path, program: str) -> None:
    """The one who asked gets an error; the next question is put to a new process."""
    async with asked(tmp_path, program) as analyst:
        for _ in range(2):
            with pytest.raises(BusyError, match="failed"):
                await analyst.ask(board(1), ASKER)
        (tmp_path / "program.py").write_text(COUNTS)
        assert (await analyst.ask(board(1), ASKER)).line == (0,)


async def test_the_questions_that_wait_are_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beyond the bound one is refused immediately, and the others after a while."""
    monkeypatch.setattr(module, "PATIENCE_S", 0.0)
    async with asked(tmp_path, NEVER_ANSWERS) as analyst:
        for number in range(module.MOST_WAITING):
            with pytest.raises(BusyError, match="getting ready"):
                await analyst.ask(board(number), ASKER)
        with pytest.raises(BusyError, match="too many"):
            await analyst.ask(board(99), ASKER)


@pytest.mark.parametrize("askers", [1, module.MOST_WAITING])
async def test_one_that_was_served_makes_room_for_one_that_was_not(
    tmp_path: Path, askers: int
) -> None:
    """Strangers at one address or many fill the queue; a visitor's question is the next one."""
    async with asked(tmp_path, COUNTS) as analyst:
        for number in range(askers):
            await analyst.ask(board(number), (f"192.0.2.{100 + number}",))
        taken = [
            asyncio.create_task(
                analyst.ask(board(100 + number), (f"192.0.2.{100 + number % askers}",))
            )
            for number in range(module.MOST_WAITING)
        ]
        await asyncio.sleep(0)
        visitor = asyncio.create_task(analyst.ask(board(99), ASKER))
        strangers = await asyncio.gather(*taken, return_exceptions=True)
        values = [each.moves[0].value for each in strangers if not isinstance(each, BaseException)]
        assert (await visitor).moves[0].value == askers + 1
    assert [str(each) for each in strangers if isinstance(each, BaseException)] == [module.TOO_MANY]
    assert len(values) == module.MOST_WAITING - 1


async def test_a_question_that_others_share_has_the_first_turn_of_them(tmp_path: Path) -> None:
    """A stranger can't keep a position back by asking for it first."""
    async with asked(tmp_path, COUNTS) as analyst:
        questions = [(1, OTHER), (2, OTHER), (3, OTHER), (3, ASKER)]
        tasks = [asyncio.create_task(analyst.ask(board(at), by)) for at, by in questions]
        answers = await asyncio.gather(*tasks)
    assert [answer.moves[0].value for answer in answers] == [0, 2, 1, 1]


async def test_a_program_that_is_ended_as_idle_is_asked_no_more(tmp_path: Path) -> None:
    """A question that comes at that moment is put to a new process."""
    async with asked(tmp_path, COUNTS) as analyst:
        first = await analyst.ask(board(1), ASKER)
        analyst._kill()
        second = await analyst.ask(board(2), ASKER)
    assert [each.moves[0].value for each in (first, second)] == [0, 0]


async def test_a_program_that_hangs_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its question fails, and the next one finds a new process."""
    monkeypatch.setattr(module, "ANSWER_S", 0.01)
    async with asked(tmp_path, NEVER_ANSWERS) as analyst:
        with pytest.raises(BusyError, match="failed"):
            await analyst.ask(board(1), ASKER)
        monkeypatch.undo()
        (tmp_path / "program.py").write_text(COUNTS)
        assert (await analyst.ask(board(1), ASKER)).line == (0,)

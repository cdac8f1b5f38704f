"""Which line of a program answers which question."""

import asyncio
from collections import deque
from typing import cast

import pytest

from mancala.bot.players.programs.dialogue import NO_GAME, BadLineError, Dialogue, ProgramGame
from mancala.bot.players.programs.process import Process
from mancala.protocol.clock import TimeControl
from mancala.protocol.messages import Info
from mancala.protocol.player import Budget, Choice, PlayerError
from mancala.protocol.rules import KALAH, Board, Rules

START = Board.start(KALAH)
SOON = Budget(time_s=0.0, deadline_s=0.0)
LONG = Budget(time_s=1000.0, deadline_s=1000.0)


class Script:
    """A process that answers each question with the next lines of a script."""

    def __init__(self, *answers: str) -> None:
        self.asked: list[str] = []
        self._answers = deque(answers)
        self._words: deque[bytes] = deque()

    def put(self, line: str) -> None:
        self.asked.append(line.rstrip("\n"))
        if self._answers:
            words = self._answers.popleft().split(",")
            self._words.extend(word.strip().encode() for word in words if word)

    def answer_next(self, *answers: str) -> None:
        self._answers.extend(answers)

    async def word(self) -> bytes:
        if not self._words:
            await asyncio.Event().wait()
        return self._words.popleft()

    async def pass_over(self) -> None:
        self._words.clear()


async def ask(
    dialogue: Dialogue, budget: Budget = LONG, *, board: Board = START, game: ProgramGame = NO_GAME
) -> int:
    now = asyncio.get_running_loop().time()
    return (await dialogue.answer(board, budget, now, game)).pit


def dialogue_with(script: Script, **options: str) -> Dialogue:
    return Dialogue(cast("Process", script), options=options)


async def test_a_program_that_says_ready_is_asked_with_numbers() -> None:
    """What belongs to another question is dropped."""
    script = Script("a banner, 3, ready", "5 #1, done #1, 2 #2, done #2")
    dialogue = dialogue_with(script)
    await dialogue.rehearse(KALAH)
    assert await ask(dialogue) == 2
    assert script.asked[1].endswith(" #2")


async def test_a_number_may_not_be_left_out() -> None:
    """A program that asked for numbers uses them."""
    dialogue = dialogue_with(Script("ready", "2, done"))
    await dialogue.rehearse(KALAH)
    with pytest.raises(BadLineError, match="2"):
        await ask(dialogue)


async def test_a_late_done_ends_no_other_answer() -> None:
    """After a question whose time was up, everything until its ``done`` is dropped."""
    dialogue = dialogue_with(Script("0, done", "", "4, done, 1, done"))
    await dialogue.rehearse(KALAH)
    with pytest.raises(TimeoutError):
        await ask(dialogue, SOON)
    assert await ask(dialogue) == 1


async def test_a_done_without_a_pit_ends_nothing() -> None:
    """The answer is the pit that follows."""
    assert await ask(dialogue_with(Script("done, 3, done"))) == 3


async def test_what_is_no_legal_pit_is_quoted() -> None:
    """The error holds the beginning of the line."""
    with pytest.raises(BadLineError) as caught:
        await ask(dialogue_with(Script("six")))
    assert caught.value.line == "six"


async def test_a_program_of_version_2_is_told_options_rules_and_game() -> None:
    """Once, and again where they change; a question is the position and then the time."""
    script = Script("ready 2", "", "", "", "", "2 #2, done #2")
    dialogue = dialogue_with(script, depth="5")
    await dialogue.rehearse(KALAH)
    game = ProgramGame("g1", TimeControl(move_ms=500), seed=7, opponent="bob")
    assert await ask(dialogue, game=game) == 2
    assert script.asked[1:] == [
        "option depth 5",
        "rules pits 6 seeds 4 capture opposite relap false majority false",
        "newgame g1 seat 0 move_ms 500 increment_ms 0 timeout forfeit seed 7 opponent bob",
        f"position {START.text}",
        "go 1000000 #2",
    ]
    del script.asked[:]
    script.answer_next("", "1 #3, done #3")
    assert await ask(dialogue, game=game) == 1
    assert script.asked == [f"position {START.text}", "go 1000000 #3"]
    del script.asked[:]
    script.answer_next("", "", "", "1 #4, done #4")
    small = Board.start(Rules.parse("kalah:pits=2,seeds=1"))
    assert await ask(dialogue, board=small, game=game) == 1
    assert [line.split()[0] for line in script.asked] == ["rules", "newgame", "position", "go"]


async def test_a_program_of_version_2_is_stopped_when_its_time_is_up() -> None:
    """Once; what it named by then is played."""
    script = Script("ready 2", "", "", "", "3 #2")
    dialogue = dialogue_with(script)
    await dialogue.rehearse(KALAH)
    assert await ask(dialogue, Budget(time_s=0.0, deadline_s=1000.0)) == 3
    assert [line for line in script.asked if line.startswith("stop")] == ["stop #2"]


async def test_a_program_of_version_2_reports_its_search() -> None:
    """Value, depth, nodes and line of play come with the pit."""
    script = Script(
        "ready 2", "", "", "", "3 value -1.5 depth 7 nodes 99 exact no pv 3 0 #2, done #2"
    )
    dialogue = dialogue_with(script)
    await dialogue.rehearse(KALAH)
    offers: list[Choice] = []
    await ask(dialogue, LONG._replace(offer=offers.append))
    assert [(each.pit, each.info) for each in offers] == [
        (3, Info(value=-1.5, depth=7, nodes=99, exact=False, pv=(3, 0)))
    ]


@pytest.mark.parametrize("line", ["3 value nan", "3 depth -1", "3 pv 0 x", "9", "x", "3 value 1e9"])
async def test_a_search_that_cannot_be_is_a_bad_line(line: str) -> None:
    """It would be refused on a server."""
    dialogue = dialogue_with(Script("ready 2", "", "", "", f"{line} #2"))
    await dialogue.rehearse(KALAH)
    with pytest.raises(BadLineError, match=line[0]):
        await ask(dialogue)


async def test_a_program_of_version_2_resigns_with_a_cause() -> None:
    """The cause is kept with the loss."""
    dialogue = dialogue_with(Script("ready 2", "", "", "", "resign out of book #2"))
    await dialogue.rehearse(KALAH)
    with pytest.raises(PlayerError, match="the program said: out of book"):
        await ask(dialogue)

"""A person's game: what is shown, what is asked again, how it ends."""

import pytest

from mancala.bot.client.bot import Bot, Turn
from mancala.protocol.messages import Info
from mancala.protocol.player import Choice
from mancala.protocol.rules import PRESETS, Board
from mancala.scripts.console.views.drawing import Numbering
from mancala.scripts.console.views.terminal_game import (
    Chooser,
    Computer,
    LeftError,
    Person,
    ShownMove,
    play,
)


class FirstPitBot(Bot):
    """Sows the first legal pit and says so."""

    async def choose(self, turn: Turn) -> Choice:
        return Choice(turn.legal[0], Info(depth=1, value=0.5, nodes=1234))


def at_the_keyboard(
    said: list[str], *lines: str, numbering: Numbering = Numbering.OWN, hint: Chooser | None = None
) -> Chooser:
    script = iter(lines)

    def ask() -> str:
        for line in script:
            return line
        raise EOFError

    return Person(ask, said.append, numbering, hint)


def test_a_move_shows_the_board_the_question_and_the_four_outputs() -> None:
    """Pits are numbered from 0 in the mover's direction, for both players."""
    said: list[str] = []
    me = at_the_keyboard(said, "4")
    with pytest.raises(LeftError):
        play(Board.start(), (me, me), said.append, [])
    shown = "\n".join(said)
    assert "Player 1's Turn! Choose a number in range [0, 1, 2, 3, 4, 5]" in shown
    assert "    Player 1 selected pit 4: 4 seeds (+1, 0, 0)" in shown
    assert "Player 2's Turn! Choose a number in range [0, 1, 2, 3, 4, 5]" in shown
    assert str(Board.start().sow(4).board) in shown


def test_the_articles_numbering_shows_what_the_article_shows() -> None:
    """One move by the article's number 1 prints what the article prints."""
    said: list[str] = []
    me = at_the_keyboard(said, "1", numbering=Numbering.ARTICLE)
    with pytest.raises(LeftError):
        play(Board.start(), (me, me), said.append, [], Numbering.ARTICLE)
    shown = "\n".join(said)
    assert "Player 1's Turn! Choose a number in range [0, 1, 2, 3, 4, 5]" in shown
    assert "    Player 1 selected pit 1: 4 seeds (+1, 0, 0)" in shown
    assert "  13 | 1 |=======================| 0 | 6" in shown
    assert "Player 2's Turn! Choose a number in range [7, 8, 9, 10, 11, 12]" in shown


def test_a_move_is_taken_back_with_the_answer_to_it() -> None:
    """The person is asked again where it chose, and the moves since then are not recorded."""
    said: list[str] = []
    steps: list[ShownMove] = []
    me = at_the_keyboard(said, "u", "4", "undo", "3")
    computer = Computer(FirstPitBot(), budget_s=0.01)
    with pytest.raises(LeftError):
        play(Board.start(), (me, computer), said.append, steps)
    computer.close()
    assert [step.pit for step in steps] == [3, 0]
    assert "    There is no move of yours to take back.\n" in said
    assert "    Taken back.\n" in said
    assert said.count(f"{Board.start()}\n") == 3


def test_a_hint_names_a_pit_by_its_number() -> None:
    """The adviser's move, and why; nothing is played."""
    said: list[str] = []
    computer = Computer(FirstPitBot(), budget_s=0.01)
    me = at_the_keyboard(said, "h", "2", numbering=Numbering.ARTICLE, hint=computer)
    assert me(Board.start()) == Choice(3)
    computer.close()
    assert said[-1] == "    Hint: pit 5 (depth 1, value +0.50, 1,234 nodes)"


def test_the_four_outputs_are_explained_on_request() -> None:
    """Each of them has a line, and the words that may be typed another."""
    said: list[str] = []
    at_the_keyboard(said, "?", "2")(Board.start())
    assert "moves again" in said[-1]
    assert "u takes your last move back" in said[-1]


@pytest.mark.parametrize(
    ("numbering", "right", "typed", "complaint"),
    [
        (Numbering.OWN, "1", "", "'' is not a number"),
        (Numbering.OWN, "1", "one", "'one' is not a number"),
        (Numbering.OWN, "1", "-1", "'-1' is not a number"),
        (Numbering.OWN, "1", "²", "'²' is not a number"),
        (Numbering.OWN, "1", "6", "6 is not the number of a pit"),
        (Numbering.OWN, "1", "9" * 5000, "is not the number of a pit"),
        (Numbering.OWN, "1", "0", "pit 0 is empty"),
        (Numbering.ARTICLE, "4", "13", "13 is not the number of a pit"),
        (Numbering.ARTICLE, "4", "99", "99 is not the number of a pit"),
        (Numbering.ARTICLE, "4", "6", "6 is not the number of a pit"),
        (Numbering.ARTICLE, "4", "9", "pit 9 is the other player's"),
        (Numbering.ARTICLE, "4", "5", "pit 5 is empty"),
    ],
)
def test_a_wrong_answer_is_asked_again_naming_what_was_wrong(
    numbering: Numbering, right: str, typed: str, complaint: str
) -> None:
    """Nothing is played until the answer is a pit of one's own that holds seeds."""
    said: list[str] = []
    board = Board.from_text("<6,0,0,0,4,4,4,4,4,4,4,4,4,4,4>")
    assert at_the_keyboard(said, typed, right, numbering=numbering)(board) == Choice(1)
    assert complaint in said[-1]


@pytest.mark.parametrize("words", [["q"], ["quit"], [" Quit "], []])
def test_a_person_may_leave_with_a_word_or_at_the_end_of_the_input(words: list[str]) -> None:
    """Leaving is no error of the game; a script that runs out is a person who went away."""
    with pytest.raises(LeftError):
        at_the_keyboard([], *words)(Board.start())


def test_a_game_between_computers_ends_with_its_verdict() -> None:
    """Every move is shown with the player's value of it, and the winner is named."""
    said: list[str] = []
    computer = Computer(FirstPitBot(), budget_s=0.01)
    steps: list[ShownMove] = []
    play(Board.start(PRESETS["article"]), (computer, computer), said.append, steps)
    computer.close()
    assert said[-1].startswith("Game over: ")
    assert said.count("    depth 1, value +0.50, 1,234 nodes") == len(steps)
    assert steps[-1].sowing.board.is_over

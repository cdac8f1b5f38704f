"""What a model is asked, and what its answer is worth."""

import json
from typing import Any

import pytest

from mancala.bot.players.models.contracts import CONTRACTS
from mancala.protocol.loss import ProvenPosition
from mancala.protocol.rules import Board
from mancala.yardstick import SPLITS, AnswerError, Question, prompt, questions, read, summary

POSITION = ProvenPosition(7, "late", "<6,3,9,1,0,1,7,0,7,1,0,3,8,7,1>", {0: -10, 2: -18, 3: -4})
BOARD = Board.from_text(POSITION.board)


@pytest.mark.parametrize(
    ("contract", "best", "worst"), [("arena", 3, 2), ("kaggle", 4, 3), ("disguised", 3, 4)]
)
def test_an_answer_is_worth_what_it_does_not_lose(contract: str, best: int, worst: int) -> None:
    """1 for the best pit, 0 for the worst, in the numbers of each contract."""
    question = Question(POSITION, contract)
    assert question.mark(f'I sow {{"move": {best}}}').metrics == {
        "score": 1.0,
        "loss": 0.0,
        "best": 1.0,
        "legal": 1.0,
    }
    mark = question.mark(f'{{"move": {worst}}}')
    assert (mark.score, mark.loss, mark.pit) == (0.0, 14, 2)


def test_an_answer_without_a_legal_pit_loses_as_the_worst_pit_does() -> None:
    """An illegal one and none at all are told apart."""
    illegal, none = Question(POSITION).mark('{"move": 1}'), Question(POSITION).mark("I give up.")
    assert (illegal.score, illegal.loss, illegal.is_silent) == (0, 14, False)
    assert illegal.fault == "your pit 1 is empty"
    assert (none.score, none.is_silent) == (0, True)
    assert none.metrics["legal"] == 0


def test_a_question_has_a_name_of_its_own() -> None:
    """Also among those of another split, whose positions are numbered from 0, too."""
    kinds: list[dict[str, Any]] = [{"contract": name} for name in CONTRACTS]
    asked = [
        each
        for split in SPLITS
        for kind in [*kinds, {"track": True}]
        for each in questions(split, **kind)
    ]
    assert len({each.id for each in asked}) == len(asked)


def test_a_question_survives_its_json() -> None:
    """Harnesses keep it beside the answer."""
    for question in (Question(POSITION, "kaggle"), Question(POSITION, sowings=(0, 3))):
        assert Question.from_dict(json.loads(json.dumps(question.to_dict()))) == question


def test_a_board_is_tracked_over_sowings() -> None:
    """All numbers right, in the stated order, or nothing."""
    question = Question(POSITION, sowings=(3, 2))
    board = BOARD.sow(3).board.sow(2).board
    said = [*board.pits[0], board.stores[0], *board.pits[1], board.stores[1]]
    assert "sown from here" in question.prompt
    assert question.mark(f'so {{"board": {said}}}').score == 1
    said[0] += 1
    assert question.mark(f'so {{"board": {said}}}').score == 0
    assert question.mark("no").fault.startswith("there is no JSON object")


def test_sowings_are_legal_and_grow() -> None:
    """1 to 6 in turn, the same ones each time."""
    asked = questions("test", track=True, limit=12)
    assert [len(each.sowings) for each in asked[:3]] == [1, 2, 3]
    assert asked == questions("test", track=True, limit=12)


def test_the_disguise_names_neither_the_game_nor_its_parts() -> None:
    """A model that knows the game by heart has to read."""
    words = prompt(BOARD, contract="disguised").lower()
    for word in ("kalah", "mancala", "pit", "seed", "sow", "store", "legal moves"):
        assert word not in words
    assert read('{"move": 6}', BOARD, contract="disguised") == 0
    with pytest.raises(AnswerError, match="empty"):
        read('{"move": 5}', BOARD, contract="disguised")


def test_a_summary_is_of_means() -> None:
    """Greed counts where it loses; silence is no move at all."""
    question = Question(POSITION)
    marks = [question.mark(text) for text in ('{"move": 3}', '{"move": 2}', '{"move": 1}', "-")]
    found = summary(marks)
    assert (found["score"], found["best"], found["legal"]) == (0.25, 0.25, 0.5)
    assert (found["loss"], found["silent"]) == (10.5, 0.25)
    assert summary([]) == {}


def test_an_unknown_contract_is_named() -> None:
    """With those there are."""
    with pytest.raises(ValueError, match="one of arena, kaggle, disguised, not 'chess'"):
        questions(contract="chess")

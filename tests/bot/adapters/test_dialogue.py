"""The program's side of section 13."""

import io

import pytest

from mancala.bot.adapters.dialogue import Adapter, ProgramQuestion, converse


class _Recorder(Adapter):
    """Remembers what it is asked, and answers the last legal pit."""

    def __init__(self) -> None:
        super().__init__(())
        self.heard: list[object] = []
        self.options: dict[str, str] = {}

    def warm_up(self) -> None:
        self.heard.append("warm up")

    def set_option(self, name: str, value: str) -> None:
        self.options[name] = value

    def answer(self, question: ProgramQuestion) -> str:
        self.heard.append(question)
        return str(question.board.legal()[-1])

    def close(self) -> None:
        self.heard.append("close")


def test_each_question_is_answered_with_its_number() -> None:
    """The rehearsal starts the program; unknown lines are ignored; ``quit`` ends it."""
    lines = (
        "<6,0,0,4,4,4,4,4,4,4,4,4,4,4,4> 100\noption Hash 16\n"
        "rules pits 2 seeds 1\nnewgame g7 seat 1 move_ms 9\n"
        "position <2,0,0,1,0,1,1>\ngo 250 #5 pie\nstop #5\ndance\nquit\ngo 1 #6\n"
    )
    out, program = io.StringIO(), _Recorder()
    converse(program, io.StringIO(lines), out)
    begun, question, ended = program.heard
    assert isinstance(question, ProgramQuestion)
    assert (begun, ended) == ("warm up", "close")
    assert program.options == {"Hash": "16", "pits": "2", "seeds": "1"}
    assert question[1:] == (250, "g7", 1, True)
    assert question.board.text == "<2,0,0,1,0,1,1>"
    assert out.getvalue() == "ready 2 swap\n0 #5\ndone #5\n"


def test_a_program_that_fails_is_ended() -> None:
    """What it started does not outlive the dialogue."""
    program = _Recorder()
    with pytest.raises(ValueError, match="whole number"):
        converse(program, io.StringIO("first\nposition <x>\n"), io.StringIO())
    assert program.heard == ["warm up", "close"]


def test_a_question_without_an_answer_in_time_is_left_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """The host then knows that the time was up, and not that a pit was illegal."""
    program, out = _Recorder(), io.StringIO()
    monkeypatch.setattr(program, "answer", lambda _question: "")
    converse(program, io.StringIO("first\ngo 250 #5\n"), out)
    assert out.getvalue() == "ready 2 swap\n"

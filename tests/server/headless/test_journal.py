"""An event on disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.headless import journal
from server.headless.event import Contender, Event, Format
from server.headless.game import Task
from server.headless.journal import GAMES, Journal, JournalError
from tests.server.headless.players import conditions, finished

EVENT = Event(
    Format.ROUND_ROBIN,
    (Contender("ada", "random"), Contender("bob", "greedy")),
    4,
    1,
    conditions(),
    ("<6,2,1,0,5,5,4,4,4,4,4,4,4,4,3>",),
)
PLAYED = [finished(Task(number, ("ada", "bob"))) for number in range(4)]


def test_an_event_is_read_back_as_it_was_begun(tmp_path: Path) -> None:
    """All that was settled beforehand is on disk before the first game."""
    journal.create(tmp_path / "new" / "place", EVENT)
    assert journal.read_event(tmp_path / "new" / "place") == EVENT


def test_an_event_is_not_begun_over_another(tmp_path: Path) -> None:
    """A mistyped directory overwrites no event."""
    journal.create(tmp_path, EVENT)
    with pytest.raises(JournalError, match="--resume"):
        journal.create(tmp_path, EVENT)


def test_games_are_there_again_when_the_journal_is_opened_again(tmp_path: Path) -> None:
    """What was kept is kept, in whatever order it came."""
    kept = Journal(tmp_path)
    kept.add([PLAYED[2], PLAYED[0]])
    kept.add([PLAYED[3]])
    kept.close()
    again = Journal(tmp_path)
    assert again.games == {number: PLAYED[number] for number in (0, 2, 3)}
    again.close()


def test_half_a_line_is_cut_off_wherever_it_ends(tmp_path: Path) -> None:
    """A kill in the middle of a write costs that game and no other, at every byte."""
    kept = Journal(tmp_path)
    kept.add(PLAYED[:2])
    kept.close()
    content = (tmp_path / GAMES).read_bytes()
    first = content.index(b"\n") + 1
    for end in range(first, len(content)):
        (tmp_path / GAMES).write_bytes(content[:end])
        again = Journal(tmp_path)
        assert sorted(again.games) == [0]
        again.add([PLAYED[1]])
        again.close()
        assert (tmp_path / GAMES).read_bytes() == content


def test_no_game_is_kept_twice(tmp_path: Path) -> None:
    """A game that is there already is refused, when it is added and when it is read."""
    kept = Journal(tmp_path)
    kept.add(PLAYED[:1])
    with pytest.raises(JournalError, match="game 0 was played twice"):
        kept.add(PLAYED[:1])
    kept.close()
    content = (tmp_path / GAMES).read_bytes()
    (tmp_path / GAMES).write_bytes(content * 2)
    with pytest.raises(JournalError, match="game 0 once more"):
        Journal(tmp_path)


def test_a_line_that_is_no_game_is_named(tmp_path: Path) -> None:
    """A damaged file is not quietly shortened."""
    (tmp_path / GAMES).write_text('{"number": 1}\n')
    with pytest.raises(JournalError, match="line 1"):
        Journal(tmp_path)


def test_two_processes_do_not_play_one_event(tmp_path: Path) -> None:
    """Resuming an event that is still running is refused."""
    kept = Journal(tmp_path)
    with pytest.raises(JournalError, match="another process"):
        Journal(tmp_path)
    kept.close()


def test_where_there_is_no_event_there_is_none_to_take_up(tmp_path: Path) -> None:
    """An empty directory and a file that is no event are told apart from one."""
    with pytest.raises(JournalError, match="no event to take up"):
        journal.read_event(tmp_path)
    (tmp_path / journal.EVENT).write_text("{}")
    with pytest.raises(JournalError, match="no event to take up"):
        journal.read_event(tmp_path)

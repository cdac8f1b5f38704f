"""An event on disk."""

import errno
import os
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

import pytest

from mancala.server.config.events import Format
from mancala.server.contest.headless import journal
from mancala.server.contest.headless.game import Task
from mancala.server.contest.headless.journal import GAMES, EventJournal, JournalError, WriteError
from mancala.server.contest.headless.played_game import PlayedGame
from tests.server.contest.headless.players import event_of, finished

OPENING = "<6,2,1,0,5,5,4,4,4,4,4,4,4,4,3>"
EVENT = event_of(Format.ROUND_ROBIN, ("ada", "bob"), openings=(OPENING,))
PLAYED = [finished(Task(number, ("ada", "bob"))) for number in range(4)]


def keep(directory: Path, games: Iterable[PlayedGame]) -> bytes:
    with closing(EventJournal(directory)) as kept:
        kept.add(games)
    return (directory / GAMES).read_bytes()


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
    keep(tmp_path, [PLAYED[2], PLAYED[0]])
    keep(tmp_path, [PLAYED[3]])
    with closing(EventJournal(tmp_path)) as again:
        assert again.games == {number: PLAYED[number] for number in (0, 2, 3)}


def test_games_that_do_not_count_are_removed(tmp_path: Path) -> None:
    """The rest is kept, on disk too, the lock as well, and more can be added."""
    kept = EventJournal(tmp_path)
    kept.add(PLAYED)
    for numbers in (range(4), range(2)):
        kept.keep_only(numbers)
        with pytest.raises(JournalError, match="another process"):
            EventJournal(tmp_path)
    assert kept.games == dict(enumerate(PLAYED[:2]))
    kept.add([PLAYED[3]])
    kept.close()
    with closing(EventJournal(tmp_path)) as again:
        assert list(again.games) == [0, 1, 3]


def test_half_a_line_is_cut_off_wherever_it_ends(tmp_path: Path) -> None:
    """A kill in the middle of a write costs that game and no other, at every byte."""
    content = keep(tmp_path, PLAYED[:2])
    first = content.index(b"\n") + 1
    for end in range(first, len(content)):
        (tmp_path / GAMES).write_bytes(content[:end])
        with closing(EventJournal(tmp_path)) as again:
            assert sorted(again.games) == [0]
        assert keep(tmp_path, [PLAYED[1]]) == content


def test_a_full_disk_at_any_byte_takes_the_whole_write_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever the disk is full, the file ends with the last whole game, and goes on from there."""
    first = keep(tmp_path, PLAYED[:1])
    room = 0

    def write(file: int, content: bytes) -> int:
        nonlocal room
        if not room:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        count = real_write(file, content[:room])
        room -= count
        return count

    real_write = os.write
    again = EventJournal(tmp_path)
    for free in range(2 * len(first)):
        with monkeypatch.context() as patch:
            patch.setattr(os, "write", write)
            room = free
            with pytest.raises(WriteError, match="No space left"):
                again.add(PLAYED[1:3])
        assert (tmp_path / GAMES).read_bytes() == first
        assert sorted(again.games) == [0]
    again.add(PLAYED[1:3])
    again.close()
    with closing(EventJournal(tmp_path)) as whole:
        assert (sorted(whole.games), whole.dropped) == ([0, 1, 2], 0)


def test_what_is_dropped_is_counted(tmp_path: Path) -> None:
    """The bytes of a game that was not written to its end are known to the one who resumes it."""
    content = keep(tmp_path, PLAYED[:2])
    (tmp_path / GAMES).write_bytes(content + content[:40])
    with closing(EventJournal(tmp_path)) as again:
        assert (sorted(again.games), again.dropped) == ([0, 1], 40)


def test_no_game_is_kept_twice(tmp_path: Path) -> None:
    """A game that is there already is refused, when it is added and when it is read."""
    content = keep(tmp_path, PLAYED[:1])
    with pytest.raises(JournalError, match="game 0 was played twice"):
        keep(tmp_path, PLAYED[:1])
    (tmp_path / GAMES).write_bytes(content * 2)
    with pytest.raises(JournalError, match="game 0 once more"):
        EventJournal(tmp_path)


def test_a_line_that_is_no_game_is_named(tmp_path: Path) -> None:
    """A damaged file is not quietly shortened."""
    (tmp_path / GAMES).write_text('{"number": 1}\n')
    with pytest.raises(JournalError, match="line 1"):
        EventJournal(tmp_path)


def test_where_there_is_no_event_there_is_none_to_take_up(tmp_path: Path) -> None:
    """An empty directory and a file that is no event are told apart from one."""
    with pytest.raises(JournalError, match="no event to take up"):
        journal.read_event(tmp_path)
    (tmp_path / journal.EVENT).write_text("{}")
    with pytest.raises(JournalError, match="no event to take up"):
        journal.read_event(tmp_path)

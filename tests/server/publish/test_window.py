"""Which rows go together, and which are found to end connections."""

from collections.abc import Sequence

from mancala.server.model.journal import ENDED, OutboxRow
from mancala.server.publish.window import MOST_BYTES, MOST_TOGETHER, Window


def rows(count: int, size: int = 1) -> list[OutboxRow]:
    return [
        OutboxRow(seq, f"topic/{seq}", "x" * size, is_retained=False) for seq in range(1, count + 1)
    ]


def begin(window: Window, sent: Sequence[OutboxRow]) -> list[OutboxRow]:
    together = list(sent[: window.room(sent, MOST_TOGETHER)])
    for row in together:
        window.begin(row)
    return together


def acknowledged(window: Window, sent: Sequence[OutboxRow]) -> int:
    together = begin(window, sent)
    window.note([row.seq for row in together])
    return len(together)


def test_rows_go_together_up_to_a_number_and_to_a_size() -> None:
    """A broker may take fewer; a row that is larger than that goes alone."""
    window = Window()
    assert window.room(rows(2 * MOST_TOGETHER), MOST_TOGETHER) == MOST_TOGETHER
    assert window.room(rows(9), 4) == 4
    assert window.room(rows(9, MOST_BYTES // 3), 9) == 3
    assert window.room(rows(9, 2 * MOST_BYTES), 9) == 1


def test_a_row_may_go_when_another_one_is_answered() -> None:
    """So as many are under way at all times."""
    window, sent = Window(), rows(9)
    for row in sent[:4]:
        window.begin(row)
    assert window.room(sent[4:], 4) == 0
    window.note([1, 2])
    assert window.room(sent[4:], 4) == 2


def test_the_row_behind_two_ends_of_connections_is_refused() -> None:
    """It is the first one without an answer; after the first end it goes alone."""
    window, sent = Window(), rows(12)
    begin(window, sent)
    window.note([1, 2, 3])
    assert window.blame() == (sent[3], False)
    assert begin(window, sent[3:]) == [sent[3]]
    assert window.blame() == (sent[3], True)
    assert [acknowledged(window, sent[4:]) for _ in range(3)] == [1, 2, 4]


def test_one_end_is_forgiven_to_a_row_that_arrives() -> None:
    """Brokers restart; the next end behind it is its first one again."""
    window, sent = Window(), rows(1)
    for _ in range(3):
        begin(window, sent)
        assert window.blame() == (sent[0], False)
        assert acknowledged(window, sent) == 1


def test_an_end_behind_no_row_is_nobodys_fault() -> None:
    """All had been answered."""
    window, sent = Window(), rows(3)
    assert acknowledged(window, sent) == 3
    assert window.blame() == (None, False)


def test_a_row_that_ended_connections_before_goes_alone_and_once() -> None:
    """Between its neighbours, which go together."""
    window, sent = Window(), rows(5)
    sent[2] = sent[2]._replace(refused=f"{ENDED}: closed")
    assert [acknowledged(window, sent[begin:]) for begin in (0, 2, 3)] == [2, 1, 2]
    assert begin(window, sent[2:]) == [sent[2]]
    assert window.room(sent[3:], 9) == 0
    assert window.blame() == (sent[2], True)


def test_what_follows_a_row_that_ended_connections_is_not_tried() -> None:
    """If it has the same topic and is no smaller; until such a row arrives."""
    window = Window()
    bad = OutboxRow(1, "ladders/a.b/games", "xxx", is_retained=False)
    for _ in range(2):
        window.begin(bad)
        window.blame()
    assert window.is_shunned(bad._replace(seq=2))
    assert window.is_shunned(bad._replace(seq=2, payload="xxxx"))
    assert not window.is_shunned(bad._replace(seq=3, payload="xx"))
    assert not window.is_shunned(bad._replace(seq=4, topic="ladders/main/games"))
    assert acknowledged(window, [bad]) == 1
    assert not window.is_shunned(bad._replace(seq=5))

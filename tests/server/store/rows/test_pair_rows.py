"""A row of two entrants says the same, whichever of them is named first."""

from mancala.server.store.rows.ladders import in_order, points_row, tally_row


def test_a_tally_stands_where_its_seats_say() -> None:
    """Of the entrant whose name comes first, or in the columns of the way back."""
    ahead, back = (tally_row("main", seats, (1, 2, 3)) for seats in (("a", "b"), ("b", "a")))
    assert [ahead[name] for name in ("first", "wins", "draws", "losses")] == ["a", 1, 2, 3]
    assert [back[name] for name in ("first", "back_wins", "back_draws")] == ["a", 1, 2]
    assert back["back_losses"] == 3
    assert (ahead["back_wins"], back["wins"]) == (0, 0)


def test_a_row_whose_names_changed_is_put_in_order() -> None:
    """Points are then those of the other entrant, and outcomes those of the other seat."""
    played = tally_row("main", ("a", "b"), (1, 2, 3))
    assert in_order(played) == played
    renamed = in_order({**played, "first": "z"})
    assert renamed == tally_row("main", ("z", "b"), (1, 2, 3))
    points = in_order({**points_row("main", ("a", "b"), (1, 2, 3, 4, 5)), "first": "z"})
    assert points == points_row("main", ("b", "z"), (5, 4, 3, 2, 1))

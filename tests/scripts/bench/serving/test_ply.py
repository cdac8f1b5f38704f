"""The count of a move's calls."""

from mancala.scripts.bench.serving.ply import PLIES, counted


def test_a_moves_calls_are_counted_from_the_socket_to_the_store_and_back() -> None:
    """The loop's and the writer's calls are there, the bots' are not, and it stays as short.

    A call or two more are the price of a feature; twenty more are a room that is asked twice.
    """
    found = counted(games=2)
    names = found["by_function"]
    assert found["plies"] == 2 * len(PLIES)
    for function in ("match.table:Table._play", "store.entries:write_all"):
        assert names[f"mancala.server.{function}"] == 1.0
    assert found["calls"] <= 140
    assert not any(name.startswith("mancala.bot") for name in names)

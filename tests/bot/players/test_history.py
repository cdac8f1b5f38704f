"""What the opponent sowed between two questions, found from the positions."""

from mancala.bot.players.history import History, leads_to, sowings_between
from mancala.protocol.rules import Board


def test_a_chain_of_extra_turns_is_found() -> None:
    """All sowings of a turn are found, in their order."""
    start = Board.start()
    after = start.sow(2).board.sow(5).board
    assert sowings_between(start, after) == (2, 5)
    assert sowings_between(start, start) == ()


def test_a_position_of_another_game_follows_from_nothing() -> None:
    """Where no sowings lead, none are named."""
    assert sowings_between(Board.start(), Board.from_text("<6,40,0,1,1,1,1,1,1,0,0,0,0,0,2>")) == ()


def test_a_history_has_both_players_sowings() -> None:
    """It counts its own and the opponent's moves as they become known."""
    history, board = History(), Board.start()
    history.see(board)
    history.play(board, 0)
    board = board.sow(0).board.sow(1).board
    history.see(board)
    assert (history.own, history.theirs, history.moves) == ([0], (1,), 2)


def test_sowings_lead_from_the_start_to_one_board() -> None:
    """What was played from another position, or by the other player, does not."""
    board = Board.start().sow(2).board.sow(5).board
    assert leads_to([(0, 2), (0, 5)], board)
    assert not leads_to([(0, 2)], board)
    assert not leads_to([(0, 2), (1, 5)], board)
    assert not leads_to([(0, 2), (0, 2)], board)

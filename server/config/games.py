"""What ladders and events say about their games: rules and starting positions."""

from collections.abc import Iterable

from mancala.protocol.rules import Board, InvalidPositionError, Rules


def board_of(text: str, rules: Rules) -> Board:
    board = Board.from_state(Board.from_text(text).state, rules)
    if board.is_over:
        raise InvalidPositionError(f"the game is over in {text}")
    return board


def boards_of(openings: Iterable[str], rules: Rules) -> tuple[Board, ...]:
    """Return starting positions; raises as :func:`board_of` does."""
    return tuple(board_of(text, rules) for text in openings)


def problem_of_games(rules: str, openings: Iterable[str]) -> str | None:
    """Return the invalid key of both and the reason; None when they are valid."""
    try:
        parsed = Rules.parse(rules)
    except InvalidPositionError as error:
        return f"rules: {error}"
    try:
        boards_of(openings, parsed)
    except InvalidPositionError as error:
        return f"openings: {error}"
    return None

"""What a watcher knows of a match, from the games it sees and the results that come in."""

from mancala.protocol.clock import Clock, TimeControl
from mancala.protocol.messages import Evidence, GameOver, GameStart, Info, Moved, Opponent, Reason
from mancala.protocol.results import Contestant, GameResult, MatchResult
from mancala.protocol.rules import KALAH, Board
from mancala.scripts.demo.view import DemoView

CONTROL = TimeControl(move_ms=200)
CLOCK = Clock.set_up(CONTROL).state
NAMES = ("oak", "elm")


def board_of_two() -> DemoView:
    return DemoView(NAMES, games=2)


def game_start(game: str = "g1", names: tuple[str, str] = NAMES) -> GameStart:
    board = Board.start()
    opponent = Opponent(names[1])
    return GameStart(game, "m", None, KALAH, CONTROL, opponent, board.state, (), CLOCK, names)


def moved(pit: int, info: Info | None = None) -> Moved:
    sowing = Board.start().sow(pit)
    return Moved(
        "g1", 0, 0, pit, sowing.captured, sowing.again, sowing.board.state, CLOCK, 150, 1, info
    )


def game_result(
    game: str = "g1", *, winner: int | None = 0, names: tuple[str, str] = NAMES
) -> GameResult:
    """Return a game's result, as it comes over MQTT."""
    return GameResult(
        event_id=f"game-{game}",
        seq=1,
        server="test",
        game=game,
        match="m",
        rated=True,
        rules=KALAH,
        clock=CONTROL,
        players=(Contestant(names[0]), Contestant(names[1])),
        winner=winner,
        stores=(30, 18),
        reason=Reason.NORMAL,
        plies=31,
        moves=(),
        started_at="2026-01-01T00:00:00Z",
        ended_at="2026-01-01T00:00:09Z",
    )


def match_result() -> MatchResult:
    """Return the match's result, as it comes over MQTT."""
    return MatchResult(
        event_id="match-m",
        seq=3,
        server="test",
        match="m",
        rated=True,
        rules=KALAH,
        clock=CONTROL,
        players=(Contestant("oak"), Contestant("elm")),
        score={"oak": 1.5, "elm": 0.5},
        games=("g1", "g2"),
        started_at="2026-01-01T00:00:00Z",
        ended_at="2026-01-01T00:00:20Z",
    )


def test_a_move_changes_the_board_and_tells_what_the_bot_thought() -> None:
    """Depth, value and nodes of the last move stand beside the bot's name."""
    score = board_of_two()
    score.on_message(game_start(), now=1.0)
    score.on_message(moved(2, Info(depth=9, value=3.0, nodes=1000)), now=1.15)
    assert score.watched is not None
    assert score.watched.board == Board.start().sow(2).board
    assert score.watched.turn_since == 1.15
    assert score.last_moves["oak"].info.depth == 9
    assert score.last_moves["oak"].elapsed_ms == 150


def test_an_old_games_last_words_do_not_disturb_the_present_one() -> None:
    """A move of a game that is no longer on the board is passed over."""
    score = board_of_two()
    score.on_message(game_start("g2"), now=1.0)
    score.on_message(moved(2), now=1.1)
    assert score.watched is not None
    assert score.watched.board == Board.start()


def test_points_follow_the_names_when_seats_are_swapped() -> None:
    """The winner's seat is turned into the winner's name, game by game."""
    score = board_of_two()
    score.on_result(game_result("g1", winner=0, names=("oak", "elm")))
    score.on_result(game_result("g2", winner=1, names=("elm", "oak")))
    assert score.points == {"oak": 2.0, "elm": 0.0}


def test_a_draw_is_half_a_point_and_an_aborted_game_none() -> None:
    """Only games that count give points."""
    score = board_of_two()
    score.on_result(game_result("g1", winner=None))
    score.on_message(game_start("g2"), now=1.0)
    gone = Evidence(None, "both players were gone", 3)
    score.on_message(GameOver("g2", None, (0, 0), Reason.ABORTED, gone), now=2.0)
    assert score.points == {"oak": 0.5, "elm": 0.5}
    assert (score.played, score.is_played) == (1, True)


def test_a_game_seen_and_published_counts_once() -> None:
    """The websocket and MQTT tell of the same game."""
    score = board_of_two()
    score.on_message(game_start(), now=1.0)
    score.on_message(GameOver("g1", 0, (30, 18), Reason.NORMAL), now=2.0)
    score.on_result(game_result())
    assert score.points == {"oak": 1.0, "elm": 0.0}
    assert len(score.finished) == 1


def test_a_match_is_published_when_all_games_and_the_match_have_come() -> None:
    """Neither the games alone nor the match alone are everything."""
    score = board_of_two()
    score.on_result(game_result("g1"))
    score.on_result(match_result())
    assert not score.is_published
    score.on_result(game_result("g2"))
    assert score.is_published
    assert score.is_played

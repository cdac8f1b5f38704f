"""The engine against a person, from its first second on: plain until it is compiled."""

from concurrent.futures import Future
from threading import Event

import pytest

from mancala.bot.players import first_answer
from mancala.bot.players.first_answer import FirstAnswerPlayer
from mancala.bot.players.host import PlayerBot
from mancala.bot.players.kind import Settings
from mancala.bot.players.registry import answers_first, make_bot
from mancala.engine import kernel_cache
from mancala.protocol.player import UNLIMITED, Budget, Choice, Player, PlayerError
from mancala.protocol.rules import KALAH, Board, Rules
from tests.patience import PATIENCE_S

ENGINES_PIT = 5


class ReadyEngine(Player):
    """Stands for the engine; warming it up takes until the test allows it."""

    def __init__(self, allowed: Event) -> None:
        self._allowed = allowed
        self.rules: list[Rules] = []

    def warm_up(self, rules: Rules = KALAH) -> None:
        assert self._allowed.wait(PATIENCE_S)
        self.rules.append(rules)

    def choose(self, board: Board, budget: Budget = UNLIMITED) -> Choice:  # noqa: ARG002  # it is always the same
        return Choice(ENGINES_PIT)


@pytest.fixture
def nothing_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the cache seem empty, and no process compile."""
    monkeypatch.setattr(kernel_cache, "is_compiled", bool)
    monkeypatch.setattr(first_answer, "_compile", lambda: None)


@pytest.mark.usefixtures("nothing_compiled")
def test_a_plain_search_answers_until_the_engine_is_ready() -> None:
    """The first move waited for the compiler, ten seconds and more."""
    allowed = Event()
    engine = ReadyEngine(allowed)
    asked: list[Settings] = []

    def make(settings: Settings) -> Player:
        asked.append(settings)
        return engine

    player = FirstAnswerPlayer(make, {"movetime": 0.1, "ponder": 1})
    player.warm_up(Rules(seeds=5))
    assert player.choose(Board.start()).info is not None
    assert player.ponders
    allowed.set()
    ready: Future[Player] = player._engine
    assert ready.result(PATIENCE_S) is engine
    assert player.choose(Board.start()).pit == ENGINES_PIT
    assert asked == [{"movetime": 0.1, "ponder": 1}]
    assert engine.rules == [Rules(seeds=5)]


@pytest.mark.usefixtures("nothing_compiled")
def test_rules_that_the_plain_search_does_not_know_gain_the_most() -> None:
    """A bot does not know before its games which rules they have."""
    allowed = Event()
    player = FirstAnswerPlayer(lambda _: ReadyEngine(allowed), {})
    board = Board.start(Rules.parse("congkak"))
    gains = {pit: board.sow(pit).board.stores[0] for pit in board.legal()}
    assert gains[player.choose(board).pit] == max(gains.values())
    allowed.set()


@pytest.mark.usefixtures("nothing_compiled")
def test_an_engine_that_cannot_be_made_fails_the_next_question() -> None:
    """The bot would play plainly for ever otherwise, without a word."""

    def fail(_: Settings) -> Player:
        raise MemoryError("no room")

    player = FirstAnswerPlayer(fail, {})
    player.warm_up()
    assert isinstance(player._engine.exception(60), MemoryError)
    player.ponder(Board.start(), (), UNLIMITED)
    player.stop()
    with pytest.raises(MemoryError, match="no room"):
        player.choose(Board.start())


def test_a_process_that_cannot_compile_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """This process compiled beside its moves then, and took their time."""
    monkeypatch.setattr(kernel_cache, "is_compiled", bool)
    monkeypatch.setattr(first_answer, "COMPILE", "raise SystemExit('no room')")
    player = FirstAnswerPlayer(lambda _: ReadyEngine(Event()), {})
    player.warm_up()
    assert isinstance(player._engine.exception(PATIENCE_S), PlayerError)
    with pytest.raises(PlayerError, match="the engine could not be compiled: no room"):
        player.choose(Board.start())


@pytest.mark.parametrize("spec", ["engine:depth=5", "engine:nodes=100", "engine:level=3", "greedy"])
@pytest.mark.usefixtures("nothing_compiled")
def test_what_has_to_repeat_itself_waits_for_the_engine(spec: str) -> None:
    """A level is a level from its first move on."""
    assert not answers_first(spec)


def test_a_player_answers_first_only_where_nothing_is_compiled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each player of a bot is asked anew: one that is made later plays by the engine."""
    made: list[Settings] = []

    def make(settings: Settings) -> Player:
        made.append(settings)
        return ReadyEngine(Event())

    monkeypatch.setattr(kernel_cache, "is_compiled", bool)
    assert answers_first("engine:movetime=0.5,threads=2")
    assert isinstance(first_answer.make_ready(make, {"threads": 2}), FirstAnswerPlayer)
    assert not made
    monkeypatch.setattr(kernel_cache, "is_compiled", lambda: True)
    assert not answers_first("engine")
    assert isinstance(first_answer.make_ready(make, {}), ReadyEngine)


@pytest.mark.usefixtures("nothing_compiled")
def test_where_compiled_kernels_are_not_kept_the_engine_is_compiled_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It was compiled beside the moves, by the process that made them."""
    monkeypatch.setattr(kernel_cache, "refusal", lambda: "compiled kernels are not kept")
    assert not answers_first("engine")


@pytest.mark.usefixtures("nothing_compiled")
def test_a_bot_on_a_server_plays_by_the_engine_from_its_first_move_on() -> None:
    """A rating counts for the engine: a house bot played its first rated games by the other."""
    rated, other = make_bot("engine:movetime=0.1"), make_bot("engine", plain_first=True)
    assert isinstance(rated, PlayerBot)
    assert isinstance(other, PlayerBot)
    assert not isinstance(rated._another(), FirstAnswerPlayer)
    assert isinstance(other._another(), FirstAnswerPlayer)

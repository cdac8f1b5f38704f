"""A rule added to `Rules` alone: every part of the program tells it apart, or refuses it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from mancala.bot.players.models.contracts import in_words
from mancala.engine import book, openings, tablebase
from mancala.engine.batches.games import BatchedGames, Classic, CompiledPlayer
from mancala.engine.campaign import table_file
from mancala.engine.campaign.certificate import Certificate, CertificateError, CertificateHeader
from mancala.engine.campaign.home import Definition
from mancala.engine.classics.game import ClassicGame
from mancala.engine.kernels import state
from mancala.engine.search.engine import Engine, EngineOptions, Limit
from mancala.engine.search.solver import Solver
from mancala.engine.tablebase.header import TableHeader
from mancala.protocol import codec
from mancala.protocol.clock import TimeControl
from mancala.protocol.kgp.actions import Policy, Relay
from mancala.protocol.kgp.interpreter import Interpreter
from mancala.protocol.messages import Challenged, Decline
from mancala.protocol.rules import KALAH, Board, InvalidPositionError, Rules, UnknownRuleError
from tests.protocol.kgp.test_interpreter import FakeDirectory


@dataclass(frozen=True, slots=True, repr=False)
class MadeUp(Rules):
    """Kalah with one more rule, which no code knows."""

    backwards: bool = False


BACKWARDS: Final = MadeUp(backwards=True)
START: Final = Board.start(BACKWARDS)

USES: Final[dict[str, Callable[[], object]]] = {
    "kernels": lambda: state.variant(BACKWARDS),
    "search": lambda: Engine(options=EngineOptions(table_bits=16, cache=None)).analyse(
        START, Limit(depth=1)
    ),
    "solver": lambda: Solver(BACKWARDS, tables=state.no_tables(6), table_bits=10),
    "batches": lambda: BatchedGames(*[CompiledPlayer(BACKWARDS, Classic("greedy"))] * 2),
    "classics": lambda: ClassicGame(BACKWARDS),
    "tables": lambda: tablebase.check(BACKWARDS, 8),
    "table's header": lambda: TableHeader.new(BACKWARDS, 8),
    "prompt": lambda: in_words(BACKWARDS),
}


@pytest.mark.parametrize("use", USES)
def test_a_part_that_does_not_know_the_rule_refuses_it(use: str) -> None:
    """The error names the rule."""
    with pytest.raises(UnknownRuleError, match="cannot play the rules backwards"):
        USES[use]()


def test_the_rule_is_part_of_the_key() -> None:
    """A new field enters the key by itself where it is in force; other keys stay."""
    assert BACKWARDS.key == f"{KALAH.key} backwards=True"
    assert MadeUp().key == KALAH.key
    assert MadeUp(seeds=6).key == KALAH.key


def test_at_its_default_the_rule_is_no_obstacle() -> None:
    """What is known of Kalah holds as before."""
    assert state.variant(MadeUp()).pits == 6
    assert book.find(Board.start(MadeUp())) == book.find(Board.start())


def test_the_rule_is_part_of_its_text() -> None:
    """A text that states it is refused where it is unknown, certificates and campaigns included."""
    assert str(BACKWARDS) == "kalah:backwards=true"
    assert b'"backwards":true' in codec.to_json(BACKWARDS)
    with pytest.raises(InvalidPositionError, match="no rule named 'backwards'"):
        Rules.parse(str(BACKWARDS))
    with pytest.raises(CertificateError, match="backwards"):
        Certificate(CertificateHeader(START.text, str(BACKWARDS), 0, 0, 1), ())
    with pytest.raises(InvalidPositionError, match="backwards"):
        _ = Definition.of(START).start


def test_stored_values_of_kalah_do_not_serve_it(tmp_path: Path) -> None:
    """Book, tables, proofs and openings hold nothing for rules with the made-up one."""
    assert book.find(Board.start()) is not None
    assert book.find(START) is None
    assert openings.shipped(BACKWARDS) is None
    tablebase.make(KALAH, 4, tmp_path)
    assert tablebase.find(KALAH, tmp_path) is not None
    assert tablebase.find(BACKWARDS, tmp_path) is None
    with pytest.raises(openings.OpeningsError, match="not for kalah:backwards=true"):
        openings.read(b'{"schema":"mancala.openings.v1","rules":"kalah","openings":[]}', BACKWARDS)
    path, words = tmp_path / "table", state.entries(10)
    table_file.save(path, KALAH, words, 10)
    assert table_file.load(path, KALAH, words, 10) == 0
    assert table_file.load(path, BACKWARDS, words, 10) is None


def test_a_batch_of_kalah_plays_no_game_of_it() -> None:
    """Its opening is left to players that know the rule."""
    greedy = CompiledPlayer(KALAH, Classic("greedy"))
    assert BatchedGames(greedy, greedy).play([START], [(1, 2)]) == [None]


def test_a_gateway_declines_it() -> None:
    """Clients of the Kalah Game Protocol know one variant."""
    client = Interpreter(Policy(), pick=lambda choice: choice[0], directory=FakeDirectory())
    client.greet(0.0)
    client.hear("5 mode freeplay", 0.0)
    offer = Challenged("c1", "bob", "ada-1", BACKWARDS, TimeControl(), rated=True, games=2)
    assert [
        type(action.message) for action in client.tell(offer, 0.0) if isinstance(action, Relay)
    ] == [Decline]

"""Language models as players: an endpoint that answers well, badly, slowly or not at all."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler

import pytest

from bot.players.llm import ModelPlayer
from bot.players.registry import check_spec, make_player
from bot.players.spec import SpecError
from protocol import codec
from protocol.messages import Info, Reason
from protocol.player import Budget, PlayerError
from protocol.rules import Board
from tests.bot.players.fake_endpoint import FakeEndpoint, Respond, fake_endpoint, saying, send
from tests.patience import PATIENCE_S

SECRET = "sk-0123456789abcdef0123456789abcdef"  # noqa: S105  # of no endpoint


@contextmanager
def model(respond: Respond, options: str = "") -> Iterator[tuple[ModelPlayer, FakeEndpoint]]:
    """Make the player of an endpoint."""
    with fake_endpoint(respond) as endpoint:
        player = make_player(f"llm:tiny@{endpoint.url}{options}")
        assert isinstance(player, ModelPlayer)
        try:
            yield player, endpoint
        finally:
            player.close()


def never(endpoint: FakeEndpoint, _handler: BaseHTTPRequestHandler) -> None:
    """Answer nothing as long as the test lasts."""
    endpoint.is_over.wait()


def test_a_good_answer_is_a_move_with_its_dialogue_in_the_record() -> None:
    """Prompt, answer, tokens and cost are reported with the move."""
    words = saying('Pit 2 moves again: {"move": 2}', prompt_tokens=200, completion_tokens=10)
    prices = ",prompt_price=5,answer_price=100"
    with model(words, prices) as (player, endpoint):
        pit, info = player.choose(Board.start())
    assert pit == 2
    assert info is not None
    assert info.dialogue is not None
    assert "Legal moves: 0, 1, 2, 3, 4, 5" in info.dialogue.prompt
    assert info.dialogue.answer == 'Pit 2 moves again: {"move": 2}'
    assert (info.dialogue.tries, info.dialogue.prompt_tokens) == (1, 200)
    assert info.dialogue.cost == pytest.approx(0.002)
    assert endpoint.requests[0]["model"] == "tiny"
    assert codec.from_json(codec.to_json(info), Info) == info


def test_an_illegal_answer_is_explained_and_asked_again() -> None:
    """The second request holds the whole conversation and what was wrong."""
    with model(saying('{"move": 6}', '{"move": 0}')) as (player, endpoint):
        pit, info = player.choose(Board.start())
    assert pit == 0
    assert info is not None
    assert info.dialogue is not None
    assert info.dialogue.tries == 2
    roles = [message["role"] for message in endpoint.requests[1]["messages"]]
    assert roles == ["user", "assistant", "user"]
    assert "6 is none of your pits" in endpoint.requests[1]["messages"][2]["content"]


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        ("I resign.", "no JSON object"),
        ('{"move": true}', "no JSON object"),
        ('{"move": 17}', "17 is none of your pits"),
        ('{"move": 1}', "pit 1 is empty"),
        ("", "no JSON object"),
    ],
)
def test_two_answers_without_a_legal_move_lose_the_game(words: str, fault: str) -> None:
    """The reason is an illegal move, and what the model said is the evidence."""
    board = Board.from_text("<3,0,0,1,0,1,1,1,1>")
    with model(saying(words)) as (player, endpoint), pytest.raises(PlayerError, match=fault) as end:
        player.choose(board)
    assert end.value.reason is Reason.ILLEGAL
    assert end.value.received == words
    assert len(endpoint.requests) == 2


def test_the_same_two_tries_under_kaggles_numbers() -> None:
    """Player 1's pits are 8 to 13; its own and the opponent's last actions are told."""
    board = Board.start().sow(0).board
    with model(saying('{"move": "9"}'), ",contract=kaggle") as (player, endpoint):
        player.new_game(0)
        assert player.choose(board).pit == 1
        player.choose(board.sow(1).board.sow(5).board)
    prompt = endpoint.requests[1]["messages"][0]["content"]
    assert "as Player 1" in prompt
    assert "Your earlier actions: 9" in prompt
    assert "Last action: 6" in prompt
    assert "Legal" not in prompt


def test_a_slow_model_loses_on_time() -> None:
    """The clock's deadline bounds the answer, however long its own limit is."""
    with model(never) as (player, _), pytest.raises(PlayerError, match="no answer within") as end:
        player.choose(Board.start(), Budget(deadline_s=0.05))
    assert end.value.reason is Reason.TIMEOUT


def test_a_stopped_model_ends_its_request() -> None:
    """A game that is over does not wait for the endpoint."""
    asked = threading.Event()

    def ask_and_wait(endpoint: FakeEndpoint, _handler: BaseHTTPRequestHandler) -> None:
        asked.set()
        endpoint.is_over.wait()

    with model(ask_and_wait) as (player, _):

        def stop() -> None:
            asked.wait(PATIENCE_S)
            player.stop()

        stopper = threading.Thread(target=stop)
        stopper.start()
        with pytest.raises(PlayerError, match="no longer wanted"):
            player.choose(Board.start())
        stopper.join()


def test_a_fault_of_the_endpoint_is_named_without_its_words() -> None:
    """A status or a strange body ends the game; nothing of the body is quoted."""

    def refuse(_endpoint: FakeEndpoint, handler: BaseHTTPRequestHandler) -> None:
        send(handler, 401, f'{{"error": "bad key {SECRET}"}}'.encode())

    def babble(_endpoint: FakeEndpoint, handler: BaseHTTPRequestHandler) -> None:
        send(handler, 200, b"<html>")

    def flood(_endpoint: FakeEndpoint, handler: BaseHTTPRequestHandler) -> None:
        send(handler, 200, b" " * 2_000_000)

    for respond, says in ((refuse, "401"), (babble, "no completion"), (flood, "more than")):
        with model(respond) as (player, _), pytest.raises(PlayerError, match=says) as end:
            player.choose(Board.start())
        assert end.value.reason is Reason.DISCONNECTED
        assert SECRET not in end.value.detail


def test_nothing_answers_at_the_address() -> None:
    """An endpoint that is not there is named as such."""
    with fake_endpoint(never) as endpoint:
        url = endpoint.url
    player = make_player(f"llm:tiny@{url}")
    with pytest.raises(PlayerError, match="not reached"):
        player.choose(Board.start())
    player.close()


def test_the_key_comes_from_the_environment_and_stays_out_of_the_record(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is sent in a header and appears nowhere else."""
    monkeypatch.setenv("MY_KEY", SECRET)
    with model(saying('{"move": 3}'), ",key=MY_KEY") as (player, endpoint):
        info = player.choose(Board.start()).info
    assert endpoint.keys == [f"Bearer {SECRET}"]
    assert SECRET not in repr(endpoint.requests) + repr(info) + repr(vars(player))


@pytest.mark.parametrize(
    "spec",
    [
        "llm",
        "llm:gpt",
        "llm:m@http://user:key@127.0.0.1/v1",
        "llm:m@http://127.0.0.1/v1?api_key=x",
        "llm:m@http://127.0.0.1/v1,contract=chess",
    ],
)
def test_a_spec_that_is_wrong_or_holds_a_credential_is_refused(spec: str) -> None:
    """A key in an address would stand in every record."""
    with pytest.raises(SpecError):
        check_spec(spec)

"""Language models as players: an endpoint that answers well, badly, slowly or not at all."""

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from mancala.bot.players.history import History
from mancala.bot.players.models import endpoint as endpoints
from mancala.bot.players.models.contracts import CONTRACTS, AnswerError
from mancala.bot.players.models.llm import ModelPlayer
from mancala.bot.players.registry import check_spec, make_player
from mancala.bot.players.spec import SpecError
from mancala.protocol import codec
from mancala.protocol.messages import Dialogue, Info, Reason
from mancala.protocol.player import Budget, PlayerError
from mancala.protocol.rules import OWARE, Board
from tests.bot.players.models.fake_endpoint import (
    FakeEndpoint,
    Respond,
    completion,
    fake_endpoint,
    saying,
    send,
    sending,
)
from tests.patience import PATIENCE_S

SECRET = "sk-0123456789abcdef0123456789abcdef"  # noqa: S105  # of no endpoint


def told(info: Info | None) -> Dialogue:
    assert info is not None
    assert info.dialogue is not None
    return info.dialogue


@contextmanager
def model(respond: Respond, options: str = "") -> Iterator[tuple[ModelPlayer, FakeEndpoint]]:
    with fake_endpoint(respond) as endpoint:
        player = make_player(f"llm:tiny@{endpoint.url}{options}")
        assert isinstance(player, ModelPlayer)
        try:
            yield player, endpoint
        finally:
            player.close()


def never(endpoint: FakeEndpoint, _handler: BaseHTTPRequestHandler) -> None:
    endpoint.is_over.wait()


def test_a_good_answer_is_a_move_with_its_dialogue_in_the_record() -> None:
    """Prompt, answer, tokens and cost are reported with the move."""
    words = saying('Pit 2 moves again: {"move": 2}', prompt_tokens=200, completion_tokens=10)
    prices = ",prompt_price=5,answer_price=100"
    with model(words, prices) as (player, endpoint):
        pit, info = player.choose(Board.start())
    assert pit == 2
    dialogue = told(info)
    assert "Legal moves: 0, 1, 2, 3, 4, 5" in dialogue.prompt
    assert dialogue.answer == 'Pit 2 moves again: {"move": 2}'
    assert (dialogue.tries, dialogue.prompt_tokens) == (1, 200)
    assert dialogue.cost == pytest.approx(0.002)
    assert endpoint.requests[0]["model"] == "tiny"
    assert codec.from_json(codec.to_json(info), Info) == info


def test_an_illegal_answer_is_explained_and_asked_again() -> None:
    """The second request holds the whole conversation and what was wrong."""
    with model(saying('{"move": 6}', '{"move": 0}')) as (player, endpoint):
        pit, info = player.choose(Board.start())
    assert pit == 0
    assert told(info).tries == 2
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


@pytest.mark.parametrize("contract", ["arena", "kaggle"])
@pytest.mark.parametrize(
    "words",
    [
        '{"analysis": {"best": 5}, "move": 3}',
        '{"candidates": [{"move": 1}, {"move": 2}], "move": 3}',
        'First {"move": 1}, then {"why": "a } of a text {", "move": "3"}. Pits {4, 5} are worse.',
        'So:\n```json\n{"move": 3}\n```\nAn answer looks like {"move": 1}.',
        '{"answer": {"move": 3}}',
        "{" * 100_000 + '{"a":' * 3000 + '{"move": 3}',
    ],
    ids=["inside", "list", "text", "fenced", "outside", "unbalanced"],
)
def test_a_models_objects_are_read_as_json(words: str, contract: str) -> None:
    """Braces inside of it, of texts and of prose change nothing; a fenced block goes first."""
    board = Board.start()
    asked = CONTRACTS[contract]
    assert asked.number(board, asked.read(board, words)) == 3


@pytest.mark.parametrize("contract", CONTRACTS)
def test_oware_is_asked_in_its_own_words(contract: str) -> None:
    """Nothing of Kalah is said, and a pit that gives no seed is refused for that."""
    asked, start = CONTRACTS[contract], Board.start(OWARE)
    question = asked.question(start, History())
    assert "two or three" in question
    assert not re.search(r"Kalah|[Oo]pposite|move again|into your|its store \d", question)
    starved = Board.from_text("<6,20,20,3,0,0,3,0,2,0,0,0,0,0,0>", OWARE)
    number = asked.number(starved, 0)
    with pytest.raises(AnswerError, match=f"your pit {number} gives the opponent no seed"):
        asked.read(starved, f'{{"move": {number}}}')


def test_the_same_two_tries_under_kaggles_numbers() -> None:
    """Player 1's pits are 8 to 13; the prompt has its own and the opponent's last actions."""
    board = Board.start().sow(0).board
    with model(saying('{"move": "9"}'), ",contract=kaggle") as (player, endpoint):
        player.new_game(0)
        assert player.choose(board).pit == 1
        player.choose(board.sow(1).board.sow(5).board)
    prompt = endpoint.requests[1]["messages"][0]["content"]
    assert "as Player 1" in prompt
    assert "Your earlier actions: 9" in prompt
    assert "Last action: 6, by Player 0" in prompt
    assert "bonus" not in prompt
    assert "Player 1 sows 8 to 13, its store 0, 1 to 6, then 8." in prompt
    assert "Legal" not in prompt


def test_kaggles_question_announces_a_bonus_turn() -> None:
    """The last action was the player's own, and it says so."""
    board = Board.start()
    with model(saying('{"move": 3}', '{"move": 1}'), ",contract=kaggle") as (player, endpoint):
        player.new_game(0)
        player.choose(board)
        player.choose(board.sow(2).board)
    first, second = (request["messages"][0]["content"] for request in endpoint.requests[:2])
    assert "Last action: none known" in first
    assert "Last action: 3, by Player 0 (you)\nYou earned a bonus turn" in second
    assert "Player 0: 1 in the store and 23 in the pits" in second


def test_kaggles_question_is_put_afresh_with_the_end_of_a_bad_answer() -> None:
    """One message, which holds the position and the tail; the record keeps both questions."""
    bad = "x" * 600 + " the end, pit 7"
    with model(saying(bad, '{"move": 1}'), ",contract=kaggle") as (player, endpoint):
        _, info = player.choose(Board.start())
    (message,) = endpoint.requests[1]["messages"]
    assert message["role"] == "user"
    assert "as Player 0" in message["content"]
    assert " the end, pit 7" in message["content"]
    assert "x" * 501 not in message["content"]
    assert told(info).answer.startswith("x" * 600)


def test_kaggles_question_knows_the_opponents_first_move_and_gives_no_reasons() -> None:
    """Player 1 reads what was played before its first turn, and which pit was refused alone."""
    with model(saying('{"move": 7}', '{"move": 9}'), ",contract=kaggle") as (player, endpoint):
        player.choose(Board.start().sow(0).board)
    first, second = (request["messages"][0]["content"] for request in endpoint.requests)
    assert "Move number: 1\nLast action: 1, by Player 0" in first
    assert second.startswith(first)
    assert "You named pit 7, which is no legal move." in second


def test_a_slow_model_loses_on_time() -> None:
    """The clock's deadline bounds the answer, however long its own limit is."""
    with model(never) as (player, _), pytest.raises(PlayerError, match="no answer within") as end:
        player.choose(Board.start(), Budget(deadline_s=0.05))
    assert end.value.reason is Reason.TIMEOUT
    assert told(end.value.info).tries == 0


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


@pytest.mark.parametrize(
    ("status", "body", "says"),
    [
        (401, f'{{"error": "bad key {SECRET}"}}', "401"),
        (200, "<html>", "no completion"),
        (200, " " * 2_000_000, "more than"),
    ],
    ids=["refusal", "no JSON", "flood"],
)
def test_a_fault_of_the_endpoint_is_named_without_its_words(
    status: int, body: str, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A status or a strange body ends the game; nothing of the body is quoted."""
    monkeypatch.setattr(endpoints, "FIRST_WAIT_S", 1e9)

    with model(sending(body, status)) as (player, _), pytest.raises(PlayerError, match=says) as end:
        player.choose(Board.start())
    assert end.value.reason is Reason.DISCONNECTED
    assert SECRET not in end.value.detail


def test_nothing_answers_at_the_address(monkeypatch: pytest.MonkeyPatch) -> None:
    """An endpoint that is not there is named as such."""
    monkeypatch.setattr(endpoints, "FIRST_WAIT_S", 1e9)
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


def test_a_wait_that_the_clock_does_not_allow_is_not_waited() -> None:
    """The endpoint says to come back after the flag; the game's cause is its status."""
    with (
        model(sending("busy", 429, {"Retry-After": "3600"})) as (player, endpoint),
        pytest.raises(PlayerError, match="the endpoint answered 429"),
    ):
        player.choose(Board.start(), Budget(deadline_s=5.0))
    assert len(endpoint.requests) == 1


@pytest.mark.parametrize(
    ("status", "body", "says"),
    [
        (200, "<!doctype html><title>Welcome</title>", "a web page"),
        (429, '{"error": {"message": "You ran dry", "code": "insufficient_quota"}}', "You ran dry"),
        (200, '{"error": {"message": "no credit left", "code": 402}}', "402.*no credit left"),
    ],
    ids=["page", "account", "inside"],
)
def test_what_will_not_pass_is_told_immediately_with_its_words(
    status: int, body: str, says: str
) -> None:
    """Before the first game, and in it after one request; there without the words."""
    with model(sending(body, status)) as (player, endpoint):
        with pytest.raises(PlayerError, match=says):
            player.warm_up()
        with pytest.raises(PlayerError) as end:
            player.choose(Board.start())
        assert end.value.is_outage
        assert told(end.value.info).prompt
        assert len(endpoint.requests) == 2


def test_a_first_fault_that_may_pass_is_logged(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A user who waits reads why, in the endpoint's words."""
    monkeypatch.setattr(endpoints, "FIRST_WAIT_S", 0.01)
    with model(sending('{"error": "overloaded"}', times=3)) as (player, _):
        player.choose(Board.start(), Budget(deadline_s=PATIENCE_S))
    assert caplog.messages == ['the endpoint answered with an error: "overloaded"; asking again']


def test_a_request_has_the_members_that_the_spec_names(tmp_path: Path) -> None:
    """Sampling, effort and a system prompt; a file adds any other, or takes one away by null."""
    (tmp_path / "system.txt").write_text("Think, then answer.")
    (tmp_path / "body.json").write_text('{"top_k": 5, "seed": null}')
    options = ",temperature=0,top_p=0.9,seed=7,reasoning_effort=low,tokens=50"
    files = f",system={tmp_path}/system.txt,body={tmp_path}/body.json"
    with model(saying('{"move": 3}'), options + files) as (player, endpoint):
        player.choose(Board.start())
    (request,) = endpoint.requests
    assert request.pop("messages")[0] == {"role": "system", "content": "Think, then answer."}
    assert request == {
        "model": "tiny",
        "temperature": 0,
        "top_p": 0.9,
        "reasoning_effort": "low",
        "max_tokens": 50,
        "top_k": 5,
    }
    (tmp_path / "body.json").write_text('{"messages": []}')
    with pytest.raises(SpecError, match="without model and messages"):
        check_spec(f"llm:m@http://127.0.0.1/v1,body={tmp_path}/body.json")


def test_an_endpoint_of_reasoning_models_gets_their_limit_of_tokens() -> None:
    """It refuses `max_tokens` and names the other member, which is sent from then on."""

    def respond(endpoint: FakeEndpoint, handler: BaseHTTPRequestHandler) -> None:
        if "max_tokens" in endpoint.requests[-1]:
            send(handler, 400, b'{"error": "use max_completion_tokens instead of max_tokens"}')
        else:
            send(handler, 200, completion('{"move": 3}'))

    with model(respond, ",tokens=50") as (player, endpoint):
        player.warm_up()
        player.choose(Board.start())
    sent = [[key for key in request if "tokens" in key] for request in endpoint.requests]
    assert sent == [["max_tokens"], ["max_completion_tokens"], ["max_completion_tokens"]]


def test_an_answer_that_the_limit_of_tokens_cut_off_is_named_as_such() -> None:
    """The cause of the loss is the limit, not the form."""
    cut = '{"choices": [{"message": {"content": ""}, "finish_reason": "length"}]}'
    with (
        model(sending(cut)) as (player, _),
        pytest.raises(PlayerError, match="limit of tokens cut the answer off") as end,
    ):
        player.choose(Board.start())
    assert (told(end.value.info).tries, told(end.value.info).cut) == (2, 2)


def _chunks(*pieces: str, end: str = "data: [DONE]\n\n") -> str:
    sent = [{"choices": [{"delta": {"content": each}}]} for each in pieces]
    return "".join(f"data: {json.dumps(each)}\n\n" for each in sent) + end


def _message(message: dict[str, Any]) -> str:
    return json.dumps({"choices": [{"message": message}]})


@pytest.mark.parametrize(
    "answer",
    [
        _chunks('{"mo', 've": ', "3}"),
        ": keep alive\r\n\r\n" + _chunks('{"move": 3}').replace("\n", "\r\n"),
        _chunks('{"move": 3}', end='data: {"choices": [{"delta": {}, "finish_reason": "stop"}]}'),
        _message({"content": ['{"move": 3}']}),
        _message({"content": [{"type": "text", "text": '{"move": 3}'}]}),
        _message({"content": None, "tool_calls": [{"function": {"arguments": '{"move": 3}'}}]}),
        completion('{"move": 3}', prompt_tokens=None, completion_tokens=7.0, cost="much"),
        b"\xef\xbb\xbf" + completion('{"move": 3}'),
    ],
    ids=[
        "stream",
        "line ends",
        "no last word",
        "texts",
        "parts",
        "tool call",
        "odd usage",
        "byte order mark",
    ],
)
@pytest.mark.parametrize("kind", ["application/json", "text/event-stream"])
def test_what_endpoints_do_otherwise_costs_no_game(answer: str | bytes, kind: str) -> None:
    """Lists of parts, tool calls and streams, whatever they call it, hold the same words."""
    with model(sending(answer, headers={"Content-Type": kind})) as (player, endpoint):
        assert player.choose(Board.start(), Budget(deadline_s=PATIENCE_S)).pit == 3
    assert len(endpoint.requests) == 1


@pytest.mark.parametrize(
    ("answer", "status", "times"),
    [
        *(("busy", status, 3) for status in (429, 500, 503, 200)),
        (_chunks('{"move": ', end=""), 200, 3),
        (_chunks('{"mo', end='data: {"error": "overloaded"}\n\n'), 200, 3),
        ("busy", 503, 20),
    ],
    ids=["busy", "error", "away", "garbage", "broken off", "error in a stream", "long outage"],
)
def test_what_passes_costs_no_game(
    answer: str, status: int, times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is the endpoint's fault, not one of the model's tries; only the clock bounds how often."""
    monkeypatch.setattr(endpoints, "FIRST_WAIT_S", 0.001)
    monkeypatch.setattr(endpoints, "LONGEST_WAIT_S", 0.001)
    with model(sending(answer, status, times=times)) as (player, endpoint):
        assert player.choose(Board.start(), Budget(deadline_s=PATIENCE_S)).pit == 3
    assert len(endpoint.requests) == times + 1


def test_a_wrong_key_is_known_before_the_first_game() -> None:
    """The check shows the endpoint's own words, on the terminal of the user who started it."""
    with (
        model(sending('{"error": "no model named tiny"}', 404)) as (player, _),
        pytest.raises(PlayerError, match=r"404.*no model named tiny"),
    ):
        player.warm_up()


def test_a_busy_endpoint_passes_the_check(monkeypatch: pytest.MonkeyPatch) -> None:
    """What may pass until the first game is no reason not to begin."""
    monkeypatch.setattr(endpoints, "FIRST_WAIT_S", 1e9)
    with model(sending("busy", 429, times=1)) as (player, _):
        player.warm_up()
        assert player.choose(Board.start()).pit == 3


@pytest.mark.parametrize("budget", ["budget_tokens=50", "budget=0.5"])
def test_a_budget_ends_the_spending(budget: str) -> None:
    """Once it is spent no further request is made, and the cause says why the game is lost."""
    answers = saying('{"move": 0}', prompt_tokens=40, completion_tokens=20, cost=0.6)
    with model(answers, f",{budget}") as (player, endpoint):
        assert player.choose(Board.start()).pit == 0
        with pytest.raises(PlayerError, match=r"the budget of .* is spent"):
            player.choose(Board.start())
        assert len(endpoint.requests) == 1

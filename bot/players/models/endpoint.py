"""A chat endpoint of the OpenAI kind: one request at a time, within a time, cancelled at will.

The key comes from the environment and goes into one header; nothing here logs or quotes it. An
answer is bounded in size and in time, whatever the other end does.

What passes is tried again until that time ends, and the first such fault is logged: an endpoint
that is not reached, is busy (429) or fails (5xx), answers what is no completion, or breaks a stream
off. The waits double, and `Retry-After` makes them longer. What does not pass ends it: a
refusal, an account without credit, whichever status tells of it, and a page of the web. An error
inside of an answer with status 200 counts by its code.

A completion may come whole or as a stream of events, whatever its type is called; its content may
be a text, a list of parts or the arguments of a tool call. Counts of tokens that are no numbers
count as 0.
"""

import asyncio
import codecs
import logging
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import isfinite
from typing import Any, Final, NamedTuple

import httpx
import msgspec

from mancala.protocol.text import printable

from ...client.proxies import own_transport
from ..spec import ModelAddress

MOST_BYTES: Final = 1 << 20
"""The longest response that is read."""
CLOSING_S: Final = 1.0
FIRST_WAIT_S: Final = 0.25
LONGEST_WAIT_S: Final = 30.0
EVENTS: Final = (b"data:", b"event:", b"id:", b"retry:", b":")
"""How a stream of events begins."""
BUSY: Final = frozenset({408, 409, 425, 429})
UNPAID: Final = (b"insufficient_quota", b"billing_hard_limit_reached", b"billing_not_active")
"""The codes of an account without credit; they come with 429, as too many requests do."""
OLD_LIMIT: Final = "max_tokens"
NEW_LIMIT: Final = "max_completion_tokens"
"""What reasoning models ask for instead; an endpoint that names it is sent it from then on."""
LENGTH: Final = "length"
QUOTED: Final = 300
"""Letters quoted of what an endpoint says where it is checked."""


_LOGGER: Final = logging.getLogger("mancala.bot")


class EndpointError(Exception):
    """A request that brought no answer; the message is one sentence without secrets.

    Attributes:
        words: what the endpoint said itself, for its user's terminal and for no record.
        retry_s: seconds after which the same request may succeed; None if it will not.
    """

    def __init__(
        self, message: str, *, received: bytes = b"", retry_s: float | None = None
    ) -> None:
        self.words = printable(received.decode(errors="replace"), QUOTED)
        self.retry_s = retry_s
        super().__init__(message)

    @property
    def told(self) -> str:
        """The message with the endpoint's own words."""
        return f"{self}: {self.words}" if self.words else str(self)


class LateError(EndpointError):
    """The answer did not come in time, or was no longer wanted."""


class ChatMessage(NamedTuple):
    """One message of a conversation; the role is ``system``, ``user`` or ``assistant``."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """What a model said, and what the endpoint counted and charged, as far as it says so."""

    text: str
    prompt_tokens: int = 0
    answer_tokens: int = 0
    cost: float | None = None
    is_cut: bool = False
    """Whether the limit of tokens ended it."""


class _Part(msgspec.Struct):
    type: str = "text"
    text: str | None = None


class _Function(msgspec.Struct):
    arguments: str | dict[str, Any] = ""


class _ToolCall(msgspec.Struct):
    function: _Function | None = None


class _Message(msgspec.Struct):
    content: str | list[_Part | str] | None = None
    tool_calls: list[_ToolCall] | None = None

    @property
    def text(self) -> str:
        """The words, and the arguments of tool calls after them."""
        content = self.content or ""
        parts = [content] if isinstance(content, str) else content
        words = [it if isinstance(it, str) else it.text or "" for it in parts]
        calls = [it.function.arguments for it in self.tool_calls or () if it.function]
        words += [it if isinstance(it, str) else msgspec.json.encode(it).decode() for it in calls]
        return "".join(words)


class _Choice(msgspec.Struct):
    message: _Message | None = None
    delta: _Message | None = None
    finish_reason: str | None = None


class _Usage(msgspec.Struct):
    prompt_tokens: Any = 0
    completion_tokens: Any = 0
    cost: Any = None


class _Completion(msgspec.Struct):
    """The parts of a response that count; endpoints add many more."""

    choices: list[_Choice] | None = None
    usage: _Usage | None = None
    error: Any = None

    @property
    def choice(self) -> _Choice:
        return self.choices[0] if self.choices else _Choice()


class ModelEndpoint:
    """Asks one model; blocking, for a thread of its own; ``options`` go into each request."""

    def __init__(
        self, address: ModelAddress, *, key_variable: str, options: dict[str, Any]
    ) -> None:
        key = os.environ.get(key_variable)
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._url = f"{address.url}/chat/completions"
        self._body = {"model": address.model, **options}
        self._loop = asyncio.new_event_loop()
        own = own_transport(address.url)
        self._client = httpx.AsyncClient(headers=headers, timeout=None, transport=own)  # noqa: S113  # bounded as a whole
        self._asking: asyncio.Task[ModelAnswer] | None = None

    def ask(self, messages: Sequence[ChatMessage], limit_s: float) -> ModelAnswer:
        """Return the model's answer to a conversation.

        Raises:
            LateError: when it has not come within ``limit_s`` seconds, or `stop` was called.
            EndpointError: when the endpoint refuses, fails or answers something else.
        """
        body = {**self._body, "messages": [message._asdict() for message in messages]}
        self._asking = self._loop.create_task(self._persist(body, limit_s))
        try:
            return self._loop.run_until_complete(self._asking)
        except asyncio.CancelledError:
            raise LateError("the answer is no longer wanted") from None
        finally:
            self._asking = None

    def stop(self) -> None:
        """End the running request; may be called from any thread."""
        asking = self._asking
        if asking is not None:
            with suppress(RuntimeError):  # the loop was closed meanwhile
                self._loop.call_soon_threadsafe(asking.cancel)

    def close(self) -> None:
        with suppress(TimeoutError):
            self._loop.run_until_complete(asyncio.wait_for(self._client.aclose(), CLOSING_S))
        self._loop.close()

    async def _persist(self, body: dict[str, Any], limit_s: float) -> ModelAnswer:
        """Post until there is an answer, the fault will not pass, or the time is up."""
        until, wait_s = self._loop.time() + limit_s, FIRST_WAIT_S
        before = ""
        while True:
            try:
                async with asyncio.timeout_at(until):
                    return await self._post(body)
            except TimeoutError:
                raise LateError(f"no answer within {limit_s:.1f} s{before}") from None
            except EndpointError as error:
                if OLD_LIMIT in body and NEW_LIMIT in error.words:
                    self._body[NEW_LIMIT] = body[NEW_LIMIT] = body.pop(OLD_LIMIT)
                    del self._body[OLD_LIMIT]
                    continue
                if error.retry_s is None:
                    raise
                if not before:
                    _LOGGER.warning("%s; asking again", error.told)
                before = f"; before that, {error}"
                pause_s = max(wait_s, min(error.retry_s, LONGEST_WAIT_S))
                if self._loop.time() + pause_s >= until:
                    raise
            await asyncio.sleep(pause_s)
            wait_s = min(2 * wait_s, LONGEST_WAIT_S)

    async def _post(self, body: dict[str, Any]) -> ModelAnswer:
        received = bytearray()
        try:
            async with self._client.stream("POST", self._url, json=body) as response:
                async for part in response.aiter_bytes():
                    received += part
                    if len(received) > MOST_BYTES:
                        raise EndpointError(f"the endpoint sent more than {MOST_BYTES} bytes")
        except httpx.HTTPError as error:
            name = type(error).__name__
            raise EndpointError(f"the endpoint is not reached: {name} {error}", retry_s=0) from None
        if response.status_code != httpx.codes.OK:
            after = response.headers.get("retry-after", "")
            raise _refusal(response.status_code, bytes(received), after)
        answer = bytes(received).removeprefix(codecs.BOM_UTF8).lstrip()
        if answer.startswith(b"<"):
            message = "the endpoint's answer is a web page and no completion: is the address right?"
            raise EndpointError(f"{message} It is the base of an API, such as http://HOST/v1")
        return _read_stream(answer) if answer.startswith(EVENTS) else _read(answer)


def _refusal(status: int, received: bytes, after: str = "") -> EndpointError:
    """Return the error for a response without an answer."""
    passes = status in BUSY or status >= httpx.codes.INTERNAL_SERVER_ERROR
    passes = passes and not any(code in received for code in UNPAID)
    retry_s = float(after) if after.isascii() and after.isdigit() else 0.0
    message = f"the endpoint answered {status}"
    return EndpointError(message, received=received, retry_s=retry_s if passes else None)


def _read_stream(received: bytes) -> ModelAnswer:
    """Return the answer that a stream of events holds, piece by piece."""
    text, usage, reason, is_whole = "", _Usage(), None, False
    for line in received.splitlines():
        field, _, data = line.partition(b":")
        is_end = field == b"data" and data.strip() == b"[DONE]"
        is_whole = is_whole or is_end
        if field != b"data" or is_end:
            continue
        piece = _decoded(data.strip())
        usage, said = piece.usage or usage, piece.choice.delta or piece.choice.message
        text += said.text if said is not None else ""
        reason = piece.choice.finish_reason or reason
    if not is_whole and reason is None:
        raise EndpointError("the endpoint's stream broke off", retry_s=0)
    return _answer(text, usage, reason)


def _read(received: bytes) -> ModelAnswer:
    completion = _decoded(received)
    choice = completion.choice
    if choice.message is None:
        message = "the endpoint's answer has no choices"
        raise EndpointError(message, received=received, retry_s=0)
    return _answer(choice.message.text, completion.usage or _Usage(), choice.finish_reason)


def _decoded(received: bytes) -> _Completion:
    """Return a completion; raise what it says where it is an error."""
    try:
        found = msgspec.json.decode(received, type=_Completion)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        message = f"the endpoint's answer is no completion: {error}"
        raise EndpointError(message, received=received, retry_s=0) from None
    if not found.error:
        return found
    words = msgspec.json.encode(found.error)
    code = str(found.error.get("code")) if isinstance(found.error, dict) else ""
    if code.isascii() and code.isdigit():
        raise _refusal(int(code[:3]), words)
    retry_s = None if any(code in words for code in UNPAID) else 0
    raise EndpointError("the endpoint answered with an error", received=words, retry_s=retry_s)


def _answer(text: str, usage: _Usage, reason: str | None) -> ModelAnswer:
    tokens = (usage.prompt_tokens, usage.completion_tokens)
    prompt, answer = (round(_amount(it) or 0) for it in tokens)
    return ModelAnswer(text, prompt, answer, _amount(usage.cost), is_cut=reason == LENGTH)


def _amount(stated: Any) -> float | None:  # noqa: ANN401  # the endpoint's
    """Return what an endpoint counted or charged; None if it is no number."""
    is_amount = isinstance(stated, int | float) and not isinstance(stated, bool)
    return float(stated) if is_amount and isfinite(stated) and stated >= 0 else None

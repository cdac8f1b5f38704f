"""A chat endpoint of the OpenAI kind: one request at a time, within a time, cancelled at will.

The key comes from the environment and goes into one header; nothing here logs or quotes it. An
answer is bounded in size and in time, whatever the other end does.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import httpx
import msgspec

from bot.players.spec import ModelAddress

MOST_BYTES: Final = 1 << 20
"""The longest response that is read."""
CLOSING_S: Final = 1.0


class EndpointError(Exception):
    """A request that brought no answer; the message is one sentence without secrets."""


class LateError(EndpointError):
    """The answer did not come in time, or was no longer wanted."""


class Message(NamedTuple):
    """One message of a conversation; the role is ``user`` or ``assistant``."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model said.

    Attributes:
        text: its words.
        prompt_tokens: tokens read, as the endpoint counts them; 0 if it does not.
        answer_tokens: tokens written, likewise.
        cost: what the endpoint charged; None if it does not say.
    """

    text: str
    prompt_tokens: int = 0
    answer_tokens: int = 0
    cost: float | None = None


class _Message(msgspec.Struct):
    content: str | None = None


class _Choice(msgspec.Struct):
    message: _Message


class _Usage(msgspec.Struct):
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = None


class _Completion(msgspec.Struct):
    """The parts of a response that count; endpoints add many more."""

    choices: list[_Choice]
    usage: _Usage | None = None


class Endpoint:
    """Asks one model; blocking, for a thread of its own.

    Args:
        address: the model.
        key_variable: the environment variable with the key; without one, none is sent.
        options: further members of each request, such as ``temperature``.
    """

    def __init__(
        self, address: ModelAddress, *, key_variable: str, options: dict[str, Any]
    ) -> None:
        key = os.environ.get(key_variable)
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._url = f"{address.url}/chat/completions"
        self._body = {"model": address.model, **options}
        self._loop = asyncio.new_event_loop()
        self._client = httpx.AsyncClient(headers=headers, timeout=None)  # noqa: S113  # bounded as a whole
        self._asking: asyncio.Task[Answer] | None = None

    def ask(self, messages: Sequence[Message], limit_s: float) -> Answer:
        """Return the model's answer to a conversation.

        Raises:
            LateError: when it has not come within ``limit_s`` seconds, or `stop` was called.
            EndpointError: when the endpoint refuses, fails or answers something else.
        """
        body = {**self._body, "messages": [message._asdict() for message in messages]}
        self._asking = self._loop.create_task(self._post(body, limit_s))
        try:
            return self._loop.run_until_complete(self._asking)
        except TimeoutError:
            raise LateError(f"no answer within {limit_s:.1f} s") from None
        except asyncio.CancelledError:
            raise LateError("the answer is no longer wanted") from None
        except httpx.HTTPError as error:
            raise EndpointError(
                f"the endpoint is not reached: {type(error).__name__} {error}"
            ) from None
        finally:
            self._asking = None

    def stop(self) -> None:
        """End the running request; may be called from any thread."""
        asking = self._asking
        if asking is not None:
            with suppress(RuntimeError):  # the loop was closed meanwhile
                self._loop.call_soon_threadsafe(asking.cancel)

    def close(self) -> None:
        """Close the connection."""
        with suppress(TimeoutError):
            self._loop.run_until_complete(asyncio.wait_for(self._client.aclose(), CLOSING_S))
        self._loop.close()

    async def _post(self, body: dict[str, Any], limit_s: float) -> Answer:
        async with (
            asyncio.timeout(limit_s),
            self._client.stream("POST", self._url, json=body) as response,
        ):
            received = bytearray()
            async for part in response.aiter_bytes():
                received += part
                if len(received) > MOST_BYTES:
                    raise EndpointError(f"the endpoint sent more than {MOST_BYTES} bytes")
        if response.status_code != httpx.codes.OK:
            raise EndpointError(f"the endpoint answered {response.status_code}")
        return _read(bytes(received))


def _read(received: bytes) -> Answer:
    try:
        completion = msgspec.json.decode(received, type=_Completion)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise EndpointError(f"the endpoint's answer is no completion: {error}") from None
    if not completion.choices:
        raise EndpointError("the endpoint's answer has no choices")
    usage = completion.usage or _Usage()
    return Answer(
        completion.choices[0].message.content or "",
        usage.prompt_tokens,
        usage.completion_tokens,
        usage.cost,
    )

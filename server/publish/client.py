"""One connection to an MQTT broker: what the publisher needs and aiomqtt does not have.

- The reason of each PUBACK, which aiomqtt drops. A broker that speaks MQTT 5 says with it that it
  refuses a payload; under 3.1.1 a refusal looks like a delivery.
- Many payloads under way together, in the order in which they were given.
- A bound for what the broker sends. It may announce a packet of a quarter of a gigabyte, for which
  the client would make room before the first byte of it has arrived.
- No goodbye after an error, so that the broker sends the last will.
- How a connection ended: paho says "Unspecified error", aiomqtt where it noticed.
"""

import asyncio
import logging
import socket  # noqa: TID251  # an option of the connection
import ssl
from collections.abc import Callable
from functools import partial
from types import TracebackType
from typing import Any, Final, Self

import aiomqtt
from aiomqtt import ProtocolVersion

from mancala.protocol.text import quantity

from .window import MOST_TOGETHER

VERSIONS: Final = (ProtocolVersion.V5, ProtocolVersion.V311)
"""Those of MQTT, in the order in which they are tried."""
LARGEST_PACKET: Final = 64 * 1024
"""A broker sends a publisher acknowledgements, of a few bytes each, and what is read back."""
AT_ONCE: Final = (socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
"""The option of a socket that lets small packets go without waiting for each other."""
SILENT: Final = logging.Logger("mqtt", logging.CRITICAL)  # noqa: LOG001  # apart from all others
"""Of the libraries, which log the system's errors by their numbers."""
LOGIN: Final = ("Bad user name or password", "Not authorized")
"""Reasons for which a broker refuses a login; one compares equal to its name."""
OTHER_VERSION: Final = "Unsupported protocol version"
NO_MQTT: Final = "the broker sent what is no MQTT"
OVERHEAD: Final = 16
"""Bytes of a packet besides its topic and its payload, at most."""


class PublishingClient(aiomqtt.Client):
    """A connection to a broker.

    Attributes:
        has_reasons: whether the broker says which payloads it refuses: it speaks MQTT 5.
        window: the most payloads that the broker takes together.
        refusal: why the broker refused the connection, unless for its version of MQTT or unsaid.
        is_overwhelmed: whether the broker announced a packet that is larger than any is read.
    """

    def __init__(self, *args: Any, protocol: ProtocolVersion, **options: Any) -> None:  # noqa: ANN401  # as aiomqtt's
        super().__init__(
            *args,
            protocol=protocol,
            max_inflight_messages=MOST_TOGETHER,
            socket_options=[AT_ONCE],
            logger=SILENT,
            **options,
        )
        self.has_reasons = protocol is ProtocolVersion.V5
        self.window = MOST_TOGETHER
        self.refusal: str | None = None
        self.is_overwhelmed = False
        self._largest: int | None = None
        self._is_reached = False
        self._fault: str | None = None
        self._ended: str | None = None
        self._answers: dict[int, asyncio.Future[str | None]] = {}
        # paho has no option for it; it reads each part of a packet with this method.
        receive = self._client._sock_recv  # noqa: SLF001  # paho has no hook at its socket
        self._client._sock_recv = partial(self._receive_bounded, receive)  # type: ignore[method-assign]  # noqa: SLF001

    @property
    def is_refused(self) -> bool:
        """Whether the broker was reached and did not accept the connection."""
        return self._is_reached and not self._connected.done()

    def cause(self, error: BaseException) -> str:
        """Return as a sentence how the connection ended, or what else an error means."""
        if self._ended is not None:
            return self._ended
        if isinstance(error, TimeoutError) or isinstance(error.__context__, TimeoutError):
            return f"no answer from the broker in {self.timeout:g} s"
        return NO_MQTT if error.__cause__ is not None else str(error)

    async def __aenter__(self) -> Self:
        """Connect; raise `MqttError` with a sentence, not with the number of the system's error."""
        try:
            return await super().__aenter__()
        except aiomqtt.MqttCodeError as error:
            said = f"the broker refuses the connection: {str(error.rc).lower()}"
            said += "; are mqtt.user and mqtt.password right?" * (error.rc in LOGIN)
            if error.rc != OTHER_VERSION:
                self.refusal = said
            raise aiomqtt.MqttError(said) from None
        except aiomqtt.MqttError as error:
            if isinstance(error.__context__, OSError):
                raise aiomqtt.MqttError(_sentence(error.__context__)) from None
            raise

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Disconnect; after an error without a goodbye, so that the broker sends the last will."""
        if error is not None and not self._disconnected.done():
            self._client._sock_close()  # noqa: SLF001  # paho has no public way without a goodbye
            self._disconnected.set_result(None)
        await super().__aexit__(kind, error, trace)

    def deliver(self, topic: str, payload: str, *, retain: bool) -> asyncio.Future[str | None]:
        """Publish at least once, after what was given before.

        Returns:
            A future, of None once the broker has the payload, or of why it refuses it.

        Raises:
            MqttError: when the connection is lost.
        """
        answer: asyncio.Future[str | None] = self._loop.create_future()
        body = payload.encode()
        if self._largest is not None and len(body) + len(topic) + OVERHEAD > self._largest:
            answer.set_result(f"the broker takes no more than {quantity(self._largest, 'byte')}")
            return answer
        sent = self._client.publish(topic, body, qos=1, retain=retain)
        if sent.rc != 0:
            raise aiomqtt.MqttCodeError(sent.rc, "could not publish")
        self._answers[sent.mid] = answer
        return answer

    def _on_connect(self, client: Any, data: Any, flags: Any, code: Any, props: Any = None) -> None:  # noqa: ANN401  # as aiomqtt's
        self._largest = getattr(props, "MaximumPacketSize", None)
        self.window = min(MOST_TOGETHER, getattr(props, "ReceiveMaximum", MOST_TOGETHER))
        super()._on_connect(client, data, flags, code, props)

    def _on_publish(self, client: Any, data: Any, mid: int, code: Any, props: Any) -> None:  # noqa: ANN401  # as aiomqtt's
        answer = self._answers.pop(mid, None)
        if answer is not None and not answer.done():
            answer.set_result(refusal_in(code))
        super()._on_publish(client, data, mid, code, props)

    def _on_socket_open(self, client: Any, data: Any, sock: Any) -> None:  # noqa: ANN401  # as aiomqtt's
        self._is_reached = True
        super()._on_socket_open(client, data, sock)

    def _on_disconnect(self, client: Any, data: Any, flags: Any, code: Any, *props: Any) -> None:  # noqa: ANN401  # as aiomqtt's
        said = self._fault or _end(str(code), is_announced=flags.is_disconnect_packet_from_server)
        if not self._connected.done():
            # aiomqtt would wait for the answer until its time is up; paho may be in another thread.
            said += " before it answered CONNECT; are scheme and port of mqtt.url right?"
            self._loop.call_soon_threadsafe(self._note_refusal, said)
        elif self._connected.exception() is None and self._ended is None:
            published = self._answers or self._pending_publishes
            pending = {"SUBSCRIBE": self._pending_subscribes, "PUBLISH": published}
            unanswered = next((packet for packet, ids in pending.items() if ids), None)
            when = f"before it answered {unanswered}" if unanswered else "while it owed no answer"
            self._ended = f"{said} {when}"
        super()._on_disconnect(client, data, flags, code, *props)
        if self._disconnected.done():
            self._disconnected.exception()  # or asyncio logs that nothing asked for it

    def _receive_bounded(self, receive: Callable[[int], bytes], size: int) -> bytes:
        if size > LARGEST_PACKET:
            self.is_overwhelmed = True
            self._fault = f"the broker announced a packet of {quantity(size, 'byte')}"
            raise ConnectionError(self._fault)
        try:
            return receive(size)
        except ssl.SSLError as error:
            self._loop.call_soon_threadsafe(self._note_refusal, _sentence(error))
            raise

    def _note_refusal(self, why: str) -> None:
        if not self._connected.done():
            self._connected.set_exception(aiomqtt.MqttError(why))
            self._connected.exception()


def refusal_in(code: Any) -> str | None:  # noqa: ANN401  # as aiomqtt's
    """Return why a broker refuses something, by its reason code; None if it does not."""
    return f"{code} (0x{code.value:02x})" if code.is_failure else None


def _end(code: str, *, is_announced: bool) -> str:
    """Return how a connection ended, by paho's name for it."""
    if is_announced:
        return f"the broker ended the connection ({code.lower()})"
    match code:
        case "Protocol error":
            return NO_MQTT
        case "Keep alive timeout":
            return "the broker was silent for too long"
        case _:
            return "the broker closed the connection"


def _sentence(error: OSError) -> str:
    """Return why a broker could not be reached, and what to do."""
    match error:
        case ConnectionRefusedError():
            said = "no broker listens there; start it, or mend mqtt.url"
        case socket.gaierror():
            said = "no host is known by this name; mend mqtt.url"
        case TimeoutError():
            said = "no answer in time; is a firewall between, or mqtt.url wrong?"
        case ssl.SSLCertVerificationError():
            said = f"{error.verify_message}; name a PEM file of its authority as mqtt.ca"
        case ssl.SSLError(reason=str(reason)) if "_ALERT_" in reason:
            why = reason.partition("_ALERT_")[2].replace("_", " ").lower()
            said = f"the broker refuses TLS ({why}); does mqtt.cert name a certificate it knows?"
        case ssl.SSLError() | ConnectionResetError():
            said = "what answers there speaks no TLS; does mqtt.url begin with mqtt://?"
        case _:
            said = (error.strerror or str(error)).lower()
    return said

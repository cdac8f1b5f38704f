"""Bytes to messages and back: strict and bounded, with one exception for all bad input.

msgspec decodes and validates in one pass, with exact JSON types: neither ``true`` nor ``0.0`` is a
pit. It encodes messages in one pass, too. What `to_json` returns is stored and hashed, so its text
stays that of orjson. No other module uses either, except to define message types.

No text of either end may hold a control character (``text.py``). This is checked here, on the whole
message, so that no field can be left out: a pass over the raw bytes clears nearly every message,
and only the others are searched field by field.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final, TypeVar

import msgspec
import orjson

from .messages import ClientMessage, ErrorCode, Message, ServerMessage
from .text import QUOTED, find_control, may_hold_control, quantity, quote, shortened, shown

FRAME_LIMIT: Final = 16 * 1024

T = TypeVar("T")
to_line = msgspec.json.Encoder().encode
"""Return a document as :func:`to_json` does, in one pass, for those written by the thousand."""
encode: Callable[[Message], bytes] = to_line
"""Return the frame of a message: JSON without spaces, in UTF-8."""
_client: Final[msgspec.json.Decoder[ClientMessage]] = msgspec.json.Decoder(ClientMessage)
_server: Final[msgspec.json.Decoder[ServerMessage]] = msgspec.json.Decoder(ServerMessage)


class DecodeError(ValueError):
    """The peer sent something that is not a message.

    ``received`` is the beginning of the input in readable form, for the evidence; without secrets.
    The text may quote the peer, as far as others may read it. It is cut to a length that fits into
    an answer.
    """

    def __init__(self, code: ErrorCode, message: str, frame: bytes) -> None:
        self.code = code
        self.received = quote(frame)
        super().__init__(shortened(shown(message), QUOTED))


def decode_client(frame: bytes | str) -> ClientMessage:
    """Return the message in a frame from a client.

    DecodeError when it is too large, not JSON, of an unknown type, of the wrong shape, or has a
    text with a control character.
    """
    return _message(_client, frame)


def decode_server(frame: bytes | str) -> ServerMessage:
    """Return the message in a frame from a server, or raise as :func:`decode_client`."""
    return _message(_server, frame)


def _message(decoder: msgspec.json.Decoder[T], frame: bytes | str) -> T:
    raw = frame.encode(errors="surrogatepass") if isinstance(frame, str) else frame
    if len(raw) > FRAME_LIMIT:
        size = quantity(len(raw), "byte")
        raise DecodeError(
            ErrorCode.TOO_LARGE, f"a frame of {size}; the limit is {FRAME_LIMIT}", raw
        )
    message = _decode(decoder, raw)
    if may_hold_control(raw):
        finding = find_control(msgspec.to_builtins(message))
        if finding is not None:
            raise DecodeError(ErrorCode.INVALID, str(finding), raw)
    return message


def to_json(document: object, *, indent: bool = False) -> bytes:
    """Return a record, a result or any plain value as JSON; structs and dataclasses included."""
    plain = msgspec.to_builtins(document, str_keys=True)
    return orjson.dumps(plain, option=orjson.OPT_INDENT_2 if indent else None)


def from_json(text: bytes | str, kind: type[T]) -> T:
    """Return a document of a known kind, validated as strictly as a message.

    DecodeError when it is not JSON or of the wrong shape.
    """
    raw = text.encode(errors="surrogatepass") if isinstance(text, str) else text
    decoder: msgspec.json.Decoder[T] = _decoder_of(kind)  # type: ignore[arg-type]  # types can be hashed
    return _decode(decoder, raw)


@lru_cache
def _decoder_of(kind: Any) -> msgspec.json.Decoder[Any]:  # noqa: ANN401  # unions are types too
    """Return a decoder, which takes longer to make than a document does to be read."""
    return msgspec.json.Decoder(kind)


def mismatched(error: msgspec.ValidationError) -> str | None:
    """Return the key whose text has another pattern; None when something else is wrong."""
    said, _, place = str(error).rpartition(" - at ")
    return place.strip("`").removeprefix("$.") if "matching regex" in said else None


def json_schema(*kinds: Any) -> tuple[list[dict[str, Any]], dict[str, Any]]:  # noqa: ANN401  # unions are types too
    """Return a JSON Schema for each kind, and the components that these refer to.

    References have the form ``#/components/schemas/NAME``.
    """
    schemas, components = msgspec.json.schema_components(
        kinds, ref_template="#/components/schemas/{name}"
    )
    return list(schemas), components


def _decode(decoder: msgspec.json.Decoder[T], raw: bytes) -> T:
    try:
        raw.decode()  # msgspec does not check UTF-8 in the fields that it skips
        return decoder.decode(raw)
    except msgspec.ValidationError as error:
        raise DecodeError(_code(str(error)), str(error), raw) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise DecodeError(ErrorCode.NOT_JSON, str(error), raw) from None


def _code(complaint: str) -> ErrorCode:
    unknown = complaint.startswith("Invalid value ") and complaint.endswith(" - at `$.type`")
    return ErrorCode.UNKNOWN_TYPE if unknown else ErrorCode.INVALID

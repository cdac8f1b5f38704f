"""The `llm` player: its options, and how it is made from them; the model itself is loaded late."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mancala.protocol.text import written_text

from ..kind import Option, PlayerKind, Settings, number, one_of, whole
from ..spec import ENDPOINT, ModelAddress, SpecError
from .contracts import ANSWER_LIMIT_S, ARENA, CONTRACTS, KEY_VARIABLE

if TYPE_CHECKING:
    from mancala.protocol.player import Player

LONGEST_LIMIT_S: Final = 86400.0
MOST_TOKENS: Final = 1_000_000
HIGHEST_PRICE: Final = 1e6
_TAKEN: Final = frozenset({"model", "messages"})


def _text_of(path: str) -> str:
    try:
        return written_text(Path(path).read_bytes())
    except OSError as error:
        raise ValueError from error


def _members_of(path: str) -> dict[str, Any]:
    found = json.loads(_text_of(path))
    if not isinstance(found, dict) or _TAKEN & found.keys():
        raise ValueError
    return found


_FIELDS: Final = {
    "contract": one_of("contract", "the form of question and answer", ARENA.name, CONTRACTS),
    "limit_s": number(
        "timeout",
        "seconds for one answer, second try included",
        ANSWER_LIMIT_S,
        low=0.1,
        high=LONGEST_LIMIT_S,
    ),
    "temperature": number("temperature", "of the model's sampling", None, low=0.0, high=2.0),
    "top_p": number("top_p", "share of the likeliest words sampled", None, low=0.0, high=1.0),
    "seed": whole("seed", "of the model's sampling", None, low=0),
    "reasoning_effort": Option(
        "reasoning_effort", "how long a reasoning model thinks", None, "as low or high", str
    ),
    "system": Option(
        "system", "a file with a system prompt", None, "a text file", _text_of, is_outside=True
    ),
    "body": Option(
        "body",
        "a file with further members of each request, null for none",
        None,
        "a file with a JSON object without model and messages",
        _members_of,
        is_outside=True,
    ),
    "answer_tokens": whole("tokens", "the most tokens of an answer", None, low=1, high=MOST_TOKENS),
    "key_variable": Option(
        "key", "environment variable with the endpoint's key", KEY_VARIABLE, "a name", str
    ),
    "prompt_price": number(
        "prompt_price", "price of a million tokens read", None, low=0.0, high=HIGHEST_PRICE
    ),
    "answer_price": number(
        "answer_price", "price of a million tokens written", None, low=0.0, high=HIGHEST_PRICE
    ),
    "most_tokens": whole(
        "budget_tokens", "tokens that all games may take; then it resigns", None, low=1
    ),
    "most_cost": number(
        "budget", "what all games may cost; then it resigns", None, low=0.0, high=HIGHEST_PRICE
    ),
}
"""The options by the field of `mancala.bot.players.models.llm.ModelOptions` that they set."""
_ADDRESS: Final = Option(
    ENDPOINT,
    "the model and its endpoint, written first and without a key",
    None,
    "MODEL@URL, without credentials or a query",
    ModelAddress.parse,
    is_outside=True,
)


def _make(settings: Settings) -> Player:
    from .llm import ModelOptions, ModelPlayer  # noqa: PLC0415  # needs httpx

    given = {
        field: settings[option.name] for field, option in _FIELDS.items() if option.name in settings
    }
    try:
        return ModelPlayer(settings[ENDPOINT], ModelOptions(**given))
    except (ImportError, ValueError) as error:  # of a proxy that the environment names
        raise SpecError(f"llm: {error}") from None


MODEL: Final = PlayerKind(
    "llm",
    "a language model at a chat endpoint of the OpenAI kind; written llm:MODEL@URL",
    (_ADDRESS, *_FIELDS.values()),
    _make,
    needs=("llm", ("httpx",)),
)

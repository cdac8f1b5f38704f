"""The API's answers as bodies: parameters checked, work paid for, final answers kept."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Final
from urllib.parse import quote, urlencode

import msgspec
from starlette.types import Scope

from mancala.protocol import codec
from mancala.protocol.text import find_control

from ..feed.kept_answers import Latest
from ..http.budgets import HttpBudgets, asker_of
from ..http.responses import JSON, BadRequestError, Body
from .api import Api
from .endpoints import ENDPOINTS
from .parameters import Parameters, complaint

KEPT_BYTES: Final = 8 * 1024 * 1024
"""Of games that are over; compressed forms come on top, a tenth as large."""
KEPT_S: Final = 5.0
"""A game that is over may still be annulled."""
UNRESERVED: Final = "-_.!~*'()"
"""The characters that JavaScript's encodeURIComponent leaves as they are, besides letters and
digits."""


class Answers:
    def __init__(self, api: Api, budgets: HttpBudgets) -> None:
        """Ask the API's handlers, within the budgets of addresses."""
        self._api = api
        self._budgets = budgets
        self._finished: Latest[tuple[Body, float]] = Latest(
            KEPT_BYTES, lambda kept: len(kept[0].plain)
        )

    async def at(
        self, path: str, named: Mapping[str, str], query: Mapping[str, str], by: Scope
    ) -> Body:
        """Return the answer of the endpoint at a path to the parameters in it and the others."""
        endpoint, address = ENDPOINTS[path], path_of(path, named)
        parameters = _parameters(endpoint.parameters, named, query)
        body, until = self._finished.get(address) or (None, 0.0)
        if body is None or until < asyncio.get_running_loop().time():
            await self._budgets.pay(by, endpoint.price)
            with self._budgets.place(by, endpoint.price):
                found = await endpoint.ask(self._api.asked_by(asker_of(by)), parameters)
            body = Body(codec.to_json(found), JSON)
            if endpoint.is_final(found):
                self._finished.keep(address, (body, asyncio.get_running_loop().time() + KEPT_S))
        return body

    async def drawn(
        self, by: Scope, price: float, key: str, draw: Callable[[], Coroutine[Any, Any, Body]]
    ) -> Body:
        """Return a picture, which a request pays for unless one is drawn under its key."""
        return await self._budgets.share(by, price, key, draw)


def path_of(pattern: str, named: Mapping[str, str], query: Mapping[str, str] | None = None) -> str:
    """Return an address below the API's root, as the page's scripts write it."""
    path = pattern.format(**{name: quote(value, UNRESERVED) for name, value in named.items()})
    return f"{path}?{urlencode(query)}" if query else path


def _parameters(
    kind: type[Parameters], path: Mapping[str, str], query: Mapping[str, str]
) -> Parameters:
    named = {**query, **path}
    finding = find_control(named)
    if finding is not None:
        raise BadRequestError(str(finding))
    try:
        found = msgspec.convert(named, kind, strict=False)
    except msgspec.ValidationError as error:
        raise BadRequestError(complaint(error)) from None
    for name, text in query.items():
        value = getattr(found, name)
        if value is None:  # msgspec takes the text "null" for None
            raise BadRequestError(f"{name}: must not be null")
        if isinstance(value, int) and text != str(value):  # and "1e1" or "10.0" for 10
            raise BadRequestError(f"{name}: must be a whole number in digits")
    return found

"""The endpoints of ``/api/v1``, each declared at its handler by address and price."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final, TypeVar, get_type_hints

from msgspec import Struct

from .parameters import Parameters

H = TypeVar("H", bound=Callable[..., Awaitable[Struct]])
ROOT: Final = "/api/v1"


def never(_result: object) -> bool:
    """Return False."""
    return False


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An endpoint of the API; its result may be final, missing, or need more than the store.

    Names in braces of its path, below ``/api/v1``, are fields of the parameters. The price is that
    of making the result, besides the request. The handler's docstring is the summary.
    """

    path: str
    handler: Callable[..., Awaitable[Struct]]
    parameters: type[Parameters]
    result: type[Struct]
    price: float
    is_final: Callable[[Any], bool]
    needs_game_server: bool
    can_be_missing: bool

    def ask(self, api: object, wanted: Parameters) -> Awaitable[Struct]:
        """Ask the API's handler; one that needs no parameters takes none."""
        given = () if self.parameters is Parameters else (wanted,)
        return self.handler(api, *given)


ENDPOINTS: Final[dict[str, Endpoint]] = {}


def endpoint(
    path: str,
    price: float = 0.0,
    *,
    is_final: Callable[[Any], bool] = never,
    needs_game_server: bool = False,
    can_be_missing: bool = False,
) -> Callable[[H], H]:
    """Declare what answers under a path; see :class:`Endpoint`."""

    def declare(handler: H) -> H:
        types = get_type_hints(handler)
        ENDPOINTS[path] = Endpoint(
            *(path, handler, types.get("wanted", Parameters), types["return"]),
            *(price, is_final, needs_game_server),
            can_be_missing or "{" in path,
        )
        return handler

    return declare

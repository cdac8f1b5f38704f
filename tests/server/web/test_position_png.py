"""Positions as PNG files, for what other programs show beside a link."""

from __future__ import annotations

import struct
import zlib

import numpy as np
import pytest
from numpy.typing import NDArray
from starlette.types import Scope

from mancala.protocol.rules import KALAH, Board, Rules
from mancala.server.net.costs import HTTP_FILM, HTTP_PNG
from mancala.server.web.budgets import HttpBudgets
from mancala.server.web.position_png import BOWL, HEIGHT, SEEDS, WIDTH, position_png
from tests.server.web.seen import Seen


def decoded(png: bytes) -> NDArray[np.uint8]:
    """Return the pixels of a PNG, and check its chunks on the way."""
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    at, data = 8, b""
    while at < len(png):
        (size,) = struct.unpack(">I", png[at : at + 4])
        chunk = png[at + 4 : at + 8 + size]
        assert struct.unpack(">I", png[at + 8 + size : at + 12 + size]) == (zlib.crc32(chunk),)
        data += chunk[4:] if chunk.startswith(b"IDAT") else b""
        at += 12 + size
    lines = np.frombuffer(zlib.decompress(data), np.uint8).reshape(HEIGHT, 3 * WIDTH + 1)
    assert (lines[:, 0] == 2).all()
    return np.cumsum(lines[:, 1:], axis=0, dtype=np.uint8).reshape(HEIGHT, WIDTH, 3)


def area(pixels: NDArray[np.uint8], *colours: tuple[int, int, int]) -> int:
    """Return how many pixels have one of these colours."""
    return sum(int((pixels == colour).all(axis=2).sum()) for colour in colours)


def test_seeds_are_where_they_lie() -> None:
    """At the start each pit has as much of them as the one beside it, and the stores have none."""
    pixels = decoded(position_png(Board.start(KALAH)))
    cell = (WIDTH - 60) / 8
    parts = [pixels[:, round(30 + at * cell) : round(30 + (at + 1) * cell)] for at in range(8)]
    seeds = [area(part, *SEEDS) for part in parts]
    assert seeds[0] == seeds[7] == 0
    assert min(seeds[1:7]) > 0
    assert all(area(part, BOWL) > 0 for part in parts)


@pytest.mark.parametrize("rules", [Rules(pits=1, seeds=1), Rules(pits=16, seeds=7)])
def test_boards_of_every_size_fit(rules: Rules) -> None:
    """Also where a store holds all seeds."""
    m = rules.pits
    full = Board(rules, ((0,) * m, (0,) * m), (2 * m * rules.seeds, 0), 0)
    for board in (Board.start(rules), full):
        assert decoded(position_png(board)).shape == (HEIGHT, WIDTH, 3)


@pytest.mark.asyncio(loop_scope="module")
async def test_a_game_page_names_the_picture_of_its_position(played: Seen) -> None:
    """The picture is served under that address; a position that is not there has none."""
    game = (await played.api("/games"))["games"][0]["game"]
    page = (await played.get(f"/games/{game}/3")).text
    address = f"{played.server.http_url}/games/{game}/3.png"
    assert f'<meta property="og:image" content="{address}">' in page
    assert 'property="og:title" content="' in page
    picture = await played.get(f"/games/{game}/3.png")
    assert (picture.status_code, picture.headers["Content-Type"]) == (200, "image/png")
    assert decoded(picture.content).shape == (HEIGHT, WIDTH, 3)
    assert (await played.get(f"/games/{game}/999.png")).status_code == 404


@pytest.mark.asyncio(loop_scope="module")
async def test_a_picture_is_paid_for_by_what_it_costs(
    played: Seen, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For the price of a page, one address could keep five cores busy with pixels."""
    game = (await played.api("/games"))["games"][0]["game"]
    paid: list[float] = []

    async def pay(_budgets: HttpBudgets, _scope: Scope, price: float) -> None:
        paid.append(price)

    monkeypatch.setattr(HttpBudgets, "pay", pay)
    await played.get(f"/games/{game}/3.png")
    assert HTTP_PNG in paid
    await played.get(f"/games/{game}.svg")
    assert HTTP_FILM in paid

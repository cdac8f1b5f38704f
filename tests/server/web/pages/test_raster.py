"""Positions as PNG files and games as GIF files, for programs that take no SVG."""

import asyncio
from io import BytesIO
from random import Random
from typing import Final

import pytest
from PIL import Image, ImageChops, ImageColor
from starlette.types import Scope

from mancala.protocol.record import GameRecord, RecordedMove, replay
from mancala.protocol.results import Contestant
from mancala.protocol.rules import KALAH, SWAP, Board, Rules
from mancala.server.net.limits.costs import HTTP_FILM, HTTP_FRAME, HTTP_GIF, HTTP_PNG, HTTP_STILL
from mancala.server.web.http.budgets import HttpBudgets
from mancala.server.web.pages import picture_routes, raster
from mancala.server.web.pages.board_style import light
from mancala.server.web.pages.pictures import (
    MOST_FRAMES,
    empty_board,
    frame_of,
    held,
    holdings,
    ring,
    sown_place,
    words_above,
    words_below,
)
from mancala.server.web.pages.raster import (
    HOLD_MS,
    STEP_MS,
    game_gif,
    position_png,
)
from tests.server.web.pages.test_pictures import CAPTION
from tests.server.web.seen import Seen

WIDTH, HEIGHT = 1200, 630
NEAR: Final = 12
"""Of 256, by which colours may differ at edges."""
TILE: Final = 16
NEAR_TILE: Final = 24
"""Of 256, by which a tile may differ: 17 do edges that lie between pixels, 29 one pixel beside."""


def record_of(rules: Rules, pits: tuple[int, ...] | None = None) -> GameRecord:
    rng, board = Random(1), Board.start(rules)
    opening, moves = board.state, list[RecordedMove]()
    while not board.is_over and (pits is None or len(moves) < len(pits)):
        pit = rng.choice(board.legal()) if pits is None else pits[len(moves)]
        moves.append(RecordedMove(board.player, pit))
        board = board.sow(pit).board
    return GameRecord("id", rules, (Contestant("ann"), Contestant("bob")), opening, tuple(moves))


def opened(data: bytes) -> Image.Image:
    return Image.open(BytesIO(data))


def hues(picture: Image.Image, colour: str) -> int:
    wanted = ImageColor.getrgb(colour)
    found = picture.convert("RGB").getcolors(picture.width * picture.height) or []
    return sum(
        count
        for count, each in found
        if isinstance(each, tuple)
        and max(abs(one - other) for one, other in zip(each, wanted, strict=False)) < NEAR
    )


def test_seeds_are_where_they_lie() -> None:
    """At the start each pit has as much of them as the one beside it, and the stores have none."""
    picture = opened(position_png(record_of(KALAH), 0, CAPTION))
    scale = HEIGHT / 560
    left = (WIDTH - 820 * scale) / 2
    edges = [round(left + scale * (10 + 100 * at)) for at in range(9)]
    parts = [picture.crop((edges[at], 130, edges[at + 1], 440)) for at in range(8)]
    seeds = [hues(part, light().variables["seed-2"]) for part in parts]
    assert seeds[0] == seeds[7] == 0
    assert min(seeds[1:7]) > 0.8 * max(seeds[1:7]) > 20


@pytest.mark.parametrize("rules", [Rules(pits=1, seeds=1), Rules(pits=16, seeds=7)])
def test_boards_of_every_size_fit(rules: Rules) -> None:
    """Also where a store holds nearly all seeds."""
    record = record_of(rules)
    assert opened(position_png(record, len(record.moves), CAPTION)).size == (WIDTH, HEIGHT)
    assert opened(game_gif(record, CAPTION)).size == (600, 315)


def test_the_pit_of_the_last_move_has_a_ring() -> None:
    """The opening has none, and neither has a swap of sides."""
    record, colour = record_of(Rules(pie=True), (1, SWAP)), light().variables["ring"]
    rings = [hues(opened(position_png(record, ply, CAPTION)), colour) for ply in range(3)]
    assert rings[0] == rings[2] == 0
    assert rings[1] > 500


@pytest.mark.parametrize("rules", [KALAH, Rules(pits=9, seeds=3)])
def test_a_png_shows_what_a_drawing_of_the_whole_does(rules: Rules) -> None:
    """Seeds, rings and words lie on the board as there, to the pixel."""
    record, ply = record_of(rules), 7
    boards, frame = list(replay(record)), frame_of(rules.pits)
    parts = [(place, held(place.kind, seeds)) for place, seeds in holdings(boards[ply])]
    sown = sown_place(boards[ply - 1], record.moves[ply - 1].pit)
    assert sown is not None
    drawn = "".join(
        f'<g transform="translate({place.x})">{each}</g>'
        for place, each in (*parts, (sown, ring(sown.kind)))
    )
    place = f'<g transform="translate({frame.left} 44) scale({frame.scale})">'
    words = words_above(CAPTION) + words_below(CAPTION, frame.height - 112)
    scale = min(WIDTH / 820, HEIGHT / frame.height)
    wide, high = WIDTH / scale, HEIGHT / scale
    box = ((820 - wide) / 2, (frame.height - high) / 2, wide, high)
    whole = raster._rendered(
        f"{words}{place}{empty_board(rules.pits)}{drawn}</g>", box, scale, is_text=True
    )
    picture = opened(position_png(record, ply, CAPTION)).convert("RGB")
    wanted = Image.new("RGB", (WIDTH, HEIGHT), light().variables["ground"])
    wanted.paste(whole, (0, 0), whole)
    tiles = ImageChops.difference(picture, wanted).reduce(TILE)
    assert max(max(band.tobytes()) for band in tiles.split()) < NEAR_TILE


def test_a_gif_ends_with_the_last_moves() -> None:
    """Ten of them are eleven positions; a game has no more than it has."""
    record = record_of(KALAH)
    assert getattr(opened(game_gif(record, CAPTION, 10)), "n_frames", 1) == 11
    whole = getattr(opened(game_gif(record, CAPTION, 9999)), "n_frames", 1)
    assert whole == len(record.moves) + 1


def test_a_gif_shows_each_position_and_holds_the_last() -> None:
    """It repeats."""
    record = record_of(KALAH)
    gif = opened(game_gif(record, CAPTION))
    frames = len(record.moves) + 1
    assert (getattr(gif, "n_frames", 1), gif.info["loop"]) == (frames, 0)
    lasting = []
    for at in range(frames):
        gif.seek(at)
        lasting.append(gif.info["duration"])
    assert lasting == [STEP_MS] * (frames - 1) + [HOLD_MS]


def test_a_gif_of_a_long_game_is_bounded() -> None:
    """It skips positions, but shows the last one."""
    record = record_of(Rules(pits=16, seeds=7))
    assert len(record.moves) > 2 * MOST_FRAMES
    data = game_gif(record, CAPTION)
    assert getattr(opened(data), "n_frames", 1) <= 81
    assert len(data) < 1_000_000


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
    assert opened(picture.content).size == (WIDTH, HEIGHT)
    assert (await played.get(f"/games/{game}/999.png")).status_code == 404


@pytest.mark.asyncio(loop_scope="module")
async def test_a_gif_is_drawn_once_for_all_who_ask(
    played: Seen, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a link in a busy chat would have it drawn for each reader."""
    drawn: list[str] = []

    def draw(subject: picture_routes.Subject, last: int | None) -> bytes:
        drawn.append(f"{subject.record.game} {last}")
        return b"GIF89a"

    monkeypatch.setattr(picture_routes, "_gif", draw)
    game = (await played.api("/games?status=over"))["games"][0]["game"]
    paid: list[float] = []

    async def afford(_budgets: HttpBudgets, _scope: Scope, price: float) -> None:
        paid.append(price)

    monkeypatch.setattr(HttpBudgets, "_afford", afford)
    answers = await asyncio.gather(*(played.get(f"/games/{game}.gif") for _ in range(4)))
    assert len([price for price in paid if price > HTTP_GIF]) == 1
    assert {answer.headers["Content-Type"] for answer in answers} == {"image/gif"}
    assert {answer.content for answer in answers} == {b"GIF89a"}
    assert drawn == [f"{game} None"]
    for last in (10, 999, 9999):  # of which no more than there are make a picture of their own
        await played.get(f"/games/{game}.gif?last={last}")
    assert drawn[1:] == [f"{game} 10"]
    refused = await played.get(f"/games/{game}.gif?last=0")
    assert (refused.status_code, "last: must be" in refused.text) == (400, True)
    assert (await played.get("/games/none.gif")).status_code == 404


@pytest.mark.asyncio(loop_scope="module")
async def test_a_picture_is_paid_for_by_what_it_costs(
    played: Seen, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For the price of a page, one address could keep five cores busy with pixels."""
    game = (await played.api("/games?status=over"))["games"][-1]["game"]
    paid: list[float] = []

    async def afford(_budgets: HttpBudgets, _scope: Scope, price: float) -> None:
        paid.append(price)

    monkeypatch.setattr(HttpBudgets, "_afford", afford)
    moves = len((await played.api(f"/games/{game}"))["moves"])
    for path, price in (
        *(("/3.png", HTTP_PNG), ("/3.svg", HTTP_STILL), (".svg", 6 * (moves + 1) * HTTP_FILM)),
        (".gif", HTTP_GIF + 6 * min(MOST_FRAMES, moves + 1) * HTTP_FRAME),
        (".gif?last=2", HTTP_GIF + 6 * 3 * HTTP_FRAME),
    ):
        await played.get(f"/games/{game}{path}")
        assert pytest.approx(price) in paid

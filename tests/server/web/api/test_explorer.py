"""The opening explorer: what was played in a position, on the analysis board and as a river."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from itertools import count
from types import SimpleNamespace
from typing import Final, cast
from urllib.parse import parse_qs, urlsplit

import pytest
from msgspec import structs
from playwright.async_api import Browser, Route, expect

from mancala.protocol import codec
from mancala.protocol.messages import Outcome, Reason
from mancala.protocol.record import GameRecord, RecordedMove, replay
from mancala.protocol.results import Contestant
from mancala.protocol.review import GameReview
from mancala.protocol.rules import SWAP, Board, Rules
from mancala.protocol.variants import MANCHESTER
from mancala.server.model.review.reviews import ReviewKey
from mancala.server.model.schemas.analysis import RiverStream
from mancala.server.store.reading.archive import Archive
from mancala.server.web.api.explorer import (
    Explorer,
    KnownGame,
    Position,
    Worth,
    explored,
    known_game,
    river,
    worths_in,
)
from mancala.server.web.api.feeds import summary_of
from tests.server.web.api.test_mistakes import reviewed
from tests.server.web.browser import barriers, visiting
from tests.server.web.seen import Seen

pytestmark = pytest.mark.asyncio(loop_scope="module")

START = "<6,0,0,4,4,4,4,4,4,4,4,4,4,4,4>"
NUMBER: Final = count()


async def records(played: Seen) -> list[GameRecord]:
    games = (await played.api("/games"))["games"]
    answers = [await played.get(f"/api/v1/games/{game['game']}") for game in games]
    return [codec.from_json(answer.content, GameRecord) for answer in answers]


async def test_each_game_counts_for_its_first_move(played: Seen) -> None:
    """The start was played in every game; wins and losses are those of its mover."""
    found = await played.api(f"/explorer?board={START}")
    games = await records(played)
    assert found["games"] == len(games) == sum(move["counts"]["games"] for move in found["moves"])
    won = sum(game.result is not None and game.result.winner == 0 for game in games)
    assert sum(move["counts"]["wins"] for move in found["moves"]) == won


async def test_a_transposition_meets_the_position_it_leads_to(played: Seen) -> None:
    """Each position of a game is found, with that game and its ply."""
    game = (await records(played))[0]
    boards = list(replay(game))
    games = {game.game: known_game(game)}
    for ply, move in enumerate(game.moves[:12]):
        (found,) = explored(games, (boards[ply].rules.key, boards[ply].text))
        assert (found.pit, found.game) == (move.pit, game.game)
    assert (
        explored(
            games, (boards[0].rules.key, Board.from_text("<6,0,0,1,0,0,0,0,0,1,0,0,0,0,0>").text)
        )
        == ()
    )


async def test_what_is_no_board_is_refused(played: Seen) -> None:
    """As for the analysis of a position."""
    assert (await played.get("/api/v1/explorer?board=nothing")).status_code == 400


async def test_the_analysis_board_shows_what_was_played(played: Seen, browser: Browser) -> None:
    """A move of the list is sown by pressing it."""
    async with visiting(browser, played.url, reduced_motion="reduce") as tab:
        await tab.page.goto("/analysis")
        table = tab.page.get_by_role("table", name="What was played here")
        await table.get_by_role("button").first.click()
        await expect(tab.page.get_by_text("Sown: South")).to_be_visible()


async def test_a_river_parts_where_its_games_parted(played: Seen) -> None:
    """Each stream has as many games as those it parts into, but for games that were over there."""
    found = await played.api("/river")
    assert (found["board"], found["rules"]) == (START, "kalah")
    assert found["source"]["pit"] is None
    assert found["source"]["counts"]["games"] == found["games"] == 4
    waiting = [found["source"]]
    for stream in waiting:
        below = stream["streams"]
        assert sum(each["counts"]["games"] for each in below) in {stream["counts"]["games"], 0}
        waiting += below
    assert len(waiting) > 20
    assert (await played.get("/api/v1/river?board=nothing")).status_code == 400
    refused = await played.get("/api/v1/river?rules=oware")
    assert "needs board" in refused.json()["error"]["message"]


async def test_a_stream_is_worth_what_reviews_say_to_the_sources_mover(played: Seen) -> None:
    """A value is its position's mover's; a river has one side. A proven value is the better one."""
    record = (await records(played))[0]
    game = known_game(record)
    passed = game.passed
    streams = way_of(game, {passed[3].position: Worth(True, 0, 5)})
    for stream, move in zip(streams[1:], passed, strict=False):
        assert (stream.pit, stream.counts.games) == (move.pit, 1)
    sign = 1 if passed[3].player == passed[0].player else -1
    known = [(each.value, each.proven) for each in streams[:4]]
    assert known == [(None, False)] * 3 + [(5 * sign, True)]
    assert max(Worth(True, 0, 5), Worth(False, 30, 9)) == Worth(True, 0, 5)
    worths = worths_in(reviewed(record), game)
    assert worths == {each.position: Worth(True, 0, 0) for each in passed if each.pit is not None}
    assert all(each.proven for each in way_of(game, worths))


async def test_a_game_that_cannot_be_replayed_is_left_out() -> None:
    """As one is that another program wrote to the store."""
    good = play_on("kalah")
    bad = structs.replace(good, moves=(RecordedMove(0, 0), *good.moves))
    assert known_game(bad).passed == ()


async def test_the_last_position_of_a_stream_has_its_value() -> None:
    """A review knows the position after the last move that is kept; a game that is over, itself."""
    long, short = (play_on(text) for text in ("kalah:seeds=6", "kalah"))
    *_, last = way_of(known_game(long), worths_in(reviewed(long), known_game(long)))
    assert (last.streams, last.value, last.proven) == ((), 0, True)
    *boards, end = replay(short)
    *before, last = way_of(known_game(short), {})
    assert [each.value for each in before] == [None] * len(boards)
    assert (last.value, last.proven) == (end.stores[0] - end.stores[1], True)
    assert last.value


async def test_rules_are_those_of_the_games_that_begin_at_the_source() -> None:
    """Kalah(6, 4) and (6, 6) are played alike; their starts are not. Annulled games are out."""
    records = [play_on(text) for text in ("kalah", "kalah:seeds=6", "kalah")]
    records.append(structs.replace(play_on("kalah"), annulled=True))
    found = await Explorer(cast("Archive", PlayedArchive(records))).river(None)
    assert (found.board, found.rules) == (START, "kalah")
    assert found.source.counts.games == 2


def begun(winner: int | None, *pits: int) -> KnownGame:
    board, moves = Board.start(), list[RecordedMove]()
    start = board
    for pit in pits:
        moves.append(RecordedMove(board.player, pit))
        board = board.sow(pit).board
    players, result = (
        (Contestant("ann"), Contestant("bob")),
        Outcome(winner, (24, 24), Reason.NORMAL),
    )
    return known_game(
        GameRecord("g", start.rules, players, start.state, tuple(moves), result=result)
    )


async def test_moves_are_listed_by_how_often_they_were_played(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Then by pit, with what they came to for their mover, and the latest game that made each.

    A river shows the same ones, and the widest where not all have room.
    """
    ways = (((3,), 0), ((1, 0), 1), ((3, 0), 1), ((3, 0), None), ((5, 0, 4), 0), ((5,), 0), ((), 0))
    games = {str(at): begun(winner, *pits) for at, (pits, winner) in enumerate(ways)}
    start = Board.start()
    found = {}
    for board in (start, start.sow(3).board):
        at = board.rules.key, board.text
        moves, streams = explored(games, at), river(games.values(), at, {}).streams
        assert [each.pit for each in streams] == sorted(each.pit for each in moves)
        for move in moves:
            [counts] = [each.counts for each in streams if each.pit == move.pit]
            assert counts == move.counts
        found[board] = [(it.pit, it.game, it.ply, structs.astuple(it.counts)) for it in moves]
    first, then = found.values()
    assert first == [
        (3, "0", 0, (3, 1, 1, 1)),
        (5, "4", 0, (2, 2, 0, 0)),
        (1, "1", 0, (1, 0, 0, 1)),
    ]
    assert then == [(0, "2", 1, (2, 1, 1, 0))]
    monkeypatch.setattr("mancala.server.web.api.explorer.STREAMS", 2)
    widest = river(games.values(), (start.rules.key, start.text), {}).streams
    assert [each.pit for each in widest] == [3, 5]


async def test_a_better_review_takes_the_place_of_the_former_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The values of a river are those of the review that a game has now; it is read once."""
    monkeypatch.setattr("mancala.server.web.api.explorer.KEPT_S", 0.0)
    record = play_on("kalah")
    archive = PlayedArchive([record])
    explorer = Explorer(cast("Archive", archive))

    async def shown() -> tuple[float | None, bool]:
        await explorer.river(None)
        await asyncio.gather(
            *(task for task in asyncio.all_tasks() if task.get_name() == "explorer")
        )
        source = (await explorer.river(None)).source
        return source.value, source.proven

    assert await shown() == (None, False)
    archive.review_it(3.0, proven=False)
    assert await shown() == (3, False)
    archive.review_it(1.0, proven=True)
    assert await shown() == (1, True)
    assert await shown() == (1, True)
    assert archive.asked == 2


def play_on(text: str) -> GameRecord:
    board, moves = Board.start(Rules.parse(text)), list[RecordedMove]()
    opening, rules = board.state, board.rules
    while not board.is_over:
        moves.append(RecordedMove(board.player, board.legal()[0]))
        board = board.sow(moves[-1].pit).board
    players = (Contestant("ann"), Contestant("bob"))
    return GameRecord(f"{text}-{next(NUMBER)}", rules, players, opening, tuple(moves))


def way_of(game: KnownGame, worths: Mapping[Position, Worth]) -> list[RiverStream]:
    found = [river([game], game.passed[0].position, worths)]
    for stream in found:
        found += stream.streams
    return found


class PlayedArchive:
    """An archive of finished games, the first of which has a review or none."""

    def __init__(self, records: Sequence[GameRecord]) -> None:
        self.asked = 0
        self._records = {each.game: each for each in records}
        self._first = records[0]
        self._review: tuple[ReviewKey, GameReview] | None = None

    def review_it(self, value: float, *, proven: bool) -> None:
        found = reviewed(self._first)
        head = structs.replace(found.plies[0], value=value, proven=proven)
        key = ReviewKey(self._first.game, 1, float(proven))
        self._review = key, structs.replace(found, plies=(head, *found.plies[1:]))

    async def games(self, *_: object, **__: object) -> SimpleNamespace:
        return SimpleNamespace(games=list(map(summary_of, self._records.values())))

    async def record(self, game: str) -> GameRecord:
        return self._records[game]

    async def latest_reviews(self, _limit: int) -> list[ReviewKey]:
        return [] if self._review is None else [self._review[0]]

    async def review_if_any(self, _game: str) -> GameReview | None:
        self.asked += 1
        return None if self._review is None else self._review[1]


async def test_a_game_falls_where_the_draw_was_let_go(played: Seen, browser: Browser) -> None:
    """The river of a game opens there; its streams are a tree, and one can be made the source."""
    game = (await records(played))[0]
    review = reviewed(game)
    (change,) = review.changes
    kept = [each.pit + 1 for each in review.plies[4].moves if each.pit != change.pit]
    async with visiting(browser, played.url, reduced_motion="reduce") as tab:
        body = codec.to_json(review).decode()
        await tab.page.route("**/review", lambda route: route.fulfill(body=body))
        await tab.page.goto(f"/games/{game.game}")
        await tab.page.get_by_role("link", name="In the river").click()
        fall = tab.page.get_by_role("treeitem", selected=True)
        await expect(fall).to_have_attribute("aria-level", "6")
        told = f"{game.players[change.player].name} let the draw go: "
        stayed = f"pits {', '.join(map(str, kept))}" if kept[1:] else f"only pit {kept[0]}"
        await expect(tab.page.get_by_text(f"{told}{stayed} stayed.")).to_be_visible()
        await tab.page.set_viewport_size({"width": 300, "height": 800})
        await tab.page.wait_for_function(
            """() => { const sign = document.querySelector('.river .fall');
            return sign && sign.getBoundingClientRect().right <= innerWidth; }"""
        )
        await tab.page.set_viewport_size({"width": 1280, "height": 720})
        assert await barriers(tab.page) == []
        await fall.press("ArrowUp")
        await expect(tab.page.get_by_role("treeitem", selected=True)).to_have_attribute(
            "aria-level", "5"
        )
        await tab.page.keyboard.press("ArrowDown")
        await tab.page.keyboard.press("Enter")
        await expect(fall).to_have_accessible_name(re.compile("The source"))
        await expect(fall).to_be_focused()
        assert {"board", "game"} <= parse_qs(urlsplit(tab.page.url).query).keys()
        await tab.page.get_by_role("link", name="Back to the source").click()
        await expect(fall).to_have_attribute("aria-level", "6")
        assert tab.complaints == []


async def test_a_late_answer_does_not_take_the_place_of_what_is_wanted(
    played: Seen, browser: Browser
) -> None:
    """The reader goes deeper and comes back before the answer is there."""
    come = asyncio.Event()

    async def late(route: Route) -> None:
        await come.wait()
        await route.continue_()

    async with visiting(browser, played.url, reduced_motion="reduce") as tab:
        await tab.page.goto("/river")
        source = tab.page.get_by_role("treeitem", name=re.compile("^The source"))
        await expect(source).to_have_accessible_name(re.compile("4 of 4 games"))
        whole = await tab.page.get_by_role("treeitem").count()
        await tab.page.route("**/api/v1/river?board=*", late)
        await source.press("ArrowDown")
        await tab.page.keyboard.press("Enter")
        await tab.page.go_back()
        await expect(tab.page).to_have_url(re.compile("/river$"))
        async with tab.page.expect_response("**/api/v1/river?board=*"):
            come.set()
        await expect(tab.page.get_by_role("link", name="Back to the source")).to_be_hidden()
        assert await tab.page.get_by_role("treeitem").count() == whole


async def test_a_river_that_begins_anew_asks_for_the_rules_of_its_place(
    played: Seen, browser: Browser
) -> None:
    """Those of the first turns are used up: one by a sowing, the pie rule by an answer."""
    game, start = (await records(played))[0].game, Board.start(MANCHESTER)
    moves = (RecordedMove(0, 1), RecordedMove(1, SWAP), RecordedMove(0, 2))
    players = (Contestant("ann"), Contestant("bob"))
    begun = [GameRecord(name, MANCHESTER, players, start.state, moves) for name in ("one", "two")]
    boards = list(replay(begun[0]))
    river_of_two = await Explorer(cast("Archive", PlayedArchive(begun))).river(None)
    body = codec.to_json(river_of_two).decode()
    async with visiting(browser, played.url, reduced_motion="reduce") as tab:
        await tab.page.route("**/api/v1/river*", lambda route: route.fulfill(body=body))
        for ply in (1, 2, 3):
            await tab.page.goto(f"/river?game={game}")
            await tab.page.get_by_role("treeitem", name="The source.").focus()
            for _ in range(ply):
                await tab.page.keyboard.press("ArrowDown")
            async with tab.page.expect_request("**/api/v1/river*") as asked:
                await tab.page.keyboard.press("Enter")
            parameters = parse_qs(urlsplit((await asked.value).url).query)
            assert parameters["board"] == [boards[ply].text]
            assert Rules.parse(parameters["rules"][0]).key == boards[ply].rules.key

"""What the store keeps, gives back, and queues for the broker."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from sqlalchemy import insert, text

from mancala.protocol import codec
from mancala.protocol.clock import TimeControl
from mancala.protocol.messages import Agent, Evidence, Info, Outcome, Reason
from mancala.protocol.referee import LedgerEntry
from mancala.protocol.results import Contestant, GameResult, MatchResult
from mancala.protocol.rules import PRESETS, Board
from mancala.server.model.journal import (
    Announcement,
    Entry,
    GameClosed,
    GameOpened,
    KeptSession,
    MatchClosed,
    MatchOpened,
    MovePlayed,
    Revealed,
    ReviewQueued,
    Sealed,
    SessionClosed,
    SessionOpened,
)
from mancala.server.model.match import EventContext, Terms
from mancala.server.model.review.reviews import QueuedReview
from mancala.server.store import BrokenStoreError, Store, StoreError
from mancala.server.store.database.schema import players
from mancala.server.store.database.writer import Transaction, Work
from mancala.server.store.rows import tokens
from mancala.server.store.rows.game_lists import GameFilter, games_page
from mancala.server.store.rows.matches import unfinished
from mancala.server.store.rows.tokens import former_sessions, issue
from mancala.server.store.store import UNCHECKED, _call_some
from tests.server.store.databases import answered, committed, fail, place_of
from tests.server.store.databases import rows as rows_of

pytestmark = pytest.mark.usefixtures("database")

UTC = "2026-11-21T12:00:00.000+00:00"
TERMS = Terms(PRESETS["article"], TimeControl(move_ms=50, bank_ms=1000), rated=False, games=2)
OPENED = MatchOpened("m", ("ann", "bob"), TERMS, UTC)
EVIDENCE = Evidence(1, "too late", 1, elapsed_ms=51, allowed_ms=50)


def announcement(event_id: str) -> Announcement:
    payload = MatchResult(
        event_id=event_id,
        seq=0,
        server="test",
        match="m",
        rated=False,
        rules=TERMS.rules,
        clock=TERMS.clock,
        players=(),  # type: ignore[arg-type]  # never read
        score={},
        games=(),
        started_at=UTC,
        ended_at=UTC,
    )
    return Announcement(f"topic/{event_id}", event_id, payload)


def closed(game: str) -> GameClosed:
    return GameClosed(game, Outcome(0, (5, 3), Reason.TIMEOUT, EVIDENCE), UTC, announcement(game))


@pytest.fixture
def path(tmp_path: Path) -> str:
    return place_of(tmp_path / "deep")


@pytest.fixture
async def store(path: str) -> AsyncIterator[Store]:
    async with Store(path, failed=fail) as store:
        yield store


async def test_a_match_under_way_is_given_back_as_it_stood(store: Store) -> None:
    """Terms, score so far, and the running game's moves with their ledger."""
    entry = LedgerEntry(3, 12.5, 1.25)
    await committed(store, OPENED, GameOpened("g1", "m", 0, UTC), closed("g1"))
    await committed(store, GameOpened("g2", "m", 1, UTC))
    await committed(store, MovePlayed("g2", 0, entry, Info(depth=9, pv=(1, 2)), forced=False))
    [kept] = await store.run(unfinished)
    assert kept.match.terms == TERMS
    assert kept.match.games == ["g1", "g2"]
    assert kept.match.score == {"ann": 1.0, "bob": 0.0}
    assert kept.running
    assert kept.moves == (entry,)


async def test_each_match_under_way_has_its_own_games_and_moves(store: Store) -> None:
    """Not those of its neighbours, whatever their ids."""
    for name in "bac":
        match = MatchOpened(name, ("ann", "bob"), TERMS, UTC)
        move = MovePlayed(f"{name}1", 0, LedgerEntry(ord(name), 1.0, 0.0), None, forced=False)
        await committed(store, match, GameOpened(f"{name}1", name, 0, UTC), move)
    kept = await store.run(unfinished)
    found = {each.match.id: (each.match.games, [move.pit for move in each.moves]) for each in kept}
    assert found == {name: ([f"{name}1"], [ord(name)]) for name in "abc"}


async def test_a_match_keeps_the_opening_that_was_agreed_on(store: Store) -> None:
    """A server that was killed restores its game from there."""
    board = Board.from_state(Board.from_text("<6,9,5,0,0,3,0,1,2,4,0,7,8,0,9>").state, TERMS.rules)
    match = MatchOpened("m", ("ann", "bob"), TERMS._replace(opening=board), UTC)
    await committed(store, match, GameOpened("g1", "m", 0, UTC))
    [kept] = await store.run(unfinished)
    assert kept.match.terms == match.terms
    assert kept.match.opening == board


async def test_moves_written_together_are_kept_as_they_were(store: Store) -> None:
    """Numbers to the last digit, texts with all that JSON would quote, and nothing as nothing."""
    ledger = [LedgerEntry(pit, 0.1 + 0.2 * pit, 1 / 3) for pit in range(4)]
    said = [None, Info(comment='"\\\n\u2028é'), Info(depth=0), None]
    played = [
        MovePlayed("g1", ply, entry, info, forced=ply == 3)
        for ply, (entry, info) in enumerate(zip(ledger, said, strict=True))
    ]
    await committed(store, OPENED, GameOpened("g1", "m", 0, UTC), *played)
    [kept] = await store.run(unfinished)
    assert kept.moves == tuple(ledger)
    query = text("SELECT info, forced FROM moves ORDER BY ply")
    rows = await store.run(lambda transaction: transaction.execute(query).all())
    infos = [row.info and codec.from_json(row.info, Info) for row in rows]
    assert infos == said
    assert [bool(row.forced) for row in rows] == [False, False, False, True]


async def test_a_match_between_two_games_has_none_running(store: Store) -> None:
    """Its next game is still to be begun."""
    await committed(store, OPENED, GameOpened("g1", "m", 0, UTC), closed("g1"))
    [kept] = await store.run(unfinished)
    assert not kept.running
    assert kept.match.has_more


async def test_a_finished_match_is_not_taken_up_again(store: Store) -> None:
    """It is over for good."""
    await committed(store, OPENED, GameOpened("g1", "m", 0, UTC), closed("g1"))
    await committed(store, MatchClosed("m", (1.0, 0.0), UTC, announcement("m")))
    assert await store.run(former_sessions) == []
    assert await store.run(unfinished) == []


def ended(game: str, number: int) -> list[Entry]:
    result = GameResult(
        *(f"game-{game}", 0, "test", game, "m", False, TERMS.rules, TERMS.clock),
        *((Contestant("ann"), Contestant("bob")), 0, (5, 3), Reason.TIMEOUT, 0, (), UTC, UTC),
    )
    end = Outcome(0, (5, 3), Reason.TIMEOUT, EVIDENCE)
    over = GameClosed(game, end, UTC, Announcement("topic", f"game-{game}", result))
    queued = ReviewQueued(QueuedReview(game, 0, UTC), ("ann", "bob"), None)
    return [
        GameOpened(game, "m", number, UTC, is_hidden=True),
        *(Sealed("cup", 4, number, game, each) for each in (over, queued)),
    ]


async def test_what_an_event_hides_is_as_if_it_had_not_come_until_it_is_revealed(
    store: Store,
) -> None:
    """No list and no review has it; the next server goes on from it; then all is written."""
    match = MatchOpened("m", ("ann", "bob"), TERMS, UTC, None, EventContext("cup", 4))
    await committed(store, match, *ended("g1", 0))
    [kept] = await store.run(unfinished)
    assert (kept.match.score, kept.running) == ({"ann": 1.0, "bob": 0.0}, False)
    said = announcement("m")
    named = replace(said.payload, players=(Contestant("ann"), Contestant("bob")))
    over = MatchClosed("m", (2.0, 0.0), UTC, said._replace(payload=named))
    await committed(store, *ended("g2", 1), Sealed("cup", 4, 1, "m", over))
    assert await store.run(unfinished) == []

    queries = (
        "SELECT id FROM games WHERE seq IS NOT NULL AND ended_at IS NOT NULL ORDER BY seq",
        "SELECT game FROM reviews ORDER BY game",
        "SELECT event_id FROM outbox ORDER BY seq",
    )

    async def known() -> tuple[list[str], ...]:
        def read(transaction: Transaction) -> tuple[list[str], ...]:
            return tuple([row[0] for row in transaction.execute(text(each))] for each in queries)

        return await store.run(read)

    assert await known() == ([], [], [])
    await committed(store, Revealed("cup", 4))
    assert await known() == ([], [], [])
    await committed(store, Revealed("cup", 5))
    games = ["g1", "g2"]
    assert await known() == (games, games, ["game-g1", "game-g2", "m"])
    assert await store.run(unfinished) == []


async def test_a_game_that_was_hidden_is_listed_where_it_began(store: Store) -> None:
    """Lists since a time, and what stops at the first game that is older, rest on that order."""
    at = [f"2026-11-2{day}T12:00:00.000+00:00" for day in range(6)]
    hidden = MatchOpened("m", ("ann", "bob"), TERMS, at[0], None, EventContext("cup", 4))
    games = [GameOpened("g1", "m", 0, at[0], is_hidden=True)]
    games.append(GameOpened("g2", "m", 1, at[1], is_hidden=True))
    others = [MatchOpened(f"n{day}", ("ann", "bob"), TERMS, at[day]) for day in range(2, 6)]
    games += [GameOpened(f"o{day}", f"n{day}", 0, at[day]) for day in range(2, 6)]
    await committed(store, hidden, *others, *games[:3], Revealed("cup", None), *games[3:])
    query = text("SELECT id FROM games ORDER BY seq")
    found = await store.run(lambda transaction: transaction.execute(query).scalars().all())
    assert found == [each.game for each in games]
    for day, game in enumerate(games):
        page = await store.run(games_page, wanted=GameFilter(since=at[day]), after=None, limit=9)
        assert [each.game for each in page.games][-1] == game.game


async def test_sessions_are_kept_until_they_are_closed(store: Store) -> None:
    """With the program behind them."""
    agent = Agent("deep", "1.2")
    await committed(store, SessionOpened("h1", "ann", agent), SessionOpened("h2", "bob", None))
    await committed(store, SessionClosed("h2"))
    sessions = await store.run(former_sessions)
    assert [(kept.secret_hash, kept.name, kept.agent) for kept in sessions] == [
        ("h1", "ann", agent)
    ]
    assert isinstance(sessions[0], KeptSession)


async def test_what_was_kept_is_there_under_the_next_server(path: str) -> None:
    """The file is opened again, migrations and all."""
    async with Store(path, failed=fail) as store:
        await committed(store, OPENED)
    async with Store(path, failed=fail) as store:
        assert len(await store.run(unfinished)) == 1


async def test_a_batch_is_kept_whole_or_not_at_all(path: str) -> None:
    """A result whose announcement can't be kept is not kept either, and is reported by name."""
    reports: list[str] = []
    refused = asyncio.Event()

    def report(what: str, error: Exception) -> None:
        reports.append(f"{what}: {type(error).__name__}")

    async with Store(path, failed=fail, refused=report) as store:
        await committed(store, OPENED, GameOpened("g1", "m", 0, UTC))
        store.commit([closed("g1"), closed("g1")], lambda: None, refused.set)  # one event twice
        await refused.wait()
        [kept] = await store.run(unfinished)
        assert kept.running
        assert await store.unpublished(10) == []
        await committed(store, closed("g1"))
    [told] = reports
    assert told.startswith("GameClosed g1, GameClosed g1: ")
    assert told.endswith(("IntegrityError", "UniqueViolation"))


@pytest.mark.parametrize("odd", ["\0", "\ud800"])
async def test_a_text_that_no_database_takes_fails_alone(path: str, odd: str) -> None:
    """Whatever slips through the codec: the guilty session is refused, all others go on."""
    reports: list[str] = []
    outcomes: list[str] = []

    async with Store(path, failed=fail, refused=lambda what, _: reports.append(what)) as store:
        for name in ("ann", f"b{odd}b", "cid"):
            opened = SessionOpened(f"hash of {name}", name, None)
            store.commit(
                [opened],
                partial(outcomes.append, f"kept {len(name)} {name[0]}"),
                partial(outcomes.append, "refused"),
            )
        await committed(store, OPENED)
        sessions = await store.run(former_sessions)
    names = [session.name for session in sessions]
    assert ("ann" in names, "cid" in names) == (True, True)
    if reports:  # SQLite keeps NUL
        assert reports == [f"SessionOpened b{odd}b"]
        assert outcomes == ["kept 3 a", "refused", "kept 3 c"]


async def test_the_oldest_reports_are_dropped_and_nothing_else(path: str) -> None:
    """Moves and results stay, and so do the reports of later games."""
    report = Info(comment="x" * 100)
    async with Store(path, failed=fail) as store:
        await committed(store, OPENED)
        for number, name in enumerate(("g1", "g2", "g3")):
            move = MovePlayed(name, 0, LedgerEntry(2, 1.0, 0.0), report, False)  # not forced
            await committed(store, GameOpened(name, "m", number, UTC), move)
            await committed(
                store,
                GameClosed(name, Outcome(0, (5, 3), Reason.NORMAL, None), name, announcement(name)),
            )
        [(size,)] = await store.run(
            lambda transaction: transaction.execute(
                text("SELECT value FROM counters WHERE name = 'info_bytes'")
            ).all()
        )
        await store.drop_oldest_info(int(size))
        await store.drop_oldest_info(int(size) - 1)
    assert int(size) > 3 * 100
    kept = rows_of(path, "SELECT id, plies, infos IS NULL FROM games ORDER BY id")
    assert [(game, plies, bool(is_dropped)) for game, plies, is_dropped in kept] == [
        ("g1", 1, True),
        ("g2", 1, False),
        ("g3", 1, False),
    ]
    assert rows_of(path, "SELECT value FROM counters WHERE name = 'info_bytes'") == [
        (int(size) * 2 // 3,)
    ]
    assert rows_of(path, "SELECT count(*) FROM games WHERE winner = 0") == [(3,)]


def lose(file: Path, *, is_replaced: bool) -> None:
    file.unlink()
    if is_replaced:
        file.write_bytes(b"")


@pytest.mark.parametrize("suffix", ["", "-wal"])
@pytest.mark.parametrize("is_replaced", [False, True])
async def test_a_file_that_is_gone_stops_the_store_and_announces_nothing(
    tmp_path: Path, suffix: str, *, is_replaced: bool
) -> None:
    """SQLite would go on writing into the deleted file; the first commit notices."""
    path = tmp_path / "store.sqlite3"
    errors: list[Exception] = []
    announced: list[str] = []
    async with Store(str(path), failed=errors.append) as store:
        await committed(store, OPENED)
        file = Path(f"{path}{suffix}")
        lose(file, is_replaced=is_replaced)
        store.commit([GameOpened("g1", "m", 0, UTC)], lambda: announced.append("g1"))
        with pytest.raises(BrokenStoreError, match="while the server ran"):
            await store.try_writing()
        store.commit([GameOpened("g2", "m", 1, UTC)], lambda: announced.append("g2"))
    assert announced == []
    [error] = errors
    assert str(file) in str(error)


async def announced(store: Store, names: Sequence[str]) -> None:
    await committed(store, OPENED)
    for number, name in enumerate(names):
        await committed(store, GameOpened(name, "m", number, UTC), closed(name))


async def test_the_outbox_gives_what_is_unpublished_in_order(store: Store) -> None:
    """A chunk at a time; what was acknowledged isn't given again."""
    await announced(store, ["a", "b", "c"])
    rows = await store.unpublished(2)
    assert [(row.seq, row.topic) for row in rows] == [(1, "topic/a"), (2, "topic/b")]
    await store.mark_published([1], UTC)
    assert [row.seq for row in await store.unpublished(10)] == [2, 3]


async def test_what_was_published_long_ago_is_forgotten(path: str) -> None:
    """What was published just then or later stays, and what was not published for good."""
    async with Store(path, failed=fail) as store:
        await announced(store, ["a", "b", "c", "d"])
        for number, month in enumerate(("01", "02", "03"), start=1):
            await store.mark_published([number], f"2026-{month}-01T00:00:00.000+00:00")
        await store.forget_published("2026-02-01T00:00:00.000+00:00")
    assert rows_of(path, "SELECT seq FROM outbox ORDER BY seq") == [(2,), (3,), (4,)]


class Loop:
    """An event loop that is turned by hand, and notes what goes wrong."""

    def __init__(self) -> None:
        self.soon: list[Callable[[], None]] = []
        self.faults: list[dict[str, Any]] = []

    def call_soon(self, call: Callable[..., None], *arguments: object) -> None:
        self.soon.append(partial(call, *arguments))

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        self.faults.append(context)


def test_a_large_group_is_called_back_eight_a_turn() -> None:
    """Other connections have their turns in between, and a fault stops no other call."""
    loop, called = Loop(), []

    def call(number: int) -> None:
        called.append(number)
        if number == 3:
            raise ValueError("fault")

    _call_some(loop, [partial(call, number) for number in range(20)])  # type: ignore[arg-type]  # all that is used of it
    turns = [len(called)]
    while loop.soon:
        loop.soon.pop(0)()
        turns.append(len(called))
    assert turns == [8, 16, 20]
    assert called == list(range(20))
    assert [str(fault["exception"]) for fault in loop.faults] == ["fault"]
    _call_some(loop, [partial(call, 9)] * 8)  # type: ignore[arg-type]  # all that is used of it
    assert loop.soon == []


class RefusingWriter:
    """A writer that can't do anything that it is given."""

    def submit(self, work: Work[object]) -> None:
        work.failed(ValueError("unfit"))

    def stop(self) -> int:
        return 3


async def test_a_question_that_can_not_be_read_is_answered_on_the_safe_side() -> None:
    """No token is taken unchecked, and no session is resumed; the log says why."""
    refused: list[str] = []
    store = Store(
        "none", failed=fail, refused=lambda what, error: refused.append(f"{what} {error}")
    )
    store._writer = RefusingWriter()  # type: ignore[assignment]  # all that is used of it
    answers: asyncio.Queue[object] = asyncio.Queue()
    store.check("ann", "t", answers.put_nowait)
    assert await answers.get() == UNCHECKED
    store.bind("ann", "t", UTC, answers.put_nowait)
    assert await answers.get() == UNCHECKED
    store.verify_session("hash", answers.put_nowait)
    assert await answers.get() is False
    store.ask("review", lambda _transaction: 1, answers.put_nowait)
    assert await answers.get() is None
    assert refused == [
        "token of ann unfit",
        "token of ann unfit",
        "session to resume unfit",
        "review unfit",
    ]


async def test_a_stop_reports_what_was_not_written() -> None:
    """A PostgreSQL that restarted as the server stopped had it lost without a line in the log."""
    refused: list[str] = []
    store = Store(
        "none", failed=fail, refused=lambda what, error: refused.append(f"{what}: {error}")
    )
    store._writer = RefusingWriter()  # type: ignore[assignment]  # all that is used of it
    await store.__aexit__(None, None, None)
    late = "PostgreSQL did not take them within 15 s of the stop"
    assert refused == [f"3 last pieces of work: {late}"]


async def test_numbers_of_events_never_repeat(path: str) -> None:
    """Not even under the next server, when all before were published."""
    async with Store(path, failed=fail) as store:
        await announced(store, ["a"])
        await store.mark_published([1], UTC)
    async with Store(path, failed=fail) as store:
        await committed(store, GameOpened("b", "m", 1, UTC), closed("b"))
        assert [row.seq for row in await store.unpublished(10)] == [2]


async def test_the_publisher_hears_of_news(path: str) -> None:
    """When a result is durable or revealed, and not of every move."""
    told: list[str] = []
    async with Store(path, announced=lambda: told.append("news"), failed=fail) as store:
        await committed(store, OPENED, GameOpened("g1", "m", 0, UTC))
        assert not told
        await committed(store, closed("g1"))
        assert told == ["news"]
        await committed(store, Revealed("final", None))
        assert told == ["news", "news"]


@pytest.mark.parametrize(
    ("given", "problem"), [("right", None), ("wrong", "not the token"), (None, "reserved")]
)
async def test_a_token_is_asked_for_where_one_was_issued(
    store: Store, given: str | None, problem: str | None
) -> None:
    """The latest one only."""
    void = await store.run(issue, "ann", UTC)
    token = await store.run(issue, "ann", UTC)
    tried = {"right": token, "wrong": void, None: None}[given]
    said = await answered(partial(store.check, "ann", tried))
    assert (said and said.detail) is problem or (said is not None and str(problem) in said.detail)


async def test_whether_a_name_has_played_is_read_beside_the_journal(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each hello with a new name delayed it by a look through all players."""
    threads: list[str] = []
    scan = tokens.has_played

    def note_thread(transaction: Transaction, name: str) -> bool:
        threads.append(threading.current_thread().name)
        return scan(transaction, name)

    monkeypatch.setattr(tokens, "has_played", note_thread)
    row = {column.name: 1 for column in players.columns} | {"name": "Ann", "last_game_at": UTC}
    store.ask("ann", lambda found: found.put(insert(players), row), lambda _nothing: None)
    asked = [await answered(partial(store.has_played, name)) for name in ("ann", "bob")]
    assert asked == [True, False]
    assert len(threads) == 2
    assert "store writer" not in threads


async def test_a_name_is_bound_once(store: Store, path: str) -> None:
    """The first token that comes with a free name is kept, and no other; as a salted hash only."""
    said = [
        await answered(partial(store.bind, name, token, UTC))
        for name, token in (("ann", "s3cret-1"), ("ann", "s3cret-2"), ("bob", "s3cret-1"))
    ]
    assert [problem and problem.detail for problem in said] == [
        None,
        "that is not the token of ann",
        None,
    ]
    (ann,), (bob,) = rows_of(path, "SELECT token_hash FROM bots ORDER BY name")
    assert ann != bob
    assert "s3cret" not in str(ann) + str(bob)


async def test_a_file_that_is_no_store_is_refused(tmp_path: Path) -> None:
    """The error names the file."""
    (tmp_path / "notes.txt").write_text("not a database, " * 100)
    with pytest.raises(StoreError, match=r"notes\.txt"):
        await Store(str(tmp_path / "notes.txt"), failed=fail).__aenter__()

"""The engine searches within its limits, stops on request, and is exact when it says so."""

import json
import random
import threading
import time
from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace
from typing import cast

import pytest

from mancala.engine import kernels
from mancala.engine.evaluation.search_options import SearchOptions
from mancala.engine.evaluation.weights import Weights, shipped
from mancala.engine.kernels import root, state
from mancala.engine.search.engine import Engine, EngineOptions, Limit, Report, tables_for
from mancala.engine.search.worker import Worker, position_of
from mancala.protocol.rules import Board, Rules
from tests.patience import PATIENCE_S
from tests.sources import ROOT

DATA = ROOT / "tests" / "data"
EXACT = [json.loads(line) for line in (DATA / "exact_kalah.jsonl").read_text().splitlines()][:24]
SMALL = EngineOptions(table_bits=16, cache=None, book=False)
SHALLOW = replace(SMALL, search=SearchOptions(quiescence=0), weights=Weights())
EVEN = SearchOptions(quiescence=0, futility_plies=0, probe_from=64)
STATIC = state.new_search(Rules(), shipped().compiled(Rules()), bits=16)
FULL = EngineOptions(table_bits=16, cache=None, book=False, all_moves=True)


@dataclass
class SearchClock:
    """A clock that ticks each time it is read."""

    now: float = 0.0
    tick: float = 0.001

    def __call__(self) -> float:
        self.now += self.tick
        return self.now


def last(reports: Iterator[Report]) -> Report:
    *_, report = reports
    return report


@pytest.mark.parametrize("entry", EXACT, ids=lambda entry: entry["board"])
def test_exact_values_are_the_published_ones(entry: dict[str, object]) -> None:
    """Every move of positions solved elsewhere gets its value, proven, and so does the board."""
    board = Board.from_text(str(entry["board"]))
    report = last(Engine(options=FULL).think(board, Limit()))
    assert report.exact
    assert report.value == entry["value"]
    assert {str(move.pit): move.value for move in report.moves} == entry["moves"]
    assert all(move.exact for move in report.moves)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("kalah:pits=2,seeds=4", -10),
        ("kalah-empty-capture:pits=2,seeds=4", -12),
        ("kalah:pits=1,seeds=3", 6),
        ("kalah:pits=4,seeds=3", 6),
        ("kalah-empty-capture:pits=4,seeds=3", 8),
        ("kalah:pits=5,seeds=2", 2),
        ("kalah:pits=6,seeds=2", 6),
        ("kalah-empty-capture:pits=6,seeds=2", 10),
        ("kalah:pits=6,seeds=3", 2),
    ],
)
def test_small_games_have_their_published_values(name: str, value: int) -> None:
    """The starts of small games are worth what the literature says, under both rule sets."""
    report = last(Engine(options=SMALL).think(Board.start(Rules.parse(name)), Limit()))
    assert (report.exact, report.value) == (True, value)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("article", "<3,0,0,2,2,2,2,2,2>"),
        ("article", "<4,4,3,0,1,0,2,1,0,3,0>"),
        ("kalah:relap=true", "<3,0,0,7,0,0,1,1,0>"),
        ("kalah", "<8,5,6,1,0,0,0,0,1,0,1,0,0,1,0,0,0,2,0>"),
        ("article", "<8,5,6,1,0,0,0,0,1,0,1,0,0,1,0,0,0,2,0>"),
    ],
)
def test_other_rules_are_solved_as_the_rules_play_out(name: str, text: str) -> None:
    """Majority, relap and wide boards have the value of playing everything out."""
    board = Board.from_text(text, Rules.parse(name))
    seen: dict[Board, int] = {}

    def negamax(board: Board) -> int:
        if board not in seen:
            me = board.player
            children = [board.sow(pit).board for pit in board.legal()]
            seen[board] = max(
                (
                    child.score(me)
                    if child.is_over
                    else negamax(child) * (1 if child.player == me else -1)
                    for child in children
                ),
            )
        return seen[board]

    report = last(Engine(options=SMALL).think(board, Limit()))
    assert (report.exact, report.value) == (True, negamax(board))


def test_the_best_line_can_be_played() -> None:
    """The line of a report is legal sowings from the board on."""
    board = Board.start()
    report = last(Engine(options=SMALL).think(board, Limit(depth=8)))
    assert report.pv[0] == report.pit
    for pit in report.pv:
        board = board.sow(pit).board


def test_a_depth_is_kept() -> None:
    """With a depth, one report comes for each iteration up to it, and nothing is proven."""
    reports = list(Engine(options=SMALL).think(Board.start(), Limit(depth=5)))
    assert [report.depth for report in reports] == [0, 1, 2, 3, 4, 5]
    assert not any(report.exact for report in reports)


@pytest.mark.parametrize("limit", [Limit(depth=7), Limit(nodes=30_000)], ids=str)
def test_one_thread_repeats_itself_report_by_report(limit: Limit) -> None:
    """With one thread, every report of a search comes again, its nodes and its times included."""
    one, two = (
        list(Engine(options=SMALL, clock=SearchClock()).think(Board.start(), limit))
        for _ in range(2)
    )
    assert one == two


def test_a_second_look_changes_a_mind_for_the_better() -> None:
    """Seen further, the line of a two-ply search disappoints; the next best move is perfect."""
    board = Board.from_text("<6,0,0,6,1,2,7,0,0,0,0,2,0,8,8>")
    chosen = [
        last(Engine(options=replace(SHALLOW, verify_plies=plies)).think(board, Limit(depth=2)))
        for plies in (0, 4)
    ]
    assert [report.pit for report in chosen] == [0, 1]
    assert chosen[1].pv[0] == 1
    assert chosen[1].nodes > chosen[0].nodes


def test_second_looks_leave_a_deep_search_what_it_knows() -> None:
    """Where lines end in finished games, a second look finds nothing new."""
    board = Board.from_text("<6,25,37,2,2,0,0,0,0,1,2,1,1,1,0>")
    plain, verified = (
        last(Engine(options=replace(SHALLOW, verify_plies=plies)).think(board, Limit(depth=30)))
        for plies in (0, 4)
    )
    assert (plain.pit, plain.value) == (verified.pit, verified.value)


def test_nodes_are_a_limit() -> None:
    """A search ends within a slice of its number of nodes."""
    report = last(Engine(options=SMALL).think(Board.start(), Limit(nodes=20_000)))
    assert 20_000 <= report.nodes < 25_000


def test_a_warm_up_calls_the_kernels_of_proofs_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """They were loaded by the first search, which had a twentieth of the nodes of later ones."""
    calls: list[int] = []
    prove = kernels.prove

    def counted(s: state.Search, nodes: int) -> int:
        calls.append(nodes)
        return int(prove(s, nodes))

    monkeypatch.setattr(root, "prove", counted)
    Engine().warm_up()
    assert calls


def test_time_is_what_the_clock_says() -> None:
    """The engine's clock alone decides when its time is up."""
    clock = SearchClock()
    report = last(Engine(options=SMALL, clock=clock).think(Board.start(), Limit(time_s=0.05)))
    assert clock.now < 0.1
    assert report.pit in Board.start().legal()


def test_a_quick_search_reports_once() -> None:
    """It reported up to five times where its clock went on in steps."""
    engine = Engine(options=SMALL, clock=SearchClock(tick=0.003))
    assert len(list(engine.think(Board.start(), Limit(time_s=0.02)))) == 1


def test_no_time_still_gives_a_move() -> None:
    """Even a limit of nothing is answered with a legal move."""
    board = Board.from_text("<6,0,0,0,0,3,0,9,9,4,4,4,4,4,4>")
    report = last(Engine(options=SMALL, clock=SearchClock()).think(board, Limit(time_s=0.0)))
    assert report.pit in board.legal()


def test_a_stop_before_thinking_begins_is_obeyed() -> None:
    """A search that is stopped at its first report ends there."""
    engine = Engine(options=SMALL)
    reports = engine.think(Board.start(), Limit())
    assert next(reports).pit in Board.start().legal()
    engine.stop()
    assert [report.depth for report in reports] == [0]


def test_another_thread_stops_a_search() -> None:
    """A search without limit ends when another thread says so."""
    engine = Engine(options=SMALL)
    deep, ended = threading.Event(), threading.Event()
    board = Board.start(Rules.parse("kalah:seeds=6"))

    def think() -> None:
        for report in engine.think(board, Limit()):
            if report.depth == 4:
                deep.set()
        ended.set()

    thinker = threading.Thread(target=think)
    thinker.start()
    assert deep.wait(PATIENCE_S)
    engine.stop()
    assert ended.wait(PATIENCE_S)
    thinker.join()


def test_an_engine_thinks_again_after_a_stop() -> None:
    """A stop ends one search, not the next."""
    engine = Engine(options=SMALL)
    engine.stop()
    assert last(engine.think(Board.start(), Limit(depth=3))).depth == 3


def test_an_earlier_search_that_is_closed_late_proves_nothing() -> None:
    """What the later one had proven was written under its board, whose next search sought that."""
    start, other = Board.start(), Board.from_text("<6,18,25,3,1,0,4,4,3,0,2,2,2,1,7>")
    found = []
    for is_late in (False, True):
        engine = Engine(options=replace(SMALL, tables=2))
        last(engine.think(start, Limit(nodes=1)))  # the tables are there
        earlier = cast("Generator[Report]", engine.think(start, Limit(nodes=4000)))
        assert next(earlier).nodes < next(earlier).nodes
        if not is_late:
            earlier.close()
        assert last(engine.think(other, Limit())).exact
        earlier.close()
        found.append([each.nodes for each in engine.think(start, Limit(nodes=20_000))])
    assert found[0] == found[1]


def test_an_earlier_search_ends_where_a_later_one_has_begun() -> None:
    """It searched on in the later one's session, and reported on a board that was not its own."""
    engine, board = Engine(options=SMALL), Board.start()
    earlier, later = (engine.think(board, Limit(nodes=4000)) for _ in range(2))
    next(earlier)
    nodes = next(later).nodes
    assert not [*earlier]
    assert next(later).nodes > nodes


def test_an_earlier_search_that_is_closed_late_leaves_the_helpers() -> None:
    """The helpers of the search that runs go on; those of the earlier one have ended."""

    def helpers() -> list[threading.Thread]:
        return [thread for thread in threading.enumerate() if thread.name == "smp"]

    engine = Engine(options=replace(SMALL, threads=2))
    board = Board.start(Rules.parse("kalah:seeds=6"))
    earlier, later = (cast("Generator[Report]", engine.think(board, Limit())) for _ in range(2))
    while not helpers():
        next(earlier)
    next(later)
    assert not helpers()
    while not helpers():
        nodes = next(later).nodes
    earlier.close()
    while next(later).nodes < nodes + 200_000:
        pass
    assert len(helpers()) == 1
    later.close()
    assert not helpers()


def test_a_finished_game_is_refused() -> None:
    """There is nothing to search when the game is over."""
    with pytest.raises(ValueError, match="over"):
        Engine(options=SMALL).think(Board.from_text("<2,5,5,0,0,1,1>"), Limit())


def test_a_clock_in_the_wall_is_the_default() -> None:
    """Without a clock of its own an engine keeps real time, and ends with no other limit."""
    engine = Engine(options=SMALL)
    began = time.monotonic()
    report = last(engine.think(Board.start(Rules.parse("kalah:seeds=6")), Limit(time_s=0.05)))
    assert not report.exact
    assert report.seconds <= time.monotonic() - began


def test_wide_rows_and_odd_rules_are_played_to_the_end(rng: random.Random) -> None:
    """On boards of any size, each move the engine names is legal until the game is over."""
    for name in ("article", "kalah:pits=7,seeds=2", "article:pits=7", "kalah:pits=16,seeds=2"):
        board = Board.start(Rules.parse(name))
        engine = Engine(options=SMALL)
        while not board.is_over:
            chosen = last(engine.think(board, Limit(depth=2))).pit
            board = board.sow(chosen if rng.random() < 0.5 else rng.choice(board.legal())).board


def test_weights_change_the_mind() -> None:
    """Other weights need no other engine, only other options."""
    wild = Weights(values={"my_seeds": 3.0, "their_seeds": 3.0, "tempo": -3.0})
    board = Board.start()
    plain, odd = (
        last(
            Engine(options=EngineOptions(table_bits=16, cache=None, weights=weights)).think(
                board, Limit(depth=4)
            )
        ).value
        for weights in (Weights(), wild)
    )
    assert plain != odd


@pytest.mark.parametrize(
    "wrong", [{"table_bits": 40}, {"threads": 0}, {"verify_plies": 65}, {"ponder": 2}], ids=str
)
def test_options_out_of_range_are_refused(wrong: dict[str, int]) -> None:
    """An engine is not built with numbers that make no sense."""
    with pytest.raises(ValueError, match=next(iter(wrong))):
        EngineOptions(**wrong)  # type: ignore[arg-type]  # wrong on purpose


def test_what_was_proven_is_kept_in_the_next_turn() -> None:
    """After a proof, a thin search still finds a move that keeps the value, and says so."""
    engine = Engine(options=SMALL)
    board = Board.from_text("<6,18,25,3,1,0,4,4,3,0,2,2,2,1,7>")
    proven = last(engine.think(board, Limit()))
    assert proven.exact
    board = board.sow(proven.pit).board
    while board.player == 1:
        board = board.sow(board.legal()[-1]).board
    kept = last(engine.think(board, Limit(nodes=200_000)))
    assert kept.known_value >= proven.known_value


def test_a_poor_bound_that_was_proven_is_no_reason_for_a_move() -> None:
    """Bounds far below the estimates were carried along, and moves that kept them played."""
    rules = Rules.parse("kalah:seeds=5")
    boards = ("<6,2,2,7,6,0,6,1,7,7,1,7,6,0,8>", "<6,3,3,8,1,2,7,2,8,8,1,7,0,1,9>")
    limit = Limit(nodes=5000)
    engine, fresh = Engine(options=SMALL), Engine(options=SMALL)
    last(engine.think(Board.from_text(boards[0], rules), limit))
    board = Board.from_text(boards[1], rules)
    after, alone = (last(each.think(board, limit)) for each in (engine, fresh))
    assert after.depth >= alone.depth
    assert after.value == pytest.approx(alone.value, abs=3.0)


def test_pondering_saves_the_next_think_its_work() -> None:
    """After pondering, the board that was expected takes fewer nodes than without."""
    asked = Board.from_text("<6,2,7,5,1,7,0,6,2,0,3,6,6,1,2>")
    engine = Engine(options=SMALL)
    line = list(last(engine.think(asked, Limit(depth=8))).pv)
    board = asked
    while board.player == asked.player:
        board = board.sow(line.pop(0)).board
    assert last(engine.ponder(board, line, Limit(depth=10))).depth == 10
    while board.player != asked.player:
        board = board.sow(line.pop(0)).board
    fresh = last(Engine(options=SMALL).think(board, Limit(depth=8)))
    assert last(engine.think(board, Limit(depth=8))).nodes < fresh.nodes / 4


def test_pondering_without_an_expected_reply_is_about_the_other_side() -> None:
    """A line that ends too soon still leaves the opponent's own board to think about."""
    board = Board.start().sow(0).board
    report = last(Engine(options=SMALL).ponder(board, (), Limit(depth=3)))
    assert report.pit in board.legal()


def test_by_majority_one_total_says_nothing_of_another() -> None:
    """An engine that solved a board is not misled on the same pits with fuller stores."""
    rules = Rules.parse("article")
    one, two = (Board.from_text(f"<3,{n},{n},2,0,1,1,2,2>", rules) for n in (0, 4))
    engine = Engine(options=FULL)
    for board in (one, two, one):
        fresh = last(Engine(options=FULL).think(board, Limit()))
        assert last(engine.think(board, Limit())).moves == fresh.moves


def plain(board: Board, depth: int) -> float:
    """Search every move to a depth by the rules alone, evaluating where it ends; in seeds."""
    me = board.player
    if board.is_over:
        return board.score(me)
    if depth == 0:
        evaluation = int(kernels.static_value(STATIC, position_of(board))) / kernels.UNIT
        return board.stores[me] - board.stores[1 - me] + evaluation
    children = [board.sow(pit).board for pit in board.legal()]
    return max(plain(child, depth - 1) * (1 if child.player == me else -1) for child in children)


def test_without_selection_a_depth_is_searched_in_full(rng: random.Random) -> None:
    """Nothing reduced, pruned or probed, an estimate is the minimax value of its depth."""
    options = replace(SMALL, tables=2, search=EVEN, all_moves=True)
    engine = Engine(options=options)
    for _ in range(20):
        board = Board.start(Rules(seeds=rng.choice((3, 4, 5))))
        for _ in range(rng.randrange(12)):
            if not (later := board.sow(rng.choice(board.legal())).board).is_over:
                board = later
        engine.forget()
        assert last(engine.think(board, Limit(depth=2))).value == plain(board, 2)


def test_selection_sees_further_in_the_same_nodes() -> None:
    """Spent unevenly, the same nodes reach some plies deeper from the start of the game."""
    usual, even = (
        last(
            Engine(options=replace(SMALL, search=search)).think(Board.start(), Limit(nodes=60_000))
        )
        for search in (SearchOptions(proof_share=0), replace(EVEN, proof_share=0))
    )
    assert usual.depth >= even.depth + 3


def test_search_parameters_leave_proofs_alone() -> None:
    """A proof takes the same nodes to the same value, however estimates are searched."""
    board = Board.from_text("<6,18,25,3,1,0,4,4,3,0,2,2,2,1,7>")
    asked = kernels.PROOF, 0, 2 * kernels.UNIT
    found = []
    for parameters in (SearchOptions(), EVEN, SearchOptions(futility_plies=16, probe_from=2)):
        fresh = STATIC._replace(entries=state.entries(16), tables=tables_for(Rules()))
        worker = Worker(fresh, parameters=parameters)
        kernels.begin(worker.search, position_of(board), board.stores[0], asked)
        assert kernels.run(worker.search, 1 << 40) == kernels.DONE
        found.append((int(worker.search.stack.ints[kernels.F_BEST]), worker.nodes))
    assert len(set(found)) == 1


@pytest.mark.parametrize("name", ["proof_share", "early_share"])
def test_what_the_proof_does_not_get_goes_into_depth(name: str) -> None:
    """A short think about a board that is far from proven sees further without a proof."""
    board = Board.start()
    with_proof, without = (
        last(Engine(options=replace(SMALL, search=search)).think(board, Limit(nodes=60_000)))
        for search in (
            SearchOptions(proof_share=400, early_share=100),
            replace(SearchOptions(proof_share=400, early_share=100), **{name: 0}),
        )
    )
    assert without.depth > with_proof.depth

"""The rules: published counts, a simulator that sows seed by seed, and the forms of a board."""

import json
from dataclasses import replace
from random import Random
from typing import Final
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mancala.protocol import rules as public
from mancala.protocol.rules import (
    KALAH,
    PRESETS,
    Board,
    Capture,
    Ending,
    IllegalMoveError,
    InvalidPositionError,
    Rules,
    Sowing,
    State,
    article_index,
    from_article_index,
)
from tests.protocol.strategies import boards, rules
from tests.sources import ROOT

PERFT: Final[dict[str, list[int]]] = json.loads(
    (ROOT / "tests" / "data" / "perft.json").read_text()
)


def test_all_public_names_of_the_rules_are_theirs() -> None:
    """Wherever they are made; some were gone when the room was parted."""
    made_here = {
        name
        for name, kind in vars(public).items()
        if getattr(kind, "__module__", "") == public.__name__ and not name.startswith("_")
    }
    parted = {"FAMILY", "KALAH", "MANCHESTER", "MAX_PITS", "MAX_SEEDS_IN_ALL", "OWARE", "PRESETS"}
    parted |= {"Capture", "InvalidPositionError", "Rules", "SWAP", "UnknownRuleError"}
    assert set(public.__all__) == made_here | parted | {"article_index", "from_article_index"}


def board(text: str, preset: str = "kalah") -> Board:
    return Board.from_text(text, PRESETS[preset])


def leaves(position: Board, depth: int) -> int:
    """Count leaves; a finished game is one."""
    if depth == 0 or position.is_over:
        return 1
    return sum(leaves(position.sow(pit).board, depth - 1) for pit in position.legal())


def drop_seeds(ring: list[int], place: int, skipped: int, *, keep_one: bool) -> int:
    """Drop the seeds of a place one by one, by falling numbers; return where the last one falls."""
    hand, ring[place] = ring[place], 0
    if keep_one and hand > 1:
        ring[place], hand = 1, hand - 1
    while hand:
        place = (place - 1) % len(ring)
        if place != skipped:
            ring[place] += 1
            hand -= 1
    return place


def sow_seed_by_seed(position: Board, pit: int) -> Sowing:
    """Play a move as the article's simulator does: one ring, falling numbers, one seed a time."""
    m, me = position.rules.pits, position.player
    size, store, other_store = 2 * m + 2, (2 * m + 1, m)[me], (m, 2 * m + 1)[me]
    ring = [0] * size
    for player in (0, 1):
        ring[(2 * m + 1, m)[player]] = position.stores[player]
        for index, seeds in enumerate(position.pits[player]):
            ring[article_index(player, index, m)] = seeds
    start = article_index(me, pit, m)
    seeds = ring[start]
    place = drop_seeds(ring, start, other_store, keep_one=bool(position.rules.keep_one))
    while position.rules.relay and place != store and ring[place] > 1:
        place = drop_seeds(ring, place, other_store, keep_one=bool(position.rules.keep_one))
    mine = {article_index(me, index, m) for index in range(m)}
    captured, opposite = 0, 2 * m - place
    if place in mine and ring[place] == 1 and position.rules.capture is not Capture.NONE:
        always = position.rules.capture is Capture.ALWAYS
        captured = 1 + ring[opposite] if ring[opposite] or always else 0
        if captured:
            ring[place] = ring[opposite] = 0
            ring[store] += captured
    if position.rules.even and place not in (*mine, store) and ring[place] % 2 == 0:
        captured, ring[place] = ring[place], 0
        ring[store] += captured
    again = place == store or (position.rules.relap and place == start)
    rows = tuple(tuple(ring[article_index(p, i, m)] for i in range(m)) for p in (0, 1))
    stores = (ring[2 * m + 1], ring[m])
    if not any(rows[0]) or not any(rows[1]):
        left = [sum(row) for row in rows]
        crossed = int(bool(position.rules.empty_takes))
        stores = (stores[0] + left[crossed], stores[1] + left[1 - crossed])
        rows = ((0,) * m, (0,) * m)
    after = Board(position.rules, (rows[0], rows[1]), stores, me if again else 1 - me)
    return Sowing(after, seeds, captured, again and not after.is_over)


@pytest.mark.parametrize("name", PERFT)
def test_perft_counts_match_the_published_ones(name: str) -> None:
    """The number of lines of play from the start is the one that others found."""
    counts = [leaves(Board.start(Rules.parse(name)), depth) for depth in range(1, 6)]
    assert counts == PERFT[name][:5]


@given(boards())
def test_sowing_equals_sowing_seed_by_seed(position: Board) -> None:
    """Any move on any board, by any rules, does what dropping single seeds would do."""
    for pit in position.legal():
        assert position.sow(pit) == sow_seed_by_seed(position, pit)


@given(rules(max_pits=8), st.randoms(use_true_random=False))
def test_every_game_ends_and_loses_no_seed(variant: Rules, rng: Random) -> None:
    """Random games end, keep all seeds, and always offer a move until then."""
    position = Board.start(variant)
    while not position.is_over:
        sowing = position.sow(rng.choice(position.legal()))
        assert sowing.board.total == position.total
        assert sowing.board.is_over or sowing.again == (sowing.board.player == position.player)
        position = sowing.board
    assert position.legal() == ()


def test_the_last_seed_in_the_own_store_moves_again() -> None:
    """Pit 2 of the start ends in the store."""
    assert Board.start().sow(2) == Sowing(
        board("<6,1,0,4,4,0,5,5,5,4,4,4,4,4,4>"), 4, 0, again=True
    )


def test_a_sowing_passes_the_other_store_by() -> None:
    """A long hand goes from the other row straight back into the own one."""
    after = board("<3,0,0,0,3,6,1,1,1>").sow(2).board
    assert (after.pits, after.stores) == (((1, 4, 0), (2, 2, 2)), (1, 0))


def test_seeds_in_play_are_those_outside_the_stores() -> None:
    """Both rows count, whichever player is to move."""
    assert board("<3,5,7,0,3,6,1,1,2>").in_play == 13


@pytest.mark.parametrize(
    ("preset", "text", "pit", "captured", "after"),
    [
        ("kalah", "<3,0,0,1,0,2,2,3,1>", 0, 4, "<3,0,4,2,0,1,0,0,2>"),
        ("kalah", "<3,0,0,1,0,2,2,0,1>", 0, 0, "<3,0,0,2,0,1,0,1,2>"),
        ("kalah-empty-capture", "<3,0,0,1,0,2,2,0,1>", 0, 1, "<3,0,1,2,0,1,0,0,2>"),
        ("article", "<3,0,0,1,0,2,2,0,1>", 0, 0, "<3,0,0,2,0,1,0,1,2>"),
    ],
)
def test_the_last_seed_in_an_own_empty_pit_captures(
    preset: str, text: str, pit: int, captured: int, after: str
) -> None:
    """Both pits go to the store; what an empty opposite pit means is the variant's business."""
    sowing = board(text, preset).sow(pit)
    assert (sowing.captured, sowing.board.text, sowing.again) == (captured, after, False)


@pytest.mark.parametrize(
    ("preset", "after", "again"),
    [("kalah", "<2,0,4,2,0,0,2>", False), ("article", "<2,4,0,0,2,2,0>", True)],
)
def test_a_whole_lap_ends_in_the_starting_pit_and_captures(
    preset: str, after: str, *, again: bool
) -> None:
    """2m+1 seeds end in the pit that they emptied; where relap holds, it moves again, too."""
    sowing = board("<2,0,0,5,1,1,1>", preset).sow(0)
    assert (sowing.board.text, sowing.captured, sowing.again) == (after, 3, again)


def test_majority_ends_the_game_and_leaves_the_pits_unswept() -> None:
    """More than half of all seeds in a store ends it; seeds in the pits count for neither."""
    after = board("<2,5,0,1,1,1,2>", "article").sow(1).board
    assert (after.ending, after.pits, after.stores) == (Ending.MAJORITY, ((1, 0), (1, 2)), (6, 0))
    assert (after.score(0), after.score(1)) == (6, -6)
    assert board("<2,5,0,1,1,1,2>").sow(1).board.ending is None


@pytest.mark.parametrize("player", [0, 1])
def test_an_empty_row_ends_the_game_and_sweeps(player: int) -> None:
    """When either row is empty, the other row's owner takes the rest, also within a chain."""
    position = replace(board("<2,0,0,0,1,3,0>"), player=0)
    after = position.sow(1).board
    assert after.ending is Ending.NORMAL
    assert after.stores == (1, 3)
    assert after.score(player) == (-2, 2)[player]


@pytest.mark.parametrize("pit", [0, -1, 6, 99])
def test_an_illegal_pit_is_refused_with_the_legal_ones(pit: int) -> None:
    """The error names an empty pit or one off the board, and the legal pits."""
    position = board("<6,0,0,0,1,0,0,0,2,1,1,1,1,1,1>")
    with pytest.raises(IllegalMoveError, match=f"pit {pit} may not be sown; legal: 1, 5") as caught:
        position.sow(pit)
    assert (caught.value.pit, caught.value.legal) == (pit, (1, 5))


def test_nothing_is_legal_when_the_game_is_over() -> None:
    """A finished game offers no move and says so."""
    over = board("<2,1,3,0,0,0,0>")
    assert over.legal() == ()
    with pytest.raises(IllegalMoveError, match="the game is over"):
        over.sow(0)


@given(boards())
def test_text_form_round_trips(position: Board) -> None:
    """A board read back from its text is the same board with the mover as player 0."""
    again = Board.from_text(position.text, position.rules)
    assert again.text == position.text
    assert again.player == 0
    assert again.pits[0] == position.pits[position.player]
    assert again.stores[0] == position.stores[position.player]


@given(boards())
def test_json_state_round_trips(position: Board) -> None:
    """A board read back from its state is the same board, whichever player is to move."""
    assert Board.from_state(position.state, position.rules) == position


@given(boards())
def test_the_repr_of_a_board_makes_it_again(position: Board) -> None:
    """What is pasted from a log or a notebook is the same position, the rules included."""
    assert eval(repr(position), {"Board": Board, "Rules": Rules}) == position  # noqa: S307


@given(rules())
def test_the_repr_of_rules_makes_them_again(variant: Rules) -> None:
    """What is pasted is the same variant."""
    assert eval(repr(variant), {"Rules": Rules}) == variant  # noqa: S307


def test_a_text_with_other_pits_fits_the_rules_to_them() -> None:
    """The seeds of a start stay, as far as 255 in all allow."""
    wide, narrow = "<16,0,0" + ",1" * 32 + ">", "<1,0,0,1,1>"
    assert Board.from_text(wide, Rules(pits=1, seeds=127)).rules == Rules(pits=16, seeds=7)
    assert Board.from_text(wide, Rules(seeds=1)).rules == Rules(pits=16, seeds=1)
    assert Board.from_text(narrow, Rules(pits=16, seeds=7)).rules == Rules(pits=1, seeds=7)
    assert Board.from_text(narrow, Rules(pits=1, seeds=9)).rules == Rules(pits=1, seeds=9)


def test_numbers_may_have_nine_digits_and_blanks_around_them() -> None:
    """And there may be 255 seeds in all."""
    full = Board.from_text("< 1,000000253,0 , 000000001,1>")
    assert (full.pits, full.stores, full.total) == (((1,), (1,)), (253, 0), 255)


@pytest.mark.parametrize("value", [KALAH, Board.start(), Board.start().state])
def test_positions_and_rules_cannot_be_changed(value: object) -> None:
    """A sowing makes another board."""
    field = type(value).__slots__[0]  # type: ignore[attr-defined]  # all three have slots
    with pytest.raises(AttributeError):
        setattr(value, field, None)


@pytest.mark.parametrize("lengths", [(5, 5), (7, 7), (7, 6), (6, 7), (5, 6)])
def test_both_rows_have_the_pits_of_the_rules(lengths: tuple[int, int]) -> None:
    """Neither more nor fewer."""
    south, north = ((1,) * length for length in lengths)
    with pytest.raises(InvalidPositionError, match="rows of"):
        Board(KALAH, (south, north), (0, 0))


def test_a_score_is_that_of_player_0_unless_another_is_named() -> None:
    """The sign turns with the player."""
    ahead = Board(KALAH, ((4,) * 6, (4,) * 6), (5, 3))
    assert (ahead.score(), ahead.score(0), ahead.score(1)) == (2, 2, -2)


def test_a_printed_board_is_a_drawing() -> None:
    """``print(board)`` shows the rows, the stores, the pits' indices and who is to move."""
    assert str(Board.start().sow(2).board).splitlines() == [
        "        5   4   3   2   1   0",
        "      | 4 | 4 | 4 | 4 | 4 | 4 |",
        "   0  -------------------------  1",
        "      | 4 | 4 | 0 | 5 | 5 | 5 | *",
        "        0   1   2   3   4   5",
    ]


def test_no_row_of_a_finished_board_is_marked() -> None:
    """Without a player to move, no row is marked."""
    over = Board(KALAH, ((0,) * 6, (0, 0, 0, 0, 0, 1)), (20, 27))
    assert "*" not in str(over)
    assert "*" not in over._repr_html_()
    assert Board.start()._repr_html_().count("*") == 1


def test_a_notebook_shows_a_table_with_the_text_below() -> None:
    """The HTML is well formed, and its caption is the text form that every command reads."""
    table = ET.fromstring(Board.start()._repr_html_())  # noqa: S314  # our own
    assert table.findtext("caption") == "<6,0,0,4,4,4,4,4,4,4,4,4,4,4,4> kalah"
    assert [len(row) for row in table.iter("tr")] == [8, 9, 7, 8]


@given(rules())
def test_rules_round_trip_as_text(variant: Rules) -> None:
    """Rules can be written on a command line and read back."""
    assert Rules.parse(str(variant)) == variant


def test_presets_have_short_names() -> None:
    """A preset's text is its name, and a change is written behind a colon."""
    assert [str(variant) for variant in PRESETS.values()] == list(PRESETS)
    assert str(replace(KALAH, pits=5, relap=True)) == "kalah:pits=5,relap=true"
    assert Rules.parse("article:relap=false") == replace(PRESETS["article"], relap=False)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("kala", "no rules named 'kala'; known: kalah, kalah-empty-capture, article"),
        ("kalah:pit=5", "no rule named 'pit'; known: pits, seeds, capture, relap, majority"),
        ("kalah:pits=x", "'x' is no value for the rule 'pits'"),
        ("kalah:pits=6,pits=7", "the rule 'pits' is given twice"),
        ("kalah:relap=1", "'1' is no value for the rule 'relap'"),
        ("kalah:capture=never", "'never' is no value for the rule 'capture'"),
        ("kalah:pits=17", r"pits must be 1\.\.16, not 17"),
        ("kalah:pits=0", r"pits must be 1\.\.16, not 0"),
        ("kalah:seeds=0", "seeds must be 1 or more, not 0"),
        ("kalah:pits=16,seeds=8", "256 seeds in all; the limit is 255"),
    ],
)
def test_wrong_rules_are_named(text: str, complaint: str) -> None:
    """An error about rules says which part is wrong and what would do."""
    with pytest.raises(InvalidPositionError, match=complaint):
        Rules.parse(text)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", r"a board is written <m,store,store,pits…>, not ''"),
        ("6,0,0", "a board is written"),
        ("<1,0,0,1,1", "a board is written"),
        ("1,0,0,1,1>", "a board is written"),
        ("<1,0,0,x,1>", "pit 1 of a board is a whole number, not 'x'"),
        ("<1,0,0,-1,1>", "pit 1 of a board is a whole number, not '-1'"),
        ("<1,0,0,1.0,1>", "pit 1 of a board is a whole number, not '1.0'"),
        ("<1,0,0,²,1>", "pit 1 of a board is a whole number, not '²'"),
        ("<>", "the pits a row of a board is a whole number, not ''"),
        (f"<1,0,0,{'9' * 5000},1>", "pit 1 of a board is a whole number, not '999999999…'"),
        ("<0,0,0>", r"pits must be 1\.\.16, not 0"),
        ("<17,0,0>", r"pits must be 1\.\.16, not 17"),
        ("<2,0,0,1,1,1>", "2 pits a row take 6 more numbers; .* has 5"),
        ("<2,0,0,1,1,1,1,1>", "2 pits a row take 6 more numbers; .* has 7"),
        ("<1,0,0,ninechars,1>", "pit 1 of a board is a whole number, not 'ninechars'"),
        ("<1,200,0,50,6>", "256 seeds in all; the limit is 255"),
        (f"<16,{'1,' * 34}1>", "a board has at most 35 numbers; .* has more"),
        (f"<1,{'1,' * 9999}1>", "^.{0,160}$"),
        (f"<1,{' ' * 9999}1>", "^.{0,160}$"),
        ("<" * 9999, "^.{0,160}$"),
    ],
)
def test_wrong_text_is_named(text: str, complaint: str) -> None:
    """An error about a board's text says what is wrong with it."""
    with pytest.raises(InvalidPositionError, match=complaint):
        Board.from_text(text)


@pytest.mark.parametrize(
    ("state", "complaint"),
    [
        (State(((1,), (1, 1)), (0, 0), 0), "rows of 1 and 2 pits; the rules have 2"),
        (State(((1, 1), (1, 1)), (0, 0), 2), "the player must be 0 or 1, not 2"),
        (State(((1, -1), (1, 1)), (0, 0), 0), "a pit or a store holds a negative number of seeds"),
        (State(((1, 1), (1, 1)), (0, -1), 0), "a pit or a store holds a negative number of seeds"),
        (State(((255, 1), (1, 1)), (0, 0), 0), "258 seeds in all; the limit is 255"),
    ],
)
def test_wrong_state_is_named(state: State, complaint: str) -> None:
    """An error about a JSON state says what is wrong with it."""
    with pytest.raises(InvalidPositionError, match=complaint):
        Board.from_state(state, Rules(pits=2, seeds=1))


def test_the_articles_board_after_pit_1() -> None:
    """Its printed example: pit 1 gives 4 seeds, +1, no capture, no re-turn, and that board."""
    number = 1
    player, pit = from_article_index(number)
    sowing = Board.start(PRESETS["article"]).sow(pit)
    after = sowing.board
    assert (player, sowing.seeds, after.score(0), sowing.captured, sowing.again) == (
        0,
        4,
        1,
        0,
        False,
    )
    rows = [
        [after.pits[owner][from_article_index(index)[1]] for index in indices]
        for owner, indices in ((0, range(6)), (1, range(12, 6, -1)))
    ]
    assert rows == [[5, 0, 4, 4, 4, 4], [5, 5, 4, 4, 4, 4]]
    assert after.stores == (1, 0)


@given(st.integers(1, 16), st.data())
def test_article_numbers_round_trip(pits: int, data: st.DataObject) -> None:
    """Every pit has one number and every number but the stores' is a pit's."""
    player, pit = data.draw(st.integers(0, 1)), data.draw(st.integers(0, pits - 1))
    assert from_article_index(article_index(player, pit, pits), pits) == (player, pit)


def test_article_numbers_are_those_of_six_pits_by_default() -> None:
    """A ring of 14 places, in which the stores have 6 and 13."""
    assert [article_index(0, pit) for pit in range(6)] == [5, 4, 3, 2, 1, 0]
    assert [article_index(1, pit) for pit in range(6)] == [12, 11, 10, 9, 8, 7]


@pytest.mark.parametrize("index", [-1, 6, 13, 14])
def test_a_store_is_no_pit_in_the_articles_numbering(index: int) -> None:
    """The numbers of the stores, and those off the board, are refused."""
    with pytest.raises(InvalidPositionError, match=f"{index} is not the number of a pit"):
        from_article_index(index)


def test_keys_are_those_that_stored_data_hold() -> None:
    """Books of every version name their rules like this."""
    assert KALAH.key == "6 opposite relap=False majority=False"
    assert PRESETS["article"].key == "6 opposite relap=True majority=True"
    assert Rules(pits=5, capture=Capture.ALWAYS).key == "5 always relap=False majority=False"


@given(rules(), rules())
def test_rules_share_a_key_if_they_differ_only_in_how_a_game_starts(one: Rules, two: Rules) -> None:
    """The seeds of the start are no part of it; everything else is."""
    assert (one.key == two.key) == (replace(one, seeds=1) == replace(two, seeds=1))


@pytest.mark.parametrize("text", ["kalah:pits=٣", "kalah:seeds=1_0", "kalah:pits=\uff13"])
def test_rules_are_written_with_plain_digits(text: str) -> None:
    """``"kalah:pits=٣"`` was three pits."""
    with pytest.raises(InvalidPositionError, match="whole number"):
        Rules.parse(text)

"""What is shown of an event."""

import pytest
from msgspec.structs import astuple, replace

from mancala.protocol import codec
from mancala.server.config.events import EventSettings, Format, TieBreak
from mancala.server.contest.events import lifecycle, pairings, standings, terms
from mancala.server.contest.events.lifecycle import EventState
from mancala.server.contest.events.pairings import Regulations
from mancala.server.contest.events.standings import ROUND_ROBIN_TIE_BREAKS
from mancala.server.contest.live import admission, archives, views
from mancala.server.contest.live.state import prepared, settings_of
from mancala.server.contest.live.views import (
    event_summary,
    event_view,
    events_of,
    series_view,
    stored_event,
)
from mancala.server.model.contests import (
    EntrantRow,
    EventGameRow,
    EventStands,
    KeptEvent,
    PairingRow,
)
from tests.frozen import changeable
from tests.stored import assert_is_stored

CUP = EventSettings(name="cup", format="rr", entrants=("ann", "bob", "cid"), games=1)
REGULATIONS = codec.to_json(Regulations(Format.ROUND_ROBIN, 1, 1, 1, 1)).decode()
ENTRANTS = tuple(EntrantRow(name, 1, None if name != "cid" else 1, 0) for name in CUP.entrants)
ROUND = (PairingRow(1, 0, "ann", "bob", "abc"), PairingRow(1, 1, "cid", None, "abc"))
WON = EventGameRow(0, "ann", "bob", 0, 8, "normal", "g1", 0)


def test_a_view_stays_as_it_was_made() -> None:
    """It is kept, and shown to many."""
    made = views, admission, archives, lifecycle, pairings, standings, terms
    assert changeable(*made) == []


def test_an_event_that_has_not_begun_has_neither_rounds_nor_a_table() -> None:
    """It shows who will play, and what will decide between equal points."""
    view = stored_event(CUP, None)
    assert (view.state, view.round, view.standings, view.rounds) == (EventState.DRAFT, 0, (), ())
    assert [each.name for each in view.entrants] == ["ann", "bob", "cid"]
    assert view.tie_breaks == ROUND_ROBIN_TIE_BREAKS
    assert view == event_view(CUP, prepared(CUP))


def test_an_event_of_an_older_version_is_shown_beyond_the_bounds_of_this_one() -> None:
    """One that began has the games that it began with; another gets the most of today."""
    text = codec.to_json(CUP).decode().replace('"games":1', '"games":20000,"rounds":5000')
    large = codec.to_json(Regulations(Format.ROUND_ROBIN, 20_000, 5_000, 1, 1)).decode()
    settings = settings_of(text)
    assert (settings.games, settings.rounds) == (10_000, 1000)
    kept = KeptEvent("playing", 1, None, large, ENTRANTS, ROUND, (WON,))
    assert stored_event(settings, kept).games == 20_000
    assert stored_event(settings, kept._replace(state="draft", regulations=None)).games == 10_000


def test_an_arena_ends_before_it_has_more_games_than_an_event_may_have() -> None:
    """Its waves have no end but its time, which may be years."""
    arena = prepared(replace(CUP, format="arena", games=10_000, duration_s=9e9))
    for games, is_over in ((90_000, False), (90_001, True)):
        arena.rows = dict.fromkeys(range(games), WON)
        assert arena.is_out_of_time("2030-01-01T00:00:00Z") == is_over


@pytest.mark.parametrize("kind", Format)
def test_an_event_that_nobody_has_entered_is_shown(kind: Format) -> None:
    """It waits for entrants, and too few of them make no round."""
    waiting = EventSettings(name="cup", format=kind, entrants=())
    view = event_view(waiting, prepared(waiting))
    assert (view.entrants, view.rounds, view.standings) == ((), (), ())


@pytest.mark.parametrize("freeze", [0, 1])
def test_an_event_shows_its_rounds_games_and_table(freeze: int) -> None:
    """As it is stored: who withdrew, who had a bye, and what came of each game that is not hidden.

    Two rounds were played and the third is paired; the last two of them may be frozen.
    """
    settings = EventSettings(
        name="cup",
        format="swiss",
        entrants=CUP.entrants,
        rounds=3,
        games=1,
        freeze_rounds=2 * freeze,
        freeze="results",
        apart=(("ann", "bob"),),
        opens="2030-01-01T00:00:00Z",
        starts="2030-01-02T00:00:00Z",
    )
    rows = (
        *ROUND,
        PairingRow(2, 0, "cid", "ann", "def"),
        PairingRow(2, 1, "bob", None, "def"),
        PairingRow(3, 0, "bob", "cid", "ghi"),
        PairingRow(3, 1, "ann", None, "ghi"),
    )
    games = (WON, EventGameRow(1, "cid", "ann", 1, 3, "forfeit", "g2", 0))
    regulations = codec.to_json(Regulations(Format.SWISS, 1, 3, 1, 1)).decode()
    kept = KeptEvent("playing", 3, None, regulations, ENTRANTS, rows, games)
    name = "frozen" if freeze else "event"
    assert_is_stored(
        f"{name}.json", codec.to_json(stored_event(settings, kept)).decode().replace("},{", "},\n{")
    )


def test_chosen_tie_breaks_are_shown() -> None:
    """They replace those that are usual for the format."""
    order = (TieBreak.DIRECT, TieBreak.WINS)
    wanted = EventSettings(name="cup", format="rr", entrants=("ann", "bob"), tie_breaks=order)
    assert stored_event(wanted, None).tie_breaks == order


def test_the_list_says_where_an_event_stands() -> None:
    """Before its first step it is a draft."""
    assert event_summary(CUP, None).state is EventState.DRAFT
    listed = event_summary(CUP, EventStands("playing", 2, 3))
    assert (listed.state, listed.round, listed.entrants) == (EventState.PLAYING, 2, 3)


@pytest.mark.parametrize(
    ("state", "freeze", "first"), [("playing", 0, 0), ("finished", 3, 0), ("finished", 0, 1)]
)
def test_the_first_place_of_a_series_is_that_of_a_finished_event(
    state: str, freeze: int, first: int
) -> None:
    """Not of one that is played or whose last round is frozen; who withdrew is no entrant."""
    settings = replace(CUP, series="friday", freeze_rounds=freeze)
    kept = KeptEvent(state, 1, None, REGULATIONS, ENTRANTS, ROUND, (WON,))
    shown = series_view("friday", [(settings, kept)], {"cup": EventStands(state, 1, 2)})
    assert [row.first for row in shown.standings if row.name == "ann"] == [first]
    assert [each.entrants for each in shown.events] == [2]


def test_a_series_adds_up_its_editions() -> None:
    """Its table is by the division of the last one, points and first places."""
    first, *latest = (
        (replace(CUP, name=name, series="friday", edition=edition, division=division), game)
        for name, edition, division, game in (
            ("old", 1, 1, WON),
            ("weak", 2, 2, WON),
            ("strong", 2, 1, WON._replace(second="cid")),
        )
    )
    pairs = {game: PairingRow(1, 0, "ann", game.second, "abc") for _, game in (first, latest[1])}
    held = [
        (each, KeptEvent("finished", 1, None, REGULATIONS, ENTRANTS[:2], (pairs[game],), (game,)))
        for each, game in (latest[0], first)
    ]
    entrants = tuple(EntrantRow(name, 1, None, 0) for name in ("ann", "cid"))
    strong, game = latest[1]
    held.append(
        (strong, KeptEvent("finished", 1, None, REGULATIONS, entrants, (pairs[game],), (game,)))
    )
    shown = series_view("friday", held, {})
    assert [each.name for each in shown.events] == ["strong", "weak", "old"]
    assert [astuple(row) for row in shown.standings] == [
        (1, "ann", 1, 3, 3.0, 3),
        (2, "cid", 1, 1, 0.0, 0),
        (3, "bob", 2, 2, 0.0, 0),
    ]


def test_an_event_has_the_settings_of_the_file_before_those_it_was_made_with() -> None:
    """One that the file no longer has, and that was not made by order, has none."""
    filed, made = (EventSettings(name="cup", format="rr", rounds=rounds) for rounds in (1, 2))
    text = codec.to_json(made).decode()
    stands = {"cup": EventStands("draft", 0, 0, text), "gone": EventStands("finished", 1, 2)}
    assert events_of({"cup": filed}, stands) == {"cup": filed}
    assert events_of({}, stands) == {"cup": made}

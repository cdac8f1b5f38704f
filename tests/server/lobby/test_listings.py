"""Lists of ladders, bots and games, page by page."""

from mancala.protocol import codec
from mancala.protocol import messages as wire
from mancala.protocol.rules import KALAH
from mancala.server.config.ladders import LadderSettings
from mancala.server.config.settings import Config
from tests.server.fakes import FakeSeat, Harness, paired


def listed(harness: Harness, seat: FakeSeat, what: wire.Listable) -> list[wire.Listing]:
    pages: list[wire.Listing] = []
    while not pages or pages[-1].next is not None:
        harness.say(seat, wire.List(what, after=pages[-1].next if pages else None))
        pages.append(seat.last(wire.Listing))
        assert len(codec.encode(pages[-1])) <= codec.FRAME_LIMIT
    return pages


def test_ladders_are_listed_with_their_terms_and_members() -> None:
    """In the order of their names; spectators may ask."""
    slow = LadderSettings(name="slow", games=4, guests=False)
    harness = Harness(Config(ladder=(slow, LadderSettings(name="main"))))
    ann, eve = harness.greet_all("ann", "eve")
    harness.say(ann, wire.Join("main"))
    (page,) = listed(harness, eve, wire.Listable.LADDERS)
    main = LadderSettings(name="main")
    assert page.ladders == (
        wire.ListedLadder("main", KALAH, main.clock, main.games, players=1, guests=True),
        wire.ListedLadder("slow", KALAH, slow.clock, 4, players=0, guests=False),
    )
    (page,) = listed(harness, eve, wire.Listable.BOTS)
    assert page.bots == (wire.ListedBot("ann", ladders=("main",)), wire.ListedBot("eve"))


def test_running_games_are_listed_until_they_are_over() -> None:
    """With the id that `watch` takes, and the players in seat order."""
    harness = Harness()
    ann, bob = paired(harness, wire.Seek(games=1, rated=False))
    start = ann.last(wire.GameStart)
    (page,) = listed(harness, bob, wire.Listable.GAMES)
    assert page.games == (
        wire.ListedGame(start.game, start.match, ("ann", "bob"), KALAH, rated=False),
    )
    harness.say(ann, wire.Resign(start.game))
    assert listed(harness, bob, wire.Listable.GAMES) == [wire.Listing(wire.Listable.GAMES)]


def test_a_long_list_comes_in_pages_that_fit_into_a_frame() -> None:
    """However long the names of programs are; each bot that stays is named once."""
    harness = Harness()
    names = [f"bot-{number:03}" for number in range(120)]
    for number, name in enumerate(names):
        program = "é" * 256 if number % 2 else "x"
        seat = harness.connect()
        harness.say(
            seat,
            wire.Hello(wire.VERSION, name, agent=wire.Agent(program, program), challenges=True),
        )
    gone = harness.greet("bot-100-gone")
    harness.drop(gone)
    pages = listed(harness, seat, wire.Listable.BOTS)
    assert [bot.name for page in pages for bot in page.bots] == names
    assert len(pages) > 3
    assert all(bot.challenges for page in pages for bot in page.bots)

"""Which names a client may bind to a token of its own."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from mancala.protocol.messages import Error, ErrorCode, Welcome
from mancala.server.config.ladders import LadderSettings
from mancala.server.config.settings import Config, Kgp, Play
from mancala.server.lobby.claims import BOUND_APART_S, DEVICE, MOST_OF_LEAGUE
from mancala.server.model.credentials import TokenProblem
from mancala.server.model.day_counts import DAY_S, Counted
from tests.server.fakes import FakeSeat, FakeTokens, Harness

CONFIG = Config(
    kgp=Kgp(claim_names=True, claims_a_day=2),
    play=Play(levels=True),
    ladder=(LadderSettings(name="main", anchors={"rock": 1000.0, "stone@2": 1000.0}),),
)
TOKEN = "my-own-token"  # noqa: S105  # no secret


class FreeNames(FakeTokens):
    """Knows the token of each name that was bound, and no others."""

    def __init__(self) -> None:
        super().__init__()
        self.bound: dict[str, str] = {}

    def check(
        self, name: str, token: str | None, answer: Callable[[TokenProblem | None], None]
    ) -> None:
        if name not in self.bound:
            answer(None if token is None else TokenProblem("free", is_free=True))
        else:
            answer(None if self.bound[name] == token else TokenProblem("not its token"))

    def bind(
        self, name: str, token: str, at: str, answer: Callable[[TokenProblem | None], None]
    ) -> None:
        del at
        self.bound[name] = token
        answer(None)


@pytest.fixture
def harness() -> Harness:
    """A lobby that lets clients bind two names a day."""
    return Harness(CONFIG, tokens=FreeNames())


def came(harness: Harness, name: str, *, may_claim: bool = True, token: str = TOKEN) -> FakeSeat:
    return harness.greet(name, token=token, may_claim=may_claim)


def joined(harness: Harness, name: str) -> FakeSeat:
    """Send the hello of a child on the page."""
    return harness.greet(name, token=f"{DEVICE}{TOKEN}")


def refusal(seat: FakeSeat) -> str:
    return seat.last(Error).message


def test_a_name_is_its_first_bearers(harness: Harness) -> None:
    """It comes back with the same token, and no other bot takes the name."""
    first = came(harness, "ada")
    assert first.of(Welcome)
    harness.drop(first)
    assert refusal(came(harness, "ada", token="guessed-token")) == "not its token"  # noqa: S106  # no secret
    assert came(harness, "ada").of(Welcome)


def test_bots_of_other_doors_bind_nothing(harness: Harness) -> None:
    """Their tokens are issued."""
    seat = came(harness, "ada", may_claim=False)
    assert seat.code is ErrorCode.BAD_TOKEN
    assert came(harness, "ada").of(Welcome)


def test_a_bot_without_a_token_reads_that_it_may_choose_one() -> None:
    """Where guests are not let in."""
    harness = Harness(Config(guests=False, kgp=CONFIG.kgp), tokens=FreeNames())
    seat = harness.greet("ada", may_claim=True)
    assert "choose a token and send it as auth:token" in refusal(seat)
    assert came(harness, "ada").of(Welcome)


def test_the_name_of_a_guest_who_plays_is_not_taken_away(harness: Harness) -> None:
    """Not before it has left."""
    guest = harness.greet("ada")
    assert came(harness, "ada").code is ErrorCode.BAD_NAME
    harness.drop(guest)
    assert came(harness, "ada").of(Welcome)


def is_bound(harness: Harness, name: str) -> bool:
    tokens = harness.tokens
    assert isinstance(tokens, FreeNames)
    return name in tokens.bound


def test_an_address_binds_a_few_names_a_day(harness: Harness) -> None:
    """The next client plays as a guest; names bound already are not counted again."""
    for name in ("one", "two"):
        harness.drop(came(harness, name))
    after = Harness(CONFIG, tokens=FreeNames())
    after.restore_counts_of(harness)
    for server in (harness, after):
        third = came(server, "three")
        assert third.of(Welcome)
        assert not is_bound(server, "three")
        server.drop(third)
    assert came(harness, "two").of(Welcome)
    harness.clock.pass_by(DAY_S + 1)
    came(harness, "three")
    assert is_bound(harness, "three")


def test_an_address_that_has_bound_its_names_binds_further_ones_slowly(harness: Harness) -> None:
    """A student behind the router of a stranger is never shut out."""
    for name in ("one", "two", "three"):
        harness.drop(came(harness, name))
    harness.clock.pass_by(BOUND_APART_S)
    for name in ("three", "four"):
        came(harness, name)
    assert (is_bound(harness, "three"), is_bound(harness, "four")) == (True, False)


def test_the_name_of_a_guest_who_played_is_bound_to_no_token(harness: Harness) -> None:
    """Who brings a token for it later plays as a guest, too; so does the next, with another."""
    harness.drop(harness.greet("ada"))
    harness.tokens.played.add("ada")
    for token in (TOKEN, "another-token"):
        stranger = came(harness, "ada", token=token)
        assert stranger.of(Welcome)
        assert not is_bound(harness, "ada")
        harness.drop(stranger)


def test_a_name_differs_from_that_of_a_guest_by_more_than_capitals(harness: Harness) -> None:
    """A stranger who claimed it locked the guest out, also one who is here and has not played."""
    guest = harness.greet("Ada")
    stranger = came(harness, "ada")
    assert stranger.of(Welcome)
    assert not is_bound(harness, "ada")
    for seat in (guest, stranger):
        harness.drop(seat)
    came(harness, "ada")
    assert is_bound(harness, "ada")


def test_a_guest_that_comes_while_the_store_is_asked_is_not_locked_out(harness: Harness) -> None:
    """What was known of other capitals was from before the question."""
    tokens = harness.tokens
    assert isinstance(tokens, FreeNames)
    answers: list[Callable[[bool], None]] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tokens, "has_played", lambda _name, answer: answers.append(answer))
        stranger = came(harness, "ada")
    harness.greet("Ada")
    (answer,) = answers
    answer(False)
    assert stranger.of(Welcome)
    assert not is_bound(harness, "ada")


@pytest.mark.parametrize("is_here", [False, True])
def test_a_name_that_is_promised_is_so_in_any_capitals(harness: Harness, *, is_here: bool) -> None:
    """Who plays as ``THREE`` takes the promise of one who left, and of none who plays."""
    for name in ("one", "two"):
        harness.drop(came(harness, name))
    first = came(harness, "three")
    if not is_here:
        harness.drop(first)
    harness.greet("THREE")
    if is_here:
        harness.drop(first)
    harness.clock.pass_by(BOUND_APART_S)
    came(harness, "three")
    assert is_bound(harness, "three") is is_here


@pytest.mark.parametrize("by_others", [False, True])
def test_a_client_that_had_to_wait_gets_the_name_that_it_alone_played_under(
    harness: Harness, *, by_others: bool
) -> None:
    """Who let a guest play under it meanwhile gets neither name nor rating."""
    for name in ("one", "two", "three"):
        harness.drop(came(harness, name))
    if by_others:
        harness.drop(harness.greet("three"))
    harness.tokens.played.add("three")
    harness.clock.pass_by(BOUND_APART_S)
    came(harness, "three")
    assert is_bound(harness, "three") is not by_others


def test_names_of_the_server_and_weak_tokens_are_refused(harness: Harness) -> None:
    """An anchor holds the scale of its ladder."""
    assert refusal(came(harness, "rock")) == "the name rock is the server's own"
    assert refusal(came(harness, "Stone")) == "the name Stone is the server's own"
    assert refusal(came(harness, "level-9")) == "the name level-9 is the server's own"
    assert "at least 8 characters" in refusal(came(harness, "ada", token="seven77"))  # noqa: S106  # no secret


def test_a_name_of_a_league_is_for_a_day_that_of_the_device_it_was_taken_with() -> None:
    """Who had the code could play as a child that had left; a KGP client had its name bound."""
    former, harness = (Harness(CONFIG, tokens=FreeNames()) for _ in range(2))
    child = joined(former, "mw69s.Zoe")
    assert child.of(Welcome)
    former.drop(child)
    harness.restore_counts_of(former)
    for name, token, may_claim in (
        ("mw69s.Zoe", None, False),
        ("mw69s.zoe", f"{DEVICE}of-a-stranger", False),
        ("mw69s.Zoe", "of-a-stranger", True),
    ):
        stranger = harness.greet(name, token=token, may_claim=may_claim)
        assert refusal(stranger) == f"{name} plays on another device today; take another name"
        assert stranger.code is ErrorCode.BAD_NAME
    assert joined(harness, "mw69s.Zoe").of(Welcome)
    assert joined(harness, "Zoe").code is ErrorCode.BAD_TOKEN


def test_a_childs_name_is_kept_from_when_the_child_came_last() -> None:
    """It was for 24 hours from the first time: in the second lesson a stranger could take it."""
    former, harness = (Harness(CONFIG, tokens=FreeNames()) for _ in range(2))
    for _ in range(2):
        former.drop(joined(former, "mw69s.Zoe"))
        former.clock.pass_by(DAY_S - 1)
    harness.restore_counts_of(former)
    for server in (former, harness):
        assert server.greet("mw69s.Zoe").code is ErrorCode.BAD_NAME
    former.clock.pass_by(1)
    assert former.greet("mw69s.Zoe").of(Welcome)


def test_a_child_that_is_there_all_lesson_has_its_name_in_that_of_the_next_day() -> None:
    """It was kept from when the session began, and taken a minute too early the day after."""
    harness = Harness(CONFIG, tokens=FreeNames())
    for _ in range(2):
        child = joined(harness, "mw69s.Zoe")
        harness.clock.pass_by(2700)
        harness.leave(child)
        harness.clock.pass_by(DAY_S - 2699)
        assert harness.greet("mw69s.Zoe").code is ErrorCode.BAD_NAME
    lost = joined(harness, "mw69s.Zoe")
    harness.clock.pass_by(DAY_S)
    again = harness.greet("mw69s.Zoe", token=f"{DEVICE}{TOKEN}", resume=lost.secret)
    assert again.last(Welcome).resumed
    harness.clock.pass_by(2 * DAY_S)
    harness.leave(again)
    assert harness.greet("mw69s.Zoe").code is ErrorCode.BAD_NAME


def test_the_name_of_a_child_that_is_there_for_days_is_that_of_its_device() -> None:
    """A stranger took it after a day, in other capitals, and for good when the child left."""
    harness = Harness(CONFIG, tokens=FreeNames())
    tabs = [joined(harness, name) for name in ("mw69s.Zoe", "mw69s.ZOE")]
    for tab in tabs:
        harness.clock.pass_by(2 * DAY_S)
        assert harness.sessions.claims.is_kept("mw69s.zoe")
        for name in ("mw69s.zoe", "mw69s.zOE"):
            stranger = harness.greet(name, token=f"{DEVICE}of-a-stranger")
            assert stranger.code is ErrorCode.BAD_NAME
        harness.leave(tab)
    assert harness.greet("mw69s.zoe").code is ErrorCode.BAD_NAME
    harness.clock.pass_by(DAY_S)
    assert harness.greet("mw69s.zoe").of(Welcome)


def test_a_restart_keeps_the_name_of_a_child_that_was_there_for_days() -> None:
    """A stranger could take it, until the child's page had come back."""
    former, harness = (Harness(CONFIG, tokens=FreeNames()) for _ in range(2))
    joined(former, "mw69s.Zoe")
    for _ in range(9):
        former.clock.pass_by(DAY_S / 4)
        former.sessions.claims.renew()
    harness.restore_counts_of(former)
    assert harness.greet("mw69s.Zoe", token=f"{DEVICE}of-another").code is ErrorCode.BAD_NAME
    assert sum(isinstance(each, Counted) for each in former.journal.entries) == 6


def test_a_child_that_comes_again_and_again_is_stored_a_few_times_an_hour() -> None:
    """Each login was a row, and a start reads the latest 100,000 of all rows only."""
    harness = Harness(CONFIG, tokens=FreeNames())
    for _ in range(100):
        harness.leave(joined(harness, "mw69s.Zoe"))
        harness.clock.pass_by(36)
    of_device = [
        entry
        for entry in harness.journal.entries
        if isinstance(entry, Counted) and entry.key == "mw69s.zoe"
    ]
    assert len(of_device) == 6


def test_a_childs_name_that_is_freed_is_that_of_the_next_device() -> None:
    """By a ban on it; also after a restart."""
    former, harness = (Harness(CONFIG, tokens=FreeNames()) for _ in range(2))
    former.drop(joined(former, "mw69s.Zoe"))
    former.clock.pass_by(1)
    former.journal.commit(former.sessions.claims.freed("mw69s.zoe"), lambda: None)
    harness.restore_counts_of(former)
    for server in (former, harness):
        assert not server.sessions.claims.freed("mw69s.zoe")
        child = server.greet("mw69s.Zoe", token=f"{DEVICE}of-another")
        assert child.of(Welcome)
        server.leave(child)
        assert joined(server, "mw69s.Zoe").code is ErrorCode.BAD_NAME


def test_a_server_without_guests_has_no_league() -> None:
    """A token of a device is no issued one."""
    harness = Harness(replace(CONFIG, guests=False), tokens=FreeNames())
    assert joined(harness, "mw69s.Zoe").code is ErrorCode.BAD_TOKEN


@pytest.mark.parametrize("name", ["team.bot", "gpt4.mini", "mw69s.Zoe"])
def test_names_with_a_dot_are_not_taken_by_made_up_tokens(harness: Harness, name: str) -> None:
    """A mistyped token is refused, and a guest who left has its name again."""
    for _ in range(2):
        guest = harness.greet(name)
        assert guest.of(Welcome)
        assert came(harness, name, may_claim=False).code is ErrorCode.BAD_TOKEN
        assert not joined(harness, name).of(Welcome)
        harness.leave(guest)


def test_where_no_levels_run_no_name_is_kept_for_a_device() -> None:
    """A child plays there as any guest does."""
    harness = Harness(replace(CONFIG, play=Play()), tokens=FreeNames())
    for token in (f"{DEVICE}{TOKEN}", None):
        seat = harness.greet("mw69s.Zoe", token=token)
        assert seat.of(Welcome)
        harness.leave(seat)


def test_a_network_brings_a_class_to_a_league_and_no_more() -> None:
    """A stranger with the code can't fill its table; a name that came is free to come again."""
    former, harness = (Harness(CONFIG, tokens=FreeNames()) for _ in range(2))
    former.drop(joined(former, "mw69s.0"))
    for number in range(1, MOST_OF_LEAGUE):
        former.drop(former.greet(f"mw69s.{number}"))
    harness.restore_counts_of(former)
    for server in (former, harness):
        for more in (joined(server, "mw69s.more"), server.greet("mw69s.more")):
            assert more.code is ErrorCode.LIMIT
        for seat in (joined(server, "mw69s.0"), joined(server, "xwzvb.more"), server.greet("more")):
            assert seat.of(Welcome)

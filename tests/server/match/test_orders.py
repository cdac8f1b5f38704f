"""What the lobby asks of the operator's orders."""

from mancala.protocol.messages import VERSION, Hello
from mancala.server.match.orders import Orders, token_hash
from mancala.server.model.orders import Ban, BanKind, KeptOrders, Switch, SwitchKind
from tests.server.fakes import UTC, FakeSeat

TOKEN = "x1c0f9"  # noqa: S105  # no secret
PAST, FUTURE = "2001-01-01T00:00:00.000+00:00", "2101-01-01T00:00:00.000+00:00"


def orders(*kept: Ban | Switch) -> Orders:
    made = Orders(lambda: UTC)
    bans = tuple(each for each in kept if isinstance(each, Ban))
    made.restore(KeptOrders(bans, tuple(each for each in kept if isinstance(each, Switch))))
    return made


def test_a_banned_client_reads_until_when_and_why() -> None:
    """A program that the server runs is never kept out."""
    ban = Ban(BanKind.NAME, "eve", "she cheats", FUTURE, PAST, "root")
    seat, hello = FakeSeat(), Hello(VERSION, "eve")
    assert orders(ban).refusal(seat, hello) == f"banned until {FUTURE}: she cheats"
    seat.is_own = True
    assert orders(ban).refusal(seat, hello) is None
    assert orders().refusal(FakeSeat(), hello) is None


def test_a_ban_on_a_token_is_for_all_names_that_bring_it() -> None:
    """And not for those without one."""
    ban = Ban(BanKind.TOKEN, token_hash(TOKEN), "", None, PAST, "root")
    assert orders(ban).refusal(FakeSeat(), Hello(VERSION, "any", token=TOKEN)) == "banned"
    assert orders(ban).refusal(FakeSeat(), Hello(VERSION, "any")) is None


def test_what_is_over_holds_no_more() -> None:
    """Neither a ban nor a notice."""
    ban = Ban(BanKind.NAME, "eve", "", PAST, PAST, "root")
    notice = Switch(SwitchKind.NOTICE, "", "Soon.", PAST, PAST)
    made = orders(ban, notice)
    assert made.bans == ()
    assert made.notice.text == ""


def test_a_ladder_says_why_it_begins_no_match() -> None:
    """Paused, or closed, which is the stronger."""
    paused = Switch(SwitchKind.PAUSED, "main", "a fault", PAST)
    closed = Switch(SwitchKind.CLOSED, "main", "", PAST)
    assert orders(paused).held("main") == "the ladder main is paused: a fault"
    assert not orders(paused).is_closed("main")
    assert orders(paused, closed).held("main") == "the ladder main is closed"
    assert orders(paused).held("other") is None

"""What is stored of bots' reports: bounded for a move, a game, a bot, and all guests."""

import pytest

from mancala.protocol.messages import Info
from mancala.server.match.info_quota import HOUR_S, InfoQuota, size_of
from mancala.server.match.participant import Participant
from tests.server.fakes import limited

SMALL = Info(depth=9, comment="so it goes")
SIZE = size_of(SMALL)
BEN = Participant("ben", "hash", None, is_guest=False)


@pytest.fixture
def quota() -> InfoQuota:
    """A quota for one report a game more than a bot may store."""
    return InfoQuota(
        limited(
            info_move_bytes=SIZE,
            info_game_bytes=3 * SIZE,
            info_bot_bytes=2 * SIZE,
            info_guests_bytes=4 * SIZE,
        )
    )


def test_a_report_that_is_too_long_loses_its_comment(quota: InfoQuota) -> None:
    """Or all of it, when it is too long without."""
    assert quota.keep(Info(depth=9, comment="x" * 2000), BEN, 0, 0.0) == Info(depth=9)
    assert quota.keep(Info(pv=(1,) * 100), BEN, 0, 0.0) is None


def test_a_game_stores_no_more_than_its_share(quota: InfoQuota) -> None:
    """Later reports of the game are left out."""
    assert quota.keep(SMALL, BEN, 2 * SIZE, 0.0) == SMALL
    assert quota.keep(SMALL, BEN, 2 * SIZE + 1, 0.0) is None


def test_a_bots_share_is_refilled_over_the_hour(quota: InfoQuota) -> None:
    """Two reports, then none, then one after half an hour; another bot has its own share."""
    kept = [quota.keep(SMALL, BEN, 0, now) for now in (0.0, 0.0, 0.0, HOUR_S / 2, HOUR_S / 2)]
    assert kept == [SMALL, SMALL, None, SMALL, None]
    assert quota.keep(SMALL, Participant("cid", "hash", None, is_guest=False), 0, 0.0) == SMALL


def test_all_guests_share_one_share(quota: InfoQuota) -> None:
    """A new name brings nothing."""
    guests = [Participant(f"guest-{number}", "hash", None) for number in range(6)]
    kept = [quota.keep(SMALL, guest, 0, 0.0) for guest in guests]
    assert kept == [SMALL] * 4 + [None] * 2

"""Mistakes in a configuration that are found without starting a server."""

from contextlib import closing
from pathlib import Path
from typing import Final

import pytest
from msgspec import structs

from mancala.server.app.config_check import check, check_anchors, check_events
from mancala.server.config.events import EventSettings
from mancala.server.config.ladders import LadderSettings
from mancala.server.config.settings import Config, ConfigError, Mqtt, Tls
from mancala.server.model.contests import EventStepped
from mancala.server.store.database.database import connect
from mancala.server.store.database.writer import Transaction
from mancala.server.store.entries import write_all
from mancala.server.store.rows.tokens import issue, token_admin

AT: Final = "2026-01-01T00:00:00.000+00:00"


def test_the_broker_is_checked_against_an_authority_of_its_own_first() -> None:
    """``mqtt.ca`` goes before ``tls.ca``, which serves where it is not set."""
    tls = Tls(ca="own.pem")
    assert Config(tls=tls).broker.ca == "own.pem"
    assert Config(tls=tls, mqtt=Mqtt(ca="its.pem")).broker.ca == "its.pem"
    assert Config().broker == Mqtt()


def test_an_anchor_is_a_bot_that_the_store_knows(tmp_path: Path) -> None:
    """An issued token makes its name known, for all versions of the bot."""
    store = str(tmp_path / "arena.sqlite3")
    ladder = LadderSettings(name="main", anchors={"ann": 1000.0, "ann@2": 1100.0})
    config = Config(store=store, ladder=(ladder,))
    with pytest.raises(ConfigError, match=r"^ladder\[0\]\.anchors\.ann: there is no such bot"):
        check(config)
    assert not Path(store).exists()
    with token_admin(store) as transaction:
        issue(transaction, "ann", "2026-01-01T00:00:00Z")
    check(config)


def test_a_running_server_looks_for_anchors_in_its_own_store(tmp_path: Path) -> None:
    """The settings may name another one, which the next start opens; without anchors none is."""
    own, other = str(tmp_path / "own.sqlite3"), str(tmp_path / "other.sqlite3")
    with token_admin(own) as transaction:
        issue(transaction, "ann", "2026-01-01T00:00:00Z")
    anchored = LadderSettings(name="main", anchors={"ann": 1000.0})
    check_anchors(Config(store=other, ladder=(anchored,)), own)
    with pytest.raises(ConfigError, match=r"^ladder\[0\]\.anchors\.ann: there is no such bot"):
        check_anchors(Config(store=own, ladder=(anchored,)), other)
    check_anchors(Config(ladder=(LadderSettings(name="main"),)), "/nowhere/at/all")


def test_an_event_that_could_not_start_is_refused_before_it_is_to() -> None:
    """``--check-config`` let it pass; a server starts all the same, as one may have begun."""
    event = EventSettings(
        name="big", format="rr", games=10_000, entrants=("a", "b", "c", "d", "e"), fill="f"
    )
    config = Config(event=(event,))
    check(config)
    said = r"^event\[0\]: 6 players would have up to 150,000 .*: lower games or rounds, list fewer"
    with pytest.raises(ConfigError, match=said):
        check_events(config)


def test_an_event_that_began_under_a_former_version_passes(tmp_path: Path) -> None:
    """The server goes on with it, so it starts."""
    place = str(tmp_path / "arena.sqlite3")
    event = EventSettings(name="big", format="rr", games=100_000, entrants=("a", "b", "c"))
    config = Config(store=place, event=(event,))
    opened = EventStepped("big", "open", "open", 0, None, None, AT)
    note(place, opened)
    with pytest.raises(ConfigError, match="3 players"):
        check_events(config)
    note(place, structs.replace(opened, state="playing", round=1, regulations="{}"))
    check_events(config)


def note(place: str, step: EventStepped) -> None:
    with closing(connect(place)) as connection, connection.begin():
        transaction = Transaction(connection)
        write_all([step], transaction)
        transaction.flush()

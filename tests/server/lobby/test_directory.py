"""Who is found under which name, session and connection."""

import pytest

from mancala.server.lobby.directory import NO_SESSION_HASH, Directory
from mancala.server.match.participant import Participant
from tests.server.fakes import UTC, FakeSeat


@pytest.fixture
def directory() -> Directory:
    return Directory()


def test_a_participant_is_found_by_name_and_by_session(directory: Directory) -> None:
    """And by neither once it was removed."""
    ann = Participant("ann", "hash", None)
    directory.add(ann)
    assert directory.find("ann") is directory.with_session("hash") is ann
    assert directory.remove(ann)
    assert directory.find("ann") is directory.with_session("hash") is None


def test_a_bot_without_a_session_is_found_by_its_name_only(directory: Directory) -> None:
    """Its match is still under way; the empty hash is no session's."""
    ann = Participant("ann", NO_SESSION_HASH, None)
    directory.add(ann)
    assert directory.find("ann") is ann
    assert directory.session_hashes == frozenset()
    assert not directory.remove(ann)


def test_a_changed_secret_replaces_the_former_one(directory: Directory) -> None:
    """The former secret finds no participant."""
    ann = Participant("ann", "old", None)
    directory.add(ann)
    directory.change_session(ann, "new")
    assert directory.session_hashes == {"new"}
    assert directory.with_session("new") is ann


def test_removing_a_former_bearer_leaves_the_name_to_its_successor(directory: Directory) -> None:
    """Only the participant itself goes, not who bears its name by now."""
    former, present = Participant("ann", "old", None), Participant("ann", "new", None)
    directory.add(former)
    directory.add(present)
    assert directory.remove(former)
    assert directory.find("ann") is present
    assert directory.session_hashes == {"new"}


def test_a_connection_has_an_owner_until_it_closes_or_is_replaced(directory: Directory) -> None:
    """A connection that was taken from its owner still counts as open."""
    ann, seat = Participant("ann", "hash", None), FakeSeat()
    directory.seats[seat] = UTC
    directory.attach(ann, seat)
    assert directory.owners.get(seat) is ann
    assert directory.detach(ann) is seat
    assert directory.owners.get(seat) is None
    assert directory.seats == {seat: UTC}
    assert directory.close(seat) is None
    assert not directory.seats


def test_a_kept_seat_takes_its_name_only_with_a_connection(directory: Directory) -> None:
    """A bot that is away and in no match leaves its name to others."""
    ann, seat = Participant("ann", "hash", None), FakeSeat()
    directory.add(ann)
    assert not directory.is_taken("ann")
    directory.attach(ann, seat)
    assert directory.is_taken("ann")
    ann.has_left = True
    assert not directory.is_taken("ann")


def test_pages_of_who_is_there_begin_after_a_name(directory: Directory) -> None:
    """In the order of names, without those that are away; a page reads no more than it shows."""
    for name in ("cat", "ann", "eve", "bob", "ann"):
        directory.add(Participant(name, f"{name}'s", None))
    for name in ("cat", "ann", "eve"):
        directory.attach(directory.by_name[name], FakeSeat(0.0, "192.0.2.1"))
    assert [*directory.present_after("")] == ["ann", "cat", "eve"]
    directory.remove(directory.by_name["cat"])
    assert [*directory.present_after("ann")] == ["eve"]
    assert directory.present_of(["bob", "eve", "pip"]) == [directory.by_name["eve"]]

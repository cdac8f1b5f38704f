"""Hostile programs hurt where they are free, and do not in the sandbox."""

import shutil
from collections.abc import Iterator

import pytest

from tests import node
from tests.drills.captives import BOMBS, BUILDS, Victim, bomb, build, probes, victim

pytestmark = pytest.mark.usefixtures("sandbox")


@pytest.fixture(scope="module")
def sandbox() -> None:
    if shutil.which("bwrap") is None:
        node.skip("not installed: bubblewrap")


@pytest.fixture(scope="module")
def target() -> Iterator[Victim]:
    """A process with a secret, a port and sockets."""
    with victim() as found:
        yield found


@pytest.mark.parametrize("name", BOMBS)
async def test_a_bomb_hurts_only_without_the_sandbox(name: str, target: Victim) -> None:
    """The attack gets what it wants when it is free, and nothing in the sandbox."""
    found = await bomb(name, target)
    assert (found["free"], found["captive"]) == (True, False), found


@pytest.mark.parametrize("name", BUILDS)
async def test_a_build_without_end_is_ended_and_says_why(name: str) -> None:
    """By its time or its processor time, whichever it uses up."""
    found = await build(name)
    why = {
        "a build that works on": "it used more processor time than its 1 s",
        "a build that waits": "it ran longer than its 2 s",
    }
    assert found == {"free": True, "captive": False, "ended": f"the build failed: {why[name]}"}


async def test_a_captive_sees_nothing_of_its_host(target: Victim) -> None:
    """No probe finds a file, process, signal, socket or privilege; each does when free."""
    found = await probes(target)
    assert found["captive"] == []
    assert len(found["free"]) == 16, found["free"]

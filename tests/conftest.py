"""What holds for every test."""

from __future__ import annotations

import faulthandler
import os
import shutil
from collections.abc import Iterator

import pytest
from hypothesis import settings

from tests.patience import PATIENCE_S

# A busy machine is slow, and slowness is no bug: the benchmarks measure speed, properties do not.
settings.register_profile("arena", deadline=None, print_blob=True)
settings.load_profile("arena")


@pytest.fixture(scope="session", autouse=True)
def _state_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep what commands keep for their user in a folder of the tests', and build no tables."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MANCALA_BETTER_TABLES", "0")
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


@pytest.fixture(scope="session")
def mosquitto() -> str:
    """The broker's program; without one the tests that need it are skipped."""
    program = shutil.which("mosquitto", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    return program or pytest.skip("mosquitto is not installed")


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Count a skipped test as a failure where nothing may be skipped, as in ``.ci/run``."""
    if not os.environ.get("MANCALA_SKIP_NOTHING"):
        return
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None and reporter.stats.get("skipped"):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_unconfigure() -> None:
    """End a run that a thread keeps from ending as a failure, with the stack of each thread."""
    faulthandler.dump_traceback_later(PATIENCE_S, exit=True, file=2)


@pytest.fixture(scope="session")
def postgresql() -> Iterator[str]:
    """A PostgreSQL of our own; where there is none the test is skipped, but not in CI."""
    from scripts.drills.databases import find_postgresql, running_postgresql  # noqa: PLC0415  # most tests need none

    programs = find_postgresql()
    if programs is None:
        if os.environ.get("MANCALA_SKIP_NOTHING"):
            pytest.fail("postgresql is missing, and nothing may be skipped")
        pytest.skip("postgresql is not installed")
    with running_postgresql(programs) as url:
        yield url

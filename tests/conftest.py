"""What holds for every test."""

import faulthandler
import gc
import os
import shutil
import signal
import sys
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Final

import pytest
from hypothesis import settings

from tests.patience import PATIENCE_S
from tests.quick_workers import QuickWorkers
from tests.seeds import IS_USUAL
from tests.sources import ROOT

# Many containers forbid it; then each program that a test starts compiles all that it imports.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# A busy machine is slow, and slowness is no bug: the benchmarks measure speed, properties do not.
settings.register_profile("arena", deadline=None, print_blob=True, derandomize=IS_USUAL)
settings.load_profile("arena")


@pytest.fixture(scope="session", autouse=True)
def _state_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep what commands keep for their user in folders of the tests', and build no tables.

    The user's own tables may be larger, and then the engine searches less than the tests expect.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MANCALA_BETTER_TABLES", "0")
        user = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        shared = {"NUMBA_CACHE_DIR": "mancala-arena", "UV_CACHE_DIR": "uv"}
        for name in shared.keys() - os.environ.keys():  # compiled and fetched once for all tests
            patch.setenv(name, str(user / shared[name]))
        patch.setenv("XDG_CACHE_HOME", str(ROOT / "build/cache"))
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


@pytest.fixture(scope="session", autouse=True)
def _own_priority() -> Iterator[None]:
    """Keep this process's priority, which it could not raise again; its children set their own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "nice", lambda _increment: 0)
        yield


@pytest.fixture(scope="session")
def mosquitto() -> str:
    """The broker's program; without one the tests that need it are skipped."""
    program = shutil.which("mosquitto", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    return program or pytest.skip("mosquitto is not installed")


@pytest.fixture
def quick_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let commands in this process play by workers that start quickly."""
    monkeypatch.setattr("mancala.server.contest.workers.pool._SPAWN", QuickWorkers)


EARLY: Final = tuple(
    str(ROOT / "tests" / place)
    for place in (
        *("server/web/test_page.py", "end_to_end", "test_made_up", "docs", "server/web"),
        *("server/contest/workers", "server/control", "server/store", "server/rating"),
        *("scripts", "drills", "engine/campaign", "engine/test_yardstick.py", "engine/batches"),
    )
)
"""What takes longest, in this order: a worker that began it last would be waited for."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the files that take longest; the others keep their order."""

    def rank(item: pytest.Item) -> int:
        place = str(item.path)
        return next((at for at, each in enumerate(EARLY) if place.startswith(each)), len(EARLY))

    items.sort(key=rank)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Look for no garbage among what is collected, now and later, since it stays to the end.

    Eight thousand tests and what they import are most of a process's objects.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


class Failures:
    """Print each failure when it happens: a run that is ended from outside prints no summary."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Print the test's name and the error of a step that failed, also if it is run again."""
        reporter = self._config.pluginmanager.get_plugin("terminalreporter")
        if report.outcome not in {"passed", "skipped"} and reporter is not None:
            reporter.write_line(f"\n{report.outcome.upper()} {report.nodeid} ({report.when})")
            crash = getattr(report.longrepr, "reprcrash", None)
            reporter.write_line("" if crash is None else crash.message[:1000])
            reporter.write_line(report.longreprtext[-2000:])


def pytest_configure(config: pytest.Config) -> None:
    """Print failures immediately, and let children be interrupted in a run in the background."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if signal.getsignal(signal.SIGQUIT) is signal.SIG_IGN:
        signal.signal(signal.SIGQUIT, signal.SIG_DFL)
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Failures(config))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Count a skipped test as a failure where nothing may be skipped, as in ``.ci/run``."""
    if not os.environ.get("MANCALA_SKIP_NOTHING"):
        return
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None and reporter.stats.get("skipped"):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_unconfigure(config: pytest.Config) -> None:
    """End a run that a thread keeps from ending as a failure, with the stack of each thread.

    A worker without tests waits for the others, however long they take.
    """
    if not hasattr(config, "workerinput"):
        faulthandler.dump_traceback_later(PATIENCE_S, exit=True, file=2)


@pytest.fixture(scope="session")
def postgresql() -> Iterator[str]:
    """A PostgreSQL of our own; where there is none the test is skipped, but not in CI."""
    from tests.drills.databases import find_postgresql, running_postgresql  # noqa: PLC0415  # most tests need none

    programs = find_postgresql()
    if programs is None:
        if os.environ.get("MANCALA_SKIP_NOTHING"):
            pytest.fail("postgresql is missing, and nothing may be skipped")
        pytest.skip("postgresql is not installed")
    with running_postgresql(programs) as url:
        yield url

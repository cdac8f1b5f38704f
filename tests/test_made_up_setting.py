"""A setting added to a copy of the sources: its declaration, and the room that uses it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from tests.sources import copy_sources, edited, run_in

SETTINGS: Final = "server/config/settings.py"
ROOM: Final = "server/lobby/sessions.py"
DECLARATION: Final[Mapping[str, str]] = {
    "        games: maximum number of games of a match;": (
        "        made_up: whether it is made up.\n        made_up_s: how long it is made up.\n"
    ),
    "    games: Reloadable[PositiveCount] = 1000\n": (
        "    made_up: Reloadable[bool] = False\n    made_up_s: Reloadable[PositiveSeconds] = 3.0\n"
    ),
}
"""What is put before two lines of the settings: a switch and a number, with their sentences."""
USED: Final = "reconnect_after=self._context.config.now.reconnect_after_s)"
USE: Final = (
    "reconnect_after=self._context.config.now.limits.made_up_s"
    " if self._context.config.now.limits.made_up"
    " else self._context.config.now.reconnect_after_s)"
)
"""The use of both, beside another setting's."""
MADE: Final = "        self.orders = context.orders\n"
KEPT: Final = f"{MADE}        self.made_up = context.config.now.limits.made_up\n"
"""A room that keeps the switch as it was at the start."""
TAKEN_UP: Final = "tests/server/config/test_taken_up.py"
LISTS: Final = (
    "tests/server/config/test_reload.py::test_each_setting_is_taken_up_or_named_by_its_key",
    *(TAKEN_UP, "tests/docs/test_settings_reference.py", "tests/simulate/test_knobs.py"),
)
"""Tests that read the list of settings."""
LOOK: Final = """
import random
from docs.settings_reference import markdown
from mancala.server.config.loading import ConfigError, parse
from mancala.server.config.settings import Limits
from tests.server.fakes import Harness
from tests.simulate.knobs import draw_config

print(next(line for line in markdown().splitlines() if "made_up_s" in line))
try:
    parse("limits.made_up_s = 0")
except ConfigError as error:
    print(error)
print(len({draw_config(random.Random(n)).limits.made_up_s for n in range(99)}))
harness = Harness()
seats = [harness.greet(name) for name in ("ann", "bob")]
harness.sessions.dismiss_idle(1e9)
print(seats[0].closed)
harness.reload(limits=Limits(made_up=True, made_up_s=9.0))
seat = harness.greet("cid")
harness.sessions.dismiss_idle(1e9)
print(seat.closed)
"""
SEEN: Final = """\
| `made_up_s` | `3.0` | > 0 | yes | how long it is made up. |
limits.made_up_s: expected a number > 0.0 (at line 1)
2
('idle', 1.0, 1000)
('idle', 9.0, 1000)
"""


def test_a_setting_is_its_declaration_and_the_room_that_uses_it(tmp_path: Path) -> None:
    """Reading, ranges, reloads, the reference and simulated worlds follow; a kept copy is found."""
    copy = copy_sources(tmp_path / "copy", "tests", "docs", "pyproject.toml", without=("data",))
    for line, added in DECLARATION.items():
        edited(copy, SETTINGS, line, added + line)
    edited(copy, ROOM, USED, USE)
    looked = run_in(copy, "-c", LOOK)
    assert looked.stdout == SEEN, looked.stderr
    pytest = ("-m", "pytest", "-q", "-p", "no:cacheprovider")
    tried = run_in(copy, *pytest, *LISTS)
    assert tried.returncode == 0, tried.stdout
    edited(copy, ROOM, MADE, KEPT)
    found = run_in(copy, *pytest, TAKEN_UP)
    assert "needed: {'limits.made_up': " in found.stdout

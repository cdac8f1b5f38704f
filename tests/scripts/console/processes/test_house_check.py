"""Players of the house that cannot be made are found before the server starts."""

import subprocess
import sys

import pytest

from mancala.scripts.console.processes.house import check_house, check_house_apart
from mancala.server.config.ladders import LadderSettings
from mancala.server.config.settings import Config, ConfigError


def config_with(player: str) -> Config:
    return Config(ladder=(LadderSettings(name="main", house={"rock": player}),))


@pytest.mark.parametrize("check", [check_house, check_house_apart])
def test_the_bot_that_cannot_be_made_is_named(check: object) -> None:
    """Here or in a process of its own."""
    assert callable(check)
    check(config_with("minimax:depth=3"))
    with pytest.raises(ConfigError, match=r"^ladder\[0\]\.house\.rock: no player named 'chess'"):
        check(config_with("chess"))


def test_the_compiler_is_not_loaded_into_the_server() -> None:
    """The process that asks stays small."""
    code = f"""if True:
        import sys
        from {check_house.__module__} import check_house_apart
        from {Config.__module__} import Config
        from {LadderSettings.__module__} import LadderSettings
        ladder = LadderSettings(name="main", house={{"rock": "engine:movetime=0.1"}})
        check_house_apart(Config(ladder=(ladder,)))
        sys.exit("numba" in sys.modules)
    """
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0

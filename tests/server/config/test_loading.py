"""A configuration file: read, or refused with the key's name."""

import os
import threading
from pathlib import Path

import pytest

from mancala.protocol.clock import TimeControl, TimeoutPolicy
from mancala.server.app.server import Server
from mancala.server.config.ladders import LadderSettings
from mancala.server.config.loading import expect_regular, load, parse
from mancala.server.config.settings import Config, ConfigError, Limits

OPENING = "<6,0,0,1,1,1,1,1,1,1,1,1,1,1,1>"


def test_an_empty_file_is_a_working_server_on_this_machine_only() -> None:
    """Every key has a default, and the default accepts no connection from outside."""
    config = parse("")
    assert config == Config()
    assert config.host == "127.0.0.1"


def test_every_table_can_be_set() -> None:
    """Names, clocks, the broker and the limits."""
    config = parse(
        """
        name = "club"
        port = 0
        rules = "kalah:pits=5"
        [clock]
        bank_ms = 60000
        increment_ms = 500
        timeout = "random"
        [mqtt]
        url = "mqtts://broker.example"
        prefix = "club/results"
        [limits]
        games = 10
        """
    )
    assert config.clock == TimeControl(1000, 60000, 500, TimeoutPolicy.RANDOM)
    assert config.default_rules.pits == 5
    assert config.topics.prefix == "club/results"
    assert config.limits.games == 10


@pytest.mark.parametrize(
    ("config", "named"),
    [
        (Config(grace_s=-1.0), "grace_s"),
        (Config(limits=Limits(games=0)), "limits.games"),
        (Config(ladder=(LadderSettings(name="a", games=3),)), r"ladder\[0\].games"),
    ],
)
def test_settings_made_by_a_program_keep_to_the_same_ranges(config: Config, named: str) -> None:
    """An embedded server refuses what a file is refused for."""
    with pytest.raises(ConfigError, match=f"^{named}: "):
        Server(config)


def test_a_file_that_can_not_be_read_is_named(tmp_path: Path) -> None:
    """The error says which file."""
    with pytest.raises(ConfigError, match=r"none\.toml"):
        load(tmp_path / "none.toml")


def test_openings_are_read_from_a_file_beside_the_settings(tmp_path: Path) -> None:
    """One literal a line, comments left out, the path taken from the settings' folder."""
    first, second = "<6,0,0,0,5,5,5,5,4,4,4,4,4,4,4>", "<6,0,0,4,0,5,5,5,5,4,4,4,4,4,4>"
    (tmp_path / "fair.txt").write_text(f"# fair ones\n{first}  # drawn\n\n{second}\n")
    settings = tmp_path / "arena.toml"
    settings.write_text("[[ladder]]\nname = 'main'\nopenings_file = 'fair.txt'")
    (ladder,) = load(settings).ladder
    assert ladder.openings == (first, second)


def test_a_ladder_can_be_set_in_full() -> None:
    """Every key of a ladder is read."""
    (ladder,) = parse(
        """
        [[ladder]]
        name = "main"
        rules = "article"
        clock = {move_ms = 100, timeout = "random"}
        games = 4
        seed = 7
        guests = false
        names = ["team-*"]
        patience_s = 1
        refit_s = 2.5
        quarantine_after = 5
        quarantine_s = 60
        [ladder.anchors]
        house-random = 800
        "house-greedy@1" = 1000.0
        [ladder.house]
        house-random = "random"
        house-greedy = "greedy"
        """
    ).ladder
    assert ladder.parsed_rules.majority
    assert ladder.clock.timeout is TimeoutPolicy.RANDOM
    assert ladder.anchors == {"house-random": 800.0, "house-greedy@1": 1000.0}
    assert ladder.house == {"house-random": "random", "house-greedy": "greedy"}
    assert ladder.admits("team-a")
    assert not ladder.admits("ann")


def test_a_ladders_clock_takes_what_it_does_not_name_from_the_servers() -> None:
    """A ladder without a clock has the server's; one that names a limit keeps the rest."""
    config = parse(
        """
        [clock]
        move_ms = 500
        bank_ms = 60000
        [[ladder]]
        name = "usual"
        [[ladder]]
        name = "quick"
        clock = { move_ms = 100 }
        """
    )
    usual, quick = config.ladder
    assert usual.clock == config.clock == TimeControl(500, 60000)
    assert quick.clock == TimeControl(100, 60000)


def test_a_store_in_a_folder_of_another_user_may_be_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Settings are read all the same; the socket says then who may give orders."""

    def refuse(path: Path) -> bool:
        raise PermissionError(str(path))

    monkeypatch.setattr(Path, "exists", refuse)
    found = parse('store = "closed/arena.sqlite3"', tmp_path)
    assert found.store == str(tmp_path / "closed" / "arena.sqlite3")


def test_a_server_that_runs_waits_for_no_pipe(tmp_path: Path) -> None:
    """A reload reads its files in the server, whose games would stand still until a pipe ends."""
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ConfigError, match="pipe: no regular file"):
        expect_regular(tmp_path / "pipe")
    settings = tmp_path / "arena.toml"
    settings.write_text("[[ladder]]\nname = 'main'\nopenings_file = 'pipe'")
    expect_regular(settings)
    with pytest.raises(ConfigError, match="no regular file"):
        load(settings, is_running=True)


def test_a_server_that_starts_reads_openings_from_a_pipe(tmp_path: Path) -> None:
    """As a shell makes one of `<(…)`; no game waits for it."""
    os.mkfifo(tmp_path / "pipe")
    settings = tmp_path / "arena.toml"
    settings.write_text("[[ladder]]\nname = 'main'\nopenings_file = 'pipe'")
    writing = threading.Thread(
        target=(tmp_path / "pipe").write_text, args=(f"{OPENING}\n",), daemon=True
    )
    writing.start()
    assert load(settings).ladder[0].openings == (OPENING,)
    writing.join()


def test_a_file_that_cannot_be_asked_for_is_named() -> None:
    """`Path.exists` raises on most errors, which ended the server."""
    with pytest.raises(ConfigError, match="long: File name too long"):
        expect_regular(Path(90 * "long"))

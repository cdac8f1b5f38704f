"""Wrong settings, as a file holds them: each is one line that names its key, and nothing starts."""

import asyncio
from pathlib import Path
from typing import Final

import pytest
from typer.testing import CliRunner, Result

from mancala.scripts.console.processes import house
from mancala.scripts.mancala import build

LADDER: Final = "[[ladder]]\nname = 'main'\n"
TRYING: Final = '"trying the players of the house"'
"""What a server that starts logs before it finds one wrong."""
UNQUOTED: Final = (
    *(" = secret", ": secret", ":secret", " = 1secret", " = 'a'secret", " = ['a' secret]"),
    *(' = "\\secret"', " = {a = secret}", " secret", ".= secret", ".=secret", " = [\nsecret"),
)
WRONG: Final = [
    ("name = ''", "name"),
    ("name = 'a/b'", "name"),
    ("name = 3", "name"),
    (f"name = '{'x' * 129}'", "name"),
    ("host = 'no such host'", "host"),
    ("host = '192.0.2.1'", "host"),
    ("http_host = 'nowhere.invalid'", "http_host"),
    ("port = 70000", "port"),
    ("port = -1", "port"),
    ("port = true", "port"),
    ("port = '8765'", "port"),
    ("http_port = 8765", "http_port"),
    ("web_feed = 'no/such/folder/web'", "web_feed"),
    (f"web_feed = '/tmp/{'x' * 108}'", "web_feed"),
    ("web_feed = 'web'\nstore = ':memory:'", "store"),
    ("public_url = 'http://arena.example'", "public_url"),
    ("origins = ['club.example']", "origins"),
    ("origins = 'https://club.example'", "origins"),
    ("store = 'mysql://arena:secret@db/arena'", "store"),
    ("store = '.'", "store"),
    ("store = 'arena.toml'", "store"),
    ("store = 'arena.toml/arena.sqlite3'", "store"),
    ("store = 'postgresql://arena:secret@127.0.0.1:1/arena'", "store"),
    ("store = 'postgresql://db/arena?schema=A-B'", "store"),
    ("rules = 'chess'", "rules"),
    ("rules = 'kalah:pits=0'", "rules"),
    ("clock = 3", "clock"),
    ("[clock]\nmove_ms = 0", "clock: move_ms"),
    ("[clock]\nmove_s = 1", "clock.move_s"),
    ("guests = 'yes'", "guests"),
    ("grace_s = nan", "grace_s"),
    ("grace_s = -1", "grace_s"),
    ("drain_s = inf", "drain_s"),
    ("reconnect_after_s = nan", "reconnect_after_s"),
    ("status_token = 'short'", "status_token"),
    ("front_port = 0", "front_tokens"),
    ("front_tokens = { east = 'short' }", "front_tokens"),
    ("front_tokens = { east = 'a-long-secret', west = 'a-long-secret' }", "front_tokens"),
    (
        "front_host = '0.0.0.0'\nfront_port = 0\nfront_tokens = { east = 'a-long-secret' }",
        "front_port",
    ),
    ("public_log = 'yes'", "public_log"),
    ("prot = 1", "prot"),
    ("name = 1 2", "not TOML"),
    *((f"[mqtt]\npassword{each}", "not TOML: ") for each in UNQUOTED),
    ("[tls]\ncert = 'none.pem'", "tls.cert"),
    ("[tls]\ncert = 'arena.toml'", "tls.cert"),
    ("[tls]\nkey = 'none.pem'", "tls.key"),
    ("[tls]\nca = 'none.pem'", "tls.ca"),
    ("[tls]\nca = 'arena.toml'", "tls.ca"),
    ("[mqtt]\nurll = 'x'", "mqtt.urll"),
    ("[mqtt]\nurl = 'http://broker'", "mqtt.url"),
    ("[mqtt]\nurl = 'mqtt://'", "mqtt.url"),
    ("[mqtt]\nurl = 'mqtt://broker:port'", "mqtt.url"),
    ("[mqtt]\nurl = 'mqtt://broker:99999'", "mqtt.url"),
    ("[mqtt]\nurl = 'mqtt://:secret@broker'", "mqtt.url"),
    ("[mqtt]\nurl = 'eve:secret@broker:1883'", "mqtt.url"),
    ("[mqtt]\nurl = mqtt://eve:secret@broker", "not TOML: "),
    ("[mqtt]\nurl = 'mqtt://broker'\npassword = 'secret'", "mqtt.password"),
    ("[mqtt]\nurl = 'mqtts://broker'\nca = 'none.pem'", "mqtt.ca"),
    ("[mqtt]\nurl = 'mqtts://broker'\nca = 'arena.toml'", "mqtt.ca"),
    ("[mqtt]\nurl = 'mqtts://broker'\ncert = 'arena.toml'", "mqtt.cert"),
    ("[mqtt]\nurl = 'mqtts://broker'\nkey = 'none.pem'", "mqtt.key"),
    ("[mqtt]\nprefix = 'a/#'", "mqtt.prefix"),
    ("[mqtt]\nkeep_days = nan", "mqtt.keep_days"),
    ("[kgp]\ntcp_port = 8765", "kgp.tcp_port"),
    ("[kgp]\nws_port = 65536", "kgp.ws_port"),
    ("[kgp]\nladder = 'main'", "kgp.ladder"),
    (f"[kgp]\nladder = 'main'\n{LADDER}rules = 'article'", "kgp.ladder"),
    (f"[kgp]\nladder = 'main'\n{LADDER}requests = true", "kgp.ladder"),
    (f"{LADDER}requests = true\nhouse = {{a = 'random'}}", "ladder[0].house"),
    ("[kgp]\ngames = 0", "kgp.games"),
    ("[kgp]\nclaims_a_day = -1", "kgp.claims_a_day"),
    ("[play]\nchallenges = -1", "play.challenges"),
    ("[reviewers]\nhouse = 65", "reviewers.house"),
    ("[reviewers]\nhouse = 1\nqueue = 0", "reviewers.queue"),
    ("[reviewers]\npatience_s = 0", "reviewers.patience_s"),
    ("[reviewers]\nseconds = nan", "reviewers.seconds"),
    ("[limits]\ngames = 0", "limits.games"),
    ("[limits]\ngames = 'many'", "limits.games"),
    ("[limits]\nidle_s = inf", "limits.idle_s"),
    ("[limits]\nloop_lag_ms = nan", "limits.loop_lag_ms"),
    ("[limits]\nmessages_per_s = 0", "limits.messages_per_s"),
    ("[limits]\nexempt = ['everybody']", "limits.exempt"),
    ("[limits]\nidle = 5", "limits.idle"),
    ("[[ladder]]\ngames = 2", "ladder[0]"),
    ("[[ladder]]\nname = 'a b'", "ladder[0].name"),
    (f"{LADDER}{LADDER}", "ladder[1].name"),
    (f"{LADDER}rulez = 'kalah'", "ladder[0].rulez"),
    (f"{LADDER}clock = {{move_s = 1}}", "ladder[0].clock.move_s"),
    (f"{LADDER}games = 0", "ladder[0].games"),
    (f"{LADDER}games = 3", "ladder[0].games"),
    (f"{LADDER}rules = 'chess'", "ladder[0].rules"),
    (f"{LADDER}openings = ['<2,0,0,1,1,1,1>']", "ladder[0].openings"),
    (f"{LADDER}openings = ['<6,0,0,1,1>']", "ladder[0].openings"),
    (f"{LADDER}openings = ['<6,20,20,0,0,0,0,0,0,4,4,0,0,0,0>']", "ladder[0].openings"),
    (f"{LADDER}openings_file = 'none.txt'", "ladder main: openings_file"),
    (f"{LADDER}patience_s = -1", "ladder[0].patience_s"),
    (f"{LADDER}refit_s = 0", "ladder[0].refit_s"),
    (f"{LADDER}quarantine_after = 0", "ladder[0].quarantine_after"),
    (f"{LADDER}pulse_s = 30", "ladder[0].pulse_s"),
    (f"{LADDER}anchors = {{x = nan}}", "ladder[0].anchors"),
    (f"{LADDER}anchors = {{ghost = 1000}}", "ladder[0].anchors.ghost"),
    (f"{LADDER}house = {{'a b' = 'random'}}", "ladder[0].house"),
    (f"{LADDER}house = {{rock = 'engine:level=99'}}", "ladder[0].house.rock"),
    (f"{LADDER}house = {{rock = 'enginee:movetime=1'}}", "ladder[0].house.rock"),
    (f"{LADDER}house = {{rock = 'engine:weights=/nope'}}", "ladder[0].house.rock"),
    (f"{LADDER}house = {{rock = 'cmd:/no/such'}}", "ladder[0].house.rock"),
    (f'{LADDER}house = {{rock = "cmd:\'unclosed"}}', "ladder[0].house.rock"),
    (
        f"{LADDER}house = {{rock = 'random'}}\n[[ladder]]\nname = 'b'\nhouse = {{rock = 'greedy'}}",
        "ladder[1].house.rock",
    ),
    (f"[play]\nlevels = true\n{LADDER}house = {{level-3 = 'random'}}", "ladder[0].house.level-3"),
    (
        f"[reviewers]\nhouse = 1\n{LADDER}house = {{house-reviewer-1 = 'random'}}",
        "ladder[0].house.house-reviewer-1",
    ),
]


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Return the settings that servers were started with; none really starts."""
    begun: list[object] = []

    async def serve(config: object, **_options: object) -> None:
        await asyncio.sleep(0)
        begun.append(config)

    monkeypatch.setattr("mancala.server.app.serving.serve", serve)
    monkeypatch.setattr(house, "check_house_apart", house.check_house)
    return begun


def run(folder: Path, settings: str, *options: str) -> Result:
    path = folder / "arena.toml"
    path.write_text(settings)
    return CliRunner().invoke(build(), ["serve", "--config", str(path), *options])


@pytest.mark.parametrize(("settings", "key"), WRONG)
@pytest.mark.parametrize("options", [("--check-config",), ()], ids=["check", "serve"])
def test_a_wrong_setting_is_one_line_with_its_key(
    tmp_path: Path, started: list[object], options: tuple[str, ...], settings: str, key: str
) -> None:
    """Both the check and the server refuse it, the same way, and leave nothing behind."""
    result = run(tmp_path, settings, *options)
    assert result.exit_code == 2
    (line,) = (each for each in result.stderr.splitlines() if TRYING not in each)
    assert line.startswith((f"mancala: {tmp_path / 'arena.toml'}: {key}", f"mancala: {key}"))
    assert "secret" not in line
    assert started == []
    assert result.stdout == ""
    assert [path.name for path in tmp_path.iterdir()] == ["arena.toml"]


def test_settings_that_are_right_start_a_server(tmp_path: Path, started: list[object]) -> None:
    """Anchors of the house, a pulse of two bots, and ports that differ."""
    settings = f"""
        http_port = 8080
        store = "arena.sqlite3"
        {LADDER}
        pulse_s = 30
        anchors = {{ rock = 1000, "paper@1" = 900 }}
        house = {{ rock = "random", paper = "greedy" }}
        """
    assert run(tmp_path, settings, "--check-config").exit_code == 0
    assert started == []
    assert run(tmp_path, settings).exit_code == 0
    assert len(started) == 1

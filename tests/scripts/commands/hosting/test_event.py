"""``mancala event``, as an organiser types it."""

from functools import partial
from pathlib import Path

import pytest

from mancala.scripts.console import ordering
from mancala.server.control.wire import Request
from tests.scripts.commands.results import mancala, refusal_of, result_of
from tests.server.peers import arena


@pytest.fixture
async def config(tmp_path: Path) -> str:
    async with arena(tmp_path) as running:
        place = running.server.config.store
    path = tmp_path / "arena.toml"
    event = 'name = "final"\nformat = "rr"\nentrants = ["ann", "bob", "cid", "dan"]\n'
    path.write_text(f'name = "test"\nstore = "{place}"\n[[event]]\n{event}')
    return str(path)


done = partial(result_of, "event")
event = partial(mancala, "event")


def test_an_event_is_listed_started_and_shown_without_a_server(config: str) -> None:
    """The first round is paired, and played when the server runs again."""
    at = ("--config", config)
    assert "final\trr\tdraft\tstarts when told to\t4 entrants" in event("list", *at).stdout
    for question in (("list",), ("show", "final")):
        assert "No such option: --dry-run" in refusal_of("event", *question, "--dry-run")
    dry = event("start", "final", *at, "--dry-run")
    assert dry.stdout == "would change: event final: draft -> pairing\n"
    assert done("start", "final", "--why", "it is time", *at)["changed"][0]["after"] == "pairing"
    text = event("show", "final", *at).stdout
    assert "final\trr\tplaying\tround 1\t4 entrants" in text
    assert "\tto be played" in text
    assert done("show", "final", *at)["log"][0]["why"] == "it is time"
    for format_, state in (("knockout", "playing"), ("swiss", "pairing")):
        done("new", format_, "--format", format_, "--entrants", "ann,bob,cid,dan", *at)
        done("withdraw", format_, "dan", *at)
        assert "  cid\n  dan\twithdrawn\n" in event("show", format_, *at).stdout
        done("start", format_, *at)
        text = event("show", format_, *at).stdout
        assert f"{format_}\t{format_}\t{state}\tround 1" in text
        assert ("\tbye" in text) == (state == "playing")  # nobody is there to be paired by points


def test_steps_are_taken_and_taken_back(config: str) -> None:
    """A paused event is resumed, and a cancelled one stays cancelled."""
    at = ("--config", config)
    for step, state in (("start", "pairing"), ("pause", "paused"), ("resume", "playing")):
        assert done(step, "final", *at)["changed"][0]["after"] == state
    lost = done("forfeit", "final", "ann", *at)["changed"]
    assert {change["after"] for change in lost} == {"lost by ann"}
    assert "ann withdrawn" not in event("withdraw", "final", "ann", *at).stdout
    assert "withdrawn" in event("show", "final", *at).stdout
    text = event("show", "final", *at).stdout
    assert "(absent)" in text
    assert "\n  1\tdan\t2 points\t2 games\n" in text
    assert done("cancel", "final", *at)["changed"][0]["after"] == "cancelled"
    file = Path(config).with_name("final.trf")
    for format_, first in (("trf", "012 final"), ("trf16", "012 final"), ("csv", "round,board,")):
        facts = done("export", "final", str(file), "--format", format_, *at)
        assert (facts["rounds"], facts["bytes"]) == (1, file.stat().st_size)
        assert file.read_text().startswith(first)
    refused = event("resume", "final", *at)
    assert refused.exit_code == 1
    assert "while the event is cancelled" in refused.stderr


def test_an_event_is_made_from_options_or_a_file(config: str, tmp_path: Path) -> None:
    """Options go before the file; a dry run makes none, and what is wrong is named."""
    file = tmp_path / "cup.toml"
    file.write_text('format = "rr"\nstarts = 2126-12-01T19:00:00Z\nentrants = ["ann", "bob"]\n')
    at = ("--config", config)
    made = ("new", "cup", "--file", str(file), "--move-ms", "250", "--entrants", "dan,eva,fay")
    assert event(*made, *at, "--dry-run").stdout == "would change: event cup: draft\n"
    assert "there is no event cup" in event("show", "cup", *at).stderr
    assert done(*made, *at)["changed"][0]["after"] == "draft"
    assert event("show", "cup", *at).stdout.splitlines()[1:] == ["  dan", "  eva", "  fay"]
    shown = done("show", "cup", *at)
    assert [each["name"] for each in shown["entrants"]] == ["dan", "eva", "fay"]
    assert (shown["format"], shown["starts"]) == ("rr", "2126-12-01T19:00:00+00:00")
    past = done("edit", "cup", "--set", "starts=2025-12-01T19:00:00Z", *at)
    assert (
        past["remark"] == "starts: 2025-12-01T19:00:00Z is over: the event does not wait for that"
    )
    assert "remark" not in done("edit", "cup", "--rounds", "2", *at)
    nameless = event("new", "--file", str(file), *at)
    assert "name: the event needs one, as NAME or in the file" in nameless.stderr
    file.write_text(f'name = "named"\n{file.read_text()}')
    assert done("new", "--file", str(file), *at)["changed"][0]["subject"] == "named"
    bad = event("new", "Bad/Name", "--file", str(file), *at)
    assert "name: a name is 1 to 48 letters, digits and _ . @ + -" in bad.stderr
    wrong = event("new", "other", "--format", "arean", *at)
    assert wrong.exit_code == 2
    assert "format" in wrong.stderr


def test_an_event_that_is_over_is_exported_and_imported(config: str, tmp_path: Path) -> None:
    """Not before it is over; the copy has another name here."""
    at, file = ("--config", config), str(tmp_path / "final.json")
    early = event("export", "final", file, *at)
    assert early.exit_code == 1
    assert "took no step yet" in early.stderr
    done("start", "final", *at)
    assert "it can be exported once it is over" in event("export", "final", file, *at).stderr
    done("cancel", "final", *at)
    assert done("export", "final", file, *at)["games"] == 0
    assert done("import", file, "--name", "copy", *at)["server"] == "test"
    assert done("show", "copy", *at)["state"] == "cancelled"
    assert done("show", "copy", *at)["rounds"] == done("show", "final", *at)["rounds"]


def test_any_setting_is_given_as_toml_or_as_bare_text(config: str) -> None:
    """A key that there is not is refused as it is in a file."""
    at = ("--config", config)
    asked = ("--set", "min_games = 20", "--set", "rating_in=none", "--set", "opens=2026-12-01")
    for given, said in (
        (asked[:4], "rating_in: there is no ladder none"),
        (asked[4:], "opens: write it as 2026-12-01T19:00:00+01:00, not '2026-12-01'"),
        (("--set", "prize=1"), "prize"),
        (("--set", "prize"), "--set prize: write it as KEY=VALUE"),
    ):
        refused = event("new", "cup", "--format", "swiss", "--enter", "open", *given, *at)
        assert refused.exit_code == 2
        assert said in refused.stderr
    openings = Path(config).with_name("openings.txt")
    openings.write_text("nonsense\n")
    file = ("--set", f"openings_file={openings}")
    assert "nonsense" in event("new", "cup", "--format", "swiss", *file, *at).stderr
    for word in ("2026", "true"):
        given = ("--set", f"password={word}", "--enter", "open")
        done("new", f"cup-{word}", "--format", "swiss", *given, *at)
    done("new", "cup", "--format", "swiss", "--enter", "open", "--set", "password=wari", *at)
    [asks] = done("show", "cup", *at)["conditions"]
    assert (asks["name"], asks["value"], asks["words"]) == ("password", "", "the event's password")
    assert done("edit", "cup", "--unset", "password", *at)["changed"] == [
        {"what": "setting", "subject": "password", "before": "***", "after": '""', "event": "cup"}
    ]
    assert "setting password of cup: *** -> " in mancala("admin", "log", *at).stdout
    both = event("edit", "cup", "--rounds", "3", "--unset", "rounds", *at)
    assert "--unset rounds: it is set, too" in both.stderr


def test_a_round_is_revealed_by_its_number_and_no_other_one(
    config: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of two such commands at one moment the second is refused; they showed two rounds."""
    sent = []

    def answered(request: Request, _config: object) -> dict[str, object]:
        sent.append((request.dry_run, request.arguments))
        change = {"what": "round", "subject": "3", "before": "frozen", "after": "shown"}
        return {"dry_run": request.dry_run, "changed": [change]}

    monkeypatch.setattr(ordering, "_answered", answered)
    event("reveal", "final", "--config", config)
    event("reveal", "final", "--round", "2", "--config", config)
    asked = {"event": "final"}
    assert sent == [(True, asked), (False, asked | {"round": 3}), (False, asked | {"round": 2})]

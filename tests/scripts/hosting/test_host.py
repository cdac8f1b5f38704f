"""A folder of hand-ins: admitted, refused with a reason, and at play on a server."""

import asyncio
import os
import shlex
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest

from mancala.bot.starters import starter
from mancala.protocol import codec
from mancala.scripts.conformance import programs
from mancala.scripts.conformance.robot import Times
from mancala.scripts.conformance.verdicts import ConformanceReport, FailureError, Verdict
from mancala.scripts.hosting.admission import CHECK_RUNS, Admission
from mancala.scripts.hosting.host import HostedFolder
from mancala.scripts.hosting.playing import HostingTerms
from mancala.scripts.hosting.shelf import FolderInUseError, alone_in
from mancala.scripts.sandbox.limits import SandboxLimits
from mancala.scripts.sandbox.outcome import RunEnding, RunOutcome
from tests import node
from tests.drills.newcomer import SETTINGS
from tests.end_to_end.arena import hosted
from tests.patience import PATIENCE_S, WALK_S

Failed = Callable[[OSError], None]
Walked = tuple[str, list[str], list[str]]
LIMITS: Final = SandboxLimits()
ANSWERS: Final = """import sys
print("ready", flush=True) if input() else None
for line in sys.stdin:
    board, _, mark = line.split()
    rows = list(map(int, board.strip("<>").split(",")))
    pits = rows[3:3 + rows[0]]
    print(max(range(rows[0]), key=pits.__getitem__), mark, "\\ndone", mark, flush=True)
"""
REACHES: Final = """import os
mine = {os.readlink(f"/proc/self/fd/{number}") for number in (0, 1, 2)}
for process in map(int, filter(str.isdigit, os.listdir("/proc"))):
    place = f"/proc/{process}"
    try:
        shown = {os.readlink(f"{place}/fd/{number}") for number in os.listdir(f"{place}/fd")}
    except OSError:
        continue  # closed to us
    assert process == os.getpid() or not {x for x in shown - mine if "pipe" in x}, (place, shown)
"""


def _hosted(
    folder: Path, *only: str, by_folder: bool = False, limits: SandboxLimits = LIMITS
) -> tuple[HostedFolder, list[str]]:
    if shutil.which("bwrap") is None:
        node.skip("not installed: bubblewrap")
    said: list[str] = []
    times = Times(move_s=60.0, late_s=PATIENCE_S, come_s=PATIENCE_S)
    admission = Admission(limits, times, only, by_folder=by_folder)
    return HostedFolder(folder, admission, said.append), said


async def _admitted(folder: Path) -> HostedFolder:
    host, _ = _hosted(folder, "the rehearsal")
    await host.admit_all()
    return host


def _python(folder: Path, name: str, build: str | None = None) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "bot.py").write_text(ANSWERS)
    manifest = f'name = "{name}"\nowner = "Ada"\ncommand = "python3 bot.py"\nprotocol = "cmd"\n'
    built = "" if build is None else f'build = "{build}"\n'
    (folder / "bot.toml").write_text(manifest + built)
    return folder


def _starter(folder: Path, language: str, name: str) -> None:
    folder.mkdir(parents=True)
    for file, text in starter(language, name=name).items():
        (folder / file).write_text(text)
    (folder / "bot.toml").write_text(f'name = "{name}"\nlanguage = "{language}"\n')


async def test_a_broken_version_leaves_the_old_one_playing(tmp_path: Path) -> None:
    """The reason is said; the good version stays the one that plays, and a mended one enters."""
    folder = _python(tmp_path / "ada", "adas")
    host, said = _hosted(tmp_path, "a question whose time was up")
    await host.admit_all()
    (good,) = host.report()
    (folder / "bot.py").write_text("raise SystemExit(3)")
    await host.admit_all()
    (broken,) = host.report()
    (folder / "bot.py").write_text(ANSWERS + "# mended\n")
    await host.admit_all()
    (mended,) = host.report()
    assert (good["good"], good["plays"]) == (True, good["version"])
    assert (broken["good"], broken["plays"]) == (False, good["version"])
    assert "it ended with code 3" in broken["why"]
    assert said[1].endswith(f"version {good['version']} plays on")
    assert mended["plays"] == mended["version"] not in {good["version"], broken["version"]}


@pytest.mark.parametrize("is_late", [True, False])
async def test_a_program_that_is_late_is_checked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_late: bool
) -> None:
    """A starter in Rust was refused where fifty programs waited for two cores.

    One that never answers is checked once: that takes minutes.
    """
    late = FailureError("an answer within 30 s", "none", "A question is a board", is_late=is_late)
    verdicts = [Verdict("small budgets", failure) for failure in (late, late, None)]

    async def check(command: str, *_: object) -> ConformanceReport:
        runs = Path(shlex.split(command)[-1]).with_name(CHECK_RUNS)
        runs.write_bytes(codec.to_json(RunOutcome(RunEnding.STOPPED)) + b"\n")
        return ConformanceReport("cmd", [verdicts.pop(0)])

    monkeypatch.setattr(programs, "check", check)
    _python(tmp_path / "ada", "adas")
    host, _ = _hosted(tmp_path)
    await host.admit_all()
    (line,) = host.report()
    assert line["good"] == is_late, line["why"]
    assert len(verdicts) == (0 if is_late else 2)


async def test_a_program_that_never_answers_is_checked_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That the check itself ends its run is no disturbance."""
    checks, check = list[str](), programs.check

    async def counted(command: str, *rest: Any) -> ConformanceReport:  # noqa: ANN401  # as the check has them
        checks.append(command)
        return await check(command, *rest)

    monkeypatch.setattr(programs, "check", counted)
    monkeypatch.setattr(programs, "START_UP_S", 3.0)
    (_python(tmp_path / "ada", "adas") / "bot.py").write_text("while True: pass")
    host = await _admitted(tmp_path)
    (line,) = host.report()
    assert (line["good"], len(checks)) == (False, 1), line["why"]


async def test_a_program_finds_the_packages_that_were_installed_for_it(tmp_path: Path) -> None:
    """Builds and games are offline; what failed for want of a package is looked at again."""
    packages = tmp_path / "packages"
    folder = _python(tmp_path / "teams" / "ada", "adas", build="node build.mjs")
    (folder / "requirements.txt").write_text("seed_counter >= 1  # counts seeds\n")
    (folder / "package.json").write_text('{"dependencies": {"sower": "^1"}}')
    (folder / "build.mjs").write_text('import pits from "sower"\nif (pits !== 6) throw pits\n')
    (folder / "bot.py").write_text(f"import seed_counter\n{ANSWERS}")
    sower = packages / "node_modules" / "sower"
    for place in (sower, packages / "python" / "seed_counter-1.0.dist-info"):
        place.mkdir(parents=True)
    limits = replace(LIMITS, packages=str(packages))
    host, _ = _hosted(tmp_path / "teams", "the rehearsal", limits=limits)
    sower.rename(tmp_path / "sower")
    await host.admit_all()
    (lacking,) = host.report()
    (tmp_path / "sower").rename(sower)
    (sower / "index.js").write_text("module.exports = 6\n")
    info = packages / "python" / "seed_counter-1.0.dist-info" / "METADATA"
    info.write_text("Metadata-Version: 2.1\nName: Seed-Counter\nVersion: 1.0\n")
    (packages / "python" / "seed_counter.py").touch()
    await host.admit_all()
    (found,) = host.report()
    why = lacking["why"]
    assert why.endswith("sower (package.json)"), why
    assert "no such package is installed here: seed_counter (requirements.txt), " in why
    assert found["good"], found["why"]


async def test_each_hand_in_is_refused_for_its_own_reason(tmp_path: Path) -> None:
    """A missing manifest, a failing build, a taken name and a bad zip are named."""
    _python(tmp_path / "ada", "adas")
    _python(tmp_path / "bob", "adas")
    (tmp_path / "cyd").mkdir()
    (tmp_path / "dan.zip").write_bytes(b"no zip")
    _python(tmp_path / "eve", "eves", build="echo no such header; exit 2")
    host = await _admitted(tmp_path)
    why = {line["folder"]: line["why"] for line in host.report()}
    assert why == {
        "ada": "",
        "bob": "the name adas is taken by ada",
        "cyd": "there is no bot.toml: nothing is handed in",
        "dan.zip": "it is no good zip: File is not a zip file",
        "eve": "the build failed: it ended with exit code 2: no such header",
    }


async def test_a_hostile_hand_in_costs_its_author_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Deep nesting, deep folders and a long name each ended the night of all.

    A long number was taken for a fault of the host, so that its team was never judged.
    """
    walk = os.walk

    def walked(top: Path, onerror: Failed | None = None) -> Iterator[Walked]:
        if top.name == "ada":  # as folders do that are a thousand deep
            raise RecursionError
        return walk(top, onerror=onerror)

    monkeypatch.setattr(os, "walk", walked)
    (tmp_path / "ada").mkdir()
    _python(tmp_path / "bob", "bobs")
    nested = _python(tmp_path / "cyd", "cyds")
    (nested / "bot.toml").write_text(f"name = {'[' * 5000}")
    long = "y" * 250
    _python(tmp_path / "dan", "dans", build=f"mkdir -p {long} && touch {long}/x")
    for team, number in (("eve", "9" * 5000), ("fay", "0x" + "f" * 5000)):
        manifest_file = _python(tmp_path / team, team) / "bot.toml"
        manifest_file.write_text(f"name = '{team}'\nprotocol = {number}")
    host = await _admitted(tmp_path)
    await host.admit_changed()
    assert not any(line["unjudged"] for line in host.report())
    why = {line["folder"]: line["why"] for line in host.report()}
    assert why.pop("dan").endswith("cannot be a file's path")
    assert why == {
        "ada": "it cannot be used: RecursionError",
        "bob": "",
        "cyd": "bot.toml: nested too deeply",
        "eve": "bot.toml: a number is too long",
        "fay": "bot.toml: protocol: expected a text in quotes, got a whole number (at line 2)",
    }


@pytest.mark.parametrize("build", ["python3 reach.py", "mv bot.py first.py && ln first.py bot.py"])
async def test_a_build_reaches_nothing_of_the_host_and_may_give_a_file_two_names(
    tmp_path: Path, build: str
) -> None:
    """It wrote into the host's pipe, or its holder's memory; cargo gives two names."""
    ada = _python(tmp_path / "ada", "adas", build)
    (ada / "reach.py").write_text(REACHES)
    host = await _admitted(tmp_path)
    assert [line["why"] for line in host.report()] == [""]


async def test_a_surprise_is_a_reason_and_looked_at_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file missing elsewhere was taken for a vanished hand-in, and then for its fault."""
    _python(tmp_path / "ada", "adas", build="true")
    with monkeypatch.context() as without:
        without.setattr("tempfile.tempdir", str(tmp_path / "none"))
        host = await _admitted(tmp_path)
        (line,) = host.report()
        assert line["why"].startswith(
            "not judged: a fault of the host, and tried again: No such file"
        )
        await host.admit_changed()
        assert host.report() == [line]
    for _ in range(2):
        await host.admit_changed()
    assert [(line["why"], line["unjudged"]) for line in host.report()] == [("", False)]


async def test_no_program_is_blamed_where_none_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sandbox that was removed, or an upgrade of ours, made each program a broken one."""
    _python(tmp_path / "ada", "adas")
    host, _ = _hosted(tmp_path, "the rehearsal")
    with monkeypatch.context() as upgraded:
        broken = ["sh", "-c", "echo AttributeError: no run >&2; exit 1"]
        for module in ("admission", "soundness"):
            upgraded.setattr(
                f"mancala.scripts.hosting.{module}.command_of", lambda *_: broken, raising=True
            )
        await host.admit_all()
    (line,) = host.report()
    assert line["why"].endswith("tried again: AttributeError: no run")
    await host.admit_changed()
    assert [line["why"] for line in host.report()] == [""]


async def test_in_a_course_the_folder_is_the_name(tmp_path: Path) -> None:
    """Students write what the text has; the first one of a name shut out all others."""
    for team in ("ada", "bob"):
        _python(tmp_path / team, "my-bot")
    host, _ = _hosted(tmp_path, "the rehearsal", by_folder=True)
    await host.admit_all()
    assert [(line["name"], line["why"]) for line in host.report()] == [("ada", ""), ("bob", "")]


async def test_a_reason_keeps_the_first_line(tmp_path: Path) -> None:
    """It began in the middle of a word."""
    ada = _python(tmp_path / "ada", "adas")
    noise = "".join(f"    at line {number} of some file\n" for number in range(400))
    text = f"import sys; sys.exit({'Error: no package ws' + chr(10) + noise + 'the end'!r})"
    (ada / "bot.py").write_text(text)
    host = await _admitted(tmp_path)
    (line,) = host.report()
    quoted = line["why"].partition("it ended with exit code 1: ")[2].splitlines()
    assert (quoted[0], quoted[-1]) == ("Error: no package ws", "the end")
    assert "…" in quoted
    assert all(each.startswith("    at line ") for each in quoted[1:-1] if each != "…")


async def test_what_did_not_change_is_not_checked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A host that starts again finds its verdicts."""
    _python(tmp_path / "ada", "adas")
    host = await _admitted(tmp_path)
    monkeypatch.setattr("mancala.scripts.hosting.admission.built", None)
    again = await _admitted(tmp_path)
    assert again.report() == host.report()


async def test_programs_play_on_a_server_without_a_network(tmp_path: Path) -> None:
    """A starter on the websocket and a program that is built play each other, and leave."""
    if shutil.which("make") is None or shutil.which("gcc") is None:
        node.skip("not installed: build-essential")
    _starter(tmp_path / "ada", "python", "adas")
    _starter(tmp_path / "bob", "c", "bobs")
    host, said = _hosted(tmp_path, "hello and welcome", "the rehearsal", "a whole game")
    (tmp_path / ".club").mkdir()
    async with hosted(tmp_path / ".club", SETTINGS) as club, asyncio.timeout(WALK_S):
        await host.admit_all()
        assert all(line["good"] for line in host.report()), said
        terms = HostingTerms(url=club.url, ladder="main", games=2, limits=LIMITS)
        await host.play_once(terms)
    runs = {line["name"]: line["runs"] for line in host.report()}
    assert {name: [run["exit_code"] for run in each] for name, each in runs.items()} == {
        "adas": [0],
        "bobs": [0],
    }, runs


async def test_a_zip_beside_its_folder_is_passed_over(tmp_path: Path) -> None:
    """The same team stood in the table twice; one sentence says which counts, once."""
    _python(tmp_path / "ada", "adas")
    zipped = tmp_path / "ada.zip"
    zipped.write_bytes(b"no zip")
    host, said = _hosted(tmp_path, "the rehearsal")
    await host.admit_all()
    await host.admit_changed()
    assert host.names == ["ada"]
    sentence = "ada.zip: passed over, since the folder ada counts; remove one"
    assert [text for text in said if "ada.zip" in text] == [sentence]
    shutil.rmtree(tmp_path / "ada")
    assert host.names == ["ada.zip"]
    (tmp_path / "ada.ZIP").write_bytes(b"no zip")
    assert host.names == ["ada.ZIP"]


async def test_a_file_that_is_no_hand_in_is_named_once(tmp_path: Path) -> None:
    """A tar archive between the folders was passed over without a word."""
    (tmp_path / "eve.tar.gz").write_bytes(b"")
    host, said = _hosted(tmp_path, "the rehearsal")
    await host.admit_all()
    await host.admit_changed()
    assert said == ["eve.tar.gz: passed over, since it is neither a folder nor a zip"]
    assert host.names == []


async def test_a_folder_is_looked_at_by_one_process_at_a_time(tmp_path: Path) -> None:
    """A nightly call that met the one of the night before built and measured the same programs."""
    with (
        alone_in(tmp_path),
        pytest.raises(FolderInUseError, match="another process is at work"),
        alone_in(tmp_path),
    ):
        pass
    with alone_in(tmp_path):
        assert _hosted(tmp_path, "the rehearsal")[0].names == []

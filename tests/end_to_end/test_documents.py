"""The documents are true: their blocks run, their settings parse, their links work."""

import ast
import asyncio
import doctest
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path

import pytest

import mancala
from docs.notebook import code_cells, read
from mancala.scripts.course.settings import read_settings
from mancala.scripts.hosting.manifest import read_manifest
from mancala.server.config import loading as config
from tests.end_to_end.arena import hosted
from tests.patience import WALK_S
from tests.scripts.commands.results import mancala as ran
from tests.sources import ROOT

PAGES = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").glob("*.md"))
DOCUMENTS = ("README.md", "CONTRIBUTING.md", "HACKING.md", "CHANGELOG.md", *PAGES)
RUN = ("README.md", *PAGES)
"""The documents whose blocks are run."""
ANYTHING = "…"
SHELL = frozenset("|<>$")
"""What a shell may understand."""


def blocks(language: str, documents: Iterable[str] = RUN) -> list[str]:
    texts = [(ROOT / document).read_text() for document in documents]
    fenced = re.compile(rf"^```{language}\n(.*?)^```$", re.DOTALL | re.MULTILINE)
    return [block for text in texts for block in fenced.findall(text)]


def sessions() -> list[tuple[str, str]]:
    found = []
    for block in blocks("console"):
        for session in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, printed = session.partition("\n")
            found.append((command, printed))
    return found


def pattern(printed: str) -> str:
    """Turn a transcript into a pattern; an ellipsis stands for anything."""
    return ".*".join(re.escape(part) for part in printed.strip("\n").split(ANYTHING))


@pytest.mark.usefixtures("quick_workers")
@pytest.mark.parametrize(("command", "printed"), sessions())
def test_commands_print_what_the_documents_say(command: str, printed: str) -> None:
    """Every console block is run, in this process what needs nothing of a shell."""
    if SHELL.isdisjoint(command):
        done = ran(*shlex.split(command)[1:])
        assert done.exit_code in {0, 1}, done.stderr  # an exercise that is wrong ends with 1
        out = done.stdout
    else:
        ours = command.replace("mancala", f"{sys.executable} -m mancala.scripts.mancala", 1)
        out = subprocess.check_output(ours, shell=True, text=True)  # noqa: S602  # as one types it
    assert re.fullmatch(pattern(printed), out.strip("\n"), re.DOTALL), out


@pytest.mark.usefixtures("quick_workers")
@pytest.mark.parametrize("document", RUN)
def test_python_sessions_print_what_the_documents_say(
    document: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sessions of a document are run as one, elsewhere; an ellipsis stands for anything."""
    monkeypatch.chdir(tmp_path)
    session = "\n".join(blocks("pycon", [document]))
    test = doctest.DocTestParser().get_doctest(session, {}, document, None, 0)
    report: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    assert runner.run(test, out=report.append).failed == 0, "".join(report)


@pytest.mark.parametrize("program", blocks("py"))
def test_programs_of_the_documents_end_well(program: str) -> None:
    """Programs that need no server are run as they stand."""
    subprocess.check_call([sys.executable, "-c", program])


async def test_the_bots_of_readme_and_library_play_on_a_live_server(tmp_path: Path) -> None:
    """The fifteen lines, and all that a bot may say, against the opponent that is proposed."""
    printed = []
    async with (
        asyncio.timeout(WALK_S),
        hosted(tmp_path, '[[ladder]]\nname = "main"') as host,
        host.bot("greedy", "--player", "greedy"),
    ):
        for program in blocks("python", ["README.md", "docs/library.md"]):
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-c", program.replace("ws://127.0.0.1:8765", host.url)),
                stdout=asyncio.subprocess.PIPE,
                env={"XDG_STATE_HOME": str(tmp_path)},
            )
            printed.append((await process.communicate())[0].decode())
            assert process.returncode == 0
    readme, library = printed
    assert len(re.findall(r"^greedy \(\d+, \d+\) (?:not )?won$", readme, re.MULTILINE)) == 2
    assert re.fullmatch(
        r"\['greedy'\] \[\]\nmain \(.*\)\n"
        r"(?:greedy kalah \d+ ms\n\(\d+, \d+\) \w+\n){2}[0-2] won\nbad_name\n",
        library,
    ), library


def test_every_public_name_has_an_example() -> None:
    """In the page of the library, its cookbook, or the readme; to be imported is no example."""
    cookbook = read(ROOT / "docs" / "cookbook.ipynb")
    code = ["".join(cell["source"]) for cell in code_cells(cookbook)]
    pages = ("README.md", "docs/library.md")
    code += [block for kind in ("py", "python") for block in blocks(kind, pages)]
    for block in blocks("pycon", pages):
        code += [each.source for each in doctest.DocTestParser().get_examples(block)]
    nodes = [node for each in code for node in ast.walk(ast.parse(each))]
    names = {ast.unparse(each) for each in nodes if isinstance(each, ast.Name | ast.Attribute)}
    used = {name.removeprefix("mancala.") for name in names}
    assert sorted(set(mancala.__all__) - used) == []


def test_the_readmes_bot_is_no_longer_than_it_says() -> None:
    """Fifteen lines are fifteen lines; empty ones do not count."""
    (program,) = blocks("python", ["README.md"])
    assert len([line for line in program.splitlines() if line.strip()]) <= 15


@pytest.mark.parametrize("settings", blocks("toml"))
def test_settings_of_the_documents_are_settings(settings: str, tmp_path: Path) -> None:
    """Every configuration shown can be loaded; its first line may name another file."""
    match settings.partition("\n")[0]:
        case "# pyproject.toml":
            tomllib.loads(settings)
        case "# bot.toml":
            read_manifest(settings.encode())
        case "# course.toml":
            (tmp_path / "course.toml").write_text(settings)
            read_settings(tmp_path)
        case _:
            config.parse(settings)


@pytest.mark.parametrize("command", "".join(blocks("sh", ["README.md"])).splitlines())
def test_the_readmes_targets_exist(command: str) -> None:
    """Every make target named exists."""
    _, target = command.split()
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.MULTILINE)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_links_between_files_lead_somewhere(document: str) -> None:
    """No document points at a file or a name in it that is gone, or calls a file as it was."""
    path = ROOT / document
    text = path.read_text()
    links = re.findall(r"\[([^]]*)\]\(([^)#:]+)[^):]*\)", text)
    assert [link for _, link in links if not (path.parent / link).exists()] == []
    named = re.compile(r"`?([\w./-]+(?:\.(?:py|js|ts|toml|sh|html|css)|/))`?")
    names = [(said[1].rstrip("/"), link) for name, link in links if (said := named.fullmatch(name))]
    assert [(name, link) for name, link in names if not link.rstrip("/").endswith(name)] == []
    places = re.findall(r"((?:`\w+`(?:, | and )?)+) in \[[^]]*\]\(([^)#:]+\.\w+)\)", text)
    words = [(word, link) for said, link in places for word in re.findall(r"\w{2,}", said)]
    kept = [(word, link) for word, link in words if word != "and"]
    assert [each for each in kept if each[0] not in (path.parent / each[1]).read_text()] == []

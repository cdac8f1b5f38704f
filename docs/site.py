"""The documentation as static pages: in HTML, in Markdown for programs that read, and ``llms.txt``.

``make docs`` renders them to ``build/docs``, which a server shows under ``/docs``. ``make site``
renders them to ``build/site/MAJOR.MINOR``, beside those of other versions, which stay as they are,
and lists all of them in ``build/site/index.html``. The twin of ``tour.html`` is ``tour.md``.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

SOURCES: Final = Path(__file__).parent
TOCTREE: Final = re.compile(r"^```\{toctree\}\n.*?\n\n(.*?)^```$", re.DOTALL | re.MULTILINE)
LISTED: Final = re.compile(r"^(?:.* <)?([a-z0-9-]+)>?$", re.MULTILINE)
PICTURE: Final = re.compile(r"(!\[[^\]]*\]\()(?:figures|pictures)/")
OPENING: Final = re.compile(r"\A# (.+)\n+(?:[^\w`*].*\n+)*(.+?[.:])(?:\s|\Z)")
INDEX: Final = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Mancala Arena: documentation</title>
<h1>Mancala Arena: documentation</h1>
<ul>
{items}
</ul>
</html>
"""


def render(folder: Path, *tags: str) -> None:
    """Render the pages and their twins into a folder.

    Args:
        folder: where they go; a page that is no longer there is not removed.
        tags: Sphinx tags; ``versioned`` adds a link to the list of versions.

    Raises:
        CalledProcessError: when Sphinx has a warning.
    """
    with TemporaryDirectory() as temporary:
        work = Path(temporary)
        options = ("-d", str(work / "doctrees"), *(f"--tag={tag}" for tag in tags))
        _sphinx("html", folder, "-W", "--keep-going", *options)
        _sphinx("markdown", work / "twins", *options)
        for twin in (work / "twins").glob("*.md"):
            text = PICTURE.sub(r"\1_images/", twin.read_text())
            (folder / twin.name).write_text(text)
    (folder / "llms.txt").write_text(llms(folder))


def render_version(site: Path) -> None:
    """Render this version into the site of all versions, and list them anew."""
    render(site / ".".join(version("mancala-arena").split(".")[:2]), "versioned")
    versions = sorted(_versions(site), reverse=True)
    items = (f'<li><a href="{name}/index.html">{name}</a>' for *_, name in versions)
    (site / "index.html").write_text(INDEX.format(items="\n".join(items)))


def llms(folder: Path) -> str:
    """Return the list of all pages for language models, each with its first sentence."""
    title, summary = _opening((folder / "index.md").read_text())
    (listed,) = TOCTREE.findall((SOURCES / "index.md").read_text())
    lines = [f"# {title}", "", f"> {summary}", "", "## Pages", ""]
    for page in LISTED.findall(listed):
        title, summary = _opening((folder / f"{page}.md").read_text())
        lines.append(f"- [{title}]({page}.md): {summary}")
    return "\n".join(lines) + "\n"


def _opening(twin: str) -> tuple[str, str]:
    found = OPENING.match(twin)
    if found is None:
        raise ValueError(f"a page begins with its title and a sentence, not with {twin[:80]!r}")
    return found[1], found[2]


def _versions(site: Path) -> Iterator[tuple[int, int, str]]:
    for path in site.iterdir():
        if found := re.fullmatch(r"(\d+)\.(\d+)", path.name):
            yield int(found[1]), int(found[2]), path.name


def _sphinx(builder: str, folder: Path, *options: str) -> None:
    command = (sys.executable, "-m", "sphinx", "-q", "-b", builder, *options)
    subprocess.run([*command, str(SOURCES), str(folder)], check=True)  # noqa: S603  # ours


if __name__ == "__main__":
    target = Path(sys.argv[1])
    render_version(target) if sys.argv[2:] == ["--versions"] else render(target)

"""How Sphinx renders the documentation: ``make docs`` writes it to ``build/docs``.

The pages that already stand in the repository (README, the protocol, strength, the changelog) are
included and not copied; the references of the commands and of the settings are written from the
code. Nothing is fetched while building, and a warning fails the build.
"""

from __future__ import annotations

import sys
from importlib.metadata import version as version_of
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes
from pygments.lexers.special import TextLexer

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

# The path above leads to these.
from docs import command_reference, links, notebook, settings_reference  # noqa: E402
from mancala.scripts import mancala  # noqa: E402

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.util.tags import Tags

    tags: Tags

project = "Mancala Arena"
version = release = version_of("mancala-arena")
copyright = "the contributors, MIT licence"  # noqa: A001  # Sphinx asks for this name
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_markdown_builder",
]
exclude_patterns = ["templates"]

html_theme = "furo"
html_title = f"Mancala Arena {version}"
html_copy_source = False
if tags.has("versioned"):  # noqa: F821  # Sphinx defines it; docs.site sets it
    templates_path = ["templates"]
    html_sidebars = {
        "**": [
            "sidebar/brand.html",
            "versions.html",
            "sidebar/search.html",
            "sidebar/scroll-start.html",
            "sidebar/navigation.html",
            "sidebar/scroll-end.html",
        ]
    }

myst_heading_anchors = 4
autodoc_default_options = {"members": True, "show-inheritance": True}
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
napoleon_use_ivar = True

TRANSCRIPTS = ("board", "dialogue", "kgp", "record")
"""Languages of code blocks that no highlighter knows."""


def setup(app: Sphinx) -> None:
    """Connect what is ours."""
    for language in TRANSCRIPTS:
        app.add_lexer(language, TextLexer)
    app.connect("source-read", _write_references)
    app.connect("include-read", _follow_links)
    app.connect("autodoc-skip-member", _skip_aliases)
    app.connect("html-page-context", _link_twin)
    app.connect("doctree-resolved", _spell_out)


def _write_references(_app: Sphinx, page: str, source: list[str]) -> None:
    if page == "commands":
        source[0] += command_reference.markdown(mancala.build())
    elif page == "hosting":
        source[0] += settings_reference.markdown()
    elif (path := ROOT / "docs" / f"{page}.ipynb").exists():
        source[0] = notebook.markdown(notebook.read(path)) + source[0]


def _follow_links(_app: Sphinx, path: Path, _page: str, content: list[str]) -> None:
    document = (ROOT / "docs" / path).resolve().relative_to(ROOT)
    content[0] = links.to_pages(content[0], document)


def _skip_aliases(
    _app: Sphinx, _what: str, _name: str, member: object, *_rest: object
) -> bool | None:
    """Skip the fields of a named tuple, which its class describes, and leave the rest to Sphinx."""
    return True if type(member).__name__ == "_tuplegetter" else None


def _link_twin(
    app: Sphinx, page: str, _template: str, context: dict[str, Any], _tree: object
) -> None:
    if page in app.env.found_docs:
        link = f'<link rel="alternate" type="text/markdown" href="{page}.md">'
        context["metatags"] = context.get("metatags", "") + link


def _spell_out(app: Sphinx, page: nodes.document, _name: str) -> None:
    """Replace what the Markdown builder lacks: the star of a signature, with its tooltip."""
    if app.builder.name == "markdown":
        for short in list(page.findall(nodes.abbreviation)):
            short.replace_self(nodes.Text(short.astext()))
